//! What the workload says about each call it made: one JSON line a call, read back by the harness.
//!
//! Written from the manual pages and the specification's column list, not from ior's tables.

use serde::{Deserialize, Serialize};

/// Path of the failing `faccessat` that opens a bracket: from here on every row of the thread is stated.
pub const BEGIN: &str = "/ior-e2e-begin";
/// Path of the failing `faccessat` that closes a bracket.
pub const END: &str = "/ior-e2e-end";
/// The system call of both markers.
pub const MARKER: &str = "faccessat";
/// File the statements are written to, inside the directory given to the workload.
pub const ORACLE: &str = "oracle.json";

/// A file name as stated: text, or bytes where it is not UTF-8. Empty: the call has no file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Name {
    /// Valid UTF-8.
    Text(String),
    /// Anything else.
    Bytes(Vec<u8>),
}

impl Name {
    /// The name's bytes.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Name::Text(text) => text.as_bytes(),
            Name::Bytes(bytes) => bytes,
        }
    }
}

impl From<Vec<u8>> for Name {
    fn from(bytes: Vec<u8>) -> Self {
        String::from_utf8(bytes).map_or_else(|error| Name::Bytes(error.into_bytes()), Name::Text)
    }
}

impl From<&[u8]> for Name {
    fn from(bytes: &[u8]) -> Self {
        Name::from(bytes.to_vec())
    }
}

/// One call as the workload made it. A field that is `None` is not compared; everything else must be equal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// Process id (tgid).
    pub pid: u32,
    /// Thread that entered the call.
    pub tid: u32,
    /// Parent process id.
    pub ppid: u32,
    /// Real user id.
    pub uid: u32,
    /// The thread's name when it entered the call.
    pub comm: String,
    /// The thread group leader's name.
    pub process: Option<String>,
    /// Tracepoint name of the call.
    pub syscall: String,
    /// Result at `sys_exit`; none for a call that never returns.
    pub ret: Option<i64>,
    /// For the reader: the name of the errno in `ret`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errno: Option<String>,
    /// Payload moved.
    pub bytes: u64,
    /// The descriptor worked on, -1 none.
    pub fd: i32,
    /// The file; empty: none.
    pub file: Option<Name>,
    /// Where only the end of the name is certain (a partial name).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_end: Option<Name>,
    /// The source of a two-name or two-descriptor call; empty: none.
    pub old_file: Option<Name>,
    /// `kernel`, `argument`, `partial` or empty.
    pub name_source: Option<String>,
    /// File position at which the call worked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<i64>,
    /// Bytes asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested: Option<u64>,
    /// Flags as passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flags: Option<u64>,
    /// Columns that must be null.
    #[serde(default)]
    pub nulls: Vec<String>,
    /// Calling convention of a call that is no 64-bit one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abi: Option<String>,
    /// Bytes of address space, which only some scenarios state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address_space_bytes: Option<u64>,
    /// An upper bound of the sleep, at most a second above it, where it follows from the time of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sleep_at_most: Option<u64>,
    /// What only some calls have; these columns must be empty where nothing is stated.
    #[serde(flatten)]
    pub waits: Waits,
    /// That many equal calls in a row.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub repeat: u64,
}

/// Columns of sleeps, polls and `epoll_ctl`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waits {
    /// Sleep asked for, nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested_sleep_ns: Option<u64>,
    /// Descriptors polled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nfds: Option<u64>,
    /// Longest wait, nanoseconds; -1 infinite, -2 unreadable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ns: Option<i64>,
    /// `epoll_ctl`: what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoll_op: Option<i64>,
    /// `epoll_ctl`: the descriptor that is watched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoll_target_fd: Option<i64>,
    /// `epoll_ctl`: the events waited for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoll_events: Option<u64>,
}

fn once() -> u64 {
    1
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_once(repeat: &u64) -> bool {
    *repeat == 1
}

/// The errno's name, for the errors the scenarios provoke.
pub fn errno_name(errno: i32) -> String {
    let name = match errno {
        libc::EPERM => "EPERM",
        libc::ENOENT => "ENOENT",
        libc::EINTR => "EINTR",
        libc::ENXIO => "ENXIO",
        libc::EBADF => "EBADF",
        libc::EAGAIN => "EAGAIN",
        libc::ENOMEM => "ENOMEM",
        libc::EACCES => "EACCES",
        libc::EFAULT => "EFAULT",
        libc::EEXIST => "EEXIST",
        libc::EXDEV => "EXDEV",
        libc::ENOTDIR => "ENOTDIR",
        libc::EISDIR => "EISDIR",
        libc::EINVAL => "EINVAL",
        libc::ENOTTY => "ENOTTY",
        libc::ESPIPE => "ESPIPE",
        libc::EPIPE => "EPIPE",
        libc::ERANGE => "ERANGE",
        libc::ENAMETOOLONG => "ENAMETOOLONG",
        libc::ENOSYS => "ENOSYS",
        libc::ENOTEMPTY => "ENOTEMPTY",
        libc::ELOOP => "ELOOP",
        libc::ENOTSOCK => "ENOTSOCK",
        libc::EOPNOTSUPP => "EOPNOTSUPP",
        libc::EAFNOSUPPORT => "EAFNOSUPPORT",
        libc::ENOTCONN => "ENOTCONN",
        libc::ESRCH => "ESRCH",
        libc::E2BIG => "E2BIG",
        libc::ENOEXEC => "ENOEXEC",
        libc::ECHILD => "ECHILD",
        libc::EBUSY => "EBUSY",
        libc::ENODEV => "ENODEV",
        libc::ENOSPC => "ENOSPC",
        libc::ENOKEY => "ENOKEY",
        libc::EKEYREVOKED => "EKEYREVOKED",
        libc::ENOPROTOOPT => "ENOPROTOOPT",
        libc::ENOTBLK => "ENOTBLK",
        libc::ENODATA => "ENODATA",
        libc::EOVERFLOW => "EOVERFLOW",
        libc::ESTALE => "ESTALE",
        libc::EMSGSIZE => "EMSGSIZE",
        libc::ENOMSG => "ENOMSG",
        libc::EIDRM => "EIDRM",
        libc::ETIMEDOUT => "ETIMEDOUT",
        libc::EINPROGRESS => "EINPROGRESS",
        libc::EISCONN => "EISCONN",
        libc::EDESTADDRREQ => "EDESTADDRREQ",
        libc::EADDRINUSE => "EADDRINUSE",
        libc::EADDRNOTAVAIL => "EADDRNOTAVAIL",
        libc::ECONNREFUSED => "ECONNREFUSED",
        libc::EFBIG => "EFBIG",
        libc::EMFILE => "EMFILE",
        libc::EROFS => "EROFS",
        512 => "ERESTARTSYS",
        513 => "ERESTARTNOINTR",
        514 => "ERESTARTNOHAND",
        516 => "ERESTART_RESTARTBLOCK",
        other => return format!("errno {other}"),
    };
    name.to_owned()
}

/// Payload class of the specification's section "Bytes": these calls count a positive result as bytes.
pub fn moves_payload(syscall: &str) -> bool {
    matches!(
        syscall,
        "read"
            | "pread64"
            | "readv"
            | "preadv"
            | "preadv2"
            | "getdents"
            | "getdents64"
            | "readlink"
            | "readlinkat"
            | "getcwd"
            | "recvfrom"
            | "recvmsg"
            | "getrandom"
            | "getxattr"
            | "getxattrat"
            | "lgetxattr"
            | "fgetxattr"
            | "listxattr"
            | "listxattrat"
            | "llistxattr"
            | "flistxattr"
            | "mq_timedreceive"
            | "msgrcv"
            | "process_vm_readv"
            | "process_vm_writev"
            | "vmsplice"
            | "write"
            | "pwrite64"
            | "writev"
            | "pwritev"
            | "pwritev2"
            | "sendto"
            | "sendmsg"
            | "copy_file_range"
            | "sendfile64"
            | "splice"
            | "tee"
    )
}
