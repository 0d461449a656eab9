//! Calls that move bytes from one descriptor to another: `fd` and `file` are the destination, `old_file` the source.

use libc::{EBADF, EINVAL, O_CREAT, O_RDONLY, O_RDWR, O_WRONLY};

use super::files::CLOSED;
use super::make_file;
use crate::args;
use crate::sys::*;
use crate::tape::Tape;

/// `sendfile64`, `copy_file_range`, `splice`, `tee`.
pub fn two_descriptors(t: &mut Tape) {
    let (one, two) = (&mut [0i32; 2], &mut [0i32; 2]);
    let (one_name, two_name) = t.outside(|t| {
        make_file(t, "src", 1000);
        for ends in [&mut *one, &mut *two] {
            let ret = call(PIPE2.nr, args![ends, libc::O_NONBLOCK]);
            assert_eq!(ret, 0, "pipe2");
        }
        (t.proc_name(one[0]), t.proc_name(two[0]))
    });
    let src = t.open(OPEN, "src", args![c"src", O_RDONLY]).ok() as i32;
    let dst = t
        .open(OPEN, "dst", args![c"dst", O_CREAT | O_WRONLY, 0o644])
        .ok() as i32;
    through_memory(t, src, dst);
    through_pipes(t, src, dst, (*one, &one_name), (*two, &two_name));
    t.fd(CLOSE, src, "src", args![src]).is(0);
    t.fd(CLOSE, dst, "dst", args![dst]).is(0);
}

/// From file to file.
fn through_memory(t: &mut Tape, src: i32, dst: i32) {
    t.two_fds(SENDFILE64, dst, "dst", "src", args![dst, src, 0, 600])
        .requested(600)
        .is(600);
    t.two_fds(SENDFILE64, dst, "dst", "src", args![dst, src, 0, 600])
        .requested(600)
        .is(400);
    t.two_fds(SENDFILE64, dst, "dst", "src", args![dst, src, 0, 600])
        .is(0);
    t.two_fds(SENDFILE64, src, "src", "dst", args![src, dst, 0, 600])
        .fails(EBADF);
    t.two_fds(SENDFILE64, dst, "dst", "", args![dst, CLOSED, 0, 600])
        .fails(EBADF);
    t.two_fds(SENDFILE64, CLOSED, "", "src", args![CLOSED, src, 0, 600])
        .any_name()
        .fails(EBADF);

    let (zero, zero_out) = (&mut [0i64], &mut [0i64]);
    t.two_fds(
        COPY_FILE_RANGE,
        dst,
        "dst",
        "src",
        args![src, &mut *zero, dst, zero_out, 300, 0],
    )
    .requested(300)
    .is(300);
    t.two_fds(
        COPY_FILE_RANGE,
        dst,
        "dst",
        "src",
        args![src, 0, dst, 0, 300, 99],
    )
    .fails(EINVAL);
    t.two_fds(
        COPY_FILE_RANGE,
        dst,
        "dst",
        "",
        args![CLOSED, 0, dst, 0, 300, 0],
    )
    .fails(EBADF);
}

/// Into a pipe, from there into another, and out of both.
fn through_pipes(t: &mut Tape, src: i32, dst: i32, one: ([i32; 2], &str), two: ([i32; 2], &str)) {
    let (([out1, in1], one_name), ([out2, in2], two_name)) = (one, two);
    t.two_fds(
        SPLICE,
        in1,
        one_name,
        "src",
        args![src, &mut [100i64], in1, 0, 200, 0],
    )
    .requested(200)
    .is(200);
    t.two_fds(TEE, in2, two_name, one_name, args![out1, in2, 150, 0])
        .requested(150)
        .is(150);
    t.two_fds(SPLICE, dst, "dst", one_name, args![out1, 0, dst, 0, 500, 0])
        .is(200);
    t.two_fds(SPLICE, dst, "dst", "src", args![src, 0, dst, 0, 10, 0])
        .fails(EINVAL);
    t.two_fds(SPLICE, dst, "dst", "", args![CLOSED, 0, dst, 0, 10, 0])
        .fails(EBADF);
    t.two_fds(TEE, in1, one_name, "src", args![src, in1, 10, 0])
        .fails(EINVAL);
    t.two_fds(TEE, in1, one_name, "", args![CLOSED, in1, 10, 0])
        .fails(EBADF);
    t.fd(READ, out2, two_name, args![out2, &mut [0u8; 256], 256])
        .is(150);
}

const BIG: i64 = 64 << 20;

/// The source of [`copy_64_mib`].
pub fn make_64_mib(t: &mut Tape) {
    make_file(t, "big", BIG as usize);
}

/// 64 MiB by `copy_file_range`, and again by `sendfile`.
pub fn copy_64_mib(t: &mut Tape) {
    for (sys, copy, path) in [(COPY_FILE_RANGE, "a", c"a"), (SENDFILE64, "b", c"b")] {
        let src = t.open(OPEN, "big", args![c"big", O_RDONLY]).ok() as i32;
        let dst = t
            .open(OPEN, copy, args![path, O_CREAT | O_RDWR, 0o644])
            .ok() as i32;
        let mut left = BIG;
        while left > 0 {
            let args = match sys.name {
                "sendfile64" => args![dst, src, 0, left, 0, 0],
                _ => args![src, 0, dst, 0, left, 0],
            };
            let moved = t
                .two_fds(sys, dst, copy, "big", args)
                .requested(left as u64)
                .ok();
            assert!(moved > 0, "{} ended early", sys.name);
            left -= moved;
        }
        t.fd(CLOSE, src, "big", args![src]).is(0);
        t.fd(CLOSE, dst, copy, args![dst]).is(0);
    }
}
