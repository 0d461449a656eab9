//! One complete syscall, named: what every sink, filter and statistic receives.
//!
//! A row borrows everything from the collector's tables, so making one allocates nothing.

use crate::syscall::Syscall;

/// One syscall made by one thread, entered and (unless it never returns) returned.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// 1, 2, 3 … in the order rows were emitted in this session.
    pub seq: u64,
    /// Enter time, nanoseconds of the host's `CLOCK_BOOTTIME`.
    pub time_ns: u64,
    /// Enter time as nanoseconds since the Unix epoch (UTC).
    pub wall_ns: u64,
    /// Enter time minus the same thread's previous traced exit, nanoseconds; 0 for a thread's first row.
    pub gap_ns: u64,
    /// Exit minus enter, nanoseconds; 0 where the call never returns.
    pub latency_ns: u64,
    /// The thread as it was when the call was entered.
    pub task: &'a Task,
    /// Which call it was.
    pub syscall: &'static Syscall,
    /// The calling convention the number belongs to.
    pub abi: Abi,
    /// The descriptor the call works on; -1 none.
    pub fd: i32,
    /// The value at `sys_exit`: negative errno, or a restart code.
    pub ret: i64,
    /// Payload moved, by the byte class of the call.
    pub bytes: u64,
    /// The file's name; empty if the call has none or it is unknown (`name_source` tells which).
    pub file: &'a [u8],
    /// Source name of two-name and two-descriptor calls.
    pub old_file: Option<&'a [u8]>,
    /// Where `file` comes from.
    pub name_source: NameSource,
    /// Counts the filter changes of the session.
    pub filter_epoch: u64,
    /// Device of the file object, where the call has one.
    pub dev: Option<Dev>,
    /// Inode number of the file object, where the call has one.
    pub ino: Option<u64>,
    /// Bytes asked for; none where it makes no sense.
    pub requested: Option<u64>,
    /// File position at which the call worked.
    pub offset: Option<i64>,
    /// Flags as passed (open flags, rename flags, mmap prot, …).
    pub flags: Option<u64>,
    /// What only some calls have.
    pub details: Details,
    /// Numbers of the task and the file.
    pub ids: Ids,
}

/// Numbers a source has given: where two rows of a session have the same one, what it stands for is the same, so that an
/// output need not compare. 0 is none: nothing is known then.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ids {
    /// Of `task`.
    pub task: u32,
    /// Of `file`, `dev` and `ino`.
    pub file: u64,
}

/// Columns of sleeps, polls, `epoll_ctl` and changes of the address space.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Details {
    /// Sleep asked for, nanoseconds; of a sleep to a point in time what was left until then, at least 0.
    pub requested_sleep_ns: Option<u64>,
    /// Descriptors polled.
    pub nfds: Option<u64>,
    /// Longest wait, nanoseconds; [`TIMEOUT_INFINITE`] or [`TIMEOUT_UNREADABLE`].
    pub timeout_ns: Option<i64>,
    /// Bytes of address space made, freed or moved, in whole pages; 0 if the call failed.
    pub address_space_bytes: Option<u64>,
    /// `epoll_ctl`: what to do with the target (`EPOLL_CTL_ADD` 1, `EPOLL_CTL_DEL` 2, `EPOLL_CTL_MOD` 3).
    pub epoll_op: Option<u32>,
    /// `epoll_ctl`: the descriptor that is watched.
    pub epoll_target_fd: Option<i32>,
    /// `epoll_ctl`: the events waited for (`EPOLLIN` 1 …).
    pub epoll_events: Option<u32>,
}

/// `timeout_ns` of a wait without end.
pub const TIMEOUT_INFINITE: i64 = -1;
/// `timeout_ns` where the time could not be read, or is none the kernel takes.
pub const TIMEOUT_UNREADABLE: i64 = -2;

impl Row<'_> {
    /// True for `ret` in -4095..=-1 that is no restart code.
    pub fn is_error(&self) -> bool {
        is_error(self.ret)
    }
}

/// Whether a return value is an error: -4095..=-1, but not one of the kernel's restart codes (include/linux/errno.h).
pub fn is_error(ret: i64) -> bool {
    (-4095..0).contains(&ret) && !is_restart(ret)
}

/// Whether a return value is a restart code: -ERESTARTSYS, -ERESTARTNOINTR, -ERESTARTNOHAND, -ERESTART_RESTARTBLOCK.
pub fn is_restart(ret: i64) -> bool {
    matches!(ret, -512 | -513 | -514 | -516)
}

/// A thread, as defined by the kernel when it was first seen or when one of these fields changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Thread id in the root pid namespace.
    pub tid: u32,
    /// Process id (tgid) in the root pid namespace.
    pub pid: u32,
    /// Process id of the parent.
    pub ppid: u32,
    /// Real user id.
    pub uid: u32,
    /// Id of the cgroup-v2 directory (its inode number); 0 unknown.
    pub cgroup_id: u64,
    /// The cgroup-v2 path, `/` the root; empty if it could not be resolved.
    pub cgroup: String,
    /// The thread's name, at most 15 bytes.
    pub comm: Vec<u8>,
    /// The thread group leader's name, at most 15 bytes.
    pub process: Vec<u8>,
    /// Start of the thread, nanoseconds of `CLOCK_BOOTTIME`.
    pub start_ns: u64,
}

/// Device number of a file system, as `stat` gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dev {
    /// Major number.
    pub major: u32,
    /// Minor number.
    pub minor: u32,
}

impl std::fmt::Display for Dev {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.major, self.minor)
    }
}

/// Where a row's file name comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NameSource {
    /// The call has no file.
    None,
    /// The kernel object's own path.
    Kernel,
    /// The string passed, joined to the directory it is relative to.
    Argument,
    /// Cut, or with an unreadable part.
    Partial,
}

impl NameSource {
    /// The column's value: `kernel`, `argument`, `partial`, or empty.
    pub fn as_str(self) -> &'static str {
        match self {
            NameSource::None => "",
            NameSource::Kernel => "kernel",
            NameSource::Argument => "argument",
            NameSource::Partial => "partial",
        }
    }
}

/// The calling convention of a syscall.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Abi {
    /// 64-bit x86.
    X86_64,
    /// 32-bit x86 call of a 64-bit kernel.
    Ia32,
    /// 64-bit ARM.
    Aarch64,
}

impl Abi {
    /// How many there are.
    pub const COUNT: usize = 3;

    /// The column's value.
    pub fn as_str(self) -> &'static str {
        match self {
            Abi::X86_64 => "x86_64",
            Abi::Ia32 => "ia32",
            Abi::Aarch64 => "aarch64",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restart_codes_are_no_errors_and_their_neighbours_are() {
        for restart in [-512, -513, -514, -516] {
            assert!(!is_error(restart), "{restart}");
        }
        for error in [-1, -4, -511, -515, -517, -4095] {
            assert!(is_error(error), "{error}");
        }
        for success in [0, 1, -4096, i64::MIN, i64::MAX] {
            assert!(!is_error(success), "{success}");
        }
    }
}
