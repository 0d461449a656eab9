//! Millions of calls: rows and counted losses add up to the calls made, whatever the ring's size.

use std::collections::BTreeMap;

use e2e::harness::process::run;
use e2e::harness::recorder::{Mode, Programs, Recording};
use e2e::harness::scratch::Scratch;
use e2e::harness::{Result, check};
use e2e::oracle::Call;

use crate::Test;

pub const TESTS: &[Test] = &[
    ("writes_1000000", writes_1000000),
    ("writes_1000000_attached", writes_1000000_attached),
    ("writes_1000000_smallest_ring", writes_1000000_smallest_ring),
    ("writers_16", writers_16),
    ("writers_16_smallest_ring", writers_16_smallest_ring),
    ("totals_writes_1000000", totals_writes_1000000),
    (
        "totals_writes_1000000_smallest_ring",
        totals_writes_1000000_smallest_ring,
    ),
    ("totals_writers_16", totals_writers_16),
    ("renames_400000", renames_400000),
];

const SMALLEST: [&str; 2] = ["--buffer-size", "64KiB"];

fn writes_1000000(programs: &Programs) -> Result<()> {
    counted(programs, "writes_1000000", Mode::Command, &[])
}

fn writes_1000000_attached(programs: &Programs) -> Result<()> {
    counted(programs, "writes_1000000", Mode::Attached, &[])
}

fn writes_1000000_smallest_ring(programs: &Programs) -> Result<()> {
    counted(programs, "writes_1000000", Mode::Command, &SMALLEST)
}

fn writers_16(programs: &Programs) -> Result<()> {
    counted(programs, "writers_16", Mode::Command, &[])
}

fn writers_16_smallest_ring(programs: &Programs) -> Result<()> {
    counted(programs, "writers_16", Mode::Command, &SMALLEST)
}

/// What makes two rows of these scenarios equal: process, comm, call, result, bytes, descriptor, file.
type Key = (u32, String, String, i64, u64, i32, Vec<u8>);

fn stated_key(call: &Call) -> Key {
    let file = call
        .file
        .as_ref()
        .map(|file| file.bytes().to_vec())
        .unwrap_or_default();
    let ret = call.ret.unwrap_or(0);
    (
        call.pid,
        call.comm.clone(),
        call.syscall.clone(),
        ret,
        call.bytes,
        call.fd,
        file,
    )
}

fn counted(programs: &Programs, scenario: &str, mode: Mode, options: &[&str]) -> Result<()> {
    let scratch = Scratch::new()?;
    let recording = programs.record(scenario, mode, &scratch, options)?;
    let mut missing: BTreeMap<Key, i64> = BTreeMap::new();
    for call in &recording.stated {
        *missing.entry(stated_key(call)).or_default() += call.repeat as i64;
    }
    let writes: i64 = missing
        .iter()
        .filter(|(key, _)| key.2 == "write")
        .map(|(_, n)| n)
        .sum();
    check(writes == 1_000_000, || {
        format!("the workload made {writes} writes")
    })?;
    check_counts(&recording, missing)
}

fn check_counts(recording: &Recording, mut missing: BTreeMap<Key, i64>) -> Result<()> {
    let pids: Vec<u32> = missing.keys().map(|key| key.0).collect();
    recording.visit(|row| {
        check(pids.contains(&row.pid), || {
            format!("a row of another process: {row:?}")
        })?;
        let file = row.file_bytes();
        let key = (
            row.pid,
            row.comm.clone(),
            row.syscall.clone(),
            row.ret,
            row.bytes,
            row.fd,
            file,
        );
        match missing.get_mut(&key) {
            Some(left) => *left -= 1,
            // Nothing but the stated writes is written by `write`.
            None => check(row.syscall != "write", || format!("not stated: {row:?}"))?,
        }
        Ok(())
    })?;
    let losses = recording.statistics.losses()?;
    missing.retain(|_, left| *left != 0);
    let surplus: Vec<_> = missing.iter().filter(|(_, left)| **left < 0).collect();
    check(surplus.is_empty(), || {
        format!("more rows than calls: {surplus:?}")
    })?;
    let absent = missing.values().sum::<i64>() as u64;
    check(absent <= losses, || {
        format!("{absent} calls have no row, but {losses} losses are counted: {missing:?}")
    })
}

fn totals_writes_1000000(programs: &Programs) -> Result<()> {
    totals(programs, "writes_1000000", &[])
}

fn totals_writes_1000000_smallest_ring(programs: &Programs) -> Result<()> {
    totals(programs, "writes_1000000", &SMALLEST)
}

fn totals_writers_16(programs: &Programs) -> Result<()> {
    totals(programs, "writers_16", &[])
}

/// Without an output option ior prints a summary: its line for `write` says 1,000,000 calls and 1,000,000 bytes.
fn totals(programs: &Programs, scenario: &str, options: &[&str]) -> Result<()> {
    let scratch = Scratch::new()?;
    let dir = scratch.dir("work")?;
    let mut ior = programs.ior(options);
    let finished = run(ior.arg("--").arg(&programs.workload).arg(scenario).arg(dir))?;
    let text = String::from_utf8_lossy(&finished.out).into_owned() + &finished.err;
    check(finished.status.success(), || {
        format!("{}: {text}", finished.status)
    })?;
    let line = text
        .lines()
        .find(|line| line.split_whitespace().next() == Some("write"));
    let line = line.ok_or_else(|| format!("the summary has no line for write:\n{text}"))?;
    let numbers = line
        .split_whitespace()
        .filter(|word| word.replace([',', '_'], "") == "1000000");
    // A summary may shorten bytes to a unit, but not calls.
    let short = [
        "1.0M", "1.00M", "976.6", "976.56", "977", "1.0 M", "1 M", "1M",
    ];
    let bytes = numbers.clone().count() >= 2 || short.iter().any(|short| line.contains(short));
    check(numbers.count() >= 1 && bytes, || {
        format!("not 1,000,000 calls and 1,000,000 bytes: {line}")
    })
}

/// Names of one file have different ids, however many there are: a hash of 32 bits meets some 20 times among so many.
fn renames_400000(programs: &Programs) -> Result<()> {
    let scratch = Scratch::new()?;
    let options = ["--trace-syscalls", "write", "--filter", "bytes=1"];
    let recording = programs.record("renames_400000", Mode::Command, &scratch, &options)?;
    let mut number = 0;
    recording.visit(|row| {
        number += 1;
        let file = row.file_bytes();
        check(file.ends_with(format!("/n-{number}").as_bytes()), || {
            format!("write {number}: {}", String::from_utf8_lossy(&file))
        })
    })?;
    let lost = recording.statistics.losses()?;
    check(lost == 0 && number == 400_000, || {
        format!("{number} rows, {lost} lost")
    })
}
