//! Calls that somebody else answers or changes before the kernel enters them: seccomp filters and debuggers.

use std::ffi::CStr;
use std::sync::atomic::AtomicU32;

use libc::{EFAULT, EINVAL, EIO, ENOENT, ENOSYS, EOPNOTSUPP, EPERM, ESRCH, EXDEV, SIGSTOP, SIGSYS};
use libc::{PTRACE_CONT, PTRACE_INTERRUPT, PTRACE_PEEKUSER, PTRACE_POKEUSER, PTRACE_SEIZE};
use libc::{PTRACE_SETOPTIONS, PTRACE_SYSCALL, PTRACE_TRACEME, SIGTRAP};

use super::{Scenario, of_all, plain};
use crate::args;
use crate::scenarios::make_file;
use crate::scenarios::threads::{make_pipe, wait_until_blocked};
use crate::sys::{self, *};
use crate::tape::Tape;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[
    of_all("seccomp", seccomp),
    of_all("answered_by_filter", answered_by_filter),
    of_all("ptrace_refused", ptrace_refused),
    of_all("ptrace", ptrace),
    plain("changed_by_tracer", changed_by_tracer),
];

const SET_MODE_FILTER: i32 = 1;
const RET_TRAP: u32 = 0x0003_0000;
const RET_ERRNO: u32 = 0x0005_0000;
const RET_TRACE: u32 = 0x7ff0_0000;
const RET_ALLOW: u32 = 0x7fff_0000;

/// A `struct sock_filter`.
fn instruction(code: u16, if_false: u8, value: u32) -> u64 {
    u64::from(code) | u64::from(if_false) << 24 | u64::from(value) << 32
}

/// A filter that answers some calls and allows all others.
fn filter(answers: &[(Sys, u32)]) -> Vec<u64> {
    const LOAD: u16 = 0x20;
    const JUMP_EQUAL: u16 = 0x15;
    const RETURN: u16 = 0x06;
    let number_of_call = 0;
    let mut program = vec![instruction(LOAD, 0, number_of_call)];
    for (sys, answer) in answers {
        program.push(instruction(JUMP_EQUAL, 1, sys.nr as u32));
        program.push(instruction(RETURN, 0, *answer));
    }
    program.push(instruction(RETURN, 0, RET_ALLOW));
    program
}

/// The call `seccomp`.
fn seccomp(t: &mut Tape) {
    const GET_ACTION_AVAIL: i32 = 2;
    const GET_NOTIF_SIZES: i32 = 3;
    t.apart(|t| {
        t.bare(SECCOMP, args![GET_ACTION_AVAIL, 0, &[RET_ERRNO]])
            .is(0);
        t.bare(SECCOMP, args![GET_ACTION_AVAIL, 0, &[0x1234_0000u32]])
            .fails(EOPNOTSUPP);
        t.bare(SECCOMP, args![GET_NOTIF_SIZES, 0, &mut [0u16; 3]])
            .is(0);
        t.bare(SECCOMP, args![99, 0, 0]).fails(EINVAL);
        t.bare(SECCOMP, args![SET_MODE_FILTER, 0, 8]).fails(EFAULT);
        let program = filter(&[]);
        let list = &[program.len(), program.as_ptr() as usize];
        t.bare(SECCOMP, args![SET_MODE_FILTER, 0, list]).is(0);
    });
}

/// Calls that a filter answers are never entered: no rows, and the calls around them are not taken for them.
fn answered_by_filter(t: &mut Tape) {
    t.apart(|t| {
        t.outside(|_| sys::handle_quietly(SIGSYS, 0));
        let program = filter(&[
            (MKDIR, RET_ERRNO | EXDEV as u32),
            (UNLINK, RET_ERRNO),
            (RMDIR, RET_TRAP),
            (CHDIR, RET_TRACE),
        ]);
        let list = &[program.len(), program.as_ptr() as usize];
        let look = |t: &mut Tape| {
            t.path(ACCESS, "missing", args![c"missing", libc::F_OK])
                .fails(ENOENT);
            let pid = i64::from(t.ids().0);
            t.bare(GETPID, &[]).is(pid);
        };
        let answered = |sys: Sys, answer: i64| {
            assert_eq!(call(sys.nr, args![c"d", 0o755]), answer, "{}", sys.name);
        };
        t.path(MKDIR, "d", args![c"d", 0o755]).is(0);
        t.bare(SECCOMP, args![SET_MODE_FILTER, 0, list]).is(0);
        look(t);
        answered(MKDIR, -i64::from(EXDEV));
        look(t);
        // Said to have succeeded.
        answered(UNLINK, 0);
        look(t);
        answered(MKDIR, -i64::from(EXDEV));
        answered(UNLINK, 0);
        // There is no tracer to be asked.
        answered(CHDIR, -i64::from(ENOSYS));
        look(t);
        // A signal; what the program sees is what it had in the register, the call's number.
        answered(RMDIR, RMDIR.nr);
        t.planned(RT_SIGRETURN, None, -1, "", "");
        look(t);
        t.path(ACCESS, "d", args![c"d", libc::F_OK]).is(0);
    });
}

/// `ptrace` of processes that are not there, or not to be traced.
fn ptrace_refused(t: &mut Tape) {
    t.bare(PTRACE, args![PTRACE_SEIZE, NO_PROCESS, 0, 0])
        .fails(ESRCH);
    t.bare(PTRACE, args![PTRACE_SEIZE, t.ids().0, 0, 0])
        .fails(EPERM);
    t.bare(PTRACE, args![PTRACE_CONT, NO_PROCESS, 0, 0])
        .fails(ESRCH);
}

const RAX: i32 = 10 * 8;
const RDI: i32 = 14 * 8;
const ORIG_RAX: i32 = 15 * 8;

/// A child traced to its end, where it is dying and still has its memory, which `process_mrelease` takes.
fn ptrace(t: &mut Tape) {
    const TRACE_EXIT: i32 = 0x40;
    const EVENT_EXIT: i32 = 6;
    const EVENT_STOP: i32 = 128;
    let stopped = |event: i32| event << 16 | SIGTRAP << 8 | 0x7f;
    let (child, pidfd, pidfd_name, write, pipe) = t.outside(|t| {
        let ([read, write], pipe) = make_pipe(t);
        let child = t.child(|t| {
            t.outside(|_| call(READ.nr, args![read, &mut [0u8; 8], 8]));
        });
        wait_until_blocked(&AtomicU32::new(child as u32), READ.nr);
        let pidfd = call(PIDFD_OPEN.nr, args![child, 0]) as i32;
        (child, pidfd, t.proc_name(pidfd), write, pipe)
    });
    let pid = i64::from(child);
    let status = &mut [0i32; 1];
    let word = &mut [0i64; 1];
    t.bare(PTRACE, args![PTRACE_SEIZE, child, 0, TRACE_EXIT])
        .is(0);
    t.bare(PTRACE, args![PTRACE_SEIZE, child, 0, TRACE_EXIT])
        .fails(EPERM);
    // It is not stopped yet.
    t.bare(PTRACE, args![PTRACE_PEEKUSER, child, ORIG_RAX, &mut *word])
        .fails(ESRCH);
    t.bare(PTRACE, args![PTRACE_INTERRUPT, child, 0, 0]).is(0);
    t.bare(WAIT4, args![child, &mut *status, 0, 0]).is(pid);
    assert_eq!(status[0], stopped(EVENT_STOP), "stopped");
    t.bare(PTRACE, args![PTRACE_PEEKUSER, child, ORIG_RAX, &mut *word])
        .is(0);
    assert_eq!(word[0], READ.nr, "the interrupted call");
    t.bare(PTRACE, args![PTRACE_PEEKUSER, child, 1, &mut *word])
        .fails(EIO);
    t.bare(PTRACE, args![PTRACE_CONT, child, 0, 0]).is(0);
    t.fd(WRITE, write, &pipe, args![write, b"!", 1]).is(1);
    t.bare(WAIT4, args![child, &mut *status, 0, 0]).is(pid);
    assert_eq!(status[0], stopped(EVENT_EXIT), "about to end");
    t.fd(PROCESS_MRELEASE, pidfd, &pidfd_name, args![pidfd, 0])
        .is(0);
    t.bare(PTRACE, args![PTRACE_CONT, child, 0, 0]).is(0);
    t.bare(WAIT4, args![child, &mut *status, 0, 0]).is(pid);
    assert_eq!(status[0], 0, "exit status");
}

/// What the tracer of [`changed_by_tracer`] sees and does.
struct Tracee(i32);

impl Tracee {
    fn ptrace(&self, request: u32, address: i32, data: impl Into<Arg<'static>>) {
        let ret = call(PTRACE.nr, args![request, self.0, address, data.into()]);
        assert_eq!(ret, 0, "ptrace {request}");
    }

    fn register(&self, register: i32) -> i64 {
        let word = &mut [0i64; 1];
        let args = args![PTRACE_PEEKUSER, self.0, register, &mut *word];
        assert_eq!(call(PTRACE.nr, args), 0, "ptrace");
        word[0]
    }

    fn set(&self, register: i32, value: i64) {
        self.ptrace(PTRACE_POKEUSER, register, value);
    }

    /// Stops it at every entry and exit of a call, until it ends.
    fn follow(&self, enter: impl Fn(&Tracee, i64), exit: impl Fn(&Tracee, i64)) {
        const SYSCALLS_APART: i32 = 1;
        const STOPPED_BY_CALL: i32 = (SIGTRAP | 0x80) << 8 | 0x7f;
        assert_eq!(sys::wait(self.0), SIGSTOP << 8 | 0x7f, "the first stop");
        self.ptrace(PTRACE_SETOPTIONS, 0, SYSCALLS_APART);
        let mut inside = false;
        loop {
            self.ptrace(PTRACE_SYSCALL, 0, 0);
            let status = sys::wait(self.0);
            if status == 0 {
                return;
            }
            assert_eq!(status, STOPPED_BY_CALL, "a stop of the child");
            inside = !inside;
            let number = self.register(ORIG_RAX);
            if inside {
                enter(self, number);
            } else {
                exit(self, number);
            }
        }
    }
}

/// A debugger exchanges a call for another, skips one, changes a name, and lies about a result: a row is what the
/// kernel did.
fn changed_by_tracer(t: &mut Tape) {
    const OTHER_NAME: &CStr = c"other-name";
    // Made as the one, entered as the other.
    const DISGUISED_RMDIR: Sys = Sys {
        name: RMDIR.name,
        nr: MKDIR.nr,
    };
    let look = |t: &mut Tape| {
        t.path(ACCESS, "kept", args![c"kept", libc::F_OK]).is(0);
    };
    t.outside(|t| make_file(t, "kept", 1));
    let child = t.child(|t| {
        t.outside(|t| {
            call(PTRACE.nr, args![PTRACE_TRACEME, 0, 0, 0]);
            call(KILL.nr, args![t.ids().0, SIGSTOP]);
        });
        look(t);
        t.path(DISGUISED_RMDIR, "d", args![c"d", 0o755])
            .fails(ENOENT);
        look(t);
        let skipped = call(UNLINK.nr, args![c"kept"]);
        assert_eq!(skipped, -i64::from(ENOSYS), "unlink");
        look(t);
        t.path(CHMOD, "other-name", args![c"kept", 0o600])
            .fails(ENOENT);
        let missing = t.planned(TRUNCATE, Some(-2), -1, "missing", "argument");
        missing.errno = Some("ENOENT".to_owned());
        assert_eq!(call(TRUNCATE.nr, args![c"missing", 0]), 77, "truncate");
        look(t);
    });
    let enter = |child: &Tracee, number: i64| {
        if number == MKDIR.nr {
            child.set(ORIG_RAX, RMDIR.nr);
        } else if number == UNLINK.nr {
            child.set(ORIG_RAX, -1);
        } else if number == CHMOD.nr {
            child.set(RDI, OTHER_NAME.as_ptr() as i64);
        }
    };
    let exit = |child: &Tracee, number: i64| {
        if number == TRUNCATE.nr {
            child.set(RAX, 77);
        }
    };
    Tracee(child).follow(enter, exit);
}
