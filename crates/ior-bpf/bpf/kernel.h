/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Kernel types, by hand and minimal: only the fields we read, found by CO-RE at load. No dump of a kernel's BTF.
 * Also the few constants of the bpf() ABI (include/uapi/linux/bpf.h) that we use.
 */
#ifndef IOR_KERNEL_H
#define IOR_KERNEL_H

typedef unsigned char __u8;
typedef signed char __s8;
typedef unsigned short __u16;
typedef signed short __s16;
typedef unsigned int __u32;
typedef signed int __s32;
typedef unsigned long long __u64;
typedef signed long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef _Bool bool;

#define true 1
#define false 0
#define NULL ((void *)0)

enum {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_CGROUP_ARRAY = 8,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_ARRAY_OF_MAPS = 12,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};

enum {
	BPF_ANY = 0,
	BPF_F_NO_PREALLOC = 1U << 0,
	BPF_F_MMAPABLE = 1U << 10,
	BPF_LOCAL_STORAGE_GET_F_CREATE = 1ULL << 0,
	BPF_RB_NO_WAKEUP = 1ULL << 0,
	BPF_RB_FORCE_WAKEUP = 1ULL << 1,
	BPF_RB_AVAIL_DATA = 0,
};

/* arch/x86/include/asm/thread_info.h: this system call came through the 32-bit entry. */
#define TS_COMPAT 0x0002
/* include/uapi/asm-generic/mman-common.h */
#define MAP_ANONYMOUS 0x20
/* include/uapi/linux/fcntl.h */
#define AT_FDCWD (-100)
/* include/uapi/asm-generic/fcntl.h */
#define O_APPEND 02000
/* include/linux/sched.h */
#define PF_EXITING 0x4
/* include/linux/errno.h */
#define ERESTART_RESTARTBLOCK 516
/* include/linux/socket.h */
#define MSG_PEEK 0x2
#define MSG_TRUNC 0x20
/* include/linux/mount.h: a mount no mount namespace holds (pipefs, sockfs, the shm mount of memfd). */
#define S_IFMT 0170000
#define MNT_INTERNAL 0x4000

/* include/uapi/linux/magic.h: the file system of namespaces. */
#define NSFS_MAGIC 0x6e736673

#define __core __attribute__((preserve_access_index))

struct pt_regs {
	unsigned long bp;
	unsigned long bx;
	unsigned long r10;
	unsigned long r9;
	unsigned long r8;
	unsigned long cx;
	unsigned long dx;
	unsigned long si;
	unsigned long di;
	unsigned long orig_ax;
} __core;

struct trace_event_raw_sys_enter {
	long id;
	unsigned long args[6];
} __core;

struct trace_event_raw_sys_exit {
	long id;
	long ret;
} __core;

struct list_head {
	struct list_head *next;
} __core;

struct qstr {
	union {
		struct {
			__u32 hash;
			__u32 len;
		};
		__u64 hash_len;
	};
	const unsigned char *name;
} __core;

struct super_block {
	__u32 s_dev;
	unsigned long s_magic;
} __core;

struct proc_ns_operations {
	const char *name;
} __core;

struct ns_common {
	const struct proc_ns_operations *ops;
	unsigned int inum;
} __core;

struct mnt_namespace {
	struct ns_common ns;
} __core;

struct inode {
	__u16 i_mode;
	void *i_private;
	struct super_block *i_sb;
	unsigned long i_ino;
} __core;

union shortname_store {
	unsigned char string[32];
} __core;

struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
	union shortname_store d_shortname;
} __core;

/* Before Linux 6.15. */
struct dentry___iname {
	unsigned char d_iname[32];
} __core;

struct vfsmount {
	struct dentry *mnt_root;
	int mnt_flags;
} __core;

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
	struct mnt_namespace *mnt_ns;
} __core;

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
} __core;

struct file {
	struct inode *f_inode;
	__u32 f_flags;
	struct path f_path;
	__s64 f_pos;
} __core;

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
} __core;

struct files_struct {
	struct fdtable *fdt;
} __core;

struct fs_struct {
	struct path root;
	struct path pwd;
} __core;

typedef struct {
	__u32 val;
} kuid_t;

struct cred {
	kuid_t uid;
} __core;

struct kernfs_node {
	__u64 id;
} __core;

struct cgroup {
	struct kernfs_node *kn;
} __core;

struct css_set {
	struct cgroup *dfl_cgrp;
} __core;

struct bpf_local_storage {
	int unused;
};

struct thread_info {
	__u32 status;
} __core;

typedef struct {
	int counter;
} atomic_t;

struct signal_struct {
	atomic_t live;
} __core;

struct seccomp {
	int mode;
} __core;

struct mm_struct {
	unsigned long brk;
} __core;

struct task_struct {
	struct thread_info thread_info;
	unsigned int flags;
	unsigned int ptrace;
	__s32 pid;
	__s32 tgid;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	__u64 start_boottime;
	struct cred *real_cred;
	struct cred *cred;
	char comm[16];
	struct fs_struct *fs;
	struct files_struct *files;
	struct signal_struct *signal;
	struct css_set *cgroups;
	struct mm_struct *mm;
	struct seccomp seccomp;
	struct bpf_local_storage *bpf_storage;
} __core;

struct linux_binprm {
	const char *filename;
} __core;

struct seq_file;
struct bpf_iter_meta {
	struct seq_file *seq;
} __core;
struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
} __core;

#endif
