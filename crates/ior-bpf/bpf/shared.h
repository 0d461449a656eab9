/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Records and configuration shared with user space. Written once, here: the Rust side takes them from the skeleton
 * that libbpf-cargo generates, and asserts their sizes at compile time.
 */
#ifndef IOR_SHARED_H
#define IOR_SHARED_H

#include "kinds.gen.h"

/* First byte of every record of both rings. */
enum record_type {
	RECORD_ROW = 1,       /* struct row */
	RECORD_NAMED_ROW = 2, /* struct named_row, then names */
	RECORD_FILE = 3,      /* struct file_def, then components */
	RECORD_TASK = 4,      /* struct task_def */
	RECORD_TASK_GONE = 5, /* struct task_gone */
	RECORD_EXEC_NAME = 6, /* struct exec_name, then the name */
};

/* The id of a file whose definition found no room in its ring; 0 is no file. */
#define UNDEFINED_FILE 1ULL

/* How a name argument came out (struct named_row). */
enum name_state {
	NAME_NONE = 0,    /* the call has no such argument */
	NAME_WHOLE = 1,   /* read whole */
	NAME_CUT = 2,     /* longer than PATH_MAX */
	NAME_FAULT = 3,   /* its memory could not be read */
	NAME_NULL = 4,    /* the pointer was NULL */
	NAME_BY_EXEC = 5, /* in the struct exec_name of this task and enter time */
};

/* What a row says of its values. */
enum row_note {
	NOTE_UNREAD = 1, /* what a pointer leads to (flags or count) could not be read, or not any more */
	NOTE_F_POS = 2,  /* the offset passed was -1, which stands for the file's position: that is in `offset` */
	NOTE_OWN_ROOT = 4, /* absolute names and `..` do not lead to the root of the mount namespace, but to another directory, */
	NOTE_BELOW = 8,    /* which is in `file` for `name`, */
	NOTE_BELOW2 = 16,  /* and in `file2` for `name2`; unknown without these */
};

/* One complete call. A call with names, or with two files, is a struct named_row. */
struct row {
	__u8 type;
	__u8 returned; /* 0 for a call that never returns */
	__u16 call;       /* the number, with COMPAT added for a 32-bit call */
	__u32 task;       /* struct task_def.id */
	__u64 enter_ns;   /* CLOCK_MONOTONIC: cheaper to read than CLOCK_BOOTTIME, to which user space converts it */
	__u64 latency_ns; /* exit minus enter */
	__u64 gap_ns;     /* enter minus the thread's previous traced exit; 0 for its first */
	__s64 ret;
	__u64 file; /* struct file_def.id: the object, or the directory `name` is relative to; 0 none */
	__s32 fd;
	__u32 notes;  /* enum row_note */
	__u64 flags;
	__u64 count;  /* what the call's roles say */
	__s64 offset; /* what the call's roles say; TIME_UNKNOWN and so on; a file's position is inverted if it is opened to append */
};

struct named_row {
	struct row row;
	__u64 file2;    /* the second object, or the directory `name2` is relative to; 0 none */
	__u16 len;      /* bytes of `name`, at the start of names */
	__u16 len2;     /* bytes of `name2`, at `name2_at` */
	__u16 name2_at; /* where `name2` starts in names */
	__u8 state;     /* enum name_state of `name` */
	__u8 state2;    /* enum name_state of `name2` */
};

/* A file object and where it is. `len` bytes of path components follow, the last one first, each with its NUL. */
struct file_def {
	__u8 type;
	__u8 cut;      /* the path is longer than fits; the components nearest the file are there */
	__u8 internal; /* the mount belongs to no mount namespace */
	__u8 pad;
	__u32 len;
	__u64 id;
	__u64 ino;
	__u32 dev; /* kernel dev_t: major << 20 | minor */
	__u16 mode;
	__u16 pad2;
	__u64 magic; /* super block magic, as in statfs */
};

/* A thread as it is now; sent when first seen and whenever one of these changed. */
struct task_def {
	__u8 type;
	__u8 pad[3];
	__u32 id;
	__u32 tid;
	__u32 pid;
	__u32 ppid;
	__u32 uid;
	__u64 cgroup_id;
	__u64 start_ns; /* CLOCK_BOOTTIME */
	__u64 at_ns;    /* CLOCK_MONOTONIC; earlier rows of the thread have its earlier definition */
	char comm[16];
	char process[16];
};

struct task_gone {
	__u8 type;
	__u8 pad[3];
	__u32 id;
	__u64 at_ns; /* CLOCK_MONOTONIC; all its rows have returned before */
};

/* The program name of a successful exec, whose caller's memory is gone when the call returns. `len` bytes follow. */
struct exec_name {
	__u8 type;
	__u8 cut;
	__u16 len;
	__u32 task;
	__u64 enter_ns;
};

/* A call that has not returned, as the task iterator writes it. */
struct in_flight {
	__u32 tid;
	__u32 pid;
	__u64 enter_ns;
	__u64 file;
	__u32 call; /* as in struct row */
	__u32 pad;
	char comm[16];
};

/* How the first value of a record is passed; `CountForm` of ior-core. */
enum count_form {
	COUNT_VALUE = 0,
	COUNT_IOVEC = 1,      /* the sum of an array of struct iovec, its length in the next argument */
	COUNT_MSGHDR = 2,     /* that of a struct msghdr */
	COUNT_XATTR_ARGS = 3, /* the size in a struct xattr_args */
	COUNT_EVENTS = 4,     /* the events in a struct epoll_event */
	COUNT_BRK = 5,        /* no argument: where the data segment ended before the call */
	COUNT_PAIR = 6,       /* two 32-bit arguments, the low one first */
	COUNT_INT = 7,        /* by value; user space knows that it has a sign */
};

/* How the second one is passed; `OffsetForm` of ior-core. */
enum offset_form {
	OFFSET_VALUE = 0,
	OFFSET_PAIR = 1,  /* two 32-bit arguments, the low one first */
	OFFSET_PAGES = 2, /* in units of 4096 bytes */
	OFFSET_F_POS = 3, /* no argument: the file's position before the call */
	OFFSET_OR_F_POS = 4,      /* by value; -1 stands for the file's position */
	OFFSET_PAIR_OR_F_POS = 5, /* the same in two 32-bit arguments */
	OFFSET_TIMESPEC = 6,      /* times from here on */
	OFFSET_TIMEVAL = 7,
	OFFSET_TIMESPEC32 = 8,
	OFFSET_TIMEVAL32 = 9,
	OFFSET_KTIME = 10,   /* a struct timespec that is taken as it is, valid or not */
	OFFSET_KTIME32 = 11, /* the same of 32-bit numbers */
};

/* Whether a value that could not be read when its call was entered may be read when it has returned. */
enum late {
	LATE_NEVER = 0,
	LATE_IF_FAILED = 1,  /* a call that succeeds may have written over it */
	LATE_IF_NOTHING = 2, /* one that had something to return may have */
	LATE_ALWAYS = 3,     /* the call writes nothing */
};

/* `offset` of a row whose time could not be read, is no valid one, or was not given. */
#define TIME_UNKNOWN (-1LL - 0x7fffffffffffffffLL)
#define TIME_INVALID (TIME_UNKNOWN + 1)
#define TIME_NONE (TIME_UNKNOWN + 2)

/* Added to the number of a 32-bit call: its place in the dispatch table. */
#define COMPAT MAX_NR
#define MAX_CALL (2 * MAX_NR)

/* What the kernel side must know of a syscall; argument positions, NO_ARG none. */
struct syscall_desc {
	__u8 kind;  /* enum kind */
	__u8 bytes; /* enum byte_class */
	__u8 fd;
	__u8 fd2;
	__u8 dir;
	__u8 path;
	__u8 dir2;
	__u8 path2;
	__u8 out;
	__u8 count;
	__u8 offset;
	__u8 flags;
	__u8 count_form;  /* enum count_form */
	__u8 offset_form; /* enum offset_form */
	__u8 flags_by_pointer;
	__u8 pointed; /* its flags or its count are what a pointer leads to */
	__u8 noted;   /* its rows may have notes */
	__u8 compat;  /* its structures are those of 32-bit programs */
	__u8 early;   /* a value must be read when the call is entered: the kernel may write over it */
	__u8 late;    /* enum late: unreadable then, it may be read when the call has returned */
	__u16 slot;   /* the place of its totals */
};

/* Exact counts of the calls of one name on one CPU. */
struct call_totals {
	__u64 calls;
	__u64 errors;
	__u64 bytes;
	__u64 latency_ns;
	__u64 histogram[LATENCY_BUCKETS];
};

/* What one CPU counts beside the totals. */
struct cpu_counters {
	__u64 task_seq;         /* task definitions made; ids are derived from it */
	__u64 rows;             /* rows submitted */
	__u64 lost_rows;        /* calls whose row found no room */
	__u64 lost_first_ns;    /* enter time of the first of them */
	__u64 lost_last_ns;     /* and of the last */
	__u64 lost_definitions; /* definitions that found no room */
	__u64 no_state;         /* enters for which no per-thread state could be had: not seen */
	__u64 unpaired;         /* exits without an enter, or enters without an exit */
	__u64 answered;         /* calls a seccomp filter or a tracer answered: they never ran */
	__u64 pad[7];           /* a cache line of its own for each CPU */
};

#define MAX_COMMS 16

/* Which calls are looked at. Every part that is set narrows. */
struct scope {
	__u32 self;     /* ior's own tgid, never traced */
	__u8 tasks;     /* `only` or `targets` is set */
	__u8 follow;    /* children of those are in scope too */
	__u8 n_comms;   /* entries of `comms` */
	__u8 uids;      /* map `uids` is set */
	__u32 n_cgroup; /* entries of map `cgroups` */
	__u32 only;     /* the one pid, 0 if there are others or threads: then see map `targets` */
	__u64 comms[MAX_COMMS][2];
};

#endif
