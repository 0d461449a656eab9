//! The table: a column a kernel; first what was found there, then each check.

use std::fmt::Write as _;

use super::outcome::Outcome;

/// Facts that are of no interest once they were used.
const USED: [&str; 1] = ["parquet_rows"];

/// The table of all boots.
pub fn table(outcomes: &[(&str, Outcome)]) -> String {
    let facts = names(outcomes, |outcome| outcome.facts.keys().cloned().collect());
    let checks = names(outcomes, |outcome| {
        outcome
            .checks
            .iter()
            .map(|(name, _)| name.clone())
            .collect()
    });
    let mut rows = vec![row("", outcomes, |name, _| name.to_owned())];
    for fact in facts.iter().filter(|fact| !USED.contains(&fact.as_str())) {
        rows.push(row(fact, outcomes, |_, outcome| {
            outcome
                .facts
                .get(fact)
                .cloned()
                .unwrap_or_else(|| "-".to_owned())
        }));
    }
    for check in &checks {
        rows.push(row(check, outcomes, |_, outcome| {
            match outcome.verdict(check) {
                Some(Ok(())) => "ok".to_owned(),
                Some(Err(_)) => "FAILED".to_owned(),
                None => "-".to_owned(),
            }
        }));
    }
    aligned(&rows)
}

/// All names, in the order in which they were first seen.
fn names(outcomes: &[(&str, Outcome)], of: impl Fn(&Outcome) -> Vec<String>) -> Vec<String> {
    let mut names = Vec::new();
    for name in outcomes.iter().flat_map(|(_, outcome)| of(outcome)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn row(
    name: &str,
    outcomes: &[(&str, Outcome)],
    cell: impl Fn(&str, &Outcome) -> String,
) -> Vec<String> {
    let cells = outcomes
        .iter()
        .map(|(kernel, outcome)| cell(kernel, outcome));
    std::iter::once(name.to_owned()).chain(cells).collect()
}

fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for row in rows {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        let _ = writeln!(out, "{}", cells.join("  ").trim_end());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_a_kernel() {
        let outcome = |lines: &str| {
            let mut outcome = Outcome::default();
            lines.lines().for_each(|line| outcome.take(line));
            outcome
        };
        let outcomes = [
            (
                "5.10",
                outcome("@@ fact hook tp_btf\n@@ check doctor ok\n@@ check rows FAILED 3 of 4"),
            ),
            ("7.2", outcome("@@ check doctor ok\n@@ end")),
        ];
        let wanted =
            "        5.10    7.2\nhook    tp_btf  -\ndoctor  ok      ok\nrows    FAILED  -\n";
        assert_eq!(table(&outcomes), wanted);
    }
}
