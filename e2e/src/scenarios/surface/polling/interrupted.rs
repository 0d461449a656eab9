//! Waits that a signal ends: `ret` is what the kernel returns, before it makes EINTR of it for the program.

use libc::{EINTR, SIGUSR1};

use super::{MILLISECOND, SECOND, wait_until_asleep, wanted};
use crate::args;
use crate::oracle::{Waits, errno_name};
use crate::sys::{self, *};
use crate::tape::Tape;

const EPOLL: &str = "anon_inode:[eventpoll]";
const RESTART_UNLESS_HANDLED: i32 = 514;
const RESTART_BY_BLOCK: i32 = 516;

/// `nfds` and `timeout_ns` of a row.
fn columns(nfds: Option<u64>, timeout_ns: i64) -> Waits {
    Waits {
        nfds,
        timeout_ns: Some(timeout_ns),
        ..Waits::default()
    }
}

/// Every kind of wait, each ended by a signal; the way back from the handler is a row, too.
pub fn waits(t: &mut Tape) {
    const CALLS: [Sys; 7] = [
        POLL,
        PPOLL,
        SELECT,
        PSELECT6,
        EPOLL_WAIT,
        EPOLL_PWAIT,
        EPOLL_PWAIT2,
    ];
    t.outside(|t| {
        let epoll = sys::call(EPOLL_CREATE1.nr, args![0]) as i32;
        let quiet = sys::call(EVENTFD2.nr, args![0, 0]) as i32;
        assert!(epoll >= 0 && quiet >= 0, "an epoll and an eventfd");
        sys::handle_usr1(-1, 0);
        let child = t.child(|t| sleeper(t, epoll, quiet));
        for sys in CALLS {
            wait_until_asleep(child, sys);
            let ret = sys::call(KILL.nr, args![child, SIGUSR1]);
            assert_eq!(ret, 0, "kill");
        }
        assert_eq!(sys::wait(child), 0, "exit status");
    });
}

fn sleeper(t: &mut Tape, epoll: i32, quiet: i32) {
    let fds = &mut [wanted(quiet)];
    let mut events = [[0u32; 3]];
    let room = events.as_mut_ptr() as usize;
    let (minute, two_minutes) = (&mut [60i64, 5], &mut [120i64, 0]);
    let ns = 60 * SECOND + 5;
    let calls: [(Sys, i32, Waits, &[Arg]); 7] = [
        (
            POLL,
            RESTART_BY_BLOCK,
            columns(Some(1), -1),
            args![&mut *fds, 1, -1],
        ),
        (
            PPOLL,
            RESTART_UNLESS_HANDLED,
            columns(Some(0), ns),
            args![0, 0, &mut *minute, 0, 0],
        ),
        (
            SELECT,
            RESTART_UNLESS_HANDLED,
            columns(Some(0), -1),
            args![0, 0, 0, 0, 0],
        ),
        (
            PSELECT6,
            RESTART_UNLESS_HANDLED,
            columns(Some(0), 2 * 60 * SECOND),
            args![0, 0, 0, 0, &mut *two_minutes, 0],
        ),
        (
            EPOLL_WAIT,
            EINTR,
            columns(None, -1),
            args![epoll, room, 1, -1],
        ),
        (
            EPOLL_PWAIT,
            EINTR,
            columns(None, 60_000 * MILLISECOND),
            args![epoll, room, 1, 60_000, 0, 0],
        ),
        (
            EPOLL_PWAIT2,
            EINTR,
            columns(None, -1),
            args![epoll, room, 1, 0, 0, 0],
        ),
    ];
    for (sys, errno, waits, args) in calls {
        let (fd, file, source) = match errno {
            EINTR => (epoll, EPOLL, "kernel"),
            _ => (-1, "", ""),
        };
        let call = t.planned(sys, Some(-i64::from(errno)), fd, file, source);
        call.errno = Some(errno_name(errno));
        call.waits = waits;
        t.planned(RT_SIGRETURN, None, -1, "", "");
        let ret = sys::call(sys.nr, args);
        assert_eq!(ret, -i64::from(EINTR), "{}", sys.name);
    }
}
