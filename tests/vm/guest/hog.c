// hog ON_MS PERIOD_MS: burns the CPU for ON_MS of each PERIOD_MS, before everything that is no real-time task.
#include <sched.h>
#include <stdlib.h>
#include <time.h>

static long long now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000ll + t.tv_nsec / 1000;
}

int main(int argc, char **argv)
{
	struct sched_param p = { .sched_priority = 1 };
	long on = argc > 2 ? atol(argv[1]) * 1000 : 30000, period = argc > 2 ? atol(argv[2]) * 1000 : 150000;

	if (sched_setscheduler(0, SCHED_FIFO, &p) != 0)
		return 1;
	for (;;) {
		long long until = now_us() + on;
		struct timespec rest = { .tv_nsec = (period - on) * 1000 };

		while (now_us() < until)
			;
		nanosleep(&rest, NULL);
	}
}
