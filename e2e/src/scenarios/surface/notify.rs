//! Notification: inotify and fanotify.

use libc::{AT_FDCWD, EBADF, EEXIST, EFAULT, EINVAL, ENOENT, ENOTDIR, O_CREAT, O_RDONLY, O_RDWR};
use libc::{FAN_CLASS_NOTIF, FAN_CLOEXEC, FAN_MARK_ADD, FAN_MARK_FLUSH, FAN_MARK_REMOVE};
use libc::{FAN_MODIFY, FAN_NONBLOCK, FAN_OPEN, IN_CREATE, IN_MASK_CREATE, IN_MODIFY, IN_ONLYDIR};

use super::super::files::CLOSED;
use super::super::make_file;
use super::{Scenario, plain};
use crate::args;
use crate::sys::*;
use crate::tape::Tape;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[plain("inotify", inotify), plain("fanotify", fanotify)];

const INOTIFY: &str = "anon_inode:inotify";
const FANOTIFY: &str = "anon_inode:[fanotify]";

/// `inotify_init`, `inotify_add_watch`, `inotify_rm_watch`; `inotify_init` without a descriptor left to give.
fn inotify(t: &mut Tape) {
    let buffer = &mut [0u8; 256];
    t.outside(|t| {
        assert_eq!(call(MKDIR.nr, args![c"d", 0o755]), 0, "mkdir");
        make_file(t, "d/f", 10);
    });
    let fd = t.create(INOTIFY_INIT, INOTIFY, args![]).ok() as i32;
    let (create, modify) = (IN_CREATE as i32, IN_MODIFY as i32);
    let watch = t
        .path(INOTIFY_ADD_WATCH, "d", args![fd, c"d", create])
        .on(fd)
        .flags(create)
        .ok();
    t.path(INOTIFY_ADD_WATCH, "d/f", args![fd, c"./d/f", modify])
        .on(fd)
        .flags(modify)
        .is(watch + 1);
    let again = (IN_MODIFY | IN_MASK_CREATE) as i32;
    t.path(INOTIFY_ADD_WATCH, "d", args![fd, c"d", again])
        .on(fd)
        .flags(again)
        .fails(EEXIST);
    let only = (IN_MODIFY | IN_ONLYDIR) as i32;
    t.path(INOTIFY_ADD_WATCH, "d/f", args![fd, c"d/f", only])
        .on(fd)
        .flags(only)
        .fails(ENOTDIR);
    t.path(INOTIFY_ADD_WATCH, "d", args![fd, c"d", 0])
        .on(fd)
        .flags(0)
        .fails(EINVAL);
    t.path(INOTIFY_ADD_WATCH, "no", args![fd, c"no", create])
        .on(fd)
        .fails(ENOENT);
    t.path(INOTIFY_ADD_WATCH, "", args![fd, 8, create])
        .on(fd)
        .partial(b"")
        .fails(EFAULT);
    t.path(INOTIFY_ADD_WATCH, "d", args![CLOSED, c"d", create])
        .on(CLOSED)
        .fails(EBADF);
    t.path(INOTIFY_ADD_WATCH, "d", args![-1, c"d", create])
        .fails(EBADF);

    // An event with a name of at most 15 bytes has 32 bytes, one without 16.
    let made = t
        .open(OPEN, "d/made", args![c"d/made", O_CREAT | O_RDWR, 0o644])
        .ok() as i32;
    t.fd(CLOSE, made, "d/made", args![made]).is(0);
    t.path(TRUNCATE, "d/f", args![c"d/f", 0]).is(0);
    t.fd(READ, fd, INOTIFY, args![fd, &mut *buffer, 256])
        .requested(256)
        .is(48);
    t.fd(INOTIFY_RM_WATCH, fd, INOTIFY, args![fd, watch]).is(0);
    t.fd(INOTIFY_RM_WATCH, fd, INOTIFY, args![fd, watch])
        .fails(EINVAL);
    t.fd(INOTIFY_RM_WATCH, CLOSED, "", args![CLOSED, watch])
        .fails(EBADF);
    let file = t.open(OPEN, "d/f", args![c"d/f", O_RDONLY]).ok() as i32;
    t.path(INOTIFY_ADD_WATCH, "d", args![file, c"d", create])
        .on(file)
        .fails(EINVAL);
    t.fd(INOTIFY_RM_WATCH, file, "d/f", args![file, watch])
        .fails(EINVAL);
    t.fd(CLOSE, file, "d/f", args![file]).is(0);
    t.fd(CLOSE, fd, INOTIFY, args![fd]).is(0);
    t.child_and_wait(|t| {
        t.outside(|_| {
            let none = [0u64, 0];
            let args = args![0, libc::RLIMIT_NOFILE, &none, 0];
            assert_eq!(call(PRLIMIT64.nr, args), 0, "prlimit64");
        });
        t.create(INOTIFY_INIT, "", args![]).fails(libc::EMFILE);
    });
}

/// `fanotify_init`, `fanotify_mark`; a descriptor that arrives in an event.
fn fanotify(t: &mut Tape) {
    let event = &mut [0u64; 32];
    let dir = t.outside(|t| {
        assert_eq!(call(MKDIR.nr, args![c"d", 0o755]), 0, "mkdir");
        make_file(t, "d/f", 10);
        call(OPEN.nr, args![c"d", O_RDONLY]) as i32
    });
    let flags = (FAN_CLASS_NOTIF | FAN_CLOEXEC | FAN_NONBLOCK) as i32;
    let fd = t
        .create(FANOTIFY_INIT, FANOTIFY, args![flags, O_RDONLY])
        .flags(flags)
        .ok() as i32;
    t.create(FANOTIFY_INIT, "", args![1 << 30, O_RDONLY])
        .flags(1 << 30)
        .fails(EINVAL);
    t.create(FANOTIFY_INIT, "", args![0, 3]).fails(EINVAL);

    let (add, remove) = (FAN_MARK_ADD as i32, FAN_MARK_REMOVE as i32);
    t.path(FANOTIFY_MARK, "d/f", args![fd, add, FAN_MODIFY, dir, c"f"])
        .on(fd)
        .flags(add)
        .is(0);
    t.fd(READ, fd, FANOTIFY, args![fd, &mut *event, 256])
        .fails(libc::EAGAIN);
    let file = t.open(OPEN, "d/f", args![c"d/f", O_RDWR]).ok() as i32;
    t.fd(WRITE, file, "d/f", args![file, b"modify", 6]).is(6);
    t.fd(CLOSE, file, "d/f", args![file]).is(0);
    t.fd(READ, fd, FANOTIFY, args![fd, &mut *event, 256])
        .requested(256)
        .is(24);
    let received = event[2] as i32;
    t.fd(NEWFSTAT, received, "d/f", args![received, &mut [0u8; 256]])
        .is(0);
    t.fd(CLOSE, received, "d/f", args![received]).is(0);

    t.path(
        FANOTIFY_MARK,
        "d/f",
        args![fd, remove, FAN_MODIFY, dir, c"f"],
    )
    .on(fd)
    .flags(remove)
    .is(0);
    t.path(
        FANOTIFY_MARK,
        "d/f",
        args![fd, remove, FAN_MODIFY, dir, c"f"],
    )
    .on(fd)
    .flags(remove)
    .fails(ENOENT);
    t.path(FANOTIFY_MARK, "d/no", args![fd, add, FAN_OPEN, dir, c"no"])
        .on(fd)
        .fails(ENOENT);
    t.path(FANOTIFY_MARK, "d/f", args![fd, 0, FAN_OPEN, dir, c"f"])
        .on(fd)
        .flags(0)
        .fails(EINVAL);
    t.path(FANOTIFY_MARK, "", args![fd, add, FAN_OPEN, dir, 8])
        .on(fd)
        .partial(b"")
        .fails(EFAULT);
    t.path(
        FANOTIFY_MARK,
        "d",
        args![CLOSED, add, FAN_OPEN, AT_FDCWD, c"d"],
    )
    .on(CLOSED)
    .fails(EBADF);
    t.path(
        FANOTIFY_MARK,
        "d",
        args![dir, add, FAN_OPEN, AT_FDCWD, c"d"],
    )
    .on(dir)
    .fails(EINVAL);
    let flush = FAN_MARK_FLUSH as i32;
    t.path(FANOTIFY_MARK, "d", args![fd, flush, 0u64, AT_FDCWD, c"d"])
        .on(fd)
        .flags(flush)
        .is(0);
    // Without a name the directory itself is marked.
    t.fd(FANOTIFY_MARK, dir, "d", args![fd, add, FAN_OPEN, dir, 0])
        .on(fd)
        .flags(add)
        .is(0);
    t.fd(
        FANOTIFY_MARK,
        CLOSED,
        "",
        args![fd, add, FAN_OPEN, CLOSED, 0],
    )
    .on(fd)
    .fails(EBADF);
    t.fd(CLOSE, dir, "d", args![dir]).is(0);
    t.fd(CLOSE, fd, FANOTIFY, args![fd]).is(0);
}
