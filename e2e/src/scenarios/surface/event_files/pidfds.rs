//! Descriptors of processes: made, signalled, and used to take a descriptor from another process.

use libc::{EBADF, EINVAL, ESRCH, O_CREAT, O_NONBLOCK, O_RDWR, SIGKILL};

use super::super::polling::wait_until_asleep;
use crate::args;
use crate::scenarios::files::CLOSED;
use crate::sys::{self, *};
use crate::tape::Tape;

const PIDFD: &str = "anon_inode:[pidfd]";
/// More than any process id.
const NOBODY: i32 = i32::MAX;

/// Waits for a signal, with everything stated so far written.
fn pause(t: &mut Tape) {
    t.end();
    t.flush();
    call(PAUSE.nr, &[]);
}

/// A child that sleeps, once `body` is done, until it is killed.
fn sleeping_child(t: &mut Tape, body: impl FnOnce(&mut Tape)) -> i32 {
    t.outside(|t| {
        let child = t.child(|t| {
            body(t);
            pause(t);
        });
        wait_until_asleep(child, PAUSE);
        child
    })
}

/// `pidfd_open` and `pidfd_send_signal`.
pub fn pidfds(t: &mut Tape) {
    let child = sleeping_child(t, |_| {});
    let fd = t.create(PIDFD_OPEN, PIDFD, args![child, 0]).flags(0).ok() as i32;
    let second = t
        .create(PIDFD_OPEN, PIDFD, args![child, O_NONBLOCK])
        .flags(O_NONBLOCK)
        .ok() as i32;
    t.create(PIDFD_OPEN, "", args![-1, 0])
        .flags(0)
        .fails(EINVAL);
    t.create(PIDFD_OPEN, "", args![NOBODY, 0])
        .flags(0)
        .fails(ESRCH);
    t.create(PIDFD_OPEN, "", args![child, 1])
        .flags(1)
        .fails(EINVAL);
    let file = t.open(OPEN, "f", args![c"f", O_CREAT | O_RDWR, 0o644]).ok() as i32;
    t.fd(PIDFD_SEND_SIGNAL, fd, PIDFD, args![fd, 0, 0, 0]).is(0);
    t.fd(PIDFD_SEND_SIGNAL, fd, PIDFD, args![fd, 999, 0, 0])
        .fails(EINVAL);
    t.fd(PIDFD_SEND_SIGNAL, fd, PIDFD, args![fd, 0, 0, 1 << 20])
        .fails(EINVAL);
    t.fd(PIDFD_SEND_SIGNAL, fd, PIDFD, args![fd, 0, 8, 0])
        .fails(libc::EFAULT);
    t.fd(PIDFD_SEND_SIGNAL, CLOSED, "", args![CLOSED, 0, 0, 0])
        .fails(EBADF);
    t.fd(PIDFD_SEND_SIGNAL, file, "f", args![file, 0, 0, 0])
        .fails(EBADF);
    t.fd(
        PIDFD_SEND_SIGNAL,
        second,
        PIDFD,
        args![second, SIGKILL, 0, 0],
    )
    .is(0);
    t.outside(|_| assert_eq!(sys::wait(child), SIGKILL, "status of the child"));
    t.fd(PIDFD_SEND_SIGNAL, fd, PIDFD, args![fd, 0, 0, 0])
        .fails(ESRCH);
    for fd in [fd, second] {
        t.fd(CLOSE, fd, PIDFD, args![fd]).is(0);
    }
    t.fd(CLOSE, file, "f", args![file]).is(0);
}

const THEIRS: i32 = 690;

/// `pidfd_getfd`: the row and what follows have the name of a file that this process never opened.
pub fn taken(t: &mut Tape) {
    let child = sleeping_child(t, |t| {
        let flags = O_CREAT | O_RDWR;
        let fd = t.open(OPEN, "theirs", args![c"theirs", flags, 0o644]).ok() as i32;
        t.fd(WRITE, fd, "theirs", args![fd, b"first", 5]).is(5);
        t.fd(DUP2, fd, "theirs", args![fd, THEIRS]).ok();
        t.path(UNLINK, "theirs", args![c"theirs"]).is(0);
    });
    let pidfd = t.create(PIDFD_OPEN, PIDFD, args![child, 0]).flags(0).ok() as i32;
    t.fd(WRITE, THEIRS, "", args![THEIRS, b"no", 2])
        .fails(EBADF);
    let path = String::from_utf8(t.full("theirs")).expect("UTF-8");
    let fd = t
        .create(PIDFD_GETFD, &path, args![pidfd, THEIRS, 0])
        .flags(0)
        .ok() as i32;
    t.fd(WRITE, fd, "theirs", args![fd, b"second", 6])
        .offset(5)
        .is(6);
    t.create(PIDFD_GETFD, "", args![pidfd, CLOSED, 0])
        .flags(0)
        .fails(EBADF);
    t.create(PIDFD_GETFD, "", args![CLOSED, THEIRS, 0])
        .flags(0)
        .fails(EBADF);
    t.create(PIDFD_GETFD, "", args![fd, THEIRS, 0])
        .flags(0)
        .fails(EBADF);
    t.create(PIDFD_GETFD, "", args![pidfd, THEIRS, 1])
        .flags(1)
        .fails(EINVAL);
    let ret = call(PIDFD_SEND_SIGNAL.nr, args![pidfd, SIGKILL, 0, 0]);
    assert_eq!(ret, 0, "pidfd_send_signal");
    assert_eq!(sys::wait(child), SIGKILL, "status of the child");
    t.create(PIDFD_GETFD, "", args![pidfd, THEIRS, 0])
        .flags(0)
        .fails(ESRCH);
    t.fd(WRITE, fd, "theirs", args![fd, b"third", 5])
        .offset(11)
        .is(5);
    t.fd(CLOSE, fd, "theirs", args![fd]).is(0);
    t.fd(CLOSE, pidfd, PIDFD, args![pidfd]).is(0);
}
