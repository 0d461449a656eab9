//! The address space: mappings made, moved, protected, locked and placed.

use libc::{EACCES, EBADF, EFAULT, EINVAL, ENOMEM, EPERM, ESRCH, MAP_ANONYMOUS, MAP_FIXED};
use libc::{MAP_PRIVATE, MAP_SHARED, MREMAP_DONTUNMAP, MREMAP_FIXED, MREMAP_MAYMOVE, O_CREAT};
use libc::{O_RDONLY, O_RDWR, PROT_EXEC, PROT_NONE, PROT_READ, PROT_WRITE};

use super::{Scenario, of_all};
use crate::args;
use crate::scenarios::files::CLOSED;
use crate::sys::*;
use crate::tape::Tape;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[
    of_all("mappings", mappings),
    of_all("heap", heap),
    of_all("protection", protection),
    of_all("residency", residency),
    of_all("other_processes_memory", other_processes_memory),
    of_all("memory_placement", memory_placement),
];

const PAGE: i64 = 4096;
const MEMORY: i32 = MAP_PRIVATE | MAP_ANONYMOUS;
/// Below the lowest address that can be mapped.
const NOWHERE: i64 = PAGE;
/// More than there is.
const HUGE: i64 = 1 << 46;

fn map(t: &mut Tape, pages: i64) -> i64 {
    let prot = PROT_READ | PROT_WRITE;
    t.bare(MMAP, args![0, pages * PAGE, prot, MEMORY, -1, 0])
        .flags(prot)
        .address_space((pages * PAGE) as u64)
        .ok()
}

/// `mmap`, `munmap` and `mremap` in whole pages; what fails counts nothing.
fn mappings(t: &mut Tape) {
    t.apart(|t| {
        let address = t
            .bare(MMAP, args![0, 5000, PROT_READ, MEMORY, -1, 0])
            .flags(PROT_READ)
            .address_space(8192)
            .ok();
        let flags = MEMORY | MAP_FIXED;
        t.bare(MMAP, args![address, 1, PROT_NONE, flags, -1, 0])
            .flags(PROT_NONE)
            .address_space(4096)
            .is(address);
        for (length, errno) in [(0, EINVAL), (HUGE << 1, ENOMEM)] {
            t.bare(MMAP, args![0, length, PROT_READ, MEMORY, -1, 0])
                .flags(PROT_READ)
                .address_space(0)
                .fails(errno);
        }
        t.bare(MUNMAP, args![address, 4097])
            .address_space(8192)
            .is(0);
        // There is nothing left to unmap, which is no error.
        t.bare(MUNMAP, args![address, 8192])
            .address_space(8192)
            .is(0);
        t.bare(MUNMAP, args![address + 1, PAGE])
            .address_space(0)
            .fails(EINVAL);
        file_mapping(t);
        moved(t);
    });
}

fn file_mapping(t: &mut Tape) {
    let fd = t.open(OPEN, "m", args![c"m", O_CREAT | O_RDWR, 0o644]).ok() as i32;
    t.fd(FTRUNCATE, fd, "m", args![fd, 3 * PAGE]).is(0);
    let mapped = t
        .fd(MMAP, fd, "m", args![0, 9000, PROT_READ, MAP_SHARED, fd, 0])
        .flags(PROT_READ)
        .address_space(12288)
        .ok();
    t.fd(
        MMAP,
        fd,
        "m",
        args![0, PAGE, PROT_READ, MAP_SHARED, fd, 100],
    )
    .address_space(0)
    .fails(EINVAL);
    t.fd(
        MMAP,
        CLOSED,
        "",
        args![0, PAGE, PROT_READ, MAP_SHARED, CLOSED, 0],
    )
    .address_space(0)
    .fails(EBADF);
    // The pages of a file in another order.
    t.bare(REMAP_FILE_PAGES, args![mapped, PAGE, 0, 1, 0]).is(0);
    t.bare(REMAP_FILE_PAGES, args![mapped, PAGE, PROT_READ, 1, 0])
        .fails(EINVAL);
    // A second mapping of the same pages.
    let again = t
        .bare(MREMAP, args![mapped + PAGE, 0, 2 * PAGE, MREMAP_MAYMOVE])
        .flags(MREMAP_MAYMOVE)
        .address_space(8192)
        .ok();
    for (address, length) in [(again, 8192), (mapped, 12288)] {
        t.bare(MUNMAP, args![address, length])
            .any_name()
            .address_space(length)
            .is(0);
    }
    t.fd(CLOSE, fd, "m", args![fd]).is(0);
}

fn moved(t: &mut Tape) {
    let fixed = MREMAP_FIXED | MREMAP_MAYMOVE;
    let keep = MREMAP_DONTUNMAP | MREMAP_MAYMOVE;
    let address = map(t, 2);
    let grown = t
        .bare(MREMAP, args![address, 8192, 4 * PAGE, MREMAP_MAYMOVE])
        .flags(MREMAP_MAYMOVE)
        .address_space(16384)
        .ok();
    t.bare(MREMAP, args![grown, 4 * PAGE, 5000, 0])
        .flags(0)
        .address_space(16384)
        .is(grown);
    let place = map(t, 2);
    t.bare(MREMAP, args![grown, 8192, 8192, fixed, place])
        .flags(fixed)
        .address_space(8192)
        .is(place);
    let copy = t
        .bare(MREMAP, args![place, 8192, 8192, keep])
        .flags(keep)
        .address_space(8192)
        .ok();
    for (old, new, flags, errno) in [
        (place, HUGE, 0, ENOMEM),
        (place + 1, 8192, MREMAP_MAYMOVE, EINVAL),
        (place, 8192, 99, EINVAL),
        (place, 0, 0, EINVAL),
        (grown, 16384, MREMAP_MAYMOVE, EFAULT),
    ] {
        t.bare(MREMAP, args![old, 8192, new, flags])
            .flags(flags)
            .address_space(0)
            .fails(errno);
    }
    for address in [place, copy] {
        t.bare(MUNMAP, args![address, 8192])
            .address_space(8192)
            .is(0);
    }
}

/// `brk`, which never answers an error: where it refuses it answers the end as it is.
fn heap(t: &mut Tape) {
    t.apart(|t| {
        let end = t.bare(BRK, args![0]).address_space(0).ok();
        assert_eq!(end % PAGE, 0, "the allocator takes whole pages");
        for (wanted, answer, distance) in [
            (end + 5000, end + 5000, 8192),
            (end + 6000, end + 6000, 0),
            (end + 8192, end + 8192, 0),
            (end + 8193, end + 8193, 4096),
            (8, end + 8193, 0),
            (end + HUGE, end + 8193, 0),
            (end + 1, end + 1, 8192),
            (end, end, 4096),
        ] {
            t.bare(BRK, args![wanted])
                .address_space(distance)
                .is(answer);
        }
    });
}

/// `mprotect`, protection keys, and `mseal`.
fn protection(t: &mut Tape) {
    t.apart(|t| {
        let memory = map(t, 3);
        for prot in [PROT_READ, PROT_NONE, PROT_READ | PROT_EXEC] {
            t.bare(MPROTECT, args![memory, PAGE, prot])
                .flags(prot)
                .is(0);
            t.bare(PKEY_MPROTECT, args![memory, PAGE, prot, -1])
                .flags(prot)
                .is(0);
        }
        t.bare(MPROTECT, args![memory + 1, PAGE, PROT_READ])
            .flags(PROT_READ)
            .fails(EINVAL);
        t.bare(MPROTECT, args![NOWHERE, PAGE, PROT_READ])
            .flags(PROT_READ)
            .fails(ENOMEM);
        t.bare(PKEY_MPROTECT, args![memory, PAGE, PROT_READ, 15])
            .flags(PROT_READ)
            .fails(EINVAL);
        // Not every processor has keys.
        let key = t.bare(PKEY_ALLOC, args![0, 0]).done();
        t.bare(PKEY_ALLOC, args![1, 0]).fails(EINVAL);
        t.bare(PKEY_FREE, args![key]).done();
        t.bare(PKEY_FREE, args![99]).fails(EINVAL);

        let fd = t
            .open(OPEN, "r", args![c"r", O_CREAT | O_RDONLY, 0o644])
            .ok() as i32;
        let file = t
            .fd(MMAP, fd, "r", args![0, PAGE, PROT_READ, MAP_SHARED, fd, 0])
            .flags(PROT_READ)
            .address_space(4096)
            .ok();
        t.bare(MPROTECT, args![file, PAGE, PROT_WRITE])
            .flags(PROT_WRITE)
            .fails(EACCES);
        t.fd(CLOSE, fd, "r", args![fd]).is(0);

        t.bare(MSEAL, args![memory, PAGE, 1]).fails(EINVAL);
        t.bare(MSEAL, args![NOWHERE, PAGE, 0]).fails(ENOMEM);
        t.bare(MSEAL, args![memory, PAGE, 0]).is(0);
        t.bare(MPROTECT, args![memory, PAGE, PROT_WRITE])
            .flags(PROT_WRITE)
            .fails(EPERM);
        t.bare(MUNMAP, args![memory, PAGE])
            .address_space(0)
            .fails(EPERM);
    });
}

/// `mlock` and its like, `mincore`, `madvise`.
fn residency(t: &mut Tape) {
    const MLOCK_ONFAULT: i32 = 1;
    t.apart(|t| {
        let memory = map(t, 4);
        t.bare(MLOCK, args![memory, 8192]).is(0);
        t.bare(MLOCK, args![NOWHERE, PAGE]).fails(ENOMEM);
        t.bare(MLOCK2, args![memory, PAGE, MLOCK_ONFAULT]).is(0);
        t.bare(MLOCK2, args![memory, PAGE, 99]).fails(EINVAL);
        t.bare(MUNLOCK, args![memory, 8192]).is(0);
        t.bare(MUNLOCK, args![NOWHERE, PAGE]).fails(ENOMEM);
        t.bare(MLOCKALL, args![libc::MCL_FUTURE | libc::MCL_ONFAULT])
            .is(0);
        t.bare(MLOCKALL, args![0]).fails(EINVAL);
        t.bare(MUNLOCKALL, &[]).is(0);

        let seen = &mut [0u8; 4];
        t.bare(MINCORE, args![memory, 4 * PAGE, &mut *seen]).is(0);
        t.bare(MINCORE, args![memory + 1, PAGE, &mut *seen])
            .fails(EINVAL);
        t.bare(MINCORE, args![NOWHERE, PAGE, &mut *seen])
            .fails(ENOMEM);
        t.bare(MINCORE, args![memory, PAGE, 8]).fails(EFAULT);
        t.bare(MADVISE, args![memory, PAGE, libc::MADV_DONTNEED])
            .is(0);
        t.bare(MADVISE, args![memory, PAGE, 9999]).fails(EINVAL);
        t.bare(MADVISE, args![NOWHERE, PAGE, libc::MADV_DONTNEED])
            .fails(ENOMEM);
    });
}

/// `process_madvise`, `process_mrelease`.
fn other_processes_memory(t: &mut Tape) {
    const MADV_COLD: i32 = 20;
    t.apart(|t| {
        let memory = map(t, 2);
        let (fd, name) = t.outside(|t| {
            let fd = call(PIDFD_OPEN.nr, args![t.ids().0, 0]) as i32;
            (fd, t.proc_name(fd))
        });
        let part = &[[memory, 8192]];
        t.fd(PROCESS_MADVISE, fd, &name, args![fd, part, 1, MADV_COLD, 0])
            .is(8192);
        t.fd(PROCESS_MADVISE, fd, &name, args![fd, part, 1, MADV_COLD, 1])
            .fails(EINVAL);
        t.fd(
            PROCESS_MADVISE,
            CLOSED,
            "",
            args![CLOSED, part, 1, MADV_COLD, 0],
        )
        .fails(EBADF);
        // This process is not dying; `ptrace` has one that is.
        t.fd(PROCESS_MRELEASE, fd, &name, args![fd, 0])
            .fails(EINVAL);
        t.fd(PROCESS_MRELEASE, CLOSED, "", args![CLOSED, 0])
            .fails(EBADF);
    });
}

/// On which node of a machine memory lies.
fn memory_placement(t: &mut Tape) {
    const MPOL_BIND: i32 = 2;
    const MPOL_F_ADDR: i32 = 2;
    let first = &[1u64];
    t.apart(|t| {
        let memory = map(t, 2);
        t.bare(MBIND, args![memory, 8192, MPOL_BIND, first, 64, 0])
            .is(0);
        t.bare(MBIND, args![memory, 8192, 99, first, 64, 0])
            .fails(EINVAL);
        t.bare(MBIND, args![NOWHERE, 8192, MPOL_BIND, first, 64, 0])
            .fails(EFAULT);
        t.bare(SET_MEMPOLICY_HOME_NODE, args![memory, 8192, 0, 0])
            .is(0);
        t.bare(SET_MEMPOLICY_HOME_NODE, args![memory, 8192, 0, 1])
            .fails(EINVAL);
        let mode = &mut [0i32; 1];
        t.bare(GET_MEMPOLICY, args![&mut *mode, 0, 0, memory, MPOL_F_ADDR])
            .is(0);
        t.bare(GET_MEMPOLICY, args![&mut *mode, 0, 0, NOWHERE, MPOL_F_ADDR])
            .fails(EFAULT);
        t.bare(SET_MEMPOLICY, args![0, 0, 0]).is(0);
        t.bare(SET_MEMPOLICY, args![99, 0, 0]).fails(EINVAL);
        t.bare(MIGRATE_PAGES, args![0, 64, first, first]).is(0);
        t.bare(MIGRATE_PAGES, args![NO_PROCESS, 64, first, first])
            .fails(ESRCH);
        let status = &mut [0i32; 1];
        t.bare(MOVE_PAGES, args![0, 1, &[memory], 0, &mut *status, 0])
            .is(0);
        t.bare(MOVE_PAGES, args![0, 1, &[memory], 0, &mut *status, 99])
            .fails(EINVAL);
        t.bare(
            MOVE_PAGES,
            args![NO_PROCESS, 1, &[memory], 0, &mut *status, 0],
        )
        .fails(ESRCH);
    });
}
