/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The values of a record: bytes asked for, times and offsets, by how they are passed. */
#ifndef IOR_VALUES_H
#define IOR_VALUES_H

#include "task.h"

/* --- bytes asked for --- */

/* include/uapi/linux/uio.h */
struct iovec_user {
	__u64 base;
	__u64 len;
};

/* include/uapi/linux/openat2.h */
#define RESOLVE_IN_ROOT 0x10
struct open_how_user {
	__u64 flags;
	__u64 mode;
	__u64 resolve;
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
	__u64 known;
};

static __noinline long add_iovec(__u32 i, void *context)
{
	struct iovec_sum *sum = context;
	struct iovec_user iovec = {};
	struct iovec_compat compat = {};
	long error;

	if (!sum->left)
		return 1;
	if (sum->compat) {
		error = bpf_probe_read_user(&compat, sizeof(compat), (void *)sum->at);
		iovec.len = compat.len;
		sum->at += sizeof(compat);
	} else {
		error = bpf_probe_read_user(&iovec, sizeof(iovec), (void *)sum->at);
		sum->at += sizeof(iovec);
	}
	sum->sum += iovec.len;
	if (error || sum->sum < iovec.len) { /* unreadable, or more than a number has room for */
		sum->known = false;
		return 1;
	}
	sum->left--;
	return 0;
}

static __noinline bool sum_iovecs(struct state *state, __u64 at, __u64 count, __u32 compat)
{
	struct iovec_sum sum = { .at = at, .left = count, .compat = compat, .known = true };

	if (count > MAX_IOVECS)
		return false;
	REPEAT(MAX_IOVECS, FEW_IOVECS, add_iovec, &sum);
	state->pointed = sum.sum;
	return sum.known && !sum.left;
}

/* The sum of the array in a struct msghdr. */
static __always_inline bool sum_message(struct state *state, __u64 at, __u32 compat)
{
	struct msghdr_compat narrow = {};
	struct msghdr_user message = {};

	if (compat) {
		if (bpf_probe_read_user(&narrow, sizeof(narrow), (void *)at))
			return false;
		message.iov = narrow.iov;
		message.iov_len = narrow.iov_len;
	} else if (bpf_probe_read_user(&message, sizeof(message), (void *)at)) {
		return false;
	}
	return sum_iovecs(state, message.iov, message.iov_len, compat);
}

static __always_inline bool word_at(struct state *state, __u64 at)
{
	__u32 word = 0;
	long error = bpf_probe_read_user(&word, sizeof(word), (void *)at);

	state->pointed = word;
	return !error;
}

/* Where `size` is in a struct xattr_args (include/uapi/linux/xattr.h). */
#define XATTR_ARGS_SIZE 8

/* Reads the flags, or the first value of a record, to which a pointer leads. Global, and so without arguments. */
__noinline int read_pointed(void)
{
	struct state *state = state_of(current_task());
	const volatile struct syscall_desc *desc;
	__u64 at, next;
	bool known;

	if (!state)
		return 0;
	desc = &syscalls[(state->call_plus_1 - 1) % MAX_CALL];
	at = state->args[desc->count & 7];
	next = state->args[(desc->count + 1) & 7];
	switch (desc->count_form) {
	case COUNT_IOVEC:
		known = sum_iovecs(state, at, next, desc->compat);
		break;
	case COUNT_MSGHDR:
		known = sum_message(state, at, desc->compat);
		break;
	case COUNT_XATTR_ARGS:
		known = word_at(state, at + XATTR_ARGS_SIZE);
		break;
	case COUNT_EVENTS:
		known = word_at(state, at);
		break;
	default:
		at = state->args[desc->flags & 7];
		known = !bpf_probe_read_user(&state->pointed, sizeof(state->pointed), (void *)at);
	}
	state->pointed_known = known;
	return 0;
}

/* A 64-bit value that a 32-bit call takes in two arguments. */
static __always_inline __u64 pair_of(const struct state *state, __u8 low)
{
	return state->args[low & 7] | state->args[(low + 1) & 7] << 32;
}

/* A value that is not simply an argument. */
static __noinline __u64 count_by_form(const struct state *state, const volatile struct syscall_desc *desc)
{
	__u8 arg = desc->count & 7;

	switch (desc->count_form) {
	case COUNT_INT:
		return state->args[arg];
	case COUNT_BRK:
		return state->early;
	case COUNT_PAIR:
		return pair_of(state, arg);
	default:
		return state->pointed;
	}
}

/* The first value of a record: mostly the bytes a call asks for. Most calls take the short way. */
static __always_inline __u64 count_of(const struct state *state, const volatile struct syscall_desc *desc)
{
	return desc->count_form == COUNT_VALUE ? state->args[desc->count & 7] : count_by_form(state, desc);
}

/* --- times --- */

#define NSEC_PER_SEC 1000000000LL
#define USEC_PER_SEC 1000000LL
/* include/linux/ktime.h: more seconds than that are the longest time there is. */
#define KTIME_SEC_MAX 9223372036LL
#define KTIME_MAX 0x7fffffffffffffffLL

/*
 * A time argument in nanoseconds, by the kernel's own rules (get_timespec64, poll_select_set_timeout, timespec64_valid,
 * timespec64_to_ktime): those of select first divide, and then look whether the result is a time. Global, with plain
 * numbers: the verifier looks at it once.
 */
__noinline __s64 read_time(__u64 at, __u32 form, __u32 compat)
{
	__s64 wide[2] = {};
	__s32 narrow[2] = {};
	__u64 size;
	__s64 time;

	if (!at)
		return TIME_NONE;
	if (form == OFFSET_TIMESPEC32 || form == OFFSET_TIMEVAL32 || form == OFFSET_KTIME32) {
		if (bpf_probe_read_user(narrow, sizeof(narrow), (void *)at))
			return TIME_UNKNOWN;
		wide[0] = narrow[0];
		wide[1] = narrow[1];
	} else if (bpf_probe_read_user(wide, sizeof(wide), (void *)at)) {
		return TIME_UNKNOWN;
	} else if (compat) {
		wide[1] = (__u32)wide[1]; /* the upper half is padding */
	}
	if (form == OFFSET_TIMEVAL || form == OFFSET_TIMEVAL32) {
		/* Division with a sign, which these processors do not have. */
		size = wide[1] < 0 ? -(__u64)wide[1] : wide[1];
		wide[0] += wide[1] < 0 ? -(size / USEC_PER_SEC) : size / USEC_PER_SEC;
		size = size % USEC_PER_SEC * 1000;
		wide[1] = wide[1] < 0 ? -size : size;
	}
	if (form == OFFSET_KTIME || form == OFFSET_KTIME32) {
		time = wide[0] * NSEC_PER_SEC + wide[1];
		/* Added to the present, a negative one is no point in time (ktime_add_safe): the wait has no end either. */
		return wide[0] >= KTIME_SEC_MAX || time < 0 ? TIME_NONE : time;
	}
	if (wide[0] < 0 || (__u64)wide[1] >= NSEC_PER_SEC)
		return TIME_INVALID;
	return wide[0] < KTIME_SEC_MAX ? wide[0] * NSEC_PER_SEC + wide[1] : KTIME_MAX;
}

static __always_inline __s64 time_of(const struct state *state, const volatile struct syscall_desc *desc)
{
	return read_time(state->args[desc->offset & 7], desc->offset_form, desc->compat);
}

/* Reads what the kernel, or the call itself, may write over before it returns. */
static __noinline int read_early(struct task_struct *task, struct state *state,
				       const volatile struct syscall_desc *desc)
{
	if (desc->count_form == COUNT_BRK)
		state->early = BPF_CORE_READ(task, mm, brk);
	if (desc->offset_form >= OFFSET_TIMESPEC)
		state->early = time_of(state, desc);
	if (desc->pointed)
		read_pointed();
	return 0;
}

/* Whether the call has left the memory of its arguments as it was. */
static __always_inline bool is_untouched(__u8 late, __s64 ret)
{
	switch (late) {
	case LATE_IF_FAILED:
		return ret < 0;
	case LATE_IF_NOTHING:
		return ret <= 0 && ret != -ERESTART_RESTARTBLOCK; /* a sleep that was interrupted has returned its rest */
	default:
		return late == LATE_ALWAYS;
	}
}

/* Reads what was not in memory when the call was entered. */
static __noinline int read_late(struct state *state, const volatile struct syscall_desc *desc, __s64 ret)
{
	bool no_time = desc->offset_form >= OFFSET_TIMESPEC && state->early == TIME_UNKNOWN;

	if (!is_untouched(desc->late, ret)) {
		/* Not to be shown, but it tells a size probe, which writes nothing. */
		if (desc->count_form == COUNT_XATTR_ARGS && !state->pointed_known) {
			read_pointed();
			state->pointed_known = false;
		}
		return 0;
	}
	if (no_time)
		state->early = time_of(state, desc);
	if (desc->pointed && !state->pointed_known)
		read_pointed();
	return 0;
}

/* Whether the offset passed is -1, which stands for the file's position. */
static __always_inline bool is_at_f_pos(const struct state *state, const volatile struct syscall_desc *desc)
{
	__u8 arg = desc->offset & 7;

	if (desc->offset_form == OFFSET_PAIR_OR_F_POS)
		return pair_of(state, arg) == -1ULL;
	return desc->offset_form == OFFSET_OR_F_POS && state->args[arg] == -1ULL;
}

static __noinline __s64 offset_by_form(const struct state *state, const volatile struct syscall_desc *desc)
{
	__u8 arg = desc->offset & 7;

	if (is_at_f_pos(state, desc))
		return state->early;
	switch (desc->offset_form) {
	case OFFSET_PAIR:
	case OFFSET_PAIR_OR_F_POS:
		return pair_of(state, arg);
	case OFFSET_PAGES:
		return state->args[arg] << 12;
	case OFFSET_OR_F_POS:
		return state->args[arg];
	default:
		return state->early;
	}
}

/* The second value of a record: mostly the file position at which a call works. */
static __always_inline __s64 offset_of(const struct state *state, const volatile struct syscall_desc *desc)
{
	if (desc->offset_form == OFFSET_VALUE)
		return state->args[desc->offset & 7];
	return desc->offset_form == OFFSET_F_POS ? state->early : offset_by_form(state, desc);
}

static __noinline __u32 notes_of(const struct state *state, const volatile struct syscall_desc *desc)
{
	__u32 unread = desc->pointed && !state->pointed_known ? NOTE_UNREAD : 0;

	return is_at_f_pos(state, desc) ? unread | NOTE_F_POS : unread;
}

#endif
