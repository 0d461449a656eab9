//! What signals do to a call that is blocked: handlers, stopping, killing.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use libc::{EINTR, SA_RESTART, SIGCONT, SIGKILL, SIGSTOP, SIGUSR1, TIMER_ABSTIME};

use super::signals::{ERESTARTNOHAND, ended, handled};
use super::{Scenario, of_all, plain};
use crate::args;
use crate::oracle::errno_name;
use crate::scenarios::threads::{make_pipe, wait_until_blocked, wait_until_it_reads};
use crate::sys::{self, *};
use crate::tape::Tape;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[
    of_all("interrupted_waits", interrupted_waits),
    of_all("interrupted_by_file", interrupted_by_file),
    of_all("stopped_and_continued", stopped_and_continued),
    plain("killed_while_blocked", killed_while_blocked),
];

const SECOND: i64 = 1_000_000_000;
/// Longer than any test, seconds.
const LONG: i64 = 1_000_000;
const LONG_NS: u64 = (LONG * SECOND) as u64;
const ERESTARTSYS: i32 = 512;
const ERESTART_RESTARTBLOCK: i32 = 516;

/// Notes a `read` that a signal ends.
fn ended_read(t: &mut Tape, fd: i32, name: &str) {
    let code = Some(-i64::from(ERESTARTSYS));
    let call = t.planned(READ, code, fd, name, "kernel");
    call.errno = Some(errno_name(ERESTARTSYS));
}

/// Waits until the child is blocked in that call.
fn blocked(child: i32, sys: Sys) {
    wait_until_blocked(&AtomicU32::new(child as u32), sys.nr);
}

fn send(child: i32, signal: i32) {
    assert_eq!(call(KILL.nr, args![child, signal]), 0, "kill");
}

/// Runs `body` in a child, which gets a signal with a handler when it is blocked in that call.
fn interrupt(t: &mut Tape, sys: Sys, body: impl FnOnce(&mut Tape)) {
    let child = t.child(body);
    blocked(child, sys);
    send(child, SIGUSR1);
    assert_eq!(sys::wait(child), 0, "exit status");
}

/// Calls that end with a restart code though the program sees EINTR, and some whose EINTR is a true error.
fn interrupted_waits(t: &mut Tape) {
    let interrupted = |sys: Sys, args: &[Arg<'_>]| {
        assert_eq!(call(sys.nr, args), -i64::from(EINTR), "{}", sys.name);
    };
    t.outside(|t| {
        sys::handle_quietly(SIGUSR1, SA_RESTART);
        interrupt(t, PAUSE, |t| {
            ended(t, PAUSE, ERESTARTNOHAND);
            handled(t);
            interrupted(PAUSE, &[]);
        });
        interrupt(t, RT_SIGSUSPEND, |t| {
            ended(t, RT_SIGSUSPEND, ERESTARTNOHAND);
            handled(t);
            interrupted(RT_SIGSUSPEND, args![&[0u64], 8]);
        });
        interrupt(t, NANOSLEEP, |t| {
            let call = ended(t, NANOSLEEP, ERESTART_RESTARTBLOCK);
            call.waits.requested_sleep_ns = Some(LONG_NS);
            handled(t);
            let left = &mut [0i64; 2];
            interrupted(NANOSLEEP, args![&[LONG, 0], &mut *left]);
            assert!(left[0] > 0, "time was left");
        });
        // What is left is written over what was asked for.
        interrupt(t, NANOSLEEP, |t| {
            let call = ended(t, NANOSLEEP, ERESTART_RESTARTBLOCK);
            call.waits.requested_sleep_ns = Some(LONG_NS);
            handled(t);
            let time = &mut [LONG, 0];
            let same = time.as_ptr() as usize;
            interrupted(NANOSLEEP, args![&mut *time, same]);
            assert_ne!(*time, [LONG, 0], "what is left");
        });
        interrupt(t, CLOCK_NANOSLEEP, |t| {
            let call = ended(t, CLOCK_NANOSLEEP, ERESTART_RESTARTBLOCK);
            call.waits.requested_sleep_ns = Some(LONG_NS);
            handled(t);
            let sleep = &[LONG, 0];
            interrupted(CLOCK_NANOSLEEP, args![libc::CLOCK_MONOTONIC, 0, sleep, 0]);
        });
        let start = sys::now_ns();
        interrupt(t, CLOCK_NANOSLEEP, |t| {
            let call = ended(t, CLOCK_NANOSLEEP, ERESTARTNOHAND);
            call.sleep_at_most = Some(LONG_NS);
            call.flags = Some(TIMER_ABSTIME as u64);
            handled(t);
            let (seconds, nanoseconds) = (start as i64 / SECOND, start as i64 % SECOND);
            let point = &[seconds + LONG, nanoseconds];
            interrupted(
                CLOCK_NANOSLEEP,
                args![libc::CLOCK_MONOTONIC, TIMER_ABSTIME, point, 0],
            );
        });
        interrupt(t, POLL, |t| {
            let call = ended(t, POLL, ERESTART_RESTARTBLOCK);
            (call.waits.nfds, call.waits.timeout_ns) = (Some(0), Some(-1));
            handled(t);
            interrupted(POLL, args![0, 0, -1]);
        });
        interrupt(t, SELECT, |t| {
            let call = ended(t, SELECT, ERESTARTNOHAND);
            (call.waits.nfds, call.waits.timeout_ns) = (Some(0), Some(LONG_NS as i64));
            handled(t);
            interrupted(SELECT, args![0, 0, 0, 0, &mut [LONG, 0]]);
        });
        interrupt(t, RT_SIGTIMEDWAIT, |t| {
            ended(t, RT_SIGTIMEDWAIT, EINTR).waits.timeout_ns = Some(-1);
            handled(t);
            interrupted(RT_SIGTIMEDWAIT, args![&[1u64], 0, 0, 8]);
        });
    });
}

/// A blocked `read` and `epoll_wait`: restarted where the handler was set so, and where not.
fn interrupted_by_file(t: &mut Tape) {
    t.outside(|t| {
        let ([read, write], pipe) = make_pipe(t);
        // The handler's byte ends the restarted call.
        sys::handle_usr1(write, SA_RESTART);
        interrupt(t, READ, |t| {
            ended_read(t, read, &pipe);
            t.planned(WRITE, Some(1), write, &pipe, "kernel");
            handled(t);
            t.planned(READ, Some(1), read, &pipe, "kernel");
            assert_eq!(call(READ.nr, args![read, &mut [0u8; 8], 8]), 1, "read");
        });
        sys::handle_usr1(-1, 0);
        interrupt(t, READ, |t| {
            ended_read(t, read, &pipe);
            handled(t);
            let ret = call(READ.nr, args![read, &mut [0u8; 8], 8]);
            assert_eq!(ret, -i64::from(EINTR), "read");
        });
        let epoll = call(EPOLL_CREATE1.nr, args![0]) as i32;
        let name = t.proc_name(epoll);
        // Never restarted, whatever the handler's flags.
        sys::handle_quietly(SIGUSR1, SA_RESTART);
        interrupt(t, EPOLL_WAIT, |t| {
            let wait = t.planned(EPOLL_WAIT, Some(-i64::from(EINTR)), epoll, &name, "kernel");
            wait.errno = Some(errno_name(EINTR));
            wait.waits.timeout_ns = Some(-1);
            handled(t);
            let ret = call(EPOLL_WAIT.nr, args![epoll, &mut [0u8; 12], 1, -1]);
            assert_eq!(ret, -i64::from(EINTR), "epoll_wait");
        });
    });
}

/// Stops the child while it is blocked in `sys`, and lets it go on: it is blocked in `then`.
fn stop_and_continue(child: i32, sys: Sys, then: Sys) {
    blocked(child, sys);
    send(child, SIGSTOP);
    let status = &mut [0i32; 1];
    let ret = call(WAIT4.nr, args![child, &mut *status, libc::WUNTRACED, 0]);
    assert_eq!(
        (ret, status[0]),
        (i64::from(child), SIGSTOP << 8 | 0x7f),
        "a stopped child"
    );
    send(child, SIGCONT);
    blocked(child, then);
}

/// A stopped process has no handler to run, so the kernel restarts its call, by `restart_syscall` where it waits for
/// the rest of a time.
fn stopped_and_continued(t: &mut Tape) {
    t.outside(|t| {
        let ([read, write], pipe) = make_pipe(t);
        sys::handle_quietly(SIGUSR1, 0);
        let finish = |child| {
            assert_eq!(call(WRITE.nr, args![write, b"!", 1]), 1, "write");
            assert_eq!(sys::wait(child), 0, "exit status");
            assert_eq!(call(READ.nr, args![read, &mut [0u8; 8], 1]), 1, "read");
        };

        let child = t.child(|t| {
            let call_poll = ended(t, POLL, ERESTART_RESTARTBLOCK);
            (call_poll.waits.nfds, call_poll.waits.timeout_ns) = (Some(1), Some(-1));
            t.planned(RESTART_SYSCALL, Some(1), -1, "", "");
            let wanted = &mut [read, i32::from(libc::POLLIN)];
            assert_eq!(call(POLL.nr, args![&mut *wanted, 1, -1]), 1, "poll");
        });
        stop_and_continue(child, POLL, RESTART_SYSCALL);
        finish(child);

        let child = t.child(|t| {
            let sleep = ended(t, NANOSLEEP, ERESTART_RESTARTBLOCK);
            sleep.waits.requested_sleep_ns = Some(LONG_NS);
            ended(t, RESTART_SYSCALL, ERESTART_RESTARTBLOCK);
            handled(t);
            let ret = call(NANOSLEEP.nr, args![&[LONG, 0], 0]);
            assert_eq!(ret, -i64::from(EINTR), "nanosleep");
        });
        stop_and_continue(child, NANOSLEEP, RESTART_SYSCALL);
        send(child, SIGUSR1);
        assert_eq!(sys::wait(child), 0, "exit status");

        let child = t.child(|t| {
            ended_read(t, read, &pipe);
            t.planned(READ, Some(2), read, &pipe, "kernel");
            let ret = call(READ.nr, args![read, &mut [0u8; 8], 8]);
            assert_eq!(ret, 2, "read");
        });
        stop_and_continue(child, READ, READ);
        assert_eq!(call(WRITE.nr, args![write, b"on", 2]), 2, "write");
        assert_eq!(sys::wait(child), 0, "exit status");
    });
}

/// A call that ends because its process does: the program never sees how.
fn killed_while_blocked(t: &mut Tape) {
    t.outside(|t| {
        let ([read, _write], pipe) = make_pipe(t);
        let read_for_ever = move |t: &mut Tape| {
            ended_read(t, read, &pipe);
            t.commit();
        };
        let child = t.child(|t| {
            read_for_ever(t);
            call(READ.nr, args![read, &mut [0u8; 8], 8]);
        });
        blocked(child, READ);
        send(child, SIGKILL);
        assert_eq!(sys::wait(child), SIGKILL, "exit status");

        let child = t.child(|t| {
            t.outside(|t| {
                let tid = Arc::new(AtomicU32::new(0));
                let shared = Arc::clone(&tid);
                t.thread(move |t| {
                    read_for_ever(t);
                    shared.store(t.ids().1, Ordering::Release);
                    call(READ.nr, args![read, &mut [0u8; 8], 8]);
                });
                wait_until_it_reads(&tid);
            });
            t.planned(EXIT_GROUP, None, -1, "", "");
            t.commit();
            call(EXIT_GROUP.nr, args![5]);
        });
        assert_eq!(sys::wait(child), 5 << 8, "exit status");
    });
}
