//! What is asked about files and set on them: stat, access, mode, owner, times.

use libc::{
    AT_EMPTY_PATH, AT_FDCWD, AT_SYMLINK_NOFOLLOW, EBADF, EFAULT, EINVAL, ENOENT, O_RDONLY, O_RDWR,
};

use super::files::CLOSED;
use super::make_file;
use crate::args;
use crate::sys::*;
use crate::tape::Tape;

const STATX_BASIC: u32 = libc::STATX_BASIC_STATS;

/// `newstat`, `newlstat`, `newfstat`, `newfstatat`, `statx`, `statfs`, `fstatfs`.
pub fn stat(t: &mut Tape) {
    let buffer = &mut [0u8; 512];
    t.outside(|t| make_file(t, "f", 10));
    t.two_paths(SYMLINK, "l", "", args![c"f", c"l"]).is(0);
    t.last().old_file = Some(b"f"[..].into());
    t.path(NEWSTAT, "l", args![c"l", &mut *buffer]).is(0);
    t.path(NEWSTAT, "missing", args![c"missing", &mut *buffer])
        .fails(ENOENT);
    t.path(NEWLSTAT, "l", args![c"l", &mut *buffer]).is(0);
    t.path(NEWLSTAT, "missing", args![c"missing", &mut *buffer])
        .fails(ENOENT);
    t.path(NEWFSTATAT, "f", args![AT_FDCWD, c"f", &mut *buffer, 0])
        .is(0);
    t.path(
        NEWFSTATAT,
        "missing",
        args![AT_FDCWD, c"missing", &mut *buffer, 0],
    )
    .fails(ENOENT);
    t.path(
        NEWFSTATAT,
        "f",
        args![AT_FDCWD, c"f", &mut *buffer, 0xfffff],
    )
    .fails(EINVAL);
    t.path(
        STATX,
        "f",
        args![AT_FDCWD, c"f", 0, STATX_BASIC, &mut *buffer],
    )
    .is(0);
    t.path(
        STATX,
        "no",
        args![AT_FDCWD, c"no", 0, STATX_BASIC, &mut *buffer],
    )
    .fails(ENOENT);
    t.path(STATFS, "f", args![c"f", &mut *buffer]).is(0);
    t.path(STATFS, "missing", args![c"missing", &mut *buffer])
        .fails(ENOENT);
    let fd = t.open(OPEN, "f", args![c"f", O_RDONLY]).ok() as i32;
    t.fd(NEWFSTAT, fd, "f", args![fd, &mut *buffer]).is(0);
    t.fd(FSTATFS, fd, "f", args![fd, &mut *buffer]).is(0);
    t.fd(CLOSE, fd, "f", args![fd]).is(0);
    t.fd(NEWFSTAT, CLOSED, "", args![CLOSED, &mut *buffer])
        .fails(EBADF);
    t.fd(FSTATFS, CLOSED, "", args![CLOSED, &mut *buffer])
        .fails(EBADF);
}

/// An empty name with `AT_EMPTY_PATH` means the descriptor itself.
pub fn stat_empty_path(t: &mut Tape) {
    let buffer = &mut [0u8; 512];
    t.outside(|t| make_file(t, "f", 10));
    let fd = t.open(OPEN, "f", args![c"f", O_RDWR]).ok() as i32;
    let at = AT_EMPTY_PATH;
    t.fd(NEWFSTATAT, fd, "f", args![fd, c"", &mut *buffer, at])
        .is(0);
    t.fd(
        STATX,
        fd,
        "f",
        args![fd, c"", at, STATX_BASIC, &mut *buffer],
    )
    .is(0);
    t.fd(FCHOWNAT, fd, "f", args![fd, c"", -1, -1, at]).is(0);
    t.fd(CLOSE, fd, "f", args![fd]).is(0);
    t.fd(NEWFSTATAT, CLOSED, "", args![CLOSED, c"", &mut *buffer, at])
        .fails(EBADF);
    let fd = t.open(OPEN, "f", args![c"f", O_RDWR]).ok() as i32;
    // No name is the descriptor's file to these, also when the times are bad.
    t.fd(UTIMENSAT, fd, "f", args![fd, 0, 8, 0]).fails(EFAULT);
    t.fd(FUTIMESAT, fd, "f", args![fd, 0, 8]).fails(EFAULT);
    // But not the working directory.
    t.path(UTIMENSAT, "", args![AT_FDCWD, 0, 0, 0])
        .partial(b"")
        .fails(EFAULT);
    // An empty one is to readlinkat, without a flag: here no link.
    t.fd(READLINKAT, fd, "f", args![fd, c"", &mut *buffer, 512])
        .fails(ENOENT);
    t.fd(CLOSE, fd, "f", args![fd]).is(0);
    // Without the flag an empty name is no file.
    t.path(NEWFSTATAT, "", args![AT_FDCWD, c"", &mut *buffer, 0])
        .any_name()
        .fails(ENOENT);
}

/// `access`, `faccessat`, `faccessat2`.
pub fn access(t: &mut Tape) {
    t.outside(|t| make_file(t, "f", 10));
    t.path(ACCESS, "f", args![c"f", libc::R_OK]).is(0);
    t.path(ACCESS, "missing", args![c"missing", libc::R_OK])
        .fails(ENOENT);
    t.path(FACCESSAT, "f", args![AT_FDCWD, c"f", libc::F_OK])
        .is(0);
    t.path(
        FACCESSAT,
        "missing",
        args![AT_FDCWD, c"missing", libc::F_OK],
    )
    .fails(ENOENT);
    t.path(
        FACCESSAT2,
        "f",
        args![AT_FDCWD, c"f", libc::W_OK, libc::AT_EACCESS],
    )
    .is(0);
    t.path(FACCESSAT2, "missing", args![AT_FDCWD, c"missing", 0, 0])
        .fails(ENOENT);
    t.path(FACCESSAT2, "f", args![AT_FDCWD, c"f", 0, 1 << 30])
        .fails(EINVAL);
    // Nobody may execute a file without an x bit, not even root.
    t.path(ACCESS, "f", args![c"f", libc::X_OK])
        .fails(libc::EACCES);
}

/// `chmod`, `fchmod`, `fchmodat`, `chown`, `fchown`, `lchown`, `fchownat`, `utimensat`.
pub fn mode_owner_times(t: &mut Tape) {
    t.outside(|t| make_file(t, "f", 10));
    let fd = t.open(OPEN, "f", args![c"f", O_RDWR]).ok() as i32;
    t.path(CHMOD, "f", args![c"f", 0o600]).is(0);
    t.path(CHMOD, "missing", args![c"missing", 0o600])
        .fails(ENOENT);
    t.fd(FCHMOD, fd, "f", args![fd, 0o640]).is(0);
    t.fd(FCHMOD, CLOSED, "", args![CLOSED, 0o640]).fails(EBADF);
    t.path(FCHMODAT, "f", args![AT_FDCWD, c"f", 0o644]).is(0);
    t.path(FCHMODAT, "missing", args![AT_FDCWD, c"missing", 0o644])
        .fails(ENOENT);
    t.path(CHOWN, "f", args![c"f", -1, -1]).is(0);
    t.path(CHOWN, "missing", args![c"missing", -1, -1])
        .fails(ENOENT);
    t.fd(FCHOWN, fd, "f", args![fd, -1, -1]).is(0);
    t.fd(FCHOWN, CLOSED, "", args![CLOSED, -1, -1]).fails(EBADF);
    t.path(LCHOWN, "f", args![c"f", -1, -1]).is(0);
    t.path(LCHOWN, "missing", args![c"missing", -1, -1])
        .fails(ENOENT);
    t.path(
        FCHOWNAT,
        "f",
        args![AT_FDCWD, c"f", -1, -1, AT_SYMLINK_NOFOLLOW],
    )
    .is(0);
    t.path(FCHOWNAT, "missing", args![AT_FDCWD, c"missing", -1, -1, 0])
        .fails(ENOENT);
    t.path(UTIMENSAT, "f", args![AT_FDCWD, c"f", 0, 0]).is(0);
    t.path(UTIMENSAT, "missing", args![AT_FDCWD, c"missing", 0, 0])
        .fails(ENOENT);
    // What futimens(3) makes: no name at all, the descriptor itself.
    t.fd(UTIMENSAT, fd, "f", args![fd, 0, 0, 0]).is(0);
    t.fd(CLOSE, fd, "f", args![fd]).is(0);
}
