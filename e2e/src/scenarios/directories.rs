//! Directories: made, listed, removed, entered, and named by descriptor.

use libc::{
    AT_FDCWD, AT_REMOVEDIR, EBADF, EEXIST, ENOENT, ENOTDIR, ENOTEMPTY, ERANGE, O_CREAT,
    O_DIRECTORY, O_RDONLY, O_RDWR, O_WRONLY,
};

use super::files::CLOSED;
use super::{c_full, make_file};
use crate::args;
use crate::sys::*;
use crate::tape::Tape;

/// `mkdir`, `mkdirat`, `rmdir`, `unlinkat` with `AT_REMOVEDIR`.
pub fn directories(t: &mut Tape) {
    t.path(MKDIR, "d", args![c"d", 0o755]).is(0);
    t.path(MKDIR, "d", args![c"d", 0o755]).fails(EEXIST);
    t.path(MKDIRAT, "d/e", args![AT_FDCWD, c"d/e", 0o755]).is(0);
    t.path(MKDIRAT, "missing/e", args![AT_FDCWD, c"missing/e", 0o755])
        .fails(ENOENT);
    t.path(RMDIR, "d", args![c"d"]).fails(ENOTEMPTY);
    t.path(UNLINKAT, "d", args![AT_FDCWD, c"d", AT_REMOVEDIR])
        .fails(ENOTEMPTY);
    t.path(UNLINKAT, "d/e", args![AT_FDCWD, c"d/e", AT_REMOVEDIR])
        .is(0);
    t.path(RMDIR, "d", args![c"d"]).is(0);
    t.path(RMDIR, "d", args![c"d"]).fails(ENOENT);
}

/// `getdents64` and `getdents`.
pub fn directory_entries(t: &mut Tape) {
    let buffer = &mut [0u8; 4096];
    t.path(MKDIR, "d", args![c"d", 0o755]).is(0);
    t.outside(|t| make_file(t, "d/f", 1));
    let fd = t.open(OPEN, "d", args![c"d", O_RDONLY | O_DIRECTORY]).ok() as i32;
    let all = t
        .fd(GETDENTS64, fd, "d", args![fd, &mut *buffer, 4096])
        .ok();
    assert!(all > 0, "the directory has entries");
    t.fd(GETDENTS64, fd, "d", args![fd, &mut *buffer, 4096])
        .is(0);
    t.fd(LSEEK, fd, "d", args![fd, 0, libc::SEEK_SET]).is(0);
    t.fd(GETDENTS, fd, "d", args![fd, &mut *buffer, 4096]).ok();
    t.fd(CLOSE, fd, "d", args![fd]).is(0);
    t.fd(GETDENTS64, CLOSED, "", args![CLOSED, &mut *buffer, 4096])
        .fails(EBADF);
    t.fd(GETDENTS, CLOSED, "", args![CLOSED, &mut *buffer, 4096])
        .fails(EBADF);
    let fd = t.open(OPEN, "d/f", args![c"d/f", O_RDONLY]).ok() as i32;
    t.fd(GETDENTS64, fd, "d/f", args![fd, &mut *buffer, 4096])
        .fails(ENOTDIR);
    t.fd(CLOSE, fd, "d/f", args![fd]).is(0);
}

/// `getcwd`, `chdir`, `fchdir`, and relative names after them.
pub fn working_directory(t: &mut Tape) {
    let buffer = &mut [0u8; 4096];
    t.path(MKDIR, "d", args![c"d", 0o755]).is(0);
    t.bare(GETCWD, args![&mut *buffer, 4096]).any_name().ok();
    t.bare(GETCWD, args![&mut *buffer, 1])
        .any_name()
        .fails(ERANGE);
    t.path(CHDIR, "d", args![c"d"]).is(0);
    t.path(CHDIR, "d/missing", args![c"missing"]).fails(ENOENT);
    let fd = t
        .open(
            OPENAT,
            "d/f",
            args![AT_FDCWD, c"f", O_CREAT | O_RDWR, 0o644],
        )
        .ok() as i32;
    t.fd(WRITE, fd, "d/f", args![fd, b"in d", 4]).is(4);
    t.fd(CLOSE, fd, "d/f", args![fd]).is(0);
    t.open(OPENAT, "d/missing", args![AT_FDCWD, c"missing", O_RDONLY])
        .fails(ENOENT);
    t.path(ACCESS, "d/f", args![c"f", libc::F_OK]).is(0);
    // `..` is kept in a name passed, and gone from the path of an opened file.
    t.path(ACCESS, "d/../d/f", args![c"../d/f", libc::F_OK])
        .is(0);
    let fd = t.open(OPEN, "", args![c"..", O_RDONLY | O_DIRECTORY]).ok() as i32;
    let dir = t.dir.clone();
    t.last().file = Some(dir.clone().into());
    t.last().name_source = Some("kernel".to_owned());
    t.fd(FCHDIR, fd, &dir, args![fd]).is(0);
    t.fd(FCHDIR, CLOSED, "", args![CLOSED]).fails(EBADF);
    t.path(ACCESS, "f", args![c"f", libc::F_OK]).fails(ENOENT);
    t.fd(CLOSE, fd, &dir, args![fd]).is(0);
    // A child has a working directory of its own.
    t.child_and_wait(|t| {
        t.path(CHDIR, "d", args![c"d"]).is(0);
        t.path(ACCESS, "d/f", args![c"f", libc::F_OK]).is(0);
        t.path(CHDIR, "/", args![c"/"]).is(0);
        t.path(ACCESS, "/no-such-name", args![c"no-such-name", libc::F_OK])
            .fails(ENOENT);
    });
    t.path(ACCESS, "d/f", args![c"d/f", libc::F_OK]).is(0);
}

/// Names relative to a directory descriptor, also after the directory was renamed.
pub fn relative_to_dirfd(t: &mut Tape) {
    t.path(MKDIR, "d", args![c"d", 0o755]).is(0);
    let dir = t.open(OPEN, "d", args![c"d", O_RDONLY | O_DIRECTORY]).ok() as i32;
    let flags = O_CREAT | O_WRONLY;
    let fd = t
        .open(OPENAT, "d/f", args![dir, c"f", flags, 0o644])
        .flags(flags)
        .ok() as i32;
    t.fd(CLOSE, fd, "d/f", args![fd]).is(0);
    t.open(OPENAT, "d/missing", args![dir, c"missing", O_RDONLY])
        .fails(ENOENT);
    t.path(MKDIRAT, "d/sub", args![dir, c"sub", 0o755]).is(0);
    t.path(FACCESSAT, "d/sub", args![dir, c"sub", libc::F_OK])
        .is(0);
    t.path(
        NEWFSTATAT,
        "d/sub/no",
        args![dir, c"sub/no", &mut [0u8; 256], 0],
    )
    .fails(ENOENT);
    // An absolute name is not joined.
    let absolute = c_full(t, "d/f");
    t.path(FACCESSAT, "d/f", args![dir, &absolute, libc::F_OK])
        .is(0);
    t.two_paths(RENAME, "e", "d", args![c"d", c"e"]).is(0);
    t.path(FACCESSAT, "e/f", args![dir, c"f", libc::F_OK]).is(0);
    t.path(UNLINKAT, "e/f", args![dir, c"f", 0]).is(0);
    t.path(UNLINKAT, "e/f", args![dir, c"f", 0]).fails(ENOENT);
    t.path(UNLINKAT, "e/sub", args![dir, c"sub", AT_REMOVEDIR])
        .is(0);
    t.fd(CLOSE, dir, "e", args![dir]).is(0);
    t.path(UNLINKAT, "", args![dir, c"f", 0])
        .any_name()
        .fails(EBADF);
}
