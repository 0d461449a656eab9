//! What a run adds up to: totals by syscall, top files, top processes and losses on standard output, and the account on
//! standard error ([`Statistics`]).

mod statistics;
mod table;

use std::io::{self, Write};

use ior_core::stats::{By, Folded, OTHER, Usage as Used};
use ior_core::units::{Bytes, Nanos};
use ior_core::{Kind, Loss, Stats, SyscallTotals, Totals, escape};
use serde_json::json;

pub use statistics::{Statistics, Usage, boottime_ns};
use table::Align::{Figure, Name};
use table::Table;

/// Files and processes listed.
const TOP: usize = 20;

/// The width lines are cut to on a terminal that does not say its own.
const NARROW: usize = 80;

/// Characters a line may have: `COLUMNS` if set, 80 on a terminal, as many as it takes elsewhere.
pub fn width(stdout_is_terminal: bool) -> usize {
    let columns = std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.parse().ok());
    columns
        .filter(|columns| *columns > 0)
        .unwrap_or(if stdout_is_terminal {
            NARROW
        } else {
            usize::MAX
        })
}

/// Writes the summary in lines of at most `width` characters; without `stats` the totals alone.
pub fn write(
    totals: &Totals,
    stats: Option<&Stats>,
    loss: &Loss,
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_totals(totals, width, out)?;
    if let Some(stats) = stats {
        write_files(stats, width, out)?;
        write_processes(stats, width, out)?;
    }
    write_loss(loss, out)
}

/// Writes the totals as JSON, one syscall a line.
pub fn write_totals_json(totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
    totals.by_syscall.iter().try_for_each(|(syscall, counts)| {
        let SyscallTotals {
            calls,
            errors,
            bytes,
            latency_ns,
            histogram,
        } = counts;
        let line = json!({
            "syscall": syscall.name,
            "calls": calls,
            "errors": errors,
            "bytes": bytes,
            "latency_ns": latency_ns,
            "histogram": histogram.as_slice(),
        });
        writeln!(out, "{line}")
    })
}

/// By total time, as whoever looks for lost time wants it.
fn write_totals(totals: &Totals, width: usize, out: &mut dyn Write) -> io::Result<()> {
    if totals.sum().calls == 0 {
        return writeln!(out, "No calls were made.");
    }
    let mut table = Table::new(&[
        ("Syscall", Name),
        ("Calls", Figure),
        ("Errors", Figure),
        ("Avg", Figure),
        ("p50", Figure),
        ("p99", Figure),
        ("Total", Figure),
        ("Bytes", Figure),
    ]);
    let mut by_time: Vec<_> = totals
        .by_syscall
        .iter()
        .filter(|(_, counts)| counts.calls > 0)
        .collect();
    by_time.sort_by_key(|(syscall, counts)| (std::cmp::Reverse(counts.latency_ns), syscall.name));
    for (syscall, counts) in &by_time {
        let mut cells = totals_cells(syscall.name, counts);
        if syscall.kind == Kind::NeverReturns {
            // Its time is not 0, there is none.
            cells[3..=6].fill_with(|| "-".into());
        }
        table.push(cells);
    }
    if by_time.len() > 1 {
        table.push(totals_cells("total", &totals.sum()));
    }
    table.write(width, out)
}

fn totals_cells(name: &str, counts: &SyscallTotals) -> Vec<String> {
    // The upper end of a log2 bucket.
    let quantile = |q| {
        counts
            .quantile_upper_ns(q)
            .map_or_else(|| "-".into(), |ns| format!("<{}", Nanos(ns)))
    };
    vec![
        name.into(),
        counts.calls.to_string(),
        counts.errors.to_string(),
        average(counts.latency_ns, counts.calls),
        quantile(0.5),
        quantile(0.99),
        Nanos(counts.latency_ns).to_string(),
        Bytes(counts.bytes).to_string(),
    ]
}

fn write_files(stats: &Stats, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let mut table = Table::new(&[
        ("Accesses", Figure),
        ("Errors", Figure),
        ("Read", Figure),
        ("Write", Figure),
        ("Avg", Figure),
        ("Max", Figure),
        ("Path", Name),
    ]);
    let cells = |used: &Used, name: String| {
        let [calls, errors, read, written] = counts(used);
        let max = Nanos(used.max_latency_ns).to_string();
        vec![
            calls,
            errors,
            read,
            written,
            average(used.latency_ns, used.calls),
            max,
            name,
        ]
    };
    for (path, used) in stats.top_files(TOP, By::Calls) {
        table.push(cells(&used, escape::terminal(path).into_owned()));
    }
    if let Some((used, name)) = other(stats.folded_files(), "files") {
        table.push(cells(&used, name));
    }
    write_section(stats.file_count(), "file", &table, width, out)
}

fn write_processes(stats: &Stats, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let mut table = Table::new(&[
        ("Calls", Figure),
        ("Errors", Figure),
        ("Read", Figure),
        ("Write", Figure),
        ("Time", Figure),
        ("PID", Figure),
        ("Process", Name),
    ]);
    let cells = |used: &Used, pid: String, name: String| {
        let [calls, errors, read, written] = counts(used);
        vec![
            calls,
            errors,
            read,
            written,
            Nanos(used.latency_ns).to_string(),
            pid,
            name,
        ]
    };
    for (process, used) in stats.top_processes(TOP, By::Calls) {
        table.push(cells(
            &used,
            process.pid.to_string(),
            escape::terminal(process.name()).into_owned(),
        ));
    }
    if let Some((used, name)) = other(stats.folded_processes(), "processes") {
        table.push(cells(&used, "-".into(), name));
    }
    write_section(stats.process_count(), "process name", &table, width, out)
}

fn write_section(
    count: usize,
    what: &str,
    table: &Table,
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    if count == 0 {
        return Ok(());
    }
    let plural = if count == 1 { "" } else { "s" };
    let listed = if count > TOP {
        format!("{TOP} of {count} {what}{plural}")
    } else {
        format!("{count} {what}{plural}")
    };
    writeln!(out, "\n{listed}, by calls:")?;
    table.write(width, out)
}

fn write_loss(loss: &Loss, out: &mut dyn Write) -> io::Result<()> {
    if loss.is_complete() {
        return writeln!(out, "\nNothing was lost.");
    }
    let not_seen = loss
        .not_seen
        .map_or_else(|| "unknown".into(), |calls| calls.to_string());
    writeln!(
        out,
        "\nIncomplete: rows lost {}, not seen {not_seen}, unpaired {}, partial names {},\nundecodable {}.",
        loss.rows, loss.unpaired, loss.partial_names, loss.undecodable,
    )
}

fn counts(used: &Used) -> [String; 4] {
    [
        used.calls.to_string(),
        used.errors.to_string(),
        Bytes(used.read).to_string(),
        Bytes(used.written).to_string(),
    ]
}

fn average(latency_ns: u64, calls: u64) -> String {
    latency_ns
        .checked_div(calls)
        .map_or_else(|| "-".into(), |ns| Nanos(ns).to_string())
}

/// The entry for everything past the bound of a table.
fn other(folded: Folded, what: &str) -> Option<(Used, String)> {
    (folded.usage.calls > 0).then(|| {
        (
            folded.usage,
            format!("{OTHER} about {} more {what}", folded.keys),
        )
    })
}

#[cfg(test)]
mod tests;
