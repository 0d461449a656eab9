//! Threads: their names, signals that interrupt them, and numbers reused while they wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use libc::{ENOENT, O_CREAT, O_RDWR, SA_RESTART, SIGUSR1};

use crate::args;
use crate::sys::{self, *};
use crate::tape::Tape;

/// Four threads at once, each with its own file.
pub fn threads(t: &mut Tape) {
    t.outside(|t| {
        let threads = [(); 4].map(|()| {
            t.thread(|t| {
                let name = format!("thread-{}", t.ids().1);
                let path = std::ffi::CString::new(name.clone()).expect("no NUL");
                for round in 0..100 {
                    let flags = O_CREAT | O_RDWR;
                    let fd = t.open(OPEN, &name, args![&path, flags, 0o644]).ok() as i32;
                    t.fd(WRITE, fd, &name, args![fd, b"round", 5])
                        .offset(0)
                        .is(5);
                    t.fd(PREAD64, fd, &name, args![fd, &mut [0u8; 9], 9, round])
                        .done();
                    t.fd(CLOSE, fd, &name, args![fd]).is(0);
                }
                t.path(UNLINK, &name, args![&path]).is(0);
                t.path(UNLINK, &name, args![&path]).fails(ENOENT);
            })
        });
        threads.into_iter().for_each(Thread::join);
    });
    t.path(ACCESS, "missing", args![c"missing", libc::F_OK])
        .fails(ENOENT);
}

/// A new name counts from the next call on, for that thread only.
pub fn renamed_thread(t: &mut Tape) {
    let look = |t: &mut Tape| {
        t.path(ACCESS, "/", args![c"/", libc::F_OK]).is(0);
        t.path(ACCESS, "missing", args![c"missing", libc::F_OK])
            .fails(ENOENT);
    };
    look(t);
    t.outside(|t| {
        let thread = t.thread(move |t| {
            look(t);
            t.rename_thread(c"worker-1");
            look(t);
            t.rename_thread(c"fifteen-letters");
            look(t);
            t.rename_thread(c"odd \"name\";,\\");
            look(t);
        });
        thread.join();
    });
    look(t);
    t.rename_thread(c"leader");
    look(t);
    t.child_and_wait(move |t| {
        look(t);
        t.rename_thread(c"child");
        look(t);
    });
    look(t);
}

/// Waits until the kernel shows that thread of this process blocked in `read`; its id.
pub(super) fn wait_until_it_reads(tid: &AtomicU32) -> u32 {
    wait_until_blocked(tid, READ.nr)
}

/// Waits until the kernel shows that thread of this process (or that process) blocked in a call; its id.
pub(super) fn wait_until_blocked(tid: &AtomicU32, nr: libc::c_long) -> u32 {
    let in_call = format!("{nr} ");
    loop {
        // Once the call is left, the thread is `running` here.
        let id = tid.load(Ordering::Acquire);
        match std::fs::read_to_string(format!("/proc/{id}/syscall")) {
            Ok(now) if id != 0 && now.starts_with(&in_call) => return id,
            _ => std::thread::yield_now(),
        }
    }
}

pub(super) fn make_pipe(t: &Tape) -> ([i32; 2], String) {
    let mut ends = [0i32; 2];
    assert_eq!(sys::call(PIPE2.nr, args![&mut ends, 0]), 0, "pipe2");
    let name = t.proc_name(ends[0]);
    (ends, name)
}

fn signal(t: &Tape, tid: u32) {
    let ret = sys::call(libc::SYS_tgkill, args![t.ids().0, tid, SIGUSR1]);
    assert_eq!(ret, 0, "tgkill");
}

const ERESTARTSYS: i64 = 512;

fn planned_restart(t: &mut Tape, read: i32, pipe: &str) {
    let call = t.planned(READ, Some(-ERESTARTSYS), read, pipe, "kernel");
    call.errno = Some("ERESTARTSYS".to_owned());
}

/// A signal interrupts a blocked `read`, which is then restarted: a second row.
pub fn restarted(t: &mut Tape) {
    t.outside(|t| {
        let ([read, write], pipe) = make_pipe(t);
        sys::handle_usr1(write, SA_RESTART);
        let tid = Arc::new(AtomicU32::new(0));
        let shared = Arc::clone(&tid);
        let thread = t.thread(move |t| {
            planned_restart(t, read, &pipe);
            t.planned(WRITE, Some(1), write, &pipe, "kernel");
            t.planned(READ, Some(1), read, &pipe, "kernel");
            shared.store(t.ids().1, Ordering::Release);
            let ret = sys::call(READ.nr, args![read, &mut [0u8; 8], 8]);
            assert_eq!(ret, 1, "restarted read");
        });
        signal(t, wait_until_it_reads(&tid));
        thread.join();
    });
}

/// Without a restart the program sees EINTR, the kernel's exit still the restart code.
pub fn interrupted(t: &mut Tape) {
    t.outside(|t| {
        let ([read, _write], pipe) = make_pipe(t);
        sys::handle_usr1(-1, 0);
        let tid = Arc::new(AtomicU32::new(0));
        let shared = Arc::clone(&tid);
        let thread = t.thread(move |t| {
            planned_restart(t, read, &pipe);
            shared.store(t.ids().1, Ordering::Release);
            let ret = sys::call(READ.nr, args![read, &mut [0u8; 8], 8]);
            assert_eq!(ret, -i64::from(libc::EINTR), "interrupted read");
        });
        signal(t, wait_until_it_reads(&tid));
        thread.join();
    });
}

/// The number of a blocked read's descriptor is given to another file: the row names the file that was read.
pub fn blocked_while_reused(t: &mut Tape) {
    t.outside(|t| {
        let ([read, write], pipe) = make_pipe(t);
        let flags = O_CREAT | O_RDWR;
        let other = sys::call(OPEN.nr, args![c"other", flags, 0o644]) as i32;
        assert!(other >= 0, "open: {other}");
        let tid = Arc::new(AtomicU32::new(0));
        let shared = Arc::clone(&tid);
        let thread = t.thread(move |t| {
            shared.store(t.ids().1, Ordering::Release);
            t.fd(READ, read, &pipe, args![read, &mut [0u8; 8], 8]).is(4);
            t.fd(WRITE, read, "other", args![read, b"now", 3]).is(3);
        });
        wait_until_it_reads(&tid);
        assert_eq!(
            sys::call(DUP2.nr, args![other, read]),
            i64::from(read),
            "dup2"
        );
        sys::call(WRITE.nr, args![write, b"wake", 4]);
        thread.join();
    });
}

/// Three signals, three restarts of one `read`; each handler writes to another pipe. A restart is no error.
pub fn restarted_thrice(t: &mut Tape) {
    t.outside(|t| {
        let ([read, write], pipe) = make_pipe(t);
        let ([said, say], other) = make_pipe(t);
        sys::handle_usr1(say, SA_RESTART);
        let tid = Arc::new(AtomicU32::new(0));
        let shared = Arc::clone(&tid);
        let thread = t.thread(move |t| {
            for _ in 0..3 {
                planned_restart(t, read, &pipe);
                t.planned(WRITE, Some(1), say, &other, "kernel");
            }
            t.planned(READ, Some(1), read, &pipe, "kernel");
            shared.store(t.ids().1, Ordering::Release);
            let ret = sys::call(READ.nr, args![read, &mut [0u8; 8], 8]);
            assert_eq!(ret, 1, "restarted read");
        });
        for _ in 0..3 {
            signal(t, wait_until_it_reads(&tid));
            let ret = sys::call(READ.nr, args![said, &mut [0u8; 8], 1]);
            assert_eq!(ret, 1, "the handler's byte");
        }
        wait_until_it_reads(&tid);
        assert_eq!(sys::call(WRITE.nr, args![write, b"!", 1]), 1, "write");
        thread.join();
    });
    t.path(ACCESS, "missing", args![c"missing", libc::F_OK])
        .fails(ENOENT);
}

/// `nanosleep` is not traced, also where a signal interrupts it; what the handler does is.
pub fn interrupted_sleep(t: &mut Tape) {
    const FOR_EVER: [i64; 2] = [1_000_000_000, 0];
    t.path(ACCESS, "missing", args![c"missing", libc::F_OK])
        .fails(ENOENT);
    assert_eq!(sys::call(libc::SYS_nanosleep, args![&[0i64, 1], 0]), 0);
    t.path(ACCESS, "/", args![c"/", libc::F_OK]).is(0);
    t.outside(|t| {
        let ([_read, write], pipe) = make_pipe(t);
        sys::handle_usr1(write, SA_RESTART);
        let tid = Arc::new(AtomicU32::new(0));
        let shared = Arc::clone(&tid);
        let thread = t.thread(move |t| {
            t.planned(WRITE, Some(1), write, &pipe, "kernel");
            shared.store(t.ids().1, Ordering::Release);
            let ret = sys::call(libc::SYS_nanosleep, args![&FOR_EVER, 0]);
            assert_eq!(ret, -i64::from(libc::EINTR), "interrupted sleep");
            t.path(ACCESS, "/", args![c"/", libc::F_OK]).is(0);
        });
        signal(t, wait_until_blocked(&tid, libc::SYS_nanosleep));
        thread.join();
    });
}

/// A thread that changes the processor after every call: its rows come through different rings.
pub fn migrating(t: &mut Tape) {
    let allowed = sys::processors();
    let allowed: Vec<usize> = (0..allowed.len() * 64)
        .filter(|cpu| allowed[cpu / 64] & 1 << (cpu % 64) != 0)
        .collect();
    if allowed.len() < 2 {
        eprintln!("SKIPPED: there is one processor only, no thread can migrate");
    }
    let fd = t.open(OPEN, "w", args![c"w", O_CREAT | O_RDWR, 0o644]).ok() as i32;
    for (offset, cpu) in (0..20_000).zip(allowed.iter().cycle()) {
        sys::run_on(*cpu);
        t.fd(WRITE, fd, "w", args![fd, b"x", 1])
            .offset(offset)
            .is(1);
    }
    t.fd(CLOSE, fd, "w", args![fd]).is(0);
}
