//! The tables against libc and the syscall table, and how values are written.

use std::collections::BTreeSet;

use super::calls::CALLS;
use super::*;
use crate::syscall::{FlagsAre, SYSCALLS};

fn text(syscall: &str, value: i32) -> String {
    Flags::new(syscall, Abi::X86_64, u64::from(value as u32)).to_string()
}

/// Calls whose flags have no names: reserved ones that must be 0, and small numbers.
const NAMELESS_CALLS: [&str; 19] = [
    "bdflush",
    "cachestat",
    "copy_file_range",
    "futex_waitv",
    "landlock_add_rule",
    "listns",
    "lsm_list_modules",
    "lsm_set_self_attr",
    "modify_ldt",
    "mseal",
    "pidfd_getfd",
    "pkey_alloc",
    "process_mrelease",
    "process_vm_readv",
    "process_vm_writev",
    "sched_getattr",
    "sched_setattr",
    "set_mempolicy_home_node",
    "sysfs",
];

#[test]
fn every_call_with_flags_has_a_table() {
    assert!(CALLS.is_sorted_by(|a, b| a.0 < b.0));
    let with_flags: BTreeSet<_> = SYSCALLS
        .iter()
        .filter(|syscall| syscall.roles.flags_are == FlagsAre::Flags)
        .map(|syscall| syscall.name)
        .collect();
    let known: BTreeSet<_> = CALLS
        .iter()
        .map(|(name, _)| *name)
        .chain(NAMELESS_CALLS)
        .collect();
    let different: Vec<_> = with_flags.symmetric_difference(&known).collect();
    assert!(different.is_empty(), "only in one of both: {different:?}");
}

#[test]
fn every_name_of_a_table_can_be_shown() {
    for (call, table) in CALLS {
        for (abi, parts) in [
            (Abi::X86_64, table.parts),
            (Abi::Aarch64, table.on_arm64.unwrap_or_default()),
        ] {
            for part in parts.iter().copied().flatten() {
                assert_eq!(part.bits & !part.mask, 0, "{call} {}", part.name);
                let shown = Flags::new(call, abi, part.bits).to_string();
                let found = shown.split('|').any(|name| name == part.name);
                assert!(found, "{call}: {} is shown as {shown}", part.name);
            }
        }
    }
}

/// Each of these constants of libc, as the flags of that call, is shown by its own name, at most after one for 0.
#[cfg(all(target_arch = "x86_64", target_env = "gnu"))]
macro_rules! assert_names {
    ($($call:ident: $($name:ident)*;)*) => {
        $($({
            let shown = text(stringify!($call), libc::$name as i32);
            let name = stringify!($name);
            assert_eq!(shown.rsplit('|').next(), Some(name), "{}: {shown}", stringify!($call));
        })*)*
    };
}

#[cfg(all(target_arch = "x86_64", target_env = "gnu"))]
#[test]
fn values_that_libc_has_agree_with_it() {
    assert_names! {
        access: R_OK W_OK X_OK;
        statx: AT_SYMLINK_NOFOLLOW AT_SYMLINK_FOLLOW AT_NO_AUTOMOUNT AT_EMPTY_PATH AT_STATX_FORCE_SYNC
            AT_STATX_DONT_SYNC AT_RECURSIVE AT_EXECVE_CHECK;
        unlinkat: AT_REMOVEDIR;
        faccessat2: AT_EACCESS;
        name_to_handle_at: AT_HANDLE_MNT_ID_UNIQUE AT_HANDLE_CONNECTABLE AT_HANDLE_FID;
        renameat2: RENAME_NOREPLACE RENAME_EXCHANGE RENAME_WHITEOUT;
        close_range: CLOSE_RANGE_UNSHARE CLOSE_RANGE_CLOEXEC;
        fcntl: F_DUPFD F_GETFD F_SETFD F_GETFL F_SETFL F_GETLK F_SETLK F_SETLKW F_SETOWN F_GETOWN F_OFD_GETLK
            F_OFD_SETLK F_OFD_SETLKW F_SETLEASE F_GETLEASE F_NOTIFY F_CANCELLK F_DUPFD_CLOEXEC F_SETPIPE_SZ F_GETPIPE_SZ
            F_ADD_SEALS F_GET_SEALS;
        lseek: SEEK_SET SEEK_CUR SEEK_END SEEK_DATA SEEK_HOLE;
        flock: LOCK_SH LOCK_EX LOCK_NB LOCK_UN;
        fadvise64: POSIX_FADV_NORMAL POSIX_FADV_RANDOM POSIX_FADV_SEQUENTIAL POSIX_FADV_WILLNEED POSIX_FADV_DONTNEED
            POSIX_FADV_NOREUSE;
        fallocate: FALLOC_FL_KEEP_SIZE FALLOC_FL_PUNCH_HOLE FALLOC_FL_COLLAPSE_RANGE FALLOC_FL_ZERO_RANGE
            FALLOC_FL_INSERT_RANGE FALLOC_FL_UNSHARE_RANGE;
        sync_file_range: SYNC_FILE_RANGE_WAIT_BEFORE SYNC_FILE_RANGE_WRITE SYNC_FILE_RANGE_WAIT_AFTER;
        preadv2: RWF_HIPRI RWF_DSYNC RWF_SYNC RWF_NOWAIT RWF_APPEND RWF_NOAPPEND RWF_ATOMIC RWF_DONTCACHE;
        splice: SPLICE_F_MOVE SPLICE_F_NONBLOCK SPLICE_F_MORE SPLICE_F_GIFT;
        fsetxattr: XATTR_CREATE XATTR_REPLACE;
        mount: MS_RDONLY MS_NOSUID MS_NODEV MS_NOEXEC MS_SYNCHRONOUS MS_REMOUNT MS_MANDLOCK MS_DIRSYNC
            MS_NOSYMFOLLOW MS_NOATIME MS_NODIRATIME MS_BIND MS_MOVE MS_REC MS_SILENT MS_POSIXACL MS_UNBINDABLE
            MS_PRIVATE MS_SLAVE MS_SHARED MS_RELATIME MS_KERNMOUNT MS_I_VERSION MS_STRICTATIME MS_LAZYTIME;
        umount: MNT_FORCE MNT_DETACH MNT_EXPIRE UMOUNT_NOFOLLOW;
        move_mount: MOVE_MOUNT_F_SYMLINKS MOVE_MOUNT_F_AUTOMOUNTS MOVE_MOUNT_F_EMPTY_PATH MOVE_MOUNT_T_SYMLINKS
            MOVE_MOUNT_T_AUTOMOUNTS MOVE_MOUNT_T_EMPTY_PATH MOVE_MOUNT_SET_GROUP MOVE_MOUNT_BENEATH;
        open_tree: OPEN_TREE_CLONE OPEN_TREE_NAMESPACE OPEN_TREE_CLOEXEC;
        fsopen: FSOPEN_CLOEXEC;
        fsmount: FSMOUNT_CLOEXEC;
        fspick: FSPICK_CLOEXEC FSPICK_SYMLINK_NOFOLLOW FSPICK_NO_AUTOMOUNT FSPICK_EMPTY_PATH;
        quotactl: USRQUOTA GRPQUOTA;
        fanotify_init: FAN_CLASS_NOTIF FAN_CLASS_CONTENT FAN_CLASS_PRE_CONTENT FAN_CLOEXEC FAN_NONBLOCK
            FAN_UNLIMITED_QUEUE FAN_UNLIMITED_MARKS FAN_ENABLE_AUDIT FAN_REPORT_PIDFD FAN_REPORT_TID FAN_REPORT_FID
            FAN_REPORT_DIR_FID FAN_REPORT_NAME FAN_REPORT_TARGET_FID;
        fanotify_mark: FAN_MARK_MOUNT FAN_MARK_FILESYSTEM FAN_MARK_ADD FAN_MARK_REMOVE
            FAN_MARK_DONT_FOLLOW FAN_MARK_ONLYDIR FAN_MARK_IGNORED_MASK FAN_MARK_IGNORED_SURV_MODIFY FAN_MARK_FLUSH
            FAN_MARK_EVICTABLE FAN_MARK_IGNORE;
        inotify_init1: IN_NONBLOCK IN_CLOEXEC;
        inotify_add_watch: IN_ALL_EVENTS IN_ACCESS IN_MODIFY IN_ATTRIB IN_CLOSE_WRITE IN_CLOSE_NOWRITE IN_OPEN
            IN_MOVED_FROM IN_MOVED_TO IN_CREATE IN_DELETE IN_DELETE_SELF IN_MOVE_SELF IN_UNMOUNT IN_Q_OVERFLOW
            IN_IGNORED IN_ONLYDIR IN_DONT_FOLLOW IN_EXCL_UNLINK IN_MASK_CREATE IN_MASK_ADD IN_ISDIR IN_ONESHOT;
        ioctl: TCGETS TCSETS TCSETSW TCSETSF TCGETA TCSETA TCSETAW TCSETAF TCSBRK TCXONC TCFLSH TIOCEXCL TIOCNXCL
            TIOCSCTTY TIOCGPGRP TIOCSPGRP TIOCOUTQ TIOCSTI TIOCGWINSZ TIOCSWINSZ TIOCMGET TIOCMBIS TIOCMBIC TIOCMSET
            TIOCGSOFTCAR TIOCSSOFTCAR FIONREAD TIOCLINUX TIOCCONS TIOCGSERIAL TIOCSSERIAL TIOCPKT FIONBIO TIOCNOTTY
            TIOCSETD TIOCGETD TCSBRKP TIOCSBRK TIOCCBRK TIOCGSID TCGETS2 TCSETS2 TCSETSW2 TCSETSF2 TIOCGRS485 TIOCSRS485
            TIOCGPTN TIOCSPTLCK TIOCGDEV TIOCSIG TIOCVHANGUP TIOCGPKT TIOCGPTLCK TIOCGEXCL TIOCGPTPEER FIONCLEX FIOCLEX
            FIOASYNC TIOCGICOUNT TIOCMIWAIT FIOQSIZE SIOCADDRT SIOCDELRT SIOCGIFNAME
            SIOCGIFCONF SIOCGIFFLAGS SIOCSIFFLAGS SIOCGIFADDR SIOCSIFADDR SIOCGIFDSTADDR SIOCSIFDSTADDR SIOCGIFBRDADDR
            SIOCSIFBRDADDR SIOCGIFNETMASK SIOCSIFNETMASK SIOCGIFMETRIC SIOCGIFMTU SIOCSIFMTU SIOCSIFNAME SIOCSIFHWADDR
            SIOCGIFHWADDR SIOCADDMULTI SIOCDELMULTI SIOCGIFINDEX SIOCGSKNS SIOCGIFTXQLEN SIOCSIFTXQLEN SIOCETHTOOL
            SIOCGMIIPHY SIOCGMIIREG SIOCOUTQNSD SIOCDARP SIOCGARP SIOCSARP SIOCGIFMAP SIOCSHWTSTAMP SIOCGHWTSTAMP
            TUNSETPERSIST TUNSETIFF TUNSETOWNER TUNGETFEATURES TUNSETOFFLOAD TUNGETIFF TUNSETVNETHDRSZ TUNSETQUEUE
            FICLONE FICLONERANGE FS_IOC_GETFLAGS FS_IOC_SETFLAGS FS_IOC_GETVERSION FS_IOC_SETVERSION FS_IOC32_GETFLAGS
            FS_IOC32_SETFLAGS FS_IOC32_GETVERSION FS_IOC32_SETVERSION BLKSSZGET BLKIOMIN BLKIOOPT BLKPBSZGET
            NS_GET_USERNS NS_GET_PARENT NS_GET_NSTYPE NS_GET_OWNER_UID PIDFD_GET_CGROUP_NAMESPACE
            PIDFD_GET_IPC_NAMESPACE PIDFD_GET_MNT_NAMESPACE PIDFD_GET_NET_NAMESPACE PIDFD_GET_PID_NAMESPACE
            PIDFD_GET_PID_FOR_CHILDREN_NAMESPACE PIDFD_GET_TIME_NAMESPACE PIDFD_GET_TIME_FOR_CHILDREN_NAMESPACE
            PIDFD_GET_USER_NAMESPACE PIDFD_GET_UTS_NAMESPACE SECCOMP_IOCTL_NOTIF_RECV SECCOMP_IOCTL_NOTIF_SEND
            SECCOMP_IOCTL_NOTIF_ID_VALID SECCOMP_IOCTL_NOTIF_ADDFD EPIOCSPARAMS EPIOCGPARAMS;
        mprotect: PROT_READ PROT_WRITE PROT_EXEC PROT_GROWSDOWN PROT_GROWSUP;
        madvise: MADV_NORMAL MADV_RANDOM MADV_SEQUENTIAL MADV_WILLNEED MADV_DONTNEED MADV_FREE MADV_REMOVE
            MADV_DONTFORK MADV_DOFORK MADV_MERGEABLE MADV_UNMERGEABLE MADV_HUGEPAGE MADV_NOHUGEPAGE MADV_DONTDUMP
            MADV_DODUMP MADV_WIPEONFORK MADV_KEEPONFORK MADV_COLD MADV_PAGEOUT MADV_POPULATE_READ MADV_POPULATE_WRITE
            MADV_DONTNEED_LOCKED MADV_COLLAPSE MADV_HWPOISON MADV_SOFT_OFFLINE;
        remap_file_pages: MAP_SHARED MAP_PRIVATE MAP_SHARED_VALIDATE MAP_DROPPABLE MAP_FIXED MAP_ANONYMOUS MAP_32BIT
            MAP_GROWSDOWN MAP_DENYWRITE MAP_EXECUTABLE MAP_LOCKED MAP_NORESERVE MAP_POPULATE MAP_NONBLOCK MAP_STACK
            MAP_HUGETLB MAP_SYNC MAP_FIXED_NOREPLACE;
        mremap: MREMAP_MAYMOVE MREMAP_FIXED MREMAP_DONTUNMAP;
        msync: MS_ASYNC MS_INVALIDATE MS_SYNC;
        mlockall: MCL_CURRENT MCL_FUTURE MCL_ONFAULT;
        mlock2: MLOCK_ONFAULT;
        memfd_create: MFD_CLOEXEC MFD_ALLOW_SEALING MFD_HUGETLB MFD_NOEXEC_SEAL MFD_EXEC MFD_HUGE_64KB
            MFD_HUGE_512KB MFD_HUGE_1MB MFD_HUGE_2MB MFD_HUGE_8MB MFD_HUGE_16MB MFD_HUGE_32MB MFD_HUGE_256MB
            MFD_HUGE_512MB MFD_HUGE_1GB MFD_HUGE_2GB MFD_HUGE_16GB;
        memfd_secret: O_CLOEXEC;
        userfaultfd: O_NONBLOCK O_CLOEXEC;
        set_mempolicy: MPOL_DEFAULT MPOL_PREFERRED MPOL_BIND MPOL_INTERLEAVE MPOL_LOCAL MPOL_F_NUMA_BALANCING
            MPOL_F_RELATIVE_NODES MPOL_F_STATIC_NODES;
        futex: FUTEX_WAIT FUTEX_WAKE FUTEX_FD FUTEX_REQUEUE FUTEX_CMP_REQUEUE FUTEX_WAKE_OP FUTEX_LOCK_PI
            FUTEX_UNLOCK_PI FUTEX_TRYLOCK_PI FUTEX_WAIT_BITSET FUTEX_WAKE_BITSET FUTEX_WAIT_REQUEUE_PI
            FUTEX_CMP_REQUEUE_PI FUTEX_LOCK_PI2 FUTEX_PRIVATE_FLAG FUTEX_CLOCK_REALTIME;
        futex_requeue: FUTEX2_SIZE_U8 FUTEX2_SIZE_U16 FUTEX2_SIZE_U32 FUTEX2_SIZE_U64 FUTEX2_NUMA FUTEX2_PRIVATE;
        msgget: IPC_CREAT IPC_EXCL;
        shmget: IPC_CREAT IPC_EXCL SHM_HUGETLB SHM_NORESERVE;
        shmat: SHM_RDONLY SHM_RND SHM_REMAP SHM_EXEC;
        msgrcv: IPC_NOWAIT MSG_NOERROR MSG_EXCEPT MSG_COPY;
        msgctl: IPC_RMID IPC_SET IPC_STAT IPC_INFO MSG_STAT MSG_INFO;
        semctl: GETPID GETVAL GETALL GETNCNT GETZCNT SETVAL SETALL SEM_STAT SEM_INFO SEM_STAT_ANY;
        shmctl: SHM_LOCK SHM_UNLOCK;
        eventfd2: EFD_SEMAPHORE EFD_NONBLOCK EFD_CLOEXEC;
        epoll_create1: EPOLL_CLOEXEC;
        signalfd4: SFD_NONBLOCK SFD_CLOEXEC;
        timerfd_create: TFD_NONBLOCK TFD_CLOEXEC;
        timerfd_settime: TFD_TIMER_ABSTIME TFD_TIMER_CANCEL_ON_SET;
        timer_settime: TIMER_ABSTIME;
        recvfrom: MSG_OOB MSG_PEEK MSG_DONTROUTE MSG_CTRUNC MSG_TRUNC MSG_DONTWAIT MSG_EOR MSG_WAITALL MSG_FIN
            MSG_SYN MSG_CONFIRM MSG_RST MSG_ERRQUEUE MSG_NOSIGNAL MSG_MORE MSG_WAITFORONE MSG_ZEROCOPY MSG_FASTOPEN
            MSG_CMSG_CLOEXEC;
        clone: SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGBUS SIGFPE SIGKILL SIGUSR1 SIGSEGV SIGUSR2 SIGPIPE
            SIGALRM SIGTERM SIGSTKFLT SIGCHLD SIGCONT SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGXCPU SIGXFSZ SIGVTALRM
            SIGPROF SIGWINCH SIGIO SIGPWR SIGSYS;
        unshare: CLONE_VM CLONE_FS CLONE_FILES CLONE_SIGHAND CLONE_PIDFD CLONE_PTRACE CLONE_VFORK CLONE_PARENT
            CLONE_THREAD CLONE_NEWNS CLONE_SYSVSEM CLONE_SETTLS CLONE_PARENT_SETTID CLONE_CHILD_CLEARTID CLONE_DETACHED
            CLONE_UNTRACED CLONE_CHILD_SETTID CLONE_NEWCGROUP CLONE_NEWUTS CLONE_NEWIPC CLONE_NEWUSER CLONE_NEWPID
            CLONE_NEWNET CLONE_IO;
        clone3: CLONE_NEWTIME;
        wait4: WUNTRACED WNOHANG WEXITED WCONTINUED WNOWAIT __WNOTHREAD __WALL __WCLONE;
        waitid: WSTOPPED;
        pidfd_open: PIDFD_THREAD PIDFD_NONBLOCK;
        pidfd_send_signal: PIDFD_SIGNAL_THREAD PIDFD_SIGNAL_THREAD_GROUP PIDFD_SIGNAL_PROCESS_GROUP;
        sched_get_priority_max: SCHED_NORMAL SCHED_FIFO SCHED_RR SCHED_BATCH SCHED_IDLE SCHED_DEADLINE
            SCHED_RESET_ON_FORK;
        rt_sigprocmask: SIG_BLOCK SIG_UNBLOCK SIG_SETMASK;
        personality: UNAME26 ADDR_NO_RANDOMIZE FDPIC_FUNCPTRS MMAP_PAGE_ZERO ADDR_COMPAT_LAYOUT READ_IMPLIES_EXEC
            ADDR_LIMIT_32BIT SHORT_INODE WHOLE_SECONDS STICKY_TIMEOUTS ADDR_LIMIT_3GB;
        prctl: PR_SET_PDEATHSIG PR_GET_PDEATHSIG PR_GET_DUMPABLE PR_SET_DUMPABLE PR_GET_UNALIGN PR_SET_UNALIGN
            PR_GET_KEEPCAPS PR_SET_KEEPCAPS PR_GET_FPEMU PR_SET_FPEMU PR_GET_FPEXC PR_SET_FPEXC PR_GET_TIMING
            PR_SET_TIMING PR_SET_NAME PR_GET_NAME PR_GET_ENDIAN PR_SET_ENDIAN PR_GET_SECCOMP PR_SET_SECCOMP
            PR_CAPBSET_READ PR_CAPBSET_DROP PR_GET_TSC PR_SET_TSC PR_GET_SECUREBITS PR_SET_SECUREBITS PR_SET_TIMERSLACK
            PR_GET_TIMERSLACK PR_TASK_PERF_EVENTS_DISABLE PR_TASK_PERF_EVENTS_ENABLE PR_MCE_KILL PR_MCE_KILL_GET
            PR_SET_MM PR_SET_CHILD_SUBREAPER PR_GET_CHILD_SUBREAPER PR_SET_NO_NEW_PRIVS PR_GET_NO_NEW_PRIVS
            PR_GET_TID_ADDRESS PR_SET_THP_DISABLE PR_GET_THP_DISABLE PR_MPX_ENABLE_MANAGEMENT PR_MPX_DISABLE_MANAGEMENT
            PR_SET_FP_MODE PR_GET_FP_MODE PR_CAP_AMBIENT PR_GET_SPECULATION_CTRL PR_SET_SPECULATION_CTRL PR_SCHED_CORE
            PR_SET_MDWE PR_GET_MDWE PR_SET_MEMORY_MERGE PR_GET_MEMORY_MERGE PR_SET_VMA PR_SET_PTRACER;
        ptrace: PTRACE_TRACEME PTRACE_PEEKTEXT PTRACE_PEEKDATA PTRACE_POKETEXT PTRACE_POKEDATA PTRACE_CONT
            PTRACE_KILL PTRACE_SINGLESTEP PTRACE_GETREGS PTRACE_SETREGS PTRACE_GETFPREGS PTRACE_SETFPREGS PTRACE_ATTACH
            PTRACE_DETACH PTRACE_GETFPXREGS PTRACE_SETFPXREGS PTRACE_SYSCALL PTRACE_SYSEMU PTRACE_SYSEMU_SINGLESTEP
            PTRACE_SETOPTIONS PTRACE_GETEVENTMSG PTRACE_GETSIGINFO PTRACE_SETSIGINFO PTRACE_GETREGSET PTRACE_SETREGSET
            PTRACE_SEIZE PTRACE_INTERRUPT PTRACE_LISTEN PTRACE_PEEKSIGINFO PTRACE_GETSIGMASK PTRACE_SETSIGMASK
            PTRACE_GET_SYSCALL_INFO PTRACE_GET_RSEQ_CONFIGURATION PTRACE_SET_SYSCALL_USER_DISPATCH_CONFIG
            PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG PTRACE_SET_SYSCALL_INFO;
        seccomp: SECCOMP_SET_MODE_STRICT SECCOMP_SET_MODE_FILTER SECCOMP_GET_ACTION_AVAIL SECCOMP_GET_NOTIF_SIZES;
        keyctl: KEYCTL_GET_KEYRING_ID KEYCTL_JOIN_SESSION_KEYRING KEYCTL_UPDATE KEYCTL_REVOKE KEYCTL_CHOWN
            KEYCTL_SETPERM KEYCTL_DESCRIBE KEYCTL_CLEAR KEYCTL_LINK KEYCTL_UNLINK KEYCTL_SEARCH KEYCTL_READ
            KEYCTL_INSTANTIATE KEYCTL_NEGATE KEYCTL_SET_REQKEY_KEYRING KEYCTL_SET_TIMEOUT KEYCTL_ASSUME_AUTHORITY
            KEYCTL_GET_SECURITY KEYCTL_SESSION_TO_PARENT KEYCTL_REJECT KEYCTL_INSTANTIATE_IOV KEYCTL_INVALIDATE
            KEYCTL_GET_PERSISTENT KEYCTL_DH_COMPUTE KEYCTL_PKEY_QUERY KEYCTL_PKEY_ENCRYPT KEYCTL_PKEY_DECRYPT
            KEYCTL_PKEY_SIGN KEYCTL_PKEY_VERIFY KEYCTL_RESTRICT_KEYRING KEYCTL_MOVE KEYCTL_CAPABILITIES;
        getrandom: GRND_NONBLOCK GRND_RANDOM GRND_INSECURE;
        kexec_load: KEXEC_ON_CRASH KEXEC_PRESERVE_CONTEXT;
        kexec_file_load: KEXEC_FILE_UNLOAD KEXEC_FILE_ON_CRASH KEXEC_FILE_NO_INITRAMFS;
        finit_module: MODULE_INIT_IGNORE_MODVERSIONS MODULE_INIT_IGNORE_VERMAGIC;
        delete_module: O_TRUNC O_NONBLOCK;
        reboot: LINUX_REBOOT_CMD_RESTART LINUX_REBOOT_CMD_HALT LINUX_REBOOT_CMD_CAD_ON LINUX_REBOOT_CMD_CAD_OFF
            LINUX_REBOOT_CMD_POWER_OFF LINUX_REBOOT_CMD_RESTART2 LINUX_REBOOT_CMD_SW_SUSPEND LINUX_REBOOT_CMD_KEXEC;
        socket: SOCK_STREAM SOCK_DGRAM SOCK_RAW SOCK_RDM SOCK_SEQPACKET SOCK_NONBLOCK SOCK_CLOEXEC;
        shutdown: SHUT_RD SHUT_WR SHUT_RDWR;
    }
    for (command, name) in [
        (libc::Q_SYNC, "Q_SYNC"),
        (libc::Q_QUOTAON, "Q_QUOTAON"),
        (libc::Q_QUOTAOFF, "Q_QUOTAOFF"),
        (libc::Q_GETFMT, "Q_GETFMT"),
        (libc::Q_GETINFO, "Q_GETINFO"),
        (libc::Q_SETINFO, "Q_SETINFO"),
        (libc::Q_GETQUOTA, "Q_GETQUOTA"),
        (libc::Q_SETQUOTA, "Q_SETQUOTA"),
    ] {
        let shown = text("quotactl", libc::QCMD(command, libc::GRPQUOTA));
        assert_eq!(shown, format!("{name}|GRPQUOTA"));
    }
}

#[test]
fn open_flags_always_say_the_access_mode() {
    assert_eq!(text("openat", 0), "O_RDONLY");
    assert_eq!(
        text("openat", libc::O_RDWR | libc::O_CREAT | libc::O_CLOEXEC),
        "O_RDWR|O_CREAT|O_CLOEXEC"
    );
    assert_eq!(text("open", 3), "O_ACCMODE");
    assert_eq!(
        text("openat2", libc::O_WRONLY | libc::O_SYNC),
        "O_WRONLY|O_SYNC"
    );
    assert_eq!(text("open", libc::O_DSYNC), "O_RDONLY|O_DSYNC");
    assert_eq!(text("open", i32::MIN), "O_RDONLY|0x80000000");
}

#[cfg(target_arch = "x86_64")]
#[test]
fn values_agree_with_libc() {
    assert_eq!(
        text("open", libc::O_TMPFILE | libc::O_RDWR),
        "O_RDWR|O_TMPFILE"
    );
    assert_eq!(
        text(
            "open",
            libc::O_DIRECT | libc::O_DIRECTORY | libc::O_NOFOLLOW | libc::O_NOATIME | libc::O_PATH
        ),
        "O_RDONLY|O_NOATIME|O_PATH|O_DIRECT|O_DIRECTORY|O_NOFOLLOW"
    );
    assert_eq!(
        text(
            "open",
            libc::O_EXCL
                | libc::O_NOCTTY
                | libc::O_TRUNC
                | libc::O_APPEND
                | libc::O_NONBLOCK
                | libc::O_ASYNC
        ),
        "O_RDONLY|O_EXCL|O_NOCTTY|O_TRUNC|O_APPEND|O_NONBLOCK|O_ASYNC"
    );
    assert_eq!(
        text(
            "newfstatat",
            libc::AT_SYMLINK_NOFOLLOW | libc::AT_EMPTY_PATH
        ),
        "AT_SYMLINK_NOFOLLOW|AT_EMPTY_PATH"
    );
    assert_eq!(
        text("mmap", libc::PROT_READ | libc::PROT_WRITE),
        "PROT_READ|PROT_WRITE"
    );
    assert_eq!(
        text(
            "recvfrom",
            libc::MSG_PEEK | libc::MSG_TRUNC | libc::MSG_NOSIGNAL
        ),
        "MSG_PEEK|MSG_TRUNC|MSG_NOSIGNAL"
    );
    assert_eq!(
        text("eventfd2", libc::EFD_CLOEXEC | libc::EFD_SEMAPHORE),
        "EFD_SEMAPHORE|EFD_CLOEXEC"
    );
    assert_eq!(
        text("memfd_create", libc::MFD_ALLOW_SEALING as i32),
        "MFD_ALLOW_SEALING"
    );
    assert_eq!(
        text("pipe2", libc::O_CLOEXEC | libc::O_DIRECT),
        "O_CLOEXEC|O_DIRECT"
    );
}

#[test]
fn the_same_bit_means_what_the_call_says() {
    assert_eq!(text("unlinkat", 0x200), "AT_REMOVEDIR");
    assert_eq!(text("faccessat2", 0x200), "AT_EACCESS");
    assert_eq!(text("newfstatat", 0x200), "0x200");
    assert_eq!(text("renameat2", 1), "RENAME_NOREPLACE");
    let arm = |value| Flags::new("openat", Abi::Aarch64, value).to_string();
    assert_eq!(arm(0o40_000), "O_RDONLY|O_DIRECTORY");
    assert_eq!(arm(0o20_040_000), "O_RDONLY|O_TMPFILE");
}

#[test]
fn nothing_and_the_unknown_are_said() {
    assert_eq!(text("dup3", 0), "0");
    assert_eq!(text("mmap", 0), "PROT_NONE");
    assert_eq!(text("mmap", 0x11), "PROT_READ|0x10");
    assert_eq!(text("fsync", 0x1234), "0x1234");
}

#[test]
fn enumerations_are_one_name_and_bits_may_follow() {
    let x86 = |call, value: u64| Flags::new(call, Abi::X86_64, value).to_string();
    assert_eq!(x86("lseek", 0), "SEEK_SET");
    assert_eq!(x86("fcntl", 1030), "F_DUPFD_CLOEXEC");
    assert_eq!(x86("fcntl", 99), "0x63");
    assert_eq!(x86("ioctl", 0x5413), "TIOCGWINSZ");
    assert_eq!(x86("ioctl", 0xdead_beef), "0xdeadbeef");
    assert_eq!(x86("access", 0), "F_OK");
    assert_eq!(x86("faccessat", 6), "R_OK|W_OK");
    assert_eq!(x86("flock", 6), "LOCK_EX|LOCK_NB");
    assert_eq!(x86("socket", 0o2_000_001), "SOCK_STREAM|SOCK_CLOEXEC");
    assert_eq!(x86("futex", 0x80), "FUTEX_WAIT|FUTEX_PRIVATE_FLAG");
    assert_eq!(
        x86("futex", 0x189),
        "FUTEX_WAIT_BITSET|FUTEX_PRIVATE_FLAG|FUTEX_CLOCK_REALTIME"
    );
    assert_eq!(
        x86("clone", 0x0120_0011),
        "SIGCHLD|CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID"
    );
    assert_eq!(x86("clone", 0x80), "0x80");
    assert_eq!(x86("unshare", 0x80), "CLONE_NEWTIME");
    assert_eq!(x86("clone3", 0x1_0000_0100), "CLONE_VM|CLONE_CLEAR_SIGHAND");
    assert_eq!(x86("openat2", 1 << 40), "O_RDONLY|0x10000000000");
    assert_eq!(x86("madvise", 1 << 40), "0x10000000000");
    assert_eq!(x86("shmget", 0o1600), "IPC_CREAT|0600");
    assert_eq!(x86("shmget", 0o644), "0644");
    assert_eq!(x86("semget", 0x8000_0007), "0007|0x80000000");
    assert_eq!(x86("semctl", 0x10c), "GETVAL|IPC_64");
    assert_eq!(x86("mount", 0xc0ed_0001), "MS_MGC_VAL|MS_RDONLY");
    assert_eq!(x86("mount", 0x5000), "MS_BIND|MS_REC");
    assert_eq!(x86("inotify_add_watch", 0xfff), "IN_ALL_EVENTS");
    assert_eq!(
        x86("fanotify_mark", 0x101),
        "FAN_MARK_FILESYSTEM|FAN_MARK_ADD"
    );
    assert_eq!(
        x86("sched_setscheduler", 0x4000_0002),
        "SCHED_RR|SCHED_RESET_ON_FORK"
    );
    assert_eq!(x86("memfd_create", 0x5400_0004), "MFD_HUGETLB|MFD_HUGE_2MB");
}

#[test]
fn names_of_the_32_bit_table_decode_like_their_siblings() {
    let ia32 = |call, value| Flags::new(call, Abi::Ia32, value).to_string();
    assert_eq!(ia32("fcntl64", 12), "F_GETLK64");
    assert_eq!(ia32("mmap2", 5), "PROT_READ|PROT_EXEC");
    assert_eq!(ia32("fadvise64_64", 3), "POSIX_FADV_WILLNEED");
    assert_eq!(ia32("umount2", 2), "MNT_DETACH");
    assert_eq!(ia32("fstatat64", 0x100), "AT_SYMLINK_NOFOLLOW");
    assert_eq!(ia32("_llseek", 2), "SEEK_END");
    assert_eq!(ia32("socketcall", 1), "SYS_SOCKET");
    assert_eq!(ia32("openat", 0o100_000), "O_RDONLY|O_LARGEFILE");
}
