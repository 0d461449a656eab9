//! Clocks, sleeps and timers. Nothing sets a clock.

use libc::{
    CLOCK_BOOTTIME, CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_TAI, EFAULT, EINVAL, EOPNOTSUPP,
};
use libc::{SIG_BLOCK, SIGALRM, TIMER_ABSTIME};

use super::{Scenario, of_all};
use crate::args;
use crate::sys::*;
use crate::tape::Tape;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[
    of_all("clocks", clocks),
    of_all("clocks_left_alone", clocks_left_alone),
    of_all("sleeps", sleeps),
    of_all("sleeps_until", sleeps_until),
    of_all("interval_timers", interval_timers),
    of_all("posix_timers", posix_timers),
];

const SECOND: i64 = 1_000_000_000;

/// Clocks read by system calls, not by the pages the kernel shares.
fn clocks(t: &mut Tape) {
    let now = &mut [0i64; 2];
    for clock in [
        CLOCK_REALTIME,
        CLOCK_MONOTONIC,
        CLOCK_BOOTTIME,
        libc::CLOCK_THREAD_CPUTIME_ID,
    ] {
        t.bare(CLOCK_GETTIME, args![clock, &mut *now]).is(0);
        t.bare(CLOCK_GETRES, args![clock, &mut *now]).is(0);
    }
    t.bare(CLOCK_GETTIME, args![99, &mut *now]).fails(EINVAL);
    t.bare(CLOCK_GETTIME, args![CLOCK_MONOTONIC, 8])
        .fails(EFAULT);
    t.bare(CLOCK_GETRES, args![99, &mut *now]).fails(EINVAL);
    t.bare(GETTIMEOFDAY, args![&mut *now, 0]).is(0);
    t.bare(GETTIMEOFDAY, args![8, 0]).fails(EFAULT);
    t.bare(TIME, args![0]).ok();
    t.bare(TIME, args![8]).fails(EFAULT);
    t.bare(TIMES, args![&mut [0i64; 4]]).ok();
    t.bare(TIMES, args![8]).fails(EFAULT);
}

/// Calls that could set a clock, asked for nothing or for the impossible.
fn clocks_left_alone(t: &mut Tape) {
    let nothing = &mut [0u64; 26];
    t.bare(ADJTIMEX, args![&mut *nothing]).ok();
    t.bare(ADJTIMEX, args![8]).fails(EFAULT);
    *nothing = [0; 26];
    t.bare(CLOCK_ADJTIME, args![CLOCK_REALTIME, &mut *nothing])
        .ok();
    *nothing = [0; 26];
    t.bare(CLOCK_ADJTIME, args![CLOCK_MONOTONIC, &mut *nothing])
        .fails(EOPNOTSUPP);
    t.bare(SETTIMEOFDAY, args![0, 0]).is(0);
    t.bare(SETTIMEOFDAY, args![&[1i64, 2_000_000], 0])
        .fails(EINVAL);
    t.bare(SETTIMEOFDAY, args![8, 0]).fails(EFAULT);
    t.bare(CLOCK_SETTIME, args![CLOCK_REALTIME, &[1, SECOND]])
        .fails(EINVAL);
    t.bare(CLOCK_SETTIME, args![CLOCK_MONOTONIC, &[1i64, 0]])
        .fails(EINVAL);
    t.bare(CLOCK_SETTIME, args![CLOCK_REALTIME, 8])
        .fails(EFAULT);
}

/// `nanosleep` and `clock_nanosleep` for a time.
fn sleeps(t: &mut Tape) {
    let left = &mut [0i64; 2];
    for nanoseconds in [0i64, 1, 300_000] {
        t.bare(NANOSLEEP, args![&[0, nanoseconds], &mut *left])
            .sleep_ns(nanoseconds as u64)
            .is(0);
        for clock in [CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME] {
            t.bare(CLOCK_NANOSLEEP, args![clock, 0, &[0, nanoseconds], 0])
                .flags(0)
                .sleep_ns(nanoseconds as u64)
                .is(0);
        }
    }
    for [seconds, nanoseconds] in [[0, SECOND], [-1, 0], [1, -1]] {
        t.bare(NANOSLEEP, args![&[seconds, nanoseconds], &mut *left])
            .fails(EINVAL);
        t.bare(
            CLOCK_NANOSLEEP,
            args![CLOCK_MONOTONIC, 0, &[seconds, nanoseconds], 0],
        )
        .flags(0)
        .fails(EINVAL);
    }
    for pointer in [0, 8] {
        t.bare(NANOSLEEP, args![pointer, 0]).fails(EFAULT);
        t.bare(CLOCK_NANOSLEEP, args![CLOCK_MONOTONIC, 0, pointer, 0])
            .flags(0)
            .fails(EFAULT);
    }
    t.bare(CLOCK_NANOSLEEP, args![99, 0, &[0i64, 7], 0])
        .flags(0)
        .sleep_ns(7)
        .fails(EINVAL);
}

/// `clock_nanosleep` to a point in time, past and to come.
fn sleeps_until(t: &mut Tape) {
    const AHEAD: i64 = 3_000_000;
    for clock in [CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_TAI] {
        let mut point = [0i64; 2];
        t.bare(CLOCK_GETTIME, args![clock, &mut point]).is(0);
        let past = point;
        t.bare(CLOCK_NANOSLEEP, args![clock, TIMER_ABSTIME, &past, 0])
            .flags(TIMER_ABSTIME)
            .sleep_ns(0)
            .is(0);
        point[1] += AHEAD;
        if point[1] >= SECOND {
            point = [point[0] + 1, point[1] - SECOND];
        }
        t.bare(CLOCK_NANOSLEEP, args![clock, TIMER_ABSTIME, &point, 0])
            .flags(TIMER_ABSTIME)
            .sleep_at_most(AHEAD as u64)
            .is(0);
    }
    t.bare(
        CLOCK_NANOSLEEP,
        args![CLOCK_MONOTONIC, TIMER_ABSTIME, &[0, SECOND], 0],
    )
    .flags(TIMER_ABSTIME)
    .fails(EINVAL);
    t.bare(CLOCK_NANOSLEEP, args![CLOCK_MONOTONIC, TIMER_ABSTIME, 8, 0])
        .flags(TIMER_ABSTIME)
        .fails(EFAULT);
}

/// `setitimer`, `getitimer`, `alarm`: set far ahead, and taken back.
fn interval_timers(t: &mut Tape) {
    t.apart(|t| {
        let old = &mut [0i64; 4];
        t.bare(
            SETITIMER,
            args![libc::ITIMER_REAL, &[0i64, 0, 1000, 0], &mut *old],
        )
        .is(0);
        t.bare(GETITIMER, args![libc::ITIMER_REAL, &mut *old]).is(0);
        t.bare(GETITIMER, args![99, &mut *old]).fails(EINVAL);
        t.bare(GETITIMER, args![libc::ITIMER_REAL, 8]).fails(EFAULT);
        t.bare(SETITIMER, args![libc::ITIMER_REAL, &[0i64; 4], 0])
            .is(0);
        t.bare(SETITIMER, args![99, &[0i64; 4], 0]).fails(EINVAL);
        t.bare(
            SETITIMER,
            args![libc::ITIMER_REAL, &[0i64, 0, 0, 1_000_000], 0],
        )
        .fails(EINVAL);
        t.bare(SETITIMER, args![libc::ITIMER_REAL, 8, 0])
            .fails(EFAULT);
        t.bare(ALARM, args![1000]).is(0);
        t.bare(ALARM, args![0]).ok();
        t.bare(ALARM, args![0]).is(0);
    });
}

/// `timer_*`: one that tells nobody, and one whose signal is waited for.
fn posix_timers(t: &mut Tape) {
    const SIGEV_NONE: u64 = 1 << 32;
    t.apart(|t| {
        let id = &mut [0i32; 1];
        let mut event = [0u64; 8];
        event[1] = SIGEV_NONE;
        t.bare(TIMER_CREATE, args![CLOCK_MONOTONIC, &event, &mut *id])
            .is(0);
        t.bare(TIMER_CREATE, args![99, &event, &mut *id])
            .fails(EINVAL);
        t.bare(TIMER_CREATE, args![CLOCK_MONOTONIC, 8, &mut *id])
            .fails(EFAULT);
        let timer = id[0];
        let old = &mut [0i64; 4];
        t.bare(
            TIMER_SETTIME,
            args![timer, 0, &[0i64, 0, 1000, 0], &mut *old],
        )
        .is(0);
        t.bare(TIMER_SETTIME, args![timer, 0, &[0, 0, 0, SECOND], 0])
            .fails(EINVAL);
        t.bare(TIMER_GETTIME, args![timer, &mut *old]).is(0);
        t.bare(TIMER_GETTIME, args![timer, 8]).fails(EFAULT);
        t.bare(TIMER_GETOVERRUN, args![timer]).is(0);
        t.bare(TIMER_GETOVERRUN, args![99]).fails(EINVAL);
        t.bare(TIMER_DELETE, args![timer]).is(0);
        t.bare(TIMER_DELETE, args![timer]).fails(EINVAL);

        let alarm = &[1u64 << (SIGALRM - 1)];
        t.bare(RT_SIGPROCMASK, args![SIG_BLOCK, alarm, 0, 8]).is(0);
        // By default it sends SIGALRM.
        t.bare(TIMER_CREATE, args![CLOCK_REALTIME, 0, &mut *id])
            .is(0);
        let soon = &[0i64, 0, 0, 500_000];
        t.bare(TIMER_SETTIME, args![id[0], 0, soon, 0]).is(0);
        t.bare(
            RT_SIGTIMEDWAIT,
            args![alarm, &mut [0u64; 16], &[1000i64, 0], 8],
        )
        .timeout_ns(1000 * SECOND)
        .is(i64::from(SIGALRM));
        t.bare(TIMER_DELETE, args![id[0]]).is(0);
    });
}
