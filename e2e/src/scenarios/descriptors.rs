//! Descriptors: copied, controlled, inherited, and made from nothing.

use libc::{EAGAIN, EBADF, EFAULT, EINVAL, ENOTTY, EPIPE, F_DUPFD, F_GETFL, LOCK_EX, LOCK_NB};
use libc::{LOCK_UN, O_APPEND, O_CREAT, O_NONBLOCK, O_RDWR, TCGETS};

use super::files::CLOSED;
use crate::args;
use crate::oracle::Name;
use crate::sys::*;
use crate::tape::Tape;

/// `dup`, `dup2`, `dup3`, `F_DUPFD`: every copy carries the file's name.
pub fn dup(t: &mut Tape) {
    let fd = t.open(OPEN, "f", args![c"f", O_CREAT | O_RDWR, 0o644]).ok() as i32;
    let copies = [
        t.fd(DUP, fd, "f", args![fd]).ok() as i32,
        t.fd(DUP2, fd, "f", args![fd, 650]).ok() as i32,
        t.fd(DUP3, fd, "f", args![fd, 651, libc::O_CLOEXEC]).ok() as i32,
        t.fd(FCNTL, fd, "f", args![fd, F_DUPFD, 652]).ok() as i32,
    ];
    t.fd(CLOSE, fd, "f", args![fd]).is(0);
    for (index, copy) in copies.into_iter().enumerate() {
        t.fd(WRITE, copy, "f", args![copy, b"copy", 4])
            .offset(index as i64 * 4)
            .is(4);
    }
    // A number that is taken over by another file.
    let fd = t.open(OPEN, "g", args![c"g", O_CREAT | O_RDWR, 0o644]).ok() as i32;
    t.fd(DUP2, fd, "g", args![fd, 650]).is(650);
    t.fd(WRITE, 650, "g", args![650, b"other", 5]).is(5);
    t.fd(WRITE, 651, "f", args![651, b"same", 4]).is(4);
    t.fd(CLOSE, fd, "g", args![fd]).is(0);
    t.fd(CLOSE, 650, "g", args![650]).is(0);
    for copy in [copies[0], 651, copies[3]] {
        t.fd(CLOSE, copy, "f", args![copy]).is(0);
    }
    t.fd(DUP, CLOSED, "", args![CLOSED]).fails(EBADF);
    t.fd(DUP2, CLOSED, "", args![CLOSED, 650]).fails(EBADF);
    t.fd(DUP3, CLOSED, "", args![CLOSED, CLOSED, 0])
        .fails(EINVAL);
}

/// `fcntl`, `ioctl`, `flock`.
pub fn fcntl_ioctl_flock(t: &mut Tape) {
    let fd = t.open(OPEN, "f", args![c"f", O_CREAT | O_RDWR, 0o644]).ok() as i32;
    let other = t.open(OPEN, "f", args![c"f", O_RDWR]).ok() as i32;
    t.fd(FCNTL, fd, "f", args![fd, F_GETFL]).ok();
    t.fd(FCNTL, fd, "f", args![fd, 9999]).fails(EINVAL);
    t.fd(FCNTL, CLOSED, "", args![CLOSED, F_GETFL]).fails(EBADF);
    t.fd(IOCTL, fd, "f", args![fd, libc::FIONREAD, &mut [0i32]])
        .is(0);
    t.fd(IOCTL, fd, "f", args![fd, TCGETS, &mut [0u8; 64]])
        .fails(ENOTTY);
    t.fd(
        IOCTL,
        CLOSED,
        "",
        args![CLOSED, libc::FIONREAD, &mut [0i32]],
    )
    .fails(EBADF);
    t.fd(FLOCK, fd, "f", args![fd, LOCK_EX]).is(0);
    t.fd(FLOCK, other, "f", args![other, LOCK_EX | LOCK_NB])
        .fails(EAGAIN);
    t.fd(FLOCK, fd, "f", args![fd, LOCK_UN]).is(0);
    t.fd(FLOCK, CLOSED, "", args![CLOSED, LOCK_EX]).fails(EBADF);
    t.fd(CLOSE, fd, "f", args![fd]).is(0);
    t.fd(CLOSE, other, "f", args![other]).is(0);
}

/// Gives the call just noted the kernel's name of a descriptor it made.
fn name_last(t: &mut Tape, fd: i32) -> String {
    let name = t.outside(|t| t.proc_name(fd));
    let call = t.last();
    call.fd = fd;
    call.file = Some(Name::Text(name.clone()));
    call.name_source = Some("kernel".to_owned());
    name
}

/// `pipe` and `pipe2`.
pub fn pipe(t: &mut Tape) {
    let ends = &mut [0i32; 2];
    let buffer = &mut [0u8; 64];
    t.bare(PIPE, args![&mut *ends]).is(0);
    let [read, write] = *ends;
    let name = name_last(t, read);
    t.fd(WRITE, write, &name, args![write, b"through", 7])
        .requested(7)
        .is(7);
    t.fd(READ, read, &name, args![read, &mut *buffer, 64])
        .requested(64)
        .is(7);
    t.fd(LSEEK, read, &name, args![read, 0, 0])
        .fails(libc::ESPIPE);
    t.fd(CLOSE, read, &name, args![read]).is(0);
    t.fd(WRITE, write, &name, args![write, b"nobody", 6])
        .fails(EPIPE);
    t.fd(CLOSE, write, &name, args![write]).is(0);

    t.bare(PIPE2, args![&mut *ends, O_NONBLOCK]).is(0);
    let [read, write] = *ends;
    let name = name_last(t, read);
    t.fd(READ, read, &name, args![read, &mut *buffer, 64])
        .fails(EAGAIN);
    t.fd(CLOSE, write, &name, args![write]).is(0);
    t.fd(READ, read, &name, args![read, &mut *buffer, 64]).is(0);
    t.fd(CLOSE, read, &name, args![read]).is(0);
    t.bare(PIPE, args![8]).fails(EFAULT);
    t.bare(PIPE2, args![&mut *ends, 1]).fails(EINVAL);
}

/// `eventfd2`, `epoll_create1`, `inotify_init1`, `memfd_create`.
pub fn made_from_nothing(t: &mut Tape) {
    let cases: [(Sys, &str, &[Arg], &[Arg]); 4] = [
        (
            EVENTFD2,
            "anon_inode:[eventfd]",
            args![0, 0],
            args![0, 1 << 30],
        ),
        (EPOLL_CREATE1, "anon_inode:[eventpoll]", args![0], args![1]),
        (INOTIFY_INIT1, "anon_inode:inotify", args![0], args![1]),
        (
            MEMFD_CREATE,
            "memfd:scratch",
            args![c"scratch", 0],
            args![c"scratch", 1 << 20],
        ),
    ];
    for (sys, name, good, bad) in cases {
        let fd = t.create(sys, name, good).ok() as i32;
        t.fd(NEWFSTAT, fd, name, args![fd, &mut [0u8; 256]]).is(0);
        t.fd(CLOSE, fd, name, args![fd]).is(0);
        t.create(sys, name, bad).fails(EINVAL);
    }
    let fd = t.create(EVENTFD2, "anon_inode:[eventfd]", args![3, 0]).ok() as i32;
    t.fd(
        READ,
        fd,
        "anon_inode:[eventfd]",
        args![fd, &mut [0u64; 1], 8],
    )
    .is(8);
    t.fd(WRITE, fd, "anon_inode:[eventfd]", args![fd, &[5u64], 8])
        .is(8);
    t.fd(WRITE, fd, "anon_inode:[eventfd]", args![fd, &[5u64], 3])
        .fails(EINVAL);
    t.fd(CLOSE, fd, "anon_inode:[eventfd]", args![fd]).is(0);
    let fd = t.create(MEMFD_CREATE, "memfd:data", args![c"data", 0]).ok() as i32;
    t.fd(WRITE, fd, "memfd:data", args![fd, b"1234", 4]).is(4);
    t.fd(CLOSE, fd, "memfd:data", args![fd]).is(0);
}

/// Opens a file before the trace begins.
pub fn open_early(t: &mut Tape) {
    let fd = call(
        OPENAT.nr,
        args![libc::AT_FDCWD, c"early", O_CREAT | O_RDWR, 0o644],
    );
    assert!(fd >= 0, "open early: {fd}");
    call(WRITE.nr, args![fd, b"before", 6]);
    t.kept.push(fd);
}

/// A descriptor that was opened before the trace began, and its copies.
pub fn open_before_trace(t: &mut Tape) {
    let fd = t.kept[0] as i32;
    t.fd(WRITE, fd, "early", args![fd, b"after", 5])
        .offset(6)
        .is(5);
    let copy = t.fd(DUP, fd, "early", args![fd]).ok() as i32;
    t.fd(PREAD64, copy, "early", args![copy, &mut [0u8; 64], 64, 0])
        .is(11);
    t.child_and_wait(move |t| {
        t.fd(WRITE, copy, "early", args![copy, b"child", 5])
            .offset(11)
            .is(5);
        t.fd(CLOSE, fd, "early", args![fd]).is(0);
        t.fd(WRITE, fd, "", args![fd, b"closed", 6]).fails(EBADF);
    });
    t.fd(CLOSE, copy, "early", args![copy]).is(0);
    t.fd(WRITE, fd, "early", args![fd, b"still", 5])
        .offset(16)
        .is(5);
    t.fd(CLOSE, fd, "early", args![fd]).is(0);
}

/// Descriptors copied by fork, and copies of those.
pub fn copies_by_fork(t: &mut Tape) {
    let flags = O_CREAT | O_RDWR | O_APPEND;
    let fd = t
        .open(OPEN, "shared", args![c"shared", flags, 0o644])
        .flags(flags)
        .ok() as i32;
    for _ in 0..4 {
        t.child_and_wait(move |t| {
            t.fd(WRITE, fd, "shared", args![fd, b"child", 5]).is(5);
            t.fd(DUP2, fd, "shared", args![fd, 660]).is(660);
            t.fd(CLOSE, fd, "shared", args![fd]).is(0);
            t.fd(WRITE, 660, "shared", args![660, b"copy", 4]).is(4);
            t.child_and_wait(|t| {
                t.fd(WRITE, 660, "shared", args![660, b"grandchild", 10])
                    .is(10);
            });
            // The number is another file in this process only.
            let own = t
                .open(OPEN, "own", args![c"own", O_CREAT | O_RDWR, 0o644])
                .ok() as i32;
            t.fd(WRITE, own, "own", args![own, b"own", 3]).is(3);
            t.fd(CLOSE, own, "own", args![own]).is(0);
            t.fd(WRITE, own, "", args![own, b"own", 3]).fails(EBADF);
        });
        t.fd(WRITE, fd, "shared", args![fd, b"parent", 6]).is(6);
    }
    t.fd(CLOSE, fd, "shared", args![fd]).is(0);
}

/// Makes `name` of that type, with the inode number it had as another one if the file system gives it again soon.
fn make_node(name: &std::ffi::CStr, mode: u32, ino: &mut u64) {
    use std::os::unix::fs::MetadataExt;
    let path = name.to_str().expect("a plain name");
    for _ in 0..50 {
        let _ = std::fs::remove_file(path);
        crate::sys::call(libc::SYS_mknod, args![name, mode, 0]);
        let made = std::fs::metadata(path).expect("made").ino();
        if *ino == 0 || made == *ino {
            *ino = made;
            return;
        }
    }
}

/// A fifo, then a file of its name and inode number, then a fifo again: only the file has a position.
pub fn changed_type(t: &mut Tape) {
    let mut ino = 0;
    for _ in 0..2 {
        t.outside(|_| make_node(c"n", libc::S_IFIFO | 0o644, &mut ino));
        let fd = t.open(OPEN, "n", args![c"n", O_RDWR]).ok() as i32;
        t.fd(WRITE, fd, "n", args![fd, b"1", 1]).is(1);
        t.fd(CLOSE, fd, "n", args![fd]).is(0);
        t.outside(|_| make_node(c"n", libc::S_IFREG | 0o644, &mut ino));
        let fd = t.open(OPEN, "n", args![c"n", O_RDWR]).ok() as i32;
        t.fd(WRITE, fd, "n", args![fd, b"12", 2]).offset(0).is(2);
        t.fd(WRITE, fd, "n", args![fd, b"3", 1]).offset(2).is(1);
        t.fd(CLOSE, fd, "n", args![fd]).is(0);
    }
}
