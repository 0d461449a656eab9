//! Kernels, users and places that lack something: ior works with what is lost said, or refuses in one line.

use std::process::Command;

use e2e::harness::process::{Finished, run};
use e2e::harness::recorder::Programs;
use e2e::harness::scratch::Scratch;
use e2e::harness::terminal::Terminal;
use e2e::harness::{Result, check};

use crate::Test;
use crate::cli::refused;

pub const TESTS: &[Test] = &[
    ("older_kernels", older_kernels),
    ("no_btf", no_btf),
    ("no_tracefs", no_tracefs),
    ("no_sys", no_sys),
    ("no_proc", no_proc),
    ("pid_namespace", pid_namespace),
    ("two_capabilities", two_capabilities),
    ("dashboard_without_privilege", dashboard_without_privilege),
];

/// A trace of one call whose file is known.
const TRACE: [&str; 5] = ["--json", "-", "--", "cat", "/etc/hostname"];

fn out(finished: &Finished) -> String {
    String::from_utf8_lossy(&finished.out).into_owned()
}

/// The file of that call is in a row, by the kernel's name, and no call is missing.
fn traced(finished: &Finished) -> Result<()> {
    let text = || format!("{}\n{}", out(finished), finished.err);
    let row = "\"file\":\"/etc/hostname\"";
    let opened = out(finished).lines().any(|line| {
        line.contains(row) && line.contains("\"syscall\":\"openat\"") && line.contains("\"kernel\"")
    });
    check(finished.status.success() && opened, text)?;
    let account = "lost 0, not seen 0, unpaired 0";
    check(finished.err.contains(account), text)
}

/// The kernel lacks functions: slower, or shorter names, and one line that says what is lost.
fn older_kernels(programs: &Programs) -> Result<()> {
    let storage = "bpf_task_storage_get,bpf_get_current_task_btf";
    let all = "bpf_loop,bpf_rdonly_cast,bpf_task_storage_get,bpf_get_current_task_btf";
    for (without, said) in [
        ("bpf_loop", "no bpf_loop"),
        ("bpf_rdonly_cast", ""),
        (storage, "no task storage"),
        (all, "no bpf_loop"),
    ] {
        let finished = run(programs.ior(TRACE).env("IOR_TEST_WITHOUT", without))?;
        traced(&finished).map_err(|error| format!("without {without}: {error}"))?;
        check(finished.err.contains(said), || finished.err.clone())?;
    }
    Ok(())
}

fn no_btf(programs: &Programs) -> Result<()> {
    let without = |args: &[&str]| run(programs.ior(args).env("IOR_TEST_NO_BTF", "1"));
    refused(
        &without(&["--discard", "--", "true"])?,
        &[125],
        "CONFIG_DEBUG_INFO_BTF",
    )?;
    refused(&without(&["--discard", "--duration", "1"])?, &[1], "BTF")?;
    let doctor = without(&["doctor", "--json"])?;
    let missing = out(&doctor).contains("\"missing\"") && out(&doctor).contains("BTF");
    check(doctor.status.code() == Some(1) && missing, || out(&doctor))
}

/// Runs ior in a mount namespace of its own, after a shell has prepared it.
fn in_namespace(programs: &Programs, prepare: &str, args: &[&str]) -> Result<Finished> {
    let mut command = Command::new("unshare");
    let script = format!("{prepare} && exec \"$0\" \"$@\"");
    command.args(["-m", "sh", "-c", &script]).arg(&programs.ior);
    run(command.args(args))
}

/// Only the hook of 7.x needs it, and says how to get it.
fn no_tracefs(programs: &Programs) -> Result<()> {
    let gone = "{ umount /sys/kernel/tracing 2>/dev/null || true; }";
    let classic = [&["--hook", "raw_syscalls"], &TRACE[..]].concat();
    refused(
        &in_namespace(programs, gone, &classic)?,
        &[125],
        "mount -t tracefs",
    )?;
    traced(&in_namespace(
        programs,
        gone,
        &[&["--hook", "tp_btf"], &TRACE[..]].concat(),
    )?)
}

fn no_sys(programs: &Programs) -> Result<()> {
    let gone = "mount -t tmpfs none /sys";
    refused(
        &in_namespace(programs, gone, &TRACE)?,
        &[125],
        "/sys is not mounted",
    )?;
    let doctor = in_namespace(programs, gone, &["doctor"])?;
    let said = out(&doctor).contains("/sys is not mounted");
    check(doctor.status.code() == Some(1) && said, || out(&doctor))
}

fn no_proc(programs: &Programs) -> Result<()> {
    let gone = "mount -t tmpfs none /proc";
    refused(
        &in_namespace(programs, gone, &TRACE)?,
        &[125],
        "/proc is not mounted",
    )
}

/// Its numbers of processes are not the kernel's.
fn pid_namespace(programs: &Programs) -> Result<()> {
    let mut command = Command::new("unshare");
    command
        .args(["--pid", "--fork", "--mount-proc"])
        .arg(&programs.ior);
    refused(&run(command.args(TRACE))?, &[125], "--pid=host")
}

/// Nobody's copy of the program.
fn copy(programs: &Programs) -> Result<Scratch> {
    let scratch = Scratch::new()?;
    std::fs::copy(&programs.ior, scratch.path().join("ior")).map_err(|error| error.to_string())?;
    Ok(scratch)
}

/// As nobody, with these capabilities as setpriv(1) takes them, from a directory nobody may be in.
fn as_nobody(scratch: &Scratch, capabilities: &str) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
    command.arg(format!("--inh-caps={capabilities}"));
    command.arg(format!("--ambient-caps={capabilities}"));
    command.arg(scratch.path().join("ior")).current_dir("/");
    command
}

/// Two capabilities are enough, and what is lost without a third one is said.
fn two_capabilities(programs: &Programs) -> Result<()> {
    let scratch = copy(programs)?;
    // CAP_PERFMON and CAP_BPF, by numbers for older libraries.
    let mut command = as_nobody(&scratch, "-all,+cap_38,+cap_39");
    let finished = run(command.args(TRACE))?;
    traced(&finished)?;
    let said = "no CAP_DAC_READ_SEARCH: the column cgroup stays empty";
    check(finished.err.contains(said), || finished.err.clone())
}

/// A start that fails is said on the screen, and the terminal is given back.
fn dashboard_without_privilege(programs: &Programs) -> Result<()> {
    let scratch = copy(programs)?;
    let mut command = as_nobody(&scratch, "-all");
    command.args(["-p", "1"]);
    let mut screen = Terminal::start(&command, 40, 140)?;
    screen.wait_for("CAP_BPF")?;
    screen.press("q")?;
    screen.end().map(drop)
}
