//! File handles.

use libc::{AT_EMPTY_PATH, AT_FDCWD, AT_SYMLINK_FOLLOW, EBADF, EFAULT, EINVAL, ENOENT, EOVERFLOW};
use libc::{ESTALE, O_CREAT, O_DIRECTORY, O_RDONLY, O_RDWR, O_WRONLY};

use super::super::files::CLOSED;
use super::super::make_file;
use super::{Scenario, plain};
use crate::args;
use crate::sys::*;
use crate::tape::Tape;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[
    plain("name_to_handle", name_to_handle),
    plain("open_by_handle", open_by_handle),
];

/// `struct file_handle` with room for the longest: the length, the type, the bytes.
type Handle = [u32; 34];

const ROOM: u32 = 128;

fn empty() -> Handle {
    let mut handle = [0; 34];
    handle[0] = ROOM;
    handle
}

/// `name_to_handle_at`.
fn name_to_handle(t: &mut Tape) {
    let (handle, mount) = (&mut empty(), &mut [0i32; 2]);
    let dir = t.outside(|t| {
        assert_eq!(call(MKDIR.nr, args![c"d", 0o755]), 0, "mkdir");
        make_file(t, "d/f", 10);
        assert_eq!(call(SYMLINK.nr, args![c"f", c"d/l"]), 0, "symlink");
        call(OPEN.nr, args![c"d", O_RDONLY | O_DIRECTORY]) as i32
    });
    t.path(
        NAME_TO_HANDLE_AT,
        "d/f",
        args![dir, c"f", &mut *handle, &mut *mount, 0],
    )
    .flags(0)
    .is(0);
    t.path(
        NAME_TO_HANDLE_AT,
        "d/l",
        args![dir, c"l", &mut empty(), &mut *mount, AT_SYMLINK_FOLLOW],
    )
    .flags(AT_SYMLINK_FOLLOW)
    .is(0);
    t.fd(
        NAME_TO_HANDLE_AT,
        dir,
        "d",
        args![dir, c"", &mut empty(), &mut *mount, AT_EMPTY_PATH],
    )
    .flags(AT_EMPTY_PATH)
    .is(0);
    t.path(
        NAME_TO_HANDLE_AT,
        "d/f",
        args![AT_FDCWD, c"d/f", &mut [0u32; 34], &mut *mount, 0],
    )
    .fails(EOVERFLOW);
    t.path(
        NAME_TO_HANDLE_AT,
        "d/no",
        args![dir, c"no", &mut empty(), &mut *mount, 0],
    )
    .fails(ENOENT);
    t.path(
        NAME_TO_HANDLE_AT,
        "d/f",
        args![dir, c"f", &mut empty(), &mut *mount, 1 << 30],
    )
    .flags(1 << 30)
    .fails(EINVAL);
    t.path(
        NAME_TO_HANDLE_AT,
        "d/f",
        args![dir, c"f", 8, &mut *mount, 0],
    )
    .fails(EFAULT);
    t.path(
        NAME_TO_HANDLE_AT,
        "",
        args![dir, 8, &mut empty(), &mut *mount, 0],
    )
    .partial(b"")
    .fails(EFAULT);
    t.fd(
        NAME_TO_HANDLE_AT,
        CLOSED,
        "",
        args![CLOSED, c"", &mut empty(), &mut *mount, AT_EMPTY_PATH],
    )
    .flags(AT_EMPTY_PATH)
    .fails(EBADF);
    t.fd(CLOSE, dir, "d", args![dir]).is(0);
}

/// `open_by_handle_at`: no name is passed, the kernel knows it.
fn open_by_handle(t: &mut Tape) {
    let (file, dir) = (&mut empty(), &mut empty());
    let name = |t: &Tape, name: &str| String::from_utf8(t.full(name)).expect("UTF-8");
    // A descriptor each keeps the names in the kernel's cache.
    let open = t.outside(|t| {
        assert_eq!(call(MKDIR.nr, args![c"d", 0o755]), 0, "mkdir");
        make_file(t, "d/f", 10);
        for (path, handle) in [(c"d", &mut *dir), (c"d/f", &mut *file)] {
            let id = &mut [0i32; 2];
            let ret = call(NAME_TO_HANDLE_AT.nr, args![AT_FDCWD, path, handle, id, 0]);
            assert_eq!(ret, 0, "name_to_handle_at");
        }
        [c"d", c"d/f"].map(|path| call(OPEN.nr, args![path, O_RDONLY]) as i32)
    });
    let mount = open[0];
    let f = name(t, "d/f");
    let fd = t
        .create(OPEN_BY_HANDLE_AT, &f, args![mount, &*file, O_RDWR])
        .flags(O_RDWR)
        .ok() as i32;
    t.fd(WRITE, fd, &f, args![fd, b"by handle", 9]).is(9);
    t.fd(CLOSE, fd, &f, args![fd]).is(0);
    let d = name(t, "d");
    let flags = O_RDONLY | O_DIRECTORY;
    let fd = t
        .create(OPEN_BY_HANDLE_AT, &d, args![AT_FDCWD, &*dir, flags])
        .flags(flags)
        .ok() as i32;
    t.fd(NEWFSTAT, fd, &d, args![fd, &mut [0u8; 256]]).is(0);
    let made = t
        .open(OPENAT, "d/g", args![fd, c"g", O_CREAT | O_WRONLY, 0o644])
        .ok() as i32;
    t.fd(CLOSE, made, "d/g", args![made]).is(0);
    t.fd(CLOSE, fd, &d, args![fd]).is(0);

    let mut failing = |args: &[Arg<'_>], errno| {
        t.create(OPEN_BY_HANDLE_AT, "", args).fails(errno);
    };
    failing(args![mount, &[0u32; 34], O_RDONLY], EINVAL);
    failing(args![CLOSED, &*file, O_RDONLY], EBADF);
    failing(args![mount, 8, O_RDONLY], EFAULT);
    // No file has the number 0.
    let mut stale = *file;
    stale[2..].fill(0);
    failing(args![mount, &stale, O_RDONLY], ESTALE);
    t.fd(CLOSE, open[1], "d/f", args![open[1]]).is(0);
    t.fd(CLOSE, mount, "d", args![mount]).is(0);
}
