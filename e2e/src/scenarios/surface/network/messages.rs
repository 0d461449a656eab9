//! Many messages by one call, and the descriptors they carry.

use libc::{
    EAGAIN, EBADF, EFAULT, EINVAL, ENOTSOCK, MSG_DONTWAIT, MSG_WAITFORONE, O_CREAT, O_RDWR,
};
use libc::{MSG_CMSG_CLOEXEC, SOCK_DGRAM, SOCK_STREAM};

use super::pair;
use crate::args;
use crate::scenarios::files::CLOSED;
use crate::sys::{self, *};
use crate::tape::Tape;

/// A `struct mmsghdr` for these buffers.
fn header(iovec: &[[usize; 2]]) -> [usize; 8] {
    let mut header = [0; 8];
    header[..7].copy_from_slice(&sys::msghdr(iovec));
    header
}

/// `sendmmsg` and `recvmmsg`: the result counts messages, no bytes.
pub fn many(t: &mut Tape) {
    let (mut first, mut second) = ([1u8; 10], [2u8; 20]);
    let parts = [
        sys::iovec(&mut [&mut first]),
        sys::iovec(&mut [&mut second]),
    ];
    let mut messages = [header(&parts[0]), header(&parts[1])];
    let ([one, two], [one_name, two_name]) = pair(t, SOCK_DGRAM);
    let args = args![one, &mut messages, 2, 0];
    t.fd(SENDMMSG, one, &one_name, args).flags(0).is(2);
    assert_eq!(messages[1][7], 20, "length of the second message");
    let args = args![two, &mut messages, 2, MSG_DONTWAIT, 0];
    t.fd(RECVMMSG, two, &two_name, args)
        .flags(MSG_DONTWAIT)
        .timeout_ns(-1)
        .is(2);
    t.fd(RECVMMSG, two, &two_name, args)
        .flags(MSG_DONTWAIT)
        .timeout_ns(-1)
        .fails(EAGAIN);
    // The second message cannot be read: one was sent.
    let mut half = [messages[0], [8; 8]];
    let args = args![one, &mut half, 2, MSG_DONTWAIT];
    t.fd(SENDMMSG, one, &one_name, args)
        .flags(MSG_DONTWAIT)
        .is(1);
    let args = args![two, &mut messages, 2, MSG_WAITFORONE, 0];
    t.fd(RECVMMSG, two, &two_name, args)
        .flags(MSG_WAITFORONE)
        .timeout_ns(-1)
        .is(1);
    t.fd(SENDMMSG, one, &one_name, args![one, &mut messages, 0, 0])
        .flags(0)
        .is(0);
    t.fd(SENDMMSG, one, &one_name, args![one, 8, 1, 0])
        .flags(0)
        .fails(EFAULT);
    t.fd(RECVMMSG, two, &two_name, args![two, 8, 1, 0, 0])
        .flags(0)
        .timeout_ns(-1)
        .fails(EFAULT);
    let file = t.open(OPEN, "f", args![c"f", O_CREAT | O_RDWR, 0o644]).ok() as i32;
    for (fd, name, errno) in [(CLOSED, "", EBADF), (-1, "", EBADF), (file, "f", ENOTSOCK)] {
        t.fd(SENDMMSG, fd, name, args![fd, &mut messages, 1, 0])
            .flags(0)
            .fails(errno);
        t.fd(RECVMMSG, fd, name, args![fd, &mut messages, 1, 0, 0])
            .flags(0)
            .timeout_ns(-1)
            .fails(errno);
    }
    t.fd(CLOSE, file, "f", args![file]).is(0);
    t.fd(CLOSE, one, &one_name, args![one]).is(0);
    t.fd(CLOSE, two, &two_name, args![two]).is(0);
}

/// `recvmmsg` with every kind of timeout; the kernel writes back what is left of it.
pub fn timeouts(t: &mut Tape) {
    let mut data = [0u8; 10];
    let iovec = sys::iovec(&mut [&mut data]);
    let mut messages = [header(&iovec), header(&iovec)];
    let ([one, two], [one_name, two_name]) = pair(t, SOCK_DGRAM);
    let args = args![one, &mut messages, 2, 0];
    t.fd(SENDMMSG, one, &one_name, args).flags(0).is(2);
    // No time at all: the first message only.
    t.fd(
        RECVMMSG,
        two,
        &two_name,
        args![two, &mut messages, 2, 0, &mut [0i64, 0]],
    )
    .flags(0)
    .timeout_ns(0)
    .is(1);
    t.fd(
        RECVMMSG,
        two,
        &two_name,
        args![two, &mut messages, 1, 0, &mut [3i64, 500]],
    )
    .flags(0)
    .timeout_ns(3_000_000_500)
    .is(1);
    t.fd(
        RECVMMSG,
        two,
        &two_name,
        args![two, &mut messages, 2, MSG_DONTWAIT, &mut [0i64, 1_000_000]],
    )
    .flags(MSG_DONTWAIT)
    .timeout_ns(1_000_000)
    .fails(EAGAIN);
    for invalid in [[-1i64, 0], [0, -1], [0, 1_000_000_000]] {
        t.fd(
            RECVMMSG,
            two,
            &two_name,
            args![two, &mut messages, 2, 0, &invalid],
        )
        .flags(0)
        .timeout_ns(-2)
        .fails(EINVAL);
    }
    t.fd(RECVMMSG, two, &two_name, args![two, &mut messages, 2, 0, 8])
        .flags(0)
        .timeout_ns(-2)
        .fails(EFAULT);
    t.fd(
        RECVMMSG,
        CLOSED,
        "",
        args![CLOSED, &mut messages, 2, 0, &mut [1i64, 0]],
    )
    .flags(0)
    .timeout_ns(1_000_000_000)
    .fails(EBADF);
    t.fd(CLOSE, one, &one_name, args![one]).is(0);
    t.fd(CLOSE, two, &two_name, args![two]).is(0);
}

/// Room for control data of two descriptors.
const CONTROL: usize = 24;

/// Descriptors of a file, an unlinked file and a pipe travel together: the receiver never opened them.
pub fn descriptors(t: &mut Tape) {
    let ([one, two], [one_name, two_name]) = pair(t, SOCK_STREAM);
    let ([read, write], pipe) = t.outside(|t| crate::scenarios::threads::make_pipe(t));
    let receiver_name = two_name.clone();
    let receiver_pipe = pipe.clone();
    let receiver = t.child(move |t| {
        let mut bytes = [[0u8; 1]; 2];
        let [first, second] = &mut bytes;
        let iovecs = [sys::iovec(&mut [first]), sys::iovec(&mut [second])];
        let mut control = [[0u64; CONTROL / 8]; 2];
        let mut messages = [header(&iovecs[0]), header(&iovecs[1])];
        for (message, control) in messages.iter_mut().zip(&mut control) {
            message[4] = control.as_mut_ptr() as usize;
            message[5] = CONTROL;
        }
        let args = args![two, &mut messages, 2, MSG_CMSG_CLOEXEC, 0];
        t.fd(RECVMMSG, two, &receiver_name, args)
            .flags(MSG_CMSG_CLOEXEC)
            .timeout_ns(-1)
            .is(2);
        let halves = |word: u64| [word as u32 as i32, (word >> 32) as i32];
        let ([kept, gone], [write, _]) = (halves(control[0][2]), halves(control[1][2]));
        t.fd(WRITE, kept, "kept", args![kept, b"received", 8])
            .offset(4)
            .is(8);
        t.fd(WRITE, gone, "gone", args![gone, b"received", 8])
            .offset(0)
            .is(8);
        t.fd(FCNTL, gone, "gone", args![gone, libc::F_GETFD])
            .is(i64::from(libc::FD_CLOEXEC));
        t.fd(WRITE, write, &receiver_pipe, args![write, b"!", 1])
            .is(1);
        t.fd(CLOSE, kept, "kept", args![kept]).is(0);
        t.fd(CLOSE, gone, "gone", args![gone]).is(0);
        t.fd(WRITE, gone, "", args![gone, b"no", 2]).fails(EBADF);
    });
    let flags = O_CREAT | O_RDWR;
    let kept = t.open(OPEN, "kept", args![c"kept", flags, 0o644]).ok() as i32;
    t.fd(WRITE, kept, "kept", args![kept, b"mine", 4])
        .offset(0)
        .is(4);
    let gone = t.open(OPEN, "gone", args![c"gone", flags, 0o644]).ok() as i32;
    t.path(UNLINK, "gone", args![c"gone"]).is(0);
    let mut byte = [7u8; 1];
    let iovec = sys::iovec(&mut [&mut byte]);
    let rights = libc::SOL_SOCKET as u64 | (libc::SCM_RIGHTS as u64) << 32;
    let controls = [
        [24, rights, kept as u64 | (gone as u64) << 32],
        [20, rights, write as u64],
    ];
    let mut messages = [header(&iovec); 2];
    for (message, control) in messages.iter_mut().zip(&controls) {
        message[4] = control.as_ptr() as usize;
        message[5] = control[0] as usize;
    }
    let args = args![one, &mut messages, 2, 0];
    t.fd(SENDMMSG, one, &one_name, args).flags(0).is(2);
    t.fd(CLOSE, kept, "kept", args![kept]).is(0);
    t.fd(CLOSE, gone, "gone", args![gone]).is(0);
    t.fd(READ, read, &pipe, args![read, &mut [0u8; 1], 1]).is(1);
    assert_eq!(sys::wait(receiver), 0, "exit status of the receiver");
    for end in [read, write] {
        t.fd(CLOSE, end, &pipe, args![end]).is(0);
    }
    t.fd(CLOSE, one, &one_name, args![one]).is(0);
    t.fd(CLOSE, two, &two_name, args![two]).is(0);
}
