//! Descriptors for events: timerfd, signalfd, userfaultfd, pidfd, perf.

mod copies;
mod pidfds;

pub use copies::after_exec;

use libc::{
    CLOCK_MONOTONIC, EAGAIN, EBADF, EFAULT, EINVAL, EMFILE, O_CLOEXEC, O_CREAT, O_NONBLOCK,
};
use libc::{O_RDWR, SFD_NONBLOCK, SIG_BLOCK, SIGUSR1, SIGUSR2, TFD_NONBLOCK, TFD_TIMER_ABSTIME};

use super::{Scenario, of_all, plain};
use crate::args;
use crate::scenarios::files::CLOSED;
use crate::sys::*;
use crate::tape::Tape;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[
    of_all("timerfd", timerfd),
    of_all("signalfd", signalfd),
    plain("more_from_nothing", more_from_nothing),
    plain("perf_event", perf_event),
    of_all("too_many_open", too_many_open),
    of_all("pidfds", pidfds::pidfds),
    plain("taken_by_pidfd", pidfds::taken),
    plain("fcntl_copies", copies::fcntl_copies),
    plain("close_on_exec", copies::close_on_exec),
];

const TIMERFD: &str = "anon_inode:[timerfd]";

/// `timerfd_create`, `timerfd_settime`, `timerfd_gettime`, and the read that waits for the timer.
fn timerfd(t: &mut Tape) {
    let flags = TFD_NONBLOCK | libc::TFD_CLOEXEC;
    let quiet = t
        .create(TIMERFD_CREATE, TIMERFD, args![CLOCK_MONOTONIC, flags])
        .flags(flags)
        .ok() as i32;
    let timer = t
        .create(TIMERFD_CREATE, TIMERFD, args![CLOCK_MONOTONIC, 0])
        .flags(0)
        .ok() as i32;
    t.create(TIMERFD_CREATE, TIMERFD, args![99, 0])
        .flags(0)
        .fails(EINVAL);
    t.create(TIMERFD_CREATE, TIMERFD, args![CLOCK_MONOTONIC, 1])
        .flags(1)
        .fails(EINVAL);
    let file = t.open(OPEN, "f", args![c"f", O_CREAT | O_RDWR, 0o644]).ok() as i32;
    let now = &mut [0i64; 4];
    let expirations = &mut [0u64];

    t.fd(READ, quiet, TIMERFD, args![quiet, &mut *expirations, 8])
        .fails(EAGAIN);
    t.fd(
        TIMERFD_SETTIME,
        quiet,
        TIMERFD,
        args![quiet, 0, &[0i64, 0, 1000, 0], 0],
    )
    .is(0);
    t.fd(TIMERFD_GETTIME, quiet, TIMERFD, args![quiet, &mut *now])
        .is(0);
    assert!(now[2] > 900, "time left: {}", now[2]);
    t.fd(
        TIMERFD_SETTIME,
        quiet,
        TIMERFD,
        args![quiet, 0, &[0i64; 4], &mut *now],
    )
    .is(0);
    t.fd(
        TIMERFD_SETTIME,
        timer,
        TIMERFD,
        args![timer, 0, &[0i64, 0, 0, 1_000_000], 0],
    )
    .is(0);
    t.fd(READ, timer, TIMERFD, args![timer, &mut *expirations, 8])
        .requested(8)
        .is(8);
    t.fd(
        TIMERFD_SETTIME,
        timer,
        TIMERFD,
        args![timer, TFD_TIMER_ABSTIME, &[0i64, 0, 0, 1], 0],
    )
    .is(0);
    t.fd(READ, timer, TIMERFD, args![timer, &mut *expirations, 8])
        .is(8);
    assert_eq!(expirations[0], 1, "a deadline long past");
    t.fd(READ, timer, TIMERFD, args![timer, &mut *expirations, 4])
        .fails(EINVAL);
    t.fd(
        TIMERFD_SETTIME,
        timer,
        TIMERFD,
        args![timer, 0, &[0i64, 0, 0, 1_000_000_000], 0],
    )
    .fails(EINVAL);
    t.fd(TIMERFD_SETTIME, timer, TIMERFD, args![timer, 0, 8, 0])
        .fails(EFAULT);
    t.fd(TIMERFD_GETTIME, timer, TIMERFD, args![timer, 8])
        .fails(EFAULT);
    for (fd, name, errno) in [(CLOSED, "", EBADF), (-1, "", EBADF), (file, "f", EINVAL)] {
        t.fd(TIMERFD_SETTIME, fd, name, args![fd, 0, &[0i64; 4], 0])
            .fails(errno);
        t.fd(TIMERFD_GETTIME, fd, name, args![fd, &mut *now])
            .fails(errno);
    }
    t.fd(CLOSE, file, "f", args![file]).is(0);
    t.fd(CLOSE, quiet, TIMERFD, args![quiet]).is(0);
    t.fd(CLOSE, timer, TIMERFD, args![timer]).is(0);
}

const SIGNALFD_FILE: &str = "anon_inode:[signalfd]";

/// `signalfd` and `signalfd4`: made, changed, read.
fn signalfd(t: &mut Tape) {
    let (one, two) = (1u64 << (SIGUSR1 - 1), 1u64 << (SIGUSR2 - 1));
    let info = &mut [0u64; 16];
    t.bare(RT_SIGPROCMASK, args![SIG_BLOCK, &[one | two], 0, 8])
        .is(0);
    let old = t.create(SIGNALFD, SIGNALFD_FILE, args![-1, &[one], 8]).ok() as i32;
    let fd = t
        .create(SIGNALFD4, SIGNALFD_FILE, args![-1, &[one], 8, SFD_NONBLOCK])
        .ok() as i32;
    let args = args![fd, &mut *info, 128];
    t.fd(READ, fd, SIGNALFD_FILE, args).fails(EAGAIN);
    t.bare(KILL, args![t.ids().0, SIGUSR1]).is(0);
    t.fd(READ, old, SIGNALFD_FILE, args![old, &mut *info, 128])
        .requested(128)
        .is(128);
    // A new mask for the same descriptor, which is the result.
    t.create(SIGNALFD4, SIGNALFD_FILE, args![fd, &[two], 8, 0])
        .is(i64::from(fd));
    t.create(SIGNALFD, SIGNALFD_FILE, args![old, &[two], 8])
        .is(i64::from(old));
    t.bare(KILL, args![t.ids().0, SIGUSR2]).is(0);
    t.fd(READ, fd, SIGNALFD_FILE, args![fd, &mut *info, 128])
        .is(128);
    assert_eq!(info[0] as u32, SIGUSR2 as u32, "the signal read");
    let file = t.open(OPEN, "f", args![c"f", O_CREAT | O_RDWR, 0o644]).ok() as i32;
    let failures: [(i32, &[u64; 1], i32, i32); 4] = [
        (CLOSED, &[one], 8, EBADF),
        (file, &[one], 8, EINVAL),
        (-1, &[one], 4, EINVAL),
        (-2, &[one], 8, EBADF),
    ];
    for (fd, mask, size, errno) in failures {
        t.create(SIGNALFD, "", args![fd, mask, size]).fails(errno);
        t.create(SIGNALFD4, "", args![fd, mask, size, 0])
            .fails(errno);
    }
    t.create(SIGNALFD, "", args![-1, 8, 8]).fails(EFAULT);
    t.create(SIGNALFD4, "", args![-1, 8, 8, 0]).fails(EFAULT);
    t.create(SIGNALFD4, "", args![-1, &[one], 8, 1])
        .fails(EINVAL);
    t.fd(CLOSE, file, "f", args![file]).is(0);
    t.fd(CLOSE, fd, SIGNALFD_FILE, args![fd]).is(0);
    t.fd(CLOSE, old, SIGNALFD_FILE, args![old]).is(0);
}

const USERFAULTFD_FILE: &str = "anon_inode:[userfaultfd]";
const UFFDIO_API: u32 = 0xc018_aa3f;
const UFFD_API: u64 = 0xaa;

/// `eventfd`, `epoll_create`, `userfaultfd`, `memfd_secret`.
fn more_from_nothing(t: &mut Tape) {
    let event = "anon_inode:[eventfd]";
    let fd = t.create(EVENTFD, event, args![3]).ok() as i32;
    t.fd(READ, fd, event, args![fd, &mut [0u64], 8]).is(8);
    t.fd(WRITE, fd, event, args![fd, &[5u64], 8]).is(8);
    t.fd(CLOSE, fd, event, args![fd]).is(0);

    let poll = "anon_inode:[eventpoll]";
    let fd = t.create(EPOLL_CREATE, poll, args![1]).ok() as i32;
    t.fd(READ, fd, poll, args![fd, &mut [0u64], 8])
        .fails(EINVAL);
    t.fd(CLOSE, fd, poll, args![fd]).is(0);
    t.create(EPOLL_CREATE, poll, args![0]).fails(EINVAL);
    t.create(EPOLL_CREATE, poll, args![-1]).fails(EINVAL);

    let flags = O_CLOEXEC | O_NONBLOCK;
    let fd = t.create(USERFAULTFD, USERFAULTFD_FILE, args![flags]).ok() as i32;
    let message = &mut [0u8; 32];
    let args = args![fd, &mut *message, 32];
    t.fd(READ, fd, USERFAULTFD_FILE, args).fails(EINVAL);
    let api = &mut [UFFD_API, 0, 0];
    let args = args![fd, UFFDIO_API, &mut *api];
    t.fd(IOCTL, fd, USERFAULTFD_FILE, args).is(0);
    let args = args![fd, &mut *message, 32];
    t.fd(READ, fd, USERFAULTFD_FILE, args).fails(EAGAIN);
    t.fd(CLOSE, fd, USERFAULTFD_FILE, args![fd]).is(0);
    t.create(USERFAULTFD, "", args![1 << 30]).fails(EINVAL);

    let secret = "/secretmem";
    let fd = t.create(MEMFD_SECRET, secret, args![O_CLOEXEC]).ok() as i32;
    t.fd(FTRUNCATE, fd, secret, args![fd, 4096]).is(0);
    t.fd(WRITE, fd, secret, args![fd, b"no", 2]).fails(EINVAL);
    t.fd(CLOSE, fd, secret, args![fd]).is(0);
    t.create(MEMFD_SECRET, secret, args![1]).fails(EINVAL);
}

const PERF_EVENT: &str = "anon_inode:[perf_event]";
const PERF_TYPE_SOFTWARE: u64 = 1;
const PERF_FLAG_FD_CLOEXEC: i32 = 8;

/// `perf_event_open`; where the machine refuses counters, that answer is stated.
fn perf_event(t: &mut Tape) {
    let mut attributes = [0u64; 16];
    attributes[0] = PERF_TYPE_SOFTWARE | (size_of_val(&attributes) as u64) << 32;
    let args = args![&attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC];
    let fd = t
        .create(PERF_EVENT_OPEN, PERF_EVENT, args)
        .flags(PERF_FLAG_FD_CLOEXEC)
        .done() as i32;
    if fd >= 0 {
        t.fd(READ, fd, PERF_EVENT, args![fd, &mut [0u64], 8]).is(8);
        t.fd(CLOSE, fd, PERF_EVENT, args![fd]).is(0);
    }
    t.create(PERF_EVENT_OPEN, "", args![8, 0, -1, -1, 0])
        .flags(0)
        .done();
    t.create(PERF_EVENT_OPEN, "", args![&attributes, 0, -1, -1, 1 << 20])
        .flags(1 << 20)
        .fails(EINVAL);
}

/// No descriptor is left: whatever would have made one has none.
fn too_many_open(t: &mut Tape) {
    t.outside(|t| {
        t.child_and_wait(|t| {
            let pid = t.ids().0;
            t.outside(|_| {
                let ret = call(
                    libc::SYS_prlimit64,
                    args![0, libc::RLIMIT_NOFILE, &[0u64, 0], 0],
                );
                assert_eq!(ret, 0, "prlimit64");
            });
            let calls: [(Sys, &[Arg]); 10] = [
                (EVENTFD, args![0]),
                (EVENTFD2, args![0, 0]),
                (EPOLL_CREATE, args![1]),
                (EPOLL_CREATE1, args![0]),
                (SIGNALFD, args![-1, &[0u64], 8]),
                (SIGNALFD4, args![-1, &[0u64], 8, 0]),
                (USERFAULTFD, args![0]),
                (MEMFD_SECRET, args![0]),
                (SOCKET, args![libc::AF_UNIX, libc::SOCK_STREAM, 0]),
                (INOTIFY_INIT1, args![0]),
            ];
            for (sys, args) in calls {
                t.create(sys, "", args).fails(EMFILE);
            }
            t.create(TIMERFD_CREATE, "", args![CLOCK_MONOTONIC, 0])
                .flags(0)
                .fails(EMFILE);
            t.create(PIDFD_OPEN, "", args![pid, 0])
                .flags(0)
                .fails(EMFILE);
            let ends = &mut [0i32; 2];
            t.bare(PIPE, args![&mut *ends]).fails(EMFILE);
            let args = args![libc::AF_UNIX, libc::SOCK_STREAM, 0, &mut *ends];
            t.bare(SOCKETPAIR, args).fails(EMFILE);
            t.path(OPEN, "f", args![c"f", O_RDWR | O_CREAT, 0o644])
                .fails(EMFILE);
        });
    });
}
