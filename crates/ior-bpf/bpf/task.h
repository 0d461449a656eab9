/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Per-thread state, task definitions, and which tasks are in scope. */
#ifndef IOR_TASK_H
#define IOR_TASK_H

#include "maps.h"

static const struct state blank;

static __always_inline struct task_struct *current_task(void)
{
	return use_typed_task ? bpf_get_current_task_btf() : (struct task_struct *)bpf_get_current_task();
}

static __always_inline struct comm comm_of(struct task_struct *task)
{
	struct comm comm = {};

	if (use_typed_task) {
		comm.word[0] = *(__u64 *)&task->comm[0];
		comm.word[1] = *(__u64 *)&task->comm[8];
	} else {
		bpf_core_read(&comm, sizeof(comm), &task->comm);
	}
	return comm;
}

/* The state of a task, or NULL if it has none. A task without any storage is told by one load. */
static __always_inline struct state *state_of(struct task_struct *task)
{
	__u32 tid;

	if (use_task_storage)
		return TASK(task, bpf_storage) ? bpf_task_storage_get(&states, task, 0, 0) : NULL;
	tid = TASK(task, pid);
	return bpf_map_lookup_elem(&states_by_tid, &tid);
}

/* The state of a task, made if need be; NULL if there is no memory. */
static __always_inline struct state *make_state(struct task_struct *task)
{
	struct state *state;
	__u32 tid;

	if (use_task_storage)
		return bpf_task_storage_get(&states, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	tid = TASK(task, pid);
	state = bpf_map_lookup_elem(&states_by_tid, &tid);
	if (state)
		return state;
	bpf_map_update_elem(&states_by_tid, &tid, &blank, BPF_ANY);
	return bpf_map_lookup_elem(&states_by_tid, &tid);
}

static __always_inline __u32 next_task_id(void)
{
	struct cpu_counters *cpu = this_cpu();

	return cpu ? 1 + (__u32)(cpu->task_seq++) * cpu_count + bpf_get_smp_processor_id() : 0;
}

static __always_inline bool same_comm(struct comm a, struct comm b)
{
	return a.word[0] == b.word[0] && a.word[1] == b.word[1];
}

/* By value: the kernel gives a freed cred's address to the next one. */
static __always_inline __u32 uid_of(struct task_struct *task)
{
	struct cred *cred = TASK(task, real_cred);

	return TASK(cred, uid.val);
}

/* Sends the definition of a task as it is now. */
static __noinline int define_task(struct task_struct *task, struct state *state)
{
	struct css_set *css = TASK(task, cgroups);
	struct task_struct *parent = TASK(task, real_parent);
	struct task_struct *leader = TASK(task, group_leader);
	struct comm comm = comm_of(task);
	struct task_def *def;

	state->comm = comm;
	state->uid = uid_of(task);
	state->cgroups = (__u64)css;
	state->parent = (__u64)parent;
	state->leader_name = comm_of(leader);
	state->task_id = 0;
	def = bpf_ringbuf_reserve(&definitions, sizeof(*def), 0);
	if (!def) {
		COUNT(lost_definitions);
		return 0;
	}
	state->task_id = next_task_id();
	def->type = RECORD_TASK;
	__builtin_memset(def->pad, 0, sizeof(def->pad));
	def->id = state->task_id;
	def->tid = TASK(task, pid);
	def->pid = TASK(task, tgid);
	def->ppid = BPF_CORE_READ(parent, tgid);
	def->uid = state->uid;
	def->cgroup_id = BPF_CORE_READ(css, dfl_cgrp, kn, id);
	def->start_ns = TASK(task, start_boottime);
	def->at_ns = bpf_ktime_get_ns();
	__builtin_memcpy(def->comm, &comm, sizeof(def->comm));
	__builtin_memset(def->process, 0, sizeof(def->process));
	bpf_core_read(def->process, sizeof(def->process), &leader->comm);
	bpf_ringbuf_submit(def, BPF_RB_NO_WAKEUP);
	return 0;
}

/* Defines the task if it is new, has changed, or user space forgot it. */
static __always_inline void know_task(struct task_struct *task, struct state *state)
{
	struct comm comm = comm_of(task);

	if (state->epoch != epoch) {
		state->epoch = epoch;
		state->task_id = 0;
		__builtin_memset(state->seen, 0, sizeof(state->seen));
	}
	if (!state->task_id || !same_comm(state->comm, comm) ||
	    state->uid != uid_of(task) || state->cgroups != (__u64)TASK(task, cgroups) ||
	    state->parent != (__u64)TASK(task, real_parent) || !same_comm(state->leader_name, comm_of(TASK(task, group_leader))))
		define_task(task, state);
}

/* --- scope --- */

static __always_inline bool is_target(struct task_struct *task)
{
	__u64 pid = TASK(task, tgid), tid = TASK(task, pid) | TARGET_TID;

	if (scope.only)
		return pid == scope.only && !only_is_gone;
	return bpf_map_lookup_elem(&targets, &pid) || bpf_map_lookup_elem(&targets, &tid);
}

/* In scope by pid, tid or descent. `state` is the task's, or NULL. */
static __always_inline bool is_followed_or_target(struct task_struct *task, const struct state *state)
{
	return (scope.follow && state && state->flags & FOLLOWED) || is_target(task);
}

/* The bytes of a name up to the first NUL. Older kernels (5.10) leave behind it what an earlier, longer name had there. */
static __always_inline __u64 before_nul(__u64 word)
{
	__u64 nul = (word - 0x0101010101010101ULL) & ~word & 0x8080808080808080ULL;

	return nul ? word & (((nul & -nul) >> 7) - 1) : word;
}

static __always_inline bool has_comm(struct task_struct *task)
{
	struct comm comm = comm_of(task);
	__u64 begin = before_nul(comm.word[0]);

	comm.word[1] = begin >> 56 ? before_nul(comm.word[1]) : 0;
	comm.word[0] = begin;

	__no_unroll
	for (int i = 0; i < MAX_COMMS; i++) {
		if (i >= scope.n_comms)
			break;
		if (scope.comms[i][0] == comm.word[0] && scope.comms[i][1] == comm.word[1])
			return true;
	}
	return false;
}

static __always_inline bool in_a_cgroup(void)
{
	__no_unroll
	for (int i = 0; i < 16; i++) {
		if (i >= scope.n_cgroup)
			break;
		if (bpf_current_task_under_cgroup(&cgroups, i) == 1)
			return true;
	}
	return false;
}

/* Whether calls of the current task are looked at. `state` is the task's, or NULL. */
static __always_inline bool in_scope(struct task_struct *task, const struct state *state)
{
	if (TASK(task, tgid) == scope.self)
		return false;
	if (scope.tasks && !is_followed_or_target(task, state))
		return false;
	if (scope.n_comms && !has_comm(task))
		return false;
	if (scope.uids) {
		__u32 uid = uid_of(task);

		if (!bpf_map_lookup_elem(&uids, &uid))
			return false;
	}
	return !scope.n_cgroup || in_a_cgroup();
}

#endif
