// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * ior's programs. Two see every syscall of the machine: `enter` decides whether a call is looked at and remembers it
 * with the object it works on, `leave` pairs it, counts it and sends one record. Each has two thin entries, one for
 * each hook (design D1). Three more follow tasks, one lists the calls in flight.
 */
#include "lifecycle.h"
#include "row.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/* --- enter --- */

#define NO_OBJECT (-1)

/* The descriptor argument in that role, which may be AT_FDCWD; the working directory where there is no such argument. */
static __always_inline __s32 dir_argument(const struct state *state, __u8 arg)
{
	__s32 fd = state->args[arg & 7];

	if (arg == NO_ARG)
		return WORKING_DIRECTORY;
	return fd == ROOT_DIRECTORY ? NO_OBJECT : fd;
}

/* A descriptor argument. As a number below 0 it is none, and never the working directory. */
static __always_inline __s32 fd_argument(const struct state *state, __u8 arg)
{
	__s32 fd = state->args[arg & 7];

	return fd < 0 ? NO_OBJECT : fd;
}

/* Names the objects a call works on, while its descriptors still mean what they meant to the caller. */
static __always_inline void name_objects(struct task_struct *task, struct state *state,
					 const volatile struct syscall_desc *desc)
{
	__s32 first = NO_OBJECT, second = NO_OBJECT;

	switch (desc->kind) {
	case KIND_MMAP:
		if (!(state->args[3] & MAP_ANONYMOUS))
			first = fd_argument(state, desc->fd);
		break;
	case KIND_TWO_FDS:
		second = fd_argument(state, desc->fd2);
		/* fallthrough */
	case KIND_FD:
		first = fd_argument(state, desc->fd);
		break;
	case KIND_TWO_PATHS:
		second = dir_argument(state, desc->dir2);
		/* fallthrough */
	case KIND_PATH:
	case KIND_OPEN:
	case KIND_EXEC:
		first = dir_argument(state, desc->dir);
		break;
	case KIND_CWD:
		first = WORKING_DIRECTORY;
		break;
	}
	state->file2 = second == NO_OBJECT ? 0 : object_of(task, state, second);
	state->early = 0;
	state->file = first == NO_OBJECT ? 0 : object_of(task, state, first);
}

/* How many mounts may lie on each other at the root of a mount namespace (nullfs, rootfs, the real one), and one more. */
#define ROOT_MOUNTS 4

/* Whether the task's root directory is another one than its mount namespace's, as after chroot. */
static __always_inline bool has_own_root(struct task_struct *task)
{
	struct fs_struct *fs = TYPED(struct fs_struct, TASK(task, fs));
	struct mount *mount;
	struct dentry *at;

	if (!fs)
		return false;
	at = READ(fs, root.dentry);
	mount = TYPED(struct mount, (char *)READ(fs, root.mnt) - bpf_core_field_offset(struct mount, mnt));
	__no_unroll
	for (int i = 0; i < ROOT_MOUNTS; i++) {
		struct mount *above = READ(mount, mnt_parent);

		if (READ(mount, mnt.mnt_root) != at)
			return true;
		if (above == mount)
			return false;
		at = READ(mount, mnt_mountpoint);
		mount = above;
	}
	return true;
}

/* What a name begins with. */
enum beginning { ORDINARY, ROOT, ABOVE, UNREAD };

static __always_inline enum beginning beginning_of(const struct state *state, const int which)
{
	__u16 first = state->names[which][0];

	if (state->name_len[which] <= 0)
		return UNREAD;
	if ((first & 0xff) == '/')
		return ROOT;
	return first == ('.' | '.' << 8) ? ABOVE : ORDINARY;
}

/*
 * Whether the call resolves absolute names from its directory argument: openat2 with RESOLVE_IN_ROOT; -1 if that cannot be
 * read. Global, so that its stack is free again before a walk.
 */
__noinline int resolves_in_root(void)
{
	struct state *state = state_of(current_task());
	const volatile struct syscall_desc *desc;
	struct open_how_user how = {};

	if (!state)
		return 0;
	desc = &syscalls[(state->call_plus_1 - 1) % MAX_CALL];
	if (desc->kind != KIND_OPEN || !desc->flags_by_pointer)
		return 0;
	if (bpf_probe_read_user(&how, sizeof(how), (void *)state->args[desc->flags & 7]))
		return -1;
	return !!(how.resolve & RESOLVE_IN_ROOT);
}

/*
 * Notes which names of the call are not relative to the root of the mount namespace. `..` does not lead out of another root,
 * either. Returns whether the task's root is to be looked up for place_name; apart from that, for the stack's sake.
 */
__noinline int note_root(void)
{
	struct task_struct *task = current_task();
	struct state *state = state_of(task);
	const volatile struct syscall_desc *desc;
	int in_root;

	if (!state)
		return 0;
	desc = &syscalls[(state->call_plus_1 - 1) % MAX_CALL];
	in_root = desc->flags_by_pointer ? resolves_in_root() : 0;
	if (in_root) {
		state->root = in_root < 0 ? NOTE_OWN_ROOT : NOTE_OWN_ROOT | NOTE_BELOW;
		return 0;
	}
	if (!has_own_root(task))
		return 0;
	state->root = NOTE_OWN_ROOT;
	if (beginning_of(state, 0) == ROOT)
		state->root |= NOTE_BELOW;
	if (desc->path2 != NO_ARG && beginning_of(state, 1) == ROOT)
		state->root |= NOTE_BELOW2;
	return 1;
}

/* Makes the task's root what an absolute name, 0 `path` or 1 `path2`, is relative to. */
__noinline int place_name(__u32 which)
{
	struct task_struct *task = current_task();
	struct state *state = state_of(task);
	__u64 root;

	if (!state || !(state->root & (which ? NOTE_BELOW2 : NOTE_BELOW)))
		return 0;
	root = object_of(task, state, ROOT_DIRECTORY);
	if (which)
		state->file2 = root;
	else
		state->file = root;
	return 0;
}

/* Finds what the names of a call are relative to, where that is another root than the mount namespace's. */
static __always_inline void place_names(void)
{
	if (note_root()) {
		place_name(0);
		place_name(1);
	}
}

/* Keeps the names of a call, and finds what they are relative to. */
static __always_inline void know_names(struct task_struct *task, struct state *state,
				       const volatile struct syscall_desc *desc)
{
	remember_names(state, desc);
	state->root = 0;
	switch (desc->kind) {
	case KIND_TWO_PATHS:
	case KIND_PATH:
	case KIND_OPEN:
	case KIND_EXEC:
		if (desc->flags_by_pointer) {
			place_names();
			return;
		}
		if (beginning_of(state, 0) == ORDINARY &&
		    (desc->path2 == NO_ARG || beginning_of(state, 1) == ORDINARY))
			return;
		if (has_own_root(task))
			place_names();
	}
}

static __always_inline void send_call(struct task_struct *task, struct state *state,
				      const volatile struct syscall_desc *desc, __s64 ret, __u64 latency);

static __always_inline void count_call(struct state *state, const volatile struct syscall_desc *desc, __s64 ret,
				       __u64 latency);

/*
 * User space has twice forgotten its definitions while this call was blocked: what it works on must be defined anew. An
 * object that its descriptor no longer leads to stays undefined, and the row has no name rather than a wrong one.
 * Global, and so without arguments: the verifier looks at it once.
 */
__noinline int define_again(void)
{
	struct task_struct *task = current_task();
	struct state *state = state_of(task);
	__u64 file, file2;
	__s64 early;

	if (!state)
		return 0;
	file = state->file;
	file2 = state->file2;
	early = state->early;
	name_objects(task, state, &syscalls[(state->call_plus_1 - 1) % MAX_CALL]);
	state->file = file;
	state->file2 = file2;
	state->early = early;
	return 0;
}

/* The same for the root directory that absolute names are relative to. */
__noinline int define_root_again(void)
{
	struct task_struct *task = current_task();
	struct state *state = state_of(task);

	if (state && state->root)
		object_of(task, state, ROOT_DIRECTORY);
	return 0;
}

/* The same for the thread, apart from its objects: all calls in each other have 512 bytes of stack together. */
__noinline int define_task_again(void)
{
	struct task_struct *task = current_task();
	struct state *state = state_of(task);

	if (state)
		know_task(task, state);
	return 0;
}

/* The call in flight has returned. */
static __always_inline void finish(struct task_struct *task, struct state *state, __s64 ret, __u64 now)
{
	const volatile struct syscall_desc *desc = &syscalls[(state->call_plus_1 - 1) % MAX_CALL];
	__u64 latency = now > state->enter_ns ? now - state->enter_ns : 0;

	if (desc->early)
		read_late(state, desc, ret);
	count_call(state, desc, ret, latency);
	if (want_rows) {
		if (epoch - state->epoch > 1) {
			define_task_again(); /* first: the thread forgets the objects it has seen */
			define_again();
			define_root_again();
		}
		if (state->task_id)
			send_call(task, state, desc, ret, latency);
		else /* nobody would know whose call it was */
			count_lost(state);
	}
	state->call_plus_1 = 0;
	state->flags &= ~EXEC_NAMED;
	state->last_exit_ns = now;
}

/* The call in flight will never return: its row is sent now. */
static __always_inline void finish_unreturned(struct state *state, const volatile struct syscall_desc *desc)
{
	struct outcome outcome = { .fd = -1 };

	count_call(state, desc, 0, 0);
	if (want_rows) {
		if (state->task_id)
			send_row(state, desc, &outcome);
		else
			count_lost(state);
	}
	state->call_plus_1 = 0;
	state->last_exit_ns = state->enter_ns;
}

/* The state in which the current task's call is remembered; NULL if the call is not looked at. */
static __always_inline struct state *look_at(struct task_struct *task)
{
	struct state *state = state_of(task);

	if (!in_scope(task, state))
		return NULL;
	if (!state)
		state = make_state(task);
	if (!state) {
		COUNT(no_state);
		return NULL;
	}
	if (state->call_plus_1 && settled)
		COUNT(unpaired);
	state->flags &= ~NEWBORN;
	return state;
}

static __always_inline void entered(struct task_struct *task, struct state *state, __u32 call)
{
	const volatile struct syscall_desc *desc = &syscalls[call % MAX_CALL];

	state->call_plus_1 = call + 1;
	if (want_rows) {
		know_task(task, state);
		name_objects(task, state, desc);
		if (desc->path != NO_ARG)
			know_names(task, state, desc);
	}
	if (desc->early)
		read_early(task, state, desc);
	state->enter_ns = bpf_ktime_get_ns();
	if (desc->kind == KIND_NEVER_RETURNS)
		finish_unreturned(state, desc);
}

/* The place of a call in the dispatch table. `nr` is below MAX_NR. */
static __always_inline __u32 call_of(struct task_struct *task, __u32 nr)
{
	return TASK(task, thread_info.status) & TS_COMPAT ? nr + COMPAT : nr;
}

/* Whether a seccomp filter or a tracer can have answered a call of this task, so that it never ran. */
static __always_inline bool may_be_answered(struct task_struct *task)
{
	return TASK(task, ptrace) || TASK(task, seccomp.mode);
}

/* A number no call has: a tracer that answers a call itself makes it -1. */
static __always_inline void entered_nothing(struct task_struct *task)
{
	if (settled && may_be_answered(task) && in_scope(task, state_of(task)))
		COUNT(answered);
}

SEC("tp_btf/sys_enter")
int BPF_PROG(enter_tp_btf, struct pt_regs *regs, long nr)
{
	struct task_struct *task = current_task();
	struct state *state;
	__u32 call;

	if ((unsigned long)nr >= MAX_NR) {
		entered_nothing(task);
		return 0;
	}
	call = call_of(task, nr);
	if (!wanted[call % MAX_CALL])
		return 0;
	state = look_at(task);
	if (!state)
		return 0;
	if (call < COMPAT) {
		state->args[0] = regs->di;
		state->args[1] = regs->si;
		state->args[2] = regs->dx;
		state->args[3] = regs->r10;
		state->args[4] = regs->r8;
		state->args[5] = regs->r9;
	} else {
		state->args[0] = (__u32)regs->bx;
		state->args[1] = (__u32)regs->cx;
		state->args[2] = (__u32)regs->dx;
		state->args[3] = (__u32)regs->si;
		state->args[4] = (__u32)regs->di;
		state->args[5] = (__u32)regs->bp;
	}
	entered(task, state, call);
	return 0;
}

SEC("tp/raw_syscalls/sys_enter")
int enter_raw_syscalls(struct trace_event_raw_sys_enter *ctx)
{
	struct task_struct *task = current_task();
	unsigned long nr = ctx->id;
	struct state *state;
	__u64 mask;
	__u32 call;

	if (nr >= MAX_NR) {
		entered_nothing(task);
		return 0;
	}
	call = call_of(task, nr);
	if (!wanted[call % MAX_CALL])
		return 0;
	state = look_at(task);
	if (!state)
		return 0;
	/* The kernel has taken them from the registers of the call's own convention, of which a 32-bit call has half. */
	mask = call < COMPAT ? ~0ULL : 0xffffffffULL;
	state->args[0] = ctx->args[0] & mask;
	state->args[1] = ctx->args[1] & mask;
	state->args[2] = ctx->args[2] & mask;
	state->args[3] = ctx->args[3] & mask;
	state->args[4] = ctx->args[4] & mask;
	state->args[5] = ctx->args[5] & mask;
	entered(task, state, call);
	return 0;
}

/* --- leave --- */

static __always_inline bool is_error(__s64 ret)
{
	return ret < 0 && ret >= -4095 && ret != -512 && ret != -513 && ret != -514 && ret != -516;
}

static __always_inline __u32 log2_bucket(__u64 value)
{
	__u32 bucket = 0;

	if (value >> 32) {
		value >>= 32;
		bucket = 32;
	}
	if (value >> 16) {
		value >>= 16;
		bucket += 16;
	}
	if (value >> 8) {
		value >>= 8;
		bucket += 8;
	}
	if (value >> 4) {
		value >>= 4;
		bucket += 4;
	}
	if (value >> 2) {
		value >>= 2;
		bucket += 2;
	}
	bucket += value >> 1;
	return bucket < LATENCY_BUCKETS ? bucket : LATENCY_BUCKETS - 1;
}

/* Payload moved by a call, by its byte class (the same rule as resolve.rs). */
static __always_inline __u64 payload(const struct state *state, const volatile struct syscall_desc *desc, __s64 ret)
{
	__u64 flags, room;
	bool unread;

	if (ret <= 0 || desc->bytes == BYTES_NONE)
		return 0;
	unread = desc->pointed && !state->pointed_known;
	if (desc->bytes == BYTES_XATTR)
		return count_of(state, desc) ? ret : 0;
	if (desc->bytes == BYTES_RECEIVE) {
		flags = state->args[desc->flags & 7];
		if (flags & MSG_PEEK)
			return 0;
		if (flags & MSG_TRUNC) {
			room = count_of(state, desc);
			return !unread && room < ret ? room : ret;
		}
	}
	return ret;
}

static __always_inline void count_call(struct state *state, const volatile struct syscall_desc *desc, __s64 ret,
				       __u64 latency)
{
	__u32 slot = bpf_get_smp_processor_id() * MAX_SLOT + desc->slot % MAX_SLOT;
	struct call_totals *sum = bpf_map_lookup_elem(&totals, &slot);

	if (!sum)
		return;
	sum->calls++;
	sum->latency_ns += latency;
	sum->histogram[log2_bucket(latency)]++;
	if (is_error(ret))
		sum->errors++;
	else
		sum->bytes += payload(state, desc, ret);
}

/* The first of the two descriptors pipe() wrote. */
static __always_inline __s32 first_of_pair(__u64 pointer)
{
	__s32 fd = -1;

	bpf_probe_read_user(&fd, sizeof(fd), (void *)pointer);
	return fd;
}

/* Sends the record of a call that has returned. */
static __always_inline void send_call(struct task_struct *task, struct state *state,
				      const volatile struct syscall_desc *desc, __s64 ret, __u64 latency)
{
	__u8 fd = desc->fd != NO_ARG ? desc->fd : desc->dir; /* a directory's may stand for a name (AT_EMPTY_PATH) */
	__u8 kind = desc->kind;
	struct outcome outcome = {
		.ret = ret,
		.latency_ns = latency,
		.file = state->file,
		.fd = fd == NO_ARG || (kind == KIND_MMAP && state->args[3] & MAP_ANONYMOUS) ? -1 : (__s32)state->args[fd & 7],
		.returned = true,
	};

	if (kind == KIND_OPEN || kind == KIND_NEW_FD || kind == KIND_FD_PAIR) {
		if (kind != KIND_OPEN)
			outcome.fd = -1;
		if (ret >= 0) {
			outcome.fd = kind == KIND_FD_PAIR ? first_of_pair(state->args[desc->fd & 7]) : ret;
			outcome.file = outcome.fd < 0 ? 0 : object_of(task, state, outcome.fd);
			kind = KIND_NONE;
		}
	}
	switch (kind) {
	case KIND_TWO_FDS:
		send_two_files(state, desc, &outcome);
		return;
	case KIND_TWO_PATHS:
		send_two_names(state, desc, &outcome);
		return;
	case KIND_PATH:
	case KIND_OPEN:
	case KIND_EXEC:
		send_one_name(state, desc, &outcome);
		return;
	default:
		send_row(state, desc, &outcome);
	}
}

/* An exit of a thread in scope that no enter goes with: of a call that was selected while it was blocked, or a loss. */
static __always_inline void left_unentered(struct task_struct *task, struct state *state, unsigned long nr)
{
	if (nr >= MAX_NR || !wanted[call_of(task, nr) % MAX_CALL] || state->flags & NEWBORN || !in_scope(task, state) ||
	    state->enter_ns < selected_at)
		return;
	if (may_be_answered(task))
		COUNT(answered);
	else
		COUNT(unpaired);
}

/*
 * An exit pairs with its thread's last enter. The number in the registers is no proof, since exec rewrites it and
 * rt_sigreturn clears it; but another call's number means that the kernel has skipped the exit of the one in flight.
 */
static __always_inline void leave(struct task_struct *task, struct state *state, unsigned long nr, __s64 ret)
{
	__u64 now = bpf_ktime_get_ns();
	__u32 in_flight = state->call_plus_1;

	if (in_flight && (nr == (in_flight - 1) % MAX_NR || nr >= MAX_NR ||
			  syscalls[(in_flight - 1) % MAX_CALL].kind == KIND_EXEC)) {
		finish(task, state, ret, now);
		return;
	}
	state->call_plus_1 = 0;
	if (!settled)
		return;
	if (in_flight)
		COUNT(unpaired);
	else
		left_unentered(task, state, nr);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(leave_tp_btf, struct pt_regs *regs, long ret)
{
	struct task_struct *task = current_task();
	struct state *state = state_of(task);

	if (state)
		leave(task, state, regs->orig_ax, ret);
	return 0;
}

SEC("tp/raw_syscalls/sys_exit")
int leave_raw_syscalls(struct trace_event_raw_sys_exit *ctx)
{
	struct task_struct *task = current_task();
	struct state *state = state_of(task);

	if (state)
		leave(task, state, ctx->id, ctx->ret);
	return 0;
}

/* --- calls in flight --- */

SEC("iter/task")
int list_in_flight(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct in_flight call = {};
	struct state *state;

	if (!task)
		return 0;
	state = use_task_storage ? bpf_task_storage_get(&states, task, 0, 0) : NULL;
	if (!state || !state->call_plus_1)
		return 0;
	call.tid = task->pid;
	call.pid = task->tgid;
	call.enter_ns = state->enter_ns;
	call.file = state->file;
	call.call = state->call_plus_1 - 1;
	bpf_probe_read_kernel(call.comm, sizeof(call.comm), &task->comm);
	bpf_seq_write(ctx->meta->seq, &call, sizeof(call));
	return 0;
}

/* Keeps the record types in the object's BTF, for the skeleton. */
const struct row *unused_row;
const struct named_row *unused_named_row;
const struct file_def *unused_file_def;
const struct task_def *unused_task_def;
const struct task_gone *unused_task_gone;
const struct exec_name *unused_exec_name;
const struct in_flight *unused_in_flight;
enum record_type unused_record_type;
enum name_state unused_name_state;
enum kind unused_kind;
enum row_note unused_row_note;
enum late unused_late;
