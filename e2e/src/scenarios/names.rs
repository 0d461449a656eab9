//! Calls that make, change and remove names.

use libc::{AT_FDCWD, EEXIST, EINVAL, EISDIR, ENOENT, O_CREAT, O_DIRECTORY, O_RDONLY, O_RDWR};

use super::make_file;
use crate::args;
use crate::oracle::Name;
use crate::sys::*;
use crate::tape::Tape;

const NOREPLACE: i32 = libc::RENAME_NOREPLACE as i32;
const EXCHANGE: i32 = libc::RENAME_EXCHANGE as i32;

/// `unlink` and `unlinkat`.
pub fn unlink(t: &mut Tape) {
    t.outside(|t| {
        make_file(t, "a", 1);
        make_file(t, "b", 1);
    });
    t.path(UNLINK, "a", args![c"a"]).is(0);
    t.path(UNLINK, "a", args![c"a"]).fails(ENOENT);
    t.path(UNLINKAT, "b", args![AT_FDCWD, c"b", 0]).is(0);
    t.path(UNLINKAT, "b", args![AT_FDCWD, c"b", 0])
        .fails(ENOENT);
    t.path(MKDIR, "d", args![c"d", 0o755]).is(0);
    t.path(UNLINK, "d", args![c"d"]).fails(EISDIR);
}

/// `rename`, `renameat`, `renameat2`.
pub fn rename(t: &mut Tape) {
    t.outside(|t| {
        make_file(t, "a", 1);
        make_file(t, "x", 1);
    });
    t.two_paths(RENAME, "b", "a", args![c"a", c"b"]).is(0);
    t.two_paths(RENAME, "b", "a", args![c"a", c"b"])
        .fails(ENOENT);
    t.two_paths(RENAMEAT, "c", "b", args![AT_FDCWD, c"b", AT_FDCWD, c"c"])
        .is(0);
    t.two_paths(RENAMEAT, "c", "b", args![AT_FDCWD, c"b", AT_FDCWD, c"c"])
        .fails(ENOENT);
    t.two_paths(
        RENAMEAT2,
        "x",
        "c",
        args![AT_FDCWD, c"c", AT_FDCWD, c"x", NOREPLACE],
    )
    .flags(NOREPLACE)
    .fails(EEXIST);
    t.two_paths(
        RENAMEAT2,
        "x",
        "c",
        args![AT_FDCWD, c"c", AT_FDCWD, c"x", EXCHANGE],
    )
    .flags(EXCHANGE)
    .is(0);
    t.two_paths(
        RENAMEAT2,
        "y",
        "c",
        args![AT_FDCWD, c"c", AT_FDCWD, c"y", NOREPLACE],
    )
    .is(0);
    // Two directory descriptors, one name each.
    t.path(MKDIR, "from", args![c"from", 0o755]).is(0);
    t.path(MKDIR, "to", args![c"to", 0o755]).is(0);
    let flags = O_RDONLY | O_DIRECTORY;
    let from = t.open(OPEN, "from", args![c"from", flags]).ok() as i32;
    let to = t.open(OPEN, "to", args![c"to", flags]).ok() as i32;
    t.two_paths(RENAMEAT, "from/1", "y", args![AT_FDCWD, c"y", from, c"1"])
        .is(0);
    t.two_paths(RENAMEAT2, "to/2", "from/1", args![from, c"1", to, c"2", 0])
        .is(0);
    t.two_paths(RENAMEAT2, "to/2", "from/1", args![from, c"1", to, c"2", 0])
        .fails(ENOENT);
    t.fd(CLOSE, from, "from", args![from]).is(0);
    t.fd(CLOSE, to, "to", args![to]).is(0);
}

/// `link` and `linkat`; a hard link is opened under the name it was opened by.
pub fn link(t: &mut Tape) {
    t.outside(|t| make_file(t, "a", 1));
    t.two_paths(LINK, "b", "a", args![c"a", c"b"]).is(0);
    t.two_paths(LINK, "b", "a", args![c"a", c"b"]).fails(EEXIST);
    t.two_paths(LINK, "c", "missing", args![c"missing", c"c"])
        .fails(ENOENT);
    t.two_paths(LINKAT, "c", "b", args![AT_FDCWD, c"b", AT_FDCWD, c"c", 0])
        .is(0);
    t.two_paths(LINKAT, "c", "b", args![AT_FDCWD, c"b", AT_FDCWD, c"c", 0])
        .fails(EEXIST);
    t.two_paths(LINKAT, "d", "b", args![AT_FDCWD, c"b", AT_FDCWD, c"d", 1])
        .fails(EINVAL);
    for (name, text) in [("a", c"a"), ("b", c"b"), ("c", c"c")] {
        let fd = t.open(OPEN, name, args![text, O_RDONLY]).ok() as i32;
        t.fd(CLOSE, fd, name, args![fd]).is(0);
    }
}

/// `symlink`, `symlinkat`, `readlink`, `readlinkat`; the target is shown as passed.
pub fn symlink(t: &mut Tape) {
    let buffer = &mut [0u8; 4096];
    let target = |t: &mut Tape, text: &[u8]| t.last().old_file = Some(Name::from(text));
    t.two_paths(SYMLINK, "l", "", args![c"../some/target", c"l"])
        .is(0);
    target(t, b"../some/target");
    t.two_paths(SYMLINK, "l", "", args![c"other", c"l"])
        .fails(EEXIST);
    target(t, b"other");
    t.two_paths(SYMLINKAT, "m", "", args![c"/an/absolute", AT_FDCWD, c"m"])
        .is(0);
    target(t, b"/an/absolute");
    t.two_paths(SYMLINKAT, "no/m", "", args![c"x", AT_FDCWD, c"no/m"])
        .fails(ENOENT);
    target(t, b"x");
    t.path(READLINK, "l", args![c"l", &mut *buffer, 4096])
        .is(14);
    t.path(READLINK, "l", args![c"l", &mut *buffer, 5]).is(5);
    t.path(READLINK, "missing", args![c"missing", &mut *buffer, 4096])
        .fails(ENOENT);
    t.path(READLINK, "l", args![c"l", &mut *buffer, 0])
        .fails(EINVAL);
    t.path(READLINKAT, "m", args![AT_FDCWD, c"m", &mut *buffer, 4096])
        .is(12);
    t.path(
        READLINKAT,
        "missing",
        args![AT_FDCWD, c"missing", &mut *buffer, 4096],
    )
    .fails(ENOENT);
    t.path(MKDIR, "d", args![c"d", 0o755]).is(0);
    let dir = t.open(OPEN, "d", args![c"d", O_RDONLY | O_DIRECTORY]).ok() as i32;
    t.two_paths(SYMLINKAT, "d/n", "", args![c"t", dir, c"n"])
        .is(0);
    target(t, b"t");
    t.path(READLINKAT, "d/n", args![dir, c"n", &mut *buffer, 4096])
        .is(1);
    t.fd(CLOSE, dir, "d", args![dir]).is(0);
}

/// A renamed file, also below a renamed directory, has its new name from the next call on; an unlinked one keeps
/// its name.
pub fn renamed_and_unlinked(t: &mut Tape) {
    let fd = t.open(OPEN, "a", args![c"a", O_CREAT | O_RDWR, 0o644]).ok() as i32;
    t.fd(WRITE, fd, "a", args![fd, b"1", 1]).is(1);
    t.two_paths(RENAME, "b", "a", args![c"a", c"b"]).is(0);
    t.fd(WRITE, fd, "b", args![fd, b"2", 1]).is(1);
    t.two_paths(RENAME, "missing/c", "b", args![c"b", c"missing/c"])
        .fails(ENOENT);
    t.fd(WRITE, fd, "b", args![fd, b"3", 1]).is(1);
    t.path(UNLINK, "b", args![c"b"]).is(0);
    t.fd(WRITE, fd, "b", args![fd, b"4", 1]).is(1);
    t.fd(CLOSE, fd, "b", args![fd]).is(0);

    // The name is free again: another file.
    let fd = t.open(OPEN, "b", args![c"b", O_CREAT | O_RDWR, 0o644]).ok() as i32;
    t.fd(CLOSE, fd, "b", args![fd]).is(0);

    t.path(MKDIR, "d", args![c"d", 0o755]).is(0);
    t.path(MKDIR, "d/e", args![c"d/e", 0o755]).is(0);
    let fd = t
        .open(OPEN, "d/e/f", args![c"d/e/f", O_CREAT | O_RDWR, 0o644])
        .ok() as i32;
    t.fd(WRITE, fd, "d/e/f", args![fd, b"1", 1]).is(1);
    t.two_paths(RENAME, "moved", "d", args![c"d", c"moved"])
        .is(0);
    t.fd(WRITE, fd, "moved/e/f", args![fd, b"2", 1]).is(1);
    t.two_paths(RENAME, "up", "moved/e", args![c"moved/e", c"up"])
        .is(0);
    t.fd(WRITE, fd, "up/f", args![fd, b"3", 1]).is(1);
    // Another process renames it.
    t.child_and_wait(|t| {
        t.two_paths(RENAME, "up/g", "up/f", args![c"up/f", c"up/g"])
            .is(0);
    });
    t.fd(WRITE, fd, "up/g", args![fd, b"4", 1]).is(1);
    t.fd(CLOSE, fd, "up/g", args![fd]).is(0);

    // An exchange renames both.
    let one = t.open(OPEN, "1", args![c"1", O_CREAT | O_RDWR, 0o644]).ok() as i32;
    let two = t.open(OPEN, "2", args![c"2", O_CREAT | O_RDWR, 0o644]).ok() as i32;
    t.two_paths(
        RENAMEAT2,
        "2",
        "1",
        args![AT_FDCWD, c"1", AT_FDCWD, c"2", EXCHANGE],
    )
    .is(0);
    t.fd(WRITE, one, "2", args![one, b"1", 1]).is(1);
    t.fd(WRITE, two, "1", args![two, b"2", 1]).is(1);
    t.fd(CLOSE, one, "2", args![one]).is(0);
    t.fd(CLOSE, two, "1", args![two]).is(0);
}
