//! Many calls: for exact totals, full rings, and runs that someone else ends.

use libc::{O_APPEND, O_CREAT, O_RDWR, O_TRUNC, O_WRONLY};

use crate::args;
use crate::sys::{self, *};
use crate::tape::Tape;

fn writes(t: &mut Tape, fd: i32, file: &str, count: u64) {
    t.fd(WRITE, fd, file, args![fd, b"x", 1]).is(1);
    t.last().repeat = count;
    for _ in 1..count {
        assert_eq!(sys::call(WRITE.nr, args![fd, b"x", 1]), 1, "write");
    }
}

/// 1,000,000 one-byte writes by one thread.
pub fn writes_1000000(t: &mut Tape) {
    let fd = t
        .open(OPEN, "w", args![c"w", O_CREAT | O_WRONLY, 0o644])
        .ok() as i32;
    writes(t, fd, "w", 1_000_000);
    t.fd(CLOSE, fd, "w", args![fd]).is(0);
}

/// Likewise 5,000,000: some seconds at full speed.
pub fn writes_5000000(t: &mut Tape) {
    let fd = t
        .open(OPEN, "w", args![c"w", O_CREAT | O_WRONLY, 0o644])
        .ok() as i32;
    writes(t, fd, "w", 5_000_000);
    t.fd(CLOSE, fd, "w", args![fd]).is(0);
}

/// 16 children, 62,500 one-byte writes each, to one file.
pub fn writers_16(t: &mut Tape) {
    let flags = O_CREAT | O_WRONLY | O_APPEND;
    let fd = t.open(OPEN, "w", args![c"w", flags, 0o644]).ok() as i32;
    let children = [(); 16].map(|()| t.child(|t| writes(t, fd, "w", 62_500)));
    for child in children {
        assert_eq!(sys::wait(child), 0, "exit status");
    }
    t.fd(CLOSE, fd, "w", args![fd]).is(0);
}

/// One file with 400,000 names one after the other, `n-0` and so on, and a write after each rename. Only the open is stated.
pub fn renames_400000(t: &mut Tape) {
    let name = |number: u32| std::ffi::CString::new(format!("n-{number}")).expect("no NUL");
    let mut old = name(0);
    let open = args![&old, O_CREAT | O_WRONLY, 0o644];
    let fd = t.open(OPEN, "n-0", open).ok() as i32;
    for number in 1..=400_000 {
        let new = name(number);
        assert_eq!(sys::call(RENAME.nr, args![&old, &new]), 0, "rename");
        assert_eq!(sys::call(WRITE.nr, args![fd, b"x", 1]), 1, "write");
        old = new;
    }
}

/// 10,000 distinct files, once again through names already seen.
pub fn distinct_10000(t: &mut Tape) {
    for number in 0..10_000 {
        let name = format!("file-{number:05}");
        let path = std::ffi::CString::new(name.clone()).expect("no NUL");
        let fd = t
            .open(OPEN, &name, args![&path, O_CREAT | O_WRONLY, 0o644])
            .ok() as i32;
        t.fd(WRITE, fd, &name, args![fd, b"distinct", 8]).is(8);
        t.fd(CLOSE, fd, &name, args![fd]).is(0);
    }
    for number in (0..10_000).step_by(100) {
        let name = format!("file-{number:05}");
        let path = std::ffi::CString::new(name.clone()).expect("no NUL");
        t.path(UNLINK, &name, args![&path]).is(0);
        t.path(UNLINK, &name, args![&path]).fails(libc::ENOENT);
    }
}

/// Waits up to `milliseconds` for standard input to end; whether it has.
fn input_ended(milliseconds: i32) -> bool {
    // struct pollfd: descriptor 0, events POLLIN.
    let mut poll = [0i32, i32::from(libc::POLLIN)];
    sys::call(libc::SYS_poll, args![&mut poll, 1, milliseconds]) != 0
}

fn say_running() {
    sys::call(WRITE.nr, args![1, b"running\n", 8]);
}

/// Writes at full speed until standard input ends; says so after the first 10,000.
pub fn endless(t: &mut Tape) {
    let flags = O_CREAT | O_RDWR | O_TRUNC;
    let fd = sys::call(OPEN.nr, args![c"endless", flags, 0o644]);
    t.end();
    for round in 0.. {
        for _ in 0..1000 {
            sys::call(libc::SYS_pwrite64, args![fd, b"x", 1, 0]);
        }
        if round == 10 {
            say_running();
        }
        if input_ended(0) {
            return;
        }
    }
}

/// The process beside the traced one: much of everything, with the same names, and none of it may be recorded.
pub fn noise(_: &mut Tape) {
    for round in 0.. {
        let flags = O_CREAT | O_RDWR | O_TRUNC;
        for name in [c"a", c"f", c"data", c"noise"] {
            let fd = sys::call(OPEN.nr, args![name, flags, 0o644]);
            sys::call(WRITE.nr, args![fd, b"noise", 5]);
            sys::call(READ.nr, args![fd, &mut [0u8; 8], 8]);
            sys::call(CLOSE.nr, args![fd]);
            sys::call(NEWSTAT.nr, args![c"missing", &mut [0u8; 256]]);
        }
        if round == 0 {
            say_running();
        }
        if input_ended(1) {
            return;
        }
    }
}
