//! Values as they were passed: what a call writes over, what only the kernel's own rules give a meaning, what is too
//! large for half a register.

use libc::{AT_FDCWD, EBADF, EFAULT, EINVAL, O_CREAT, O_RDONLY, O_RDWR, SIGCHLD};

use super::super::files::CLOSED;
use super::super::make_file;
use super::{Scenario, of_all};
use crate::args;
use crate::sys::{self, *};
use crate::tape::Tape;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[
    of_all("written_over", written_over),
    of_all("untouched_vectors", untouched_vectors),
    of_all("times_by_rule", times_by_rule),
    of_all("wide_flags", wide_flags),
    of_all("largest_counts", largest_counts),
    of_all("position_of_file", position_of_file),
];

const CLONE_CLEAR_SIGHAND: u64 = 1 << 32;

/// Calls that fill a buffer in which their own arguments are.
fn written_over(t: &mut Tape) {
    let zero = t.outside(|_| call(OPEN.nr, args![c"/dev/zero", O_RDONLY])) as i32;
    let mut own = [0usize; 2];
    for (sys, rest) in [(READV, 0i64), (PREADV, 0), (PREADV2, 0)] {
        own = [own.as_ptr() as usize, 16];
        t.fd(sys, zero, "/dev/zero", args![zero, &mut own, 1, rest, 0, 0])
            .requested(16)
            .is(16);
        assert_eq!(own, [0, 0], "the vector is gone");
    }
    let (one, two, name) = t.outside(|t| {
        let mut pair = [0i32; 2];
        let stream = args![libc::AF_UNIX, libc::SOCK_STREAM, 0, &mut pair];
        assert_eq!(call(SOCKETPAIR.nr, stream), 0, "socketpair");
        assert_eq!(call(WRITE.nr, args![pair[0], &[b'a'; 40], 40]), 40);
        (pair[0], pair[1], t.proc_name(pair[1]))
    });
    let mut vector = [[0usize; 2]];
    vector[0] = [vector.as_ptr() as usize, 16];
    let mut message = sys::msghdr(&vector);
    t.fd(RECVMSG, two, &name, args![two, &mut message, 0])
        .requested(16)
        .flags(0)
        .is(16);
    assert_eq!(vector, [[0x6161_6161_6161_6161; 2]], "the vector is gone");
    t.outside(|_| {
        for fd in [zero, one, two] {
            call(CLOSE.nr, args![fd]);
        }
    });
}

/// Vectors in pages no one has touched: the kernel reads them in, and some calls may then write over them.
fn untouched_vectors(t: &mut Tape) {
    let (zero, null, room, pages) = t.outside(|t| {
        let map = |fd: i32, flags: i32| {
            let both = libc::PROT_READ | libc::PROT_WRITE;
            call(
                MMAP.nr,
                args![0, 4096, both, libc::MAP_PRIVATE | flags, fd, 0],
            )
        };
        let room = map(-1, libc::MAP_ANONYMOUS);
        let name = [&t.dir[..], b"/vector"].concat();
        let vector: Vec<u8> = [room, 16].iter().flat_map(|n| n.to_ne_bytes()).collect();
        std::fs::write(std::str::from_utf8(&name).expect("a name"), vector).expect("write");
        let file = call(OPEN.nr, args![c"vector", O_RDONLY]) as i32;
        let zero = call(OPEN.nr, args![c"/dev/zero", O_RDONLY]) as i32;
        let null = call(OPEN.nr, args![c"/dev/null", O_RDWR]) as i32;
        let pages = [0; 3].map(|_| map(file, 0));
        (zero, null, room, pages)
    });
    assert!(room > 0 && pages.iter().all(|page| *page > 0), "mmap");
    t.fd(WRITEV, null, "/dev/null", args![null, pages[0], 1])
        .requested(16)
        .is(16);
    t.fd(READV, null, "/dev/null", args![null, pages[1], 1])
        .requested(16)
        .is(0);
    t.fd(READV, zero, "/dev/zero", args![zero, pages[2], 1])
        .null("requested")
        .is(16);
}

/// `select` adds its microseconds before it looks at the sum; `io_getevents` does not look at all.
fn times_by_rule(t: &mut Tape) {
    let millisecond = 1_000_000;
    for (time, nanoseconds) in [
        ([-1i64, 1_001_000], millisecond),
        ([2, -2_000_000], 0),
        ([0, 1_000], millisecond),
    ] {
        t.bare(SELECT, args![0, 0, 0, 0, &mut { time }])
            .nfds(0)
            .timeout_ns(nanoseconds)
            .is(0);
    }
    for time in [[0i64, -1], [5, -1], [-1, 999_999], [1, -1_000_001]] {
        t.bare(SELECT, args![0, 0, 0, 0, &mut { time }])
            .nfds(0)
            .timeout_ns(-2)
            .fails(EINVAL);
    }
    for time in [[0i64, -1], [-1, 0], [-1, 1_200_000_000], [0, 1_000_000_000]] {
        t.bare(PPOLL, args![0, 0, &mut { time }, 0, 0])
            .nfds(0)
            .timeout_ns(-2)
            .fails(EINVAL);
    }
    let mut context = 0u64;
    t.outside(|_| {
        let made = call(IO_SETUP.nr, args![1, std::slice::from_mut(&mut context)]);
        assert_eq!(made, 0, "io_setup");
    });
    let none = &mut [0u64; 4];
    for (time, nanoseconds) in [
        ([-1i64, 1_001_000_000], millisecond),
        ([1, -999_000_000], millisecond),
    ] {
        t.bare(IO_GETEVENTS, args![context, 1, 1, &mut *none, &time])
            .timeout_ns(nanoseconds)
            .is(0);
    }
    // Waits without an end, for nothing.
    for time in [[-1i64, 0], [i64::from(i32::MAX) * 5, 0]] {
        t.bare(IO_GETEVENTS, args![context, 0, 0, &mut *none, &time])
            .timeout_ns(-1)
            .is(0);
    }
    t.outside(|_| call(IO_DESTROY.nr, args![context]));
}

/// Flags beyond the lower half of a register, and some that cannot be read.
fn wide_flags(t: &mut Tape) {
    let clone = [CLONE_CLEAR_SIGHAND, 0, 0, 0, SIGCHLD as u64, 0, 0, 0];
    let child = t
        .fork(CLONE3, args![&clone, 64], |_| {})
        .long_flags(CLONE_CLEAR_SIGHAND)
        .ok();
    t.bare(WAIT4, args![child, &mut [0i32], 0, 0]).is(child);
    t.bare(CLONE3, args![8, 64]).null("flags").fails(EFAULT);
    for flags in [1 << 40, u64::MAX, 1 << 63] {
        let how = [flags, 0, 0];
        t.open(OPENAT2, "a", args![AT_FDCWD, c"a", &how, 24])
            .long_flags(flags)
            .fails(EINVAL);
    }
    t.open(OPENAT2, "a", args![AT_FDCWD, c"a", 8, 24])
        .null("flags")
        .fails(EFAULT);
    t.bare(MPROTECT, args![0, 0, 1i64 << 40])
        .long_flags(1 << 40)
        .is(0);
    // Of an `int` only the lower half is passed.
    t.open(OPEN, "a", args![c"a", 1i64 << 40 | i64::from(O_RDONLY)])
        .flags(O_RDONLY)
        .fails(libc::ENOENT);
}

/// As many bytes as a register can say, and more.
fn largest_counts(t: &mut Tape) {
    let zero = t.outside(|_| call(OPEN.nr, args![c"/dev/zero", O_RDWR])) as i32;
    for sys in [READ, WRITE] {
        t.fd(sys, CLOSED, "", args![CLOSED, 8, -1])
            .requested(u64::MAX)
            .fails(EBADF);
    }
    t.fd(READ, zero, "/dev/zero", args![zero, 8, -1])
        .requested(u64::MAX)
        .fails(EFAULT);
    let half = 1usize << 63;
    t.fd(READV, zero, "/dev/zero", args![zero, &[8, usize::MAX], 1])
        .requested(u64::MAX)
        .fails(EINVAL);
    let twice = &[[8, half], [8, half]];
    t.fd(READV, zero, "/dev/zero", args![zero, twice, 2])
        .null("requested")
        .fails(EINVAL);
    t.fd(READV, zero, "/dev/zero", args![zero, 8, 1])
        .null("requested")
        .fails(EFAULT);
    t.outside(|_| call(CLOSE.nr, args![zero]));
}

/// `preadv2` and `pwritev2` at the file's own position, which -1 stands for.
fn position_of_file(t: &mut Tape) {
    let (fd, pipe, name) = t.outside(|t| {
        make_file(t, "f", 100);
        let fd = call(OPEN.nr, args![c"f", O_CREAT | O_RDWR, 0o644]) as i32;
        let mut pipe = [0i32; 2];
        assert_eq!(call(PIPE2.nr, args![&mut pipe, 0]), 0, "pipe2");
        let name = t.proc_name(pipe[0]);
        (fd, pipe, name)
    });
    let buffer = [0u8; 10];
    let vector = [buffer.as_ptr() as usize, 10];
    let at = |place: i64| {
        [
            i64::from(fd),
            vector.as_ptr() as i64,
            1,
            place,
            place >> 63,
            0,
        ]
    };
    let mut moved = |sys: Sys, place: i64, offset: i64| {
        let [fd64, vector, one, low, high, flags] = at(place);
        t.fd(sys, fd, "f", args![fd64, vector, one, low, high, flags])
            .requested(10)
            .offset(offset)
            .is(10);
    };
    moved(PWRITEV2, -1, 0);
    moved(PREADV2, -1, 10);
    moved(PREADV2, 50, 50);
    moved(PWRITEV2, 70, 70);
    moved(PREADV2, -1, 20);
    // The others take no -1, and a pipe has no position.
    t.fd(PREADV, fd, "f", args![fd, &vector, 1, -1, -1])
        .offset(-1)
        .fails(EINVAL);
    t.fd(
        PWRITEV2,
        pipe[1],
        &name,
        args![pipe[1], &vector, 1, -1, -1, 0],
    )
    .null("offset")
    .is(10);
    t.fd(
        PREADV2,
        pipe[0],
        &name,
        args![pipe[0], &vector, 1, -1, -1, 0],
    )
    .null("offset")
    .is(10);
    t.fd(PREADV2, CLOSED, "", args![CLOSED, &vector, 1, -1, -1, 0])
        .null("offset")
        .fails(EBADF);
    t.outside(|_| {
        for fd in [fd, pipe[0], pipe[1]] {
            call(CLOSE.nr, args![fd]);
        }
    });
}
