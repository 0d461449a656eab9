//! Extended attributes: of a name, of a symbolic link, of a descriptor, relative to a directory.
//!
//! `trusted.` attributes, because `tmpfs` may lack those of users.

use libc::{AT_EMPTY_PATH, AT_FDCWD, AT_SYMLINK_NOFOLLOW, EBADF, EEXIST, EFAULT, EINVAL, ENODATA};
use libc::{ENOENT, EOPNOTSUPP, ERANGE, O_CREAT, O_PATH, O_RDONLY, O_RDWR};
use libc::{XATTR_CREATE, XATTR_REPLACE};

use super::super::files::CLOSED;
use super::super::make_file;
use super::{Scenario, plain};
use crate::args;
use crate::sys::*;
use crate::tape::Tape;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[
    plain("xattr", xattr),
    plain("xattr_of_link", xattr_of_link),
    plain("xattr_of_fd", xattr_of_fd),
    plain("xattr_unreadable", xattr_unreadable),
    plain("xattr_at", xattr_at),
    plain("xattr_at_fd", xattr_at_fd),
    plain("xattr_at_own_memory", xattr_at_own_memory),
];

const COLOR: &std::ffi::CStr = c"trusted.color";

/// `setxattr`, `getxattr`, `listxattr`, `removexattr`; a size of 0 only asks for the size.
fn xattr(t: &mut Tape) {
    let buffer = &mut [0u8; 512];
    t.outside(|t| make_file(t, "f", 10));
    t.path(SETXATTR, "f", args![c"f", COLOR, b"green", 5, 0])
        .requested(5)
        .flags(0)
        .is(0);
    t.path(SETXATTR, "f", args![c"f", COLOR, b"red", 3, XATTR_CREATE])
        .requested(3)
        .flags(XATTR_CREATE)
        .fails(EEXIST);
    t.path(
        SETXATTR,
        "f",
        args![c"f", c"trusted.none", b"red", 3, XATTR_REPLACE],
    )
    .flags(XATTR_REPLACE)
    .fails(ENODATA);
    t.path(SETXATTR, "f", args![c"f", c"no-prefix", b"red", 3, 0])
        .fails(EOPNOTSUPP);
    t.path(SETXATTR, "f", args![c"f", COLOR, b"red", 3, 1 << 20])
        .flags(1 << 20)
        .fails(EINVAL);
    t.path(SETXATTR, "no", args![c"no", COLOR, b"red", 3, 0])
        .fails(ENOENT);

    t.path(GETXATTR, "f", args![c"./f", COLOR, &mut *buffer, 512])
        .requested(512)
        .is(5);
    t.path(GETXATTR, "f", args![c"f", COLOR, 0, 0])
        .requested(0)
        .bytes(0)
        .is(5);
    t.path(GETXATTR, "f", args![c"f", COLOR, &mut *buffer, 4])
        .requested(4)
        .fails(ERANGE);
    t.path(GETXATTR, "f", args![c"f", c"trusted.none", &mut *buffer, 9])
        .fails(ENODATA);
    t.path(GETXATTR, "no", args![c"no", COLOR, &mut *buffer, 9])
        .fails(ENOENT);

    // Security modules may have attributes of their own.
    let len = t
        .path(LISTXATTR, "f", args![c"f", &mut *buffer, 512])
        .requested(512)
        .ok();
    t.path(LISTXATTR, "f", args![c"f", 0, 0])
        .requested(0)
        .bytes(0)
        .is(len);
    t.path(LISTXATTR, "f", args![c"f", &mut *buffer, 1])
        .requested(1)
        .fails(ERANGE);
    t.path(LISTXATTR, "no", args![c"no", &mut *buffer, 512])
        .fails(ENOENT);

    t.path(REMOVEXATTR, "f", args![c"f", COLOR]).is(0);
    t.path(REMOVEXATTR, "f", args![c"f", COLOR]).fails(ENODATA);
    t.path(REMOVEXATTR, "no", args![c"no", COLOR]).fails(ENOENT);
    // An empty value: nothing was read, though a buffer was there.
    t.path(SETXATTR, "f", args![c"f", COLOR, 0, 0, 0])
        .requested(0)
        .is(0);
    t.path(GETXATTR, "f", args![c"f", COLOR, &mut *buffer, 512])
        .requested(512)
        .is(0);
}

/// `lsetxattr`, `lgetxattr`, `llistxattr`, `lremovexattr`: the link's own attributes, by the link's name.
fn xattr_of_link(t: &mut Tape) {
    let buffer = &mut [0u8; 512];
    t.outside(|t| {
        make_file(t, "f", 10);
        assert_eq!(call(SYMLINK.nr, args![c"f", c"l"]), 0, "symlink");
    });
    t.path(LSETXATTR, "l", args![c"l", COLOR, b"blue", 4, XATTR_CREATE])
        .requested(4)
        .flags(XATTR_CREATE)
        .is(0);
    t.path(LSETXATTR, "l", args![c"l", COLOR, b"red", 3, XATTR_CREATE])
        .fails(EEXIST);
    t.path(LSETXATTR, "no", args![c"no", COLOR, b"red", 3, 0])
        .fails(ENOENT);
    t.path(LGETXATTR, "l", args![c"l", COLOR, &mut *buffer, 512])
        .requested(512)
        .is(4);
    t.path(LGETXATTR, "l", args![c"l", COLOR, 0, 0])
        .requested(0)
        .bytes(0)
        .is(4);
    t.path(LGETXATTR, "l", args![c"l", COLOR, &mut *buffer, 3])
        .fails(ERANGE);
    t.path(LGETXATTR, "f", args![c"f", COLOR, &mut *buffer, 512])
        .fails(ENODATA);
    // The other calls follow the link, and show the name passed.
    t.path(GETXATTR, "l", args![c"l", COLOR, &mut *buffer, 512])
        .fails(ENODATA);
    let len = t
        .path(LLISTXATTR, "l", args![c"l", &mut *buffer, 512])
        .requested(512)
        .ok();
    t.path(LLISTXATTR, "l", args![c"l", 0, 0]).bytes(0).is(len);
    t.path(LLISTXATTR, "l", args![c"l", &mut *buffer, 2])
        .fails(ERANGE);
    t.path(LREMOVEXATTR, "l", args![c"l", COLOR]).is(0);
    t.path(LREMOVEXATTR, "l", args![c"l", COLOR]).fails(ENODATA);
    t.path(LREMOVEXATTR, "no/l", args![c"no/l", COLOR])
        .fails(ENOENT);
}

/// `fsetxattr`, `fgetxattr`, `flistxattr`, `fremovexattr`.
fn xattr_of_fd(t: &mut Tape) {
    let buffer = &mut [0u8; 512];
    let fd = t.open(OPEN, "f", args![c"f", O_CREAT | O_RDWR, 0o644]).ok() as i32;
    t.fd(FSETXATTR, fd, "f", args![fd, COLOR, b"white", 5, 0])
        .requested(5)
        .flags(0)
        .is(0);
    t.fd(
        FSETXATTR,
        fd,
        "f",
        args![fd, COLOR, b"red", 3, XATTR_CREATE],
    )
    .flags(XATTR_CREATE)
    .fails(EEXIST);
    t.fd(FGETXATTR, fd, "f", args![fd, COLOR, &mut *buffer, 512])
        .requested(512)
        .is(5);
    t.fd(FGETXATTR, fd, "f", args![fd, COLOR, &mut *buffer, 0])
        .requested(0)
        .bytes(0)
        .is(5);
    t.fd(FGETXATTR, fd, "f", args![fd, COLOR, &mut *buffer, 1])
        .fails(ERANGE);
    let len = t
        .fd(FLISTXATTR, fd, "f", args![fd, &mut *buffer, 512])
        .requested(512)
        .ok();
    t.fd(FLISTXATTR, fd, "f", args![fd, 0, 0]).bytes(0).is(len);
    t.fd(FREMOVEXATTR, fd, "f", args![fd, COLOR]).is(0);
    t.fd(FREMOVEXATTR, fd, "f", args![fd, COLOR]).fails(ENODATA);
    t.fd(FGETXATTR, fd, "f", args![fd, COLOR, &mut *buffer, 512])
        .fails(ENODATA);
    t.fd(CLOSE, fd, "f", args![fd]).is(0);
    for sys in [FSETXATTR, FGETXATTR, FLISTXATTR, FREMOVEXATTR] {
        t.fd(sys, CLOSED, "", args![CLOSED, &mut *buffer, 0, 0, 0])
            .fails(EBADF);
        t.fd(sys, -1, "", args![-1, &mut *buffer, 0, 0, 0])
            .fails(EBADF);
    }
    // Such a descriptor is open and has a name, but is no good for this.
    let fd = t.open(OPEN, "f", args![c"f", O_PATH]).ok() as i32;
    t.fd(FGETXATTR, fd, "f", args![fd, COLOR, &mut *buffer, 512])
        .fails(EBADF);
    t.fd(CLOSE, fd, "f", args![fd]).is(0);
}

/// Names that cannot be read, and values that cannot.
fn xattr_unreadable(t: &mut Tape) {
    let buffer = &mut [0u8; 16];
    t.outside(|t| make_file(t, "f", 10));
    for sys in [GETXATTR, LGETXATTR, SETXATTR, LSETXATTR] {
        t.path(sys, "", args![8, COLOR, &mut *buffer, 16, 0])
            .partial(b"")
            .fails(EFAULT);
    }
    for sys in [LISTXATTR, LLISTXATTR, REMOVEXATTR, LREMOVEXATTR] {
        // The attribute's name, or the buffer.
        t.path(sys, "", args![0, COLOR, 0])
            .partial(b"")
            .fails(EFAULT);
    }
    t.path(SETXATTR, "f", args![c"f", COLOR, 8, 16, 0])
        .requested(16)
        .fails(EFAULT);
    t.path(GETXATTR, "f", args![c"f", 8, &mut *buffer, 16])
        .requested(16)
        .fails(EFAULT);
    t.path(REMOVEXATTR, "f", args![c"f", 8]).fails(EFAULT);
}

/// `struct xattr_args`: address, size and flags.
fn xattr_args(value: &mut [u8], size: u32, flags: i32) -> [u64; 2] {
    [
        value.as_mut_ptr() as u64,
        u64::from(size) | (flags as u64) << 32,
    ]
}

/// `setxattrat`, `getxattrat`, `listxattrat`, `removexattrat`, by names relative to a directory.
fn xattr_at(t: &mut Tape) {
    let buffer = &mut [0u8; 512];
    let value = &mut b"orange".to_owned();
    let dir = t.outside(|t| {
        assert_eq!(call(MKDIR.nr, args![c"d", 0o755]), 0, "mkdir");
        make_file(t, "d/f", 10);
        assert_eq!(call(SYMLINK.nr, args![c"f", c"d/l"]), 0, "symlink");
        call(OPEN.nr, args![c"d", O_RDONLY]) as i32
    });
    let at = AT_SYMLINK_NOFOLLOW;
    let set = xattr_args(value, 6, 0);
    t.path(SETXATTRAT, "d/f", args![dir, c"f", 0, COLOR, &set, 16])
        .requested(6)
        .flags(0)
        .is(0);
    let create = xattr_args(value, 6, XATTR_CREATE);
    t.path(SETXATTRAT, "d/l", args![dir, c"l", 0, COLOR, &create, 16])
        .requested(6)
        .fails(EEXIST);
    t.path(SETXATTRAT, "d/l", args![dir, c"l", at, COLOR, &create, 16])
        .requested(6)
        .flags(at)
        .is(0);
    t.path(SETXATTRAT, "f", args![AT_FDCWD, c"f", 0, COLOR, &set, 16])
        .fails(ENOENT);
    t.path(SETXATTRAT, "d/f", args![dir, c"f", 0, COLOR, &set, 15])
        .fails(EINVAL);

    let get = xattr_args(buffer, 512, 0);
    t.path(GETXATTRAT, "d/f", args![dir, c"f", 0, COLOR, &get, 16])
        .requested(512)
        .flags(0)
        .is(6);
    t.path(GETXATTRAT, "d/l", args![dir, c"l", at, COLOR, &get, 16])
        .requested(512)
        .flags(at)
        .is(6);
    t.path(
        GETXATTRAT,
        "d/f",
        args![dir, c"f", 0, COLOR, &[0u64; 2], 16],
    )
    .requested(0)
    .bytes(0)
    .is(6);
    let short = xattr_args(buffer, 5, 0);
    t.path(GETXATTRAT, "d/f", args![dir, c"f", 0, COLOR, &short, 16])
        .requested(5)
        .fails(ERANGE);
    t.path(GETXATTRAT, "d/f", args![dir, c"f", 1, COLOR, &get, 16])
        .flags(1)
        .fails(EINVAL);
    t.path(GETXATTRAT, "d/f", args![dir, c"f", 0, COLOR, 8, 16])
        .fails(EFAULT);

    let len = t
        .path(LISTXATTRAT, "d/f", args![dir, c"f", 0, &mut *buffer, 512])
        .requested(512)
        .flags(0)
        .ok();
    t.path(LISTXATTRAT, "d/f", args![dir, c"f", 0, 0, 0])
        .requested(0)
        .bytes(0)
        .is(len);
    t.path(
        LISTXATTRAT,
        "d/no",
        args![dir, c"no", at, &mut *buffer, 512],
    )
    .flags(at)
    .fails(ENOENT);

    t.path(REMOVEXATTRAT, "d/l", args![dir, c"l", at, COLOR])
        .flags(at)
        .is(0);
    t.path(REMOVEXATTRAT, "d/l", args![dir, c"l", at, COLOR])
        .flags(at)
        .fails(ENODATA);
    t.path(REMOVEXATTRAT, "d/f", args![dir, c"f", 0, COLOR])
        .flags(0)
        .is(0);
    t.fd(CLOSE, dir, "d", args![dir]).is(0);
}

/// The same calls with an empty name or none: the descriptor's own file.
fn xattr_at_fd(t: &mut Tape) {
    let buffer = &mut [0u8; 512];
    let value = &mut b"violet".to_owned();
    let at = AT_EMPTY_PATH;
    let fd = t.open(OPEN, "f", args![c"f", O_CREAT | O_RDWR, 0o644]).ok() as i32;
    let set = xattr_args(value, 6, 0);
    t.fd(SETXATTRAT, fd, "f", args![fd, c"", at, COLOR, &set, 16])
        .requested(6)
        .flags(at)
        .is(0);
    let get = xattr_args(buffer, 512, 0);
    t.fd(GETXATTRAT, fd, "f", args![fd, 0, at, COLOR, &get, 16])
        .requested(512)
        .flags(at)
        .is(6);
    let length = t
        .fd(LISTXATTRAT, fd, "f", args![fd, c"", at, &mut *buffer, 512])
        .requested(512)
        .flags(at)
        .ok();
    t.fd(LISTXATTRAT, fd, "f", args![fd, c"", at, &mut *buffer, 0])
        .bytes(0)
        .is(length);
    t.fd(REMOVEXATTRAT, fd, "f", args![fd, c"", at, COLOR])
        .flags(at)
        .is(0);
    t.fd(REMOVEXATTRAT, fd, "f", args![fd, c"", at, COLOR])
        .fails(ENODATA);
    t.fd(CLOSE, fd, "f", args![fd]).is(0);
    t.fd(
        GETXATTRAT,
        CLOSED,
        "",
        args![CLOSED, c"", at, COLOR, &get, 16],
    )
    .fails(EBADF);
    // Without the flag an empty name is no file.
    t.path(REMOVEXATTRAT, "", args![fd, c"", 0, COLOR])
        .any_name()
        .fails(ENOENT);
}

/// A value written over the arguments that ask for it; arguments in a page no one has touched.
fn xattr_at_own_memory(t: &mut Tape) {
    let untouched = t.outside(|t| {
        make_file(t, "f", 10);
        let value = &[b'a'; 16];
        let set = call(SETXATTR.nr, args![c"f", COLOR, value, 16, 0]);
        assert_eq!(set, 0, "setxattr");
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        call(MMAP.nr, args![0, 4096, libc::PROT_READ, flags, -1, 0])
    });
    let mut own = [0u64; 2];
    own = [own.as_ptr() as u64, 16];
    t.path(
        GETXATTRAT,
        "f",
        args![AT_FDCWD, c"f", 0, COLOR, &mut own, 16],
    )
    .requested(16)
    .is(16);
    assert_eq!(own, [0x6161_6161_6161_6161; 2], "the arguments are gone");
    t.path(
        GETXATTRAT,
        "f",
        args![AT_FDCWD, c"f", 0, COLOR, untouched, 16],
    )
    .null("requested")
    .bytes(0)
    .is(16);
}
