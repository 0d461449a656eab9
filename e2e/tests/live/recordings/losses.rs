//! Rows that found no room: the file says how many and when, and its totals are exact all the same.

use e2e::harness::process::{Running, Stream};
use e2e::harness::recorder::{Mode, Programs};
use e2e::harness::scratch::Scratch;
use e2e::harness::{Result, check};
use serde_json::Value;

use super::reader::Parquet;
use super::{check_file, check_status, only};
use crate::Test;

pub const TESTS: &[Test] = &[
    ("a_million_writes_lost", a_million_writes_lost),
    ("fork_storm_smallest_ring", fork_storm_smallest_ring),
];

const SMALLEST: [&str; 2] = ["--buffer-size", "64KiB"];

/// Every call that the footer counts is a row or a loss.
fn check_counted(file: &Parquet) -> Result<Value> {
    let (totals, loss) = (
        file.footer_json("ior.totals")?,
        file.footer_json("ior.loss")?,
    );
    let calls = totals.as_object().into_iter().flatten();
    let calls: u64 = calls.filter_map(|(_, sums)| sums["calls"].as_u64()).sum();
    let lost = loss["rows"].as_u64();
    let not_seen = loss["not_seen"].as_u64();
    let known = lost
        .zip(not_seen)
        .map(|(lost, not_seen)| file.rows() + lost + not_seen);
    check(known == Some(calls), || {
        format!("{} rows and {loss}, {calls} calls", file.rows())
    })?;
    Ok(loss)
}

/// ior is stopped while the workload makes all its calls, which the smallest rings have no room for.
fn a_million_writes_lost(programs: &Programs) -> Result<()> {
    let scratch = Scratch::new()?;
    let path = scratch.path().join("rows.parquet");
    let mut workload = programs.waiting_workload("writes_1000000", &scratch.dir("work")?)?;
    let mut ior = programs.ior(SMALLEST);
    ior.arg("--parquet").arg(&path).arg("-p");
    let mut ior = Running::start(ior.arg(workload.id().to_string()))?;
    ior.wait_for(Stream::Err, "attached")?;
    ior.signal("STOP")?;
    let outcome = workload.let_go().and_then(|()| workload.succeed());
    ior.signal("CONT")?;
    outcome?;
    let finished = ior.finish()?;
    check_status(&finished, 0)?;
    check_file(&path, &finished.err)?;
    only(&scratch, &["work", "rows.parquet"])?;
    let file = Parquet::open(&path)?;
    check(!file.is_complete()?, || "ior.complete is true".to_owned())?;
    let loss = check_counted(&file)?;
    check(loss["rows"].as_u64() > Some(900_000), || format!("{loss}"))?;
    let writes = &file.footer_json("ior.totals")?["write"];
    let exact = writes["calls"] == 1_000_000 && writes["bytes"] == 1_000_000;
    check(exact && writes["errors"] == 0, || {
        format!("write: {writes}")
    })?;
    check_times(&file, &loss)
}

/// The lost rows are of the time of the run, and rows before them were not lost.
fn check_times(file: &Parquet, loss: &Value) -> Result<()> {
    let time = |key: &str| loss[key].as_u64().ok_or_else(|| format!("{key}: {loss}"));
    let (first, last) = (time("first_ns")?, time("last_ns")?);
    let wall = |key: &str| -> Result<i128> {
        let time = file.footer(key)?.parse::<jiff::Timestamp>();
        Ok(time.map_err(|error| error.to_string())?.as_nanosecond())
    };
    let (started, ended) = (wall("ior.started")?, wall("ior.ended")?);
    let mut begin = None;
    file.visit(|row| {
        let number = |column: &str| row[column].as_u64().unwrap_or_default();
        if begin.is_none() {
            let wall = row["time"].as_i64().unwrap_or_default();
            begin = Some((number("time_ns"), i128::from(wall)));
        }
        Ok(())
    })?;
    let (row, wall) = begin.ok_or("no row")?;
    let offset = wall - i128::from(row);
    let inside = |time: u64| (started..=ended).contains(&(i128::from(time) + offset));
    let right = row < first && first < last && inside(first) && inside(last);
    check(right, || {
        format!("{loss}; first row {row}, {started} to {ended}, offset {offset}")
    })
}

/// 5,000 short processes and no room: every call is a row or a counted loss, and no row is of a call that was not made.
fn fork_storm_smallest_ring(programs: &Programs) -> Result<()> {
    let scratch = Scratch::new()?;
    let path = scratch.path().join("rows.parquet");
    let name = path.to_str().ok_or("UTF-8")?;
    let options = [SMALLEST[0], SMALLEST[1], "--parquet", name];
    let recording = programs.record("short_lived_5000", Mode::Command, &scratch, &options)?;
    check_file(&path, &recording.ior.err)?;
    let file = Parquet::open(&path)?;
    let loss = check_counted(&file)?;
    let of_storm = |row: &super::reader::Object| {
        row["file"]
            .as_str()
            .is_some_and(|file| file.contains("/short-"))
    };
    let mut rows = 0u64;
    file.visit(|row| {
        rows += u64::from(of_storm(&row));
        Ok(())
    })?;
    let lost = loss["rows"].as_u64().unwrap_or_default();
    check(rows <= 15_000 && rows + lost >= 15_000, || {
        format!("{rows} rows of the storm's 15,000, {loss}")
    })
}
