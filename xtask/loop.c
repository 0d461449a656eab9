/* The measured loop: PAIRS times read(/dev/zero, 1) + write(/dev/null, 1), begun when a byte arrives on standard input.
 * Prints nanoseconds per call. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(int argc, char **argv)
{
	long pairs = argc == 2 ? atol(argv[1]) : 0;
	int zero = open("/dev/zero", O_RDONLY);
	int null = open("/dev/null", O_WRONLY);
	double start, end;
	char byte;

	if (pairs <= 0 || zero < 0 || null < 0 || read(0, &byte, 1) != 1)
		return 1;
	start = now_ns();
	for (long i = 0; i < pairs; i++)
		if (read(zero, &byte, 1) != 1 || write(null, &byte, 1) != 1)
			return 1;
	end = now_ns();
	printf("%.2f\n", (end - start) / (2.0 * pairs));
	return 0;
}
