//! Flags of calls on the address space and on memory files.

use super::{Part, flag, one_of, value};

pub(super) const PROT: &[Part] = &[
    flag(1, "PROT_READ"),
    flag(2, "PROT_WRITE"),
    flag(4, "PROT_EXEC"),
    flag(8, "PROT_SEM"),
    flag(0x100_0000, "PROT_GROWSDOWN"),
    flag(0x200_0000, "PROT_GROWSUP"),
];

pub(super) const PROT_ARM64: &[Part] = &[flag(0x10, "PROT_BTI"), flag(0x20, "PROT_MTE")];

pub(super) const MADVISE: &[Part] = &[
    value(0, "MADV_NORMAL"),
    value(1, "MADV_RANDOM"),
    value(2, "MADV_SEQUENTIAL"),
    value(3, "MADV_WILLNEED"),
    value(4, "MADV_DONTNEED"),
    value(8, "MADV_FREE"),
    value(9, "MADV_REMOVE"),
    value(10, "MADV_DONTFORK"),
    value(11, "MADV_DOFORK"),
    value(12, "MADV_MERGEABLE"),
    value(13, "MADV_UNMERGEABLE"),
    value(14, "MADV_HUGEPAGE"),
    value(15, "MADV_NOHUGEPAGE"),
    value(16, "MADV_DONTDUMP"),
    value(17, "MADV_DODUMP"),
    value(18, "MADV_WIPEONFORK"),
    value(19, "MADV_KEEPONFORK"),
    value(20, "MADV_COLD"),
    value(21, "MADV_PAGEOUT"),
    value(22, "MADV_POPULATE_READ"),
    value(23, "MADV_POPULATE_WRITE"),
    value(24, "MADV_DONTNEED_LOCKED"),
    value(25, "MADV_COLLAPSE"),
    value(100, "MADV_HWPOISON"),
    value(101, "MADV_SOFT_OFFLINE"),
    value(102, "MADV_GUARD_INSTALL"),
    value(103, "MADV_GUARD_REMOVE"),
];

pub(super) const MAP: &[Part] = &[
    one_of(15, 1, "MAP_SHARED"),
    one_of(15, 2, "MAP_PRIVATE"),
    one_of(15, 3, "MAP_SHARED_VALIDATE"),
    one_of(15, 8, "MAP_DROPPABLE"),
    flag(0x10, "MAP_FIXED"),
    flag(0x20, "MAP_ANONYMOUS"),
    flag(0x40, "MAP_32BIT"),
    flag(0x100, "MAP_GROWSDOWN"),
    flag(0x800, "MAP_DENYWRITE"),
    flag(0x1000, "MAP_EXECUTABLE"),
    flag(0x2000, "MAP_LOCKED"),
    flag(0x4000, "MAP_NORESERVE"),
    flag(0x8000, "MAP_POPULATE"),
    flag(0x1_0000, "MAP_NONBLOCK"),
    flag(0x2_0000, "MAP_STACK"),
    flag(0x4_0000, "MAP_HUGETLB"),
    flag(0x8_0000, "MAP_SYNC"),
    flag(0x10_0000, "MAP_FIXED_NOREPLACE"),
];

pub(super) const MREMAP: &[Part] = &[
    flag(1, "MREMAP_MAYMOVE"),
    flag(2, "MREMAP_FIXED"),
    flag(4, "MREMAP_DONTUNMAP"),
];

pub(super) const MSYNC: &[Part] = &[
    flag(1, "MS_ASYNC"),
    flag(2, "MS_INVALIDATE"),
    flag(4, "MS_SYNC"),
];

pub(super) const MLOCKALL: &[Part] = &[
    flag(1, "MCL_CURRENT"),
    flag(2, "MCL_FUTURE"),
    flag(4, "MCL_ONFAULT"),
];

pub(super) const MLOCK: &[Part] = &[flag(1, "MLOCK_ONFAULT")];

pub(super) const MEMFD: &[Part] = &[
    flag(1, "MFD_CLOEXEC"),
    flag(2, "MFD_ALLOW_SEALING"),
    flag(4, "MFD_HUGETLB"),
    flag(8, "MFD_NOEXEC_SEAL"),
    flag(0x10, "MFD_EXEC"),
];

/// The size of huge pages, as a power of two, in the upper six bits.
pub(super) const HUGE_SIZE: &[Part] = &[
    one_of(0xfc00_0000, 0x4000_0000, "MFD_HUGE_64KB"),
    one_of(0xfc00_0000, 0x4c00_0000, "MFD_HUGE_512KB"),
    one_of(0xfc00_0000, 0x5000_0000, "MFD_HUGE_1MB"),
    one_of(0xfc00_0000, 0x5400_0000, "MFD_HUGE_2MB"),
    one_of(0xfc00_0000, 0x5c00_0000, "MFD_HUGE_8MB"),
    one_of(0xfc00_0000, 0x6000_0000, "MFD_HUGE_16MB"),
    one_of(0xfc00_0000, 0x6400_0000, "MFD_HUGE_32MB"),
    one_of(0xfc00_0000, 0x7000_0000, "MFD_HUGE_256MB"),
    one_of(0xfc00_0000, 0x7400_0000, "MFD_HUGE_512MB"),
    one_of(0xfc00_0000, 0x7800_0000, "MFD_HUGE_1GB"),
    one_of(0xfc00_0000, 0x7c00_0000, "MFD_HUGE_2GB"),
    one_of(0xfc00_0000, 0x8800_0000, "MFD_HUGE_16GB"),
];

pub(super) const CLOSE_ON_EXEC: &[Part] = &[flag(0o2_000_000, "O_CLOEXEC")];

pub(super) const USERFAULTFD: &[Part] = &[
    flag(1, "UFFD_USER_MODE_ONLY"),
    flag(0o4000, "O_NONBLOCK"),
    flag(0o2_000_000, "O_CLOEXEC"),
];

pub(super) const MEMORY_POLICY: &[Part] = &[
    one_of(0xffff_1fff, 0, "MPOL_DEFAULT"),
    one_of(0xffff_1fff, 1, "MPOL_PREFERRED"),
    one_of(0xffff_1fff, 2, "MPOL_BIND"),
    one_of(0xffff_1fff, 3, "MPOL_INTERLEAVE"),
    one_of(0xffff_1fff, 4, "MPOL_LOCAL"),
    one_of(0xffff_1fff, 5, "MPOL_PREFERRED_MANY"),
    one_of(0xffff_1fff, 6, "MPOL_WEIGHTED_INTERLEAVE"),
    flag(0x2000, "MPOL_F_NUMA_BALANCING"),
    flag(0x4000, "MPOL_F_RELATIVE_NODES"),
    flag(0x8000, "MPOL_F_STATIC_NODES"),
];

pub(super) const GET_MEMORY_POLICY: &[Part] = &[
    flag(1, "MPOL_F_NODE"),
    flag(2, "MPOL_F_ADDR"),
    flag(4, "MPOL_F_MEMS_ALLOWED"),
];

pub(super) const MOVE_PAGES: &[Part] = &[
    flag(1, "MPOL_MF_STRICT"),
    flag(2, "MPOL_MF_MOVE"),
    flag(4, "MPOL_MF_MOVE_ALL"),
];

pub(super) const SHADOW_STACK: &[Part] = &[
    flag(1, "SHADOW_STACK_SET_TOKEN"),
    flag(2, "SHADOW_STACK_SET_MARKER"),
];

pub(super) const SWAPON: &[Part] = &[
    flag(0x8000, "SWAP_FLAG_PREFER"),
    flag(0x1_0000, "SWAP_FLAG_DISCARD"),
    flag(0x2_0000, "SWAP_FLAG_DISCARD_ONCE"),
    flag(0x4_0000, "SWAP_FLAG_DISCARD_PAGES"),
];
