//! Sockets beyond sending and receiving.

mod internet;
mod messages;

use libc::{AF_INET, ENOPROTOOPT, ENOTCONN, ENOTSOCK, EOPNOTSUPP, EPIPE, O_CREAT, O_RDWR};
use libc::{AF_UNIX, EADDRINUSE, EAGAIN, EBADF, ECONNREFUSED, EFAULT, EINVAL, EISCONN, ENOENT};
use libc::{SHUT_RDWR, SHUT_WR, SO_PASSCRED, SO_RCVBUF, SO_TYPE, SOCK_CLOEXEC, SOCK_DGRAM};
use libc::{SOCK_NONBLOCK, SOCK_STREAM, SOL_SOCKET};

use super::{Scenario, of_all, plain};
use crate::args;
use crate::oracle::Name;
use crate::scenarios::files::CLOSED;
use crate::sys::*;
use crate::tape::Tape;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[
    plain("socket_pairs", socket_pairs),
    of_all("socket_addresses", socket_addresses),
    of_all("socket_accepted", socket_accepted),
    of_all("socket_options", socket_options),
    of_all("socket_shutdown", socket_shutdown),
    of_all("internet_stream", internet::stream),
    of_all("internet_datagrams", internet::datagrams),
    plain("many_messages", messages::many),
    plain("many_messages_timeouts", messages::timeouts),
    plain("descriptors_in_messages", messages::descriptors),
];

/// A socket made inside the bracket, and the kernel's name of it.
fn socket(t: &mut Tape, family: i32, kind: i32) -> (i32, String) {
    let fd = t.create(SOCKET, "", args![family, kind, 0]).ok() as i32;
    let name = t.outside(|t| t.proc_name(fd));
    t.last().file = Some(Name::Text(name.clone()));
    (fd, name)
}

/// A connected pair made inside the bracket: both descriptors and names.
fn pair(t: &mut Tape, kind: i32) -> ([i32; 2], [String; 2]) {
    let ends = &mut [0i32; 2];
    t.bare(SOCKETPAIR, args![AF_UNIX, kind, 0, &mut *ends])
        .is(0);
    let names = t.outside(|t| [t.proc_name(ends[0]), t.proc_name(ends[1])]);
    let call = t.last();
    call.fd = ends[0];
    call.file = Some(Name::Text(names[0].clone()));
    call.name_source = Some("kernel".to_owned());
    (*ends, names)
}

const ADDRESS: usize = 110;

/// A `struct sockaddr_un`.
fn unix_address(path: &[u8]) -> [u8; ADDRESS] {
    let mut address = [0; ADDRESS];
    address[..2].copy_from_slice(&(AF_UNIX as u16).to_ne_bytes());
    address[2..2 + path.len()].copy_from_slice(path);
    address
}

/// `socketpair`: the row is that of the first end.
fn socket_pairs(t: &mut Tape) {
    for kind in [
        SOCK_STREAM,
        SOCK_DGRAM | SOCK_CLOEXEC,
        SOCK_STREAM | SOCK_NONBLOCK,
    ] {
        let ([one, two], [one_name, two_name]) = pair(t, kind);
        t.fd(WRITE, two, &two_name, args![two, b"pair", 4]).is(4);
        t.fd(READ, one, &one_name, args![one, &mut [0u8; 8], 8])
            .is(4);
        t.fd(CLOSE, two, &two_name, args![two]).is(0);
        t.fd(CLOSE, one, &one_name, args![one]).is(0);
    }
    t.bare(SOCKETPAIR, args![AF_UNIX, SOCK_STREAM, 0, 8])
        .fails(EFAULT);
    t.bare(SOCKETPAIR, args![AF_UNIX, 15, 0, &mut [0i32; 2]])
        .fails(EINVAL);
    t.bare(SOCKETPAIR, args![AF_INET, SOCK_STREAM, 0, &mut [0i32; 2]])
        .fails(EOPNOTSUPP);
}

/// `bind`, `listen`, `connect`, `getsockname`, `getpeername`: rows of the socket, not of the path in the address.
fn socket_addresses(t: &mut Tape) {
    let address = unix_address(b"listener");
    let nobody = unix_address(b"nobody");
    let found = &mut [0u8; ADDRESS];
    let length = &mut [ADDRESS as i32];
    let (server, server_name) = socket(t, AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK);
    let (client, client_name) = socket(t, AF_UNIX, SOCK_STREAM);
    let file = t.open(OPEN, "f", args![c"f", O_CREAT | O_RDWR, 0o644]).ok() as i32;

    t.fd(LISTEN, server, &server_name, args![server, 4])
        .fails(EINVAL);
    t.fd(BIND, server, &server_name, args![server, 8, ADDRESS])
        .fails(EFAULT);
    let missing = unix_address(b"missing/listener");
    t.fd(BIND, server, &server_name, args![server, &missing, ADDRESS])
        .fails(ENOENT);
    t.fd(BIND, server, &server_name, args![server, &address, ADDRESS])
        .is(0);
    t.fd(BIND, server, &server_name, args![server, &nobody, ADDRESS])
        .fails(EINVAL);
    t.fd(BIND, client, &client_name, args![client, &address, ADDRESS])
        .fails(EADDRINUSE);
    t.fd(
        CONNECT,
        client,
        &client_name,
        args![client, &address, ADDRESS],
    )
    .fails(ECONNREFUSED);
    t.fd(
        CONNECT,
        client,
        &client_name,
        args![client, &nobody, ADDRESS],
    )
    .fails(ENOENT);
    t.fd(
        GETPEERNAME,
        client,
        &client_name,
        args![client, &mut *found, &mut *length],
    )
    .fails(ENOTCONN);
    t.fd(LISTEN, server, &server_name, args![server, 4]).is(0);
    t.fd(
        CONNECT,
        client,
        &client_name,
        args![client, &address, ADDRESS],
    )
    .is(0);
    t.fd(
        CONNECT,
        client,
        &client_name,
        args![client, &address, ADDRESS],
    )
    .fails(EISCONN);
    for (sys, fd, name) in [
        (GETSOCKNAME, server, &server_name),
        (GETPEERNAME, client, &client_name),
    ] {
        length[0] = ADDRESS as i32;
        t.fd(sys, fd, name, args![fd, &mut *found, &mut *length])
            .is(0);
        assert_eq!(found[..10], address[..10], "the address");
        t.fd(sys, fd, name, args![fd, 8, &mut *length])
            .fails(EFAULT);
        t.fd(sys, fd, name, args![fd, &mut *found, 8]).fails(EFAULT);
    }
    for sys in [BIND, CONNECT] {
        t.fd(sys, CLOSED, "", args![CLOSED, &address, ADDRESS])
            .fails(EBADF);
        t.fd(sys, file, "f", args![file, &address, ADDRESS])
            .fails(ENOTSOCK);
        t.fd(sys, -1, "", args![-1, &address, ADDRESS]).fails(EBADF);
    }
    for sys in [GETSOCKNAME, GETPEERNAME] {
        t.fd(sys, CLOSED, "", args![CLOSED, &mut *found, &mut *length])
            .fails(EBADF);
        t.fd(sys, file, "f", args![file, &mut *found, &mut *length])
            .fails(ENOTSOCK);
    }
    t.fd(LISTEN, CLOSED, "", args![CLOSED, 4]).fails(EBADF);
    t.fd(LISTEN, file, "f", args![file, 4]).fails(ENOTSOCK);
    t.fd(CLOSE, file, "f", args![file]).is(0);
    t.fd(CLOSE, client, &client_name, args![client]).is(0);
    t.fd(CLOSE, server, &server_name, args![server]).is(0);
    t.path(UNLINK, "listener", args![c"listener"]).is(0);
}

/// `accept` and `accept4`: rows of the listening socket; what they make has a name of its own afterwards.
fn socket_accepted(t: &mut Tape) {
    let address = unix_address(b"\0accepted");
    let mut length = 2;
    let (peer, room) = (&mut [0u8; ADDRESS], &mut [ADDRESS as i32]);
    let (server, server_name) = socket(t, AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK);
    // The kernel chooses an address that nobody else has.
    t.fd(BIND, server, &server_name, args![server, &address, length])
        .is(0);
    let address = t.outside(|_| {
        let mut chosen = [0u8; ADDRESS];
        let found = &mut [ADDRESS as i32];
        let ret = call(GETSOCKNAME.nr, args![server, &mut chosen, &mut *found]);
        assert_eq!(ret, 0, "getsockname");
        length = found[0];
        chosen
    });
    t.fd(ACCEPT, server, &server_name, args![server, 0, 0])
        .fails(EINVAL);
    t.fd(LISTEN, server, &server_name, args![server, 4]).is(0);
    t.fd(ACCEPT, server, &server_name, args![server, 0, 0])
        .fails(EAGAIN);
    t.fd(ACCEPT4, server, &server_name, args![server, 0, 0, 0])
        .fails(EAGAIN);
    let calls: [(Sys, &[Arg]); 3] = [
        (ACCEPT, args![server, 0, 0]),
        (ACCEPT4, args![server, 0, 0, SOCK_CLOEXEC | SOCK_NONBLOCK]),
        (ACCEPT4, args![server, &mut *peer, &mut *room, 0]),
    ];
    for (sys, args) in calls {
        let (client, client_name) = socket(t, AF_UNIX, SOCK_STREAM);
        t.fd(
            CONNECT,
            client,
            &client_name,
            args![client, &address, length],
        )
        .is(0);
        let accepted = t.fd(sys, server, &server_name, args).ok() as i32;
        let name = t.outside(|t| t.proc_name(accepted));
        t.fd(WRITE, accepted, &name, args![accepted, b"welcome", 7])
            .is(7);
        t.fd(READ, client, &client_name, args![client, &mut [0u8; 9], 9])
            .is(7);
        t.fd(CLOSE, accepted, &name, args![accepted]).is(0);
        t.fd(CLOSE, client, &client_name, args![client]).is(0);
    }
    let (client, client_name) = socket(t, AF_UNIX, SOCK_STREAM);
    t.fd(
        CONNECT,
        client,
        &client_name,
        args![client, &address, length],
    )
    .is(0);
    t.fd(ACCEPT, server, &server_name, args![server, &mut *peer, 8])
        .fails(EFAULT);
    t.fd(ACCEPT4, server, &server_name, args![server, 0, 0, 1])
        .fails(EINVAL);
    t.fd(ACCEPT, client, &client_name, args![client, 0, 0])
        .fails(EINVAL);
    t.fd(ACCEPT, CLOSED, "", args![CLOSED, 0, 0]).fails(EBADF);
    t.fd(ACCEPT4, CLOSED, "", args![CLOSED, 0, 0, 0])
        .fails(EBADF);
    t.fd(CLOSE, client, &client_name, args![client]).is(0);
    t.fd(CLOSE, server, &server_name, args![server]).is(0);
}

/// `getsockopt` and `setsockopt`.
fn socket_options(t: &mut Tape) {
    let (fd, name) = socket(t, AF_UNIX, SOCK_STREAM);
    let value = &mut [0i32];
    let length = &mut [4i32];
    let args = args![fd, SOL_SOCKET, SO_TYPE, &mut *value, &mut *length];
    t.fd(GETSOCKOPT, fd, &name, args).is(0);
    assert_eq!(value[0], SOCK_STREAM, "the socket's type");
    let args = args![fd, SOL_SOCKET, 9999, &mut *value, &mut *length];
    t.fd(GETSOCKOPT, fd, &name, args).fails(ENOPROTOOPT);
    let args = args![fd, SOL_SOCKET, SO_TYPE, &mut *value, 8];
    t.fd(GETSOCKOPT, fd, &name, args).fails(EFAULT);
    let args = args![CLOSED, SOL_SOCKET, SO_TYPE, &mut *value, &mut *length];
    t.fd(GETSOCKOPT, CLOSED, "", args).fails(EBADF);
    let args = args![fd, SOL_SOCKET, SO_PASSCRED, &[1i32], 4];
    t.fd(SETSOCKOPT, fd, &name, args).is(0);
    let args = args![fd, SOL_SOCKET, SO_RCVBUF, &[65536i32], 4];
    t.fd(SETSOCKOPT, fd, &name, args).is(0);
    let args = args![fd, SOL_SOCKET, 9999, &[1i32], 4];
    t.fd(SETSOCKOPT, fd, &name, args).fails(ENOPROTOOPT);
    let args = args![fd, SOL_SOCKET, SO_RCVBUF, &[1i32], 2];
    t.fd(SETSOCKOPT, fd, &name, args).fails(EINVAL);
    let args = args![fd, SOL_SOCKET, SO_RCVBUF, 8, 4];
    t.fd(SETSOCKOPT, fd, &name, args).fails(EFAULT);
    let args = args![CLOSED, SOL_SOCKET, SO_RCVBUF, &[1i32], 4];
    t.fd(SETSOCKOPT, CLOSED, "", args).fails(EBADF);
    t.fd(CLOSE, fd, &name, args![fd]).is(0);
}

/// `shutdown` of one direction, then of both.
fn socket_shutdown(t: &mut Tape) {
    let ([one, two], [one_name, two_name]) = pair(t, SOCK_STREAM);
    t.fd(SHUTDOWN, one, &one_name, args![one, 99]).fails(EINVAL);
    t.fd(SHUTDOWN, one, &one_name, args![one, SHUT_WR]).is(0);
    t.fd(WRITE, one, &one_name, args![one, b"no", 2])
        .fails(EPIPE);
    t.fd(READ, two, &two_name, args![two, &mut [0u8; 8], 8])
        .is(0);
    t.fd(WRITE, two, &two_name, args![two, b"yes", 3]).is(3);
    t.fd(READ, one, &one_name, args![one, &mut [0u8; 8], 8])
        .is(3);
    t.fd(SHUTDOWN, two, &two_name, args![two, SHUT_RDWR]).is(0);
    t.fd(READ, one, &one_name, args![one, &mut [0u8; 8], 8])
        .is(0);
    t.fd(SHUTDOWN, CLOSED, "", args![CLOSED, SHUT_RDWR])
        .fails(EBADF);
    t.fd(CLOSE, one, &one_name, args![one]).is(0);
    t.fd(CLOSE, two, &two_name, args![two]).is(0);
}
