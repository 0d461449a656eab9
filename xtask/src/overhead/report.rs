//! The figures as a table for people and as JSON for programs.

use super::tracer::Counts;

/// One variant's figures.
pub struct Line {
    /// What was measured.
    pub name: &'static str,
    /// Median over the rounds.
    pub ns_per_call: Option<f64>,
    /// Median of the ratios to untraced, each of one round.
    pub ratio: Option<f64>,
    /// Calls the loop made, over all rounds.
    pub made: u64,
    /// What the tool counted, over all rounds.
    pub counts: Counts,
    /// Why there are no (more) figures.
    pub failure: Option<String>,
}

/// The table.
pub fn table(lines: &[Line], rounds: usize) -> String {
    let mut out = format!(
        "\nread(/dev/zero, 1) + write(/dev/null, 1), median of {rounds} rounds; counts over all rounds\n\n\
         {:<26}{:>9}{:>9}{:>12}{:>12}{:>12}{:>10}{:>10}\n",
        "", "ns/call", "ratio", "calls made", "calls", "rows", "lost", "not seen"
    );
    for line in lines {
        out += &format!(
            "{:<26}{:>9}{:>9}{:>12}{:>12}{:>12}{:>10}{:>10}\n",
            line.name,
            fixed(line.ns_per_call, 1),
            fixed(line.ratio, 2),
            line.made,
            count(line.counts.calls),
            count(line.counts.rows),
            count(line.counts.lost),
            count(line.counts.not_seen),
        );
    }
    for line in lines {
        if let Some(failure) = &line.failure {
            out += &format!("{}: {failure}\n", line.name);
        }
    }
    out
}

/// A JSON array of objects, unknown figures null.
pub fn json(lines: &[Line]) -> String {
    let objects: Vec<String> = lines.iter().map(object).collect();
    format!("[\n  {}\n]", objects.join(",\n  "))
}

fn object(line: &Line) -> String {
    let null = || "null".to_owned();
    let number = |n: Option<u64>| n.map_or_else(null, |n| n.to_string());
    let real = |n: Option<f64>| n.map_or_else(null, |n| format!("{n:.3}"));
    format!(
        "{{\"name\":{},\"ns_per_call\":{},\"ratio\":{},\"calls_made\":{},\"calls\":{},\"rows\":{},\"lost\":{},\"not_seen\":{},\"failure\":{}}}",
        quoted(line.name),
        real(line.ns_per_call),
        real(line.ratio),
        line.made,
        number(line.counts.calls),
        number(line.counts.rows),
        number(line.counts.lost),
        number(line.counts.not_seen),
        line.failure.as_deref().map_or_else(null, quoted),
    )
}

/// A JSON string.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out += &format!("\\u{:04x}", u32::from(c)),
            c => out.push(c),
        }
    }
    out + "\""
}

fn fixed(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |v| format!("{v:.digits$}"))
}

fn count(value: Option<u64>) -> String {
    value.map_or_else(|| "-".to_owned(), |v| v.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_figures_are_null_and_text_is_escaped() {
        let line = Line {
            name: "strace",
            ns_per_call: Some(140.25),
            ratio: None,
            made: 4,
            counts: Counts::default(),
            failure: Some("no \"such\"\nthing".to_owned()),
        };
        let expected = "[\n  {\"name\":\"strace\",\"ns_per_call\":140.250,\"ratio\":null,\"calls_made\":4,\"calls\":null,\
                        \"rows\":null,\"lost\":null,\"not_seen\":null,\"failure\":\"no \\\"such\\\"\\u000athing\"}\n]";
        assert_eq!(json(&[line]), expected);
    }
}
