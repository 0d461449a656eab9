//! Signals sent, awaited and handled.

use libc::{EAGAIN, EBADF, EFAULT, EINTR, EINVAL, ENOMEM, ESRCH, SA_RESTART, SIG_BLOCK};
use libc::{SIG_SETMASK, SIG_UNBLOCK, SIGKILL, SIGUSR1, SIGUSR2};

use super::{Scenario, of_all};
use crate::args;
use crate::oracle::{Call, errno_name};
use crate::scenarios::files::CLOSED;
use crate::sys::{self, *};
use crate::tape::Tape;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[
    of_all("signals_sent", signals_sent),
    of_all("signals_by_descriptor", signals_by_descriptor),
    of_all("signals_awaited", signals_awaited),
    of_all("signal_actions", signal_actions),
];

const SECOND: i64 = 1_000_000_000;
const USR1: &[u64; 1] = &[1 << (SIGUSR1 - 1)];
pub(super) const ERESTARTNOHAND: i32 = 514;

/// The return from a handler.
pub(super) fn handled(t: &mut Tape) {
    t.planned(RT_SIGRETURN, None, -1, "", "");
}

/// Notes a call without a file that a signal ends with that code.
pub(super) fn ended(t: &mut Tape, sys: Sys, code: i32) -> &mut Call {
    let call = t.planned(sys, Some(-i64::from(code)), -1, "", "");
    call.errno = Some(errno_name(code));
    call
}

/// `kill`, `tkill`, `tgkill`, `rt_sigqueueinfo`, `rt_tgsigqueueinfo`, to this process itself.
fn signals_sent(t: &mut Tape) {
    t.apart(|t| {
        t.outside(|_| sys::handle_quietly(SIGUSR1, SA_RESTART));
        let (pid, tid) = t.ids();
        // struct siginfo: signal, errno, code (SI_QUEUE), padding, sender and user.
        let info = &mut [0i32; 32];
        (info[0], info[2], info[4]) = (SIGUSR1, -1, pid as i32);
        t.bare(KILL, args![pid, 0]).is(0);
        t.bare(KILL, args![pid, SIGUSR1]).is(0);
        handled(t);
        t.bare(TKILL, args![tid, SIGUSR1]).is(0);
        handled(t);
        t.bare(TGKILL, args![pid, tid, SIGUSR1]).is(0);
        handled(t);
        t.bare(RT_SIGQUEUEINFO, args![pid, SIGUSR1, &*info]).is(0);
        handled(t);
        t.bare(RT_TGSIGQUEUEINFO, args![pid, tid, SIGUSR1, &*info])
            .is(0);
        handled(t);

        t.bare(KILL, args![NO_PROCESS, SIGUSR1]).fails(ESRCH);
        t.bare(KILL, args![pid, 99]).fails(EINVAL);
        t.bare(TKILL, args![NO_PROCESS, SIGUSR1]).fails(ESRCH);
        t.bare(TKILL, args![-1, SIGUSR1]).fails(EINVAL);
        t.bare(TGKILL, args![pid, NO_PROCESS, SIGUSR1]).fails(ESRCH);
        t.bare(TGKILL, args![0, tid, SIGUSR1]).fails(EINVAL);
        t.bare(RT_SIGQUEUEINFO, args![pid, SIGUSR1, 8])
            .fails(EFAULT);
        t.bare(RT_SIGQUEUEINFO, args![NO_PROCESS, SIGUSR1, &*info])
            .fails(ESRCH);
        t.bare(RT_TGSIGQUEUEINFO, args![pid, 0, SIGUSR1, &*info])
            .fails(EINVAL);
    });
}

/// `pidfd_send_signal`.
fn signals_by_descriptor(t: &mut Tape) {
    t.apart(|t| {
        t.outside(|_| sys::handle_quietly(SIGUSR1, SA_RESTART));
        let (fd, name) = t.outside(|t| {
            let fd = call(PIDFD_OPEN.nr, args![t.ids().0, 0]) as i32;
            (fd, t.proc_name(fd))
        });
        t.fd(PIDFD_SEND_SIGNAL, fd, &name, args![fd, SIGUSR1, 0, 0])
            .is(0);
        handled(t);
        t.fd(PIDFD_SEND_SIGNAL, fd, &name, args![fd, 99, 0, 0])
            .fails(EINVAL);
        t.fd(PIDFD_SEND_SIGNAL, fd, &name, args![fd, SIGUSR1, 8, 0])
            .fails(EFAULT);
        t.fd(PIDFD_SEND_SIGNAL, CLOSED, "", args![CLOSED, SIGUSR1, 0, 0])
            .fails(EBADF);
        t.fd(CLOSE, fd, &name, args![fd]).is(0);
    });
}

/// `rt_sigprocmask`, `rt_sigpending`, `rt_sigtimedwait`, `rt_sigsuspend`.
fn signals_awaited(t: &mut Tape) {
    t.apart(|t| {
        t.outside(|_| sys::handle_quietly(SIGUSR1, SA_RESTART));
        let pid = t.ids().0;
        let set = &mut [0u64; 1];
        let info = &mut [0u64; 16];
        t.bare(RT_SIGPROCMASK, args![SIG_BLOCK, USR1, &mut *set, 8])
            .is(0);
        t.bare(RT_SIGPROCMASK, args![99, USR1, 0, 8]).fails(EINVAL);
        t.bare(RT_SIGPROCMASK, args![SIG_BLOCK, 8, 0, 8])
            .fails(EFAULT);
        t.bare(RT_SIGPENDING, args![&mut *set, 8]).is(0);
        t.bare(RT_SIGPENDING, args![8, 8]).fails(EFAULT);
        t.bare(RT_SIGPENDING, args![&mut *set, 99]).fails(EINVAL);

        t.bare(KILL, args![pid, SIGUSR1]).is(0);
        t.bare(RT_SIGTIMEDWAIT, args![USR1, &mut *info, 0, 8])
            .timeout_ns(-1)
            .is(i64::from(SIGUSR1));
        for (time, timeout_ns, errno) in [
            ([0, 0], 0, EAGAIN),
            ([0, 1_000_000], 1_000_000, EAGAIN),
            ([0, SECOND], -2, EINVAL),
            ([-1, 0], -2, EINVAL),
        ] {
            t.bare(RT_SIGTIMEDWAIT, args![USR1, &mut *info, &time, 8])
                .timeout_ns(timeout_ns)
                .fails(errno);
        }
        t.bare(RT_SIGTIMEDWAIT, args![USR1, &mut *info, 8, 8])
            .timeout_ns(-2)
            .fails(EFAULT);

        t.bare(KILL, args![pid, SIGUSR1]).is(0);
        let ret = call(RT_SIGSUSPEND.nr, args![&[0u64], 8]);
        assert_eq!(ret, -i64::from(EINTR), "rt_sigsuspend");
        ended(t, RT_SIGSUSPEND, ERESTARTNOHAND);
        handled(t);
        t.bare(RT_SIGSUSPEND, args![&[0u64], 99]).fails(EINVAL);

        // What was kept back comes as soon as it may.
        t.bare(KILL, args![pid, SIGUSR1]).is(0);
        t.bare(RT_SIGPROCMASK, args![SIG_UNBLOCK, USR1, 0, 8]).is(0);
        handled(t);
        t.bare(RT_SIGPROCMASK, args![SIG_SETMASK, &[0u64], 0, 8])
            .is(0);
    });
}

/// `rt_sigaction`, `sigaltstack`, and a `restart_syscall` with nothing to restart.
fn signal_actions(t: &mut Tape) {
    t.apart(|t| {
        // The kernel's struct sigaction: handler (SIG_IGN), flags, restorer, mask.
        let ignore = &[1u64, 0, 0, 0];
        let old = &mut [0u64; 4];
        t.bare(RT_SIGACTION, args![SIGUSR2, ignore, &mut *old, 8])
            .is(0);
        t.bare(KILL, args![t.ids().0, SIGUSR2]).is(0);
        t.bare(RT_SIGACTION, args![SIGUSR2, 0, &mut *old, 8]).is(0);
        assert_eq!(old[0], 1, "SIG_IGN");
        t.bare(RT_SIGACTION, args![SIGKILL, ignore, 0, 8])
            .fails(EINVAL);
        t.bare(RT_SIGACTION, args![SIGUSR2, 8, 0, 8]).fails(EFAULT);
        t.bare(RT_SIGACTION, args![SIGUSR2, ignore, 0, 99])
            .fails(EINVAL);

        let space = [0u64; 4096];
        // struct stack: address, flags, size.
        let stack = |flags, size| [space.as_ptr() as u64, flags, size];
        t.bare(SIGALTSTACK, args![&stack(0, 32768), &mut [0u64; 3]])
            .is(0);
        t.bare(SIGALTSTACK, args![&stack(0, 16), 0]).fails(ENOMEM);
        t.bare(SIGALTSTACK, args![&stack(99, 32768), 0])
            .fails(EINVAL);
        t.bare(SIGALTSTACK, args![8, 0]).fails(EFAULT);
        t.bare(SIGALTSTACK, args![&[0u64, 2, 0], 0]).is(0);
        t.bare(RESTART_SYSCALL, &[]).fails(EINTR);
    });
}
