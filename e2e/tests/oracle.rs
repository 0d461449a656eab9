//! The oracle itself, without ior: every scenario runs, all kinds of calls succeed and fail somewhere, and strace
//! agrees with what was stated.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use e2e::harness::compare::read_oracle;
use e2e::harness::process::run;
use e2e::harness::scratch::Scratch;
use e2e::harness::{Result, check};
use e2e::oracle::{BEGIN, Call, END, ORACLE};
use e2e::{scenarios, sys};
use libtest_mimic::{Arguments, Trial};

const WORKLOAD: &str = env!("CARGO_BIN_EXE_workload");

fn main() -> ExitCode {
    let mut trials = vec![Trial::test("every_call_succeeds_and_fails", || {
        Ok(coverage()?)
    })];
    let strace = Command::new("strace").arg("-V").output().is_ok();
    for scenario in scenarios::EXACT {
        // strace has its own idea of whose call an exec by a thread is, and one log a thread id.
        let comparable = !matches!(scenario.name, "exec_by_thread" | "recycled_tid");
        let name = format!("strace::{}", scenario.name);
        let trial = Trial::test(name, || Ok(agrees_with_strace(scenario.name)?));
        trials.push(trial.with_ignored_flag(!strace || !comparable));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn state(mut command: Command, scenario: &str, dir: &Path) -> Result<Vec<Call>> {
    let workload = run(command.arg(WORKLOAD).arg(scenario).arg(dir))?;
    check(workload.status.success(), || {
        format!("{scenario}: {}", workload.err)
    })?;
    read_oracle(&dir.join(ORACLE))
}

/// Calls that cannot fail, or never return.
const NEVER_FAIL: [&str; 3] = ["sync", "exit", "exit_group"];

fn coverage() -> Result<()> {
    let (mut good, mut bad) = (BTreeSet::new(), BTreeSet::new());
    for scenario in scenarios::EXACT {
        let scratch = Scratch::new()?;
        for call in state(Command::new("env"), scenario.name, scratch.path())? {
            let set = if call.ret.unwrap_or(0) < 0 {
                &mut bad
            } else {
                &mut good
            };
            set.insert(call.syscall);
        }
    }
    let names = || sys::ALL.iter().map(|sys| sys.name);
    let never_good: Vec<_> = names().filter(|name| !good.contains(*name)).collect();
    check(never_good.is_empty(), || {
        format!("never succeed: {never_good:?}")
    })?;
    let never_bad: Vec<_> = names()
        .filter(|name| !bad.contains(*name) && !NEVER_FAIL.contains(name))
        .collect();
    check(never_bad.is_empty(), || {
        format!("never fail: {never_bad:?}")
    })
}

/// A call as both can say it: name and result.
type Seen = (String, String);

fn agrees_with_strace(scenario: &str) -> Result<()> {
    let scratch = Scratch::new()?;
    let (dir, logs) = (scratch.dir("work")?, scratch.dir("logs")?);
    let mut strace = Command::new("strace");
    strace
        .args(["-f", "-ff", "-qq", "-o"])
        .arg(logs.join("log"));
    let mut stated: BTreeMap<u32, Vec<Seen>> = BTreeMap::new();
    for call in state(strace, scenario, &dir)? {
        stated.entry(call.tid).or_default().push(seen(&call));
    }
    let mut traced = BTreeMap::new();
    let entries = std::fs::read_dir(&logs).map_err(|error| error.to_string())?;
    for path in entries.filter_map(|entry| entry.ok().map(|entry| entry.path())) {
        let (tid, calls) = read_log(&path)?;
        if !calls.is_empty() {
            traced.insert(tid, calls);
        }
    }
    for (tid, calls) in &stated {
        let other = traced.remove(tid).unwrap_or_default();
        check(*calls == other, || {
            format!("thread {tid}\nstated {calls:#?}\nstrace {other:#?}")
        })?;
    }
    check(traced.is_empty(), || format!("only strace saw {traced:#?}"))
}

fn seen(call: &Call) -> Seen {
    let result = match (&call.errno, call.ret) {
        (Some(errno), _) => errno.clone(),
        (None, Some(ret)) => ret.to_string(),
        (None, None) => "?".to_owned(),
    };
    (call.syscall.clone(), result)
}

/// The calls of one thread between its markers.
fn read_log(path: &PathBuf) -> Result<(u32, Vec<Seen>)> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&bytes);
    let tid = path.extension().and_then(|tid| tid.to_str()?.parse().ok());
    let mut calls = Vec::new();
    let mut open = false;
    for line in text.lines() {
        let Some((name, result)) = parse_line(line) else {
            continue;
        };
        if name == "faccessat" && (line.contains(BEGIN) || line.contains(END)) {
            open = line.contains(BEGIN);
        } else if open && sys::ALL.iter().any(|sys| sys.name == name) {
            open = !(name.starts_with("execve") && result == "0");
            calls.push((name, result));
        }
    }
    Ok((tid.ok_or("a log without a thread id")?, calls))
}

fn parse_line(line: &str) -> Option<Seen> {
    let name = match line.split_once('(')?.0 {
        "stat" => "newstat",
        "lstat" => "newlstat",
        "fstat" => "newfstat",
        "sendfile" => "sendfile64",
        name => name,
    };
    let mut words = line.rsplit_once(" = ")?.1.split(' ');
    let result = match (words.next()?, words.next()) {
        ("-1" | "?", Some(errno)) => errno.to_owned(),
        (hex, _) if hex.starts_with("0x") => i64::from_str_radix(&hex[2..], 16).ok()?.to_string(),
        (result, _) => result.to_owned(),
    };
    Some((name.to_owned(), result))
}
