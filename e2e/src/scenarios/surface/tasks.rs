//! Who a process is, what it may use, and what it is a part of.

use libc::{EBADF, EFAULT, EINVAL, EPERM, ESRCH};

use super::{Scenario, of_all};
use crate::args;
use crate::scenarios::files::CLOSED;
use crate::scenarios::make_file;
use crate::scenarios::scopes::NOBODY;
use crate::sys::*;
use crate::tape::Tape;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[
    of_all("identity", identity),
    of_all("groups_and_sessions", groups_and_sessions),
    of_all("credentials_read", credentials_read),
    of_all("credentials_changed", credentials_changed),
    of_all("credentials_refused", credentials_refused),
    of_all("another_user", another_user),
    of_all("limits_and_usage", limits_and_usage),
    of_all("process_attributes", process_attributes),
    of_all("namespaces", namespaces),
];

/// Process, thread and parent.
fn identity(t: &mut Tape) {
    let look = |t: &mut Tape| {
        let (pid, tid) = t.ids();
        t.bare(GETPID, &[]).is(i64::from(pid));
        t.bare(GETTID, &[]).is(i64::from(tid));
        t.bare(GETPPID, &[]).ok();
    };
    look(t);
    t.outside(|t| t.thread(look).join());
    let parent = i64::from(t.ids().0);
    t.apart(|t| {
        look(t);
        t.bare(GETPPID, &[]).is(parent);
        let cleared = &mut [0i32; 1];
        let tid = i64::from(t.ids().1);
        t.bare(SET_TID_ADDRESS, args![&mut *cleared]).is(tid);
        t.bare(SET_TID_ADDRESS, args![0]).is(tid);
    });
}

/// Process groups and sessions.
fn groups_and_sessions(t: &mut Tape) {
    t.bare(GETPGID, args![0]).ok();
    t.bare(GETPGID, args![NO_PROCESS]).fails(ESRCH);
    t.bare(GETPGRP, &[]).ok();
    t.bare(GETSID, args![0]).ok();
    t.bare(GETSID, args![NO_PROCESS]).fails(ESRCH);
    t.apart(|t| {
        let own = i64::from(t.ids().0);
        t.bare(SETPGID, args![NO_PROCESS, 0]).fails(ESRCH);
        t.bare(SETPGID, args![0, -1]).fails(EINVAL);
        t.bare(SETPGID, args![0, 0]).is(0);
        t.bare(GETPGRP, &[]).is(own);
        // The leader of a group cannot begin a session.
        t.bare(SETSID, &[]).fails(EPERM);
        t.apart(|t| {
            let own = i64::from(t.ids().0);
            t.bare(SETSID, &[]).is(own);
            t.bare(GETSID, args![0]).is(own);
            t.bare(GETPGID, args![0]).is(own);
        });
    });
}

/// Users and groups, asked for.
fn credentials_read(t: &mut Tape) {
    let ids = &mut [[0u32; 1]; 3];
    for sys in [GETUID, GETEUID, GETGID, GETEGID] {
        t.bare(sys, &[]).is(0);
    }
    for sys in [GETRESUID, GETRESGID] {
        let [real, effective, saved] = ids;
        t.bare(sys, args![&mut *real, &mut *effective, &mut *saved])
            .is(0);
        t.bare(sys, args![8, &mut *effective, &mut *saved])
            .fails(EFAULT);
    }
    t.bare(GETGROUPS, args![0, 0]).ok();
    t.bare(GETGROUPS, args![64, &mut [0u32; 64]]).ok();
    t.bare(GETGROUPS, args![-1, 0]).fails(EINVAL);
}

/// Users and groups, changed there and back; the real user stays the same.
fn credentials_changed(t: &mut Tape) {
    t.apart(|t| {
        t.bare(SETGROUPS, args![1, &[NOBODY]]).is(0);
        t.bare(SETGROUPS, args![1 << 20, 8]).fails(EINVAL);
        for sys in [SETUID, SETGID] {
            t.bare(sys, args![0]).is(0);
            t.bare(sys, args![-1]).fails(EINVAL);
        }
        for (set, get) in [(SETREGID, GETEGID), (SETREUID, GETEUID)] {
            t.bare(set, args![-1, NOBODY]).is(0);
            t.bare(get, &[]).is(i64::from(NOBODY));
            t.bare(set, args![-1, 0]).is(0);
        }
        for (set, get) in [(SETRESGID, GETEGID), (SETRESUID, GETEUID)] {
            t.bare(set, args![-1, NOBODY, -1]).is(0);
            t.bare(get, &[]).is(i64::from(NOBODY));
            t.bare(set, args![-1, 0, -1]).is(0);
        }
        // The answer is the one before, also where the new one is refused.
        for sys in [SETFSGID, SETFSUID] {
            t.bare(sys, args![NOBODY]).is(0);
            t.bare(sys, args![-1]).is(i64::from(NOBODY));
            t.bare(sys, args![0]).is(i64::from(NOBODY));
        }
    });
}

/// What somebody who is root no more may not do.
fn credentials_refused(t: &mut Tape) {
    t.apart(|t| {
        t.bare(SETRESUID, args![-1, NOBODY, -1]).is(0);
        for sys in [SETUID, SETGID] {
            t.bare(sys, args![1]).fails(EPERM);
        }
        for sys in [SETREUID, SETREGID] {
            t.bare(sys, args![1, 1]).fails(EPERM);
        }
        for sys in [SETRESUID, SETRESGID] {
            t.bare(sys, args![1, 1, 1]).fails(EPERM);
        }
        t.bare(SETGROUPS, args![1, &[1u32]]).fails(EPERM);
        t.bare(SETRESUID, args![-1, 0, -1]).is(0);
    });
}

/// A process that becomes another user: its rows are that user's from the next call on.
fn another_user(t: &mut Tape) {
    t.apart(|t| {
        t.bare(SETRESUID, args![NOBODY, NOBODY, NOBODY]).is(0);
        t.outside(Tape::identify);
        t.bare(GETUID, &[]).is(i64::from(NOBODY));
        t.bare(SETUID, args![0]).fails(EPERM);
        t.bare(GETPID, &[]).ok();
    });
}

/// Resource limits and usage.
fn limits_and_usage(t: &mut Tape) {
    let files = libc::RLIMIT_NOFILE as i32;
    t.apart(|t| {
        let limit = &mut [0u64; 2];
        t.bare(GETRLIMIT, args![files, &mut *limit]).is(0);
        t.bare(GETRLIMIT, args![99, &mut *limit]).fails(EINVAL);
        t.bare(GETRLIMIT, args![files, 8]).fails(EFAULT);
        t.bare(SETRLIMIT, args![files, &*limit]).is(0);
        t.bare(SETRLIMIT, args![files, &[2u64, 1]]).fails(EINVAL);
        t.bare(SETRLIMIT, args![files, 8]).fails(EFAULT);
        let new = *limit;
        t.bare(PRLIMIT64, args![0, files, &new, &mut *limit]).is(0);
        t.bare(PRLIMIT64, args![NO_PROCESS, files, 0, &mut *limit])
            .fails(ESRCH);
        t.bare(PRLIMIT64, args![0, 99, 0, &mut *limit])
            .fails(EINVAL);
        t.bare(GETRUSAGE, args![libc::RUSAGE_SELF, &mut [0u64; 18]])
            .is(0);
        t.bare(GETRUSAGE, args![99, &mut [0u64; 18]]).fails(EINVAL);
        t.bare(GETRUSAGE, args![libc::RUSAGE_SELF, 8]).fails(EFAULT);
    });
}

/// `prctl`, `arch_prctl`, `modify_ldt`, `personality`, `kcmp`.
fn process_attributes(t: &mut Tape) {
    const ARCH_GET_FS: i32 = 0x1003;
    const KCMP_FILE: i32 = 0;
    const KCMP_VM: i32 = 1;
    const ASK: u32 = 0xffff_ffff;
    /// It returns an `int`, which the kernel does not extend: its errors are large positive numbers.
    const AS_INT: i64 = 1 << 32;
    t.apart(|t| {
        let pid = t.ids().0;
        t.bare(PRCTL, args![libc::PR_GET_DUMPABLE, 0, 0, 0, 0]).ok();
        t.bare(PRCTL, args![9999, 0, 0, 0, 0]).fails(EINVAL);
        t.bare(PRCTL, args![libc::PR_SET_NAME, 8, 0, 0, 0])
            .fails(EFAULT);
        // The new name is that of the next call.
        t.bare(PRCTL, args![libc::PR_SET_NAME, c"renamed", 0, 0, 0])
            .is(0);
        "renamed".clone_into(&mut t.comm);
        t.process = Some(t.comm.clone());
        t.bare(PRCTL, args![libc::PR_GET_NAME, &mut [0u8; 16], 0, 0, 0])
            .is(0);
        t.bare(ARCH_PRCTL, args![ARCH_GET_FS, &mut [0u64]]).is(0);
        t.bare(ARCH_PRCTL, args![9999, 0]).fails(EINVAL);
        t.bare(MODIFY_LDT, args![0, &mut [0u8; 16], 16]).is(0);
        t.bare(MODIFY_LDT, args![1, &[0u8; 3], 3])
            .is(AS_INT - i64::from(EINVAL));
        let persona = t.bare(PERSONALITY, args![ASK]).ok();
        t.bare(PERSONALITY, args![persona]).is(persona);
        t.bare(KCMP, args![pid, pid, KCMP_VM, 0, 0]).is(0);
        t.bare(KCMP, args![pid, pid, KCMP_FILE, CLOSED, CLOSED])
            .fails(EBADF);
        t.bare(KCMP, args![pid, NO_PROCESS, KCMP_VM, 0, 0])
            .fails(ESRCH);
        t.bare(KCMP, args![pid, pid, 99, 0, 0]).fails(EINVAL);
    });
}

/// `unshare` and `setns`.
fn namespaces(t: &mut Tape) {
    t.apart(|t| {
        let (host, host_name, own, own_name, other) = t.outside(|t| {
            make_file(t, "f", 1);
            let open = |path: &std::ffi::CStr| call(OPEN.nr, args![path, libc::O_RDONLY]) as i32;
            let host = open(c"/proc/self/ns/uts");
            let own = call(PIDFD_OPEN.nr, args![t.ids().0, 0]) as i32;
            (host, t.proc_name(host), own, t.proc_name(own), open(c"f"))
        });
        let names = libc::CLONE_NEWUTS;
        t.bare(UNSHARE, args![0]).flags(0).is(0);
        t.bare(UNSHARE, args![names]).flags(names).is(0);
        t.bare(UNSHARE, args![1]).flags(1).fails(EINVAL);
        t.fd(SETNS, host, &host_name, args![host, names]).is(0);
        t.fd(SETNS, host, &host_name, args![host, 0]).is(0);
        t.fd(SETNS, host, &host_name, args![host, libc::CLONE_NEWNET])
            .fails(EINVAL);
        t.fd(SETNS, own, &own_name, args![own, names]).is(0);
        t.fd(SETNS, other, "f", args![other, names]).fails(EINVAL);
        t.fd(SETNS, CLOSED, "", args![CLOSED, names]).fails(EBADF);
    });
}
