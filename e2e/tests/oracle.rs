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
use e2e::scenarios::{self, Scenario, Traced};
use e2e::sys;
use libtest_mimic::{Arguments, Trial};

const WORKLOAD: &str = env!("CARGO_BIN_EXE_workload");

fn main() -> ExitCode {
    let mut trials = vec![Trial::test("every_call_succeeds_and_fails", || {
        Ok(coverage()?)
    })];
    let strace = Command::new("strace").arg("-V").output().is_ok();
    for scenario in scenarios::exact() {
        let comparable = NOT_FOR_STRACE
            .iter()
            .all(|(name, _)| *name != scenario.name);
        let name = format!("strace::{}", scenario.name);
        let trial = Trial::test(name, || Ok(agrees_with_strace(scenario)?));
        trials.push(trial.with_ignored_flag(!strace || !comparable));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// Scenarios that strace does not see as they are, and why.
const NOT_FOR_STRACE: &[(&str, &str)] = &[
    ("exec_by_thread", "strace takes it for the leader's"),
    ("recycled_tid", "strace has one log a thread id"),
    ("killed_while_blocked", "strace does not see its end"),
    ("ia32_files", "strace has other names for 32-bit calls"),
    ("ia32_names", "strace has other names for 32-bit calls"),
    (
        "ia32_padded_times",
        "strace has other names for 32-bit calls",
    ),
    (
        "ia32_position_of_file",
        "strace has other names for 32-bit calls",
    ),
    ("ia32_vectors", "strace has other names for 32-bit calls"),
    (
        "ia32_memory_and_time",
        "strace has other names for 32-bit calls",
    ),
    ("answered_by_filter", "strace comes before the filter"),
    ("ptrace", "a process has one tracer"),
    ("changed_by_tracer", "a process has one tracer"),
];

fn state(mut command: Command, scenario: &str, dir: &Path) -> Result<Vec<Call>> {
    let workload = run(command.arg(WORKLOAD).arg(scenario).arg(dir))?;
    check(workload.status.success(), || {
        format!("{scenario}: {}", workload.err)
    })?;
    read_oracle(&dir.join(ORACLE))
}

/// Calls that do not succeed here in any scenario, and why.
const NEVER_SUCCEED: &[(&str, &str)] = &[
    ("io_cancel", "says EINPROGRESS where it cancels"),
    ("pkey_alloc", "this processor has no protection keys"),
    ("pkey_free", "this processor has no protection keys"),
    ("swapoff", "would change the machine"),
    ("swapon", "would change the machine"),
    ("lsm_get_self_attr", "no module here has attributes"),
    ("lsm_set_self_attr", "no module here has attributes"),
    ("pause", "ends by a signal only"),
    ("rt_sigsuspend", "ends by a signal only"),
    ("clock_settime", "would change the machine"),
    ("delete_module", "would change the kernel"),
    ("finit_module", "would change the kernel"),
    ("init_module", "would change the kernel"),
    ("ioperm", "not in this kernel"),
    ("iopl", "not in this kernel"),
    ("kexec_file_load", "would replace the kernel"),
    ("kexec_load", "would replace the kernel"),
    ("lookup_dcookie", "not in kernels since 6.7"),
    ("reboot", "would end the machine"),
    ("uprobe", "for the kernel's own trampolines only"),
];

/// Those of them that succeed on other processors and kernels.
const ELSEWHERE: [&str; 7] = [
    "pkey_alloc",
    "pkey_free",
    "lsm_get_self_attr",
    "lsm_set_self_attr",
    "ioperm",
    "iopl",
    "lookup_dcookie",
];

/// Calls that do not fail here in any scenario, and why.
const NEVER_FAIL: &[(&str, &str)] = &[
    ("sync", "cannot fail"),
    ("brk", "answers the end as it is"),
    ("munlockall", "cannot fail"),
    ("exit", "never returns"),
    ("exit_group", "never returns"),
    ("getegid", "cannot fail"),
    ("geteuid", "cannot fail"),
    ("getgid", "cannot fail"),
    ("getpgrp", "cannot fail"),
    ("getpid", "cannot fail"),
    ("getppid", "cannot fail"),
    ("gettid", "cannot fail"),
    ("getuid", "cannot fail"),
    ("modify_ldt", "its errors are positive numbers"),
    ("personality", "cannot fail"),
    ("set_tid_address", "cannot fail"),
    ("setfsgid", "answers the one before"),
    ("setfsuid", "answers the one before"),
    ("sched_yield", "cannot fail"),
    ("rt_sigreturn", "never returns"),
    ("alarm", "cannot fail"),
    ("umask", "cannot fail"),
];

/// Calls that no scenario makes, and why.
const NOT_MADE: &[(&str, &str)] = &[
    ("map_shadow_stack", "not in this kernel"),
    ("listns", "not in this kernel"),
    ("uretprobe", "kills a caller that is no return probe"),
];

/// Which scenario makes which call, kept beside the table for `docs/syscalls.md`.
const SCENARIOS_FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../syscalls/scenarios.txt");

fn coverage() -> Result<()> {
    let (mut good, mut bad) = (BTreeSet::new(), BTreeSet::new());
    let mut scenarios_of: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for scenario in scenarios::exact() {
        let scratch = Scratch::new()?;
        for call in state(Command::new("env"), scenario.name, scratch.path())? {
            let set = if call.ret.unwrap_or(0) < 0 {
                &mut bad
            } else {
                &mut good
            };
            if call.abi.is_none() {
                set.insert(call.syscall.clone());
                scenarios_of
                    .entry(call.syscall)
                    .or_default()
                    .insert(scenario.name);
            }
        }
    }
    compare_with(NOT_MADE, "made by no scenario", |name| {
        scenarios_of.contains_key(name)
    })?;
    compare_with(NEVER_SUCCEED, "never succeed", |name| {
        (good.contains(name) && !ELSEWHERE.contains(&name)) || is_listed(NOT_MADE, name)
    })?;
    compare_with(NEVER_FAIL, "never fail", |name| {
        bad.contains(name) || is_listed(NOT_MADE, name)
    })?;
    let lines: String = scenarios_of
        .iter()
        .map(|(call, scenarios)| {
            let scenarios: Vec<_> = scenarios.iter().copied().collect();
            format!("{call}: {}\n", scenarios.join(" "))
        })
        .collect();
    if std::env::var_os("IOR_WRITE_SCENARIOS").is_some() {
        return std::fs::write(SCENARIOS_FILE, lines).map_err(|error| error.to_string());
    }
    let kept = std::fs::read_to_string(SCENARIOS_FILE).unwrap_or_default();
    check(kept == lines, || {
        "syscalls/scenarios.txt is stale: run this test with IOR_WRITE_SCENARIOS=1, then cargo xtask codegen".to_owned()
    })
}

fn is_listed(exceptions: &[(&str, &str)], name: &str) -> bool {
    exceptions.iter().any(|(exception, _)| *exception == name)
}

/// Every call has it or is an exception, and no exception has it.
fn compare_with(exceptions: &[(&str, &str)], what: &str, has: impl Fn(&str) -> bool) -> Result<()> {
    let wrong: Vec<_> = sys::all()
        .map(|sys| sys.name)
        .filter(|name| has(name) == is_listed(exceptions, name))
        .collect();
    check(wrong.is_empty(), || {
        format!("{what}, or are listed so and should not be: {wrong:?}")
    })
}

/// A call as both can say it: name and result.
type Seen = (String, String);

fn agrees_with_strace(scenario: &Scenario) -> Result<()> {
    let scratch = Scratch::new()?;
    let (dir, logs) = (scratch.dir("work")?, scratch.dir("logs")?);
    let mut strace = Command::new("strace");
    strace
        .args(["-f", "-ff", "-qq", "-o"])
        .arg(logs.join("log"));
    let mut stated: BTreeMap<u32, Vec<Seen>> = BTreeMap::new();
    for call in state(strace, scenario.name, &dir)? {
        stated.entry(call.tid).or_default().push(seen(&call));
    }
    let mut traced = BTreeMap::new();
    let entries = std::fs::read_dir(&logs).map_err(|error| error.to_string())?;
    for path in entries.filter_map(|entry| entry.ok().map(|entry| entry.path())) {
        let (tid, calls) = read_log(&path, scenario.traced)?;
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
fn read_log(path: &PathBuf, traced: Traced) -> Result<(u32, Vec<Seen>)> {
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
        } else if open && is_traced(traced, &name) {
            open = !(name.starts_with("execve") && result == "0");
            calls.push((name, result));
        }
    }
    Ok((tid.ok_or("a log without a thread id")?, calls))
}

fn is_traced(traced: Traced, name: &str) -> bool {
    let listed = |list: &[sys::Sys]| list.iter().any(|sys| sys.name == name);
    listed(sys::DEFAULT) || (traced == Traced::All && listed(sys::OTHERS))
}

/// The call of that number, which strace is too old to name.
fn unknown_to_strace(hex: &str) -> Option<&'static str> {
    let nr = i64::from_str_radix(hex, 16).ok()?;
    Some(sys::all().find(|sys| sys.nr == nr)?.name)
}

fn parse_line(line: &str) -> Option<Seen> {
    let name = match line.split_once('(')?.0 {
        "stat" => "newstat",
        "lstat" => "newlstat",
        "fstat" => "newfstat",
        "sendfile" => "sendfile64",
        "umount2" => "umount",
        "uname" => "newuname",
        name => match name.strip_prefix("syscall_0x") {
            Some(hex) => unknown_to_strace(hex)?,
            None => name,
        },
    };
    let mut words = line.rsplit_once(" = ")?.1.split(' ');
    let result = match (words.next()?, words.next()) {
        ("-1" | "?", Some(errno)) => errno.to_owned(),
        // A mode, octal.
        (mode, _) if mode.starts_with('0') && mode.parse::<u32>().is_ok() => {
            i64::from_str_radix(mode, 8).ok()?.to_string()
        }
        (hex, _) if hex.starts_with("0x") => i64::from_str_radix(&hex[2..], 16).ok()?.to_string(),
        (result, _) => result.to_owned(),
    };
    if name == "rt_sigreturn" {
        // What strace shows is the interrupted call's.
        return Some((name.to_owned(), "?".to_owned()));
    }
    Some((name.to_owned(), result))
}
