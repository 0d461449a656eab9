//! Calls that have not returned, or took long.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::args;
use crate::sys::{self, *};
use crate::tape::Tape;

use super::threads::{make_pipe, wait_until_it_reads};

/// A child and a thread blocked in `read` until standard input ends: says who they are, as `blocked PID TID PID PIPE`
/// (the process, its thread, the child). The child keeps the pipe's other end, so that it stays blocked when its parent
/// is killed. The reads are not stated: they return after the trace.
pub fn in_flight(t: &mut Tape) {
    let ([read, write], pipe) = t.outside(|t| make_pipe(t));
    let child = t.child(|t| {
        t.path(ACCESS, "/", args![c"/", libc::F_OK]).is(0);
        t.commit();
        sys::call(READ.nr, args![read, &mut [0u8; 1], 1]);
        t.end();
    });
    t.outside(|t| {
        let tid = Arc::new(AtomicU32::new(0));
        let shared = Arc::clone(&tid);
        let thread = t.thread(move |t| {
            t.path(ACCESS, "/", args![c"/", libc::F_OK]).is(0);
            t.commit();
            shared.store(t.ids().1, Ordering::Release);
            sys::call(READ.nr, args![read, &mut [0u8; 1], 1]);
            t.end();
        });
        wait_until_it_reads(&AtomicU32::new(child as u32));
        let tid = wait_until_it_reads(&tid);
        t.flush();
        sys::say(&format!("blocked {} {tid} {child} {pipe}", t.ids().0));
        // struct pollfd: descriptor 0, events POLLIN.
        let mut poll = [0i32, i32::from(libc::POLLIN)];
        sys::call(libc::SYS_poll, args![&mut poll, 1, -1]);
        sys::call(WRITE.nr, args![write, b"!", 1]);
        sys::call(WRITE.nr, args![write, b"!", 1]);
        thread.join();
        assert_eq!(sys::wait(child), 0, "exit status");
    });
}

/// What [`slow_read`] takes at least.
pub const SLOW_NS: u64 = 30_000_000;

/// One `read` that takes at least [`SLOW_NS`] by the clock, between quick calls.
pub fn slow_read(t: &mut Tape) {
    t.outside(|t| {
        let ([read, write], pipe) = make_pipe(t);
        let tid = Arc::new(AtomicU32::new(0));
        let shared = Arc::clone(&tid);
        let thread = t.thread(move |t| {
            t.path(ACCESS, "/", args![c"/", libc::F_OK]).is(0);
            shared.store(t.ids().1, Ordering::Release);
            t.fd(READ, read, &pipe, args![read, &mut [0u8; 8], 8]).is(4);
            t.path(ACCESS, "/", args![c"/", libc::F_OK]).is(0);
        });
        wait_until_it_reads(&tid);
        let blocked_ns = sys::now_ns();
        while sys::now_ns() - blocked_ns < SLOW_NS {
            std::thread::yield_now();
        }
        assert_eq!(sys::call(WRITE.nr, args![write, b"wake", 4]), 4, "write");
        thread.join();
    });
}
