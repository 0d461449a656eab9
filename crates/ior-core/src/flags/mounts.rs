//! Flags of calls on mounts, quotas and of file notification.

use super::{Part, flag, one_of, value};

pub(super) const MOUNT: &[Part] = &[
    one_of(0xffff_0000, 0xc0ed_0000, "MS_MGC_VAL"),
    flag(1, "MS_RDONLY"),
    flag(2, "MS_NOSUID"),
    flag(4, "MS_NODEV"),
    flag(8, "MS_NOEXEC"),
    flag(0x10, "MS_SYNCHRONOUS"),
    flag(0x20, "MS_REMOUNT"),
    flag(0x40, "MS_MANDLOCK"),
    flag(0x80, "MS_DIRSYNC"),
    flag(0x100, "MS_NOSYMFOLLOW"),
    flag(0x400, "MS_NOATIME"),
    flag(0x800, "MS_NODIRATIME"),
    flag(0x1000, "MS_BIND"),
    flag(0x2000, "MS_MOVE"),
    flag(0x4000, "MS_REC"),
    flag(0x8000, "MS_SILENT"),
    flag(0x1_0000, "MS_POSIXACL"),
    flag(0x2_0000, "MS_UNBINDABLE"),
    flag(0x4_0000, "MS_PRIVATE"),
    flag(0x8_0000, "MS_SLAVE"),
    flag(0x10_0000, "MS_SHARED"),
    flag(0x20_0000, "MS_RELATIME"),
    flag(0x40_0000, "MS_KERNMOUNT"),
    flag(0x80_0000, "MS_I_VERSION"),
    flag(0x100_0000, "MS_STRICTATIME"),
    flag(0x200_0000, "MS_LAZYTIME"),
];

pub(super) const UMOUNT: &[Part] = &[
    flag(1, "MNT_FORCE"),
    flag(2, "MNT_DETACH"),
    flag(4, "MNT_EXPIRE"),
    flag(8, "UMOUNT_NOFOLLOW"),
];

pub(super) const MOVE_MOUNT: &[Part] = &[
    flag(1, "MOVE_MOUNT_F_SYMLINKS"),
    flag(2, "MOVE_MOUNT_F_AUTOMOUNTS"),
    flag(4, "MOVE_MOUNT_F_EMPTY_PATH"),
    flag(0x10, "MOVE_MOUNT_T_SYMLINKS"),
    flag(0x20, "MOVE_MOUNT_T_AUTOMOUNTS"),
    flag(0x40, "MOVE_MOUNT_T_EMPTY_PATH"),
    flag(0x100, "MOVE_MOUNT_SET_GROUP"),
    flag(0x200, "MOVE_MOUNT_BENEATH"),
];

pub(super) const OPEN_TREE: &[Part] = &[
    flag(1, "OPEN_TREE_CLONE"),
    flag(2, "OPEN_TREE_NAMESPACE"),
    flag(0o2_000_000, "OPEN_TREE_CLOEXEC"),
];

pub(super) const FSOPEN: &[Part] = &[flag(1, "FSOPEN_CLOEXEC")];

pub(super) const FSMOUNT: &[Part] = &[flag(1, "FSMOUNT_CLOEXEC"), flag(2, "FSMOUNT_NAMESPACE")];

pub(super) const FSPICK: &[Part] = &[
    flag(1, "FSPICK_CLOEXEC"),
    flag(2, "FSPICK_SYMLINK_NOFOLLOW"),
    flag(4, "FSPICK_NO_AUTOMOUNT"),
    flag(8, "FSPICK_EMPTY_PATH"),
];

pub(super) const FSCONFIG: &[Part] = &[
    value(0, "FSCONFIG_SET_FLAG"),
    value(1, "FSCONFIG_SET_STRING"),
    value(2, "FSCONFIG_SET_BINARY"),
    value(3, "FSCONFIG_SET_PATH"),
    value(4, "FSCONFIG_SET_PATH_EMPTY"),
    value(5, "FSCONFIG_SET_FD"),
    value(6, "FSCONFIG_CMD_CREATE"),
    value(7, "FSCONFIG_CMD_RECONFIGURE"),
    value(8, "FSCONFIG_CMD_CREATE_EXCL"),
];

pub(super) const STATMOUNT: &[Part] = &[flag(1, "STATMOUNT_BY_FD")];

pub(super) const LISTMOUNT: &[Part] = &[flag(1, "LISTMOUNT_REVERSE")];

/// A command in the upper 24 bits, whose quota in the lower 8.
pub(super) const QUOTA: &[Part] = &[
    one_of(0xffff_ff00, 0x8000_0100, "Q_SYNC"),
    one_of(0xffff_ff00, 0x8000_0200, "Q_QUOTAON"),
    one_of(0xffff_ff00, 0x8000_0300, "Q_QUOTAOFF"),
    one_of(0xffff_ff00, 0x8000_0400, "Q_GETFMT"),
    one_of(0xffff_ff00, 0x8000_0500, "Q_GETINFO"),
    one_of(0xffff_ff00, 0x8000_0600, "Q_SETINFO"),
    one_of(0xffff_ff00, 0x8000_0700, "Q_GETQUOTA"),
    one_of(0xffff_ff00, 0x8000_0800, "Q_SETQUOTA"),
    one_of(0xffff_ff00, 0x8000_0900, "Q_GETNEXTQUOTA"),
    one_of(0xffff_ff00, 0x58_0100, "Q_XQUOTAON"),
    one_of(0xffff_ff00, 0x58_0200, "Q_XQUOTAOFF"),
    one_of(0xffff_ff00, 0x58_0300, "Q_XGETQUOTA"),
    one_of(0xffff_ff00, 0x58_0400, "Q_XSETQLIM"),
    one_of(0xffff_ff00, 0x58_0500, "Q_XGETQSTAT"),
    one_of(0xffff_ff00, 0x58_0600, "Q_XQUOTARM"),
    one_of(0xffff_ff00, 0x58_0700, "Q_XQUOTASYNC"),
    one_of(0xffff_ff00, 0x58_0800, "Q_XGETQSTATV"),
    one_of(0xffff_ff00, 0x58_0900, "Q_XGETNEXTQUOTA"),
    one_of(0xff, 0, "USRQUOTA"),
    one_of(0xff, 1, "GRPQUOTA"),
    one_of(0xff, 2, "PRJQUOTA"),
];

pub(super) const FANOTIFY_INIT: &[Part] = &[
    one_of(12, 0, "FAN_CLASS_NOTIF"),
    one_of(12, 4, "FAN_CLASS_CONTENT"),
    one_of(12, 8, "FAN_CLASS_PRE_CONTENT"),
    flag(1, "FAN_CLOEXEC"),
    flag(2, "FAN_NONBLOCK"),
    flag(0x10, "FAN_UNLIMITED_QUEUE"),
    flag(0x20, "FAN_UNLIMITED_MARKS"),
    flag(0x40, "FAN_ENABLE_AUDIT"),
    flag(0x80, "FAN_REPORT_PIDFD"),
    flag(0x100, "FAN_REPORT_TID"),
    flag(0x200, "FAN_REPORT_FID"),
    flag(0x400, "FAN_REPORT_DIR_FID"),
    flag(0x800, "FAN_REPORT_NAME"),
    flag(0x1000, "FAN_REPORT_TARGET_FID"),
    flag(0x2000, "FAN_REPORT_FD_ERROR"),
    flag(0x4000, "FAN_REPORT_MNT"),
];

pub(super) const FANOTIFY_MARK: &[Part] = &[
    one_of(0x110, 0x10, "FAN_MARK_MOUNT"),
    one_of(0x110, 0x100, "FAN_MARK_FILESYSTEM"),
    one_of(0x110, 0x110, "FAN_MARK_MNTNS"),
    flag(1, "FAN_MARK_ADD"),
    flag(2, "FAN_MARK_REMOVE"),
    flag(4, "FAN_MARK_DONT_FOLLOW"),
    flag(8, "FAN_MARK_ONLYDIR"),
    flag(0x20, "FAN_MARK_IGNORED_MASK"),
    flag(0x40, "FAN_MARK_IGNORED_SURV_MODIFY"),
    flag(0x80, "FAN_MARK_FLUSH"),
    flag(0x200, "FAN_MARK_EVICTABLE"),
    flag(0x400, "FAN_MARK_IGNORE"),
];

pub(super) const INOTIFY_INIT: &[Part] =
    &[flag(0o4000, "IN_NONBLOCK"), flag(0o2_000_000, "IN_CLOEXEC")];

pub(super) const INOTIFY_WATCH: &[Part] = &[
    flag(0xfff, "IN_ALL_EVENTS"),
    flag(1, "IN_ACCESS"),
    flag(2, "IN_MODIFY"),
    flag(4, "IN_ATTRIB"),
    flag(8, "IN_CLOSE_WRITE"),
    flag(0x10, "IN_CLOSE_NOWRITE"),
    flag(0x20, "IN_OPEN"),
    flag(0x40, "IN_MOVED_FROM"),
    flag(0x80, "IN_MOVED_TO"),
    flag(0x100, "IN_CREATE"),
    flag(0x200, "IN_DELETE"),
    flag(0x400, "IN_DELETE_SELF"),
    flag(0x800, "IN_MOVE_SELF"),
    flag(0x2000, "IN_UNMOUNT"),
    flag(0x4000, "IN_Q_OVERFLOW"),
    flag(0x8000, "IN_IGNORED"),
    flag(0x100_0000, "IN_ONLYDIR"),
    flag(0x200_0000, "IN_DONT_FOLLOW"),
    flag(0x400_0000, "IN_EXCL_UNLINK"),
    flag(0x1000_0000, "IN_MASK_CREATE"),
    flag(0x2000_0000, "IN_MASK_ADD"),
    flag(0x4000_0000, "IN_ISDIR"),
    flag(0x8000_0000, "IN_ONESHOT"),
];
