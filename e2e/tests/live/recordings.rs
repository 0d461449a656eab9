//! `--parquet`: the rows of the JSON of the same run, in parts and in one file, whatever ends the run.

mod contents;
mod disks;
mod endings;
mod losses;
mod parts;
pub mod reader;

use std::path::Path;
use std::process::Command;

use e2e::harness::process::{Finished, Running, Stream};
use e2e::harness::recorder::Programs;
use e2e::harness::scratch::Scratch;
use e2e::harness::statistics::Statistics;
use e2e::harness::{Result, check};

use crate::Test;
use reader::{Parquet, text};

/// The tests of every module.
pub const TESTS: [&[Test]; 5] = [
    contents::TESTS,
    parts::TESTS,
    losses::TESTS,
    endings::TESTS,
    disks::TESTS,
];

/// `ior -p` on a workload that writes at full speed, which has begun.
fn busy(programs: &Programs, scratch: &Scratch, ior: &mut Command) -> Result<(Running, Running)> {
    let mut workload = programs.waiting_workload("endless", &scratch.dir("work")?)?;
    let mut ior = Running::start(ior.arg("-p").arg(workload.id().to_string()))?;
    ior.wait_for(Stream::Err, "attached")?;
    workload.let_go()?;
    workload.wait_for(Stream::Out, "running")?;
    Ok((workload, ior))
}

/// The file has the rows of the statistics and says whether these are all.
fn check_file(path: &Path, said: &str) -> Result<()> {
    let file = Parquet::open(path)?;
    let statistics = Statistics::parse(said);
    statistics.check_sum(file.read_on(0)?)?;
    let complete = statistics.losses()? == 0 && statistics.partial_names == Some(0);
    let said = file.is_complete()?;
    check(said == complete, || {
        format!("ior.complete is {said}, {statistics:?}")
    })?;
    let loss = file.footer_json("ior.loss")?;
    check(loss["rows"].as_u64() == statistics.lost, || {
        format!("{loss}, but {statistics:?}")
    })
}

fn only(scratch: &Scratch, names: &[&str]) -> Result<()> {
    let entries = std::fs::read_dir(scratch.path()).map_err(text)?;
    let left: Vec<_> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.file_name()))
        .filter(|name| !names.iter().any(|known| name == known))
        .collect();
    check(left.is_empty(), || format!("left behind: {left:?}"))
}

fn check_status(finished: &Finished, code: i32) -> Result<()> {
    check(finished.status.code() == Some(code), || {
        format!("not {code}: {finished:?}")
    })
}

/// The one line that says what was not written.
fn failure<'t>(finished: &'t Finished, named: &str) -> Result<&'t str> {
    check_status(finished, 1)?;
    let said = &finished.err;
    let mut lines = said.lines().filter(|line| line.contains("cannot write"));
    match (lines.next(), lines.next()) {
        (Some(line), None) if line.contains(named) && !said.contains("panicked") => Ok(line),
        _ => Err(format!("not one line about {named}:\n{said}")),
    }
}
