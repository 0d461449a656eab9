/* Updates and looks up elements of a BPF map through bpf() until it is ended: beside a trace by raw_syscalls, whose
 * programs share a guard with these calls on each CPU. */
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static long bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

int main(void)
{
	union bpf_attr attr;
	unsigned int key = 0;
	unsigned long value = 0;
	/* Before 5.11 maps count as locked memory, all of a user's together. */
	struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	int map;

	setrlimit(RLIMIT_MEMLOCK, &unlimited);
	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_HASH;
	attr.key_size = sizeof(key);
	attr.value_size = sizeof(value);
	attr.max_entries = 64;
	map = bpf(BPF_MAP_CREATE, &attr);
	if (map < 0) {
		perror("BPF_MAP_CREATE");
		return 1;
	}
	for (;;) {
		key = (key + 1) % 64;
		value++;
		memset(&attr, 0, sizeof(attr));
		attr.map_fd = map;
		attr.key = (unsigned long)&key;
		attr.value = (unsigned long)&value;
		if (bpf(BPF_MAP_UPDATE_ELEM, &attr) || bpf(BPF_MAP_LOOKUP_ELEM, &attr)) {
			perror("bpf");
			return 1;
		}
	}
}
