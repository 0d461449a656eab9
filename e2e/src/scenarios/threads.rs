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
                    t.fd(WRITE, fd, &name, args![fd, b"round", 5]).offset(0).is(5);
                    t.fd(PREAD64, fd, &name, args![fd, &mut [0u8; 9], 9, round]).done();
                    t.fd(CLOSE, fd, &name, args![fd]).is(0);
                }
                t.path(UNLINK, &name, args![&path]).is(0);
                t.path(UNLINK, &name, args![&path]).fails(ENOENT);
            })
        });
        threads.into_iter().for_each(Thread::join);
    });
    t.path(ACCESS, "missing", args![c"missing", libc::F_OK]).fails(ENOENT);
}

/// A new name counts from the next call on, for that thread only.
pub fn renamed_thread(t: &mut Tape) {
    let look = |t: &mut Tape| {
        t.path(ACCESS, "/", args![c"/", libc::F_OK]).is(0);
        t.path(ACCESS, "missing", args![c"missing", libc::F_OK]).fails(ENOENT);
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

/// A thread blocked in `read`, and what to do to it: returns once the kernel shows it in that call.
fn wait_until_it_reads(tid: &AtomicU32) -> u32 {
    let in_read = format!("{} ", READ.nr);
    loop {
        let id = tid.load(Ordering::Acquire);
        let path = format!("/proc/self/task/{id}/syscall");
        match std::fs::read_to_string(path) {
            Ok(now) if id != 0 && now.starts_with(&in_read) => return id,
            _ => std::thread::yield_now(),
        }
    }
}

fn make_pipe(t: &Tape) -> ([i32; 2], String) {
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
        assert_eq!(sys::call(DUP2.nr, args![other, read]), i64::from(read), "dup2");
        sys::call(WRITE.nr, args![write, b"wake", 4]);
        thread.join();
    });
}
