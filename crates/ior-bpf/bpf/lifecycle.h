/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The programs that follow tasks: fork, exec and exit. Where tracepoints are preemptible, the kernel skips a program while
 * another task of the CPU was preempted inside it; so there are copies, each with a guard of its own. Whatever one copy has
 * done the next one finds done.
 */
#ifndef IOR_LIFECYCLE_H
#define IOR_LIFECYCLE_H

#include "row.h"

/* A child is in scope before its first instruction. */
static __always_inline int forked(struct task_struct *parent, struct task_struct *child)
{
	struct state *state;
	bool is_known;

	if (!scope.follow || !is_followed_or_target(parent, state_of(parent)))
		return 0;
	state = make_state(child);
	if (!state) {
		COUNT(no_state);
		return 0;
	}
	is_known = state->flags & FOLLOWED;
	state->flags = FOLLOWED | NEWBORN;
	if (!is_known)
		__sync_fetch_and_add(&live_followed, 1);
	return 0;
}

/* Keeps the program's name, and the state if the caller was not the leader and has the leader's tid from now on. */
static __always_inline int execed(struct task_struct *task, __s32 old_tid, struct linux_binprm *bprm)
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
	if (!state || !state->call_plus_1 || state->flags & EXEC_NAMED || !want_rows)
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

static __always_inline int exited(struct task_struct *task)
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
		state->task_id = 0;
		if (!use_task_storage) {
			__u32 tid = task->pid;

			bpf_map_delete_elem(&states_by_tid, &tid);
		}
	}
	if (scope.tasks)
		forget_target(task);
	return 0;
}

#define LIFECYCLE(copy)                                                                             \
	SEC("tp_btf/sched_process_fork")                                                            \
	int BPF_PROG(task_forked##copy, struct task_struct *parent, struct task_struct *child)      \
	{                                                                                           \
		return forked(parent, child);                                                       \
	}                                                                                           \
	SEC("tp_btf/sched_process_exec")                                                            \
	int BPF_PROG(task_execed##copy, struct task_struct *task, __s32 old_tid, struct linux_binprm *bprm) \
	{                                                                                           \
		return execed(task, old_tid, bprm);                                                 \
	}                                                                                           \
	SEC("tp_btf/sched_process_exit")                                                            \
	int BPF_PROG(task_exited##copy, struct task_struct *task)                                   \
	{                                                                                           \
		return exited(task);                                                                \
	}

LIFECYCLE()
LIFECYCLE(_2)
LIFECYCLE(_3)
LIFECYCLE(_4)

/* Writes a byte for every followed thread that lives: for user space to count them where the end of one was missed. */
SEC("iter/task")
int list_followed(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct state *state;
	char alive = 1;

	if (!task)
		return 0;
	state = use_task_storage ? bpf_task_storage_get(&states, task, 0, 0) : NULL;
	if (state && state->flags & FOLLOWED && !(task->flags & PF_EXITING))
		bpf_seq_write(ctx->meta->seq, &alive, sizeof(alive));
	return 0;
}

#endif
