//! What can go wrong between us and the kernel. Messages are fragments that name the thing; the binary adds the remedy.

use std::io;

/// Why a trace could not be started or went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Neither root nor CAP_BPF + CAP_PERFMON.
    #[error(
        "no privilege to load BPF programs: run as root (sudo), or give the binary CAP_BPF and CAP_PERFMON"
    )]
    Privilege,
    /// `/sys/kernel/btf/vmlinux` is missing.
    #[error(
        "this kernel has no BTF (/sys/kernel/btf/vmlinux): it needs CONFIG_DEBUG_INFO_BTF=y, as the kernels of current distributions have"
    )]
    NoBtf,
    /// `/proc` or `/sys` is missing, as in some containers.
    #[error("{0} is not mounted here: in a container, give it the host's")]
    NotMounted(&'static str),
    /// BPF programs may not read kernel memory.
    #[error(
        "this kernel is locked down (confidentiality), so that BPF may not read its memory: boot with lockdown=integrity or none"
    )]
    Lockdown,
    /// Pids of this process's namespace mean nothing to the kernel side.
    #[error(
        "ior is inside a pid namespace, where process ids are not those of the kernel: run it on the host, or the container with --pid=host"
    )]
    PidNamespace,
    /// The classic hook is found through tracefs.
    #[error(
        "this kernel's hook (raw_syscalls) needs tracefs: mount -t tracefs nodev /sys/kernel/tracing"
    )]
    NoTracefs,
    /// More of something than the kernel side has room for.
    #[error("{count} {what} are too many: at most {most}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many were asked for.
        count: usize,
        /// How many there may be.
        most: usize,
    },
    /// A pid or tid of the scope does not exist.
    #[error("no {what} {id}")]
    NoSuchTask {
        /// `process` or `thread`.
        what: &'static str,
        /// The number asked for.
        id: u32,
    },
    /// A cgroup of the scope cannot be opened.
    #[error("cgroup {path}: {source}")]
    Cgroup {
        /// The directory asked for.
        path: String,
        /// Why not.
        source: io::Error,
    },
    /// The kernel refused to load or attach.
    #[error("{what}: {source}")]
    Bpf {
        /// The step that failed.
        what: &'static str,
        /// libbpf's own words.
        source: libbpf_rs::Error,
    },
    /// A part of the BPF object that must be there is not.
    #[error("the BPF object has no section {0}: this build of ior is broken")]
    Missing(&'static str),
    /// COMMAND could not be started.
    #[error("cannot run {program}: {source}")]
    Command {
        /// The program asked for.
        program: String,
        /// Why not.
        source: io::Error,
    },
    /// A system call of our own failed.
    #[error("{what}: {source}")]
    Io {
        /// The step that failed.
        what: &'static str,
        /// Why.
        source: io::Error,
    },
}
