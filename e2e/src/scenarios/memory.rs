//! Mapping files and memory.

use libc::{EBADF, EINVAL, ENOMEM, MAP_ANONYMOUS, MAP_PRIVATE, MAP_SHARED, MS_SYNC, PROT_READ};
use libc::{O_CREAT, O_RDWR, PROT_WRITE};

use super::files::CLOSED;
use crate::args;
use crate::sys::*;
use crate::tape::Tape;

/// `mmap` of a file and of memory, `msync`, `munmap`.
pub fn mmap(t: &mut Tape) {
    let prot = PROT_READ | PROT_WRITE;
    let fd = t.open(OPEN, "m", args![c"m", O_CREAT | O_RDWR, 0o644]).ok() as i32;
    t.fd(FTRUNCATE, fd, "m", args![fd, 8192]).is(0);
    let file = t
        .fd(MMAP, fd, "m", args![0, 8192, prot, MAP_SHARED, fd, 0])
        .flags(prot)
        .ok();
    let anonymous = MAP_PRIVATE | MAP_ANONYMOUS;
    let memory = t
        .bare(MMAP, args![0, 4096, PROT_READ, anonymous, -1, 0])
        .flags(PROT_READ)
        .ok();
    t.fd(
        MMAP,
        CLOSED,
        "",
        args![0, 4096, prot, MAP_SHARED, CLOSED, 0],
    )
    .fails(EBADF);
    t.bare(MMAP, args![0, 0, prot, anonymous, -1, 0])
        .fails(EINVAL);
    t.fd(MMAP, fd, "m", args![0, 4096, prot, MAP_SHARED, fd, 1])
        .fails(EINVAL);
    // A mapping outlives the descriptor.
    t.fd(CLOSE, fd, "m", args![fd]).is(0);
    t.bare(MSYNC, args![file, 8192, MS_SYNC]).any_name().is(0);
    t.bare(MSYNC, args![file + 1, 8192, MS_SYNC])
        .any_name()
        .fails(EINVAL);
    t.bare(MUNMAP, args![file, 8192]).any_name().is(0);
    t.bare(MUNMAP, args![memory, 4096]).is(0);
    t.bare(MUNMAP, args![memory + 1, 4096]).fails(EINVAL);
    t.bare(MSYNC, args![memory, 4096, MS_SYNC])
        .any_name()
        .fails(ENOMEM);
}
