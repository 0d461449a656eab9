//! Times, modes and file attributes by the less common calls; special files; the root directory.

use libc::{AT_EMPTY_PATH, AT_FDCWD, AT_SYMLINK_NOFOLLOW, EBADF, EEXIST, EFAULT, EINVAL, ENOENT};
use libc::{ENOTDIR, EOPNOTSUPP, EPERM, O_CREAT, O_DIRECTORY, O_RDONLY, O_RDWR};
use libc::{S_IFCHR, S_IFDIR, S_IFIFO, S_IFREG};

use super::super::files::CLOSED;
use super::super::make_file;
use super::{Scenario, plain};
use crate::args;
use crate::sys::*;
use crate::tape::Tape;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[
    plain("mode_at", mode_at),
    plain("file_attributes", file_attributes),
    plain("old_times", old_times),
    plain("special_files", special_files),
    plain("other_root", other_root),
    plain("file_systems", file_systems),
];

/// A directory `d` with a file `f` and a symbolic link `l` to it; the directory's descriptor.
fn make_dir(t: &mut Tape) -> i32 {
    t.outside(|t| {
        assert_eq!(call(MKDIR.nr, args![c"d", 0o755]), 0, "mkdir");
        make_file(t, "d/f", 10);
        assert_eq!(call(SYMLINK.nr, args![c"f", c"d/l"]), 0, "symlink");
        call(OPEN.nr, args![c"d", O_RDONLY | O_DIRECTORY]) as i32
    })
}

/// `fchmodat2`.
fn mode_at(t: &mut Tape) {
    let dir = make_dir(t);
    t.path(FCHMODAT2, "d/f", args![dir, c"f", 0o600, 0])
        .flags(0)
        .is(0);
    t.path(FCHMODAT2, "d/f", args![AT_FDCWD, c"d/f", 0o640, 0])
        .flags(0)
        .is(0);
    t.path(
        FCHMODAT2,
        "d/l",
        args![dir, c"l", 0o600, AT_SYMLINK_NOFOLLOW],
    )
    .flags(AT_SYMLINK_NOFOLLOW)
    .fails(EOPNOTSUPP);
    t.path(FCHMODAT2, "d/no", args![dir, c"no", 0o600, 0])
        .fails(ENOENT);
    t.path(FCHMODAT2, "d/f", args![dir, c"f", 0o600, 1])
        .flags(1)
        .fails(EINVAL);
    t.path(FCHMODAT2, "", args![dir, 8, 0o600, 0])
        .partial(b"")
        .fails(EFAULT);
    let at = AT_EMPTY_PATH;
    t.fd(FCHMODAT2, dir, "d", args![dir, c"", 0o700, at])
        .flags(at)
        .is(0);
    t.fd(FCHMODAT2, CLOSED, "", args![CLOSED, c"", 0o700, at])
        .flags(at)
        .fails(EBADF);
    t.fd(CLOSE, dir, "d", args![dir]).is(0);
}

/// `file_getattr`, `file_setattr`.
fn file_attributes(t: &mut Tape) {
    let dir = make_dir(t);
    let at = AT_EMPTY_PATH;
    let attr = &mut [0u64; 3];
    t.path(FILE_GETATTR, "d/f", args![dir, c"f", &mut *attr, 24, 0])
        .requested(24)
        .flags(0)
        .is(0);
    t.path(FILE_SETATTR, "d/f", args![dir, c"f", &*attr, 24, 0])
        .requested(24)
        .flags(0)
        .is(0);
    t.fd(FILE_GETATTR, dir, "d", args![dir, c"", &mut *attr, 24, at])
        .requested(24)
        .flags(at)
        .is(0);
    t.fd(FILE_SETATTR, dir, "d", args![dir, c"", &*attr, 24, at])
        .requested(24)
        .flags(at)
        .is(0);
    t.fd(CLOSE, dir, "d", args![dir]).is(0);
    for sys in [FILE_GETATTR, FILE_SETATTR] {
        t.path(sys, "no", args![AT_FDCWD, c"no", &mut *attr, 24, 0])
            .requested(24)
            .fails(ENOENT);
        t.path(sys, "d/f", args![AT_FDCWD, c"d/f", &mut *attr, 7, 0])
            .requested(7)
            .fails(EINVAL);
        t.path(sys, "d/f", args![AT_FDCWD, c"d/f", &mut *attr, 24, 1])
            .requested(24)
            .flags(1)
            .fails(EINVAL);
        t.path(sys, "d/f", args![AT_FDCWD, c"d/f", 8, 24, 0])
            .requested(24)
            .fails(EFAULT);
        t.fd(sys, CLOSED, "", args![CLOSED, c"", &mut *attr, 24, at])
            .requested(24)
            .flags(at)
            .fails(EBADF);
    }
}

/// `utime`, `utimes`, `futimesat`.
fn old_times(t: &mut Tape) {
    let dir = make_dir(t);
    let seconds = [1_000_000_000i64, 1_000_000_001];
    let times = [1_000_000_000i64, 500_000, 1_000_000_001, 0];
    let wrong = [0i64, -1, 0, 0];
    t.path(UTIME, "d/f", args![c"d/f", &seconds]).is(0);
    t.path(UTIME, "d/l", args![c"d/l", 0]).is(0);
    t.path(UTIME, "no", args![c"no", &seconds]).fails(ENOENT);
    t.path(UTIME, "d/f", args![c"d/f", 8]).fails(EFAULT);
    t.path(UTIME, "", args![8, 0]).partial(b"").fails(EFAULT);

    t.path(UTIMES, "d/f", args![c"d/./f", &times]).is(0);
    t.path(UTIMES, "d/f/x", args![c"d/f/x", 0]).fails(ENOTDIR);
    t.path(UTIMES, "d/f", args![c"d/f", &wrong]).fails(EINVAL);
    t.path(UTIMES, "", args![0, 0]).partial(b"").fails(EFAULT);

    t.path(FUTIMESAT, "d/f", args![dir, c"f", &times]).is(0);
    t.path(FUTIMESAT, "d/f", args![AT_FDCWD, c"d/f", 0]).is(0);
    t.path(FUTIMESAT, "d/no", args![dir, c"no", 0])
        .fails(ENOENT);
    t.path(FUTIMESAT, "d/f", args![dir, c"f", &wrong])
        .fails(EINVAL);
    // Without a name: the descriptor's own times.
    t.fd(FUTIMESAT, dir, "d", args![dir, 0, &times]).is(0);
    t.fd(FUTIMESAT, CLOSED, "", args![CLOSED, 0, &times])
        .fails(EBADF);
    t.fd(CLOSE, dir, "d", args![dir]).is(0);
}

/// `mknod`, `mknodat`, `umask`.
fn special_files(t: &mut Tape) {
    let dir = make_dir(t);
    let null = 1u32 << 8 | 3;
    t.bare(UMASK, args![0o027]).ok();
    t.path(MKNOD, "fifo", args![c"fifo", S_IFIFO | 0o644, 0])
        .is(0);
    t.path(MKNOD, "null", args![c"null", S_IFCHR | 0o666, null])
        .is(0);
    t.path(MKNOD, "plain", args![c"plain", 0o644, 0]).is(0);
    t.bare(UMASK, args![0o022]).is(0o027);
    t.path(MKNOD, "fifo", args![c"fifo", S_IFIFO | 0o644, 0])
        .fails(EEXIST);
    t.path(MKNOD, "dir", args![c"dir", S_IFDIR | 0o755, 0])
        .fails(EPERM);
    t.path(MKNOD, "odd", args![c"odd", 0o170_644, 0])
        .fails(EINVAL);
    t.path(MKNOD, "no/fifo", args![c"no/fifo", S_IFIFO, 0])
        .fails(ENOENT);
    t.path(MKNOD, "", args![8, S_IFIFO, 0])
        .partial(b"")
        .fails(EFAULT);

    t.path(MKNODAT, "d/fifo", args![dir, c"fifo", S_IFIFO | 0o644, 0])
        .is(0);
    t.path(MKNODAT, "d/plain", args![dir, c"plain", S_IFREG | 0o644, 0])
        .is(0);
    t.path(MKNODAT, "fifo", args![AT_FDCWD, c"fifo", S_IFIFO, 0])
        .fails(EEXIST);
    t.path(MKNODAT, "d/no/f", args![dir, c"no/f", S_IFIFO, 0])
        .fails(ENOENT);
    t.path(MKNODAT, "d/f/x", args![dir, c"f/x", S_IFIFO, 0])
        .fails(ENOTDIR);
    t.fd(CLOSE, dir, "d", args![dir]).is(0);
    // An open fifo has the name it was made by.
    let fifo = t.open(OPEN, "fifo", args![c"fifo", O_RDWR]).ok() as i32;
    t.fd(WRITE, fifo, "fifo", args![fifo, b"through", 7]).is(7);
    t.fd(READ, fifo, "fifo", args![fifo, &mut [0u8; 16], 16])
        .is(7);
    t.fd(CLOSE, fifo, "fifo", args![fifo]).is(0);
}

/// `chroot`: names there are below the new root, whether they are opened or only asked for.
fn other_root(t: &mut Tape) {
    t.outside(|t| {
        assert_eq!(call(MKDIR.nr, args![c"d", 0o755]), 0, "mkdir");
        make_file(t, "d/f", 10);
    });
    t.path(CHROOT, "no", args![c"no"]).fails(ENOENT);
    t.path(CHROOT, "d/f", args![c"d/f"]).fails(ENOTDIR);
    t.path(CHROOT, "", args![8]).partial(b"").fails(EFAULT);
    t.child_and_wait(|t| {
        t.path(CHROOT, "d", args![c"d"]).is(0);
        let fd = t.open(OPEN, "d/f", args![c"/f", O_RDONLY]).ok() as i32;
        t.fd(READ, fd, "d/f", args![fd, &mut [0u8; 16], 16]).is(10);
        t.fd(CLOSE, fd, "d/f", args![fd]).is(0);
        t.open(OPEN, "d/absent", args![c"/absent", O_RDONLY])
            .fails(ENOENT);
        t.path(MKDIR, "d/sub", args![c"/sub", 0o755]).is(0);
        t.path(ACCESS, "d", args![c"/", libc::F_OK]).is(0);
        t.path(ACCESS, "d/no/x", args![c"//no/.//x", libc::F_OK])
            .fails(ENOENT);
        // `..` does not lead out, and where it leads from elsewhere is not known.
        t.path(ACCESS, "d/sub", args![c"/../../sub", libc::F_OK])
            .is(0);
        t.path(ACCESS, "", args![c"../no", libc::F_OK])
            .partial(b"/../no")
            .fails(ENOENT);
        t.two_paths(LINK, "d/sub/l", "d/f", args![c"/f", c"/sub/l"])
            .is(0);
        t.two_paths(RENAME, "m", "d/sub/l", args![c"/sub/l", c"m"])
            .is(0);
        t.two_paths(RENAME, "d/l", "m", args![c"m", c"/l"]).is(0);
        t.two_paths(SYMLINK, "d/s", "", args![c"/no", c"/s"])
            .old_text(b"/no")
            .is(0);
        // The working directory stayed outside.
        let flags = O_CREAT | O_RDWR;
        let fd = t.open(OPEN, "g", args![c"g", flags, 0o644]).ok() as i32;
        t.fd(CLOSE, fd, "g", args![fd]).is(0);
        t.path(ACCESS, "absent", args![c"absent", libc::F_OK])
            .fails(ENOENT);
        t.path(CHDIR, "d/sub", args![c"/sub"]).is(0);
        let fd = t
            .open(OPENAT, "d/sub/h", args![AT_FDCWD, c"h", flags, 0o644])
            .ok() as i32;
        t.fd(CLOSE, fd, "d/sub/h", args![fd]).is(0);
        t.path(CHROOT, "d/sub", args![c"/sub"]).is(0);
        let fd = t.open(OPEN, "d/sub/h", args![c"/../h", O_RDONLY]).ok() as i32;
        t.fd(CLOSE, fd, "d/sub/h", args![fd]).is(0);
        t.path(CHROOT, "d/sub/sub", args![c"/sub"]).fails(ENOENT);
        t.path(EXECVE, "d/sub/none", args![c"/none", 0, 0])
            .fails(ENOENT);
    });
    t.path(ACCESS, "d/sub/h", args![c"d/sub/h", libc::F_OK])
        .is(0);
}

/// `sysfs`, `ustat`.
fn file_systems(t: &mut Tape) {
    let buffer = &mut [0u8; 64];
    let stat = &mut [0u64; 18];
    t.path(NEWSTAT, "/", args![c"/", &mut *stat]).is(0);
    t.bare(USTAT, args![stat[0], &mut *buffer]).is(0);
    t.bare(USTAT, args![stat[0], 8]).fails(EFAULT);
    t.bare(USTAT, args![0xffff_ffffu32, &mut *buffer])
        .fails(EINVAL);
    let known = t.bare(SYSFS, args![3]).ok();
    let index = t.bare(SYSFS, args![1, c"proc"]).ok();
    assert!(index < known, "{index} of {known} file systems");
    t.bare(SYSFS, args![2, index, &mut *buffer]).is(0);
    t.bare(SYSFS, args![2, known, &mut *buffer]).fails(EINVAL);
    t.bare(SYSFS, args![1, c"no-such-fs"]).fails(EINVAL);
    t.bare(SYSFS, args![1, 8]).fails(EFAULT);
    t.bare(SYSFS, args![9]).fails(EINVAL);
}
