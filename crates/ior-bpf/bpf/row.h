/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* From a paired call to a record in this CPU's ring. */
#ifndef IOR_ROW_H
#define IOR_ROW_H

#include "file.h"
#include "task.h"
#include "values.h"

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

static __always_inline void fill_row(struct row *row, const struct state *state,
				     const volatile struct syscall_desc *desc, const struct outcome *outcome)
{
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
	row->notes = desc->noted ? notes_of(state, desc) : 0;
	row->flags = desc->flags_by_pointer ? state->pointed : state->args[desc->flags & 7];
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

/*
 * Whether a name of `len` bytes that is read now, 0 `path` or 1 `path2`, can be another one than was passed: it does not
 * begin as it did when the call was entered, or the call itself has written where it was not kept. Global, and so with
 * plain numbers: the verifier looks at it once.
 */
__noinline int name_was_changed(__u32 which, __u32 len, __s64 ret)
{
	struct state *state = state_of(current_task());
	const volatile struct syscall_desc *desc;
	__u64 now[SAVED_NAME / 8] = {};
	__u64 name, to;
	long n;

	if (!state)
		return 1;
	desc = &syscalls[(state->call_plus_1 - 1) % MAX_CALL];
	which &= 1;
	name = state->args[(which ? desc->path2 : desc->path) & 7];
	n = bpf_probe_read_user_str(now, sizeof(now), (void *)name);
	if (state->name_len[which] > 0) {
		if (n != state->name_len[which])
			return 1;
		__no_unroll
		for (int i = 0; i < SAVED_NAME / 8; i++)
			if (name_word(now[i] ^ state->names[which][i], i * 8, n))
				return 1;
		if (n < SAVED_NAME)
			return 0;
	}
	to = state->args[desc->out & 7];
	return desc->out != NO_ARG && ret >= 0 && to < name + len && name < to + (ret ? ret : WRITES);
}

/* What a record of a call with names, or with two files, has besides names. */
static __always_inline void fill_named(struct named_row *row, const struct state *state,
				       const volatile struct syscall_desc *desc, const struct outcome *outcome,
				       const __u32 room)
{
	fill_row(&row->row, state, desc, outcome);
	row->row.type = RECORD_NAMED_ROW;
	if (desc->path != NO_ARG)
		row->row.notes |= state->root;
	row->file2 = state->file2;
	row->len = 0;
	row->len2 = 0;
	row->name2_at = room;
	row->state = NAME_NONE;
	row->state2 = NAME_NONE;
}

/* What became of the name of a call that replaces programs, if it cannot be read where it was passed. */
static __always_inline __u8 state_of_exec(const struct state *state, const volatile struct syscall_desc *desc,
					  const struct outcome *outcome)
{
	if (state->flags & EXEC_NAMED)
		return NAME_BY_EXEC;
	return desc->kind == KIND_EXEC && outcome->ret >= 0 ? NAME_FAULT /* the pointer is another program's now */ : NAME_NONE;
}

/* Whether a name was kept whole when the call was entered, or there is none. */
static __always_inline bool is_saved(const struct state *state, __u8 arg, const int which)
{
	return !state->args[arg & 7] || (state->name_len[which] > 0 && state->name_len[which] < SAVED_NAME);
}

/* Sends a call whose names were all kept. */
static __always_inline void send_saved(const struct state *state, const volatile struct syscall_desc *desc,
				       const struct outcome *outcome, const __u32 names)
{
	void *ring = this_ring();
	struct named_row *row = ring ? bpf_ringbuf_reserve(ring, sizeof(*row) + SAVED_NAME * names, 0) : NULL;
	char *to = (char *)(row + 1);

	if (!row) {
		count_lost(state);
		return;
	}
	fill_named(row, state, desc, outcome, SAVED_NAME);
	__builtin_memcpy(to, state->names[0], SAVED_NAME);
	row->len = state->name_len[0] - 1;
	row->state = NAME_WHOLE;
	if (!state->args[desc->path & 7]) {
		row->len = 0;
		row->state = NAME_NULL;
	}
	if (names > 1) {
		__builtin_memcpy(to + SAVED_NAME, state->names[1], SAVED_NAME);
		row->len2 = state->name_len[1] - 1;
		row->state2 = NAME_WHOLE;
		if (!state->args[desc->path2 & 7]) {
			row->len2 = 0;
			row->state2 = NAME_NULL;
		}
	}
	bpf_ringbuf_submit(row, wake_flag(ring));
}

/* Reads one name argument, 0 `path` or 1 `path2`. Returns false if it did not fit into `room`, which is no fault of it. */
static __always_inline bool read_name(char *to, const __u32 room, const struct state *state,
				      const volatile struct syscall_desc *desc, __s64 ret, const int which, __u16 *len,
				      __u8 *name_state)
{
	__u64 from = state->args[(which ? desc->path2 : desc->path) & 7];
	long n;

	if (!from) {
		*name_state = NAME_NULL;
		return true;
	}
	n = bpf_probe_read_user_str(to, room, (void *)from);
	if (n < 0) {
		*name_state = NAME_FAULT;
		return true;
	}
	*len = n ? n - 1 : 0;
	*name_state = name_was_changed(which, n, ret) ? NAME_FAULT : n < room ? NAME_WHOLE : NAME_CUT;
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
	fill_named(row, state, desc, outcome, room);
	if (names) {
		char *to = (char *)(row + 1);

		row->state = state_of_exec(state, desc, outcome);
		if (row->state == NAME_NONE)
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
	if (state_of_exec(state, desc, outcome) == NAME_NONE && is_saved(state, desc->path, 0))
		send_saved(state, desc, outcome, 1);
	else if (!send_named(state, desc, outcome, SMALL_NAME, 1, true))
		send_named(state, desc, outcome, LARGE_NAME, 1, false);
	return 0;
}

static __noinline int send_two_names(const struct state *state, const volatile struct syscall_desc *desc,
				     const struct outcome *outcome)
{
	if (is_saved(state, desc->path, 0) && is_saved(state, desc->path2, 1))
		send_saved(state, desc, outcome, 2);
	else if (!send_named(state, desc, outcome, SMALL_NAME, 2, true))
		send_named(state, desc, outcome, LARGE_NAME, 2, false);
	return 0;
}

#endif
