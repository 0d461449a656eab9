//! Mounts by the new interface: contexts, mounts without a place, trees.

use libc::{AT_EMPTY_PATH, AT_FDCWD, EBADF, EBUSY, EFAULT, EINVAL, ENODATA, ENODEV, ENOENT};
use libc::{MNT_DETACH, O_CREAT, O_RDONLY, O_RDWR};

use super::{CLOSED, touch};
use crate::args;
use crate::sys::*;
use crate::tape::Tape;

const CONTEXT: &str = "anon_inode:[fscontext]";

const FSOPEN_CLOEXEC: i32 = 1;
const FSCONFIG_SET_FLAG: i32 = 0;
const FSCONFIG_SET_STRING: i32 = 1;
const FSCONFIG_CMD_CREATE: i32 = 6;
const FSCONFIG_CMD_RECONFIGURE: i32 = 7;
const FSMOUNT_CLOEXEC: i32 = 1;
const FSPICK_NO_AUTOMOUNT: i32 = 4;
const FSPICK_EMPTY_PATH: i32 = 8;
const MOVE_MOUNT_F_EMPTY_PATH: i32 = 4;
pub const OPEN_TREE_CLONE: i32 = 1;

/// `fsopen`, `fsconfig`, `fsmount`, `move_mount`, `fspick`: a mount has the name `/` until it has a place.
pub fn fs_context(t: &mut Tape) {
    let buffer = &mut [0u8; 256];
    let context = t
        .create(FSOPEN, CONTEXT, args![c"tmpfs", FSOPEN_CLOEXEC])
        .flags(FSOPEN_CLOEXEC)
        .ok() as i32;
    t.create(FSOPEN, "", args![c"no-such-fs", 0]).fails(ENODEV);
    t.create(FSOPEN, "", args![c"tmpfs", 8])
        .flags(8)
        .fails(EINVAL);
    t.create(FSOPEN, "", args![8, 0]).fails(EFAULT);

    let size = args![context, FSCONFIG_SET_STRING, c"size", c"1m", 0];
    t.fd(FSCONFIG, context, CONTEXT, size).is(0);
    let unknown = args![context, FSCONFIG_SET_FLAG, c"unknown", 0, 0];
    t.fd(FSCONFIG, context, CONTEXT, unknown).fails(EINVAL);
    // The kernel's complaint about it, and then nothing.
    t.fd(READ, context, CONTEXT, args![context, &mut *buffer, 256])
        .ok();
    t.fd(READ, context, CONTEXT, args![context, &mut *buffer, 256])
        .fails(ENODATA);
    t.fd(FSMOUNT, context, CONTEXT, args![context, 0, 0])
        .flags(0)
        .fails(EINVAL);
    let create = args![context, FSCONFIG_CMD_CREATE, 0, 0, 0];
    t.fd(FSCONFIG, context, CONTEXT, create).is(0);
    t.fd(FSCONFIG, context, CONTEXT, create).fails(EBUSY);
    let closed = args![CLOSED, FSCONFIG_CMD_CREATE, 0, 0, 0];
    t.fd(FSCONFIG, CLOSED, "", closed).fails(EBADF);
    let mount = t
        .fd(
            FSMOUNT,
            context,
            CONTEXT,
            args![context, FSMOUNT_CLOEXEC, 0],
        )
        .flags(FSMOUNT_CLOEXEC)
        .ok() as i32;
    t.fd(FSMOUNT, context, CONTEXT, args![context, 8, 0])
        .flags(8)
        .fails(EINVAL);
    t.fd(FSMOUNT, CLOSED, "", args![CLOSED, 0, 0]).fails(EBADF);
    t.fd(CLOSE, context, CONTEXT, args![context]).is(0);

    let flags = O_CREAT | O_RDWR;
    let file = t
        .open(OPENAT, "/early", args![mount, c"early", flags, 0o644])
        .ok() as i32;
    t.fd(WRITE, file, "/early", args![file, b"1", 1]).is(1);
    let at = MOVE_MOUNT_F_EMPTY_PATH;
    t.two_paths(
        MOVE_MOUNT,
        "no",
        "/",
        args![mount, c"", AT_FDCWD, c"no", at],
    )
    .flags(at)
    .fails(ENOENT);
    t.two_paths(MOVE_MOUNT, "m", "/", args![mount, c"", AT_FDCWD, c"m", at])
        .flags(at)
        .is(0);
    t.fd(WRITE, file, "m/early", args![file, b"2", 1]).is(1);
    t.fd(CLOSE, file, "m/early", args![file]).is(0);
    t.fd(CLOSE, mount, "m", args![mount]).is(0);
    touch(t, "m/early");
    // From place to place, by name.
    t.two_paths(
        MOVE_MOUNT,
        "d",
        "m",
        args![AT_FDCWD, c"m", AT_FDCWD, c"d", 0],
    )
    .flags(0)
    .is(0);
    t.two_paths(
        MOVE_MOUNT,
        "d",
        "m",
        args![AT_FDCWD, c"m", AT_FDCWD, c"d", 0],
    )
    .flags(0)
    .fails(EINVAL);
    touch(t, "d/early");
    pick(t);
}

/// `fspick` of the mount at `d`.
fn pick(t: &mut Tape) {
    let flags = FSPICK_NO_AUTOMOUNT;
    let context = t
        .path(FSPICK, "d", args![AT_FDCWD, c"d", flags])
        .flags(flags)
        .ok() as i32;
    let reconfigure = args![context, FSCONFIG_CMD_RECONFIGURE, 0, 0, 0];
    t.fd(FSCONFIG, context, CONTEXT, reconfigure).is(0);
    t.fd(CLOSE, context, CONTEXT, args![context]).is(0);
    t.path(FSPICK, "no", args![AT_FDCWD, c"no", 0])
        .flags(0)
        .fails(ENOENT);
    t.path(FSPICK, "d/early", args![AT_FDCWD, c"d/early", 0])
        .fails(EINVAL);
    t.path(FSPICK, "d", args![AT_FDCWD, c"d", 1 << 20])
        .flags(1 << 20)
        .fails(EINVAL);
    t.path(FSPICK, "", args![AT_FDCWD, 8, 0])
        .partial(b"")
        .fails(EFAULT);
    let dir = t.open(OPEN, "d", args![c"d", O_RDONLY]).ok() as i32;
    let context = t
        .fd(FSPICK, dir, "d", args![dir, c"", FSPICK_EMPTY_PATH])
        .flags(FSPICK_EMPTY_PATH)
        .ok() as i32;
    t.fd(CLOSE, context, CONTEXT, args![context]).is(0);
    let both = FSPICK_EMPTY_PATH | 1 << 20;
    t.fd(FSPICK, dir, "d", args![dir, c"", both])
        .flags(both)
        .fails(EINVAL);
    t.fd(CLOSE, dir, "d", args![dir]).is(0);
    unmounted(t);
}

/// What is below `d` after that has gone: where it was is not known, though it was named before and after it had a place.
fn unmounted(t: &mut Tape) {
    let file = t.open(OPEN, "d/early", args![c"d/early", O_RDWR]).ok() as i32;
    t.path(UMOUNT, "d", args![c"d", MNT_DETACH])
        .flags(MNT_DETACH)
        .is(0);
    t.fd(WRITE, file, "", args![file, b"3", 1])
        .partial(b"early")
        .is(1);
    t.fd(CLOSE, file, "", args![file]).partial(b"early").is(0);
}

/// `open_tree`: the place itself, or a copy of it that has none.
pub fn mount_tree(t: &mut Tape) {
    let tree = t
        .open(OPEN_TREE, "d", args![AT_FDCWD, c"d", 0])
        .flags(0)
        .ok() as i32;
    let file = t.open(OPENAT, "d/f", args![tree, c"f", O_RDONLY]).ok() as i32;
    t.fd(CLOSE, file, "d/f", args![file]).is(0);
    let copy = t
        .open(OPEN_TREE, "/", args![AT_FDCWD, c"d", OPEN_TREE_CLONE])
        .flags(OPEN_TREE_CLONE)
        .ok() as i32;
    let file = t.open(OPENAT, "/f", args![copy, c"f", O_RDWR]).ok() as i32;
    t.fd(WRITE, file, "/f", args![file, b"copy", 4]).is(4);
    let at = MOVE_MOUNT_F_EMPTY_PATH;
    t.two_paths(MOVE_MOUNT, "m", "/", args![copy, c"", AT_FDCWD, c"m", at])
        .flags(at)
        .is(0);
    t.fd(WRITE, file, "m/f", args![file, b"placed", 6]).is(6);
    t.fd(CLOSE, file, "m/f", args![file]).is(0);
    t.fd(CLOSE, copy, "m", args![copy]).is(0);
    let again = t
        .open(OPEN_TREE, "d", args![tree, c"", AT_EMPTY_PATH])
        .flags(AT_EMPTY_PATH)
        .ok() as i32;
    t.fd(CLOSE, again, "d", args![again]).is(0);
    let both = AT_EMPTY_PATH | 8;
    t.fd(OPEN_TREE, tree, "d", args![tree, c"", both])
        .flags(both)
        .fails(EINVAL);
    t.fd(CLOSE, tree, "d", args![tree]).is(0);

    t.open(OPEN_TREE, "no", args![AT_FDCWD, c"no", 0])
        .flags(0)
        .fails(ENOENT);
    t.open(OPEN_TREE, "d", args![AT_FDCWD, c"d", 8])
        .flags(8)
        .fails(EINVAL);
    t.open(OPEN_TREE, "", args![AT_FDCWD, 8, 0])
        .partial(b"")
        .fails(EFAULT);
    t.two_paths(
        MOVE_MOUNT,
        "m",
        "d",
        args![AT_FDCWD, c"d", AT_FDCWD, c"m", 0],
    )
    .fails(EINVAL);
    t.two_paths(
        MOVE_MOUNT,
        "m",
        "d",
        args![AT_FDCWD, c"d", AT_FDCWD, c"m", 8 << 16],
    )
    .flags(8 << 16)
    .fails(EINVAL);
}
