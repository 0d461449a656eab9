//! Flags of calls on the kernel itself: BPF, tracing, keys, sandboxes, security modules, modules, booting, random numbers.

use super::{Part, flag, one_of, value};

pub(super) const BPF: &[Part] = &[
    one_of(0xfffe_ffff, 0, "BPF_MAP_CREATE"),
    one_of(0xfffe_ffff, 1, "BPF_MAP_LOOKUP_ELEM"),
    one_of(0xfffe_ffff, 2, "BPF_MAP_UPDATE_ELEM"),
    one_of(0xfffe_ffff, 3, "BPF_MAP_DELETE_ELEM"),
    one_of(0xfffe_ffff, 4, "BPF_MAP_GET_NEXT_KEY"),
    one_of(0xfffe_ffff, 5, "BPF_PROG_LOAD"),
    one_of(0xfffe_ffff, 6, "BPF_OBJ_PIN"),
    one_of(0xfffe_ffff, 7, "BPF_OBJ_GET"),
    one_of(0xfffe_ffff, 8, "BPF_PROG_ATTACH"),
    one_of(0xfffe_ffff, 9, "BPF_PROG_DETACH"),
    one_of(0xfffe_ffff, 10, "BPF_PROG_TEST_RUN"),
    one_of(0xfffe_ffff, 11, "BPF_PROG_GET_NEXT_ID"),
    one_of(0xfffe_ffff, 12, "BPF_MAP_GET_NEXT_ID"),
    one_of(0xfffe_ffff, 13, "BPF_PROG_GET_FD_BY_ID"),
    one_of(0xfffe_ffff, 14, "BPF_MAP_GET_FD_BY_ID"),
    one_of(0xfffe_ffff, 15, "BPF_OBJ_GET_INFO_BY_FD"),
    one_of(0xfffe_ffff, 16, "BPF_PROG_QUERY"),
    one_of(0xfffe_ffff, 17, "BPF_RAW_TRACEPOINT_OPEN"),
    one_of(0xfffe_ffff, 18, "BPF_BTF_LOAD"),
    one_of(0xfffe_ffff, 19, "BPF_BTF_GET_FD_BY_ID"),
    one_of(0xfffe_ffff, 20, "BPF_TASK_FD_QUERY"),
    one_of(0xfffe_ffff, 21, "BPF_MAP_LOOKUP_AND_DELETE_ELEM"),
    one_of(0xfffe_ffff, 22, "BPF_MAP_FREEZE"),
    one_of(0xfffe_ffff, 23, "BPF_BTF_GET_NEXT_ID"),
    one_of(0xfffe_ffff, 24, "BPF_MAP_LOOKUP_BATCH"),
    one_of(0xfffe_ffff, 25, "BPF_MAP_LOOKUP_AND_DELETE_BATCH"),
    one_of(0xfffe_ffff, 26, "BPF_MAP_UPDATE_BATCH"),
    one_of(0xfffe_ffff, 27, "BPF_MAP_DELETE_BATCH"),
    one_of(0xfffe_ffff, 28, "BPF_LINK_CREATE"),
    one_of(0xfffe_ffff, 29, "BPF_LINK_UPDATE"),
    one_of(0xfffe_ffff, 30, "BPF_LINK_GET_FD_BY_ID"),
    one_of(0xfffe_ffff, 31, "BPF_LINK_GET_NEXT_ID"),
    one_of(0xfffe_ffff, 32, "BPF_ENABLE_STATS"),
    one_of(0xfffe_ffff, 33, "BPF_ITER_CREATE"),
    one_of(0xfffe_ffff, 34, "BPF_LINK_DETACH"),
    one_of(0xfffe_ffff, 35, "BPF_PROG_BIND_MAP"),
    one_of(0xfffe_ffff, 36, "BPF_TOKEN_CREATE"),
    one_of(0xfffe_ffff, 37, "BPF_PROG_STREAM_READ_BY_FD"),
    one_of(0xfffe_ffff, 38, "BPF_PROG_ASSOC_STRUCT_OPS"),
    flag(0x1_0000, "BPF_COMMON_ATTRS"),
];

pub(super) const PERF_EVENT_OPEN: &[Part] = &[
    flag(1, "PERF_FLAG_FD_NO_GROUP"),
    flag(2, "PERF_FLAG_FD_OUTPUT"),
    flag(4, "PERF_FLAG_PID_CGROUP"),
    flag(8, "PERF_FLAG_FD_CLOEXEC"),
];

pub(super) const SECCOMP: &[Part] = &[
    value(0, "SECCOMP_SET_MODE_STRICT"),
    value(1, "SECCOMP_SET_MODE_FILTER"),
    value(2, "SECCOMP_GET_ACTION_AVAIL"),
    value(3, "SECCOMP_GET_NOTIF_SIZES"),
];

pub(super) const KEYCTL: &[Part] = &[
    value(0, "KEYCTL_GET_KEYRING_ID"),
    value(1, "KEYCTL_JOIN_SESSION_KEYRING"),
    value(2, "KEYCTL_UPDATE"),
    value(3, "KEYCTL_REVOKE"),
    value(4, "KEYCTL_CHOWN"),
    value(5, "KEYCTL_SETPERM"),
    value(6, "KEYCTL_DESCRIBE"),
    value(7, "KEYCTL_CLEAR"),
    value(8, "KEYCTL_LINK"),
    value(9, "KEYCTL_UNLINK"),
    value(10, "KEYCTL_SEARCH"),
    value(11, "KEYCTL_READ"),
    value(12, "KEYCTL_INSTANTIATE"),
    value(13, "KEYCTL_NEGATE"),
    value(14, "KEYCTL_SET_REQKEY_KEYRING"),
    value(15, "KEYCTL_SET_TIMEOUT"),
    value(16, "KEYCTL_ASSUME_AUTHORITY"),
    value(17, "KEYCTL_GET_SECURITY"),
    value(18, "KEYCTL_SESSION_TO_PARENT"),
    value(19, "KEYCTL_REJECT"),
    value(20, "KEYCTL_INSTANTIATE_IOV"),
    value(21, "KEYCTL_INVALIDATE"),
    value(22, "KEYCTL_GET_PERSISTENT"),
    value(23, "KEYCTL_DH_COMPUTE"),
    value(24, "KEYCTL_PKEY_QUERY"),
    value(25, "KEYCTL_PKEY_ENCRYPT"),
    value(26, "KEYCTL_PKEY_DECRYPT"),
    value(27, "KEYCTL_PKEY_SIGN"),
    value(28, "KEYCTL_PKEY_VERIFY"),
    value(29, "KEYCTL_RESTRICT_KEYRING"),
    value(30, "KEYCTL_MOVE"),
    value(31, "KEYCTL_CAPABILITIES"),
    value(32, "KEYCTL_WATCH_KEY"),
];

pub(super) const LANDLOCK_CREATE: &[Part] = &[
    flag(1, "LANDLOCK_CREATE_RULESET_VERSION"),
    flag(2, "LANDLOCK_CREATE_RULESET_ERRATA"),
];

pub(super) const LANDLOCK_RESTRICT: &[Part] = &[
    flag(1, "LANDLOCK_RESTRICT_SELF_LOG_SAME_EXEC_OFF"),
    flag(2, "LANDLOCK_RESTRICT_SELF_LOG_NEW_EXEC_ON"),
    flag(4, "LANDLOCK_RESTRICT_SELF_LOG_SUBDOMAINS_OFF"),
    flag(8, "LANDLOCK_RESTRICT_SELF_TSYNC"),
];

pub(super) const LSM_GET: &[Part] = &[flag(1, "LSM_FLAG_SINGLE")];

pub(super) const GETRANDOM: &[Part] = &[
    flag(1, "GRND_NONBLOCK"),
    flag(2, "GRND_RANDOM"),
    flag(4, "GRND_INSECURE"),
];

/// The architecture in the upper half.
pub(super) const KEXEC_LOAD: &[Part] = &[
    one_of(0xffff_0000, 0x3_0000, "KEXEC_ARCH_386"),
    one_of(0xffff_0000, 0x3e_0000, "KEXEC_ARCH_X86_64"),
    one_of(0xffff_0000, 0x28_0000, "KEXEC_ARCH_ARM"),
    one_of(0xffff_0000, 0xb7_0000, "KEXEC_ARCH_AARCH64"),
    flag(1, "KEXEC_ON_CRASH"),
    flag(2, "KEXEC_PRESERVE_CONTEXT"),
    flag(4, "KEXEC_UPDATE_ELFCOREHDR"),
    flag(8, "KEXEC_CRASH_HOTPLUG_SUPPORT"),
];

pub(super) const KEXEC_FILE_LOAD: &[Part] = &[
    flag(1, "KEXEC_FILE_UNLOAD"),
    flag(2, "KEXEC_FILE_ON_CRASH"),
    flag(4, "KEXEC_FILE_NO_INITRAMFS"),
    flag(8, "KEXEC_FILE_DEBUG"),
    flag(0x10, "KEXEC_FILE_NO_CMA"),
    flag(0x20, "KEXEC_FILE_FORCE_DTB"),
];

pub(super) const MODULE_INIT: &[Part] = &[
    flag(1, "MODULE_INIT_IGNORE_MODVERSIONS"),
    flag(2, "MODULE_INIT_IGNORE_VERMAGIC"),
    flag(4, "MODULE_INIT_COMPRESSED_FILE"),
];

pub(super) const MODULE_DELETE: &[Part] = &[flag(0o1000, "O_TRUNC"), flag(0o4000, "O_NONBLOCK")];

pub(super) const REBOOT: &[Part] = &[
    value(0x123_4567, "LINUX_REBOOT_CMD_RESTART"),
    value(0xcdef_0123, "LINUX_REBOOT_CMD_HALT"),
    value(0x89ab_cdef, "LINUX_REBOOT_CMD_CAD_ON"),
    value(0, "LINUX_REBOOT_CMD_CAD_OFF"),
    value(0x4321_fedc, "LINUX_REBOOT_CMD_POWER_OFF"),
    value(0xa1b2_c3d4, "LINUX_REBOOT_CMD_RESTART2"),
    value(0xd000_fce2, "LINUX_REBOOT_CMD_SW_SUSPEND"),
    value(0x4558_4543, "LINUX_REBOOT_CMD_KEXEC"),
];

/// Of the kernel's own `include/linux/syslog.h`.
pub(super) const SYSLOG: &[Part] = &[
    value(0, "SYSLOG_ACTION_CLOSE"),
    value(1, "SYSLOG_ACTION_OPEN"),
    value(2, "SYSLOG_ACTION_READ"),
    value(3, "SYSLOG_ACTION_READ_ALL"),
    value(4, "SYSLOG_ACTION_READ_CLEAR"),
    value(5, "SYSLOG_ACTION_CLEAR"),
    value(6, "SYSLOG_ACTION_CONSOLE_OFF"),
    value(7, "SYSLOG_ACTION_CONSOLE_ON"),
    value(8, "SYSLOG_ACTION_CONSOLE_LEVEL"),
    value(9, "SYSLOG_ACTION_SIZE_UNREAD"),
    value(10, "SYSLOG_ACTION_SIZE_BUFFER"),
];
