//! poll, select and epoll with infinite, finite, bad and invalid timeouts.

mod epoll;
mod interrupted;
mod select;

use libc::{EFAULT, EINVAL, POLLIN};

use super::{Scenario, of_all};
use crate::args;
use crate::scenarios::files::CLOSED;
use crate::sys::*;
use crate::tape::Tape;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[
    of_all("poll_timeouts", poll_timeouts),
    of_all("ppoll_timeouts", ppoll_timeouts),
    of_all("select_timeouts", select::select_timeouts),
    of_all("pselect6_timeouts", select::pselect6_timeouts),
    of_all("epoll_control", epoll::control),
    of_all("epoll_timeouts", epoll::timeouts),
    of_all("epoll_pwait2_timeouts", epoll::pwait2_timeouts),
    of_all("interrupted_polls", interrupted::waits),
];

const MILLISECOND: i64 = 1_000_000;
const SECOND: i64 = 1_000_000_000;
/// Times that the kernel refuses: seconds and nanoseconds.
const INVALID: [[i64; 2]; 4] = [[-1, 0], [0, -1], [0, SECOND], [-1, SECOND]];

/// An eventfd that can be read at once, and one that cannot.
fn ready_and_quiet(t: &mut Tape) -> [i32; 2] {
    t.outside(|_| {
        [1, 0].map(|value| {
            let fd = call(EVENTFD2.nr, args![value, 0]);
            assert!(fd >= 0, "eventfd2: {fd}");
            fd as i32
        })
    })
}

/// A `struct pollfd` that waits for data.
fn wanted(fd: i32) -> [i32; 2] {
    [fd, i32::from(POLLIN)]
}

/// Waits until the kernel shows that process asleep in a call; also one that strace stops on its way there.
pub(super) fn wait_until_asleep(pid: i32, sys: Sys) {
    let in_call = format!("{} ", sys.nr);
    let read = |file: &str| std::fs::read_to_string(format!("/proc/{pid}/{file}"));
    loop {
        // In this order: a process that sleeps after it was seen in the call, sleeps in it.
        let entered = read("syscall").is_ok_and(|now| now.starts_with(&in_call));
        let asleep = read("stat").is_ok_and(|stat| stat.contains(") S "));
        if entered && asleep {
            return;
        }
        std::thread::yield_now();
    }
}

fn poll_timeouts(t: &mut Tape) {
    let [ready, quiet] = ready_and_quiet(t);
    let fds = &mut [wanted(ready), wanted(quiet)];
    // The upper half of a register that holds an `int` counts for nothing.
    let timeouts: [(i64, i64); 7] = [
        (-1, -1),
        (-7, -1),
        (i64::from(u32::MAX), -1),
        (0, 0),
        (1, MILLISECOND),
        (1 << 32 | 5, 5 * MILLISECOND),
        (i64::from(i32::MAX), i64::from(i32::MAX) * MILLISECOND),
    ];
    for (timeout, ns) in timeouts {
        t.bare(POLL, args![&mut *fds, 2, timeout])
            .nfds(2)
            .timeout_ns(ns)
            .is(1);
    }
    for (timeout, ns) in [(0, 0), (2, 2 * MILLISECOND)] {
        t.bare(POLL, args![&mut [wanted(quiet)], 1, timeout])
            .nfds(1)
            .timeout_ns(ns)
            .is(0);
    }
    t.bare(POLL, args![0, 0, 1])
        .nfds(0)
        .timeout_ns(MILLISECOND)
        .is(0);
    // An unopened descriptor is an answer, a negative one is none.
    t.bare(POLL, args![&mut [wanted(CLOSED), wanted(-1)], 2, -1])
        .nfds(2)
        .timeout_ns(-1)
        .is(1);
    t.bare(POLL, args![&mut *fds, 1i64 << 32 | 1, -1])
        .nfds(1)
        .timeout_ns(-1)
        .is(1);
    t.bare(POLL, args![8, 1, -1])
        .nfds(1)
        .timeout_ns(-1)
        .fails(EFAULT);
    t.bare(POLL, args![8, 1, 1])
        .nfds(1)
        .timeout_ns(MILLISECOND)
        .fails(EFAULT);
    t.bare(POLL, args![&mut *fds, u32::MAX, 0])
        .nfds(u64::from(u32::MAX))
        .timeout_ns(0)
        .fails(EINVAL);
}

fn ppoll_timeouts(t: &mut Tape) {
    let [ready, quiet] = ready_and_quiet(t);
    let fds = &mut [wanted(ready), wanted(quiet)];
    t.bare(PPOLL, args![&mut *fds, 2, 0, 0, 0])
        .nfds(2)
        .timeout_ns(-1)
        .is(1);
    let times = [
        ([0, 0], 0),
        ([0, 1], 1),
        ([0, SECOND - 1], SECOND - 1),
        ([7, 8], 7 * SECOND + 8),
        ([1 << 31, 0], (1 << 31) * SECOND),
    ];
    for (mut time, ns) in times {
        t.bare(PPOLL, args![&mut *fds, 2, &mut time, &[0u64], 8])
            .nfds(2)
            .timeout_ns(ns)
            .is(1);
    }
    let mut time = [0, MILLISECOND];
    t.bare(PPOLL, args![&mut [wanted(quiet)], 1, &mut time, 0, 0])
        .nfds(1)
        .timeout_ns(MILLISECOND)
        .is(0);
    assert_eq!(time, [0, 0], "what is left of the time");
    t.bare(PPOLL, args![0, 0, &mut [0i64, 1], 0, 0])
        .nfds(0)
        .timeout_ns(1)
        .is(0);
    for time in INVALID {
        t.bare(PPOLL, args![&mut *fds, 2, &time, 0, 0])
            .nfds(2)
            .timeout_ns(-2)
            .fails(EINVAL);
    }
    t.bare(PPOLL, args![&mut *fds, 2, 8, 0, 0])
        .nfds(2)
        .timeout_ns(-2)
        .fails(EFAULT);
    t.bare(PPOLL, args![8, 1, &mut [1i64, 0], 0, 0])
        .nfds(1)
        .timeout_ns(SECOND)
        .fails(EFAULT);
    t.bare(PPOLL, args![&mut *fds, 2, 0, 8, 8])
        .nfds(2)
        .timeout_ns(-1)
        .fails(EFAULT);
    t.bare(PPOLL, args![&mut *fds, 2, 0, &[0u64], 3])
        .nfds(2)
        .timeout_ns(-1)
        .fails(EINVAL);
}
