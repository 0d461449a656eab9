//! 32-bit calls.

use libc::{EBADF, EFAULT, EINVAL, ENOENT, O_CREAT, O_RDWR};

use super::{Scenario, of_all};
use crate::args;
use crate::sys::{self, Sys, compat, low};
use crate::tape::Tape;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[
    of_all("ia32_files", files),
    of_all("ia32_names", names),
    of_all("ia32_vectors", vectors),
    of_all("ia32_memory_and_time", memory_and_time),
    of_all("ia32_padded_times", padded_times),
    of_all("ia32_position_of_file", position_of_file),
];

const GETPID: Sys = compat("getpid", 20);
const OPEN: Sys = compat("open", 5);
const CLOSE: Sys = compat("close", 6);
const READ: Sys = compat("read", 3);
const WRITE: Sys = compat("write", 4);
const PREAD64: Sys = compat("pread64", 180);
const PWRITE64: Sys = compat("pwrite64", 181);
const LLSEEK: Sys = compat("_llseek", 140);
const FTRUNCATE64: Sys = compat("ftruncate64", 194);
const FSTAT64: Sys = compat("fstat64", 197);
const STAT64: Sys = compat("stat64", 195);
const OPENAT: Sys = compat("openat", 295);
const UNLINK: Sys = compat("unlink", 10);
const RENAME: Sys = compat("rename", 38);
const MKDIR: Sys = compat("mkdir", 39);
const RMDIR: Sys = compat("rmdir", 40);
const READV: Sys = compat("readv", 145);
const WRITEV: Sys = compat("writev", 146);
const MMAP2: Sys = compat("mmap2", 192);
const MUNMAP: Sys = compat("munmap", 91);
const NANOSLEEP: Sys = compat("nanosleep", 162);
const CLOCK_NANOSLEEP_TIME64: Sys = compat("clock_nanosleep_time64", 407);
const POLL: Sys = compat("poll", 168);
const NEW_SELECT: Sys = compat("_newselect", 142);
const PPOLL_TIME64: Sys = compat("ppoll_time64", 414);
const PREADV: Sys = compat("preadv", 333);
const PREADV2: Sys = compat("preadv2", 378);
const PWRITEV2: Sys = compat("pwritev2", 379);

/// A descriptor that is not open.
const CLOSED: i32 = 700;

/// Descriptors, positions beyond 4 GiB in two registers.
fn files(t: &mut Tape) {
    let (name, data, room, stat) = t.outside(|_| {
        let name = low(b"f32\0");
        (name, low(b"hello world"), low(&[0; 16]), low(&[0; 128]))
    });
    // Without it, 32-bit programs cannot go beyond 2 GiB.
    const O_LARGEFILE: i32 = 0o100_000;
    let flags = O_CREAT | O_RDWR | O_LARGEFILE;
    let far: i64 = 5 << 30;
    let (far_low, far_high) = (far & 0xffff_ffff, far >> 32);
    let fd = t
        .open(OPEN, "f32", args![name, flags, 0o644])
        .flags(flags)
        .ok() as i32;
    t.fd(WRITE, fd, "f32", args![fd, data, 11])
        .requested(11)
        .offset(0)
        .is(11);
    t.fd(WRITE, CLOSED, "", args![CLOSED, data, 11])
        .fails(EBADF);
    t.fd(PWRITE64, fd, "f32", args![fd, data, 5, far_low, far_high])
        .requested(5)
        .offset(far)
        .is(5);
    t.fd(PREAD64, fd, "f32", args![fd, room, 16, far_low, far_high])
        .requested(16)
        .offset(far)
        .is(5);
    t.fd(PREAD64, fd, "f32", args![fd, room, 16, 0, -1])
        .fails(EINVAL);
    t.fd(LLSEEK, fd, "f32", args![fd, 0, 6, room, 0]).is(0);
    t.fd(LLSEEK, fd, "f32", args![fd, 0, 0, room, 99])
        .fails(EINVAL);
    t.fd(READ, fd, "f32", args![fd, room, 16])
        .requested(16)
        .offset(6)
        .is(16);
    t.fd(READ, fd, "f32", args![fd, 8, 16]).fails(EFAULT);
    t.fd(FTRUNCATE64, fd, "f32", args![fd, 100, 0]).is(0);
    t.fd(FTRUNCATE64, CLOSED, "", args![CLOSED, 100, 0])
        .fails(EBADF);
    t.fd(FSTAT64, fd, "f32", args![fd, stat]).is(0);
    t.fd(FSTAT64, CLOSED, "", args![CLOSED, stat]).fails(EBADF);
    t.fd(CLOSE, fd, "f32", args![fd]).is(0);
    t.fd(CLOSE, fd, "", args![fd]).fails(EBADF);
    // Number 20 is `writev` among the 64-bit calls.
    let (pid, _) = t.ids();
    t.bare(GETPID, args![]).is(pid.into());
}

/// Names, and a 64-bit call among them.
fn names(t: &mut Tape) {
    let (dir, sub, other, missing, stat) = t.outside(|_| {
        let (dir, sub) = (low(b"d32\0"), low(b"d32/s\0"));
        (
            dir,
            sub,
            low(b"d32/o\0"),
            low(b"missing32\0"),
            low(&[0; 128]),
        )
    });
    t.path(MKDIR, "d32", args![dir, 0o755]).is(0);
    t.path(MKDIR, "d32", args![dir, 0o755]).fails(libc::EEXIST);
    let fd = t
        .open(OPENAT, "d32/s", args![libc::AT_FDCWD, sub, O_CREAT, 0o644])
        .ok() as i32;
    t.open(OPENAT, "missing32", args![libc::AT_FDCWD, missing, 0, 0])
        .fails(ENOENT);
    t.fd(sys::CLOSE, fd, "d32/s", args![fd]).is(0);
    t.path(STAT64, "d32/s", args![sub, stat]).is(0);
    t.path(STAT64, "missing32", args![missing, stat])
        .fails(ENOENT);
    t.two_paths(RENAME, "d32/o", "d32/s", args![sub, other])
        .is(0);
    t.two_paths(RENAME, "d32/o", "d32/s", args![sub, other])
        .fails(ENOENT);
    t.path(UNLINK, "d32/o", args![other]).is(0);
    t.path(UNLINK, "d32/o", args![other]).fails(ENOENT);
    t.path(RMDIR, "d32", args![dir]).is(0);
    t.path(RMDIR, "d32", args![dir]).fails(ENOENT);
}

/// Scatter lists of 32-bit pointers and lengths.
fn vectors(t: &mut Tape) {
    let (name, vector) = t.outside(|_| {
        let (first, second) = (low(b"abc"), low(b"defgh"));
        let parts = [first as u32, 3, second as u32, 5];
        let bytes: Vec<u8> = parts.iter().flat_map(|word| word.to_ne_bytes()).collect();
        (low(b"v32\0"), low(&bytes))
    });
    let fd = t
        .open(OPEN, "v32", args![name, O_CREAT | O_RDWR, 0o644])
        .ok() as i32;
    t.fd(WRITEV, fd, "v32", args![fd, vector, 2])
        .requested(8)
        .offset(0)
        .is(8);
    t.fd(LLSEEK, fd, "v32", args![fd, 0, 0, 0, 0]).fails(EFAULT);
    // The position was set before the address was found to be bad.
    t.fd(READV, fd, "v32", args![fd, vector, 2])
        .requested(8)
        .offset(0)
        .is(8);
    t.fd(WRITEV, CLOSED, "", args![CLOSED, vector, 2])
        .fails(EBADF);
    t.fd(CLOSE, fd, "v32", args![fd]).is(0);
}

/// Offsets in pages; times of two 32-bit numbers, and of two 64-bit ones.
fn memory_and_time(t: &mut Tape) {
    let (name, narrow, wide, bad, poll) = t.outside(|t| {
        super::super::make_file(t, "m32", 8192);
        let narrow: Vec<u8> = [0u32, 1000].iter().flat_map(|n| n.to_ne_bytes()).collect();
        // The upper half of the nanoseconds is padding.
        let wide: Vec<u8> = [0u64, 1000 | 7 << 32]
            .iter()
            .flat_map(|n| n.to_ne_bytes())
            .collect();
        let bad: Vec<u8> = [0u32, 2_000_000_000]
            .iter()
            .flat_map(|n| n.to_ne_bytes())
            .collect();
        (
            low(b"m32\0"),
            low(&narrow),
            low(&wide),
            low(&bad),
            low(&[0; 8]),
        )
    });
    let fd = t.open(OPEN, "m32", args![name, O_RDWR]).ok() as i32;
    let address = t
        .fd(
            MMAP2,
            fd,
            "m32",
            args![0, 100, libc::PROT_READ, libc::MAP_SHARED, fd, 1],
        )
        .flags(libc::PROT_READ)
        .offset(4096)
        .address_space(4096)
        .ok();
    t.fd(
        MMAP2,
        CLOSED,
        "",
        args![0, 100, libc::PROT_READ, libc::MAP_SHARED, CLOSED, 1],
    )
    .address_space(0)
    .fails(EBADF);
    t.bare(MUNMAP, args![address, 4096])
        .address_space(4096)
        .is(0);
    t.fd(CLOSE, fd, "m32", args![fd]).is(0);
    t.bare(NANOSLEEP, args![narrow, 0]).sleep_ns(1000).is(0);
    t.bare(NANOSLEEP, args![bad, 0]).fails(EINVAL);
    t.bare(
        CLOCK_NANOSLEEP_TIME64,
        args![libc::CLOCK_MONOTONIC, 0, wide, 0],
    )
    .sleep_ns(1000)
    .is(0);
    t.bare(
        CLOCK_NANOSLEEP_TIME64,
        args![libc::CLOCK_MONOTONIC, 0, 8, 0],
    )
    .fails(EFAULT);
    t.bare(POLL, args![poll, 0, 1])
        .nfds(0)
        .timeout_ns(1_000_000)
        .is(0);
    t.bare(POLL, args![poll, -1, 0])
        .nfds(u64::from(u32::MAX))
        .timeout_ns(0)
        .fails(EINVAL);
    t.bare(NEW_SELECT, args![0, 0, 0, 0, narrow])
        .nfds(0)
        .timeout_ns(1_000_000)
        .is(0);
}

/// A 64-bit time of a 32-bit program: the upper half of its nanoseconds is padding.
fn padded_times(t: &mut Tape) {
    let padded = |nanoseconds: u64| {
        let words = [0, 0xdead_beef_0000_0000 | nanoseconds];
        low(&words.map(u64::to_ne_bytes).concat())
    };
    let (short, long, select) = t.outside(|_| {
        let select = [-1i32, 1_001_000].map(i32::to_ne_bytes).concat();
        (padded(1000), padded(1_000_000_000), low(&select))
    });
    let clock = libc::CLOCK_MONOTONIC;
    t.bare(CLOCK_NANOSLEEP_TIME64, args![clock, 0, short, 0])
        .sleep_ns(1000)
        .is(0);
    t.bare(CLOCK_NANOSLEEP_TIME64, args![clock, 0, long, 0])
        .fails(EINVAL);
    t.bare(PPOLL_TIME64, args![0, 0, short, 0, 0])
        .nfds(0)
        .timeout_ns(1000)
        .is(0);
    t.bare(PPOLL_TIME64, args![0, 0, long, 0, 0])
        .nfds(0)
        .timeout_ns(-2)
        .fails(EINVAL);
    t.bare(NEW_SELECT, args![0, 0, 0, 0, select])
        .nfds(0)
        .timeout_ns(1_000_000)
        .is(0);
}

/// -1 in two registers stands for the file's position, but not in one of them.
fn position_of_file(t: &mut Tape) {
    let (name, vector) = t.outside(|_| {
        let room = low(b"abc") as u32;
        let vector = [room, 3].map(u32::to_ne_bytes).concat();
        (low(b"p32\0"), low(&vector))
    });
    let fd = t
        .open(OPEN, "p32", args![name, O_CREAT | O_RDWR, 0o644])
        .ok() as i32;
    for (sys, offset) in [(PWRITEV2, 0), (PWRITEV2, 3)] {
        t.fd(sys, fd, "p32", args![fd, vector, 1, -1, -1, 0])
            .requested(3)
            .offset(offset)
            .is(3);
    }
    let far = i64::from(u32::MAX);
    t.fd(PREADV2, fd, "p32", args![fd, vector, 1, -1, 0, 0])
        .offset(far)
        .is(0);
    t.fd(PREADV, fd, "p32", args![fd, vector, 1, -1, -1])
        .offset(-1)
        .fails(EINVAL);
    t.fd(CLOSE, fd, "p32", args![fd]).is(0);
}
