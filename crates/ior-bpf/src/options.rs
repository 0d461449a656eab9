//! What to trace and how: everything decided before the programs are loaded.

use std::path::PathBuf;

use ior_core::Syscall;

/// Which calls are looked at; every non-empty list narrows. An all-empty scope is the whole machine (ior itself excepted).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    /// Processes (tgid, root pid namespace).
    pub pids: Vec<u32>,
    /// Threads.
    pub tids: Vec<u32>,
    /// Follow the children of `pids` and `tids`.
    pub follow: bool,
    /// Thread names, compared whole after cutting to 15 bytes.
    pub comms: Vec<Vec<u8>>,
    /// Real user ids.
    pub uids: Vec<u32>,
    /// cgroup-v2 directories; descendants included.
    pub cgroups: Vec<PathBuf>,
}

/// The hook the two programs attach to (design D1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hook {
    /// `tp_btf/sys_enter` and `sys_exit`: cheapest where the kernel runs syscall tracepoints with preemption off.
    TpBtf,
    /// `tp/raw_syscalls/sys_enter` and `sys_exit`: for kernels that run them preemptible (7.x).
    RawSyscalls,
}

/// Where a call's enter waits for its exit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairing {
    /// Task-local storage (5.11 and newer).
    TaskStorage,
    /// A hash map keyed by thread id.
    Hash,
}

/// How a trace is set up.
#[derive(Debug, Clone)]
pub struct Options {
    /// Which calls are looked at.
    pub scope: Scope,
    /// Which syscalls are looked at.
    pub syscalls: Vec<&'static Syscall>,
    /// Syscalls that may be selected later ([`Tracer::select`](crate::Tracer::select)), besides these.
    pub selectable: Vec<&'static Syscall>,
    /// Those of them that were asked for by name: where the kernel lacks one, [`Variant`](crate::Variant) says so.
    pub named: Vec<&'static Syscall>,
    /// Bytes of one row ring; a power of two from 64 KiB. `None`: the default for this machine.
    pub buffer_size: Option<u32>,
    /// `None`: chosen for this kernel.
    pub hook: Option<Hook>,
    /// `None`: chosen for this kernel.
    pub pairing: Option<Pairing>,
    /// Rows are wanted; false counts totals only.
    pub rows: bool,
}
