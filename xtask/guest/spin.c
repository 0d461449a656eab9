/* A real-time task: busy for one millisecond, asleep for one, until it is ended. It preempts whatever runs on its CPU. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <time.h>

static long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

int main(void)
{
	struct sched_param priority = { .sched_priority = 50 };
	struct timespec nap = { .tv_nsec = 1000000 };

	if (sched_setscheduler(0, SCHED_FIFO, &priority)) {
		perror("sched_setscheduler");
		return 1;
	}
	for (;;) {
		long end = now_ns() + 1000000;

		while (now_ns() < end)
			;
		nanosleep(&nap, NULL);
	}
}
