//! Whatever ends the run, the file is complete and nothing else is left.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use e2e::harness::process::{Finished, Running, Stream, run};
use e2e::harness::recorder::{Mode, Programs};
use e2e::harness::scratch::Scratch;
use e2e::harness::statistics::Statistics;
use e2e::harness::{Result, check};

use super::contents::compare;
use super::reader::{Parquet, text};
use super::{busy, check_file, check_status, failure, only};
use crate::Test;

pub const TESTS: &[Test] = &[
    ("interrupted", interrupted),
    ("terminated", terminated),
    ("hung_up", hung_up),
    ("command_signalled", command_signalled),
    ("ends_with_the_process", ends_with_the_process),
    ("replaced_when_complete", replaced_when_complete),
    ("stderr_closed", stderr_closed),
    ("stalled_reader_of_csv", stalled_reader_of_csv),
    ("stalled_reader_of_parquet", stalled_reader_of_parquet),
];

/// A signal in the middle of a busy run.
fn signalled(programs: &Programs, signal: &str) -> Result<()> {
    let scratch = Scratch::new()?;
    let path = scratch.path().join("rows.parquet");
    let mut ior = programs.ior(["--parquet"]);
    let (_workload, ior) = busy(programs, &scratch, ior.arg(&path))?;
    ior.signal(signal)?;
    let finished = ior.finish()?;
    check_status(&finished, 0)?;
    check_file(&path, &finished.err)?;
    only(&scratch, &["work", "rows.parquet"])
}

fn interrupted(programs: &Programs) -> Result<()> {
    signalled(programs, "INT")
}

fn terminated(programs: &Programs) -> Result<()> {
    signalled(programs, "TERM")
}

fn hung_up(programs: &Programs) -> Result<()> {
    signalled(programs, "HUP")
}

/// COMMAND dies of the signal that ior is sent; its status is ior's, the file is complete.
fn command_signalled(programs: &Programs) -> Result<()> {
    for (signal, status) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let scratch = Scratch::new()?;
        let path = scratch.path().join("rows.parquet");
        let mut ior = programs.ior(["--parquet"]);
        ior.arg(&path).arg("--").arg(&programs.workload);
        let mut ior = Running::start(ior.arg("endless").arg(scratch.dir("work")?))?;
        ior.wait_for(Stream::Out, "running")?;
        ior.signal(signal)?;
        let finished = ior.finish()?;
        check_status(&finished, status).map_err(|problem| format!("{signal}: {problem}"))?;
        check_file(&path, &finished.err)?;
        only(&scratch, &["work", "rows.parquet"])?;
    }
    Ok(())
}

fn ends_with_the_process(programs: &Programs) -> Result<()> {
    let scratch = Scratch::new()?;
    let path = scratch.path().join("rows.parquet");
    let name = path.to_str().ok_or("UTF-8")?;
    let options = ["--parquet", name];
    let recording = programs.record("read_write", Mode::Attached, &scratch, &options)?;
    recording.check_exactly()?;
    check_status(&recording.ior, 0)?;
    compare(std::slice::from_ref(&path), &recording.json)?;
    check_file(&path, &recording.ior.err)
}

/// Until the run is over, the older file of that name is there.
fn replaced_when_complete(programs: &Programs) -> Result<()> {
    let scratch = Scratch::new()?;
    let path = scratch.path().join("rows.parquet");
    std::fs::write(&path, "old").map_err(text)?;
    let mut ior = programs.ior(["--parquet"]);
    let (_workload, ior) = busy(programs, &scratch, ior.arg(&path))?;
    let old = std::fs::read(&path).map_err(text)?;
    check(old == b"old", || format!("{} bytes", old.len()))?;
    ior.signal("INT")?;
    let finished = ior.finish()?;
    check_status(&finished, 0)?;
    check_file(&path, &finished.err)?;
    only(&scratch, &["work", "rows.parquet"])
}

/// Whoever reads standard error has gone, or nobody ever did: the recording is complete, the status COMMAND's.
fn stderr_closed(programs: &Programs) -> Result<()> {
    let scratch = Scratch::new()?;
    for (name, redirection) in [("closed", "2>&-"), ("full", "2>/dev/full")] {
        let path = scratch.path().join(name);
        let script = format!(r#"exec "$@" {redirection}"#);
        let mut ior = Command::new("sh");
        ior.args(["-c", &script, "sh"]).arg(&programs.ior);
        ior.arg("--parquet")
            .arg(&path)
            .args(["--", "sh", "-c", "exit 7"]);
        check_status(&run(&mut ior)?, 7)?;
        check(Parquet::open(&path)?.read_on(0)? > 0, || {
            "no rows".to_owned()
        })?;
    }
    let path = scratch.path().join("pipe");
    // timeout(1) says 124 where ior would go on for ever.
    let mut ior = Command::new("timeout");
    ior.args(["-k", "5", "120"]).arg(&programs.ior);
    ior.arg("--parquet")
        .arg(&path)
        .args(["--", "sh", "-c", "exit 7"]);
    ior.stdin(Stdio::null()).stderr(Stdio::piped());
    let mut child = ior.spawn().map_err(text)?;
    drop(child.stderr.take());
    let status = child.wait().map_err(text)?;
    check(status.code() == Some(7), || format!("{status}"))?;
    check(Parquet::open(&path)?.read_on(0)? > 0, || {
        "no rows".to_owned()
    })?;
    only(&scratch, &["closed", "full", "pipe"])
}

/// A FIFO that somebody has open and does not read; it has room for one page.
fn fifo(path: &Path) -> Result<File> {
    let made = run(Command::new("mkfifo").arg(path))?;
    check(made.status.success(), || made.err.clone())?;
    let mut options = File::options();
    options.read(true).write(true);
    options.custom_flags(libc::O_NONBLOCK);
    let mut fifo = options.open(path).map_err(text)?;
    let mut page = [0; 4096];
    while fifo.write(&page).is_ok() {}
    fifo.read_exact(&mut page).map_err(text)?;
    Ok(fifo)
}

/// The end of a busy run with a FIFO for an output, once it is interrupted.
fn stalled(programs: &Programs, option: &str) -> Result<Finished> {
    let scratch = Scratch::new()?;
    let path = scratch.path().join("fifo");
    let _unread = fifo(&path)?;
    let mut ior = programs.ior([option]);
    let (_workload, ior) = busy(programs, &scratch, ior.arg(&path))?;
    ior.signal("INT")?;
    let finished = ior.finish()?;
    only(&scratch, &["work", "fifo"])?;
    Ok(finished)
}

/// A second after the interrupt the output is given up, and the account is printed.
fn stalled_reader_of_csv(programs: &Programs) -> Result<()> {
    let finished = stalled(programs, "--csv")?;
    failure(&finished, "its reader takes nothing")?;
    let statistics = Statistics::parse(&finished.err);
    check(
        statistics.rows.is_some() && statistics.calls.is_some(),
        || finished.err.clone(),
    )
}

/// The writing thread cannot be given up; ten seconds after the interrupt the run ends all the same.
fn stalled_reader_of_parquet(programs: &Programs) -> Result<()> {
    let finished = stalled(programs, "--parquet")?;
    check_status(&finished, 130)
}
