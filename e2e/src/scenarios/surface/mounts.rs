//! Mounts by the old and the new interface, in a mount namespace of their own; quotas.

mod attributes;
mod contexts;

use libc::{EAGAIN, EBADF, EBUSY, EFAULT, EINVAL, ENODEV, ENOENT, ENOTBLK, ENOTDIR, EROFS};
use libc::{MNT_DETACH, MNT_EXPIRE, MS_BIND, MS_PRIVATE, MS_RDONLY, MS_REC, MS_REMOUNT};
use libc::{O_CREAT, O_RDONLY, O_RDWR};

use super::super::files::CLOSED;
use super::super::make_file;
use super::{Scenario, plain};
use crate::args;
use crate::sys::*;
use crate::tape::Tape;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[
    plain("mount", |t| in_own_namespace(t, mount)),
    plain("detached_mount", |t| in_own_namespace(t, detached_mount)),
    plain("fs_context", |t| in_own_namespace(t, contexts::fs_context)),
    plain("mount_tree", |t| in_own_namespace(t, contexts::mount_tree)),
    plain("mount_attributes", |t| {
        in_own_namespace(t, attributes::mount_attributes)
    }),
    plain("mount_list", |t| {
        in_own_namespace(t, attributes::mount_list)
    }),
    plain("pivoted_root", |t| in_own_namespace(t, pivoted_root)),
    plain("quota", quota),
    plain("quota_of_fd", quota_of_fd),
];

/// Runs it in a child whose mounts are nobody else's, with the directories `d`, which has a file `f`, and `m`.
fn in_own_namespace(t: &mut Tape, body: fn(&mut Tape)) {
    t.child_and_wait(|t| {
        t.outside(|t| {
            own_namespace();
            for dir in [c"d", c"m"] {
                assert_eq!(call(MKDIR.nr, args![dir, 0o755]), 0, "mkdir");
            }
            make_file(t, "d/f", 10);
        });
        body(t);
    });
}

fn own_namespace() {
    let ret = call(UNSHARE.nr, args![libc::CLONE_NEWNS]);
    assert_eq!(ret, 0, "unshare");
    let ret = call(MOUNT.nr, args![0, c"/", 0, MS_REC | MS_PRIVATE, 0]);
    assert_eq!(ret, 0, "make all mounts private");
}

fn mount_tmpfs() {
    let ret = call(MOUNT.nr, args![c"tmpfs", c"m", c"tmpfs", 0, 0]);
    assert_eq!(ret, 0, "mount a tmpfs");
}

/// Opens a file, makes it if need be, and closes it.
fn touch(t: &mut Tape, name: &str) {
    let path = std::ffi::CString::new(name).expect("no NUL");
    let fd = t
        .open(OPEN, name, args![&path, O_CREAT | O_RDWR, 0o644])
        .ok() as i32;
    t.fd(CLOSE, fd, name, args![fd]).is(0);
}

/// `mount`, `umount`: a file on the new mount has its name across both.
fn mount(t: &mut Tape) {
    t.path(
        MOUNT,
        "m",
        args![c"some source", c"m", c"tmpfs", 0, c"size=1m"],
    )
    .old_text(b"some source")
    .flags(0)
    .is(0);
    touch(t, "m/on-tmpfs");
    let bind = MS_BIND as i32;
    // The source of a bind mount is a path.
    t.two_paths(MOUNT, "d", "m", args![c"m", c"d", 0, bind, 0])
        .flags(bind)
        .is(0);
    touch(t, "d/on-tmpfs");
    t.path(ACCESS, "d/f", args![c"d/f", libc::F_OK])
        .fails(ENOENT);
    let read_only = (MS_REMOUNT | MS_BIND | MS_RDONLY) as i32;
    t.path(MOUNT, "d", args![0, c"d", 0, read_only, 0])
        .flags(read_only)
        .is(0);
    t.open(OPEN, "d/new", args![c"d/new", O_CREAT | O_RDWR, 0o644])
        .fails(EROFS);
    let private = MS_PRIVATE as i32;
    t.path(MOUNT, "m", args![0, c"m", 0, private, 0])
        .flags(private)
        .is(0);

    t.path(MOUNT, "m", args![c"x", c"m", c"no-such-fs", 0, 0])
        .old_text(b"x")
        .flags(0)
        .fails(ENODEV);
    t.path(MOUNT, "no", args![c"x", c"no", c"tmpfs", 0, 0])
        .old_text(b"x")
        .fails(ENOENT);
    t.two_paths(MOUNT, "m", "no", args![c"no", c"m", 0, bind, 0])
        .flags(bind)
        .fails(ENOENT);
    t.path(MOUNT, "m", args![c"x", c"m", c"tmpfs", 0, c"bad-option"])
        .old_text(b"x")
        .fails(EINVAL);
    t.path(MOUNT, "", args![c"x", 8, c"tmpfs", 0, 0])
        .old_text(b"x")
        .partial(b"")
        .fails(EFAULT);

    let fd = t.open(OPEN, "m/on-tmpfs", args![c"m/on-tmpfs", O_RDONLY]);
    let fd = fd.ok() as i32;
    t.path(UMOUNT, "d", args![c"d", 0]).flags(0).is(0);
    t.path(UMOUNT, "m", args![c"m", 0]).flags(0).fails(EBUSY);
    t.fd(CLOSE, fd, "m/on-tmpfs", args![fd]).is(0);
    t.path(UMOUNT, "m", args![c"m", MNT_EXPIRE])
        .flags(MNT_EXPIRE)
        .fails(EAGAIN);
    t.path(UMOUNT, "m", args![c"m", MNT_EXPIRE])
        .flags(MNT_EXPIRE)
        .is(0);
    t.path(UMOUNT, "m", args![c"m", 0]).flags(0).fails(EINVAL);
    t.path(UMOUNT, "no", args![c"no", 0]).fails(ENOENT);
    t.path(UMOUNT, "m", args![c"m", 1 << 20])
        .flags(1 << 20)
        .fails(EINVAL);
    t.path(UMOUNT, "", args![8, 0]).partial(b"").fails(EFAULT);
    touch(t, "d/f");
}

/// A file that stays open while its mount is taken away is named from that mount's root.
fn detached_mount(t: &mut Tape) {
    t.outside(|_| mount_tmpfs());
    let fd = t
        .open(OPEN, "m/open", args![c"m/open", O_CREAT | O_RDWR, 0o644])
        .ok() as i32;
    t.fd(WRITE, fd, "m/open", args![fd, b"before", 6]).is(6);
    t.path(UMOUNT, "m", args![c"m", MNT_DETACH])
        .flags(MNT_DETACH)
        .is(0);
    // Where it was is not known any more.
    t.fd(WRITE, fd, "m/open", args![fd, b"after", 5])
        .partial(b"open")
        .is(5);
    t.fd(CLOSE, fd, "m/open", args![fd]).partial(b"open").is(0);
    t.path(ACCESS, "m/open", args![c"m/open", libc::F_OK])
        .fails(ENOENT);
}

/// `pivot_root`: names of the old root continue below the new one.
fn pivoted_root(t: &mut Tape) {
    t.outside(|_| {
        mount_tmpfs();
        for dir in [c"m/old", c"m/new"] {
            assert_eq!(call(MKDIR.nr, args![dir, 0o755]), 0, "mkdir");
        }
    });
    t.two_paths(PIVOT_ROOT, "d", "d", args![c"d", c"d"]).done();
    t.two_paths(PIVOT_ROOT, "no", "m/old", args![c"no", c"m/old"])
        .fails(ENOENT);
    t.two_paths(PIVOT_ROOT, "d/f", "m/old", args![c"d/f", c"m/old"])
        .fails(ENOTDIR);
    t.two_paths(PIVOT_ROOT, "m", "no", args![c"m", c"no"])
        .fails(ENOENT);
    t.two_paths(PIVOT_ROOT, "", "m", args![8, c"m"])
        .partial(b"")
        .fails(EFAULT);
    // The root of an early boot cannot be replaced.
    let moved = t.two_paths(PIVOT_ROOT, "m", "m/old", args![c"m", c"m/old"]);
    if moved.done() != 0 {
        return;
    }
    let old = [b"/old", &t.full("d/f")[..]].concat();
    let fd = t.open(OPEN, &old, args![c"d/f", O_RDONLY]).ok() as i32;
    t.fd(CLOSE, fd, &old, args![fd]).is(0);
    touch(t, "/new/file");
    t.open(OPEN, "/dev/null", args![c"/dev/null", O_RDONLY])
        .fails(ENOENT);
    let fd = t
        .open(OPEN, "/old/dev/null", args![c"/old/dev/null", O_RDONLY])
        .ok() as i32;
    t.fd(CLOSE, fd, "/old/dev/null", args![fd]).is(0);
    let absent = [b"/old", &t.full("absent")[..]].concat();
    t.path(ACCESS, &absent, args![c"absent", libc::F_OK])
        .fails(ENOENT);
}

const Q_SYNC: u32 = 0x80_0001;
const Q_GETFMT: u32 = 0x80_0004;

/// A command for the quotas of users.
fn of_users(command: u32) -> u32 {
    command << 8
}

/// `quotactl`: without a name it syncs the quotas of all file systems.
fn quota(t: &mut Tape) {
    let buffer = &mut [0u8; 128];
    let get = of_users(Q_GETFMT);
    t.bare(QUOTACTL, args![of_users(Q_SYNC), 0, 0, 0]).is(0);
    t.path(QUOTACTL, "f", args![get, c"f", 0, &mut *buffer])
        .fails(ENOENT);
    t.outside(|t| make_file(t, "f", 10));
    t.path(QUOTACTL, "f", args![get, c"./f", 0, &mut *buffer])
        .fails(ENOTBLK);
    t.path(
        QUOTACTL,
        "/dev/null",
        args![get, c"/dev/null", 0, &mut *buffer],
    )
    .fails(ENOTBLK);
    t.path(QUOTACTL, "f", args![get | 9, c"f", 0, &mut *buffer])
        .fails(EINVAL);
    t.path(QUOTACTL, "", args![get, 8, 0, &mut *buffer])
        .partial(b"")
        .fails(EFAULT);
}

/// `quotactl_fd`; whether there are quotas depends on the file system.
fn quota_of_fd(t: &mut Tape) {
    let buffer = &mut [0u8; 128];
    let (sync, get) = (of_users(Q_SYNC), of_users(Q_GETFMT));
    let fd = t.open(OPEN, "f", args![c"f", O_CREAT | O_RDWR, 0o644]).ok() as i32;
    t.fd(QUOTACTL_FD, fd, "f", args![fd, sync, 0, 0]).done();
    t.fd(QUOTACTL_FD, fd, "f", args![fd, get, 0, &mut *buffer])
        .done();
    t.fd(QUOTACTL_FD, fd, "f", args![fd, get | 9, 0, &mut *buffer])
        .fails(EINVAL);
    t.fd(CLOSE, fd, "f", args![fd]).is(0);
    t.fd(QUOTACTL_FD, CLOSED, "", args![CLOSED, get, 0, 0])
        .fails(EBADF);
}
