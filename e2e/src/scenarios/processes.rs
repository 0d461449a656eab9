//! Processes: their ends, their children, and lives too short for a look into /proc.

use libc::{ENOENT, O_CREAT, O_RDONLY, O_WRONLY};

use crate::args;
use crate::sys::{self, *};
use crate::tape::Tape;

/// `exit` and `exit_group`: rows without a result.
pub fn exit(t: &mut Tape) {
    for (sys, status) in [(EXIT_GROUP, 3), (EXIT, 4)] {
        let child = t.child(|t| {
            t.path(ACCESS, "missing", args![c"missing", libc::F_OK])
                .fails(ENOENT);
            t.planned(sys, None, -1, "", "");
            t.commit();
            call(sys.nr, args![status]);
        });
        assert_eq!(sys::wait(child), status << 8, "exit status");
    }
    // Only a thread ends.
    t.outside(|t| {
        let thread = t.thread(|t| {
            t.planned(EXIT, None, -1, "", "");
            t.commit();
            call(EXIT.nr, args![0]);
        });
        thread.join();
    });
    t.path(ACCESS, "missing", args![c"missing", libc::F_OK])
        .fails(ENOENT);
}

/// A missing file, asked for by processes that are gone at once.
pub fn gone_at_once(t: &mut Tape) {
    for _ in 0..20 {
        let child = t.child(|t| {
            let call_open = t.planned(OPENAT, Some(-2), -1, "missing", "argument");
            call_open.errno = Some("ENOENT".to_owned());
            t.planned(EXIT_GROUP, None, -1, "", "");
            t.commit();
            call(OPENAT.nr, args![libc::AT_FDCWD, c"missing", O_RDONLY]);
            call(EXIT_GROUP.nr, args![0]);
        });
        assert_eq!(sys::wait(child), 0, "exit status");
    }
}

fn grow(t: &mut Tape, depth: u32) {
    t.path(ACCESS, "root", args![c"root", libc::F_OK])
        .fails(ENOENT);
    if depth > 0 {
        let children = [0; 3].map(|_| t.child(|t| grow(t, depth - 1)));
        for child in children {
            assert_eq!(sys::wait(child), 0, "exit status");
        }
    }
    t.path(ACCESS, "/", args![c"/", libc::F_OK]).is(0);
}

/// Children, grandchildren and their children: none is missed from its first call on.
pub fn tree(t: &mut Tape) {
    grow(t, 3);
}

/// 1,000 processes, each with a name and a file of its own.
pub fn short_lived_1000(t: &mut Tape) {
    short_lived(t, 1000);
}

/// As many as a shell script starts in a minute.
pub fn short_lived_5000(t: &mut Tape) {
    short_lived(t, 5000);
}

fn short_lived(t: &mut Tape, count: u32) {
    let mut running = std::collections::VecDeque::new();
    for number in 0..count {
        if running.len() == 32 {
            let child = running.pop_front().expect("not empty");
            assert_eq!(sys::wait(child), 0, "exit status");
        }
        let name = format!("short-{number:04}");
        let path = std::ffi::CString::new(name.clone()).expect("no NUL");
        running.push_back(t.child(|t| {
            t.rename_thread(&path);
            let fd = t
                .open(OPEN, &name, args![&path, O_CREAT | O_WRONLY, 0o644])
                .ok() as i32;
            t.fd(WRITE, fd, &name, args![fd, b"short", 5]).is(5);
            t.fd(CLOSE, fd, &name, args![fd]).is(0);
        }));
    }
    for child in running {
        assert_eq!(sys::wait(child), 0, "exit status");
    }
}

/// A 32-bit `getpid` has the number of the 64-bit `writev`, and must not be taken for it.
pub fn ia32(t: &mut Tape) {
    let child = t.child(|t| {
        t.path(ACCESS, "missing", args![c"missing", libc::F_OK])
            .fails(ENOENT);
        t.commit();
        #[cfg(target_arch = "x86_64")]
        assert_eq!(sys::getpid32() as u32, t.ids().0);
    });
    // A kernel without 32-bit calls kills the child, after its statements were written.
    sys::wait(child);
}

fn life(t: &mut Tape, name: &std::ffi::CStr) {
    t.rename_thread(name);
    let fd = t
        .open(
            OPEN,
            name.to_bytes(),
            args![name, O_CREAT | O_WRONLY, 0o644],
        )
        .ok() as i32;
    t.fd(WRITE, fd, name.to_bytes(), args![fd, b"life", 4])
        .is(4);
    t.fd(CLOSE, fd, name.to_bytes(), args![fd]).is(0);
    t.path(ACCESS, "missing", args![c"missing", libc::F_OK])
        .fails(ENOENT);
}

/// Two processes with the same id, one after the other. Somebody else may be given the id first: then again.
pub fn recycled_tid(t: &mut Tape) {
    const LAST_PID: &str = "/proc/sys/kernel/ns_last_pid";
    for _ in 0..20 {
        let first = t.child(|t| life(t, c"first-life"));
        assert_eq!(sys::wait(first), 0, "exit status");
        for _ in 0..50 {
            let asked = t.outside(|_| std::fs::write(LAST_PID, (first - 1).to_string()));
            if let Err(error) = asked {
                eprintln!("SKIPPED: no id can be recycled: {LAST_PID}: {error}");
                return;
            }
            let next = t.child(|t| match t.ids().0 == first as u32 {
                true => life(t, c"second-life"),
                false => life(t, c"other-life"),
            });
            assert_eq!(sys::wait(next), 0, "exit status");
            if next == first {
                return;
            }
        }
    }
    panic!("no id was recycled");
}
