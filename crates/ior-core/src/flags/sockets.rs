//! Flags of calls on sockets.

use super::{Part, flag, one_of, value};

pub(super) const TYPE: &[Part] = &[
    one_of(15, 1, "SOCK_STREAM"),
    one_of(15, 2, "SOCK_DGRAM"),
    one_of(15, 3, "SOCK_RAW"),
    one_of(15, 4, "SOCK_RDM"),
    one_of(15, 5, "SOCK_SEQPACKET"),
    one_of(15, 6, "SOCK_DCCP"),
    one_of(15, 10, "SOCK_PACKET"),
];

pub(super) const DESCRIPTOR: &[Part] = &[
    flag(0o4000, "SOCK_NONBLOCK"),
    flag(0o2_000_000, "SOCK_CLOEXEC"),
];

pub(super) const MSG: &[Part] = &[
    flag(1, "MSG_OOB"),
    flag(2, "MSG_PEEK"),
    flag(4, "MSG_DONTROUTE"),
    flag(8, "MSG_CTRUNC"),
    flag(0x10, "MSG_PROBE"),
    flag(0x20, "MSG_TRUNC"),
    flag(0x40, "MSG_DONTWAIT"),
    flag(0x80, "MSG_EOR"),
    flag(0x100, "MSG_WAITALL"),
    flag(0x200, "MSG_FIN"),
    flag(0x400, "MSG_SYN"),
    flag(0x800, "MSG_CONFIRM"),
    flag(0x1000, "MSG_RST"),
    flag(0x2000, "MSG_ERRQUEUE"),
    flag(0x4000, "MSG_NOSIGNAL"),
    flag(0x8000, "MSG_MORE"),
    flag(0x1_0000, "MSG_WAITFORONE"),
    flag(0x4_0000, "MSG_BATCH"),
    flag(0x200_0000, "MSG_SOCK_DEVMEM"),
    flag(0x400_0000, "MSG_ZEROCOPY"),
    flag(0x2000_0000, "MSG_FASTOPEN"),
    flag(0x4000_0000, "MSG_CMSG_CLOEXEC"),
    flag(0x8000_0000, "MSG_CMSG_COMPAT"),
];

pub(super) const SHUTDOWN: &[Part] = &[
    value(0, "SHUT_RD"),
    value(1, "SHUT_WR"),
    value(2, "SHUT_RDWR"),
];

/// What i386's `socketcall` is to do.
pub(super) const SOCKET_CALL: &[Part] = &[
    value(1, "SYS_SOCKET"),
    value(2, "SYS_BIND"),
    value(3, "SYS_CONNECT"),
    value(4, "SYS_LISTEN"),
    value(5, "SYS_ACCEPT"),
    value(6, "SYS_GETSOCKNAME"),
    value(7, "SYS_GETPEERNAME"),
    value(8, "SYS_SOCKETPAIR"),
    value(9, "SYS_SEND"),
    value(10, "SYS_RECV"),
    value(11, "SYS_SENDTO"),
    value(12, "SYS_RECVFROM"),
    value(13, "SYS_SHUTDOWN"),
    value(14, "SYS_SETSOCKOPT"),
    value(15, "SYS_GETSOCKOPT"),
    value(16, "SYS_SENDMSG"),
    value(17, "SYS_RECVMSG"),
    value(18, "SYS_ACCEPT4"),
    value(19, "SYS_RECVMMSG"),
    value(20, "SYS_SENDMMSG"),
];
