//! `select` and `pselect6`.

use libc::{EBADF, EFAULT, EINVAL};

use super::{INVALID, MILLISECOND, SECOND, ready_and_quiet};
use crate::args;
use crate::scenarios::files::CLOSED;
use crate::sys::*;
use crate::tape::Tape;

const MICROSECOND: i64 = 1000;

type Set = [u64; 16];

fn set(fd: i32) -> Set {
    let mut set = [0; 16];
    set[fd as usize / 64] = 1 << (fd % 64);
    set
}

pub fn select_timeouts(t: &mut Tape) {
    let [ready, quiet] = ready_and_quiet(t);
    let count = quiet.max(ready) + 1;
    let nfds = count as u64;
    t.bare(SELECT, args![count, &mut set(ready), 0, 0, 0])
        .nfds(nfds)
        .timeout_ns(-1)
        .is(1);
    // Seconds and microseconds, of which there may be more than a million.
    let times = [
        ([0i64, 0], 0),
        ([0, 1], MICROSECOND),
        ([3, 4], 3 * SECOND + 4 * MICROSECOND),
        ([0, 1_000_000], SECOND),
        ([1, 2_500_000], 3_500_000_000),
        ([-1, 1_200_000], SECOND / 5),
    ];
    for (mut time, ns) in times {
        t.bare(SELECT, args![count, &mut set(ready), 0, 0, &mut time])
            .nfds(nfds)
            .timeout_ns(ns)
            .is(1);
    }
    let mut time = [0i64, 1000];
    t.bare(SELECT, args![count, &mut set(quiet), 0, 0, &mut time])
        .nfds(nfds)
        .timeout_ns(MILLISECOND)
        .is(0);
    assert_eq!(time, [0, 0], "what is left of the time");
    t.bare(SELECT, args![0, 0, 0, 0, &mut [0i64, 1]])
        .nfds(0)
        .timeout_ns(MICROSECOND)
        .is(0);
    for time in [[-1i64, 0], [0, -1], [0, -1_000_000]] {
        t.bare(SELECT, args![count, &mut set(ready), 0, 0, &time])
            .nfds(nfds)
            .timeout_ns(-2)
            .fails(EINVAL);
    }
    t.bare(SELECT, args![count, &mut set(ready), 0, 0, 8])
        .nfds(nfds)
        .timeout_ns(-2)
        .fails(EFAULT);
    t.bare(SELECT, args![count, 8, 0, 0, 0])
        .nfds(nfds)
        .timeout_ns(-1)
        .fails(EFAULT);
    t.bare(SELECT, args![CLOSED + 1, &mut set(CLOSED), 0, 0, 0])
        .nfds(CLOSED as u64 + 1)
        .timeout_ns(-1)
        .fails(EBADF);
    t.bare(SELECT, args![-1, &mut set(ready), 0, 0, 0])
        .timeout_ns(-1)
        .fails(EINVAL);
    t.bare(
        SELECT,
        args![u32::MAX, &mut set(ready), 0, 0, &mut [1i64, 0]],
    )
    .timeout_ns(SECOND)
    .fails(EINVAL);
}

pub fn pselect6_timeouts(t: &mut Tape) {
    let [ready, quiet] = ready_and_quiet(t);
    let count = quiet.max(ready) + 1;
    let nfds = count as u64;
    let mask = [0u64];
    let masked = [mask.as_ptr() as usize, 8];
    t.bare(PSELECT6, args![count, &mut set(ready), 0, 0, 0, 0])
        .nfds(nfds)
        .timeout_ns(-1)
        .is(1);
    let times = [
        ([0, 0], 0),
        ([0, 1], 1),
        ([0, SECOND - 1], SECOND - 1),
        ([5, 6], 5 * SECOND + 6),
    ];
    for (mut time, ns) in times {
        let mut set = set(ready);
        let args = args![count, &mut set, 0, 0, &mut time, &masked];
        t.bare(PSELECT6, args).nfds(nfds).timeout_ns(ns).is(1);
    }
    let mut time = [0, MILLISECOND];
    t.bare(PSELECT6, args![count, &mut set(quiet), 0, 0, &mut time, 0])
        .nfds(nfds)
        .timeout_ns(MILLISECOND)
        .is(0);
    assert_eq!(time, [0, 0], "what is left of the time");
    for time in INVALID {
        t.bare(PSELECT6, args![count, &mut set(ready), 0, 0, &time, 0])
            .nfds(nfds)
            .timeout_ns(-2)
            .fails(EINVAL);
    }
    t.bare(PSELECT6, args![count, &mut set(ready), 0, 0, 8, 0])
        .nfds(nfds)
        .timeout_ns(-2)
        .fails(EFAULT);
    t.bare(PSELECT6, args![count, &mut set(ready), 0, 0, 0, 8])
        .nfds(nfds)
        .timeout_ns(-1)
        .fails(EFAULT);
    let short = [mask.as_ptr() as usize, 3];
    t.bare(PSELECT6, args![count, &mut set(ready), 0, 0, 0, &short])
        .nfds(nfds)
        .timeout_ns(-1)
        .fails(EINVAL);
    t.bare(PSELECT6, args![CLOSED + 1, 0, &mut set(CLOSED), 0, 0, 0])
        .nfds(CLOSED as u64 + 1)
        .timeout_ns(-1)
        .fails(EBADF);
    t.bare(PSELECT6, args![-5, 0, 0, 0, &mut [0i64, 7], 0])
        .timeout_ns(7)
        .fails(EINVAL);
}
