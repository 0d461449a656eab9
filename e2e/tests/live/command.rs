//! COMMAND: interrupted, stubborn, killed, impossible to start; nothing of it or of ior is left behind.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use e2e::harness::process::{Finished, Running, Stream, run};
use e2e::harness::recorder::Programs;
use e2e::harness::rows::{self, Row};
use e2e::harness::scratch::Scratch;
use e2e::harness::statistics::Statistics;
use e2e::harness::{Result, check};

use crate::Test;
use crate::cli::refused;

pub const TESTS: &[Test] = &[
    ("interrupted", interrupted),
    ("terminated_with_handler", terminated_with_handler),
    ("ignores_sigint", ignores_sigint),
    ("second_sigint", second_sigint),
    ("dies_by_signal", dies_by_signal),
    ("outlived_by_a_grandchild", outlived_by_a_grandchild),
    ("time_is_up", time_is_up),
    ("not_executable", not_executable),
    ("a_directory", a_directory),
    ("empty_path", empty_path),
    ("no_path", no_path),
    ("empty_name", empty_name),
];

/// A shell script as COMMAND, in a directory of its own, noise beside it.
struct Script {
    scratch: Scratch,
    noise: Running,
    ior: Running,
}

/// A script that ended, and its rows.
struct Ended {
    scratch: Scratch,
    finished: Finished,
    rows: Vec<Row>,
}

impl Script {
    fn start(programs: &Programs, options: &[&str], text: &str) -> Result<Script> {
        let scratch = Scratch::new()?;
        let dir = scratch.dir("work")?;
        let noise = programs.noise(&scratch)?;
        let mut ior = programs.ior(options);
        ior.arg("--json").arg(scratch.path().join("rows.json"));
        // The directory is an argument so that whatever is left can be recognized.
        ior.args(["--", "sh", "-c", text, "sh"])
            .arg(&dir)
            .current_dir(&dir);
        let ior = Running::start(&mut ior)?;
        Ok(Script {
            scratch,
            noise,
            ior,
        })
    }

    /// Waits for `running PID`; the script's process id.
    fn running(&mut self) -> Result<u32> {
        let line = self.ior.wait_for(Stream::Out, "running ")?;
        let pid = line
            .strip_prefix("running ")
            .and_then(|pid| pid.parse().ok());
        pid.ok_or_else(|| format!("no process id: {line:?}"))
    }

    /// Waits for ior's end; nothing is left, and the rows are complete.
    fn finish(self, codes: &[i32]) -> Result<Ended> {
        let finished = self.ior.finish()?;
        let code = finished.status.code();
        check(code.is_some_and(|code| codes.contains(&code)), || {
            format!("not {codes:?}: {finished:?}")
        })?;
        let noise = self.noise.id();
        drop(self.noise);
        nothing_left(&self.scratch)?;
        let mut rows = Vec::new();
        let json = self.scratch.path().join("rows.json");
        if json.exists() {
            let count = rows::for_each(&json, |row| {
                check(row.pid != noise, || format!("a row of the noise: {row:?}"))?;
                rows.push(row);
                Ok(())
            })?;
            let statistics = Statistics::parse(&finished.err);
            statistics.check_sum(count)?;
            statistics.check_complete()?;
        }
        Ok(Ended {
            scratch: self.scratch,
            finished,
            rows,
        })
    }
}

/// No process that was given the directory, and no file beside the known ones.
fn nothing_left(scratch: &Scratch) -> Result<()> {
    let processes = std::fs::read_dir("/proc").map_err(|error| error.to_string())?;
    let path = scratch.path().as_os_str().as_encoded_bytes();
    for process in processes.filter_map(|entry| entry.ok()) {
        let arguments = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        let ours = arguments
            .split(|byte| *byte == 0)
            .any(|word| word.starts_with(path));
        check(!ours, || {
            let arguments = String::from_utf8_lossy(&arguments);
            format!("left behind: {:?}: {arguments:?}", process.file_name())
        })?;
    }
    let entries = std::fs::read_dir(scratch.path()).map_err(|error| error.to_string())?;
    let left: Vec<_> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.file_name()))
        .filter(|name| {
            !["work", "noise", "rows.json", "program"]
                .iter()
                .any(|known| name == known)
        })
        .collect();
    check(left.is_empty(), || format!("files left behind: {left:?}"))
}

fn end_of(rows: &[Row], pid: u32) -> usize {
    let ends = rows
        .iter()
        .filter(|row| row.pid == pid && row.syscall == "exit_group");
    ends.count()
}

/// SIGINT for ior alone reaches COMMAND; the status is the one COMMAND died with.
fn interrupted(programs: &Programs) -> Result<()> {
    let text = "echo running $$; exec cat - /no/such/file";
    let mut script = Script::start(programs, &[], text)?;
    let pid = script.running()?;
    script.ior.signal("INT")?;
    let ended = script.finish(&[130])?;
    let said = ended
        .rows
        .iter()
        .filter(|row| row.pid == pid && row.syscall == "write");
    check(said.count() == 1, || {
        format!("not one write: {:?}", ended.rows)
    })?;
    check(end_of(&ended.rows, pid) == 0, || "it was killed".to_owned())
}

/// COMMAND ends in its own way: what it does then is recorded, its status is ior's.
fn terminated_with_handler(programs: &Programs) -> Result<()> {
    let text = "trap 'echo late >late; exit 9' TERM; echo running $$; while :; do read x; done";
    let mut script = Script::start(programs, &[], text)?;
    let pid = script.running()?;
    script.ior.signal("TERM")?;
    let ended = script.finish(&[9])?;
    let late = ended.scratch.path().join("work/late");
    let file = late.to_str().ok_or("UTF-8")?;
    let wrote = ended
        .rows
        .iter()
        .any(|row| row.syscall == "write" && row.file == file && row.ret == 5);
    check(wrote && end_of(&ended.rows, pid) == 1, || {
        format!("{:?}", ended.rows)
    })
}

/// Whoever ignores SIGINT gets SIGTERM two seconds later.
fn ignores_sigint(programs: &Programs) -> Result<()> {
    let text = "trap '' INT; echo running $$; exec cat";
    let mut script = Script::start(programs, &[], text)?;
    script.running()?;
    script.ior.signal("INT")?;
    let ended = script.finish(&[143])?;
    check(!ended.rows.is_empty(), || "no rows".to_owned())
}

/// Twice ends at once, also where COMMAND would not.
fn second_sigint(programs: &Programs) -> Result<()> {
    let text = "trap 'echo got' INT; trap '' TERM; echo running $$; while :; do read x; done";
    let mut script = Script::start(programs, &[], text)?;
    let pid = script.running()?;
    script.ior.signal("INT")?;
    // Two signals that are pending at the same time are one.
    script.ior.wait_for(Stream::Out, "got")?;
    script.ior.signal("INT")?;
    let ended = script.finish(&[130, 137])?;
    check(end_of(&ended.rows, pid) == 0, || "it was killed".to_owned())?;
    let panicked = ended.finished.err.contains("panicked");
    check(!panicked, || ended.finished.err.clone())
}

fn dies_by_signal(programs: &Programs) -> Result<()> {
    for (signal, status) in [("KILL", 137), ("SEGV", 139), ("PIPE", 141)] {
        let text = format!("echo running $$; kill -{signal} $$");
        let mut script = Script::start(programs, &[], &text)?;
        let pid = script.running()?;
        let ended = script.finish(&[status])?;
        check(end_of(&ended.rows, pid) == 0, || {
            format!("killed by {signal}")
        })?;
    }
    Ok(())
}

/// The run ends with the tree, not with COMMAND; the status is COMMAND's.
fn outlived_by_a_grandchild(programs: &Programs) -> Result<()> {
    let text = "exec 3<&0; (read x <&3; echo late >late) & echo running $$; exit 3";
    let mut script = Script::start(programs, &[], text)?;
    let pid = script.running()?;
    // ior has taken its status when it is gone.
    while Path::new(&format!("/proc/{pid}")).exists() {
        std::thread::yield_now();
    }
    script.ior.end_input();
    let ended = script.finish(&[3])?;
    let late = ended.scratch.path().join("work/late");
    let file = late.to_str().ok_or("UTF-8")?;
    let wrote: Vec<_> = ended
        .rows
        .iter()
        .filter(|row| row.syscall == "write" && row.file == file)
        .collect();
    let right = wrote.len() == 1 && wrote[0].pid != pid && wrote[0].ret == 5;
    check(right, || format!("{wrote:?}"))?;
    check(end_of(&ended.rows, wrote[0].pid) == 1, || {
        "its end".to_owned()
    })
}

/// `--duration` ends COMMAND too.
fn time_is_up(programs: &Programs) -> Result<()> {
    let text = "echo running $$; exec cat";
    let script = Script::start(programs, &["--duration", "500ms"], text)?;
    script.finish(&[0]).map(|_| ())
}

/// COMMAND cannot be run: one line that names it, 125, no file, and nothing ran.
fn impossible(ior: &mut Command, names: &str, scratch: &Scratch) -> Result<()> {
    let dir = scratch.path();
    ior.current_dir(dir);
    refused(&run(ior)?, &[125], names)?;
    check(!dir.join("rows.json").exists(), || {
        "an output was made".to_owned()
    })?;
    nothing_left(scratch)
}

fn ior_for(programs: &Programs, scratch: &Scratch, command: &str) -> Command {
    let mut ior = programs.ior(["--json"]);
    ior.arg(scratch.path().join("rows.json"))
        .args(["--", command]);
    ior
}

fn program(scratch: &Scratch, mode: u32) -> Result<PathBuf> {
    let path = scratch.path().join("program");
    std::fs::write(&path, "#!/bin/sh\necho ran\n").map_err(|error| error.to_string())?;
    let permissions = std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(&path, permissions).map_err(|error| error.to_string())?;
    Ok(path)
}

fn not_executable(programs: &Programs) -> Result<()> {
    let scratch = Scratch::new()?;
    let path = program(&scratch, 0o644)?;
    let name = path.to_str().ok_or("UTF-8")?;
    for command in [name, "./program"] {
        impossible(&mut ior_for(programs, &scratch, command), command, &scratch)?;
    }
    // Found in PATH, but not to be run.
    let mut ior = ior_for(programs, &scratch, "program");
    impossible(ior.env("PATH", scratch.path()), "program", &scratch)
}

fn a_directory(programs: &Programs) -> Result<()> {
    let scratch = Scratch::new()?;
    scratch.dir("work")?;
    for command in ["./work", "/", "."] {
        impossible(&mut ior_for(programs, &scratch, command), command, &scratch)?;
    }
    let mut ior = ior_for(programs, &scratch, "work");
    impossible(ior.env("PATH", scratch.path()), "work", &scratch)
}

/// An empty PATH is the working directory, as for execvp(3).
fn empty_path(programs: &Programs) -> Result<()> {
    let scratch = Scratch::new()?;
    let mut ior = ior_for(programs, &scratch, "true");
    impossible(ior.env("PATH", ""), "true", &scratch)?;
    program(&scratch, 0o755)?;
    let mut ior = ior_for(programs, &scratch, "program");
    let finished = run(ior.env("PATH", "").current_dir(scratch.path()))?;
    check(
        finished.status.success() && finished.out == b"ran\n",
        || format!("{finished:?}"),
    )?;
    nothing_left(&scratch)
}

/// Without PATH the system's own directories are looked through.
fn no_path(programs: &Programs) -> Result<()> {
    let scratch = Scratch::new()?;
    let mut ior = ior_for(programs, &scratch, "false");
    let finished = run(ior.env_remove("PATH").current_dir(scratch.path()))?;
    check(finished.status.code() == Some(1), || {
        format!("{finished:?}")
    })?;
    let mut executed = 0;
    rows::for_each(&scratch.path().join("rows.json"), |row| {
        executed +=
            u64::from(row.syscall == "execve" && row.ret == 0 && row.file.ends_with("/false"));
        Ok(())
    })?;
    check(executed == 1, || format!("{executed} starts of false"))
}

fn empty_name(programs: &Programs) -> Result<()> {
    let scratch = Scratch::new()?;
    impossible(&mut ior_for(programs, &scratch, ""), "", &scratch)
}
