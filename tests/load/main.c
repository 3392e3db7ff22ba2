// truthclient: see client.h.   Build: cc -O2 -o truthclient *.c
#define _GNU_SOURCE
#include "client.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void die(const char *what)
{
	fprintf(stderr, "truthclient: ");
	perror(what);
	exit(1);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

// Latencies from the send; the due times are in the CSV for who wants the open loop's.
static void print_mix(const struct result *result, int mix, bool last)
{
	uint64_t *latency = malloc((result->count + 1) * sizeof *latency);
	size_t n = 0;

	if (!latency)
		die("malloc");
	for (size_t i = 0; i < result->count; i++)
		if (result->rows[i].mix == mix && result->rows[i].recv)
			latency[n++] = result->rows[i].recv - result->rows[i].send;
	qsort(latency, n, sizeof *latency, compare);
	latency[n] = 0;
#define AT(q) ((double)latency[(size_t)((double)(n ? n - 1 : 0) * (q))] / 1e6)
	printf("{\"requests\":%zu,\"p50_ms\":%.3f,\"p99_ms\":%.3f,\"max_ms\":%.3f}%s", n, AT(0.5), AT(0.99),
	       AT(1), last ? "" : ",");
#undef AT
	free(latency);
}

static void print_summary(const struct options *options, const struct result *result)
{
	size_t whole = 0;
	struct rusage usage;

	for (size_t i = 0; i < result->count; i++)
		whole += result->rows[i].recv != 0;
	getrusage(RUSAGE_SELF, &usage);
	printf("{\"requests\":%zu,\"unanswered\":%zu,\"errors\":%llu,\"connects\":%llu,\"max_waiting\":%llu,"
	       "\"seconds\":%.3f,\"cpu_s\":%.3f,\"mixes\":[",
	       whole, result->count - whole, (unsigned long long)result->errors,
	       (unsigned long long)result->connects, (unsigned long long)result->max_waiting,
	       (double)(result->end - result->start) / 1e9,
	       (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
		       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
	for (int m = 0; m < options->mix_count; m++)
		print_mix(result, m, m + 1 == options->mix_count);
	printf("]}\n");
}

static void write_csv(const char *path, const struct result *result)
{
	FILE *file = fopen(path, "w");

	if (!file)
		die(path);
	fprintf(file, "id,send_ns,recv_ns,status,conn,first_ns,due_ns,mix,bytes,first_of_conn\n");
	for (size_t i = 0; i < result->count; i++) {
		const struct row *r = &result->rows[i];

		fprintf(file, "%llu,%llu,%llu,%u,%u,%llu,%llu,%u,%llu,%d\n", (unsigned long long)r->id,
			(unsigned long long)r->send, (unsigned long long)r->recv, r->status, r->conn,
			(unsigned long long)r->first, (unsigned long long)r->due, r->mix,
			(unsigned long long)r->bytes, r->first_of_conn);
	}
	if (fclose(file))
		die(path);
}

int main(int argc, char **argv)
{
	static struct options options;
	static struct result result;
	struct sigaction stop = { .sa_handler = stop_load };

	parse_arguments(argc, argv, &options);
	prctl(PR_SET_TIMERSLACK, 1); // an open loop sends when it should, not 50 us later
	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
	run_load(&options, &result);
	if (options.csv)
		write_csv(options.csv, &result);
	print_summary(&options, &result);
	return 0;
}
