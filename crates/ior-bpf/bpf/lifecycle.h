/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The programs that follow tasks: fork, exec and exit. */
#ifndef IOR_LIFECYCLE_H
#define IOR_LIFECYCLE_H

#include "row.h"

/* A child is in scope before its first instruction. */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(task_forked, struct task_struct *parent, struct task_struct *child)
{
	struct state *state;

	if (!scope.follow || !is_followed_or_target(parent, state_of(parent)))
		return 0;
	state = make_state(child);
	if (!state) {
		COUNT(no_state);
		return 0;
	}
	state->flags = FOLLOWED | NEWBORN;
	__sync_fetch_and_add(&live_followed, 1);
	return 0;
}

/* Keeps the program's name, and the state if the caller was not the leader and has the leader's tid from now on. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(task_execed, struct task_struct *task, __s32 old_tid, struct linux_binprm *bprm)
{
	const char *from = bprm->filename;
	struct exec_name *name;
	struct state *state;
	long n;

	if (!use_task_storage && old_tid != task->pid) {
		__u32 old = old_tid, tid = task->pid;

		state = bpf_map_lookup_elem(&states_by_tid, &old);
		if (!state)
			return 0;
		bpf_map_update_elem(&states_by_tid, &tid, state, BPF_ANY);
		bpf_map_delete_elem(&states_by_tid, &old);
	}
	state = state_of(task);
	if (!state || !state->call_plus_1 || !want_rows)
		return 0;
	state->comm.word[0] = ~0ULL; /* the thread may have another tid from now on: define it anew */
	name = bpf_ringbuf_reserve(&definitions, sizeof(*name) + LARGE_NAME, 0);
	if (!name) {
		COUNT(lost_definitions);
		return 0;
	}
	n = bpf_probe_read_kernel_str(name + 1, LARGE_NAME, from);
	name->type = RECORD_EXEC_NAME;
	name->cut = n >= LARGE_NAME || n < 0;
	name->len = n > 0 ? n - 1 : 0;
	name->task = state->task_id;
	name->enter_ns = state->enter_ns;
	bpf_ringbuf_submit(name, BPF_RB_NO_WAKEUP);
	state->flags |= EXEC_NAMED;
	return 0;
}

/*
 * A pid or tid that is used again is somebody else's. A leader's tid stays its process's as long as that lives: a thread
 * that calls exec takes it over.
 */
static __always_inline void forget_target(struct task_struct *task)
{
	__u64 pid = task->tgid, tid = (__u64)(__u32)task->pid | TARGET_TID, leader = pid | TARGET_TID;
	bool group_lives = task->signal->live.counter;

	if (!group_lives || tid != leader)
		bpf_map_delete_elem(&targets, &tid);
	if (group_lives)
		return;
	bpf_map_delete_elem(&targets, &pid);
	bpf_map_delete_elem(&targets, &leader);
	if (pid == scope.only)
		only_is_gone = 1;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(task_exited, struct task_struct *task)
{
	struct state *state = state_of(task);
	struct task_gone *gone;

	if (state) {
		if (state->flags & FOLLOWED)
			__sync_fetch_and_add(&live_followed, -1);
		if (state->call_plus_1 && settled)
			COUNT(unpaired);
		if (state->task_id) {
			gone = bpf_ringbuf_reserve(&definitions, sizeof(*gone), 0);
			if (gone) {
				gone->type = RECORD_TASK_GONE;
				__builtin_memset(gone->pad, 0, sizeof(gone->pad));
				gone->id = state->task_id;
				gone->at_ns = bpf_ktime_get_ns();
				bpf_ringbuf_submit(gone, BPF_RB_NO_WAKEUP);
			} else {
				COUNT(lost_definitions);
			}
		}
		state->flags = 0;
		state->call_plus_1 = 0;
		if (!use_task_storage) {
			__u32 tid = task->pid;

			bpf_map_delete_elem(&states_by_tid, &tid);
		}
	}
	if (scope.tasks)
		forget_target(task);
	return 0;
}

#endif
