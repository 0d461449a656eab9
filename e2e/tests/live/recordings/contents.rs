//! What is in a recording: every row and column of the other outputs of the same run, and the exact totals.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use e2e::harness::process::run;
use e2e::harness::recorder::{Mode, Programs, Recording};
use e2e::harness::scratch::Scratch;
use e2e::harness::{Result, check};
use serde_json::Value;

use super::reader::{Object, Parquet, text};
use super::{check_file, check_status, only};
use crate::{Test, outputs};

pub const TESTS: &[Test] = &[
    ("same_rows_as_json", same_rows_as_json),
    ("every_column", every_column),
    ("several_outputs", several_outputs),
    ("fork_storm", fork_storm),
];

/// A row of JSON as Parquet holds it: without names of numbers and bytes of names; the time in nanoseconds.
fn as_parquet(line: &str) -> Result<Object> {
    let mut row: Object = serde_json::from_str(line).map_err(|error| format!("{line}: {error}"))?;
    for name in ["errno", "flag_names", "file_raw", "old_file_raw"] {
        row.remove(name);
    }
    if let Some(time) = row.get_mut("time") {
        let said: jiff::Timestamp = time.as_str().unwrap_or_default().parse().map_err(text)?;
        *time = i64::try_from(said.as_nanosecond()).map_err(text)?.into();
    }
    Ok(row)
}

/// The files hold the rows of the JSON, in that order and in every column; the columns that had a value.
pub fn compare(files: &[PathBuf], json: &Path) -> Result<BTreeSet<String>> {
    let json = BufReader::new(File::open(json).map_err(text)?);
    let mut lines = json.lines();
    let mut seen = BTreeSet::new();
    for file in files {
        Parquet::open(file)?.visit(|row| {
            let line = lines.next().ok_or("more rows than in JSON")?;
            let expected = as_parquet(&line.map_err(text)?)?;
            check(row == expected, || {
                format!("Parquet {row:?}\nJSON    {expected:?}")
            })?;
            seen.extend(row.into_iter().map(|(name, _)| name));
            Ok(())
        })?;
    }
    let left = lines.count();
    check(left == 0, || format!("{left} rows are only in JSON"))?;
    Ok(seen)
}

/// Calls, errors, bytes and latency (ns) by call, as the totals say them.
pub fn totals(rows: &Path) -> Result<Value> {
    let mut totals: BTreeMap<String, [u64; 4]> = BTreeMap::new();
    Parquet::open(rows)?.visit(|row| {
        let name = row["syscall"].as_str().unwrap_or_default().to_owned();
        let sums = totals.entry(name).or_default();
        let number = |column: &str| row[column].as_u64().unwrap_or_default();
        let counted = [
            1,
            u64::from(row["is_error"] == true),
            number("bytes"),
            number("latency_ns"),
        ];
        for (sum, more) in sums.iter_mut().zip(counted) {
            *sum += more;
        }
        Ok(())
    })?;
    let keys = ["calls", "errors", "bytes", "latency_ns"];
    let object = |sums: [u64; 4]| {
        Value::Object(
            keys.map(str::to_owned)
                .into_iter()
                .zip(sums.map(Value::from))
                .collect(),
        )
    };
    Ok(Value::Object(
        totals
            .into_iter()
            .map(|(name, sums)| (name, object(sums)))
            .collect(),
    ))
}

/// One run with three outputs: exactly the stated rows in JSON, the same in Parquet, as many in CSV.
fn recorded(
    programs: &Programs,
    scratch: &Scratch,
    scenario: &str,
    options: &[&str],
) -> Result<(Recording, PathBuf)> {
    let file = scratch.path().join("rows.parquet");
    let name = file.to_str().ok_or("UTF-8")?;
    let mut all = vec!["--plain", "--parquet", name];
    all.extend(options);
    let recording = programs.record(scenario, Mode::Command, scratch, &all)?;
    recording.check_exactly()?;
    check_file(&file, &recording.ior.err)?;
    let parquet = Parquet::open(&file)?;
    let (said, summed) = (parquet.footer_json("ior.totals")?, totals(&file)?);
    check(said == summed, || format!("totals {said}\nrows   {summed}"))?;
    let loss = parquet.footer_json("ior.loss")?;
    check(loss["rows"] == 0 && loss["not_seen"] == 0, || {
        format!("losses: {loss}")
    })?;
    Ok((recording, file))
}

fn same_rows_as_json(programs: &Programs) -> Result<()> {
    for scenario in ["access", "open", "exit", "restarted", "renamed_thread"] {
        let scratch = Scratch::new()?;
        let (recording, file) = recorded(programs, &scratch, scenario, &[])?;
        compare(std::slice::from_ref(&file), &recording.json)?;
        let parquet = Parquet::open(&file)?;
        // None of these has a name of more than one line.
        let lines = recording.ior.out.iter().filter(|byte| **byte == b'\n');
        let lines = lines.count() as u64;
        check(lines == parquet.rows() + 1, || {
            format!("{lines} lines of CSV, {} rows", parquet.rows())
        })?;
        let command = parquet.footer("ior.command")?;
        check(command.contains(scenario), || command.to_owned())?;
    }
    Ok(())
}

/// Scenarios that fill all the columns there are; names that are no UTF-8 among them.
fn every_column(programs: &Programs) -> Result<()> {
    let scenarios = [
        "odd_names",
        "unreadable_path",
        "two_descriptors",
        "symlink",
        "mappings",
        "epoll_control",
        "epoll_timeouts",
        "sleeps",
        "io_uring",
    ];
    let mut seen = BTreeSet::new();
    let mut columns = Vec::new();
    for scenario in scenarios {
        let scratch = Scratch::new()?;
        let options: &[&str] = match e2e::scenarios::find(scenario).map(|found| found.traced) {
            Some(e2e::scenarios::Traced::All) => &crate::ALL,
            _ => &[],
        };
        let (recording, file) = recorded(programs, &scratch, scenario, options)?;
        seen.extend(compare(std::slice::from_ref(&file), &recording.json)?);
        columns = Parquet::open(&file)?.columns();
    }
    check(columns.len() == 35, || format!("{} columns", columns.len()))?;
    let empty: Vec<_> = columns
        .iter()
        .filter(|name| !seen.contains(*name))
        .collect();
    check(empty.is_empty(), || format!("never a value in {empty:?}"))
}

/// All five outputs of one run have the same rows; the aggregate has their sums.
fn several_outputs(programs: &Programs) -> Result<()> {
    let scenarios = ["odd_names", "symlink", "two_descriptors", "exit"];
    for scenario in scenarios {
        let scratch = Scratch::new()?;
        let file = |name| scratch.path().join(name);
        let mut ior = programs.ior(["--plain", "--flamegraph", "--csv", "csv", "--json", "json"]);
        ior.args(["--parquet", "rows.parquet", "--"])
            .arg(&programs.workload)
            .arg(scenario)
            .arg(scratch.dir("work")?)
            .current_dir(scratch.path());
        let finished = run(&mut ior)?;
        check_status(&finished, 0)?;
        check_file(&file("rows.parquet"), &finished.err)?;
        std::fs::write(file("plain"), &finished.out).map_err(text)?;
        outputs::check_agree(&file("json"), &file("csv"), &file("plain"))?;
        compare(&[file("rows.parquet")], &file("json"))?;
        let aggregate = aggregate_of(&scratch)?;
        check_sums(programs, &file("rows.parquet"), &aggregate)?;
        let name = aggregate.file_name().and_then(|name| name.to_str());
        let known = [
            "work",
            "csv",
            "json",
            "plain",
            "rows.parquet",
            name.ok_or("UTF-8")?,
        ];
        only(&scratch, &known)?;
    }
    Ok(())
}

/// The one file whose name ior has made up.
fn aggregate_of(scratch: &Scratch) -> Result<PathBuf> {
    let entries = std::fs::read_dir(scratch.path()).map_err(text)?;
    let mut found = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.to_string_lossy().ends_with(".ior.zst"));
    match (found.next(), found.next()) {
        (Some(path), None) => Ok(path),
        other => Err(format!("not one aggregate: {other:?}")),
    }
}

/// Stacks of the rows and of the aggregate are the same, whatever is told apart and counted, and so are the footer's sums.
fn check_sums(programs: &Programs, rows: &Path, aggregate: &Path) -> Result<()> {
    let totals = Parquet::open(rows)?.footer_json("ior.totals")?;
    for (count, key) in [
        ("calls", Some("calls")),
        ("latency", Some("latency_ns")),
        ("gap", None),
        ("bytes", Some("bytes")),
        ("errors", Some("errors")),
    ] {
        let stacks = |fields: &str, file: &Path| {
            let options = ["collapsed", "--fields", fields, "--count", count];
            let finished = run(programs.ior(options).arg(file))?;
            check_status(&finished, 0)?;
            String::from_utf8(finished.out).map_err(text)
        };
        let all = "comm,pid,tid,path,syscall,flags";
        let (of_rows, of_aggregate) = (stacks(all, rows)?, stacks(all, aggregate)?);
        check(
            of_rows == of_aggregate && (!of_rows.is_empty() || count == "errors"),
            || format!("{count}: rows\n{of_rows}\naggregate\n{of_aggregate}"),
        )?;
        let Some(key) = key else { continue };
        let mut expected = String::new();
        for (name, sums) in totals.as_object().into_iter().flatten() {
            if sums[key] != 0 {
                expected += &format!("{name} {}\n", sums[key]);
            }
        }
        let found = stacks("syscall", aggregate)?;
        check(found == expected, || {
            format!("{count}: aggregate\n{found}\ntotals\n{expected}")
        })?;
    }
    Ok(())
}

/// 5,000 short processes: every one's calls, no more and no less.
fn fork_storm(programs: &Programs) -> Result<()> {
    let scratch = Scratch::new()?;
    let (recording, file) = recorded(programs, &scratch, "short_lived_5000", &[])?;
    compare(std::slice::from_ref(&file), &recording.json)?;
    // By process and file; all the other files are of the workload itself.
    let is_storm = |file: &str| file.contains("/short-");
    let mut left: BTreeMap<(u32, String), i64> = BTreeMap::new();
    for call in &recording.stated {
        let file = call.file.as_ref().map(|file| file.bytes().to_vec());
        let file = String::from_utf8(file.unwrap_or_default()).map_err(text)?;
        if is_storm(&file) {
            *left.entry((call.pid, file)).or_default() += call.repeat as i64;
        }
    }
    let stated: i64 = left.values().sum();
    check(left.len() == 5000 && stated == 15_000, || {
        format!("{} processes stated {stated} calls", left.len())
    })?;
    Parquet::open(&file)?.visit(|row| {
        let file = row["file"].as_str().unwrap_or_default().to_owned();
        if is_storm(&file) {
            let pid = row["pid"].as_u64().and_then(|pid| pid.try_into().ok());
            *left.entry((pid.unwrap_or_default(), file)).or_default() -= 1;
        }
        Ok(())
    })?;
    left.retain(|_, left| *left != 0);
    check(left.is_empty(), || format!("too few or too many: {left:?}"))
}
