//! `epoll_ctl`, and the calls that wait for what it asked for.

use libc::{EBADF, EEXIST, EFAULT, EINVAL, ENOENT, EPERM, EPOLL_CTL_ADD, EPOLL_CTL_DEL};
use libc::{EPOLL_CTL_MOD, EPOLLET, EPOLLIN, EPOLLONESHOT, EPOLLOUT, O_CREAT, O_RDWR};

use super::{INVALID, MILLISECOND, SECOND, ready_and_quiet};
use crate::args;
use crate::scenarios::files::CLOSED;
use crate::sys::*;
use crate::tape::Tape;

const EPOLL: &str = "anon_inode:[eventpoll]";
const ADD: i32 = EPOLL_CTL_ADD;
const MOD: i32 = EPOLL_CTL_MOD;
const DEL: i32 = EPOLL_CTL_DEL;

/// A `struct epoll_event`, which is packed: the events and eight bytes of data.
fn event(events: u32) -> [u32; 3] {
    [events, 0x1234, 0]
}

/// `epoll_ctl`: every operation, what it was told, and how it fails.
pub fn control(t: &mut Tape) {
    let [ready, quiet] = ready_and_quiet(t);
    let file = t.open(OPEN, "f", args![c"f", O_CREAT | O_RDWR, 0o644]).ok() as i32;
    let epoll = t.create(EPOLL_CREATE1, EPOLL, args![0]).ok() as i32;
    let input = EPOLLIN as u32;
    let once = (EPOLLIN | EPOLLOUT | EPOLLET | EPOLLONESHOT) as u32;
    let cases = [
        (ADD, ready, input, 0),
        (ADD, quiet, once, 0),
        (ADD, ready, input, -EEXIST),
        (MOD, ready, once, 0),
        (MOD, quiet, 0, 0),
        (ADD, file, input, -EPERM),
        (MOD, file, input, -EPERM),
        (ADD, epoll, input, -EINVAL),
        (ADD, CLOSED, input, -EBADF),
        (MOD, -1, input, -EBADF),
        (99, ready, input, -EINVAL),
    ];
    for (op, target, events, ret) in cases {
        let event = event(events);
        t.fd(EPOLL_CTL, epoll, EPOLL, args![epoll, op, target, &event])
            .epoll(op.into(), target.into(), Some(events.into()))
            .is(ret.into());
    }
    // Without an event there is nothing to read, and nobody reads one that is taken out.
    for op in [ADD, MOD] {
        let args = args![epoll, op, ready, 8];
        t.fd(EPOLL_CTL, epoll, EPOLL, args)
            .epoll(op.into(), ready.into(), None)
            .fails(EFAULT);
        let args = args![epoll, op, ready, 0];
        t.fd(EPOLL_CTL, epoll, EPOLL, args)
            .epoll(op.into(), ready.into(), None)
            .fails(EFAULT);
    }
    let unread = event(input);
    let taken_out: [(i32, &[Arg], i32); 5] = [
        (ready, args![epoll, DEL, ready, 0], 0),
        (quiet, args![epoll, DEL, quiet, &unread], 0),
        (ready, args![epoll, DEL, ready, 8], -ENOENT),
        (file, args![epoll, DEL, file, 0], -EPERM),
        (CLOSED, args![epoll, DEL, CLOSED, 0], -EBADF),
    ];
    for (target, args, ret) in taken_out {
        t.fd(EPOLL_CTL, epoll, EPOLL, args)
            .epoll(DEL.into(), target.into(), None)
            .is(ret.into());
    }
    t.fd(
        EPOLL_CTL,
        epoll,
        EPOLL,
        args![epoll, MOD, ready, &event(input)],
    )
    .epoll(MOD.into(), ready.into(), Some(input.into()))
    .fails(ENOENT);
    for (fd, name, errno) in [(CLOSED, "", EBADF), (-1, "", EBADF), (file, "f", EINVAL)] {
        t.fd(EPOLL_CTL, fd, name, args![fd, ADD, ready, &event(input)])
            .epoll(ADD.into(), ready.into(), Some(input.into()))
            .fails(errno);
    }
    t.fd(CLOSE, file, "f", args![file]).is(0);
    t.fd(CLOSE, epoll, EPOLL, args![epoll]).is(0);
}

/// An epoll with one descriptor that is ready, and one with one that is not; a file that is no epoll.
fn waiting(t: &mut Tape) -> [i32; 3] {
    let targets = ready_and_quiet(t);
    t.outside(|_| {
        let [ready, quiet] = targets.map(|target| {
            let epoll = call(EPOLL_CREATE1.nr, args![0]) as i32;
            let event = event(EPOLLIN as u32);
            let ret = call(EPOLL_CTL.nr, args![epoll, ADD, target, &event]);
            assert_eq!(ret, 0, "epoll_ctl");
            epoll
        });
        let flags = O_CREAT | O_RDWR;
        [
            ready,
            quiet,
            call(OPEN.nr, args![c"f", flags, 0o644]) as i32,
        ]
    })
}

/// Room for some events.
type Events = [[u32; 3]; 4];

/// `epoll_wait` and `epoll_pwait`: milliseconds.
pub fn timeouts(t: &mut Tape) {
    let [ready, quiet, file] = waiting(t);
    let events: &mut Events = &mut [[0; 3]; 4];
    let mask = [0u64];
    for sys in [EPOLL_WAIT, EPOLL_PWAIT] {
        let timeouts: [(i64, i64); 6] = [
            (-1, -1),
            (-5, -1),
            (i64::from(u32::MAX), -1),
            (0, 0),
            (1, MILLISECOND),
            (1 << 32 | 9, 9 * MILLISECOND),
        ];
        for (timeout, ns) in timeouts {
            t.fd(
                sys,
                ready,
                EPOLL,
                args![ready, &mut *events, 4, timeout, 0, 0],
            )
            .timeout_ns(ns)
            .is(1);
        }
        for (timeout, ns) in [(0, 0), (1, MILLISECOND)] {
            let args = args![quiet, &mut *events, 4, timeout, &mask, 8];
            t.fd(sys, quiet, EPOLL, args).timeout_ns(ns).is(0);
        }
        t.fd(sys, ready, EPOLL, args![ready, 8, 4, -1, 0, 0])
            .timeout_ns(-1)
            .fails(EFAULT);
        t.fd(sys, ready, EPOLL, args![ready, &mut *events, 0, 3, 0, 0])
            .timeout_ns(3 * MILLISECOND)
            .fails(EINVAL);
        for (fd, name, errno) in [(CLOSED, "", EBADF), (-1, "", EBADF), (file, "f", EINVAL)] {
            t.fd(sys, fd, name, args![fd, &mut *events, 4, -1, 0, 0])
                .timeout_ns(-1)
                .fails(errno);
        }
    }
    t.fd(
        EPOLL_PWAIT,
        ready,
        EPOLL,
        args![ready, &mut *events, 4, -1, &mask, 3],
    )
    .timeout_ns(-1)
    .fails(EINVAL);
    t.fd(
        EPOLL_PWAIT,
        ready,
        EPOLL,
        args![ready, &mut *events, 4, 0, 8, 8],
    )
    .timeout_ns(0)
    .fails(EFAULT);
}

/// `epoll_pwait2`: a time of seconds and nanoseconds.
pub fn pwait2_timeouts(t: &mut Tape) {
    let [ready, quiet, file] = waiting(t);
    let events: &mut Events = &mut [[0; 3]; 4];
    let mask = [0u64];
    let args = args![ready, &mut *events, 4, 0, 0, 0];
    t.fd(EPOLL_PWAIT2, ready, EPOLL, args).timeout_ns(-1).is(1);
    let times = [
        ([0, 0], 0),
        ([0, 1], 1),
        ([2, 3], 2 * SECOND + 3),
        ([0, SECOND - 1], SECOND - 1),
    ];
    for (time, ns) in times {
        let args = args![ready, &mut *events, 4, &time, &mask, 8];
        t.fd(EPOLL_PWAIT2, ready, EPOLL, args).timeout_ns(ns).is(1);
    }
    for time in [[0, 0], [0, MILLISECOND]] {
        let args = args![quiet, &mut *events, 4, &time, 0, 0];
        t.fd(EPOLL_PWAIT2, quiet, EPOLL, args)
            .timeout_ns(time[1])
            .is(0);
    }
    for time in INVALID {
        let args = args![ready, &mut *events, 4, &time, 0, 0];
        t.fd(EPOLL_PWAIT2, ready, EPOLL, args)
            .timeout_ns(-2)
            .fails(EINVAL);
    }
    t.fd(
        EPOLL_PWAIT2,
        ready,
        EPOLL,
        args![ready, &mut *events, 4, 8, 0, 0],
    )
    .timeout_ns(-2)
    .fails(EFAULT);
    t.fd(
        EPOLL_PWAIT2,
        ready,
        EPOLL,
        args![ready, &mut *events, -1, 0, 0, 0],
    )
    .timeout_ns(-1)
    .fails(EINVAL);
    for (fd, name, errno) in [(CLOSED, "", EBADF), (-1, "", EBADF), (file, "f", EINVAL)] {
        let args = args![fd, &mut *events, 4, &[1i64, 0], 0, 0];
        t.fd(EPOLL_PWAIT2, fd, name, args)
            .timeout_ns(SECOND)
            .fails(errno);
    }
}
