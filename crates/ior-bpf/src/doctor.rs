//! What this kernel and this user can do: one probe a feature, none of which changes anything.

use std::fs;

use libbpf_rs::MapType;

use crate::features::{Features, has_tracefs, kernel_has_btf};
use crate::{Hook, Pairing, privilege as caps};

/// The outcome of one probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// There.
    Ok,
    /// Missing, and ior works without it; the remark says what is lost.
    Degraded,
    /// Missing, and ior cannot work.
    Missing,
}

/// One line of `ior doctor`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What was looked at (`BTF`, `task storage`, …).
    pub name: &'static str,
    /// How it came out.
    pub verdict: Verdict,
    /// What was found, in a few words.
    pub found: String,
    /// What is lost and how to mend it; empty when nothing is.
    pub remedy: String,
}

impl Check {
    fn ok(name: &'static str, found: impl Into<String>) -> Check {
        Check {
            name,
            verdict: Verdict::Ok,
            found: found.into(),
            remedy: String::new(),
        }
    }

    fn bad(name: &'static str, verdict: Verdict, found: &str, remedy: &str) -> Check {
        Check {
            name,
            verdict,
            found: found.to_owned(),
            remedy: remedy.to_owned(),
        }
    }
}

/// Probes this kernel and this user.
pub fn examine() -> Vec<Check> {
    let mut checks = vec![
        kernel(),
        btf(),
        privilege(),
        cgroup_paths(),
        pid_namespace(),
        lockdown(),
    ];
    match Features::probe(&[]) {
        Ok(features) => checks.extend(optional(&features)),
        Err(error) => checks.push(Check::bad(
            "features",
            Verdict::Missing,
            "not probed",
            &error.to_string(),
        )),
    }
    checks
}

fn kernel() -> Check {
    let read =
        |name: &str| fs::read_to_string(format!("/proc/sys/kernel/{name}")).unwrap_or_default();
    Check::ok(
        "kernel",
        format!("{} {}", read("ostype").trim(), read("osrelease").trim()),
    )
}

fn btf() -> Check {
    if kernel_has_btf() {
        return Check::ok("BTF", "/sys/kernel/btf/vmlinux");
    }
    let remedy = "boot a kernel built with CONFIG_DEBUG_INFO_BTF=y, as current distributions' are";
    Check::bad(
        "BTF",
        Verdict::Missing,
        "no /sys/kernel/btf/vmlinux",
        remedy,
    )
}

/// The kernel itself is asked: it must let us make a ring.
fn privilege() -> Check {
    match MapType::RingBuf.is_supported() {
        Ok(true) => Check::ok("privilege", "BPF maps can be made"),
        Ok(false) => Check::bad(
            "privilege",
            Verdict::Missing,
            "no BPF ring buffer can be made",
            "run as root (sudo), or give the binary CAP_BPF and CAP_PERFMON; the kernel must be 5.8 or newer",
        ),
        Err(error) => Check::bad(
            "privilege",
            Verdict::Missing,
            "not probed",
            &error.to_string(),
        ),
    }
}

fn cgroup_paths() -> Check {
    if caps::opens_by_handle() {
        return Check::ok("cgroup paths", "yes");
    }
    Check::bad(
        "cgroup paths",
        Verdict::Degraded,
        "no",
        "the column cgroup stays empty: run as root, or give the binary CAP_DAC_READ_SEARCH too",
    )
}

fn pid_namespace() -> Check {
    if caps::in_root_pid_namespace() {
        return Check::ok("pid namespace", "the kernel's own");
    }
    Check::bad(
        "pid namespace",
        Verdict::Missing,
        "a container's: its process ids are not those the kernel side sees",
        "run on the host, or start the container with --pid=host",
    )
}

fn lockdown() -> Check {
    let Some(mode) = caps::lockdown() else {
        return Check::ok("lockdown", "not known here (securityfs is not mounted)");
    };
    match mode.as_str() {
        "confidentiality" => Check::bad(
            "lockdown",
            Verdict::Missing,
            "confidentiality: BPF may not read kernel memory",
            "boot with lockdown=integrity or none",
        ),
        mode => Check::ok("lockdown", mode),
    }
}

fn optional(features: &Features) -> Vec<Check> {
    let lesser = |there: bool, name, since: &str, lost: &str| {
        if there {
            Check::ok(name, "yes")
        } else {
            Check::bad(
                name,
                Verdict::Degraded,
                &format!("no (Linux {since})"),
                lost,
            )
        }
    };
    let hook = match features.hook() {
        Hook::TpBtf => Check::ok(
            "hook",
            "tp_btf/sys_enter, sys_exit (syscall tracepoints run with preemption off)",
        ),
        Hook::RawSyscalls => raw_syscalls(),
    };
    let stored = features.pairing() == Pairing::TaskStorage;
    vec![
        hook,
        lesser(
            stored,
            "task storage",
            "5.11",
            "calls are paired in a hash map: slower, and no list of calls in flight",
        ),
        lesser(
            features.bpf_loop,
            "bpf_loop",
            "5.17",
            "paths of more than 32 components are cut",
        ),
        lesser(
            features.cast,
            "bpf_rdonly_cast",
            "6.2",
            "kernel memory is read by probe reads: slower",
        ),
    ]
}

/// The classic hook is found through tracefs.
fn raw_syscalls() -> Check {
    if has_tracefs() {
        return Check::ok(
            "hook",
            "raw_syscalls/sys_enter, sys_exit (syscall tracepoints run preemptible)",
        );
    }
    let remedy = "mount -t tracefs nodev /sys/kernel/tracing";
    Check::bad(
        "hook",
        Verdict::Missing,
        "raw_syscalls needs tracefs, which is not mounted",
        remedy,
    )
}
