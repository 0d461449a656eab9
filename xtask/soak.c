/* A mixed load for SECONDS in DIRECTORY: short-lived processes, files made, renamed and removed, mounts, threads, signals.
 * At the end DIRECTORY/made says how many calls of pwrite64 were made: a call that nothing here makes by itself. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static unsigned long *made; /* shared by all processes */
static time_t end;

static int is_over(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec >= end;
}

static void fail(const char *what)
{
	perror(what);
	_exit(1);
}

static void pwrite_one(int fd)
{
	__atomic_add_fetch(made, 1, __ATOMIC_RELAXED);
	if (pwrite(fd, "x", 1, 0) != 1)
		fail("pwrite");
}

/* Every process has a file of its own and is gone at once; some run another program. */
static void fork_storm(void)
{
	for (unsigned long n = 0; !is_over(); n++) {
		pid_t child = fork();

		if (child < 0)
			fail("fork");
		if (child == 0) {
			int fd = open("forked", O_CREAT | O_WRONLY, 0644);

			if (n % 8 == 0)
				execl("/bin/true", "true", (char *)NULL);
			pwrite_one(fd);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
}

/* Names that were never there before, so that tables of files have to forget. */
static void churn(void)
{
	char name[64], other[64];

	for (unsigned long n = 0; !is_over(); n++) {
		int fd;

		snprintf(name, sizeof(name), "churn-%lu", n);
		snprintf(other, sizeof(other), "renamed-%lu", n);
		fd = open(name, O_CREAT | O_WRONLY, 0644);
		if (fd < 0)
			fail(name);
		pwrite_one(fd);
		close(fd);
		if (rename(name, other) || access(name, F_OK) == 0 || unlink(other))
			fail(other);
	}
}

/* Directories are renamed above open files. */
static void rename_above(void)
{
	int fd;

	mkdir("above-0", 0755);
	fd = open("above-0/file", O_CREAT | O_RDWR, 0644);
	if (fd < 0)
		fail("above-0/file");
	for (unsigned long n = 0; !is_over(); n++) {
		char name[64], other[64];

		snprintf(name, sizeof(name), "above-%lu", n);
		snprintf(other, sizeof(other), "above-%lu", n + 1);
		if (rename(name, other))
			fail(name);
		pwrite_one(fd);
	}
}

/* In a mount namespace of its own, so that nothing is left behind. */
static void mounts(void)
{
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		fail("unshare");
	mkdir("mounted", 0755);
	while (!is_over()) {
		int fd;

		if (mount("soak", "mounted", "tmpfs", 0, "size=64k"))
			fail("mount");
		fd = open("mounted/file", O_CREAT | O_WRONLY, 0644);
		if (fd < 0)
			fail("mounted/file");
		pwrite_one(fd);
		if (umount2("mounted", MNT_DETACH))
			fail("umount2");
		pwrite_one(fd); /* of a file system that is nowhere any more */
		close(fd);
	}
}

static void *thread(void *argument)
{
	int fd = open("threads", O_CREAT | O_WRONLY, 0644);

	(void)argument;
	pthread_setname_np(pthread_self(), "soak-thread");
	for (int n = 0; n < 10; n++)
		pwrite_one(fd);
	close(fd);
	return NULL;
}

static void threads(void)
{
	while (!is_over()) {
		pthread_t ids[8];

		for (int n = 0; n < 8; n++)
			if (pthread_create(&ids[n], NULL, thread, NULL))
				fail("pthread_create");
		for (int n = 0; n < 8; n++)
			pthread_join(ids[n], NULL);
	}
}

static void nothing(int number)
{
	(void)number;
}

/* Blocked reads are interrupted and made again. */
static void signals(void)
{
	struct itimerval often = { { 0, 1000 }, { 0, 1000 } };
	struct sigaction action = { .sa_handler = nothing };
	int ends[2], fd = open("signals", O_CREAT | O_WRONLY, 0644);
	char byte;

	if (pipe(ends) || sigaction(SIGALRM, &action, NULL) || setitimer(ITIMER_REAL, &often, NULL))
		fail("signals");
	while (!is_over()) {
		if (read(ends[0], &byte, 1) >= 0 || errno != EINTR)
			fail("read");
		pwrite_one(fd);
	}
}

int main(int argc, char **argv)
{
	void (*parts[])(void) = { fork_storm, churn, rename_above, mounts, threads, signals };
	struct timespec t;
	int count = sizeof(parts) / sizeof(parts[0]), status, bad = 0;
	FILE *file;

	if (argc != 3 || chdir(argv[2]))
		return 2;
	made = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (made == MAP_FAILED)
		fail("mmap");
	clock_gettime(CLOCK_MONOTONIC, &t);
	end = t.tv_sec + atol(argv[1]);
	for (int n = 0; n < count; n++) {
		pid_t child = fork();

		if (child < 0)
			fail("fork");
		if (child == 0) {
			parts[n]();
			exit(0);
		}
	}
	while (wait(&status) > 0)
		bad |= status;
	file = fopen("made", "w");
	if (!file || fprintf(file, "%lu\n", *made) < 0 || fclose(file))
		fail("made");
	return bad ? 1 : 0;
}
