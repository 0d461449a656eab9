/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Files are kernel objects, not numbers. An object's id is a hash of what it is (device, inode and type) and of where it
 * is: its name and those of all its ancestors, across mounts, in which mount namespace. A rename of the file or of any
 * directory above it therefore gives it a new id, which is defined (path and all) when first used. So does an unmount.
 */
#ifndef IOR_FILE_H
#define IOR_FILE_H

#include "maps.h"

extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym __weak;

/*
 * Levels (directories and mounts) of a path that go into an id: the first ones by plain loads, the rest step by step.
 * Every inlined level costs the verifier time at each attach. Without bpf_loop, renames further up go unnoticed.
 */
#define NEAR_DEPTH 14
#define FAR_DEPTH 18
/* Components a definition holds without bpf_loop (what the 5.10 verifier takes), and with it. */
#define WALK_DEPTH 32
#define LOOP_DEPTH 2200
/* Bytes of components a definition holds, in its two sizes; each buffer has room for one more component. */
#define SMALL_PATH 256
#define LARGE_PATH 4096
#define MAX_COMPONENT 256

#define TYPED(type, ptr) \
	(use_cast ? (type *)bpf_rdonly_cast((void *)(ptr), bpf_core_type_id_kernel(type)) : (type *)(ptr))

/* A place in the tree of mounts. */
struct place {
	struct mount *mount;
	struct dentry *dentry;
	struct inode *inode;
};

/* Odd, and so one to one as factors. */
#define FACTOR 0x9e3779b97f4a7c15ULL
#define FACTOR_2 0xbf58476d1ce4e5b9ULL
#define FACTOR_3 0x94d049bb133111ebULL
#define FACTOR_4 0xd6e8feb86659fd93ULL

/* A level of a path: paths that differ in one level only never have the same hash. */
static __always_inline __u64 add_level(__u64 hash, __u64 word)
{
	return (hash ^ word) * FACTOR;
}

/* Turns a path (and the inode it leads to) into typed pointers. */
static __always_inline struct place place_of(struct vfsmount *mnt, struct dentry *dentry, struct inode *inode)
{
	struct place place = {
		.mount = TYPED(struct mount, (char *)mnt - bpf_core_field_offset(struct mount, mnt)),
		.dentry = TYPED(struct dentry, dentry),
		.inode = TYPED(struct inode, inode),
	};

	return place;
}

static __always_inline __u64 as_id(__u64 hash)
{
	return hash > UNDEFINED_FILE ? hash : UNDEFINED_FILE + 1;
}

/*
 * The start of a pseudo file's name. Anonymous inodes all share one inode, their dentries are soon recycled and their
 * names have no hash: only the name tells an eventfd from a timerfd at the same address.
 */
static __always_inline __u64 start_of(const unsigned char *name)
{
	__u64 start[2] = {};

	bpf_probe_read_kernel(start, sizeof(start), name);
	return start[0] ^ (start[1] * 31);
}

static __always_inline __u64 pseudo_name(struct dentry *dentry)
{
	return start_of(READ(dentry, d_name.name));
}

static __always_inline __u64 probed_name(struct dentry *dentry)
{
	const unsigned char *name = NULL;

	bpf_core_read(&name, sizeof(name), &dentry->d_name.name);
	return start_of(name);
}

/* What an object is: the same inode can be another one's later, also under the same name. */
static __always_inline __u64 identity(__u64 dev, __u64 ino, __u16 mode)
{
	return dev * FACTOR_2 ^ (ino ^ (__u64)(mode & S_IFMT) << 48) * FACTOR_3;
}

/* Stand for the mount namespace of what is mounted nowhere any more, and of the kernel's own mounts. */
#define NO_NAMESPACE 1
#define KERNEL_NAMESPACE 2

/*
 * The number of the mount namespace a mount is in; all anonymous ones (of mounts that are not attached yet) share one. The
 * kernel's own mounts have an error code for a pointer.
 */
static __always_inline __u64 namespace_of(struct mount *mount)
{
	struct mnt_namespace *namespace = READ(mount, mnt_ns);

	if (!namespace)
		return NO_NAMESPACE;
	return (__u64)namespace >= -4095ULL ? KERNEL_NAMESPACE : READ(namespace, ns.inum);
}

static __always_inline __u64 probed_namespace(struct mount *mount)
{
	struct mnt_namespace *namespace = NULL;
	__u32 number = 0;

	bpf_core_read(&namespace, sizeof(namespace), &mount->mnt_ns);
	if (!namespace)
		return NO_NAMESPACE;
	if ((__u64)namespace >= -4095ULL)
		return KERNEL_NAMESPACE;
	bpf_core_read(&number, sizeof(number), &namespace->ns.inum);
	return number;
}

/* Names up to this length (with the NUL) are in the dentry itself. */
#define INLINE_NAME 32

static __always_inline __u64 inline_name_at(void)
{
	if (bpf_core_field_exists(struct dentry, d_shortname))
		return bpf_core_field_offset(struct dentry, d_shortname);
	return bpf_core_field_offset(struct dentry___iname, d_iname);
}

/* A word of a name of that length; what is behind the name in its memory is left over from others. */
static __always_inline __u64 name_word(__u64 word, __u32 place, __u32 len)
{
	if (len >= place + 8)
		return word;
	return len <= place ? 0 : word & ((1ULL << (len - place) * 8) - 1);
}

/* The end of a name that is too long for the dentry. */
static __always_inline __u64 end_of(struct dentry *dentry, __u32 len)
{
	const unsigned char *name = NULL;
	__u64 end[2] = {};

	bpf_core_read(&name, sizeof(name), &dentry->d_name.name);
	bpf_probe_read_kernel(end, sizeof(end), name + len - sizeof(end));
	return end[0] * FACTOR ^ end[1] * FACTOR_4;
}

/*
 * What tells the names of one file apart. The kernel's hash of a name has 32 bits, and is the same for upper and lower
 * case where the file system does not tell them apart: many names of one file would meet.
 */
static __always_inline __u64 fold_name(const __u64 *words, __u32 len)
{
	__u64 fold = name_word(words[0], 0, len) * FACTOR;

	if (len > 8)
		fold ^= name_word(words[1], 8, len) * FACTOR_4;
	if (len > 16)
		fold ^= name_word(words[2], 16, len) * FACTOR_2 ^ name_word(words[3], 24, len) * FACTOR_3;
	return fold;
}

static __always_inline __u64 own_name(struct dentry *dentry, __u32 len)
{
	const __u64 *at = (const __u64 *)((char *)dentry + inline_name_at());
	__u64 words[INLINE_NAME / 8];

	if (len >= INLINE_NAME)
		return end_of(dentry, len);
	if (use_cast)
		return fold_name(at, len);
	bpf_probe_read_kernel(words, sizeof(words), at);
	return fold_name(words, len);
}

/* The rest of a long walk, from where the plain loads stopped. Plain numbers, as a bpf_loop callback's context. */
struct climb {
	__u64 mount;
	__u64 dentry;
	__u64 root;
	__u64 hash;
	__u32 len;
};

static __noinline long climb_step(__u32 i, void *context)
{
	struct climb *climb = context;
	struct dentry *dentry = (struct dentry *)climb->dentry;
	struct mount *mount = (struct mount *)climb->mount;
	struct dentry *parent = NULL;
	struct mount *above = NULL;
	__u64 hash_len = 0;

	if (climb->dentry == climb->root) {
		bpf_core_read(&above, sizeof(above), &mount->mnt_parent);
		if (above == mount || !above)
			return 1;
		bpf_core_read(&climb->dentry, sizeof(climb->dentry), &mount->mnt_mountpoint);
		bpf_core_read(&climb->root, sizeof(climb->root), &above->mnt.mnt_root);
		climb->mount = (__u64)above;
		return 0;
	}
	bpf_core_read(&parent, sizeof(parent), &dentry->d_parent);
	if (parent == dentry || !parent) {
		climb->hash = add_level(climb->hash, probed_name(dentry));
		return 1;
	}
	bpf_core_read(&hash_len, sizeof(hash_len), &dentry->d_name.hash_len);
	climb->hash = add_level(climb->hash, hash_len);
	climb->len += (__u32)(hash_len >> 32) + 1;
	climb->dentry = (__u64)parent;
	return 0;
}

/* The id of what is at a place, and the bytes its path takes. */
static __always_inline __u64 place_id(const struct place *place, __u32 *path_len)
{
	struct mount *mount = place->mount;
	struct dentry *dentry = place->dentry;
	struct dentry *root = READ(mount, mnt.mnt_root);
	struct super_block *sb = READ(place->inode, i_sb);
	__u64 namespace = namespace_of(mount);
	__u64 hash = identity(READ(sb, s_dev), READ(place->inode, i_ino), READ(place->inode, i_mode));
	struct climb climb = {};
	bool ended = false;
	__u32 len = 0;

	if (READ(dentry, d_parent) != dentry)
		hash ^= own_name(dentry, READ(dentry, d_name.len));

	__no_unroll
	for (int i = 0; i < NEAR_DEPTH; i++) {
		struct dentry *parent;
		__u64 hash_len;

		if (dentry == root) {
			struct mount *above = READ(mount, mnt_parent);

			if (above == mount) {
				ended = true;
				break;
			}
			dentry = READ(mount, mnt_mountpoint);
			mount = above;
			root = READ(mount, mnt.mnt_root);
			continue;
		}
		parent = READ(dentry, d_parent);
		if (parent == dentry) {
			hash = add_level(hash, pseudo_name(dentry));
			ended = true;
			break;
		}
		hash_len = READ(dentry, d_name.hash_len);
		hash = add_level(hash, hash_len);
		len += (__u32)(hash_len >> 32) + 1;
		dentry = parent;
	}
	if (!ended) {
		climb.mount = (__u64)mount;
		climb.dentry = (__u64)dentry;
		climb.root = (__u64)root;
		climb.hash = hash;
		climb.len = len;
		REPEAT(LOOP_DEPTH, FAR_DEPTH, climb_step, &climb);
		hash = climb.hash;
		len = climb.len;
	}
	*path_len = len;
	return as_id(add_level(hash, namespace));
}

/* --- the slow path: a definition --- */

/*
 * The walk from a file up to the root, as a bpf_loop callback's context. How long the path is by now is kept in the
 * record: the verifier knows nothing of what is there, so that to it all steps of a bounded loop are alike.
 */
struct walk {
	__u64 mount;
	__u64 dentry;
	__u64 root;
	__u64 hash; /* as place_id makes it; what differs in the end was renamed meanwhile */
	struct file_def *def;
};

/* Appends one component, or crosses into the mount above. Returns 1 when nothing more can be appended. */
static __always_inline long walk_step(struct walk *walk, const __u32 room)
{
	struct dentry *dentry = (struct dentry *)walk->dentry;
	struct mount *mount = (struct mount *)walk->mount;
	struct file_def *def = walk->def;
	struct dentry *parent = NULL;
	struct mount *above = NULL;
	const unsigned char *name = NULL;
	__u64 before = 0, after = 0;
	__u32 len;
	long n;

	if (walk->dentry == walk->root) {
		bpf_core_read(&above, sizeof(above), &mount->mnt_parent);
		if (above == mount || !above) {
			def->cut = 0;
			return 1;
		}
		bpf_core_read(&walk->dentry, sizeof(walk->dentry), &mount->mnt_mountpoint);
		bpf_core_read(&walk->root, sizeof(walk->root), &above->mnt.mnt_root);
		walk->mount = (__u64)above;
		return 0;
	}
	bpf_core_read(&parent, sizeof(parent), &dentry->d_parent);
	bpf_core_read(&before, sizeof(before), &dentry->d_name.hash_len);
	bpf_core_read(&name, sizeof(name), &dentry->d_name.name);
	len = def->len; /* here, where it stays in a register: old verifiers forget the bounds of what is spilled */
	if (len > room)
		return 1;
	n = bpf_probe_read_kernel_str((char *)(def + 1) + len, MAX_COMPONENT, name);
	if (n <= 0)
		return 1;
	def->len = len + (__u32)n;
	bpf_core_read(&after, sizeof(after), &dentry->d_name.hash_len);
	walk->hash = add_level(walk->hash, parent == dentry ? start_of(name) : before == after ? after : 0);
	if (parent == dentry) { /* a pseudo file, or the root of a file system that is mounted nowhere */
		def->cut = 0;
		return 1;
	}
	walk->dentry = (__u64)parent;
	return 0;
}

static __noinline long walk_small(__u32 i, void *walk)
{
	return walk_step(walk, SMALL_PATH);
}

static __noinline long walk_large(__u32 i, void *walk)
{
	return walk_step(walk, LARGE_PATH);
}

/* A namespace's dentry has no name: its kind stands for it. */
static __always_inline void name_namespace(struct inode *inode, struct file_def *def)
{
	struct ns_common *namespace = NULL;
	const char *name = NULL;
	long n;

	bpf_core_read(&namespace, sizeof(namespace), &inode->i_private);
	name = BPF_CORE_READ(namespace, ops, name);
	n = bpf_probe_read_kernel_str(def + 1, MAX_COMPONENT, name);
	if (n > 0)
		def->len = n;
}

/*
 * How place_id's hash begins, by probe reads. A function of its own, so that its stack is free again before the walk: all
 * calls in each other have 512 bytes together.
 */
static __noinline __u64 first_hash(struct dentry *dentry, __u64 hash)
{
	struct dentry *parent = NULL;
	__u64 words[INLINE_NAME / 8];
	__u32 len = 0;

	bpf_core_read(&parent, sizeof(parent), &dentry->d_parent);
	if (parent == dentry)
		return hash;
	bpf_core_read(&len, sizeof(len), &dentry->d_name.len);
	if (len >= INLINE_NAME)
		return hash ^ end_of(dentry, len);
	bpf_probe_read_kernel(words, sizeof(words), (char *)dentry + inline_name_at());
	return hash ^ fold_name(words, len);
}

static __always_inline int send_file(__u64 mount_at, __u64 dentry, __u64 inode_at, __u64 id, const __u32 room)
{
	struct file_def *def = bpf_ringbuf_reserve(&definitions, sizeof(*def) + room + MAX_COMPONENT, 0);
	struct mount *mount = (struct mount *)mount_at;
	struct inode *inode = (struct inode *)inode_at;
	struct super_block *sb = NULL;
	struct walk walk = {};
	__u64 namespace;
	__u64 ino = 0;
	__u32 dev = 0;
	__u16 mode = 0;
	int flags = 0;

	if (!def) {
		COUNT(lost_definitions);
		return 0;
	}
	walk.mount = mount_at;
	walk.dentry = dentry;
	bpf_core_read(&walk.root, sizeof(walk.root), &mount->mnt.mnt_root);
	bpf_core_read(&flags, sizeof(flags), &mount->mnt.mnt_flags);
	bpf_core_read(&sb, sizeof(sb), &inode->i_sb);
	bpf_core_read(&dev, sizeof(dev), &sb->s_dev);
	bpf_core_read(&ino, sizeof(ino), &inode->i_ino);
	bpf_core_read(&mode, sizeof(mode), &inode->i_mode);
	walk.hash = first_hash((struct dentry *)dentry, identity(dev, ino, mode));
	walk.def = def;
	def->cut = 1;
	def->len = 0;
	if (room == SMALL_PATH)
		REPEAT(LOOP_DEPTH, WALK_DEPTH, walk_small, &walk);
	else
		REPEAT(LOOP_DEPTH, WALK_DEPTH, walk_large, &walk);
	namespace = probed_namespace(mount);
	if (!def->cut && as_id(add_level(walk.hash, namespace)) != id) {
		/* Renamed since the id was made. Rather no name than another one's. */
		bpf_ringbuf_discard(def, BPF_RB_NO_WAKEUP);
		return 0;
	}
	if (namespace == NO_NAMESPACE && !(flags & MNT_INTERNAL))
		def->cut = 1; /* unmounted while in use: where it was is not known any more */
	def->type = RECORD_FILE;
	def->internal = !!(flags & MNT_INTERNAL);
	def->pad = 0;
	def->pad2 = 0;
	def->id = id;
	def->mode = mode;
	def->ino = ino;
	def->dev = dev;
	bpf_core_read(&def->magic, sizeof(def->magic), &sb->s_magic);
	if (def->magic == NSFS_MAGIC && def->internal)
		name_namespace(inode, def);
	bpf_ringbuf_submit(def, bpf_ringbuf_query(&definitions, BPF_RB_AVAIL_DATA) > DEFINITIONS_SIZE / 4 ?
					BPF_RB_FORCE_WAKEUP :
					BPF_RB_NO_WAKEUP);
	return 1;
}

/*
 * Sends the definition, unless one was submitted since user space last forgot. A global function with plain numbers: the
 * verifier looks at it once, not at every call.
 */
__noinline int define_file(__u64 mount, __u64 dentry, __u64 inode, __u64 id, __u32 path_len)
{
	__u32 *known = bpf_map_lookup_elem(&defined, &id);
	__u32 now = epoch;
	int sent;

	if (known && *known == now)
		return 1;
	sent = path_len <= SMALL_PATH ? send_file(mount, dentry, inode, id, SMALL_PATH) :
					send_file(mount, dentry, inode, id, LARGE_PATH);
	if (sent)
		bpf_map_update_elem(&defined, &id, &now, BPF_ANY);
	return sent;
}

/* The id of what is at a place, defined. */
static __always_inline __u64 file_at(struct state *state, const struct place *place)
{
	__u32 path_len;
	__u64 id = place_id(place, &path_len);
	__u64 *seen = &state->seen[id % SEEN];
	__u64 number[3] = {};

	if (*seen == id)
		return id;
	/* The verifier keeps pointers and numbers apart; a read through memory makes one of the other. */
	bpf_probe_read_kernel(number, sizeof(number), place);
	if (!define_file(number[0], number[1], number[2], id, path_len))
		return UNDEFINED_FILE;
	*seen = id;
	return id;
}

/* The open file behind a descriptor of this task, or NULL. */
static __always_inline struct file *open_file(struct task_struct *task, __u32 fd)
{
	struct files_struct *files = TYPED(struct files_struct, TASK(task, files));
	struct fdtable *table = files ? READ(files, fdt) : NULL;
	struct file *file = NULL;
	__u64 slot;

	if (!table || fd >= READ(table, max_fds))
		return NULL;
	slot = (__u64)READ(table, fd) + (__u64)fd * sizeof(void *);
	if (use_cast) /* any type whose first field is a pointer reads the slot */
		return TYPED(struct file, TYPED(struct list_head, slot)->next);
	bpf_probe_read_kernel(&file, sizeof(file), (void *)slot);
	return file;
}

/* Stand for the working directory and the root directory where a descriptor is expected. */
#define WORKING_DIRECTORY AT_FDCWD
#define ROOT_DIRECTORY (AT_FDCWD - 1)

/* The file behind a descriptor, the working directory or the root directory; 0 none. */
static __noinline __u64 object_of(struct task_struct *task, struct state *state, __s32 fd)
{
	struct place place;

	if (fd == WORKING_DIRECTORY || fd == ROOT_DIRECTORY) {
		struct fs_struct *fs = TYPED(struct fs_struct, TASK(task, fs));
		bool root = fd == ROOT_DIRECTORY;
		struct dentry *dentry;

		if (!fs)
			return 0;
		dentry = TYPED(struct dentry, root ? READ(fs, root.dentry) : READ(fs, pwd.dentry));
		if (!dentry)
			return 0;
		place = place_of(root ? READ(fs, root.mnt) : READ(fs, pwd.mnt), dentry, READ(dentry, d_inode));
	} else {
		struct file *file = open_file(task, fd);

		if (!file)
			return 0;
		state->early = READ(file, f_pos);
		if (READ(file, f_flags) & O_APPEND)
			state->early = ~state->early;
		place = place_of(READ(file, f_path.mnt), READ(file, f_path.dentry), READ(file, f_inode));
	}
	return place.dentry ? file_at(state, &place) : 0;
}

#endif
