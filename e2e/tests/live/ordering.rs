//! Rows of one thread are in program order, whichever processors it ran on, and its gaps add up.

use e2e::harness::recorder::{Mode, Programs};
use e2e::harness::rows::Row;
use e2e::harness::scratch::Scratch;
use e2e::harness::{Result, check};

use crate::Test;

pub const TESTS: &[Test] = &[
    ("migrating", migrating),
    ("migrating_attached", migrating_attached),
    ("migrating_raw_syscalls_hash", migrating_raw_syscalls_hash),
    ("migrating_smallest_ring", migrating_smallest_ring),
];

fn in_order(programs: &Programs, mode: Mode, options: &[&str]) -> Result<()> {
    let scratch = Scratch::new()?;
    let recording = programs.record("migrating", mode, &scratch, options)?;
    let lossless = recording.statistics.losses()? == 0;
    let smallest = options.contains(&"--buffer-size");
    check(lossless || smallest, || recording.ior.err.clone())?;
    let mut previous: Option<Row> = None;
    let (mut next, mut writes) = (0, 0);
    recording.visit(|row| {
        let before = previous.replace(row.clone());
        if row.syscall != "write" {
            return Ok(());
        }
        let offset = row.offset.ok_or_else(|| format!("no offset: {row:?}"))?;
        let right = if lossless {
            offset == next
        } else {
            offset >= next
        };
        check(right, || format!("offset {offset} after {}", next - 1))?;
        (next, writes) = (offset + 1, writes + 1);
        let before = before.ok_or("a write is no first row")?;
        check(row.time_ns > before.time_ns, || {
            format!("{before:?}\n{row:?}")
        })?;
        let exit = before.time_ns + before.latency_ns;
        let gap = row.time_ns.checked_sub(exit);
        check(!lossless || gap == Some(row.gap_ns), || {
            format!("the gap should be {gap:?}:\n{before:?}\n{row:?}")
        })
    })?;
    let lost = recording.statistics.losses()?;
    check(writes + lost >= 20_000, || {
        format!("{writes} writes, {lost} lost")
    })?;
    if lossless {
        recording.check_exactly()?;
    }
    Ok(())
}

fn migrating(programs: &Programs) -> Result<()> {
    in_order(programs, Mode::Command, &[])
}

fn migrating_attached(programs: &Programs) -> Result<()> {
    in_order(programs, Mode::Attached, &[])
}

fn migrating_raw_syscalls_hash(programs: &Programs) -> Result<()> {
    let options = ["--hook", "raw_syscalls", "--pairing", "hash"];
    in_order(programs, Mode::Command, &options)
}

fn migrating_smallest_ring(programs: &Programs) -> Result<()> {
    in_order(programs, Mode::Command, &["--buffer-size", "64KiB"])
}
