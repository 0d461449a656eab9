//! The flags of a call in words: `O_RDWR|O_CREAT|O_CLOEXEC`, `PROT_READ`, `MSG_PEEK`; chosen by the call's name.
//!
//! Written straight into a formatter, without allocating. Values are those of the kernel's uapi headers.

use std::fmt;

use crate::row::{Abi, Row};

/// A call's flags, to be displayed by name; bits without a name follow in hexadecimal.
#[derive(Debug, Clone, Copy)]
pub struct Flags {
    value: u32,
    table: Table,
}

impl Flags {
    /// The flags of a row, if its call has any.
    pub fn of(row: &Row<'_>) -> Option<Flags> {
        row.flags
            .map(|value| Flags::new(row.syscall.name, row.abi, value))
    }

    /// The flags `value` as the syscall of that name understands them.
    pub fn new(syscall: &str, abi: Abi, value: u32) -> Flags {
        Flags {
            value,
            table: table_of(syscall, abi),
        }
    }
}

impl fmt::Display for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.value;
        let mut separator = "";
        for part in self.table.parts.iter().copied().flatten() {
            if rest & part.mask == part.bits {
                f.write_str(separator)?;
                f.write_str(part.name)?;
                separator = "|";
                rest &= !part.mask;
            }
        }
        match (rest, separator) {
            (0, "") => f.write_str(self.table.nothing),
            (0, _) => Ok(()),
            _ => write!(f, "{separator}{rest:#x}"),
        }
    }
}

/// A name that stands for `bits` among the bits of `mask`.
#[derive(Debug)]
struct Part {
    mask: u32,
    bits: u32,
    name: &'static str,
}

/// Names in the order they are tried; a name that covers another's bits comes first.
#[derive(Debug, Clone, Copy)]
struct Table {
    parts: [&'static [Part]; 3],
    /// What 0 means.
    nothing: &'static str,
}

const fn table(parts: &'static [Part], nothing: &'static str) -> Table {
    Table {
        parts: [parts, &[], &[]],
        nothing,
    }
}

fn table_of(syscall: &str, abi: Abi) -> Table {
    match syscall {
        "open" | "openat" | "openat2" | "open_by_handle_at" | "mq_open" => Table {
            parts: [ACCESS_MODE, OPEN, open_by_abi(abi)],
            nothing: "0",
        },
        "dup3" | "pipe2" => Table {
            parts: [OPEN, open_by_abi(abi), &[]],
            nothing: "0",
        },
        "newfstatat" | "statx" | "fchownat" | "fchmodat2" | "linkat" | "utimensat" | "execveat" => {
            table(AT, "0")
        }
        "unlinkat" => Table {
            parts: [AT_REMOVEDIR, AT, &[]],
            nothing: "0",
        },
        "faccessat2" => Table {
            parts: [AT_EACCESS, AT, &[]],
            nothing: "0",
        },
        "name_to_handle_at" => Table {
            parts: [AT_HANDLE, AT, &[]],
            nothing: "0",
        },
        "renameat2" => table(RENAME, "0"),
        "mmap" | "mprotect" | "pkey_mprotect" => table(PROT, "PROT_NONE"),
        "sendto" | "recvfrom" | "sendmsg" | "recvmsg" | "sendmmsg" | "recvmmsg" => table(MSG, "0"),
        "preadv2" | "pwritev2" => table(RWF, "0"),
        "splice" | "tee" | "vmsplice" => table(SPLICE, "0"),
        "fallocate" => table(FALLOCATE, "0"),
        "sync_file_range" => table(SYNC_FILE_RANGE, "0"),
        "msync" => table(MSYNC, "0"),
        "memfd_create" => table(MEMFD, "0"),
        "close_range" => table(CLOSE_RANGE, "0"),
        "io_uring_enter" => table(URING_ENTER, "0"),
        "eventfd2" => table(EVENTFD, "0"),
        "epoll_create1" => table(EPOLL, "0"),
        "inotify_init1" => table(INOTIFY, "0"),
        _ => table(&[], "0"),
    }
}

const fn flag(bits: u32, name: &'static str) -> Part {
    Part {
        mask: bits,
        bits,
        name,
    }
}

const fn one_of(mask: u32, bits: u32, name: &'static str) -> Part {
    Part { mask, bits, name }
}

const ACCESS_MODE: &[Part] = &[
    one_of(0o3, 0o0, "O_RDONLY"),
    one_of(0o3, 0o1, "O_WRONLY"),
    one_of(0o3, 0o2, "O_RDWR"),
    one_of(0o3, 0o3, "O_ACCMODE"),
];

const OPEN: &[Part] = &[
    flag(0o100, "O_CREAT"),
    flag(0o200, "O_EXCL"),
    flag(0o400, "O_NOCTTY"),
    flag(0o1000, "O_TRUNC"),
    flag(0o2000, "O_APPEND"),
    flag(0o4000, "O_NONBLOCK"),
    flag(0o4_010_000, "O_SYNC"),
    flag(0o10_000, "O_DSYNC"),
    flag(0o20_000, "O_ASYNC"),
    flag(0o1_000_000, "O_NOATIME"),
    flag(0o2_000_000, "O_CLOEXEC"),
    flag(0o10_000_000, "O_PATH"),
];

fn open_by_abi(abi: Abi) -> &'static [Part] {
    match abi {
        Abi::X86_64 | Abi::Ia32 => OPEN_X86,
        Abi::Aarch64 => OPEN_ARM64,
    }
}

const OPEN_X86: &[Part] = &[
    flag(0o20_200_000, "O_TMPFILE"),
    flag(0o40_000, "O_DIRECT"),
    flag(0o100_000, "O_LARGEFILE"),
    flag(0o200_000, "O_DIRECTORY"),
    flag(0o400_000, "O_NOFOLLOW"),
];

const OPEN_ARM64: &[Part] = &[
    flag(0o20_040_000, "O_TMPFILE"),
    flag(0o40_000, "O_DIRECTORY"),
    flag(0o100_000, "O_NOFOLLOW"),
    flag(0o200_000, "O_DIRECT"),
    flag(0o400_000, "O_LARGEFILE"),
];

const AT: &[Part] = &[
    flag(0x100, "AT_SYMLINK_NOFOLLOW"),
    flag(0x400, "AT_SYMLINK_FOLLOW"),
    flag(0x800, "AT_NO_AUTOMOUNT"),
    flag(0x1000, "AT_EMPTY_PATH"),
    flag(0x2000, "AT_STATX_FORCE_SYNC"),
    flag(0x4000, "AT_STATX_DONT_SYNC"),
    flag(0x1_0000, "AT_EXECVE_CHECK"),
];

const AT_REMOVEDIR: &[Part] = &[flag(0x200, "AT_REMOVEDIR")];

const AT_EACCESS: &[Part] = &[flag(0x200, "AT_EACCESS")];

const AT_HANDLE: &[Part] = &[flag(0x200, "AT_HANDLE_FID")];

const RENAME: &[Part] = &[
    flag(1, "RENAME_NOREPLACE"),
    flag(2, "RENAME_EXCHANGE"),
    flag(4, "RENAME_WHITEOUT"),
];

const PROT: &[Part] = &[
    flag(1, "PROT_READ"),
    flag(2, "PROT_WRITE"),
    flag(4, "PROT_EXEC"),
    flag(8, "PROT_SEM"),
    flag(0x0100_0000, "PROT_GROWSDOWN"),
    flag(0x0200_0000, "PROT_GROWSUP"),
];

const MSG: &[Part] = &[
    flag(0x1, "MSG_OOB"),
    flag(0x2, "MSG_PEEK"),
    flag(0x4, "MSG_DONTROUTE"),
    flag(0x8, "MSG_CTRUNC"),
    flag(0x20, "MSG_TRUNC"),
    flag(0x40, "MSG_DONTWAIT"),
    flag(0x80, "MSG_EOR"),
    flag(0x100, "MSG_WAITALL"),
    flag(0x800, "MSG_CONFIRM"),
    flag(0x2000, "MSG_ERRQUEUE"),
    flag(0x4000, "MSG_NOSIGNAL"),
    flag(0x8000, "MSG_MORE"),
    flag(0x1_0000, "MSG_WAITFORONE"),
    flag(0x400_0000, "MSG_ZEROCOPY"),
    flag(0x2000_0000, "MSG_FASTOPEN"),
    flag(0x4000_0000, "MSG_CMSG_CLOEXEC"),
    flag(0x8000_0000, "MSG_CMSG_COMPAT"),
];

const RWF: &[Part] = &[
    flag(1, "RWF_HIPRI"),
    flag(2, "RWF_DSYNC"),
    flag(4, "RWF_SYNC"),
    flag(8, "RWF_NOWAIT"),
    flag(0x10, "RWF_APPEND"),
    flag(0x20, "RWF_NOAPPEND"),
    flag(0x40, "RWF_ATOMIC"),
    flag(0x80, "RWF_DONTCACHE"),
];

const SPLICE: &[Part] = &[
    flag(1, "SPLICE_F_MOVE"),
    flag(2, "SPLICE_F_NONBLOCK"),
    flag(4, "SPLICE_F_MORE"),
    flag(8, "SPLICE_F_GIFT"),
];

const FALLOCATE: &[Part] = &[
    flag(1, "FALLOC_FL_KEEP_SIZE"),
    flag(2, "FALLOC_FL_PUNCH_HOLE"),
    flag(4, "FALLOC_FL_NO_HIDE_STALE"),
    flag(8, "FALLOC_FL_COLLAPSE_RANGE"),
    flag(0x10, "FALLOC_FL_ZERO_RANGE"),
    flag(0x20, "FALLOC_FL_INSERT_RANGE"),
    flag(0x40, "FALLOC_FL_UNSHARE_RANGE"),
    flag(0x80, "FALLOC_FL_WRITE_ZEROES"),
];

const SYNC_FILE_RANGE: &[Part] = &[
    flag(1, "SYNC_FILE_RANGE_WAIT_BEFORE"),
    flag(2, "SYNC_FILE_RANGE_WRITE"),
    flag(4, "SYNC_FILE_RANGE_WAIT_AFTER"),
];

const MSYNC: &[Part] = &[
    flag(1, "MS_ASYNC"),
    flag(2, "MS_INVALIDATE"),
    flag(4, "MS_SYNC"),
];

const MEMFD: &[Part] = &[
    flag(1, "MFD_CLOEXEC"),
    flag(2, "MFD_ALLOW_SEALING"),
    flag(4, "MFD_HUGETLB"),
    flag(8, "MFD_NOEXEC_SEAL"),
    flag(0x10, "MFD_EXEC"),
];

const CLOSE_RANGE: &[Part] = &[
    flag(2, "CLOSE_RANGE_UNSHARE"),
    flag(4, "CLOSE_RANGE_CLOEXEC"),
];

const URING_ENTER: &[Part] = &[
    flag(1, "IORING_ENTER_GETEVENTS"),
    flag(2, "IORING_ENTER_SQ_WAKEUP"),
    flag(4, "IORING_ENTER_SQ_WAIT"),
    flag(8, "IORING_ENTER_EXT_ARG"),
    flag(0x10, "IORING_ENTER_REGISTERED_RING"),
    flag(0x20, "IORING_ENTER_ABS_TIMER"),
    flag(0x40, "IORING_ENTER_EXT_ARG_REG"),
    flag(0x80, "IORING_ENTER_NO_IOWAIT"),
];

const EVENTFD: &[Part] = &[
    flag(1, "EFD_SEMAPHORE"),
    flag(0o4000, "EFD_NONBLOCK"),
    flag(0o2_000_000, "EFD_CLOEXEC"),
];

const EPOLL: &[Part] = &[flag(0o2_000_000, "EPOLL_CLOEXEC")];

const INOTIFY: &[Part] = &[flag(0o4000, "IN_NONBLOCK"), flag(0o2_000_000, "IN_CLOEXEC")];

#[cfg(test)]
mod tests {
    use super::*;

    fn text(syscall: &str, value: i32) -> String {
        Flags::new(syscall, Abi::X86_64, value as u32).to_string()
    }

    #[test]
    fn open_flags_always_say_the_access_mode() {
        assert_eq!(text("openat", 0), "O_RDONLY");
        assert_eq!(
            text("openat", libc::O_RDWR | libc::O_CREAT | libc::O_CLOEXEC),
            "O_RDWR|O_CREAT|O_CLOEXEC"
        );
        assert_eq!(text("open", 3), "O_ACCMODE");
        assert_eq!(
            text("openat2", libc::O_WRONLY | libc::O_SYNC),
            "O_WRONLY|O_SYNC"
        );
        assert_eq!(text("open", libc::O_DSYNC), "O_RDONLY|O_DSYNC");
        assert_eq!(text("open", i32::MIN), "O_RDONLY|0x80000000");
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn values_agree_with_libc() {
        assert_eq!(
            text("open", libc::O_TMPFILE | libc::O_RDWR),
            "O_RDWR|O_TMPFILE"
        );
        assert_eq!(
            text(
                "open",
                libc::O_DIRECT
                    | libc::O_DIRECTORY
                    | libc::O_NOFOLLOW
                    | libc::O_NOATIME
                    | libc::O_PATH
            ),
            "O_RDONLY|O_NOATIME|O_PATH|O_DIRECT|O_DIRECTORY|O_NOFOLLOW"
        );
        assert_eq!(
            text(
                "open",
                libc::O_EXCL
                    | libc::O_NOCTTY
                    | libc::O_TRUNC
                    | libc::O_APPEND
                    | libc::O_NONBLOCK
                    | libc::O_ASYNC
            ),
            "O_RDONLY|O_EXCL|O_NOCTTY|O_TRUNC|O_APPEND|O_NONBLOCK|O_ASYNC"
        );
        assert_eq!(
            text(
                "newfstatat",
                libc::AT_SYMLINK_NOFOLLOW | libc::AT_EMPTY_PATH
            ),
            "AT_SYMLINK_NOFOLLOW|AT_EMPTY_PATH"
        );
        assert_eq!(
            text("mmap", libc::PROT_READ | libc::PROT_WRITE),
            "PROT_READ|PROT_WRITE"
        );
        assert_eq!(
            text(
                "recvfrom",
                libc::MSG_PEEK | libc::MSG_TRUNC | libc::MSG_NOSIGNAL
            ),
            "MSG_PEEK|MSG_TRUNC|MSG_NOSIGNAL"
        );
        assert_eq!(
            text("eventfd2", libc::EFD_CLOEXEC | libc::EFD_SEMAPHORE),
            "EFD_SEMAPHORE|EFD_CLOEXEC"
        );
        assert_eq!(
            text("memfd_create", libc::MFD_ALLOW_SEALING as i32),
            "MFD_ALLOW_SEALING"
        );
        assert_eq!(
            text("pipe2", libc::O_CLOEXEC | libc::O_DIRECT),
            "O_CLOEXEC|O_DIRECT"
        );
    }

    #[test]
    fn the_same_bit_means_what_the_call_says() {
        assert_eq!(text("unlinkat", 0x200), "AT_REMOVEDIR");
        assert_eq!(text("faccessat2", 0x200), "AT_EACCESS");
        assert_eq!(text("newfstatat", 0x200), "0x200");
        assert_eq!(text("renameat2", 1), "RENAME_NOREPLACE");
        let arm = |value| Flags::new("openat", Abi::Aarch64, value).to_string();
        assert_eq!(arm(0o40_000), "O_RDONLY|O_DIRECTORY");
        assert_eq!(arm(0o20_040_000), "O_RDONLY|O_TMPFILE");
    }

    #[test]
    fn nothing_and_the_unknown_are_said() {
        assert_eq!(text("dup3", 0), "0");
        assert_eq!(text("mmap", 0), "PROT_NONE");
        assert_eq!(text("mmap", 0x11), "PROT_READ|0x10");
        assert_eq!(text("fsync", 0x1234), "0x1234");
    }
}
