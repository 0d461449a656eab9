//! Sockets, as far as they read and write: sends, receives, and descriptors that travel.

use libc::{AF_UNIX, EAFNOSUPPORT, EAGAIN, EBADF, ENOTCONN, ENOTSOCK, MSG_DONTWAIT, MSG_PEEK};
use libc::{MSG_TRUNC, O_CREAT, O_RDWR, SOCK_DGRAM, SOCK_STREAM};

use super::files::CLOSED;
use crate::args;
use crate::oracle::Name;
use crate::sys::{self, *};
use crate::tape::Tape;

/// A connected pair made outside the bracket: both descriptors and names.
fn pair(t: &mut Tape) -> ([i32; 2], [String; 2]) {
    let ends = &mut [0i32; 2];
    t.outside(|t| {
        let ret = sys::call(
            libc::SYS_socketpair,
            args![AF_UNIX, SOCK_DGRAM, 0, &mut *ends],
        );
        assert_eq!(ret, 0, "socketpair");
        (*ends, [t.proc_name(ends[0]), t.proc_name(ends[1])])
    })
}

/// `socket`, `sendto`, `recvfrom`, `sendmsg`, `recvmsg`.
pub fn socket(t: &mut Tape) {
    let buffer = &mut [0u8; 64];
    let lone = t.create(SOCKET, "", args![AF_UNIX, SOCK_STREAM, 0]).ok() as i32;
    let lone_name = t.outside(|t| t.proc_name(lone));
    t.last().file = Some(Name::Text(lone_name.clone()));
    t.create(SOCKET, "", args![9999, SOCK_STREAM, 0])
        .fails(EAFNOSUPPORT);
    t.fd(SENDTO, lone, &lone_name, args![lone, b"no", 2, 0, 0, 0])
        .fails(ENOTCONN);
    t.fd(CLOSE, lone, &lone_name, args![lone]).is(0);

    let ([one, two], [one_name, two_name]) = pair(t);
    t.fd(SENDTO, one, &one_name, args![one, b"hello", 5, 0, 0, 0])
        .requested(5)
        .is(5);
    t.fd(
        RECVFROM,
        two,
        &two_name,
        args![two, &mut *buffer, 64, 0, 0, 0],
    )
    .requested(64)
    .is(5);
    t.fd(
        RECVFROM,
        two,
        &two_name,
        args![two, &mut *buffer, 64, MSG_DONTWAIT, 0, 0],
    )
    .fails(EAGAIN);
    let (mut first, mut second) = ([1u8; 10], [2u8; 20]);
    let iovec = sys::iovec(&mut [&mut first, &mut second]);
    let message = &mut sys::msghdr(&iovec);
    t.fd(SENDMSG, one, &one_name, args![one, &mut *message, 0])
        .is(30);
    t.fd(RECVMSG, two, &two_name, args![two, &mut *message, 0])
        .is(30);
    t.fd(
        RECVMSG,
        two,
        &two_name,
        args![two, &mut *message, MSG_DONTWAIT],
    )
    .fails(EAGAIN);
    // Plain reads and writes work on sockets too.
    t.fd(WRITE, one, &one_name, args![one, b"plain", 5]).is(5);
    t.fd(READ, two, &two_name, args![two, &mut *buffer, 64])
        .is(5);
    t.fd(CLOSE, one, &one_name, args![one]).is(0);
    t.fd(CLOSE, two, &two_name, args![two]).is(0);

    for sys in [SENDTO, RECVFROM] {
        t.fd(sys, CLOSED, "", args![CLOSED, &mut *buffer, 5, 0, 0, 0])
            .fails(EBADF);
    }
    for sys in [SENDMSG, RECVMSG] {
        t.fd(sys, CLOSED, "", args![CLOSED, &mut *message, 0])
            .fails(EBADF);
    }
    let file = t.open(OPEN, "f", args![c"f", O_CREAT | O_RDWR, 0o644]).ok() as i32;
    t.fd(SENDTO, file, "f", args![file, b"no", 2, 0, 0, 0])
        .fails(ENOTSOCK);
    t.fd(CLOSE, file, "f", args![file]).is(0);
}

/// A peeked message counts no bytes, a truncated one at most the buffer.
pub fn peek_and_truncate(t: &mut Tape) {
    let buffer = &mut [0u8; 64];
    let ([one, two], [one_name, two_name]) = pair(t);
    t.fd(
        SENDTO,
        one,
        &one_name,
        args![one, b"0123456789", 10, 0, 0, 0],
    )
    .is(10);
    t.fd(
        RECVFROM,
        two,
        &two_name,
        args![two, &mut *buffer, 64, MSG_PEEK, 0, 0],
    )
    .bytes(0)
    .is(10);
    t.fd(
        RECVFROM,
        two,
        &two_name,
        args![two, &mut *buffer, 4, MSG_TRUNC, 0, 0],
    )
    .bytes(4)
    .is(10);
    t.fd(
        SENDTO,
        one,
        &one_name,
        args![one, b"0123456789", 10, 0, 0, 0],
    )
    .is(10);
    let mut short = [0u8; 4];
    let iovec = sys::iovec(&mut [&mut short]);
    let message = &mut sys::msghdr(&iovec);
    t.fd(RECVMSG, two, &two_name, args![two, &mut *message, MSG_PEEK])
        .bytes(0)
        .is(4);
    t.fd(
        RECVMSG,
        two,
        &two_name,
        args![two, &mut *message, MSG_TRUNC],
    )
    .bytes(4)
    .is(10);
    t.fd(CLOSE, one, &one_name, args![one]).is(0);
    t.fd(CLOSE, two, &two_name, args![two]).is(0);
}

/// A descriptor received by SCM_RIGHTS carries its file's name.
pub fn sent_by_socket(t: &mut Tape) {
    let ([one, two], [one_name, two_name]) = pair(t);
    let receiver_name = two_name.clone();
    let child = t.child(move |t| {
        let mut byte = [0u8; 1];
        let iovec = sys::iovec(&mut [&mut byte]);
        let mut control = [0u64; 3];
        let mut message = sys::msghdr(&iovec);
        message[4] = control.as_mut_ptr() as usize;
        message[5] = 24;
        t.fd(RECVMSG, two, &receiver_name, args![two, &mut message, 0])
            .is(1);
        let fd = (control[2] & 0xffff_ffff) as i32;
        t.fd(WRITE, fd, "sent", args![fd, b"received", 8])
            .offset(4)
            .is(8);
        t.fd(CLOSE, fd, "sent", args![fd]).is(0);
    });
    let fd = t
        .open(OPEN, "sent", args![c"sent", O_CREAT | O_RDWR, 0o644])
        .ok() as i32;
    t.fd(WRITE, fd, "sent", args![fd, b"mine", 4])
        .offset(0)
        .is(4);
    let mut byte = [7u8; 1];
    let iovec = sys::iovec(&mut [&mut byte]);
    let rights = (libc::SOL_SOCKET as u64) | ((libc::SCM_RIGHTS as u64) << 32);
    let control = [20u64, rights, fd as u64];
    let mut message = sys::msghdr(&iovec);
    message[4] = control.as_ptr() as usize;
    message[5] = 24;
    t.fd(SENDMSG, one, &one_name, args![one, &mut message, 0])
        .is(1);
    t.fd(CLOSE, fd, "sent", args![fd]).is(0);
    assert_eq!(sys::wait(child), 0, "exit status of the receiver");
    t.fd(CLOSE, one, &one_name, args![one]).is(0);
    t.fd(CLOSE, two, &two_name, args![two]).is(0);
}
