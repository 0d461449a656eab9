/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* From a paired call to a record in this CPU's ring. */
#ifndef IOR_ROW_H
#define IOR_ROW_H

#include "file.h"
#include "task.h"

/* Room for one name in its two sizes. PATH_MAX counts the NUL; a few bytes more tell "just fits" from "cut". */
#define SMALL_NAME 256
#define LARGE_NAME (4096 + 8)

/* How often (in rows of a CPU) the fill of its ring is looked at, to wake the reader early. A power of two. */
#define WAKE_CHECK 64

static __always_inline void *this_ring(void)
{
	__u32 ring = bpf_get_smp_processor_id() & ring_mask;

	return bpf_map_lookup_elem(&rows, &ring);
}

static __always_inline void count_lost(const struct state *state)
{
	struct cpu_counters *cpu = this_cpu();

	if (!cpu)
		return;
	if (!cpu->lost_rows++)
		cpu->lost_first_ns = state->enter_ns;
	cpu->lost_last_ns = state->enter_ns;
}

/* Counts the row, and decides whether the reader should be woken: never for one row, but when the ring fills up. */
static __always_inline __u64 wake_flag(void *ring)
{
	struct cpu_counters *cpu = this_cpu();

	if (!cpu || ++cpu->rows % WAKE_CHECK)
		return BPF_RB_NO_WAKEUP;
	return bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) >= wake_at ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}

/* What a call came to. */
struct outcome {
	__s64 ret;
	__u64 latency_ns;
	__u64 file;
	__s32 fd;
	bool returned;
};

/* --- bytes asked for --- */

/* include/uapi/linux/uio.h */
struct iovec_user {
	__u64 base;
	__u64 len;
};

/* The part of struct msghdr (include/linux/socket.h) that we read. */
struct msghdr_user {
	__u64 name;
	__u64 name_len;
	__u64 iov;
	__u64 iov_len;
};

/* include/uapi/linux/uio.h: UIO_MAXIOV; without bpf_loop the first few are all. */
#define MAX_IOVECS 1024
#define FEW_IOVECS 16

/* The same of 32-bit programs. */
struct iovec_compat {
	__u32 base;
	__u32 len;
};

struct msghdr_compat {
	__u32 name;
	__u32 name_len;
	__u32 iov;
	__u32 iov_len;
};

struct iovec_sum {
	__u64 at;
	__u64 left;
	__u64 sum;
	__u64 compat;
};

static __noinline long add_iovec(__u32 i, void *context)
{
	struct iovec_sum *sum = context;
	struct iovec_user iovec;
	struct iovec_compat compat;
	long error;

	if (!sum->left)
		return 1;
	if (sum->compat) {
		error = bpf_probe_read_user(&compat, sizeof(compat), (void *)sum->at);
		sum->sum += compat.len;
		sum->at += sizeof(compat);
	} else {
		error = bpf_probe_read_user(&iovec, sizeof(iovec), (void *)sum->at);
		sum->sum += iovec.len;
		sum->at += sizeof(iovec);
	}
	if (error) {
		sum->sum = COUNT_UNKNOWN;
		return 1;
	}
	sum->left--;
	return 0;
}

/* Global, with plain numbers: the verifier looks at it once. */
__noinline __u64 sum_iovecs(__u64 at, __u64 count, __u32 compat)
{
	struct iovec_sum sum = { .at = at, .left = count, .compat = compat };

	if (count > MAX_IOVECS)
		return COUNT_UNKNOWN;
	REPEAT(MAX_IOVECS, FEW_IOVECS, add_iovec, &sum);
	return !use_loop && sum.left ? COUNT_UNKNOWN : sum.sum;
}

/* Global, with plain numbers, as above: the sum of the array in a struct msghdr. */
__noinline __u64 sum_message(__u64 at, __u32 compat)
{
	struct msghdr_compat narrow;
	struct msghdr_user message;

	if (compat) {
		if (bpf_probe_read_user(&narrow, sizeof(narrow), (void *)at))
			return COUNT_UNKNOWN;
		return sum_iovecs(narrow.iov, narrow.iov_len, compat);
	}
	if (bpf_probe_read_user(&message, sizeof(message), (void *)at))
		return COUNT_UNKNOWN;
	return sum_iovecs(message.iov, message.iov_len, compat);
}

static __always_inline __u64 word_at(__u64 at)
{
	__u32 word = 0;

	return bpf_probe_read_user(&word, sizeof(word), (void *)at) ? COUNT_UNKNOWN : word;
}

/* A 64-bit value that a 32-bit call takes in two arguments. */
static __always_inline __u64 pair_of(const struct state *state, __u8 low)
{
	return state->args[low & 7] | state->args[(low + 1) & 7] << 32;
}

/* Where `size` is in a struct xattr_args (include/uapi/linux/xattr.h). */
#define XATTR_ARGS_SIZE 8

/* A value that is not simply an argument. */
static __noinline __u64 count_by_form(const struct state *state, const volatile struct syscall_desc *desc)
{
	__u8 arg = desc->count & 7;

	switch (desc->count_form) {
	case COUNT_IOVEC:
		return sum_iovecs(state->args[arg], state->args[(arg + 1) & 7], desc->compat);
	case COUNT_MSGHDR:
		return sum_message(state->args[arg], desc->compat);
	case COUNT_XATTR_ARGS:
		return word_at(state->args[arg] + XATTR_ARGS_SIZE);
	case COUNT_EVENTS:
		return word_at(state->args[arg]);
	case COUNT_BRK:
		return state->early;
	case COUNT_PAIR:
		return pair_of(state, arg);
	default:
		return state->args[arg];
	}
}

/*
 * The first value of a record: mostly the bytes a call asks for. What is in user memory is read when the call returns,
 * as paths are. Most calls take the short way.
 */
static __always_inline __u64 count_of(const struct state *state, const volatile struct syscall_desc *desc)
{
	return desc->count_form == COUNT_VALUE ? state->args[desc->count & 7] : count_by_form(state, desc);
}

/* --- times --- */

#define NSEC_PER_SEC 1000000000LL
#define USEC_PER_SEC 1000000LL
/* More seconds than that do not fit into 64 bits of nanoseconds. */
#define MANY_SECONDS 9000000000LL
#define MANY_NANOSECONDS 0x7fffffffffffffffLL

/* A time argument in nanoseconds; of one that is too long, the longest there is. Global, as above. */
__noinline __s64 read_time(__u64 at, __u32 form)
{
	__s64 wide[2] = {};
	__s32 narrow[2] = {};

	if (!at)
		return TIME_NONE;
	if (form == OFFSET_TIMESPEC32 || form == OFFSET_TIMEVAL32) {
		if (bpf_probe_read_user(narrow, sizeof(narrow), (void *)at))
			return TIME_UNKNOWN;
		wide[0] = narrow[0];
		wide[1] = narrow[1];
	} else if (bpf_probe_read_user(wide, sizeof(wide), (void *)at)) {
		return TIME_UNKNOWN;
	}
	if (wide[0] < 0 || wide[1] < 0)
		return TIME_INVALID;
	if (form == OFFSET_TIMEVAL || form == OFFSET_TIMEVAL32) {
		/* As in the kernel, microseconds may be more than a second's. */
		wide[0] += (__u64)wide[1] / USEC_PER_SEC;
		wide[1] = (__u64)wide[1] % USEC_PER_SEC * 1000;
	}
	if (wide[1] >= NSEC_PER_SEC)
		return TIME_INVALID;
	return wide[0] < MANY_SECONDS ? wide[0] * NSEC_PER_SEC + wide[1] : MANY_NANOSECONDS;
}

/* Reads what the kernel may write over before the call returns. */
static __noinline int read_early(struct task_struct *task, struct state *state,
				       const volatile struct syscall_desc *desc)
{
	if (desc->count_form == COUNT_BRK)
		state->early = BPF_CORE_READ(task, mm, brk);
	else
		state->early = read_time(state->args[desc->offset & 7], desc->offset_form);
	return 0;
}

static __noinline __s64 offset_by_form(const struct state *state, const volatile struct syscall_desc *desc)
{
	__u8 arg = desc->offset & 7;

	if (desc->offset_form == OFFSET_PAIR)
		return pair_of(state, arg);
	if (desc->offset_form == OFFSET_PAGES)
		return state->args[arg] << 12;
	if (state->early == TIME_UNKNOWN && desc->try_again)
		return read_time(state->args[arg], desc->offset_form);
	return state->early;
}

/* The second value of a record: mostly the file position at which a call works. */
static __always_inline __s64 offset_of(const struct state *state, const volatile struct syscall_desc *desc)
{
	if (desc->offset_form == OFFSET_VALUE)
		return state->args[desc->offset & 7];
	return desc->offset_form == OFFSET_F_POS ? state->early : offset_by_form(state, desc);
}

static __always_inline void fill_row(struct row *row, const struct state *state,
				     const volatile struct syscall_desc *desc, const struct outcome *outcome)
{
	__u64 flags = state->args[desc->flags & 7];

	row->type = RECORD_ROW;
	row->returned = outcome->returned;
	row->call = state->call_plus_1 - 1;
	row->task = state->task_id;
	row->enter_ns = state->enter_ns;
	row->latency_ns = outcome->latency_ns;
	row->gap_ns = state->last_exit_ns ? state->enter_ns - state->last_exit_ns : 0;
	row->ret = outcome->ret;
	row->file = outcome->file;
	row->fd = outcome->fd;
	if (desc->flags_by_pointer)
		bpf_probe_read_user(&flags, sizeof(flags), (void *)flags);
	row->flags = flags;
	row->count = count_of(state, desc);
	row->offset = offset_of(state, desc);
}

static __always_inline void send_row(const struct state *state, const volatile struct syscall_desc *desc,
				     const struct outcome *outcome)
{
	void *ring = this_ring();
	struct row *row = ring ? bpf_ringbuf_reserve(ring, sizeof(*row), 0) : NULL;

	if (!row) {
		count_lost(state);
		return;
	}
	fill_row(row, state, desc, outcome);
	bpf_ringbuf_submit(row, wake_flag(ring));
}

/*
 * Keeps the names where they can be read already: their memory may be overwritten before the call returns, by another
 * thread or by the call itself.
 */
static __always_inline void remember_names(struct state *state, const volatile struct syscall_desc *desc)
{
	state->name_len[0] = bpf_probe_read_user_str(state->names[0], SAVED_NAME, (void *)state->args[desc->path & 7]);
	if (desc->path2 != NO_ARG)
		state->name_len[1] =
			bpf_probe_read_user_str(state->names[1], SAVED_NAME, (void *)state->args[desc->path2 & 7]);
}

/* Bytes a call may write where it does not return how many: at least a struct statx. */
#define WRITES 256

/* Whether the call itself can have written over the `len` bytes of a name that was read after it. */
static __always_inline bool is_overwritten(const struct state *state, const volatile struct syscall_desc *desc,
					   __s64 ret, __u64 name, __u64 len)
{
	__u64 to = state->args[desc->out & 7];

	return desc->out != NO_ARG && ret >= 0 && to < name + len && name < to + (ret ? ret : WRITES);
}

/* Whether a name that was read now does not begin as it did when the call was entered. */
static __always_inline bool has_changed(const __u64 *now, const __u64 *then)
{
	__no_unroll
	for (int i = 0; i < SAVED_NAME / 8 - 1; i++)
		if (now[i] != then[i])
			return true;
	return false;
}

/* Reads one name argument, 0 `path` or 1 `path2`. Returns false if it did not fit into `room`, which is no fault of it. */
static __always_inline bool read_name(char *to, const __u32 room, const struct state *state,
				      const volatile struct syscall_desc *desc, __s64 ret, const int which, __u16 *len,
				      __u8 *name_state)
{
	__u64 from = state->args[(which ? desc->path2 : desc->path) & 7];
	__s32 saved = state->name_len[which];
	long n;

	if (!from) {
		*name_state = NAME_NULL;
		return true;
	}
	if (saved > 0 && saved < SAVED_NAME) {
		__builtin_memcpy(to, state->names[which], SAVED_NAME);
		*len = saved - 1;
		*name_state = NAME_WHOLE;
		return true;
	}
	n = bpf_probe_read_user_str(to, room, (void *)from);
	if (n < 0) {
		*name_state = NAME_FAULT;
		return true;
	}
	*len = n ? n - 1 : 0;
	if ((saved > 0 && has_changed((const __u64 *)to, state->names[which])) || is_overwritten(state, desc, ret, from, n))
		*name_state = NAME_FAULT;
	else
		*name_state = n < room ? NAME_WHOLE : NAME_CUT;
	return n < room;
}

/*
 * Sends a call with names, with `room` bytes for each; in `retry` what did not fit is given up, to be sent with more
 * room. Returns false if it was given up.
 */
static __always_inline bool send_named(const struct state *state, const volatile struct syscall_desc *desc,
				       const struct outcome *outcome, const __u32 room, const __u32 names,
				       const bool retry)
{
	void *ring = this_ring();
	struct named_row *row = ring ? bpf_ringbuf_reserve(ring, sizeof(*row) + room * names, 0) : NULL;
	bool fits = true;

	if (!row) {
		count_lost(state);
		return true;
	}
	fill_row(&row->row, state, desc, outcome);
	row->row.type = RECORD_NAMED_ROW;
	row->file2 = state->file2;
	row->len = 0;
	row->len2 = 0;
	row->name2_at = room;
	row->state = NAME_NONE;
	row->state2 = NAME_NONE;
	if (names) {
		char *to = (char *)(row + 1);

		if (state->flags & EXEC_NAMED)
			row->state = NAME_BY_EXEC;
		else if (desc->kind == KIND_EXEC && outcome->ret >= 0)
			row->state = NAME_FAULT; /* the pointer is another program's now */
		else
			fits = read_name(to, room, state, desc, outcome->ret, 0, &row->len, &row->state);
		if (names > 1)
			fits &= read_name(to + room, room, state, desc, outcome->ret, 1, &row->len2, &row->state2);
	}
	if (!fits && retry) {
		bpf_ringbuf_discard(row, BPF_RB_NO_WAKEUP);
		return false;
	}
	bpf_ringbuf_submit(row, wake_flag(ring));
	return true;
}

static __noinline int send_two_files(const struct state *state, const volatile struct syscall_desc *desc,
				     const struct outcome *outcome)
{
	send_named(state, desc, outcome, 0, 0, false);
	return 0;
}

static __noinline int send_one_name(const struct state *state, const volatile struct syscall_desc *desc,
				    const struct outcome *outcome)
{
	if (!send_named(state, desc, outcome, SMALL_NAME, 1, true))
		send_named(state, desc, outcome, LARGE_NAME, 1, false);
	return 0;
}

static __noinline int send_two_names(const struct state *state, const volatile struct syscall_desc *desc,
				     const struct outcome *outcome)
{
	if (!send_named(state, desc, outcome, SMALL_NAME, 2, true))
		send_named(state, desc, outcome, LARGE_NAME, 2, false);
	return 0;
}

#endif
