//! Flags of calls on files and names: opening, `*at` calls, `fcntl`, locks, advice, extended attributes, splicing.

use super::{Part, flag, one_of, value};

pub(super) const ACCESS_MODE: &[Part] = &[
    one_of(0o3, 0o0, "O_RDONLY"),
    one_of(0o3, 0o1, "O_WRONLY"),
    one_of(0o3, 0o2, "O_RDWR"),
    one_of(0o3, 0o3, "O_ACCMODE"),
];

pub(super) const OPEN: &[Part] = &[
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

pub(super) const OPEN_X86: &[Part] = &[
    flag(0o20_200_000, "O_TMPFILE"),
    flag(0o40_000, "O_DIRECT"),
    flag(0o100_000, "O_LARGEFILE"),
    flag(0o200_000, "O_DIRECTORY"),
    flag(0o400_000, "O_NOFOLLOW"),
];

pub(super) const OPEN_ARM64: &[Part] = &[
    flag(0o20_040_000, "O_TMPFILE"),
    flag(0o40_000, "O_DIRECTORY"),
    flag(0o100_000, "O_NOFOLLOW"),
    flag(0o200_000, "O_DIRECT"),
    flag(0o400_000, "O_LARGEFILE"),
];

pub(super) const ACCESS: &[Part] = &[flag(4, "R_OK"), flag(2, "W_OK"), flag(1, "X_OK")];

pub(super) const AT: &[Part] = &[
    flag(0x100, "AT_SYMLINK_NOFOLLOW"),
    flag(0x400, "AT_SYMLINK_FOLLOW"),
    flag(0x800, "AT_NO_AUTOMOUNT"),
    flag(0x1000, "AT_EMPTY_PATH"),
    flag(0x2000, "AT_STATX_FORCE_SYNC"),
    flag(0x4000, "AT_STATX_DONT_SYNC"),
    flag(0x8000, "AT_RECURSIVE"),
    flag(0x1_0000, "AT_EXECVE_CHECK"),
];

pub(super) const AT_REMOVEDIR: &[Part] = &[flag(0x200, "AT_REMOVEDIR")];

pub(super) const AT_EACCESS: &[Part] = &[flag(0x200, "AT_EACCESS")];

pub(super) const AT_HANDLE: &[Part] = &[
    flag(1, "AT_HANDLE_MNT_ID_UNIQUE"),
    flag(2, "AT_HANDLE_CONNECTABLE"),
    flag(0x200, "AT_HANDLE_FID"),
];

pub(super) const RENAME: &[Part] = &[
    flag(1, "RENAME_NOREPLACE"),
    flag(2, "RENAME_EXCHANGE"),
    flag(4, "RENAME_WHITEOUT"),
];

pub(super) const CLOSE_RANGE: &[Part] = &[
    flag(2, "CLOSE_RANGE_UNSHARE"),
    flag(4, "CLOSE_RANGE_CLOEXEC"),
];

pub(super) const FCNTL: &[Part] = &[
    value(0, "F_DUPFD"),
    value(1, "F_GETFD"),
    value(2, "F_SETFD"),
    value(3, "F_GETFL"),
    value(4, "F_SETFL"),
    value(5, "F_GETLK"),
    value(6, "F_SETLK"),
    value(7, "F_SETLKW"),
    value(8, "F_SETOWN"),
    value(9, "F_GETOWN"),
    value(10, "F_SETSIG"),
    value(11, "F_GETSIG"),
    value(12, "F_GETLK64"),
    value(13, "F_SETLK64"),
    value(14, "F_SETLKW64"),
    value(15, "F_SETOWN_EX"),
    value(16, "F_GETOWN_EX"),
    value(17, "F_GETOWNER_UIDS"),
    value(36, "F_OFD_GETLK"),
    value(37, "F_OFD_SETLK"),
    value(38, "F_OFD_SETLKW"),
    value(1024, "F_SETLEASE"),
    value(1025, "F_GETLEASE"),
    value(1026, "F_NOTIFY"),
    value(1027, "F_DUPFD_QUERY"),
    value(1028, "F_CREATED_QUERY"),
    value(1029, "F_CANCELLK"),
    value(1030, "F_DUPFD_CLOEXEC"),
    value(1031, "F_SETPIPE_SZ"),
    value(1032, "F_GETPIPE_SZ"),
    value(1033, "F_ADD_SEALS"),
    value(1034, "F_GET_SEALS"),
    value(1035, "F_GET_RW_HINT"),
    value(1036, "F_SET_RW_HINT"),
    value(1037, "F_GET_FILE_RW_HINT"),
    value(1038, "F_SET_FILE_RW_HINT"),
    value(1039, "F_GETDELEG"),
    value(1040, "F_SETDELEG"),
];

pub(super) const SEEK: &[Part] = &[
    value(0, "SEEK_SET"),
    value(1, "SEEK_CUR"),
    value(2, "SEEK_END"),
    value(3, "SEEK_DATA"),
    value(4, "SEEK_HOLE"),
];

pub(super) const FLOCK: &[Part] = &[
    flag(1, "LOCK_SH"),
    flag(2, "LOCK_EX"),
    flag(4, "LOCK_NB"),
    flag(8, "LOCK_UN"),
    flag(0x20, "LOCK_MAND"),
    flag(0x40, "LOCK_READ"),
    flag(0x80, "LOCK_WRITE"),
];

pub(super) const FADVISE: &[Part] = &[
    value(0, "POSIX_FADV_NORMAL"),
    value(1, "POSIX_FADV_RANDOM"),
    value(2, "POSIX_FADV_SEQUENTIAL"),
    value(3, "POSIX_FADV_WILLNEED"),
    value(4, "POSIX_FADV_DONTNEED"),
    value(5, "POSIX_FADV_NOREUSE"),
];

pub(super) const FALLOCATE: &[Part] = &[
    flag(1, "FALLOC_FL_KEEP_SIZE"),
    flag(2, "FALLOC_FL_PUNCH_HOLE"),
    flag(4, "FALLOC_FL_NO_HIDE_STALE"),
    flag(8, "FALLOC_FL_COLLAPSE_RANGE"),
    flag(0x10, "FALLOC_FL_ZERO_RANGE"),
    flag(0x20, "FALLOC_FL_INSERT_RANGE"),
    flag(0x40, "FALLOC_FL_UNSHARE_RANGE"),
    flag(0x80, "FALLOC_FL_WRITE_ZEROES"),
];

pub(super) const SYNC_FILE_RANGE: &[Part] = &[
    flag(1, "SYNC_FILE_RANGE_WAIT_BEFORE"),
    flag(2, "SYNC_FILE_RANGE_WRITE"),
    flag(4, "SYNC_FILE_RANGE_WAIT_AFTER"),
];

pub(super) const RWF: &[Part] = &[
    flag(1, "RWF_HIPRI"),
    flag(2, "RWF_DSYNC"),
    flag(4, "RWF_SYNC"),
    flag(8, "RWF_NOWAIT"),
    flag(0x10, "RWF_APPEND"),
    flag(0x20, "RWF_NOAPPEND"),
    flag(0x40, "RWF_ATOMIC"),
    flag(0x80, "RWF_DONTCACHE"),
    flag(0x100, "RWF_NOSIGNAL"),
];

pub(super) const SPLICE: &[Part] = &[
    flag(1, "SPLICE_F_MOVE"),
    flag(2, "SPLICE_F_NONBLOCK"),
    flag(4, "SPLICE_F_MORE"),
    flag(8, "SPLICE_F_GIFT"),
];

pub(super) const XATTR: &[Part] = &[flag(1, "XATTR_CREATE"), flag(2, "XATTR_REPLACE")];
