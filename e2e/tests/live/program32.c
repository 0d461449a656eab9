/* A 32-bit program without a library: each call below is a row, and no other. */

static long call(long nr, long a, long b, long c, long d, long e)
{
	long ret;

	__asm__ volatile("int $0x80" : "=a"(ret) : "a"(nr), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e) : "memory");
	return ret;
}

enum {
	EXIT = 1,
	READ = 3,
	WRITE = 4,
	OPEN = 5,
	CLOSE = 6,
	UNLINK = 10,
	GETPID = 20,
	PREAD64 = 180,
	STAT64 = 195,
	OPENAT = 295,
};

#define O_RDWR 2
#define O_CREAT 0100
#define AT_FDCWD (-100)

void _start(void)
{
	char room[128];
	long fd = call(OPEN, (long)"out", O_RDWR | O_CREAT, 0644, 0, 0);

	call(GETPID, 0, 0, 0, 0, 0);
	call(WRITE, fd, (long)"hello", 5, 0, 0);
	call(PREAD64, fd, (long)room, 5, 1, 0);
	call(STAT64, (long)"out", (long)room, 0, 0, 0);
	call(STAT64, (long)"none", (long)room, 0, 0, 0);
	call(OPENAT, AT_FDCWD, (long)"none", 0, 0, 0);
	call(CLOSE, fd, 0, 0, 0, 0);
	call(UNLINK, (long)"out", 0, 0, 0, 0);
	call(EXIT, 0, 0, 0, 0, 0);
	__builtin_unreachable();
}
