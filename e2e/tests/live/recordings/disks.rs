//! Disks that are full, directories that are gone or cannot be written to.

use std::process::Command;

use e2e::harness::process::{Finished, run};
use e2e::harness::recorder::Programs;
use e2e::harness::scratch::Scratch;
use e2e::harness::{Result, check};

use super::parts::{check_parts, listed};
use super::reader::Parquet;
use super::{busy, failure, only};
use crate::Test;

pub const TESTS: &[Test] = &[
    ("disk_full_at_once", disk_full_at_once),
    ("disk_full_later", disk_full_later),
    ("disk_full_of_parts", disk_full_of_parts),
    ("directory_removed", directory_removed),
    ("directory_of_parts_removed", directory_of_parts_removed),
    ("not_writable", not_writable),
];

/// Runs ior in a mount namespace of its own, `full` being a file system of this size; what is on it in the end is copied
/// to `kept`.
const ON_SMALL_DISK: &str = r#"
size=$1; shift
mkdir full kept && mount -t tmpfs -o size=$size none full || exit 99
"$@"
status=$?
cp -a full/. kept/
exit $status
"#;

/// The workload `endless` recorded onto a small disk until it is full; what was kept, and ior's end.
fn disk_full(programs: &Programs, size: &str, options: &[&str]) -> Result<(Scratch, Finished)> {
    let scratch = Scratch::new()?;
    let mut unshared = Command::new("unshare");
    unshared.args(["-m", "sh", "-c", ON_SMALL_DISK, "sh", size]);
    unshared
        .arg(&programs.ior)
        .args(options)
        .current_dir(scratch.path());
    let (workload, ior) = busy(programs, &scratch, &mut unshared)?;
    // Without a full disk this would not end.
    let finished = ior.finish()?;
    drop(workload);
    Ok((scratch, finished))
}

/// Not even one row group has room: no file.
fn disk_full_at_once(programs: &Programs) -> Result<()> {
    let options = ["--parquet", "full/rows.parquet"];
    let (scratch, finished) = disk_full(programs, "64k", &options)?;
    let line = failure(&finished, "full/rows.parquet")?;
    check(line.contains("No space left"), || line.to_owned())?;
    let (parts, others) = listed(&scratch.path().join("kept"))?;
    check(parts.is_empty() && others.is_empty(), || {
        format!("left behind: {parts:?} {others:?}")
    })
}

/// The row groups that had room, and the line says how many rows these are.
fn disk_full_later(programs: &Programs) -> Result<()> {
    let options = ["--parquet", "full/rows.parquet"];
    let (scratch, finished) = disk_full(programs, "8m", &options)?;
    let line = failure(&finished, "full/rows.parquet")?;
    let (parts, others) = listed(&scratch.path().join("kept"))?;
    check(parts.len() == 1 && others.is_empty(), || {
        format!("{line}, but there are {parts:?} {others:?}")
    })?;
    let file = Parquet::open(&parts[0])?;
    let rows = file.read_on(0)?;
    check(
        line.ends_with(&format!("the file has the first {rows} rows")),
        || format!("{rows} rows: {line}"),
    )?;
    check(!file.is_complete()?, || "ior.complete is true".to_owned())
}

fn disk_full_of_parts(programs: &Programs) -> Result<()> {
    let options = ["--parquet", "full/", "--rotate", "512KiB"];
    let (scratch, finished) = disk_full(programs, "4m", &options)?;
    failure(&finished, "full/")?;
    let (parts, others) = listed(&scratch.path().join("kept"))?;
    check(parts.len() >= 3 && others.is_empty(), || {
        format!("{parts:?} {others:?}")
    })?;
    check_parts(&parts).map(drop)
}

/// The directory goes away while the trace is on.
fn removed(programs: &Programs, output: &str, options: &[&str]) -> Result<Finished> {
    let scratch = Scratch::new()?;
    let dir = scratch.dir("gone")?;
    let mut ior = programs.ior(["--parquet", output]);
    ior.args(options).current_dir(scratch.path());
    let (workload, ior) = busy(programs, &scratch, &mut ior)?;
    // A part may come between what is removed.
    while dir.exists() {
        let _ = std::fs::remove_dir_all(&dir);
    }
    if options.is_empty() {
        ior.signal("INT")?;
    }
    let finished = ior.finish()?;
    drop(workload);
    only(&scratch, &["work"])?;
    Ok(finished)
}

fn directory_removed(programs: &Programs) -> Result<()> {
    let finished = removed(programs, "gone/rows.parquet", &[])?;
    failure(&finished, "gone/rows.parquet").map(drop)
}

/// The next part cannot be begun: that ends the run.
fn directory_of_parts_removed(programs: &Programs) -> Result<()> {
    let finished = removed(programs, "gone/", &["--rotate", "100ms"])?;
    failure(&finished, "gone/").map(drop)
}

/// Said before COMMAND runs.
fn not_writable(programs: &Programs) -> Result<()> {
    let scratch = Scratch::new()?;
    let made = scratch.path().join("made");
    for (output, names) in [
        ("/no/such/directory/rows.parquet", "/no/such/directory"),
        ("/no/such/directory/", "/no/such/directory"),
        ("/proc/", "/proc"),
    ] {
        let mut ior = programs.ior(["--parquet", output, "--", "touch"]);
        crate::cli::refused(&run(ior.arg(&made))?, &[125], names)?;
        check(!made.exists(), || "the command ran".to_owned())?;
    }
    Ok(())
}
