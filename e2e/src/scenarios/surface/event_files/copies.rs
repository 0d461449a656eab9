//! Descriptors copied and controlled by `fcntl`, and what a new program inherits.

use std::ffi::CString;

use libc::{EBADF, EINVAL, F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_GETFL, F_SETFD, F_SETFL};
use libc::{FD_CLOEXEC, O_APPEND, O_CLOEXEC, O_CREAT, O_RDWR, O_WRONLY};

use crate::args;
use crate::scenarios::files::CLOSED;
use crate::sys::*;
use crate::tape::Tape;

/// `F_DUPFD`, `F_DUPFD_CLOEXEC`, `F_GETFD`, `F_SETFD`, `F_GETFL`, `F_SETFL`.
pub fn fcntl_copies(t: &mut Tape) {
    let fd = t.open(OPEN, "f", args![c"f", O_CREAT | O_RDWR, 0o644]).ok() as i32;
    t.fd(WRITE, fd, "f", args![fd, b"0123456789", 10])
        .offset(0)
        .is(10);
    t.fd(FCNTL, fd, "f", args![fd, F_DUPFD, 670]).is(670);
    t.fd(FCNTL, fd, "f", args![fd, F_DUPFD, 670]).is(671);
    t.fd(FCNTL, fd, "f", args![fd, F_DUPFD_CLOEXEC, 670])
        .is(672);
    t.fd(FCNTL, 670, "f", args![670, F_GETFD]).is(0);
    t.fd(FCNTL, 672, "f", args![672, F_GETFD])
        .is(i64::from(FD_CLOEXEC));
    t.fd(FCNTL, 672, "f", args![672, F_SETFD, 0]).is(0);
    t.fd(FCNTL, 672, "f", args![672, F_GETFD]).is(0);
    let open = t.fd(FCNTL, 671, "f", args![671, F_GETFL]).ok();
    assert_eq!(open as i32 & (O_RDWR | O_APPEND), O_RDWR, "open flags");
    // All copies are one open file: one position, one set of flags.
    t.fd(LSEEK, 671, "f", args![671, 2, libc::SEEK_SET]).is(2);
    t.fd(FCNTL, 671, "f", args![671, F_SETFL, O_APPEND]).is(0);
    t.fd(WRITE, 672, "f", args![672, b"end", 3]).is(3);
    t.fd(LSEEK, fd, "f", args![fd, 0, libc::SEEK_CUR]).is(13);
    t.fd(FCNTL, 670, "f", args![670, F_SETFL, 0]).is(0);
    t.fd(WRITE, 670, "f", args![670, b"on", 2]).offset(13).is(2);
    for copy in [fd, 670, 671] {
        t.fd(CLOSE, copy, "f", args![copy]).is(0);
    }
    t.fd(WRITE, 672, "f", args![672, b"last", 4])
        .offset(15)
        .is(4);
    t.fd(FCNTL, 672, "f", args![672, F_DUPFD, -1]).fails(EINVAL);
    t.fd(FCNTL, 672, "f", args![672, F_DUPFD, 1 << 30])
        .fails(EINVAL);
    t.fd(FCNTL, 672, "f", args![672, F_DUPFD_CLOEXEC, 1 << 30])
        .fails(EINVAL);
    t.fd(CLOSE, 672, "f", args![672]).is(0);
    for command in [F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL] {
        t.fd(FCNTL, 672, "", args![672, command, 0]).fails(EBADF);
    }
    t.fd(FCNTL, -1, "", args![-1, F_GETFD]).fails(EBADF);
}

/// Numbers of descriptors that the new program finds.
const KEPT: [i32; 3] = [680, 681, 682];
/// Numbers of those that it does not find.
const GONE: [i32; 4] = [683, 684, 685, 686];

/// Descriptors that close themselves on exec, and those that do not.
pub fn close_on_exec(t: &mut Tape) {
    t.outside(|_| {
        let program = std::env::current_exe().expect("current_exe");
        std::os::unix::fs::symlink(program, "after").expect("symlink");
    });
    t.child_and_wait(|t| {
        let flags = O_CREAT | O_RDWR;
        let kept = t.open(OPEN, "kept", args![c"kept", flags, 0o644]).ok() as i32;
        let flags = O_CREAT | O_RDWR | O_CLOEXEC;
        let gone = t
            .open(OPEN, "gone", args![c"gone", flags, 0o644])
            .flags(flags)
            .ok() as i32;
        t.fd(WRITE, kept, "kept", args![kept, b"before", 6])
            .offset(0)
            .is(6);
        // A copy does not close itself, whatever it is a copy of.
        t.fd(DUP2, kept, "kept", args![kept, KEPT[0]]).ok();
        t.fd(DUP2, gone, "gone", args![gone, KEPT[1]]).ok();
        let args = args![gone, F_DUPFD_CLOEXEC, KEPT[2]];
        t.fd(FCNTL, gone, "gone", args).is(i64::from(KEPT[2]));
        t.fd(FCNTL, KEPT[2], "gone", args![KEPT[2], F_SETFD, 0])
            .is(0);
        t.fd(DUP3, kept, "kept", args![kept, GONE[0], O_CLOEXEC])
            .ok();
        t.fd(FCNTL, kept, "kept", args![kept, F_DUPFD_CLOEXEC, GONE[1]])
            .is(i64::from(GONE[1]));
        t.fd(DUP2, kept, "kept", args![kept, GONE[2]]).ok();
        let args = args![GONE[2], F_SETFD, FD_CLOEXEC];
        t.fd(FCNTL, GONE[2], "kept", args).is(0);
        t.fd(DUP2, kept, "kept", args![kept, GONE[3]]).ok();
        t.fd(FCNTL, GONE[3], "kept", args![GONE[3], F_SETFD, FD_CLOEXEC])
            .is(0);
        t.fd(WRITE, GONE[3], "kept", args![GONE[3], b"!", 1])
            .offset(6)
            .is(1);
        // After a failed exec all are still there.
        t.path(EXECVE, "missing", args![c"missing", 0, 0])
            .fails(libc::ENOENT);
        t.fd(FCNTL, GONE[0], "kept", args![GONE[0], F_GETFD])
            .is(i64::from(FD_CLOEXEC));
        t.planned(EXECVE, Some(0), -1, "after", "argument");
        t.commit();
        let dir = CString::new(t.dir.clone()).expect("no NUL");
        let arguments = [c"after", c"after_exec", &dir].map(|text| text.as_ptr() as usize);
        let argv = [arguments[0], arguments[1], arguments[2], 0];
        let ret = call(EXECVE.nr, args![c"after", &argv, 0]);
        panic!("execve came back: {ret}");
    });
}

/// What the program that [`close_on_exec`] starts finds of its descriptors.
pub fn after_exec(t: &mut Tape) {
    t.fd(WRITE, KEPT[0], "kept", args![KEPT[0], b"after", 5])
        .offset(7)
        .is(5);
    t.fd(WRITE, KEPT[1], "gone", args![KEPT[1], b"copy", 4])
        .offset(0)
        .is(4);
    t.fd(WRITE, KEPT[2], "gone", args![KEPT[2], b"copy", 4])
        .offset(4)
        .is(4);
    for gone in GONE {
        t.fd(WRITE, gone, "", args![gone, b"no", 2]).fails(EBADF);
    }
    t.fd(FCNTL, CLOSED, "", args![CLOSED, F_GETFD]).fails(EBADF);
    // The number belongs to another file now.
    let flags = O_CREAT | O_WRONLY;
    let fd = t.open(OPEN, "new", args![c"new", flags, 0o644]).ok() as i32;
    t.fd(DUP2, fd, "new", args![fd, GONE[0]]).ok();
    t.fd(WRITE, GONE[0], "new", args![GONE[0], b"new", 3]).is(3);
    for (kept, name) in KEPT.into_iter().zip(["kept", "gone", "gone"]) {
        t.fd(CLOSE, kept, name, args![kept]).is(0);
    }
}
