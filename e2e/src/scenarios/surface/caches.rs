//! Page cache, and ranges of descriptors.

use libc::{EAGAIN, EBADF, EFAULT, EFBIG, EINVAL, EOPNOTSUPP, ESPIPE, F_GETFD, FD_CLOEXEC};
use libc::{O_CREAT, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY, SPLICE_F_GIFT, SPLICE_F_NONBLOCK};

use super::super::files::CLOSED;
use super::super::make_file;
use super::{Scenario, plain};
use crate::args;
use crate::sys::{self, *};
use crate::tape::Tape;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[
    plain("read_ahead", read_ahead),
    plain("cache_state", cache_state),
    plain("advice_and_ranges", advice_and_ranges),
    plain("allocation_modes", allocation_modes),
    plain("closed_ranges", closed_ranges),
    plain("memory_into_pipe", memory_into_pipe),
];

/// `readahead`.
fn read_ahead(t: &mut Tape) {
    let (ends, name) = make_pipe(t);
    t.outside(|t| make_file(t, "f", 10_000));
    let fd = t.open(OPEN, "f", args![c"f", O_RDONLY]).ok() as i32;
    t.fd(READAHEAD, fd, "f", args![fd, 4096, 5000])
        .requested(5000)
        .offset(4096)
        .is(0);
    t.fd(READAHEAD, fd, "f", args![fd, 1 << 20, 4096])
        .requested(4096)
        .offset(1 << 20)
        .is(0);
    t.fd(CLOSE, fd, "f", args![fd]).is(0);
    let fd = t.open(OPEN, "f", args![c"f", O_WRONLY]).ok() as i32;
    t.fd(READAHEAD, fd, "f", args![fd, 0, 10])
        .requested(10)
        .offset(0)
        .fails(EBADF);
    t.fd(CLOSE, fd, "f", args![fd]).is(0);
    t.fd(READAHEAD, ends[0], &name, args![ends[0], 0, 10])
        .fails(EINVAL);
    t.fd(READAHEAD, CLOSED, "", args![CLOSED, 0, 10])
        .fails(EBADF);
    close_pipe(t, ends, &name);
}

/// `cachestat`.
fn cache_state(t: &mut Tape) {
    let (range, state) = (&[0u64, 4096], &mut [0u64; 5]);
    let fd = t.open(OPEN, "f", args![c"f", O_CREAT | O_RDWR, 0o644]).ok() as i32;
    t.fd(WRITE, fd, "f", args![fd, b"cached", 6]).is(6);
    t.fd(CACHESTAT, fd, "f", args![fd, range, &mut *state, 0])
        .is(0);
    t.fd(CACHESTAT, fd, "f", args![fd, range, &mut *state, 1])
        .fails(EINVAL);
    t.fd(CACHESTAT, fd, "f", args![fd, 8, &mut *state, 0])
        .fails(EFAULT);
    t.fd(CACHESTAT, fd, "f", args![fd, range, 8, 0])
        .fails(EFAULT);
    t.fd(CLOSE, fd, "f", args![fd]).is(0);
    t.fd(CACHESTAT, CLOSED, "", args![CLOSED, range, state, 0])
        .fails(EBADF);
}

/// All kinds of advice, and of waiting for written pages.
fn advice_and_ranges(t: &mut Tape) {
    let (ends, name) = make_pipe(t);
    let fd = t.open(OPEN, "f", args![c"f", O_CREAT | O_RDWR, 0o644]).ok() as i32;
    t.fd(WRITE, fd, "f", args![fd, &[b'x'; 5000], 5000])
        .is(5000);
    for advice in [
        libc::POSIX_FADV_NORMAL,
        libc::POSIX_FADV_RANDOM,
        libc::POSIX_FADV_WILLNEED,
        libc::POSIX_FADV_DONTNEED,
        libc::POSIX_FADV_NOREUSE,
    ] {
        t.fd(FADVISE64, fd, "f", args![fd, 4096, 100, advice])
            .requested(100)
            .offset(4096)
            .is(0);
    }
    t.fd(FADVISE64, fd, "f", args![fd, 0, -1, 0])
        .offset(0)
        .fails(EINVAL);
    t.fd(FADVISE64, ends[0], &name, args![ends[0], 0, 10, 0])
        .requested(10)
        .fails(ESPIPE);

    let all = (libc::SYNC_FILE_RANGE_WAIT_BEFORE
        | libc::SYNC_FILE_RANGE_WRITE
        | libc::SYNC_FILE_RANGE_WAIT_AFTER) as i32;
    t.fd(SYNC_FILE_RANGE, fd, "f", args![fd, 4096, 904, all])
        .requested(904)
        .offset(4096)
        .flags(all)
        .is(0);
    // No length: up to the end.
    t.fd(SYNC_FILE_RANGE, fd, "f", args![fd, 0, 0, all])
        .requested(0)
        .offset(0)
        .flags(all)
        .is(0);
    t.fd(SYNC_FILE_RANGE, fd, "f", args![fd, -1, 10, all])
        .requested(10)
        .offset(-1)
        .fails(EINVAL);
    t.fd(SYNC_FILE_RANGE, fd, "f", args![fd, 10, -5, 0])
        .offset(10)
        .flags(0)
        .fails(EINVAL);
    t.fd(CLOSE, fd, "f", args![fd]).is(0);
    close_pipe(t, ends, &name);
}

/// `fallocate` in its less common modes, some of which not every file system has.
fn allocation_modes(t: &mut Tape) {
    let keep = libc::FALLOC_FL_KEEP_SIZE;
    let (ends, name) = make_pipe(t);
    let fd = t.open(OPEN, "f", args![c"f", O_CREAT | O_RDWR, 0o644]).ok() as i32;
    t.fd(FALLOCATE, fd, "f", args![fd, keep, 4096, 8192])
        .requested(8192)
        .offset(4096)
        .flags(keep)
        .is(0);
    t.fd(FALLOCATE, fd, "f", args![fd, 0, 0, 16384])
        .requested(16384)
        .flags(0)
        .is(0);
    let punch = libc::FALLOC_FL_PUNCH_HOLE;
    t.fd(FALLOCATE, fd, "f", args![fd, punch | keep, 100, 5000])
        .requested(5000)
        .offset(100)
        .flags(punch | keep)
        .is(0);
    t.fd(FALLOCATE, fd, "f", args![fd, punch, 0, 4096])
        .flags(punch)
        .fails(EOPNOTSUPP);
    for mode in [
        libc::FALLOC_FL_ZERO_RANGE,
        libc::FALLOC_FL_INSERT_RANGE,
        libc::FALLOC_FL_COLLAPSE_RANGE,
    ] {
        t.fd(FALLOCATE, fd, "f", args![fd, mode, 4096, 4096])
            .requested(4096)
            .offset(4096)
            .flags(mode)
            .done();
    }
    t.fd(FALLOCATE, fd, "f", args![fd, 0, i64::MAX, 4096])
        .requested(4096)
        .offset(i64::MAX)
        .fails(EFBIG);
    t.fd(FALLOCATE, fd, "f", args![fd, 0, -1, 4096])
        .offset(-1)
        .fails(EINVAL);
    t.fd(CLOSE, fd, "f", args![fd]).is(0);
    let fd = t.open(OPEN, "f", args![c"f", O_RDONLY]).ok() as i32;
    t.fd(FALLOCATE, fd, "f", args![fd, 0, 0, 4096]).fails(EBADF);
    t.fd(CLOSE, fd, "f", args![fd]).is(0);
    t.fd(FALLOCATE, ends[1], &name, args![ends[1], 0, 0, 4096])
        .fails(ESPIPE);
    close_pipe(t, ends, &name);
}

/// `close_range`: its bounds, closing at exec instead, and a table of one's own.
fn closed_ranges(t: &mut Tape) {
    const UNSHARE_TABLE: i32 = libc::CLOSE_RANGE_UNSHARE as i32;
    const AT_EXEC: i32 = libc::CLOSE_RANGE_CLOEXEC as i32;
    let fd = t.open(OPEN, "f", args![c"f", O_CREAT | O_RDWR, 0o644]).ok() as i32;
    for copy in [600, 601, 602] {
        t.fd(DUP2, fd, "f", args![fd, copy]).is(i64::from(copy));
    }
    // Both ends belong to the range.
    t.bare(CLOSE_RANGE, args![601, 601, 0]).flags(0).is(0);
    t.fd(FCNTL, 601, "", args![601, F_GETFD]).fails(EBADF);
    t.bare(CLOSE_RANGE, args![600, 601, AT_EXEC])
        .flags(AT_EXEC)
        .is(0);
    t.fd(FCNTL, 600, "f", args![600, F_GETFD])
        .is(i64::from(FD_CLOEXEC));
    t.fd(FCNTL, 602, "f", args![602, F_GETFD]).is(0);
    t.bare(CLOSE_RANGE, args![u32::MAX, u32::MAX, 0])
        .flags(0)
        .is(0);
    t.bare(CLOSE_RANGE, args![602, 600, 0])
        .flags(0)
        .fails(EINVAL);
    t.bare(CLOSE_RANGE, args![600, 602, 8])
        .flags(8)
        .fails(EINVAL);

    // A thread leaves the common table, and closes them for itself only.
    t.outside(|t| {
        let thread = t.thread(|t| {
            t.bare(CLOSE_RANGE, args![600, 700, UNSHARE_TABLE])
                .flags(UNSHARE_TABLE)
                .is(0);
            t.fd(WRITE, 602, "", args![602, b"gone", 4]).fails(EBADF);
            let own = t.open(OPEN, "own", args![c"own", O_CREAT | O_RDWR, 0o644]);
            let own = own.ok() as i32;
            t.fd(DUP2, own, "own", args![own, 602]).is(602);
            t.fd(WRITE, 602, "own", args![602, b"own", 3]).is(3);
        });
        thread.join();
    });
    t.fd(WRITE, 602, "f", args![602, b"still", 5]).is(5);
    let both = UNSHARE_TABLE | AT_EXEC;
    t.bare(CLOSE_RANGE, args![602, 602, both]).flags(both).is(0);
    t.fd(FCNTL, 602, "f", args![602, F_GETFD])
        .is(i64::from(FD_CLOEXEC));
    t.bare(CLOSE_RANGE, args![600, 602, 0]).flags(0).is(0);
    t.fd(FCNTL, 602, "", args![602, F_GETFD]).fails(EBADF);
    t.fd(CLOSE, fd, "f", args![fd]).is(0);
}

/// A pipe whose ends do not block.
fn make_pipe(t: &mut Tape) -> ([i32; 2], String) {
    t.outside(|t| {
        let ends = &mut [0i32; 2];
        assert_eq!(call(PIPE2.nr, args![&mut *ends, O_NONBLOCK]), 0, "pipe2");
        (*ends, t.proc_name(ends[0]))
    })
}

fn close_pipe(t: &mut Tape, ends: [i32; 2], name: &str) {
    for end in ends {
        t.fd(CLOSE, end, name, args![end]).is(0);
    }
}

/// `vmsplice`: memory into a pipe, and out of it.
fn memory_into_pipe(t: &mut Tape) {
    let (first, second) = (&mut [1u8; 10], &mut [2u8; 20]);
    let iovec = sys::iovec(&mut [first, second]);
    let iovec = iovec.as_slice();
    let ([read, write], name) = make_pipe(t);
    t.fd(VMSPLICE, write, &name, args![write, iovec, 2, 0])
        .requested(30)
        .flags(0)
        .is(30);
    let gift = SPLICE_F_GIFT as i32;
    t.fd(VMSPLICE, write, &name, args![write, iovec, 1, gift])
        .requested(10)
        .flags(gift)
        .is(10);
    t.fd(VMSPLICE, write, &name, args![write, iovec, 0, 0])
        .requested(0)
        .is(0);
    let now = SPLICE_F_NONBLOCK as i32;
    t.fd(VMSPLICE, read, &name, args![read, iovec, 1, now])
        .requested(10)
        .flags(now)
        .is(10);
    t.fd(VMSPLICE, read, &name, args![read, iovec, 2, now])
        .requested(30)
        .flags(now)
        .is(30);
    t.fd(VMSPLICE, read, &name, args![read, iovec, 2, now])
        .requested(30)
        .flags(now)
        .fails(EAGAIN);
    t.fd(VMSPLICE, write, &name, args![write, iovec, 2, 1 << 20])
        .requested(30)
        .flags(1 << 20)
        .fails(EINVAL);
    t.fd(VMSPLICE, write, &name, args![write, 8, 2, 0])
        .fails(EFAULT);
    t.fd(VMSPLICE, write, &name, args![write, iovec, 5000, 0])
        .fails(EINVAL);
    close_pipe(t, [read, write], &name);
    let fd = t.open(OPEN, "f", args![c"f", O_CREAT | O_RDWR, 0o644]).ok() as i32;
    t.fd(VMSPLICE, fd, "f", args![fd, iovec, 2, 0])
        .requested(30)
        .fails(EBADF);
    t.fd(CLOSE, fd, "f", args![fd]).is(0);
    t.fd(VMSPLICE, CLOSED, "", args![CLOSED, iovec, 2, 0])
        .requested(30)
        .fails(EBADF);
}
