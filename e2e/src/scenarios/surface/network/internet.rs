//! Internet sockets, in a network namespace that has nothing but a loopback device.

use libc::{AF_INET, AF_UNSPEC, EADDRNOTAVAIL, ECONNREFUSED, EINPROGRESS, EISCONN, ENOTCONN};
use libc::{IPPROTO_TCP, SHUT_RD, SO_ERROR, SOCK_DGRAM, SOCK_NONBLOCK, SOCK_STREAM, SOL_SOCKET};
use libc::{MSG_DONTWAIT, TCP_NODELAY};

use super::socket;
use crate::args;
use crate::sys::*;
use crate::tape::Tape;

/// A `struct sockaddr_in` whose port the kernel chooses.
fn address(host: [u8; 4]) -> [u8; 16] {
    let mut address = [0; 16];
    address[..2].copy_from_slice(&(AF_INET as u16).to_ne_bytes());
    address[4..8].copy_from_slice(&host);
    address
}

/// Gives the calling process a network of its own, with the loopback device up.
fn own_network() {
    let ret = call(libc::SYS_unshare, args![libc::CLONE_NEWNET]);
    assert_eq!(ret, 0, "unshare");
    let fd = call(SOCKET.nr, args![AF_INET, SOCK_DGRAM, 0]);
    let mut request = [0u8; 40];
    request[..2].copy_from_slice(b"lo");
    request[16..18].copy_from_slice(&(libc::IFF_UP as u16).to_ne_bytes());
    let ret = call(IOCTL.nr, args![fd, libc::SIOCSIFFLAGS, &request]);
    assert_eq!(ret, 0, "loopback device up");
    call(CLOSE.nr, args![fd]);
}

/// Runs `body` in a child with a network of its own.
fn in_own_network(t: &mut Tape, body: fn(&mut Tape)) {
    t.apart(|t| {
        t.outside(|_| own_network());
        body(t);
    });
}

/// A TCP connection, one that is refused, and one made without waiting.
pub fn stream(t: &mut Tape) {
    in_own_network(t, |t| {
        let (bound, length) = (&mut [0u8; 16], &mut [16i32]);
        let (server, server_name) = socket(t, AF_INET, SOCK_STREAM);
        let far = address([192, 0, 2, 1]);
        t.fd(BIND, server, &server_name, args![server, &far, 16])
            .fails(EADDRNOTAVAIL);
        let any = address([127, 0, 0, 1]);
        t.fd(BIND, server, &server_name, args![server, &any, 16])
            .is(0);
        let args = args![server, &mut *bound, &mut *length];
        t.fd(GETSOCKNAME, server, &server_name, args).is(0);
        let (early, early_name) = socket(t, AF_INET, SOCK_STREAM);
        t.fd(CONNECT, early, &early_name, args![early, &*bound, 16])
            .fails(ECONNREFUSED);
        t.fd(CLOSE, early, &early_name, args![early]).is(0);
        t.fd(LISTEN, server, &server_name, args![server, 4]).is(0);

        let peer = &mut [0u8; 16];
        let (client, client_name) = socket(t, AF_INET, SOCK_STREAM);
        let args = args![client, IPPROTO_TCP, TCP_NODELAY, &[1i32], 4];
        t.fd(SETSOCKOPT, client, &client_name, args).is(0);
        t.fd(CONNECT, client, &client_name, args![client, &*bound, 16])
            .is(0);
        t.fd(CONNECT, client, &client_name, args![client, &*bound, 16])
            .fails(EISCONN);
        let accepted = t.fd(ACCEPT, server, &server_name, args![server, 0, 0]).ok() as i32;
        let name = t.outside(|t| t.proc_name(accepted));
        let args = args![client, &mut *peer, &mut *length];
        t.fd(GETPEERNAME, client, &client_name, args).is(0);
        t.fd(WRITE, client, &client_name, args![client, b"stream", 6])
            .is(6);
        t.fd(READ, accepted, &name, args![accepted, &mut [0u8; 6], 6])
            .is(6);
        t.fd(SHUTDOWN, accepted, &name, args![accepted, SHUT_RD])
            .is(0);
        t.fd(SHUTDOWN, server, &server_name, args![server, 99])
            .fails(libc::EINVAL);
        t.fd(CLOSE, accepted, &name, args![accepted]).is(0);
        t.fd(CLOSE, client, &client_name, args![client]).is(0);

        let (client, client_name) = socket(t, AF_INET, SOCK_STREAM | SOCK_NONBLOCK);
        t.fd(SHUTDOWN, client, &client_name, args![client, SHUT_RD])
            .fails(ENOTCONN);
        t.fd(CONNECT, client, &client_name, args![client, &*bound, 16])
            .fails(EINPROGRESS);
        let args = args![server, 0, 0, SOCK_NONBLOCK];
        let accepted = t.fd(ACCEPT4, server, &server_name, args).ok() as i32;
        let name = t.outside(|t| t.proc_name(accepted));
        let (error, size) = (&mut [-1i32], &mut [4i32]);
        let args = args![client, SOL_SOCKET, SO_ERROR, &mut *error, &mut *size];
        t.fd(GETSOCKOPT, client, &client_name, args).is(0);
        t.fd(CLOSE, accepted, &name, args![accepted]).is(0);
        t.fd(CLOSE, client, &client_name, args![client]).is(0);
        t.fd(CLOSE, server, &server_name, args![server]).is(0);
    });
}

/// UDP: sent to an address, to a connected one, and to one that was left again.
pub fn datagrams(t: &mut Tape) {
    in_own_network(t, |t| {
        let (bound, length) = (&mut [0u8; 16], &mut [16i32]);
        let (server, server_name) = socket(t, AF_INET, SOCK_DGRAM);
        let (client, client_name) = socket(t, AF_INET, SOCK_DGRAM);
        t.fd(
            BIND,
            server,
            &server_name,
            args![server, &address([127, 0, 0, 2]), 16],
        )
        .is(0);
        let args = args![server, &mut *bound, &mut *length];
        t.fd(GETSOCKNAME, server, &server_name, args).is(0);
        let args = args![client, b"to", 2, 0, &*bound, 16];
        t.fd(SENDTO, client, &client_name, args).requested(2).is(2);
        t.fd(CONNECT, client, &client_name, args![client, &*bound, 16])
            .is(0);
        t.fd(WRITE, client, &client_name, args![client, b"connected", 9])
            .is(9);
        let apart = [AF_UNSPEC as u16, 0, 0, 0, 0, 0, 0, 0];
        t.fd(CONNECT, client, &client_name, args![client, &apart, 16])
            .is(0);
        t.fd(WRITE, client, &client_name, args![client, b"nobody", 6])
            .fails(libc::EDESTADDRREQ);
        let buffer = &mut [0u8; 9];
        for length in [2, 9] {
            let args = args![server, &mut *buffer, 9, 0, 0, 0];
            t.fd(RECVFROM, server, &server_name, args)
                .requested(9)
                .is(length);
        }
        let args = args![server, &mut *buffer, 9, MSG_DONTWAIT, 0, 0];
        t.fd(RECVFROM, server, &server_name, args)
            .fails(libc::EAGAIN);
        t.fd(LISTEN, server, &server_name, args![server, 4])
            .fails(libc::EOPNOTSUPP);
        t.fd(ACCEPT, server, &server_name, args![server, 0, 0])
            .fails(libc::EOPNOTSUPP);
        t.fd(CLOSE, client, &client_name, args![client]).is(0);
        t.fd(CLOSE, server, &server_name, args![server]).is(0);
    });
}
