//! Flags of futexes, System V IPC, event and timer descriptors, timers and asynchronous I/O.

use super::{Part, flag, one_of};

pub(super) const FUTEX: &[Part] = &[
    one_of(0xffff_fe7f, 0, "FUTEX_WAIT"),
    one_of(0xffff_fe7f, 1, "FUTEX_WAKE"),
    one_of(0xffff_fe7f, 2, "FUTEX_FD"),
    one_of(0xffff_fe7f, 3, "FUTEX_REQUEUE"),
    one_of(0xffff_fe7f, 4, "FUTEX_CMP_REQUEUE"),
    one_of(0xffff_fe7f, 5, "FUTEX_WAKE_OP"),
    one_of(0xffff_fe7f, 6, "FUTEX_LOCK_PI"),
    one_of(0xffff_fe7f, 7, "FUTEX_UNLOCK_PI"),
    one_of(0xffff_fe7f, 8, "FUTEX_TRYLOCK_PI"),
    one_of(0xffff_fe7f, 9, "FUTEX_WAIT_BITSET"),
    one_of(0xffff_fe7f, 10, "FUTEX_WAKE_BITSET"),
    one_of(0xffff_fe7f, 11, "FUTEX_WAIT_REQUEUE_PI"),
    one_of(0xffff_fe7f, 12, "FUTEX_CMP_REQUEUE_PI"),
    one_of(0xffff_fe7f, 13, "FUTEX_LOCK_PI2"),
    flag(0x80, "FUTEX_PRIVATE_FLAG"),
    flag(0x100, "FUTEX_CLOCK_REALTIME"),
];

pub(super) const FUTEX2: &[Part] = &[
    one_of(3, 0, "FUTEX2_SIZE_U8"),
    one_of(3, 1, "FUTEX2_SIZE_U16"),
    one_of(3, 2, "FUTEX2_SIZE_U32"),
    one_of(3, 3, "FUTEX2_SIZE_U64"),
    flag(4, "FUTEX2_NUMA"),
    flag(8, "FUTEX2_MPOL"),
    flag(0x80, "FUTEX2_PRIVATE"),
];

pub(super) const IPC_GET: &[Part] = &[flag(0o1000, "IPC_CREAT"), flag(0o2000, "IPC_EXCL")];

pub(super) const SHM_GET: &[Part] = &[
    flag(0o1000, "IPC_CREAT"),
    flag(0o2000, "IPC_EXCL"),
    flag(0o4000, "SHM_HUGETLB"),
    flag(0o10_000, "SHM_NORESERVE"),
];

pub(super) const SHM_HUGE_SIZE: &[Part] = &[
    one_of(0xfc00_0000, 0x5400_0000, "SHM_HUGE_2MB"),
    one_of(0xfc00_0000, 0x7800_0000, "SHM_HUGE_1GB"),
];

pub(super) const SHM_AT: &[Part] = &[
    flag(0o10_000, "SHM_RDONLY"),
    flag(0o20_000, "SHM_RND"),
    flag(0o40_000, "SHM_REMAP"),
    flag(0o100_000, "SHM_EXEC"),
];

pub(super) const MESSAGE: &[Part] = &[
    flag(0o4000, "IPC_NOWAIT"),
    flag(0o10_000, "MSG_NOERROR"),
    flag(0o20_000, "MSG_EXCEPT"),
    flag(0o40_000, "MSG_COPY"),
];

/// Commands of all three; `IPC_64` asks for the newer structures.
pub(super) const IPC_CTL: &[Part] = &[
    one_of(0xffff_feff, 0, "IPC_RMID"),
    one_of(0xffff_feff, 1, "IPC_SET"),
    one_of(0xffff_feff, 2, "IPC_STAT"),
    one_of(0xffff_feff, 3, "IPC_INFO"),
];

pub(super) const IPC_64: &[Part] = &[flag(0x100, "IPC_64")];

pub(super) const SEM_CTL: &[Part] = &[
    one_of(0xffff_feff, 11, "GETPID"),
    one_of(0xffff_feff, 12, "GETVAL"),
    one_of(0xffff_feff, 13, "GETALL"),
    one_of(0xffff_feff, 14, "GETNCNT"),
    one_of(0xffff_feff, 15, "GETZCNT"),
    one_of(0xffff_feff, 16, "SETVAL"),
    one_of(0xffff_feff, 17, "SETALL"),
    one_of(0xffff_feff, 18, "SEM_STAT"),
    one_of(0xffff_feff, 19, "SEM_INFO"),
    one_of(0xffff_feff, 20, "SEM_STAT_ANY"),
];

pub(super) const MSG_CTL: &[Part] = &[
    one_of(0xffff_feff, 11, "MSG_STAT"),
    one_of(0xffff_feff, 12, "MSG_INFO"),
    one_of(0xffff_feff, 13, "MSG_STAT_ANY"),
];

pub(super) const SHM_CTL: &[Part] = &[
    one_of(0xffff_feff, 11, "SHM_LOCK"),
    one_of(0xffff_feff, 12, "SHM_UNLOCK"),
    one_of(0xffff_feff, 13, "SHM_STAT"),
    one_of(0xffff_feff, 14, "SHM_INFO"),
    one_of(0xffff_feff, 15, "SHM_STAT_ANY"),
];

/// What i386's `ipc` is to do; the upper half is a version.
pub(super) const IPC_CALL: &[Part] = &[
    one_of(0xffff, 1, "SEMOP"),
    one_of(0xffff, 2, "SEMGET"),
    one_of(0xffff, 3, "SEMCTL"),
    one_of(0xffff, 4, "SEMTIMEDOP"),
    one_of(0xffff, 11, "MSGSND"),
    one_of(0xffff, 12, "MSGRCV"),
    one_of(0xffff, 13, "MSGGET"),
    one_of(0xffff, 14, "MSGCTL"),
    one_of(0xffff, 21, "SHMAT"),
    one_of(0xffff, 22, "SHMDT"),
    one_of(0xffff, 23, "SHMGET"),
    one_of(0xffff, 24, "SHMCTL"),
];

pub(super) const EVENTFD: &[Part] = &[
    flag(1, "EFD_SEMAPHORE"),
    flag(0o4000, "EFD_NONBLOCK"),
    flag(0o2_000_000, "EFD_CLOEXEC"),
];

pub(super) const EPOLL: &[Part] = &[flag(0o2_000_000, "EPOLL_CLOEXEC")];

pub(super) const SIGNALFD: &[Part] = &[
    flag(0o4000, "SFD_NONBLOCK"),
    flag(0o2_000_000, "SFD_CLOEXEC"),
];

pub(super) const TIMERFD: &[Part] = &[
    flag(0o4000, "TFD_NONBLOCK"),
    flag(0o2_000_000, "TFD_CLOEXEC"),
];

pub(super) const TIMERFD_SET: &[Part] = &[
    flag(1, "TFD_TIMER_ABSTIME"),
    flag(2, "TFD_TIMER_CANCEL_ON_SET"),
];

pub(super) const TIMER: &[Part] = &[flag(1, "TIMER_ABSTIME")];

pub(super) const URING_ENTER: &[Part] = &[
    flag(1, "IORING_ENTER_GETEVENTS"),
    flag(2, "IORING_ENTER_SQ_WAKEUP"),
    flag(4, "IORING_ENTER_SQ_WAIT"),
    flag(8, "IORING_ENTER_EXT_ARG"),
    flag(0x10, "IORING_ENTER_REGISTERED_RING"),
    flag(0x20, "IORING_ENTER_ABS_TIMER"),
    flag(0x40, "IORING_ENTER_EXT_ARG_REG"),
    flag(0x80, "IORING_ENTER_NO_IOWAIT"),
];

pub(super) const URING_REGISTER: &[Part] = &[
    one_of(0x7fff_ffff, 0, "IORING_REGISTER_BUFFERS"),
    one_of(0x7fff_ffff, 1, "IORING_UNREGISTER_BUFFERS"),
    one_of(0x7fff_ffff, 2, "IORING_REGISTER_FILES"),
    one_of(0x7fff_ffff, 3, "IORING_UNREGISTER_FILES"),
    one_of(0x7fff_ffff, 4, "IORING_REGISTER_EVENTFD"),
    one_of(0x7fff_ffff, 5, "IORING_UNREGISTER_EVENTFD"),
    one_of(0x7fff_ffff, 6, "IORING_REGISTER_FILES_UPDATE"),
    one_of(0x7fff_ffff, 7, "IORING_REGISTER_EVENTFD_ASYNC"),
    one_of(0x7fff_ffff, 8, "IORING_REGISTER_PROBE"),
    one_of(0x7fff_ffff, 9, "IORING_REGISTER_PERSONALITY"),
    one_of(0x7fff_ffff, 10, "IORING_UNREGISTER_PERSONALITY"),
    one_of(0x7fff_ffff, 11, "IORING_REGISTER_RESTRICTIONS"),
    one_of(0x7fff_ffff, 12, "IORING_REGISTER_ENABLE_RINGS"),
    one_of(0x7fff_ffff, 13, "IORING_REGISTER_FILES2"),
    one_of(0x7fff_ffff, 14, "IORING_REGISTER_FILES_UPDATE2"),
    one_of(0x7fff_ffff, 15, "IORING_REGISTER_BUFFERS2"),
    one_of(0x7fff_ffff, 16, "IORING_REGISTER_BUFFERS_UPDATE"),
    one_of(0x7fff_ffff, 17, "IORING_REGISTER_IOWQ_AFF"),
    one_of(0x7fff_ffff, 18, "IORING_UNREGISTER_IOWQ_AFF"),
    one_of(0x7fff_ffff, 19, "IORING_REGISTER_IOWQ_MAX_WORKERS"),
    one_of(0x7fff_ffff, 20, "IORING_REGISTER_RING_FDS"),
    one_of(0x7fff_ffff, 21, "IORING_UNREGISTER_RING_FDS"),
    one_of(0x7fff_ffff, 22, "IORING_REGISTER_PBUF_RING"),
    one_of(0x7fff_ffff, 23, "IORING_UNREGISTER_PBUF_RING"),
    one_of(0x7fff_ffff, 24, "IORING_REGISTER_SYNC_CANCEL"),
    one_of(0x7fff_ffff, 25, "IORING_REGISTER_FILE_ALLOC_RANGE"),
    one_of(0x7fff_ffff, 26, "IORING_REGISTER_PBUF_STATUS"),
    one_of(0x7fff_ffff, 27, "IORING_REGISTER_NAPI"),
    one_of(0x7fff_ffff, 28, "IORING_UNREGISTER_NAPI"),
    one_of(0x7fff_ffff, 29, "IORING_REGISTER_CLOCK"),
    one_of(0x7fff_ffff, 30, "IORING_REGISTER_CLONE_BUFFERS"),
    one_of(0x7fff_ffff, 31, "IORING_REGISTER_SEND_MSG_RING"),
    one_of(0x7fff_ffff, 32, "IORING_REGISTER_ZCRX_IFQ"),
    one_of(0x7fff_ffff, 33, "IORING_REGISTER_RESIZE_RINGS"),
    one_of(0x7fff_ffff, 34, "IORING_REGISTER_MEM_REGION"),
    one_of(0x7fff_ffff, 35, "IORING_REGISTER_QUERY"),
    one_of(0x7fff_ffff, 36, "IORING_REGISTER_ZCRX_CTRL"),
    one_of(0x7fff_ffff, 37, "IORING_REGISTER_BPF_FILTER"),
    flag(0x8000_0000, "IORING_REGISTER_USE_REGISTERED_RING"),
];
