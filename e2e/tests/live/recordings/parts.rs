//! Parts by size and by time: complete each, numbered, one after the other, and all that SIGKILL leaves.

use std::path::{Path, PathBuf};

use e2e::harness::recorder::{Mode, Programs};
use e2e::harness::scratch::Scratch;
use e2e::harness::{Result, check};

use super::busy;
use super::contents::compare;
use super::reader::{Parquet, text};
use crate::Test;

pub const TESTS: &[Test] = &[
    ("parts_by_size", parts_by_size),
    ("parts_by_time", parts_by_time),
    ("killed", killed),
];

/// What is in a directory: recordings in order, and everything else.
pub fn listed(dir: &Path) -> Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let entries = std::fs::read_dir(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    let mut paths: Vec<_> = entries
        .map(|entry| entry.map(|entry| entry.path()).map_err(text))
        .collect::<Result<_>>()?;
    paths.sort();
    let is_part = |path: &PathBuf| path.extension().is_some_and(|found| found == "parquet");
    Ok(paths.into_iter().partition(is_part))
}

/// The parts are numbered and complete, and one begins where the other ends; the number of rows.
pub fn check_parts(parts: &[PathBuf]) -> Result<u64> {
    let mut last = 0;
    let mut ended: Option<String> = None;
    for (at, path) in parts.iter().enumerate() {
        let name = format!("part-{:06}.parquet", at + 1);
        check(path.ends_with(&name), || {
            format!("{} should be {name}", path.display())
        })?;
        let part = Parquet::open(path)?;
        let started = part.footer("ior.started")?;
        check(
            ended.as_deref().is_none_or(|ended| ended == started),
            || format!("{name} started {started}, the one before ended {ended:?}"),
        )?;
        ended = Some(part.footer("ior.ended")?.to_owned());
        last = part.read_on(last)?;
    }
    Ok(last)
}

fn rotated(programs: &Programs, by: &str, least: usize) -> Result<()> {
    let scratch = Scratch::new()?;
    let parts = scratch.path().join("parts/");
    let name = format!("{}/", parts.to_str().ok_or("UTF-8")?.trim_end_matches('/'));
    let options = ["--parquet", &name, "--rotate", by];
    let recording = programs.record("writes_1000000", Mode::Command, &scratch, &options)?;
    let (parts, others) = listed(&parts)?;
    check(others.is_empty(), || format!("left behind: {others:?}"))?;
    check(parts.len() >= least, || format!("{} parts", parts.len()))?;
    let rows = check_parts(&parts)?;
    recording.statistics.check_sum(rows)?;
    compare(&parts, &recording.json)?;
    let last = Parquet::open(&parts[parts.len() - 1])?;
    let writes = &last.footer_json("ior.totals")?["write"];
    // With what the workload says on its tape.
    check(writes["calls"].as_u64() >= Some(1_000_000), || {
        format!("the last part's totals of write are {writes}")
    })?;
    let loss = last.footer_json("ior.loss")?;
    check(loss["rows"].as_u64() == recording.statistics.lost, || {
        format!("{loss}, but {:?}", recording.statistics)
    })
}

fn parts_by_size(programs: &Programs) -> Result<()> {
    rotated(programs, "512KiB", 4)
}

fn parts_by_time(programs: &Programs) -> Result<()> {
    rotated(programs, "200ms", 3)
}

/// SIGKILL: the parts that were finished are there, and nothing else under such a name.
fn killed(programs: &Programs) -> Result<()> {
    let scratch = Scratch::new()?;
    let dir = scratch.dir("parts")?;
    let mut ior = programs.ior(["--rotate", "100ms", "--parquet"]);
    let (workload, ior) = busy(programs, &scratch, ior.arg(&dir))?;
    while listed(&dir)?.0.len() < 3 {
        std::thread::yield_now();
    }
    ior.signal("KILL")?;
    ior.finish()?;
    drop(workload);
    let (parts, others) = listed(&dir)?;
    check(parts.len() >= 3 && check_parts(&parts)? > 0, || {
        format!("{} parts", parts.len())
    })?;
    let hidden = |path: &PathBuf| {
        path.file_name()
            .is_some_and(|name| name.as_encoded_bytes()[0] == b'.')
    };
    check(others.len() <= 1 && others.iter().all(hidden), || {
        format!("beside the parts: {others:?}")
    })
}
