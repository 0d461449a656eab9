//! The command line against the live kernel: refusals, signals, closed pipes.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use e2e::harness::process::{Finished, Running, Stream, run};
use e2e::harness::recorder::Programs;
use e2e::harness::scratch::Scratch;
use e2e::harness::statistics::Statistics;
use e2e::harness::{Result, check, rows};

use crate::Test;

pub const TESTS: &[Test] = &[
    ("command_not_found", command_not_found),
    ("output_not_writable", output_not_writable),
    ("bad_arguments", bad_arguments),
    ("no_such_process", no_such_process),
    ("no_privilege", no_privilege),
    ("calls_the_kernel_lacks", calls_the_kernel_lacks),
    ("interrupted", interrupted),
    ("terminated", terminated),
    ("hung_up", hung_up),
    ("closed_pipe", closed_pipe),
    ("json_on_standard_output", json_on_standard_output),
    ("ends_with_the_process", ends_with_the_process),
];

/// One line on standard error, nothing on standard output, the given status.
pub fn refused(finished: &Finished, codes: &[i32], names: &str) -> Result<()> {
    let code = finished.status.code();
    let text = || format!("{:?}\n-- stderr:\n{}", finished.status, finished.err);
    check(code.is_some_and(|code| codes.contains(&code)), || {
        format!("status should be one of {codes:?}: {}", text())
    })?;
    check(finished.err.lines().count() == 1, || {
        format!("one line, not: {}", text())
    })?;
    check(finished.err.contains(names), || {
        format!("{names:?} is not named: {}", text())
    })?;
    check(finished.out.is_empty(), || {
        format!("output on stdout: {:?}", finished.out)
    })
}

/// One line names those asked for by name that have no tracepoint of their own.
fn calls_the_kernel_lacks(programs: &Programs) -> Result<()> {
    let asked = ["getpid", "kexec_load", "lookup_dcookie", "read", "sync"];
    let lacking = |name: &&str| {
        let event = format!("/sys/kernel/tracing/events/syscalls/sys_enter_{name}");
        !std::path::Path::new(&event).exists()
    };
    let names: Vec<&str> = asked.into_iter().filter(lacking).collect();
    let finished = run(programs
        .ior(["--discard", "--trace-syscalls"])
        .arg(asked.join(","))
        .args(["--", "true"]))?;
    let lines = finished.err.lines();
    let said: Vec<&str> = lines
        .filter(|line| line.contains("does not have"))
        .collect();
    let wanted = format!("does not have {}: ", names.join(", "));
    let is_right = match said.as_slice() {
        [] => names.is_empty(),
        [line] => line.contains(&wanted),
        _ => false,
    };
    check(is_right, || format!("lacking {names:?}, said {said:?}"))
}

fn command_not_found(programs: &Programs) -> Result<()> {
    let scratch = Scratch::new()?;
    let json = scratch.path().join("rows.json");
    for command in ["/no/such/program", "no-such-program"] {
        let finished = run(programs
            .ior(["--json"])
            .arg(&json)
            .args(["--", command, "argument"]))?;
        refused(&finished, &[125], command)?;
        let left = std::fs::read_dir(scratch.path()).map_or(0, Iterator::count);
        check(left == 0, || format!("{left} files left behind"))?;
    }
    Ok(())
}

fn output_not_writable(programs: &Programs) -> Result<()> {
    let scratch = Scratch::new()?;
    let made = scratch.path().join("made");
    let mut ior = programs.ior(["--json", "/no/such/directory/rows.json", "--", "touch"]);
    refused(&run(ior.arg(&made))?, &[125], "/no/such/directory")?;
    check(!made.exists(), || "the command ran".to_owned())
}

fn bad_arguments(programs: &Programs) -> Result<()> {
    let cases: [(&[&str], &str); 7] = [
        (&["--no-such-option"], "--no-such-option"),
        (&["--duration", "soon"], "soon"),
        (&["-p", "abc"], "abc"),
        (&["--trace-syscalls", "no_such_call"], "no_such_call"),
        (&["--trace-families", "NoSuchFamily"], "NoSuchFamily"),
        (&["--buffer-size", "3"], "3"),
        (&["--buffer-size", "lots"], "lots"),
    ];
    for (options, names) in cases {
        refused(&run(&mut programs.ior(options))?, &[2], names)?;
    }
    Ok(())
}

fn no_such_process(programs: &Programs) -> Result<()> {
    let finished = run(&mut programs.ior(["-p", "999999999", "--duration", "5"]))?;
    refused(&finished, &[1, 2], "999999999")
}

fn no_privilege(programs: &Programs) -> Result<()> {
    const NOBODY: u32 = 65534;
    let scratch = Scratch::new()?;
    // Where nobody may execute it.
    let copy = scratch.path().join("ior");
    std::fs::copy(&programs.ior, &copy).map_err(|error| error.to_string())?;
    let alone = |options: &[&str]| {
        let mut ior = Command::new(&copy);
        run(ior.args(options).uid(NOBODY).gid(NOBODY).current_dir("/"))
    };
    refused(&alone(&["--plain", "--duration", "1"])?, &[1], "")?;
    refused(&alone(&["--plain", "--", "true"])?, &[125], "")
}

/// A signal in the middle of a busy run: a complete file, the statistics, and success.
fn signalled(programs: &Programs, signal: &str) -> Result<()> {
    let scratch = Scratch::new()?;
    let (dir, json) = (scratch.dir("work")?, scratch.path().join("rows.json"));
    let mut workload = programs.waiting_workload("endless", &dir)?;
    let mut ior = programs.ior(["--json"]);
    ior.arg(&json).arg("-p").arg(workload.id().to_string());
    let mut ior = Running::start(&mut ior)?;
    ior.wait_for(Stream::Err, "attached")?;
    workload.let_go()?;
    workload.wait_for(Stream::Out, "running")?;
    ior.signal(signal)?;
    let finished = ior.finish()?;
    workload.end_input();
    let workload = workload.finish()?;
    check(workload.status.success(), || {
        format!("the workload suffered: {workload:?}")
    })?;
    check(finished.status.code() == Some(0), || {
        format!("{finished:?}")
    })?;
    let file = dir.join("endless").to_string_lossy().into_owned();
    let mut writes = 0u64;
    let count = rows::for_each(&json, |row| {
        writes += u64::from(row.syscall == "pwrite64" && row.file == file && row.ret == 1);
        Ok(())
    })?;
    let statistics = Statistics::parse(&finished.err);
    statistics.check_sum(count)?;
    let seen = writes + statistics.losses()?;
    check(seen >= 10_000, || {
        format!("{seen} of at least 10,000 writes")
    })?;
    let left: Vec<_> = std::fs::read_dir(scratch.path())
        .map_err(|error| error.to_string())?
        .filter_map(|entry| entry.ok().map(|entry| entry.file_name()))
        .filter(|name| name != "work" && name != "rows.json")
        .collect();
    check(left.is_empty(), || format!("left behind: {left:?}"))
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

/// `ior --plain -- … | head -1`: ends by itself, without a panic.
fn closed_pipe(programs: &Programs) -> Result<()> {
    let scratch = Scratch::new()?;
    // timeout(1) says 124 where ior would go on for ever.
    let mut ior = Command::new("timeout");
    ior.args(["-k", "5", "120"])
        .arg(&programs.ior)
        .args(["--plain", "--"]);
    ior.arg(&programs.workload)
        .arg("distinct_10000")
        .arg(scratch.path());
    ior.stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = ior.spawn().map_err(|error| error.to_string())?;
    let mut first = String::new();
    if let Some(out) = child.stdout.take() {
        // The pipe is closed when this reader goes.
        BufReader::new(out)
            .read_line(&mut first)
            .map_err(|error| error.to_string())?;
    }
    let output = child
        .wait_with_output()
        .map_err(|error| error.to_string())?;
    let err = String::from_utf8_lossy(&output.stderr);
    let header = "durationToPrevNs,durationNs,comm,pid.tid,name,ret,notice,file";
    check(first.trim_end() == header, || {
        format!("first line: {first}")
    })?;
    let ended = output.status.code().is_some_and(|code| code < 124);
    check(ended, || format!("{}: {err}", output.status))?;
    check(!err.contains("panicked"), || err.clone().into_owned())
}

fn json_on_standard_output(programs: &Programs) -> Result<()> {
    let finished = run(&mut programs.ior(["--json", "-", "--", "cat", "/dev/null"]))?;
    check(finished.status.success(), || format!("{finished:?}"))?;
    let scratch = Scratch::new()?;
    let json = scratch.path().join("copy.json");
    std::fs::write(&json, &finished.out).map_err(|error| error.to_string())?;
    let mut opened = false;
    let count = rows::for_each(&json, |row| {
        opened |= row.syscall == "openat" && row.file == "/dev/null" && row.ret >= 0;
        Ok(())
    })?;
    Statistics::parse(&finished.err).check_sum(count)?;
    check(opened, || {
        format!("no open of /dev/null among {count} rows")
    })
}

/// `-p PID` ends when that process is gone, with status 0 whatever the process's own was.
fn ends_with_the_process(programs: &Programs) -> Result<()> {
    let scratch = Scratch::new()?;
    let mut workload = programs.waiting_workload("access", scratch.path())?;
    let mut ior = programs.ior(["--plain", "-p"]);
    let mut ior = Running::start(ior.arg(workload.id().to_string()))?;
    ior.wait_for(Stream::Err, "attached")?;
    workload.end_input();
    workload.finish()?;
    let finished = ior.finish()?;
    check(finished.status.code() == Some(0), || {
        format!("{finished:?}")
    })?;
    let lines = String::from_utf8_lossy(&finished.out);
    check(
        lines
            .lines()
            .any(|line| line.contains("ENOENT") && line.contains("missing")),
        || format!("no line for the missing file:\n{lines}"),
    )
}
