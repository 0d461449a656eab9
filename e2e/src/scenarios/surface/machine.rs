//! The machine as a whole: its names, its log, randomness, modules, swap, accounting; mostly by calls that must fail.

use libc::{E2BIG, EACCES, EBADF, EFAULT, EINVAL, ENOENT, EPERM, O_CREAT, O_RDWR};
use libc::{GRND_INSECURE, GRND_NONBLOCK, GRND_RANDOM};

use super::super::files::CLOSED;
use super::super::make_file;
use super::super::scopes::NOBODY;
use super::{Scenario, of_all};
use crate::args;
use crate::sys::*;
use crate::tape::Tape;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[
    of_all("randomness", randomness),
    of_all("machine_facts", machine_facts),
    of_all("machine_names", machine_names),
    of_all("kernel_log", kernel_log),
    of_all("bpf_map", bpf_map),
    of_all("swap", swap),
    of_all("accounting", accounting),
    of_all("hangup", hangup),
    of_all("kernel_code", kernel_code),
    of_all("io_ports", io_ports),
];

/// Runs it in a child that is another user, who may do none of this.
fn as_nobody(t: &mut Tape, body: fn(&mut Tape)) {
    t.apart(|t| {
        t.outside(|t| {
            let ret = call(SETRESUID.nr, args![NOBODY, NOBODY, NOBODY]);
            assert_eq!(ret, 0, "setresuid");
            t.identify();
        });
        body(t);
    });
}

/// `getrandom`.
fn randomness(t: &mut Tape) {
    let buffer = &mut [0u8; 512];
    t.bare(GETRANDOM, args![&mut *buffer, 16, 0])
        .requested(16)
        .flags(0)
        .is(16);
    for flags in [GRND_NONBLOCK, GRND_RANDOM, GRND_INSECURE] {
        t.bare(GETRANDOM, args![&mut *buffer, 256, flags])
            .requested(256)
            .flags(flags as i32)
            .is(256);
    }
    t.bare(GETRANDOM, args![8, 0, 0]).requested(0).is(0);
    let both = GRND_INSECURE | GRND_RANDOM;
    t.bare(GETRANDOM, args![&mut *buffer, 16, both])
        .requested(16)
        .flags(both as i32)
        .fails(EINVAL);
    t.bare(GETRANDOM, args![&mut *buffer, 16, 1 << 20])
        .requested(16)
        .flags(1 << 20)
        .fails(EINVAL);
    t.bare(GETRANDOM, args![8, 16, 0])
        .requested(16)
        .fails(EFAULT);
}

/// `sysinfo`, `newuname`, `reboot`, `uprobe`.
fn machine_facts(t: &mut Tape) {
    let buffer = &mut [0u8; 512];
    t.bare(SYSINFO, args![&mut *buffer]).is(0);
    t.bare(SYSINFO, args![8]).fails(EFAULT);
    t.bare(NEWUNAME, args![&mut *buffer]).is(0);
    t.bare(NEWUNAME, args![8]).fails(EFAULT);
    // None of the magic numbers is right.
    t.bare(REBOOT, args![1, 2, 3, 0]).fails(EINVAL);
    t.bare(UPROBE, args![]).done();
    as_nobody(t, |t| {
        t.bare(REBOOT, args![1, 2, 3, 0]).fails(EPERM);
        t.bare(SYSINFO, args![&mut [0u8; 512]]).is(0);
    });
}

/// `sethostname`, `setdomainname`, where the names are nobody else's.
fn machine_names(t: &mut Tape) {
    let too_long = [b'n'; 65];
    for sys in [SETHOSTNAME, SETDOMAINNAME] {
        t.bare(sys, args![&too_long, 65]).fails(EINVAL);
        t.bare(sys, args![&too_long, -1]).fails(EINVAL);
        t.bare(sys, args![8, 5]).fails(EFAULT);
    }
    t.apart(|t| {
        t.outside(|_| {
            let ret = call(UNSHARE.nr, args![libc::CLONE_NEWUTS]);
            assert_eq!(ret, 0, "unshare");
        });
        let name = &mut [0u8; 390];
        t.bare(SETHOSTNAME, args![b"ior-host", 8]).is(0);
        t.bare(SETDOMAINNAME, args![b"ior-domain", 10]).is(0);
        t.bare(NEWUNAME, args![&mut *name]).is(0);
        assert!(name[65..].starts_with(b"ior-host\0"), "own host name");
    });
    as_nobody(t, |t| {
        t.bare(SETHOSTNAME, args![b"ior-host", 8]).fails(EPERM);
        t.bare(SETDOMAINNAME, args![b"ior-domain", 10]).fails(EPERM);
    });
}

/// `syslog`: what it copies is no payload.
fn kernel_log(t: &mut Tape) {
    const READ_ALL: i32 = 3;
    const SIZE_UNREAD: i32 = 9;
    const SIZE_BUFFER: i32 = 10;
    let buffer = &mut [0u8; 256];
    t.bare(SYSLOG, args![SIZE_BUFFER, 0, 0]).ok();
    t.bare(SYSLOG, args![SIZE_UNREAD, 0, 0]).ok();
    t.bare(SYSLOG, args![READ_ALL, &mut *buffer, 256]).ok();
    t.bare(SYSLOG, args![READ_ALL, &mut *buffer, 0]).is(0);
    t.bare(SYSLOG, args![READ_ALL, 0, 256]).fails(EINVAL);
    t.bare(SYSLOG, args![READ_ALL, &mut *buffer, -1])
        .fails(EINVAL);
    t.bare(SYSLOG, args![99, 0, 0]).fails(EINVAL);
}

/// `bpf`: a map, written and read.
fn bpf_map(t: &mut Tape) {
    const CREATE: i32 = 0;
    const LOOKUP: i32 = 1;
    const UPDATE: i32 = 2;
    const ARRAY: u32 = 2;
    const MAP: &str = "anon_inode:bpf-map";
    let (key, value, read) = ([0u32], [77u64], &mut [0u64]);
    // The type, the sizes of keys and values, the number of entries.
    let shape = [ARRAY, 4, 8, 1];
    let map = t.bare(BPF, args![CREATE, &shape, 16]).ok() as i32;
    let element = |map: i32, value: usize| [map as u64, key.as_ptr() as u64, value as u64, 0];
    let update = element(map, value.as_ptr() as usize);
    t.bare(BPF, args![UPDATE, &update, 32]).is(0);
    let lookup = element(map, read.as_mut_ptr() as usize);
    t.bare(BPF, args![LOOKUP, &lookup, 32]).is(0);
    assert_eq!(*read, value, "the map's value");
    t.bare(BPF, args![LOOKUP, &element(CLOSED, 0), 32])
        .fails(EBADF);
    t.bare(BPF, args![9999, &shape, 16]).fails(EINVAL);
    t.bare(BPF, args![CREATE, 8, 16]).fails(EFAULT);
    t.bare(BPF, args![CREATE, &shape, 1 << 20]).fails(E2BIG);
    t.fd(CLOSE, map, MAP, args![map]).is(0);
}

/// `swapon`, `swapoff`: of nothing that is or could be swap space.
fn swap(t: &mut Tape) {
    t.outside(|t| make_file(t, "f", 10));
    t.path(SWAPON, "no", args![c"no", 0]).fails(ENOENT);
    t.path(SWAPON, "f", args![c"./f", 1 << 30]).fails(EINVAL);
    t.path(SWAPON, "", args![8, 0]).partial(b"").fails(EFAULT);
    t.path(SWAPOFF, "no", args![c"no"]).fails(ENOENT);
    t.path(SWAPOFF, "f", args![c"f"]).fails(EINVAL);
    t.path(SWAPOFF, "/dev/null", args![c"/dev/null"])
        .fails(EINVAL);
    t.path(SWAPOFF, "", args![8]).partial(b"").fails(EFAULT);
    as_nobody(t, |t| {
        t.path(SWAPON, "f", args![c"f", 0]).fails(EPERM);
        t.path(SWAPOFF, "f", args![c"f"]).fails(EPERM);
    });
}

/// `acct`: accounts are kept by pid namespace.
fn accounting(t: &mut Tape) {
    t.path(ACCT, "no", args![c"no"]).fails(ENOENT);
    t.path(ACCT, "/dev/null", args![c"/dev/null"]).fails(EACCES);
    t.path(ACCT, "", args![8]).partial(b"").fails(EFAULT);
    t.outside(|t| {
        make_file(t, "accounts", 0);
        t.child_and_wait(|t| {
            let parent = t.ids().0;
            t.outside(|t| {
                let ret = call(UNSHARE.nr, args![libc::CLONE_NEWPID]);
                assert_eq!(ret, 0, "unshare");
                t.child_and_wait(|t| {
                    t.outside(|t| t.identify_as(own_pid_outside(), parent));
                    t.path(ACCT, "accounts", args![c"accounts"]).is(0);
                    t.path(ACCT, "no", args![c"no"]).fails(ENOENT);
                    t.bare(ACCT, args![0]).is(0);
                    t.bare(ACCT, args![0]).is(0);
                });
            });
        });
    });
    as_nobody(t, |t| {
        t.path(ACCT, "accounts", args![c"accounts"]).fails(EPERM);
        t.bare(ACCT, args![0]).fails(EPERM);
    });
}

/// The caller's process id in the pid namespace of `/proc`.
fn own_pid_outside() -> u32 {
    let link = std::fs::read_link("/proc/self").expect("readlink /proc/self");
    link.to_str()
        .and_then(|pid| pid.parse().ok())
        .expect("a process id")
}

/// `vhangup` in a session without a terminal.
fn hangup(t: &mut Tape) {
    t.apart(|t| {
        t.outside(|_| assert!(call(SETSID.nr, args![]) > 0, "setsid"));
        t.bare(VHANGUP, args![]).is(0);
    });
    as_nobody(t, |t| t.bare(VHANGUP, args![]).fails(EPERM));
}

/// Loading of modules and kernels, and what old kernels had: each must fail, in a way that depends on the kernel's
/// configuration.
fn kernel_code(t: &mut Tape) {
    let fd = t.open(OPEN, "f", args![c"f", O_CREAT | O_RDWR, 0o644]).ok() as i32;
    t.bare(INIT_MODULE, args![8, 0, 8]).done();
    t.fd(FINIT_MODULE, fd, "f", args![fd, c"", 1 << 20]).done();
    t.fd(FINIT_MODULE, CLOSED, "", args![CLOSED, c"", 0]).done();
    t.bare(
        DELETE_MODULE,
        args![c"ior_no_such_module", libc::O_NONBLOCK],
    )
    .done();
    let no_such_flag = 0x8000u32;
    t.bare(KEXEC_LOAD, args![0, 17, 8, no_such_flag]).done();
    t.fd(
        KEXEC_FILE_LOAD,
        fd,
        "f",
        args![fd, CLOSED, 0, 0, no_such_flag],
    )
    .done();
    t.bare(LOOKUP_DCOOKIE, args![u64::MAX, 8, 0]).done();
    t.fd(CLOSE, fd, "f", args![fd]).is(0);
}

/// `ioperm`, `iopl`, which a kernel may be made without.
fn io_ports(t: &mut Tape) {
    t.bare(IOPERM, args![0x80, 1, 0]).done();
    t.bare(IOPERM, args![0x10000, 1, 1]).done();
    t.bare(IOPL, args![0]).done();
    t.bare(IOPL, args![4]).done();
}
