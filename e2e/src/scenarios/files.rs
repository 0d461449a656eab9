//! Opening, closing, reading, writing, positions, sizes and syncing.

use libc::{
    AT_FDCWD, EBADF, EEXIST, EINVAL, ENOENT, ENOTDIR, ESPIPE, O_CREAT, O_DIRECTORY, O_EXCL,
    O_RDONLY, O_RDWR, O_TRUNC, O_WRONLY,
};

use super::{c_full, make_file};
use crate::args;
use crate::sys::{self, *};
use crate::tape::Tape;

/// A number that is never an open descriptor here.
pub const CLOSED: i32 = 777;

/// `open` and `creat`.
pub fn open(t: &mut Tape) {
    let flags = O_CREAT | O_RDWR;
    let fd = t
        .open(OPEN, "a", args![c"a", flags, 0o644])
        .flags(flags)
        .ok() as i32;
    t.fd(CLOSE, fd, "a", args![fd]).is(0);
    let flags = O_CREAT | O_EXCL | O_WRONLY;
    t.open(OPEN, "a", args![c"a", flags, 0o644])
        .flags(flags)
        .fails(EEXIST);
    t.open(OPEN, "missing", args![c"missing", O_RDONLY])
        .flags(O_RDONLY)
        .fails(ENOENT);
    t.open(OPEN, "a/b", args![c"a/b", O_RDONLY]).fails(ENOTDIR);
    t.open(OPEN, "/nowhere/at/all", args![c"/nowhere/at/all", O_RDONLY])
        .fails(ENOENT);
    t.open(OPEN, "a", args![c"a", O_RDONLY | O_DIRECTORY])
        .fails(ENOTDIR);
    let absolute = c_full(t, "a");
    let fd = t.open(OPEN, "a", args![&absolute, O_RDONLY]).ok() as i32;
    t.fd(CLOSE, fd, "a", args![fd]).is(0);
    let fd = t
        .open(OPEN, "/dev/null", args![c"/dev/null", O_WRONLY])
        .ok() as i32;
    t.fd(WRITE, fd, "/dev/null", args![fd, b"gone", 4]).is(4);
    t.fd(CLOSE, fd, "/dev/null", args![fd]).is(0);

    let fd = t.open(CREAT, "created", args![c"created", 0o644]).ok() as i32;
    t.fd(CLOSE, fd, "created", args![fd]).is(0);
    t.open(CREAT, "missing/created", args![c"missing/created", 0o644])
        .fails(ENOENT);
}

/// `openat` by the working directory, and through symbolic links.
pub fn openat(t: &mut Tape) {
    let flags = O_CREAT | O_TRUNC | O_WRONLY;
    let fd = t
        .open(OPENAT, "target", args![AT_FDCWD, c"target", flags, 0o600])
        .flags(flags)
        .ok() as i32;
    t.fd(CLOSE, fd, "target", args![fd]).is(0);
    t.two_paths(SYMLINK, "shortcut", b"", args![c"target", c"shortcut"])
        .is(0);
    t.last().old_file = Some(b"target"[..].into());
    let fd = t
        .open(OPENAT, "target", args![AT_FDCWD, c"shortcut", O_RDONLY])
        .ok() as i32;
    t.fd(CLOSE, fd, "target", args![fd]).is(0);
    let no_follow = O_RDONLY | libc::O_NOFOLLOW;
    t.open(OPENAT, "shortcut", args![AT_FDCWD, c"shortcut", no_follow])
        .fails(libc::ELOOP);
    t.open(OPENAT, "missing", args![AT_FDCWD, c"missing", O_RDONLY])
        .fails(ENOENT);
    t.open(OPENAT, "relative", args![CLOSED, c"relative", O_RDONLY])
        .any_name()
        .fails(EBADF);
    // The directory descriptor does not matter to an absolute name.
    let fd = t
        .open(OPENAT, "/dev/zero", args![CLOSED, c"/dev/zero", O_RDONLY])
        .ok() as i32;
    t.fd(READ, fd, "/dev/zero", args![fd, &mut [1u8; 9], 9])
        .is(9);
    t.fd(CLOSE, fd, "/dev/zero", args![fd]).is(0);
}

/// `openat2`.
pub fn openat2(t: &mut Tape) {
    let how = [(O_CREAT | O_RDWR) as u64, 0o644, 0];
    let fd = t.open(OPENAT2, "a", args![AT_FDCWD, c"a", &how, 24]).ok() as i32;
    t.fd(CLOSE, fd, "a", args![fd]).is(0);
    let read = [O_RDONLY as u64, 0, 0];
    t.open(OPENAT2, "missing", args![AT_FDCWD, c"missing", &read, 24])
        .fails(ENOENT);
    t.open(OPENAT2, "a", args![AT_FDCWD, c"a", &read, 7])
        .fails(EINVAL);
    let beneath = [O_RDONLY as u64, 0, libc::RESOLVE_BENEATH];
    t.open(
        OPENAT2,
        "/dev/null",
        args![AT_FDCWD, c"/dev/null", &beneath, 24],
    )
    .fails(libc::EXDEV);
    // Absolute names can be relative to the directory passed.
    t.path(MKDIR, "d", args![c"d", 0o755]).is(0);
    let dir = t.open(OPEN, "d", args![c"d", O_RDONLY | O_DIRECTORY]).ok() as i32;
    let in_root = [O_RDONLY as u64, 0, libc::RESOLVE_IN_ROOT];
    t.open(OPENAT2, "d/etc/no", args![dir, c"/etc/no", &in_root, 24])
        .fails(ENOENT);
    t.open(OPENAT2, "d/no", args![dir, c"no", &in_root, 24])
        .fails(ENOENT);
    t.open(OPENAT2, "no", args![AT_FDCWD, c"/no", &in_root, 24])
        .fails(ENOENT);
    t.open(OPENAT2, "d/no", args![dir, c"../../no", &in_root, 24])
        .fails(ENOENT);
    let fd = t
        .open(OPENAT2, "d", args![dir, c"/../..", &in_root, 24])
        .ok() as i32;
    t.fd(CLOSE, fd, "d", args![fd]).is(0);
    t.fd(CLOSE, dir, "d", args![dir]).is(0);
}

/// `close` and `close_range`.
pub fn close(t: &mut Tape) {
    let fd = t.open(OPEN, "a", args![c"a", O_CREAT | O_RDWR, 0o644]).ok() as i32;
    t.fd(CLOSE, fd, "a", args![fd]).is(0);
    t.fd(CLOSE, fd, "", args![fd]).fails(EBADF);
    t.fd(CLOSE, -1, "", args![-1]).fails(EBADF);
    let fd = t.open(OPEN, "a", args![c"a", O_RDWR]).ok() as i32;
    t.fd(DUP2, fd, "a", args![fd, 600]).is(600);
    t.bare(CLOSE_RANGE, args![600, 700, 0]).is(0);
    t.fd(CLOSE, 600, "", args![600]).fails(EBADF);
    t.bare(CLOSE_RANGE, args![600, 599, 0]).fails(EINVAL);
    t.fd(CLOSE, fd, "a", args![fd]).is(0);
}

/// `read`, `write`, `pread64`, `pwrite64`.
pub fn read_write(t: &mut Tape) {
    let buffer = &mut [0u8; 64];
    let fd = t
        .open(OPEN, "data", args![c"data", O_CREAT | O_RDWR, 0o644])
        .ok() as i32;
    t.fd(WRITE, fd, "data", args![fd, b"0123456789", 10])
        .requested(10)
        .offset(0)
        .is(10);
    t.fd(WRITE, fd, "data", args![fd, b"abc", 3])
        .requested(3)
        .offset(10)
        .is(3);
    t.fd(WRITE, fd, "data", args![fd, b"", 0])
        .requested(0)
        .offset(13)
        .is(0);
    t.fd(READ, fd, "data", args![fd, &mut *buffer, 64])
        .requested(64)
        .offset(13)
        .is(0);
    t.fd(PREAD64, fd, "data", args![fd, &mut *buffer, 64, 4])
        .requested(64)
        .offset(4)
        .is(9);
    t.fd(PREAD64, fd, "data", args![fd, &mut *buffer, 64, -1])
        .fails(EINVAL);
    t.fd(PWRITE64, fd, "data", args![fd, b"xyz", 3, 100])
        .requested(3)
        .offset(100)
        .is(3);
    t.fd(LSEEK, fd, "data", args![fd, 98, libc::SEEK_SET])
        .is(98);
    t.fd(READ, fd, "data", args![fd, &mut *buffer, 64])
        .requested(64)
        .offset(98)
        .is(5);
    t.fd(LSEEK, fd, "data", args![fd, 0, libc::SEEK_SET]).is(0);
    t.fd(READ, fd, "data", args![fd, 8, 64])
        .requested(64)
        .offset(0)
        .fails(libc::EFAULT);
    t.fd(CLOSE, fd, "data", args![fd]).is(0);
    t.fd(READ, CLOSED, "", args![CLOSED, &mut *buffer, 64])
        .fails(EBADF);
    t.fd(WRITE, CLOSED, "", args![CLOSED, &*buffer, 64])
        .fails(EBADF);
    t.fd(PREAD64, CLOSED, "", args![CLOSED, &mut *buffer, 64, 0])
        .fails(EBADF);
    t.fd(PWRITE64, CLOSED, "", args![CLOSED, &*buffer, 64, 0])
        .fails(EBADF);

    let fd = t.open(OPEN, "data", args![c"data", O_RDONLY]).ok() as i32;
    t.fd(WRITE, fd, "data", args![fd, b"no", 2])
        .requested(2)
        .fails(EBADF);
    t.fd(CLOSE, fd, "data", args![fd]).is(0);
    let fd = t
        .open(OPEN, "data", args![c"data", O_WRONLY | libc::O_APPEND])
        .ok() as i32;
    t.fd(READ, fd, "data", args![fd, &mut *buffer, 64])
        .requested(64)
        .fails(EBADF);
    t.fd(WRITE, fd, "data", args![fd, b"end", 3])
        .requested(3)
        .null("offset")
        .is(3);
    t.fd(CLOSE, fd, "data", args![fd]).is(0);
    // Reads from a file that is opened to append have a position.
    let fd = t
        .open(OPEN, "data", args![c"data", O_RDWR | libc::O_APPEND])
        .ok() as i32;
    t.fd(READ, fd, "data", args![fd, &mut *buffer, 4])
        .requested(4)
        .offset(0)
        .is(4);
    t.fd(READ, fd, "data", args![fd, &mut *buffer, 4])
        .requested(4)
        .offset(4)
        .is(4);
    t.fd(WRITE, fd, "data", args![fd, b"end", 3])
        .requested(3)
        .null("offset")
        .is(3);
    t.fd(CLOSE, fd, "data", args![fd]).is(0);
}

/// `readv`, `writev`, `preadv`, `pwritev`, `preadv2`, `pwritev2`.
pub fn vectors(t: &mut Tape) {
    let (mut first, mut second) = ([1u8; 10], [2u8; 20]);
    let iovec = sys::iovec(&mut [&mut first, &mut second]);
    let iovec = iovec.as_slice();
    let fd = t.open(OPEN, "v", args![c"v", O_CREAT | O_RDWR, 0o644]).ok() as i32;
    t.fd(WRITEV, fd, "v", args![fd, iovec, 2])
        .requested(30)
        .is(30);
    t.fd(PWRITEV, fd, "v", args![fd, iovec, 2, 30, 0])
        .requested(30)
        .is(30);
    t.fd(PWRITEV2, fd, "v", args![fd, iovec, 2, 60, 0, 0])
        .requested(30)
        .is(30);
    t.fd(
        PWRITEV2,
        fd,
        "v",
        args![fd, iovec, 2, 0, 0, libc::RWF_APPEND],
    )
    .null("offset")
    .is(30);
    t.fd(
        PWRITEV2,
        fd,
        "v",
        args![fd, iovec, 2, -1, -1, libc::RWF_APPEND],
    )
    .null("offset")
    .is(30);
    t.fd(FTRUNCATE, fd, "v", args![fd, 90]).is(0);
    t.fd(LSEEK, fd, "v", args![fd, 30, libc::SEEK_SET]).is(30);
    t.fd(READV, fd, "v", args![fd, iovec, 1])
        .requested(10)
        .is(10);
    t.fd(PREADV, fd, "v", args![fd, iovec, 2, 70, 0])
        .requested(30)
        .is(20);
    t.fd(PREADV2, fd, "v", args![fd, iovec, 2, -1, -1, 0])
        .requested(30)
        .offset(40)
        .is(30);
    // Negative counts and positions, unknown flags.
    t.fd(READV, fd, "v", args![fd, iovec, -1]).fails(EINVAL);
    t.fd(WRITEV, fd, "v", args![fd, iovec, -1]).fails(EINVAL);
    t.fd(PREADV, fd, "v", args![fd, iovec, 2, -5, -1])
        .fails(EINVAL);
    t.fd(PWRITEV, fd, "v", args![fd, iovec, 2, -5, -1])
        .fails(EINVAL);
    t.fd(PREADV2, fd, "v", args![fd, iovec, 2, 0, 0, 1 << 30])
        .fails(libc::EOPNOTSUPP);
    t.fd(PWRITEV2, fd, "v", args![fd, iovec, 2, 0, 0, 1 << 30])
        .fails(libc::EOPNOTSUPP);
    t.fd(CLOSE, fd, "v", args![fd]).is(0);
    for sys in [READV, WRITEV, PREADV, PWRITEV, PREADV2, PWRITEV2] {
        t.fd(sys, CLOSED, "", args![CLOSED, iovec, 2, 0, 0, 0])
            .fails(EBADF);
    }
}

/// `lseek`, `truncate`, `ftruncate`, `fallocate`, `fadvise64`.
pub fn seek_and_size(t: &mut Tape) {
    t.outside(|t| make_file(t, "f", 1000));
    let fd = t.open(OPEN, "f", args![c"f", O_RDWR]).ok() as i32;
    t.fd(LSEEK, fd, "f", args![fd, -10, libc::SEEK_END]).is(990);
    t.fd(LSEEK, fd, "f", args![fd, -1, libc::SEEK_SET])
        .fails(EINVAL);
    t.fd(LSEEK, CLOSED, "", args![CLOSED, 0, libc::SEEK_SET])
        .fails(EBADF);
    t.path(TRUNCATE, "f", args![c"f", 500]).is(0);
    t.path(TRUNCATE, "missing", args![c"missing", 500])
        .fails(ENOENT);
    t.fd(FTRUNCATE, fd, "f", args![fd, 300]).is(0);
    t.fd(FTRUNCATE, fd, "f", args![fd, -1]).fails(EINVAL);
    t.fd(FTRUNCATE, CLOSED, "", args![CLOSED, 1]).fails(EBADF);
    t.fd(FALLOCATE, fd, "f", args![fd, 0, 0, 8192]).is(0);
    t.fd(FALLOCATE, fd, "f", args![fd, 0, 0, 0]).fails(EINVAL);
    t.fd(FALLOCATE, CLOSED, "", args![CLOSED, 0, 0, 10])
        .fails(EBADF);
    t.fd(
        FADVISE64,
        fd,
        "f",
        args![fd, 0, 0, libc::POSIX_FADV_SEQUENTIAL],
    )
    .is(0);
    t.fd(FADVISE64, fd, "f", args![fd, 0, 0, 99]).fails(EINVAL);
    t.fd(FADVISE64, CLOSED, "", args![CLOSED, 0, 0, 0])
        .fails(EBADF);
    t.fd(CLOSE, fd, "f", args![fd]).is(0);
}

/// `fsync`, `fdatasync`, `sync`, `syncfs`, `sync_file_range`.
pub fn sync(t: &mut Tape) {
    let fd = t.open(OPEN, "s", args![c"s", O_CREAT | O_RDWR, 0o644]).ok() as i32;
    t.fd(WRITE, fd, "s", args![fd, b"dirty", 5]).is(5);
    t.fd(FDATASYNC, fd, "s", args![fd]).is(0);
    t.fd(FSYNC, fd, "s", args![fd]).is(0);
    t.fd(SYNC_FILE_RANGE, fd, "s", args![fd, 0, 5, 2]).is(0);
    t.fd(SYNC_FILE_RANGE, fd, "s", args![fd, 0, 5, 64])
        .fails(EINVAL);
    t.fd(SYNCFS, fd, "s", args![fd]).is(0);
    t.bare(SYNC, args![]).is(0);
    t.fd(CLOSE, fd, "s", args![fd]).is(0);
    for sys in [FDATASYNC, FSYNC, SYNCFS, SYNC_FILE_RANGE] {
        t.fd(sys, CLOSED, "", args![CLOSED, 0, 0, 0]).fails(EBADF);
    }
    let zero = t
        .open(OPEN, "/dev/zero", args![c"/dev/zero", O_RDONLY])
        .ok() as i32;
    t.fd(FSYNC, zero, "/dev/zero", args![zero]).fails(EINVAL);
    t.fd(SYNC_FILE_RANGE, zero, "/dev/zero", args![zero, 0, 0, 2])
        .fails(ESPIPE);
    t.fd(CLOSE, zero, "/dev/zero", args![zero]).is(0);
}
