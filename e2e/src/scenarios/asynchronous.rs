//! Submitting calls of io_uring and of the older asynchronous I/O, as calls; their operations are no rows.

use libc::{EBADF, EFAULT, EINVAL, O_CREAT, O_RDWR};

use super::files::CLOSED;
use crate::args;
use crate::sys::*;
use crate::tape::Tape;

const RING: &str = "anon_inode:[io_uring]";
const IORING_REGISTER_PROBE: i32 = 8;

/// `io_uring_setup`, `io_uring_enter`, `io_uring_register`; where the machine forbids rings, that answer is stated.
pub fn io_uring(t: &mut Tape) {
    let parameters = &mut [0u32; 30];
    let ring = t
        .create(IO_URING_SETUP, RING, args![8, &mut *parameters])
        .done() as i32;
    t.create(IO_URING_SETUP, RING, args![8, 8]).done();
    if ring >= 0 {
        t.fd(IO_URING_ENTER, ring, RING, args![ring, 0, 0, 0, 0, 0])
            .is(0);
        t.fd(IO_URING_ENTER, ring, RING, args![ring, 0, 0, 1 << 30, 0, 0])
            .fails(EINVAL);
        let probe = &mut [0u64; 128];
        let args = args![ring, IORING_REGISTER_PROBE, &mut *probe, 16];
        t.fd(IO_URING_REGISTER, ring, RING, args).is(0);
        t.fd(IO_URING_REGISTER, ring, RING, args![ring, 9999, 0, 0])
            .fails(EINVAL);
        t.fd(CLOSE, ring, RING, args![ring]).is(0);
    }
    t.fd(IO_URING_ENTER, CLOSED, "", args![CLOSED, 0, 0, 0, 0, 0])
        .done();
    t.fd(
        IO_URING_REGISTER,
        CLOSED,
        "",
        args![CLOSED, IORING_REGISTER_PROBE, 0, 0],
    )
    .done();
}

/// `io_setup`, `io_submit`, `io_getevents`, `io_destroy`.
pub fn aio(t: &mut Tape) {
    let context = &mut [0u64; 1];
    t.bare(IO_SETUP, args![4, &mut *context]).is(0);
    t.bare(IO_SETUP, args![0, &mut [0u64; 1]]).fails(EINVAL);
    let id = context[0] as i64;
    let fd = t.open(OPEN, "f", args![c"f", O_CREAT | O_RDWR, 0o644]).ok() as i32;
    let data = [b'a'; 100];
    // struct iocb: data, key and flags, opcode/priority/descriptor, buffer, length, offset, reserved, flags.
    let opcode_pwrite = 1u64;
    let descriptor = opcode_pwrite | (fd as u64) << 32;
    let operation = [0u64, 0, descriptor, data.as_ptr() as u64, 100, 0, 0, 0];
    let list = [operation.as_ptr() as usize];
    t.bare(IO_SUBMIT, args![id, 1, &list]).is(1);
    t.bare(IO_SUBMIT, args![id, -1, &list]).fails(EINVAL);
    t.bare(IO_GETEVENTS, args![id, 1, 1, &mut [0u64; 4], 0])
        .timeout_ns(-1)
        .is(1);
    t.bare(IO_GETEVENTS, args![id, 2, 1, &mut [0u64; 4], 0])
        .timeout_ns(-1)
        .fails(EINVAL);
    t.bare(IO_SUBMIT, args![id, 1, 8]).fails(EFAULT);
    t.bare(IO_DESTROY, args![id]).is(0);
    t.bare(IO_DESTROY, args![id]).fails(EINVAL);
    t.fd(CLOSE, fd, "f", args![fd]).is(0);
    t.fd(CLOSE, fd, "", args![fd]).fails(EBADF);
}
