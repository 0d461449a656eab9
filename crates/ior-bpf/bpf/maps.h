/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Maps, configuration and counters. Sizes marked "set at load" are. */
#ifndef IOR_MAPS_H
#define IOR_MAPS_H

#include "kernel.h"
#include "shared.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

/* The verifier takes bounded loops; unrolled ones only cost instruction cache. */
#define __no_unroll _Pragma("clang loop unroll(disable)")
#define __map(name) struct name name SEC(".maps")

/*
 * Repeats a step, `most` times with bpf_loop and `few` times without, until it returns other than 0. The direct call also
 * makes the step a function to verifiers that know no callbacks; it must be __noinline for that.
 */
#define REPEAT(most, few, step, context)              \
	({                                            \
		if (use_loop) {                       \
			bpf_loop(most, step, context, 0); \
		} else {                              \
			__no_unroll                   \
			for (int i_ = 0; i_ < (few); i_++) \
				if (step(i_, context)) \
					break;        \
		}                                     \
	})

/* --- configuration: const volatile once loaded, so the verifier drops what is not used --- */
const volatile struct syscall_desc syscalls[MAX_CALL];
const volatile struct scope scope;
const volatile bool want_rows;        /* false: totals only */
const volatile bool use_task_storage; /* false: map `states_by_tid` */
const volatile bool use_cast;         /* bpf_rdonly_cast is there: plain loads instead of probe reads */
const volatile bool use_loop;         /* bpf_loop is there */
const volatile bool use_typed_task;   /* bpf_get_current_task_btf is there: plain loads from tasks */
const volatile __u32 cpu_count;
const volatile __u32 ring_mask; /* number of row rings minus one */
const volatile __u64 wake_at;   /* bytes in a ring that make us wake the reader */

/* --- state user space changes while we run --- */
__u8 wanted[MAX_CALL]; /* the selected syscalls */
__u64 selected_at;    /* when they were selected anew; 0 never */
__u32 epoch = 1;      /* raised when user space forgot its definitions: all are sent again when next used */
__s64 live_followed;  /* followed threads alive */
__u8 settled;         /* all programs are attached: an exit without an enter is one that was missed */
__u8 only_is_gone;    /* the process scope.only names has ended */

/* --- per thread: the call in flight, and what has been defined --- */
#define SEEN 8

/* A thread's name as two words. */
struct comm {
	__u64 word[2];
};

enum state_flag {
	FOLLOWED = 1,  /* in scope because its parent was */
	NEWBORN = 2,   /* no enter seen yet: its first exit is the fork's */
	EXEC_NAMED = 4 /* sched_process_exec has sent the name of the call in flight */
};

/* Bytes of a name (with its NUL) that are kept from the enter on; most names are shorter. */
#define SAVED_NAME 128

struct state {
	__u64 args[8]; /* 6 and 7 stay 0: NO_ARG reads 0 */
	__u64 enter_ns;
	__u64 last_exit_ns;
	__u64 file;
	__u64 file2;
	__s64 early;       /* what must be read when the call is entered: f_pos, a time, the end of the data segment */
	__u64 pointed;     /* what a pointer of the call leads to, if `pointed_known` */
	__u64 pointed_known;
	__u32 call_plus_1; /* the call in flight, 0 none */
	__u32 flags;     /* enum state_flag */
	__u32 task_id;
	__u32 epoch; /* the epoch task_id and seen belong to */
	__u32 root; /* NOTE_OWN_ROOT, NOTE_BELOW and NOTE_BELOW2 of a call with names */
	__u32 pad;
	struct comm comm;
	__u64 uid;
	__u64 cgroups;
	__u64 parent;
	struct comm leader_name;
	__s32 name_len[2]; /* bytes of `names` with the NUL, SAVED_NAME if more; below 0 unreadable when the call was entered */
	__u64 names[2][SAVED_NAME / 8]; /* `path` and `path2` when the call was entered */
	__u64 seen[SEEN]; /* file ids known to be defined, by their low bits */
};

struct states {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct state);
};
__map(states);

struct states_by_tid {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, struct state);
};
__map(states_by_tid);

/* --- rings --- */
struct row_ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 65536); /* set at load */
};

struct rows {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1); /* set at load */
	__type(key, __u32);
	__array(values, struct row_ring);
};
__map(rows);

#define DEFINITIONS_SIZE (8 << 20)

struct definitions {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, DEFINITIONS_SIZE);
};
__map(definitions);

/* --- ids whose definition was submitted: file id → epoch --- */
struct defined {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 262144);
	__type(key, __u64);
	__type(value, __u32);
};
__map(defined);

/* --- counters, read by user space through mmap --- */
struct totals {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, MAX_SLOT); /* times CPUs, set at load */
	__type(key, __u32);
	__type(value, struct call_totals);
};
__map(totals);

struct counters {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* CPUs, set at load */
	__type(key, __u32);
	__type(value, struct cpu_counters);
};
__map(counters);

/* --- scope --- */
struct targets { /* pids, and tids with TARGET_TID set */
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, __u64);
	__type(value, __u8);
};
__map(targets);

struct uids {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 256);
	__type(key, __u32);
	__type(value, __u8);
};
__map(uids);

struct cgroups {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 16);
	__type(key, __u32);
	__type(value, __u32);
};
__map(cgroups);

#define TARGET_TID (1ULL << 32)

/*
 * Reads ptr->field: a plain load where the verifier knows the pointer's type, else a probe read. The pointer is taken
 * first, because bpf_core_read makes every step of its expression a relocation, those into our own structs too.
 */
#define READ_IF(typed, ptr, field)                 \
	({                                         \
		typeof(ptr) p_ = (ptr);            \
		(typed) ? p_->field : PROBED(p_, field); \
	})
/* Another pointer to the compiler, which would compute the address for both kinds of read together. */
#define PROBED(ptr, field)                                  \
	({                                                  \
		typeof(*(ptr)) *q_ = (ptr);                 \
		typeof(q_->field) v_ = 0;                   \
		asm volatile("" : "+r"(q_));                \
		bpf_core_read(&v_, sizeof(v_), &q_->field); \
		v_;                                         \
	})
#define READ(ptr, field) READ_IF(use_cast, ptr, field)
#define TASK(task, field) READ_IF(use_typed_task, task, field)

static __always_inline struct cpu_counters *this_cpu(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&counters, &cpu);
}

/* Adds to one of this CPU's counters. Programs run with preemption off, so a plain addition is exact. */
#define COUNT(counter)                               \
	({                                           \
		struct cpu_counters *c_ = this_cpu(); \
		if (c_)                              \
			c_->counter++;               \
	})

#endif
