//! What is asked about mounts and set on them.

use libc::{AT_EMPTY_PATH, AT_FDCWD, EFAULT, EINVAL, ENOENT, EOVERFLOW, EROFS, O_CREAT};
use libc::{O_RDONLY, O_RDWR};

use super::contexts::OPEN_TREE_CLONE;
use super::{mount_tmpfs, touch};
use crate::args;
use crate::sys::*;
use crate::tape::Tape;

/// `mount_setattr`, `open_tree_attr`.
pub fn mount_attributes(t: &mut Tape) {
    // struct mount_attr: to set, to clear, propagation, user namespace.
    let read_only = [1u64, 0, 0, 0];
    let writable = [0u64, 1, 0, 0];
    t.outside(|_| mount_tmpfs());
    t.path(MOUNT_SETATTR, "m", args![AT_FDCWD, c"m", 0, &read_only, 32])
        .flags(0)
        .is(0);
    t.open(OPEN, "m/f", args![c"m/f", O_CREAT | O_RDWR, 0o644])
        .fails(EROFS);
    let dir = t.open(OPEN, "m", args![c"m", O_RDONLY]).ok() as i32;
    let at = AT_EMPTY_PATH;
    t.fd(MOUNT_SETATTR, dir, "m", args![dir, c"", at, &writable, 32])
        .flags(at)
        .is(0);
    touch(t, "m/f");
    t.path(MOUNT_SETATTR, "m/f", args![dir, c"f", 0, &read_only, 32])
        .fails(EINVAL);
    t.fd(CLOSE, dir, "m", args![dir]).is(0);
    t.path(
        MOUNT_SETATTR,
        "no",
        args![AT_FDCWD, c"no", 0, &read_only, 32],
    )
    .fails(ENOENT);
    t.path(MOUNT_SETATTR, "m", args![AT_FDCWD, c"m", 1, &read_only, 32])
        .flags(1)
        .fails(EINVAL);
    t.path(MOUNT_SETATTR, "m", args![AT_FDCWD, c"m", 0, &read_only, 7])
        .fails(EINVAL);
    t.path(MOUNT_SETATTR, "m", args![AT_FDCWD, c"m", 0, 8, 32])
        .fails(EFAULT);

    let flags = OPEN_TREE_CLONE;
    let tree = t
        .open(
            OPEN_TREE_ATTR,
            "/",
            args![AT_FDCWD, c"m", flags, &read_only, 32],
        )
        .flags(flags)
        .ok() as i32;
    t.open(OPENAT, "/f", args![tree, c"f", O_RDWR]).fails(EROFS);
    t.fd(CLOSE, tree, "/", args![tree]).is(0);
    t.open(OPEN_TREE_ATTR, "no", args![AT_FDCWD, c"no", 0, 0, 0])
        .flags(0)
        .fails(ENOENT);
    t.open(OPEN_TREE_ATTR, "m", args![AT_FDCWD, c"m", 8, 0, 0])
        .flags(8)
        .fails(EINVAL);
    t.open(OPEN_TREE_ATTR, "m", args![AT_FDCWD, c"m", flags, 8, 32])
        .flags(flags)
        .fails(EFAULT);
}

/// `statmount`, `listmount`.
pub fn mount_list(t: &mut Tape) {
    const STATX_MNT_ID_UNIQUE: u32 = 0x4000;
    const STATMOUNT_MNT_BASIC: u64 = 2;
    const STATMOUNT_MNT_ROOT: u64 = 8;
    const LISTMOUNT_REVERSE: i32 = 1;
    let (status, buffer, list) = (&mut [0u64; 32], &mut [0u64; 128], &mut [0u64; 4]);
    t.outside(|_| mount_tmpfs());
    t.path(
        STATX,
        "m",
        args![AT_FDCWD, c"m", 0, STATX_MNT_ID_UNIQUE, &mut *status],
    )
    .is(0);
    let mount = status[18];
    // struct mnt_id_req: its size, the mount, what is asked for.
    let request = |mount: u64, what: u64| [24u64, mount, what];
    let basic = STATMOUNT_MNT_BASIC | STATMOUNT_MNT_ROOT;
    t.bare(
        STATMOUNT,
        args![&request(mount, basic), &mut *buffer, 1024, 0],
    )
    .flags(0)
    .is(0);
    t.bare(
        STATMOUNT,
        args![&request(mount, basic), &mut *buffer, 512, 0],
    )
    .flags(0)
    .fails(EOVERFLOW);
    t.bare(
        STATMOUNT,
        args![&request(u64::MAX - 1, basic), &mut *buffer, 1024, 0],
    )
    .fails(ENOENT);
    t.bare(
        STATMOUNT,
        args![&request(mount, basic), &mut *buffer, 1024, 8],
    )
    .flags(8)
    .fails(EINVAL);
    t.bare(STATMOUNT, args![8, &mut *buffer, 1024, 0])
        .fails(EFAULT);

    let root = u64::MAX;
    t.bare(LISTMOUNT, args![&request(root, 0), &mut *list, 1, 0])
        .flags(0)
        .is(1);
    t.bare(
        LISTMOUNT,
        args![&request(root, 0), &mut *list, 1, LISTMOUNT_REVERSE],
    )
    .flags(LISTMOUNT_REVERSE)
    .is(1);
    assert_eq!(list[0], mount, "the newest mount is the last");
    t.bare(LISTMOUNT, args![&request(mount, 0), &mut *list, 4, 0])
        .is(0);
    t.bare(
        LISTMOUNT,
        args![&request(u64::MAX - 1, 0), &mut *list, 4, 0],
    )
    .fails(ENOENT);
    t.bare(LISTMOUNT, args![&request(root, 0), &mut *list, 1, 8])
        .flags(8)
        .fails(EINVAL);
    t.bare(LISTMOUNT, args![&request(root, 0), 8, 1, 0])
        .fails(EFAULT);
}
