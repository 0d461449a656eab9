//! Processes and threads made, awaited, and replaced; a process namespace.

use std::ffi::CString;

use libc::{E2BIG, EAGAIN, EBADF, ECHILD, EFAULT, EINVAL, EISDIR, ELOOP, ENOENT, ENOEXEC};
use libc::{P_PID, P_PIDFD, SIGCHLD, WEXITED, WNOHANG};

use super::{Scenario, of_all, plain};
use crate::args;
use crate::oracle::BEGIN;
use crate::scenarios::files::CLOSED;
use crate::scenarios::make_file;
use crate::scenarios::scopes::NOBODY;
use crate::sys::{self, *};
use crate::tape::Tape;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[
    of_all("processes_made", processes_made),
    of_all("short_lives", short_lives),
    of_all("none_made", none_made),
    of_all("children_awaited", children_awaited),
    of_all("process_namespace", process_namespace),
    plain("exec_refused", exec_refused),
];

/// `struct clone_args`: flags, three addresses, the signal at the end, stack and its size, thread area.
fn clone_args(flags: i32, signal: i32) -> [u64; 8] {
    [flags as u64, 0, 0, 0, signal as u64, 0, 0, 0]
}

/// Keeps the end of one child from interrupting the wait for another, which it does under a debugger.
fn block_sigchld() {
    let set = &[1u64 << (SIGCHLD - 1)];
    let ret = call(RT_SIGPROCMASK.nr, args![libc::SIG_BLOCK, set, 0, 8]);
    assert_eq!(ret, 0, "rt_sigprocmask");
}

/// `fork`, `clone` and `clone3`, whose children make calls, and `wait4`.
fn processes_made(t: &mut Tape) {
    let look = |t: &mut Tape| {
        let pid = i64::from(t.ids().0);
        t.bare(GETPID, &[]).is(pid);
        t.path(ACCESS, "missing", args![c"missing", libc::F_OK])
            .fails(ENOENT);
    };
    t.outside(|_| block_sigchld());
    let children = [
        t.fork(FORK, &[], look).ok(),
        t.fork(CLONE, args![SIGCHLD, 0, 0, 0, 0], look)
            .flags(SIGCHLD)
            .ok(),
        t.fork(CLONE3, args![&clone_args(0, SIGCHLD), 64], look)
            .ok(),
    ];
    for child in children {
        t.bare(WAIT4, args![child, &mut [0i32], 0, 0]).is(child);
    }
}

/// Makes a process or thread that is gone at once, and states its only call too.
fn make(t: &mut Tape, sys: Sys, args: &[Arg<'_>], end: Sys) -> i64 {
    // A thread may read it when this function is left.
    let begin = Box::leak(CString::new(BEGIN).expect("no NUL").into_boxed_c_str());
    let ret = sys::make_short_lived(sys.nr, args, begin, end.nr);
    assert!(ret > 0, "{}: {ret}", sys.name);
    t.planned(sys, Some(ret), -1, "", "");
    let parent = t.ids().0;
    let call = t.planned(end, None, -1, "", "");
    call.tid = ret as u32;
    if end.nr == EXIT_GROUP.nr {
        (call.pid, call.ppid) = (ret as u32, parent);
    }
    ret
}

/// Children that end after one call, made in all ways; `vfork`'s share the stack.
fn short_lives(t: &mut Tape) {
    let vfork = libc::CLONE_VM | libc::CLONE_VFORK;
    let vfork3 = clone_args(vfork, SIGCHLD);
    let ways: [(Sys, &[Arg<'_>]); 5] = [
        (FORK, &[]),
        (VFORK, &[]),
        (CLONE, args![SIGCHLD, 0, 0, 0, 0]),
        (CLONE, args![vfork | SIGCHLD, 0, 0, 0, 0]),
        (CLONE3, args![&vfork3, 64]),
    ];
    for (sys, args) in ways {
        let child = make(t, sys, args, EXIT_GROUP);
        t.bare(WAIT4, args![child, &mut [0i32], 0, 0]).is(child);
    }
    let thread = libc::CLONE_VM | libc::CLONE_SIGHAND | libc::CLONE_THREAD;
    let tid = make(t, CLONE, args![thread, 0, 0, 0, 0], EXIT);
    t.outside(|_| {
        while std::fs::exists(format!("/proc/self/task/{tid}")).expect("a look into /proc") {
            std::thread::yield_now();
        }
    });
    let pid = i64::from(t.ids().0);
    t.bare(GETPID, &[]).is(pid);
}

/// Processes that are not made.
fn none_made(t: &mut Tape) {
    let thread = libc::CLONE_THREAD;
    t.bare(CLONE, args![thread, 0, 0, 0, 0])
        .flags(thread)
        .fails(EINVAL);
    t.bare(CLONE3, args![&clone_args(thread, 0), 64])
        .fails(EINVAL);
    t.bare(CLONE3, args![&clone_args(0, 0), 1]).fails(EINVAL);
    let mut unknown = clone_args(0, 0);
    unknown[0] = 1 << 40;
    t.bare(CLONE3, args![&unknown, 64])
        .long_flags(1 << 40)
        .fails(EINVAL);
    t.bare(CLONE3, args![8, 64]).null("flags").fails(EFAULT);
    t.bare(CLONE3, args![8, 64]).fails(EFAULT);
    t.apart(|t| {
        t.outside(|t| {
            let none = call(SETRLIMIT.nr, args![libc::RLIMIT_NPROC as i32, &[0u64, 0]]);
            assert_eq!(none, 0, "setrlimit");
            let user = call(SETRESUID.nr, args![NOBODY, NOBODY, NOBODY]);
            assert_eq!(user, 0, "setresuid");
            t.identify();
        });
        for sys in [FORK, VFORK] {
            t.bare(sys, &[]).fails(EAGAIN);
        }
    });
}

/// `wait4` and `waitid`.
fn children_awaited(t: &mut Tape) {
    t.apart(|t| {
        let status = &mut [0i32; 1];
        let info = &mut [0u64; 16];
        for id in [-1, 1] {
            t.bare(WAIT4, args![id, &mut *status, 0, 0]).fails(ECHILD);
        }
        t.bare(WAIT4, args![-1, &mut *status, 0xffff, 0])
            .fails(EINVAL);
        t.bare(WAITID, args![P_PID, 1, &mut *info, WEXITED, 0])
            .fails(ECHILD);
        t.bare(WAITID, args![P_PID, 1, &mut *info, 0, 0])
            .fails(EINVAL);
        t.bare(WAITID, args![P_PIDFD, CLOSED, &mut *info, WEXITED, 0])
            .fails(EBADF);

        let [read, write] = t.outside(|_| {
            block_sigchld();
            let mut ends = [0i32; 2];
            assert_eq!(call(PIPE2.nr, args![&mut ends, 0]), 0, "pipe2");
            ends
        });
        let children = t.outside(|t| {
            [(); 3].map(|()| {
                t.child(|t| {
                    t.outside(|_| {
                        call(CLOSE.nr, args![write]);
                        call(READ.nr, args![read, &mut [0u8], 1]);
                    });
                    t.bare(GETPID, &[]).ok();
                })
            })
        });
        // All are still blocked.
        t.bare(WAIT4, args![-1, &mut *status, WNOHANG, 0]).is(0);
        t.bare(
            WAITID,
            args![P_PID, children[0], &mut *info, WEXITED | WNOHANG, 0],
        )
        .is(0);
        let pidfd = t.outside(|_| {
            call(CLOSE.nr, args![write]);
            call(PIDFD_OPEN.nr, args![children[2], 0])
        });
        t.bare(WAIT4, args![children[0], &mut *status, 0, &mut [0u64; 18]])
            .is(i64::from(children[0]));
        t.bare(WAITID, args![P_PID, children[1], &mut *info, WEXITED, 0])
            .is(0);
        t.bare(WAITID, args![P_PIDFD, pidfd, &mut *info, WEXITED, 0])
            .is(0);
    });
}

/// In a process namespace `getpid` says 1; the row has the number by which everybody else knows the process.
/// Accounting is one namespace's too.
fn process_namespace(t: &mut Tape) {
    t.apart(|t| {
        let parent = t.ids().0;
        let flags = libc::CLONE_NEWPID;
        t.bare(UNSHARE, args![flags]).flags(flags).is(0);
        t.apart(|t| {
            let own = t.outside(|_| std::fs::read_link("/proc/self"));
            let own = own.expect("readlink").to_string_lossy().parse();
            t.identify_as(own.expect("a number"), parent);
            t.bare(GETPID, &[]).is(1);
            t.bare(GETTID, &[]).is(1);
            t.bare(GETPPID, &[]).is(0);
            t.bare(KILL, args![1, 0]).is(0);
            t.bare(KILL, args![t.ids().0, 0]).fails(libc::ESRCH);

            t.outside(|t| make_file(t, "accounts", 0));
            t.path(ACCT, "accounts", args![c"accounts"]).is(0);
            t.bare(ACCT, args![0]).is(0);
            t.path(ACCT, "missing", args![c"missing"]).fails(ENOENT);
            t.path(ACCT, "/", args![c"/"]).fails(EISDIR);
            t.path(ACCT, "", args![8]).partial(b"").fails(EFAULT);
        });
    });
}

/// Programs that cannot be run.
fn exec_refused(t: &mut Tape) {
    t.outside(|t| {
        use std::os::unix::fs::{PermissionsExt, symlink};
        make_file(t, "no-format", 10);
        std::fs::write("no-interpreter", "#!/missing/interpreter\n").expect("write a script");
        for name in ["no-format", "no-interpreter"] {
            let all = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(name, all).expect("chmod");
        }
        symlink("loop", "loop").expect("symlink");
    });
    let none = &[0usize];
    let long = vec![b'l'; 1 << 20];
    let too_long = &[long.as_ptr() as usize, 0];
    for (name, argv, errno) in [
        (c"no-format", Arg::from(none), ENOEXEC),
        (c"no-interpreter", Arg::from(none), ENOENT),
        (c"loop", Arg::from(none), ELOOP),
        (c"/proc/self/exe", Arg::from(too_long), E2BIG),
        (c"/proc/self/exe", Arg::from(8), EFAULT),
    ] {
        t.path(EXECVE, name.to_bytes(), args![name, argv, 0])
            .fails(errno);
        t.path(
            EXECVEAT,
            name.to_bytes(),
            args![libc::AT_FDCWD, name, argv, 0, 0],
        )
        .fails(errno);
    }
    t.path(
        EXECVEAT,
        "loop",
        args![libc::AT_FDCWD, c"loop", none, 0, 99],
    )
    .fails(EINVAL);
}
