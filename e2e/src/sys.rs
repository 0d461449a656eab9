//! Raw system calls, so that exactly the stated calls are made; the only unsafe code of the package.
//!
//! The safe wrapper is safe by convention only: a scenario passes sizes that fit its buffers, or wrong addresses on
//! purpose, which the kernel answers with an error.

use std::ffi::{CStr, CString, c_int, c_long, c_void};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicI32, Ordering};

/// A traced system call: the tracepoint's name and the number.
#[derive(Debug, Clone, Copy)]
pub struct Sys {
    /// Name as in the tracefs listing.
    pub name: &'static str,
    /// Number.
    pub nr: c_long,
}

macro_rules! calls {
    ($(#[$doc:meta])* $list:ident: $($name:ident = $tracepoint:literal ($nr:expr);)*) => {
        $(
            #[doc = concat!("`", $tracepoint, "`")]
            pub const $name: Sys = Sys { name: $tracepoint, nr: $nr };
        )*
        $(#[$doc])*
        pub const $list: &[Sys] = &[$($name),*];
    };
}

calls! {
    /// Every call that is traced unless something else is asked for.
    DEFAULT:
    OPEN = "open" (libc::SYS_open);
    OPENAT = "openat" (libc::SYS_openat);
    OPENAT2 = "openat2" (libc::SYS_openat2);
    CREAT = "creat" (libc::SYS_creat);
    CLOSE = "close" (libc::SYS_close);
    CLOSE_RANGE = "close_range" (libc::SYS_close_range);
    READ = "read" (libc::SYS_read);
    PREAD64 = "pread64" (libc::SYS_pread64);
    READV = "readv" (libc::SYS_readv);
    PREADV = "preadv" (libc::SYS_preadv);
    PREADV2 = "preadv2" (libc::SYS_preadv2);
    WRITE = "write" (libc::SYS_write);
    PWRITE64 = "pwrite64" (libc::SYS_pwrite64);
    WRITEV = "writev" (libc::SYS_writev);
    PWRITEV = "pwritev" (libc::SYS_pwritev);
    PWRITEV2 = "pwritev2" (libc::SYS_pwritev2);
    LSEEK = "lseek" (libc::SYS_lseek);
    NEWSTAT = "newstat" (libc::SYS_stat);
    NEWLSTAT = "newlstat" (libc::SYS_lstat);
    NEWFSTAT = "newfstat" (libc::SYS_fstat);
    NEWFSTATAT = "newfstatat" (libc::SYS_newfstatat);
    STATX = "statx" (libc::SYS_statx);
    STATFS = "statfs" (libc::SYS_statfs);
    FSTATFS = "fstatfs" (libc::SYS_fstatfs);
    ACCESS = "access" (libc::SYS_access);
    FACCESSAT = "faccessat" (libc::SYS_faccessat);
    FACCESSAT2 = "faccessat2" (libc::SYS_faccessat2);
    GETDENTS = "getdents" (libc::SYS_getdents);
    GETDENTS64 = "getdents64" (libc::SYS_getdents64);
    GETCWD = "getcwd" (libc::SYS_getcwd);
    CHDIR = "chdir" (libc::SYS_chdir);
    FCHDIR = "fchdir" (libc::SYS_fchdir);
    MKDIR = "mkdir" (libc::SYS_mkdir);
    MKDIRAT = "mkdirat" (libc::SYS_mkdirat);
    RMDIR = "rmdir" (libc::SYS_rmdir);
    UNLINK = "unlink" (libc::SYS_unlink);
    UNLINKAT = "unlinkat" (libc::SYS_unlinkat);
    RENAME = "rename" (libc::SYS_rename);
    RENAMEAT = "renameat" (libc::SYS_renameat);
    RENAMEAT2 = "renameat2" (libc::SYS_renameat2);
    LINK = "link" (libc::SYS_link);
    LINKAT = "linkat" (libc::SYS_linkat);
    SYMLINK = "symlink" (libc::SYS_symlink);
    SYMLINKAT = "symlinkat" (libc::SYS_symlinkat);
    READLINK = "readlink" (libc::SYS_readlink);
    READLINKAT = "readlinkat" (libc::SYS_readlinkat);
    CHMOD = "chmod" (libc::SYS_chmod);
    FCHMOD = "fchmod" (libc::SYS_fchmod);
    FCHMODAT = "fchmodat" (libc::SYS_fchmodat);
    CHOWN = "chown" (libc::SYS_chown);
    FCHOWN = "fchown" (libc::SYS_fchown);
    LCHOWN = "lchown" (libc::SYS_lchown);
    FCHOWNAT = "fchownat" (libc::SYS_fchownat);
    UTIMENSAT = "utimensat" (libc::SYS_utimensat);
    TRUNCATE = "truncate" (libc::SYS_truncate);
    FTRUNCATE = "ftruncate" (libc::SYS_ftruncate);
    FALLOCATE = "fallocate" (libc::SYS_fallocate);
    FADVISE64 = "fadvise64" (libc::SYS_fadvise64);
    FSYNC = "fsync" (libc::SYS_fsync);
    FDATASYNC = "fdatasync" (libc::SYS_fdatasync);
    SYNC = "sync" (libc::SYS_sync);
    SYNCFS = "syncfs" (libc::SYS_syncfs);
    SYNC_FILE_RANGE = "sync_file_range" (libc::SYS_sync_file_range);
    MSYNC = "msync" (libc::SYS_msync);
    MMAP = "mmap" (libc::SYS_mmap);
    MUNMAP = "munmap" (libc::SYS_munmap);
    DUP = "dup" (libc::SYS_dup);
    DUP2 = "dup2" (libc::SYS_dup2);
    DUP3 = "dup3" (libc::SYS_dup3);
    FCNTL = "fcntl" (libc::SYS_fcntl);
    IOCTL = "ioctl" (libc::SYS_ioctl);
    FLOCK = "flock" (libc::SYS_flock);
    PIPE = "pipe" (libc::SYS_pipe);
    PIPE2 = "pipe2" (libc::SYS_pipe2);
    SOCKET = "socket" (libc::SYS_socket);
    SENDTO = "sendto" (libc::SYS_sendto);
    RECVFROM = "recvfrom" (libc::SYS_recvfrom);
    SENDMSG = "sendmsg" (libc::SYS_sendmsg);
    RECVMSG = "recvmsg" (libc::SYS_recvmsg);
    SENDFILE64 = "sendfile64" (libc::SYS_sendfile);
    COPY_FILE_RANGE = "copy_file_range" (libc::SYS_copy_file_range);
    SPLICE = "splice" (libc::SYS_splice);
    TEE = "tee" (libc::SYS_tee);
    EXECVE = "execve" (libc::SYS_execve);
    EXECVEAT = "execveat" (libc::SYS_execveat);
    EXIT = "exit" (libc::SYS_exit);
    EXIT_GROUP = "exit_group" (libc::SYS_exit_group);
    IO_URING_SETUP = "io_uring_setup" (libc::SYS_io_uring_setup);
    IO_URING_ENTER = "io_uring_enter" (libc::SYS_io_uring_enter);
    IO_URING_REGISTER = "io_uring_register" (libc::SYS_io_uring_register);
    IO_SETUP = "io_setup" (libc::SYS_io_setup);
    IO_SUBMIT = "io_submit" (libc::SYS_io_submit);
    IO_GETEVENTS = "io_getevents" (libc::SYS_io_getevents);
    IO_DESTROY = "io_destroy" (libc::SYS_io_destroy);
    EVENTFD2 = "eventfd2" (libc::SYS_eventfd2);
    EPOLL_CREATE1 = "epoll_create1" (libc::SYS_epoll_create1);
    INOTIFY_INIT1 = "inotify_init1" (libc::SYS_inotify_init1);
    MEMFD_CREATE = "memfd_create" (libc::SYS_memfd_create);
    CACHESTAT = "cachestat" (451);
    CHROOT = "chroot" (libc::SYS_chroot);
    FANOTIFY_INIT = "fanotify_init" (libc::SYS_fanotify_init);
    FANOTIFY_MARK = "fanotify_mark" (libc::SYS_fanotify_mark);
    FCHMODAT2 = "fchmodat2" (libc::SYS_fchmodat2);
    FGETXATTR = "fgetxattr" (libc::SYS_fgetxattr);
    FILE_GETATTR = "file_getattr" (468);
    FILE_SETATTR = "file_setattr" (469);
    FLISTXATTR = "flistxattr" (libc::SYS_flistxattr);
    FREMOVEXATTR = "fremovexattr" (libc::SYS_fremovexattr);
    FSCONFIG = "fsconfig" (libc::SYS_fsconfig);
    FSETXATTR = "fsetxattr" (libc::SYS_fsetxattr);
    FSMOUNT = "fsmount" (libc::SYS_fsmount);
    FSOPEN = "fsopen" (libc::SYS_fsopen);
    FSPICK = "fspick" (libc::SYS_fspick);
    FUTIMESAT = "futimesat" (libc::SYS_futimesat);
    GETXATTR = "getxattr" (libc::SYS_getxattr);
    GETXATTRAT = "getxattrat" (464);
    INOTIFY_ADD_WATCH = "inotify_add_watch" (libc::SYS_inotify_add_watch);
    INOTIFY_INIT = "inotify_init" (libc::SYS_inotify_init);
    INOTIFY_RM_WATCH = "inotify_rm_watch" (libc::SYS_inotify_rm_watch);
    LGETXATTR = "lgetxattr" (libc::SYS_lgetxattr);
    LISTMOUNT = "listmount" (458);
    LISTXATTR = "listxattr" (libc::SYS_listxattr);
    LISTXATTRAT = "listxattrat" (465);
    LLISTXATTR = "llistxattr" (libc::SYS_llistxattr);
    LREMOVEXATTR = "lremovexattr" (libc::SYS_lremovexattr);
    LSETXATTR = "lsetxattr" (libc::SYS_lsetxattr);
    MKNOD = "mknod" (libc::SYS_mknod);
    MKNODAT = "mknodat" (libc::SYS_mknodat);
    MOUNT = "mount" (libc::SYS_mount);
    MOUNT_SETATTR = "mount_setattr" (libc::SYS_mount_setattr);
    MOVE_MOUNT = "move_mount" (libc::SYS_move_mount);
    NAME_TO_HANDLE_AT = "name_to_handle_at" (libc::SYS_name_to_handle_at);
    OPEN_BY_HANDLE_AT = "open_by_handle_at" (libc::SYS_open_by_handle_at);
    OPEN_TREE = "open_tree" (libc::SYS_open_tree);
    OPEN_TREE_ATTR = "open_tree_attr" (467);
    PIVOT_ROOT = "pivot_root" (libc::SYS_pivot_root);
    QUOTACTL = "quotactl" (libc::SYS_quotactl);
    QUOTACTL_FD = "quotactl_fd" (libc::SYS_quotactl_fd);
    READAHEAD = "readahead" (libc::SYS_readahead);
    REMOVEXATTR = "removexattr" (libc::SYS_removexattr);
    REMOVEXATTRAT = "removexattrat" (466);
    SETXATTR = "setxattr" (libc::SYS_setxattr);
    SETXATTRAT = "setxattrat" (463);
    STATMOUNT = "statmount" (457);
    SYSFS = "sysfs" (libc::SYS_sysfs);
    UMASK = "umask" (libc::SYS_umask);
    UMOUNT = "umount" (libc::SYS_umount2);
    USTAT = "ustat" (libc::SYS_ustat);
    UTIME = "utime" (libc::SYS_utime);
    UTIMES = "utimes" (libc::SYS_utimes);
    VMSPLICE = "vmsplice" (libc::SYS_vmsplice);
    IO_CANCEL = "io_cancel" (libc::SYS_io_cancel);
    IO_PGETEVENTS = "io_pgetevents" (333);
    ACCEPT = "accept" (libc::SYS_accept);
    ACCEPT4 = "accept4" (libc::SYS_accept4);
    RECVMMSG = "recvmmsg" (libc::SYS_recvmmsg);
    SENDMMSG = "sendmmsg" (libc::SYS_sendmmsg);
    SOCKETPAIR = "socketpair" (libc::SYS_socketpair);
    MEMFD_SECRET = "memfd_secret" (libc::SYS_memfd_secret);
    MREMAP = "mremap" (libc::SYS_mremap);
    USERFAULTFD = "userfaultfd" (libc::SYS_userfaultfd);
    EVENTFD = "eventfd" (libc::SYS_eventfd);
    MQ_OPEN = "mq_open" (libc::SYS_mq_open);
    MQ_TIMEDRECEIVE = "mq_timedreceive" (libc::SYS_mq_timedreceive);
    MQ_TIMEDSEND = "mq_timedsend" (libc::SYS_mq_timedsend);
    EPOLL_CREATE = "epoll_create" (libc::SYS_epoll_create);
    PIDFD_GETFD = "pidfd_getfd" (libc::SYS_pidfd_getfd);
    PIDFD_OPEN = "pidfd_open" (libc::SYS_pidfd_open);
    SIGNALFD = "signalfd" (libc::SYS_signalfd);
    SIGNALFD4 = "signalfd4" (libc::SYS_signalfd4);
    TIMERFD_CREATE = "timerfd_create" (libc::SYS_timerfd_create);
    PERF_EVENT_OPEN = "perf_event_open" (libc::SYS_perf_event_open);
}

calls! {
    /// Every other call.
    OTHERS:
    BIND = "bind" (libc::SYS_bind);
    CONNECT = "connect" (libc::SYS_connect);
    GETPEERNAME = "getpeername" (libc::SYS_getpeername);
    GETSOCKNAME = "getsockname" (libc::SYS_getsockname);
    GETSOCKOPT = "getsockopt" (libc::SYS_getsockopt);
    LISTEN = "listen" (libc::SYS_listen);
    SETSOCKOPT = "setsockopt" (libc::SYS_setsockopt);
    SHUTDOWN = "shutdown" (libc::SYS_shutdown);
    BRK = "brk" (libc::SYS_brk);
    GET_MEMPOLICY = "get_mempolicy" (libc::SYS_get_mempolicy);
    MADVISE = "madvise" (libc::SYS_madvise);
    MAP_SHADOW_STACK = "map_shadow_stack" (453);
    MBIND = "mbind" (libc::SYS_mbind);
    MIGRATE_PAGES = "migrate_pages" (libc::SYS_migrate_pages);
    MINCORE = "mincore" (libc::SYS_mincore);
    MLOCK = "mlock" (libc::SYS_mlock);
    MLOCK2 = "mlock2" (libc::SYS_mlock2);
    MLOCKALL = "mlockall" (libc::SYS_mlockall);
    MOVE_PAGES = "move_pages" (libc::SYS_move_pages);
    MPROTECT = "mprotect" (libc::SYS_mprotect);
    MSEAL = "mseal" (libc::SYS_mseal);
    MUNLOCK = "munlock" (libc::SYS_munlock);
    MUNLOCKALL = "munlockall" (libc::SYS_munlockall);
    PKEY_ALLOC = "pkey_alloc" (libc::SYS_pkey_alloc);
    PKEY_FREE = "pkey_free" (libc::SYS_pkey_free);
    PKEY_MPROTECT = "pkey_mprotect" (libc::SYS_pkey_mprotect);
    PROCESS_MADVISE = "process_madvise" (libc::SYS_process_madvise);
    PROCESS_MRELEASE = "process_mrelease" (libc::SYS_process_mrelease);
    REMAP_FILE_PAGES = "remap_file_pages" (libc::SYS_remap_file_pages);
    SET_MEMPOLICY = "set_mempolicy" (libc::SYS_set_mempolicy);
    SET_MEMPOLICY_HOME_NODE = "set_mempolicy_home_node" (libc::SYS_set_mempolicy_home_node);
    SWAPOFF = "swapoff" (libc::SYS_swapoff);
    SWAPON = "swapon" (libc::SYS_swapon);
    FUTEX = "futex" (libc::SYS_futex);
    FUTEX_REQUEUE = "futex_requeue" (456);
    FUTEX_WAIT = "futex_wait" (455);
    FUTEX_WAITV = "futex_waitv" (libc::SYS_futex_waitv);
    FUTEX_WAKE = "futex_wake" (454);
    GET_ROBUST_LIST = "get_robust_list" (libc::SYS_get_robust_list);
    MQ_GETSETATTR = "mq_getsetattr" (libc::SYS_mq_getsetattr);
    MQ_NOTIFY = "mq_notify" (libc::SYS_mq_notify);
    MQ_UNLINK = "mq_unlink" (libc::SYS_mq_unlink);
    MSGCTL = "msgctl" (libc::SYS_msgctl);
    MSGGET = "msgget" (libc::SYS_msgget);
    MSGRCV = "msgrcv" (libc::SYS_msgrcv);
    MSGSND = "msgsnd" (libc::SYS_msgsnd);
    PROCESS_VM_READV = "process_vm_readv" (libc::SYS_process_vm_readv);
    PROCESS_VM_WRITEV = "process_vm_writev" (libc::SYS_process_vm_writev);
    SEMCTL = "semctl" (libc::SYS_semctl);
    SEMGET = "semget" (libc::SYS_semget);
    SEMOP = "semop" (libc::SYS_semop);
    SEMTIMEDOP = "semtimedop" (libc::SYS_semtimedop);
    SET_ROBUST_LIST = "set_robust_list" (libc::SYS_set_robust_list);
    SHMAT = "shmat" (libc::SYS_shmat);
    SHMCTL = "shmctl" (libc::SYS_shmctl);
    SHMDT = "shmdt" (libc::SYS_shmdt);
    SHMGET = "shmget" (libc::SYS_shmget);
    EPOLL_CTL = "epoll_ctl" (libc::SYS_epoll_ctl);
    EPOLL_PWAIT = "epoll_pwait" (libc::SYS_epoll_pwait);
    EPOLL_PWAIT2 = "epoll_pwait2" (libc::SYS_epoll_pwait2);
    EPOLL_WAIT = "epoll_wait" (libc::SYS_epoll_wait);
    POLL = "poll" (libc::SYS_poll);
    PPOLL = "ppoll" (libc::SYS_ppoll);
    PSELECT6 = "pselect6" (libc::SYS_pselect6);
    SELECT = "select" (libc::SYS_select);
    ACCT = "acct" (libc::SYS_acct);
    ARCH_PRCTL = "arch_prctl" (libc::SYS_arch_prctl);
    CLONE = "clone" (libc::SYS_clone);
    CLONE3 = "clone3" (libc::SYS_clone3);
    FORK = "fork" (libc::SYS_fork);
    GETEGID = "getegid" (libc::SYS_getegid);
    GETEUID = "geteuid" (libc::SYS_geteuid);
    GETGID = "getgid" (libc::SYS_getgid);
    GETGROUPS = "getgroups" (libc::SYS_getgroups);
    GETPGID = "getpgid" (libc::SYS_getpgid);
    GETPGRP = "getpgrp" (libc::SYS_getpgrp);
    GETPID = "getpid" (libc::SYS_getpid);
    GETPPID = "getppid" (libc::SYS_getppid);
    GETRESGID = "getresgid" (libc::SYS_getresgid);
    GETRESUID = "getresuid" (libc::SYS_getresuid);
    GETRLIMIT = "getrlimit" (libc::SYS_getrlimit);
    GETRUSAGE = "getrusage" (libc::SYS_getrusage);
    GETSID = "getsid" (libc::SYS_getsid);
    GETTID = "gettid" (libc::SYS_gettid);
    GETUID = "getuid" (libc::SYS_getuid);
    KCMP = "kcmp" (libc::SYS_kcmp);
    LISTNS = "listns" (470);
    MODIFY_LDT = "modify_ldt" (libc::SYS_modify_ldt);
    PERSONALITY = "personality" (libc::SYS_personality);
    PRCTL = "prctl" (libc::SYS_prctl);
    PRLIMIT64 = "prlimit64" (libc::SYS_prlimit64);
    PTRACE = "ptrace" (libc::SYS_ptrace);
    RESTART_SYSCALL = "restart_syscall" (libc::SYS_restart_syscall);
    SET_TID_ADDRESS = "set_tid_address" (libc::SYS_set_tid_address);
    SETFSGID = "setfsgid" (libc::SYS_setfsgid);
    SETFSUID = "setfsuid" (libc::SYS_setfsuid);
    SETGID = "setgid" (libc::SYS_setgid);
    SETGROUPS = "setgroups" (libc::SYS_setgroups);
    SETNS = "setns" (libc::SYS_setns);
    SETPGID = "setpgid" (libc::SYS_setpgid);
    SETREGID = "setregid" (libc::SYS_setregid);
    SETRESGID = "setresgid" (libc::SYS_setresgid);
    SETRESUID = "setresuid" (libc::SYS_setresuid);
    SETREUID = "setreuid" (libc::SYS_setreuid);
    SETRLIMIT = "setrlimit" (libc::SYS_setrlimit);
    SETSID = "setsid" (libc::SYS_setsid);
    SETUID = "setuid" (libc::SYS_setuid);
    UNSHARE = "unshare" (libc::SYS_unshare);
    VFORK = "vfork" (libc::SYS_vfork);
    WAIT4 = "wait4" (libc::SYS_wait4);
    WAITID = "waitid" (libc::SYS_waitid);
    GETCPU = "getcpu" (libc::SYS_getcpu);
    GETPRIORITY = "getpriority" (libc::SYS_getpriority);
    IOPRIO_GET = "ioprio_get" (libc::SYS_ioprio_get);
    IOPRIO_SET = "ioprio_set" (libc::SYS_ioprio_set);
    MEMBARRIER = "membarrier" (libc::SYS_membarrier);
    RSEQ = "rseq" (libc::SYS_rseq);
    SCHED_GET_PRIORITY_MAX = "sched_get_priority_max" (libc::SYS_sched_get_priority_max);
    SCHED_GET_PRIORITY_MIN = "sched_get_priority_min" (libc::SYS_sched_get_priority_min);
    SCHED_GETAFFINITY = "sched_getaffinity" (libc::SYS_sched_getaffinity);
    SCHED_GETATTR = "sched_getattr" (libc::SYS_sched_getattr);
    SCHED_GETPARAM = "sched_getparam" (libc::SYS_sched_getparam);
    SCHED_GETSCHEDULER = "sched_getscheduler" (libc::SYS_sched_getscheduler);
    SCHED_RR_GET_INTERVAL = "sched_rr_get_interval" (libc::SYS_sched_rr_get_interval);
    SCHED_SETAFFINITY = "sched_setaffinity" (libc::SYS_sched_setaffinity);
    SCHED_SETATTR = "sched_setattr" (libc::SYS_sched_setattr);
    SCHED_SETPARAM = "sched_setparam" (libc::SYS_sched_setparam);
    SCHED_SETSCHEDULER = "sched_setscheduler" (libc::SYS_sched_setscheduler);
    SCHED_YIELD = "sched_yield" (libc::SYS_sched_yield);
    SETPRIORITY = "setpriority" (libc::SYS_setpriority);
    ADD_KEY = "add_key" (libc::SYS_add_key);
    CAPGET = "capget" (libc::SYS_capget);
    CAPSET = "capset" (libc::SYS_capset);
    KEYCTL = "keyctl" (libc::SYS_keyctl);
    LANDLOCK_ADD_RULE = "landlock_add_rule" (libc::SYS_landlock_add_rule);
    LANDLOCK_CREATE_RULESET = "landlock_create_ruleset" (libc::SYS_landlock_create_ruleset);
    LANDLOCK_RESTRICT_SELF = "landlock_restrict_self" (libc::SYS_landlock_restrict_self);
    LSM_GET_SELF_ATTR = "lsm_get_self_attr" (459);
    LSM_LIST_MODULES = "lsm_list_modules" (461);
    LSM_SET_SELF_ATTR = "lsm_set_self_attr" (460);
    REQUEST_KEY = "request_key" (libc::SYS_request_key);
    SECCOMP = "seccomp" (libc::SYS_seccomp);
    KILL = "kill" (libc::SYS_kill);
    PAUSE = "pause" (libc::SYS_pause);
    PIDFD_SEND_SIGNAL = "pidfd_send_signal" (libc::SYS_pidfd_send_signal);
    RT_SIGACTION = "rt_sigaction" (libc::SYS_rt_sigaction);
    RT_SIGPENDING = "rt_sigpending" (libc::SYS_rt_sigpending);
    RT_SIGPROCMASK = "rt_sigprocmask" (libc::SYS_rt_sigprocmask);
    RT_SIGQUEUEINFO = "rt_sigqueueinfo" (libc::SYS_rt_sigqueueinfo);
    RT_SIGRETURN = "rt_sigreturn" (libc::SYS_rt_sigreturn);
    RT_SIGSUSPEND = "rt_sigsuspend" (libc::SYS_rt_sigsuspend);
    RT_SIGTIMEDWAIT = "rt_sigtimedwait" (libc::SYS_rt_sigtimedwait);
    RT_TGSIGQUEUEINFO = "rt_tgsigqueueinfo" (libc::SYS_rt_tgsigqueueinfo);
    SIGALTSTACK = "sigaltstack" (libc::SYS_sigaltstack);
    TGKILL = "tgkill" (libc::SYS_tgkill);
    TKILL = "tkill" (libc::SYS_tkill);
    ADJTIMEX = "adjtimex" (libc::SYS_adjtimex);
    ALARM = "alarm" (libc::SYS_alarm);
    CLOCK_ADJTIME = "clock_adjtime" (libc::SYS_clock_adjtime);
    CLOCK_GETRES = "clock_getres" (libc::SYS_clock_getres);
    CLOCK_GETTIME = "clock_gettime" (libc::SYS_clock_gettime);
    CLOCK_NANOSLEEP = "clock_nanosleep" (libc::SYS_clock_nanosleep);
    CLOCK_SETTIME = "clock_settime" (libc::SYS_clock_settime);
    GETITIMER = "getitimer" (libc::SYS_getitimer);
    GETTIMEOFDAY = "gettimeofday" (libc::SYS_gettimeofday);
    NANOSLEEP = "nanosleep" (libc::SYS_nanosleep);
    SETITIMER = "setitimer" (libc::SYS_setitimer);
    SETTIMEOFDAY = "settimeofday" (libc::SYS_settimeofday);
    TIME = "time" (libc::SYS_time);
    TIMER_CREATE = "timer_create" (libc::SYS_timer_create);
    TIMER_DELETE = "timer_delete" (libc::SYS_timer_delete);
    TIMER_GETOVERRUN = "timer_getoverrun" (libc::SYS_timer_getoverrun);
    TIMER_GETTIME = "timer_gettime" (libc::SYS_timer_gettime);
    TIMER_SETTIME = "timer_settime" (libc::SYS_timer_settime);
    TIMERFD_GETTIME = "timerfd_gettime" (libc::SYS_timerfd_gettime);
    TIMERFD_SETTIME = "timerfd_settime" (libc::SYS_timerfd_settime);
    TIMES = "times" (libc::SYS_times);
    BPF = "bpf" (libc::SYS_bpf);
    DELETE_MODULE = "delete_module" (libc::SYS_delete_module);
    FINIT_MODULE = "finit_module" (libc::SYS_finit_module);
    GETRANDOM = "getrandom" (libc::SYS_getrandom);
    INIT_MODULE = "init_module" (libc::SYS_init_module);
    IOPERM = "ioperm" (libc::SYS_ioperm);
    IOPL = "iopl" (libc::SYS_iopl);
    KEXEC_FILE_LOAD = "kexec_file_load" (libc::SYS_kexec_file_load);
    KEXEC_LOAD = "kexec_load" (libc::SYS_kexec_load);
    LOOKUP_DCOOKIE = "lookup_dcookie" (libc::SYS_lookup_dcookie);
    NEWUNAME = "newuname" (libc::SYS_uname);
    REBOOT = "reboot" (libc::SYS_reboot);
    SETDOMAINNAME = "setdomainname" (libc::SYS_setdomainname);
    SETHOSTNAME = "sethostname" (libc::SYS_sethostname);
    SYSINFO = "sysinfo" (libc::SYS_sysinfo);
    SYSLOG = "syslog" (libc::SYS_syslog);
    UPROBE = "uprobe" (336);
    URETPROBE = "uretprobe" (335);
    VHANGUP = "vhangup" (libc::SYS_vhangup);
}

/// Every call there is.
pub fn all() -> impl Iterator<Item = &'static Sys> {
    DEFAULT.iter().chain(OTHERS)
}

/// No process has this id: it is above the kernel's limit.
pub const NO_PROCESS: i32 = 5_000_000;

/// One register's worth of argument; pointers keep their buffer borrowed until the call is done.
#[derive(Debug, Clone, Copy)]
pub struct Arg<'a>(i64, PhantomData<&'a ()>);

macro_rules! integer_args {
    ($($int:ty)*) => {
        $(impl From<$int> for Arg<'_> {
            fn from(value: $int) -> Self {
                Arg(value as i64, PhantomData)
            }
        })*
    };
}
integer_args!(i32 u32 i64 u64 usize);

impl<'a> From<&'a CStr> for Arg<'a> {
    fn from(text: &'a CStr) -> Self {
        Arg(text.as_ptr() as i64, PhantomData)
    }
}

impl<'a> From<&'a CString> for Arg<'a> {
    fn from(text: &'a CString) -> Self {
        Arg::from(text.as_c_str())
    }
}

impl<'a, T: Copy, const N: usize> From<&'a [T; N]> for Arg<'a> {
    fn from(array: &'a [T; N]) -> Self {
        Arg(array.as_ptr() as i64, PhantomData)
    }
}

impl<'a, T: Copy, const N: usize> From<&'a mut [T; N]> for Arg<'a> {
    fn from(array: &'a mut [T; N]) -> Self {
        Arg(array.as_mut_ptr() as i64, PhantomData)
    }
}

impl<'a, T: Copy> From<&'a [T]> for Arg<'a> {
    fn from(slice: &'a [T]) -> Self {
        Arg(slice.as_ptr() as i64, PhantomData)
    }
}

impl<'a, T: Copy> From<&'a mut [T]> for Arg<'a> {
    fn from(slice: &'a mut [T]) -> Self {
        Arg(slice.as_mut_ptr() as i64, PhantomData)
    }
}

/// Up to six arguments of any kind.
#[macro_export]
macro_rules! args {
    ($($arg:expr),* $(,)?) => { &[$($crate::sys::Arg::from($arg)),*] };
}

/// Added to the number of a 32-bit call.
pub const COMPAT: c_long = 1 << 16;

/// A 32-bit call, by its name and number in the i386 table. Its pointers must be [`low`] addresses.
pub const fn compat(name: &'static str, nr: c_long) -> Sys {
    Sys {
        name,
        nr: nr | COMPAT,
    }
}

/// Makes the call; a negative result is the negated errno.
pub fn call(nr: c_long, args: &[Arg<'_>]) -> i64 {
    let arg = |index: usize| args.get(index).map_or(0, |arg| arg.0);
    #[cfg(target_arch = "x86_64")]
    if nr & COMPAT != 0 {
        return call32(
            nr & !COMPAT,
            [arg(0), arg(1), arg(2), arg(3), arg(4), arg(5)],
        );
    }
    // SAFETY: pointers among the arguments come from borrows that outlive the call, or are wrong on purpose; each
    // scenario passes lengths that fit its buffers.
    let ret = unsafe { libc::syscall(nr, arg(0), arg(1), arg(2), arg(3), arg(4), arg(5)) };
    if ret == -1 {
        // SAFETY: the location of this thread's errno is always valid.
        -i64::from(unsafe { *libc::__errno_location() })
    } else {
        ret
    }
}

/// Scatter list of some buffers.
pub fn iovec(parts: &mut [&mut [u8]]) -> Vec<[usize; 2]> {
    parts
        .iter_mut()
        .map(|part| [part.as_mut_ptr() as usize, part.len()])
        .collect()
}

/// A `struct msghdr` without address and control data.
pub fn msghdr(iovec: &[[usize; 2]]) -> [usize; 7] {
    [0, 0, iovec.as_ptr() as usize, iovec.len(), 0, 0, 0]
}

/// More than any scenario allocates.
const HEAP: usize = 16 << 20;

/// Keeps the allocator from calling mmap, munmap and brk between the markers: one arena, grown once.
pub fn quiet_allocator() {
    // SAFETY: plain settings, made before any thread exists.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
        libc::mallopt(libc::M_MMAP_MAX, 0);
        libc::mallopt(libc::M_TRIM_THRESHOLD, c_int::MAX);
        // Freed memory stays in the heap.
        libc::free(std::hint::black_box(libc::malloc(HEAP)));
    }
}

/// Forks; 0 in the child.
pub fn fork() -> i32 {
    // SAFETY: scenarios fork while their process has one thread.
    let pid = unsafe { libc::fork() };
    assert!(pid >= 0, "fork failed");
    pid
}

/// Waits for one child; its exit status.
pub fn wait(pid: i32) -> i32 {
    let mut status = 0;
    // SAFETY: `status` outlives the call.
    let waited = unsafe { libc::waitpid(pid, &raw mut status, 0) };
    assert_eq!(waited, pid, "waitpid");
    status
}

/// Real user id and parent process id.
pub fn uid_and_parent() -> (u32, u32) {
    // SAFETY: no arguments, cannot fail.
    unsafe { (libc::getuid(), libc::getppid() as u32) }
}

/// Process id and thread id, asked of the kernel (no cached value after fork).
pub fn pid_and_tid() -> (u32, u32) {
    let id = |nr| call(nr, &[]) as u32;
    (id(libc::SYS_getpid), id(libc::SYS_gettid))
}

/// Renames the calling thread.
pub fn set_comm(name: &CStr) {
    let ret = call(
        libc::SYS_prctl,
        args![libc::PR_SET_NAME, name, 0i32, 0i32, 0i32],
    );
    assert_eq!(ret, 0, "prctl");
}

/// A thread that ends with a raw `exit`, without the clean-up calls of a library.
pub struct Thread(libc::pthread_t);

type Body = Box<dyn FnOnce() + Send>;

extern "C" fn thread_main(body: *mut c_void) -> *mut c_void {
    // SAFETY: `body` is the box leaked by `Thread::start`, handed to this thread alone.
    let body = unsafe { Box::from_raw(body.cast::<Body>()) };
    body();
    call(libc::SYS_exit, args![0i32]);
    std::process::abort();
}

impl Thread {
    /// Starts a thread that runs `body`.
    pub fn start(body: impl FnOnce() + Send + 'static) -> Thread {
        let body: Box<Body> = Box::new(Box::new(body));
        let mut thread = 0;
        // SAFETY: `thread_main` takes the box over; null attributes are the defaults.
        let error = unsafe {
            libc::pthread_create(
                &raw mut thread,
                std::ptr::null(),
                thread_main,
                Box::into_raw(body).cast(),
            )
        };
        assert_eq!(error, 0, "pthread_create");
        Thread(thread)
    }

    /// Waits for its end.
    pub fn join(self) {
        // SAFETY: a thread started by `start`, joined once.
        let error = unsafe { libc::pthread_join(self.0, std::ptr::null_mut()) };
        assert_eq!(error, 0, "pthread_join");
    }
}

static HANDLER_FD: AtomicI32 = AtomicI32::new(-1);

extern "C" fn write_a_byte(_signal: c_int) {
    let fd = HANDLER_FD.load(Ordering::Relaxed);
    if fd >= 0 {
        call(libc::SYS_write, args![fd, b"!", 1i32]);
    }
}

/// Handles SIGUSR1 by writing one byte to `fd` (nothing if negative), restarting the interrupted call if `flags`
/// has `SA_RESTART`.
pub fn handle_usr1(fd: i32, flags: c_int) {
    HANDLER_FD.store(fd, Ordering::Relaxed);
    // SAFETY: an all-zero `sigaction` is a valid value; the handler makes one system call and no other.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = write_a_byte as *const () as usize;
        action.sa_flags = flags;
        let ret = libc::sigaction(libc::SIGUSR1, &raw const action, std::ptr::null_mut());
        assert_eq!(ret, 0, "sigaction");
    }
}

extern "C" fn do_nothing(_signal: c_int) {}

/// Handles a signal by a function that makes no call, entered with `flags`.
pub fn handle_quietly(signal: c_int, flags: c_int) {
    // SAFETY: an all-zero `sigaction` is a valid value; the handler does nothing.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = do_nothing as *const () as usize;
        action.sa_flags = flags;
        let ret = libc::sigaction(signal, &raw const action, std::ptr::null_mut());
        assert_eq!(ret, 0, "sigaction");
    }
}

/// Makes a process or a thread whose whole life is a `faccessat` of `name` and the call `end`, by one of the calls that
/// return twice; the result in the parent. The child touches no memory, so it may share this thread's stack.
#[cfg(target_arch = "x86_64")]
pub fn make_short_lived(nr: c_long, args: &[Arg<'_>], name: &'static CStr, end: c_long) -> i64 {
    let arg = |index: usize| args.get(index).map_or(0, |arg| arg.0);
    let ret;
    // SAFETY: the child makes two calls, the second of which ends it, and changes registers only; for the parent this
    // is one system call, whose arguments are as those of `call`.
    unsafe {
        std::arch::asm!(
            "syscall",
            "test rax, rax",
            "jnz 2f",
            "mov edi, {cwd}",
            "mov rsi, r12",
            "xor edx, edx",
            "mov eax, {faccessat}",
            "syscall",
            "xor edi, edi",
            "mov rax, r13",
            "syscall",
            "ud2",
            "2:",
            cwd = const libc::AT_FDCWD,
            faccessat = const libc::SYS_faccessat,
            inlateout("rax") nr => ret,
            in("rdi") arg(0),
            in("rsi") arg(1),
            in("rdx") arg(2),
            in("r10") arg(3),
            in("r8") arg(4),
            in("r12") name.as_ptr(),
            in("r13") end,
            lateout("rcx") _,
            lateout("r11") _,
        );
    }
    ret
}

/// Makes a 32-bit call the way 32-bit programs do; 64-bit ones can, too.
#[cfg(target_arch = "x86_64")]
fn call32(nr: c_long, args: [i64; 6]) -> i64 {
    let ret: i64;
    // SAFETY: the same as in `call`. The kernel clobbers r8 to r11 on this way in; rbx and rbp, which cannot be named as
    // operands, are put back.
    unsafe {
        std::arch::asm!(
            "push rbx",
            "push rbp",
            "mov ebx, r8d",
            "mov ebp, r9d",
            "int 0x80",
            "pop rbp",
            "pop rbx",
            inlateout("rax") nr => ret,
            in("rcx") args[1],
            in("rdx") args[2],
            in("rsi") args[3],
            in("rdi") args[4],
            inlateout("r8") args[0] => _,
            inlateout("r9") args[5] => _,
            out("r10") _,
            out("r11") _,
        );
    }
    ret
}

/// The address of a copy of these bytes that 32-bit calls can be given; never freed. Maps memory.
pub fn low(bytes: &[u8]) -> i64 {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_32BIT;
    let prot = libc::PROT_READ | libc::PROT_WRITE;
    let address = call(
        libc::SYS_mmap,
        args![0i32, bytes.len().max(1), prot, flags, -1i32, 0i32],
    );
    assert!(address > 0, "mmap below 2 GiB: {address}");
    poke(address as usize, bytes);
    address
}

/// Makes a 32-bit `getpid` (number 20, which is `writev` among the 64-bit calls).
#[cfg(target_arch = "x86_64")]
pub fn getpid32() -> i32 {
    let pid: i32;
    // SAFETY: the call takes no arguments; the kernel clobbers r8 to r11 on this way in.
    unsafe {
        std::arch::asm!(
            "int 0x80",
            inlateout("eax") 20 => pid,
            out("r8") _, out("r9") _, out("r10") _, out("r11") _,
        );
    }
    pid
}

/// Lets SIGINT, SIGHUP and SIGTERM end this process and those it starts, also where a shell or nohup ignores them.
pub fn heed_signals() {
    for signal in [libc::SIGINT, libc::SIGHUP, libc::SIGTERM] {
        // SAFETY: restores the default, before any thread exists.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// Copies bytes to an address of a mapping made by the scenario.
pub fn poke(address: usize, bytes: &[u8]) {
    // SAFETY: the scenario mapped at least that much there, writable.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, bytes.len()) }
}

/// Copies bytes from an address of a mapping made by the scenario.
pub fn peek(address: usize, bytes: &mut [u8]) {
    // SAFETY: the scenario mapped at least that much there, readable.
    unsafe { std::ptr::copy_nonoverlapping(address as *const u8, bytes.as_mut_ptr(), bytes.len()) }
}

const VFORK_STACK: usize = 256 << 10;

type ChildBody<'a> = Box<dyn FnOnce() + 'a>;

extern "C" fn vfork_main(body: *mut c_void) -> c_int {
    // SAFETY: `body` is the box leaked by `vfork`, handed to this child alone.
    let body = unsafe { Box::from_raw(body.cast::<ChildBody<'_>>()) };
    body();
    call(libc::SYS_exit_group, args![0i32]);
    std::process::abort();
}

/// Runs `body` as `vfork` does: in a child that shares the memory, while this thread waits for its exec or its end; the
/// child's process id.
pub fn vfork<'a>(body: impl FnOnce() + 'a) -> i32 {
    let body: Box<ChildBody<'a>> = Box::new(Box::new(body));
    let mut stack = vec![0u128; VFORK_STACK / size_of::<u128>()];
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: the stack and what `body` borrows outlive the child's use of this memory, because the call returns only
    // when the child has left it; the process has one thread.
    let pid = unsafe {
        let top = stack.as_mut_ptr_range().end.cast();
        libc::clone(vfork_main, top, flags, Box::into_raw(body).cast())
    };
    assert!(pid > 0, "clone failed");
    pid
}

/// The processors the calling thread may run on, as bits.
pub fn processors() -> [u64; 16] {
    let mut set = [0; 16];
    let ret = call(
        libc::SYS_sched_getaffinity,
        args![0i32, size_of_val(&set), &mut set],
    );
    assert!(ret > 0, "sched_getaffinity: {ret}");
    set
}

/// Moves the calling thread to one processor.
pub fn run_on(processor: usize) {
    let mut set = [0u64; 16];
    set[processor / 64] = 1 << (processor % 64);
    let ret = call(
        libc::SYS_sched_setaffinity,
        args![0i32, size_of_val(&set), &set],
    );
    assert_eq!(ret, 0, "sched_setaffinity");
}

/// Nanoseconds of `CLOCK_MONOTONIC`.
pub fn now_ns() -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` outlives the call.
    let ret = unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    assert_eq!(ret, 0, "clock_gettime");
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Says a line on standard output.
pub fn say(line: &str) {
    let line = format!("{line}\n");
    let ret = call(libc::SYS_write, args![1i32, line.as_bytes(), line.len()]);
    assert_eq!(ret, line.len() as i64, "write to standard output");
}
