// A thread-per-connection HTTP server in C with one known fault a route.
//   cc -O2 -pthread -o lock lock.c && ./lock PORT [HOLD_MS PERIOD_MS]
//
//   GET /health[/ID]   next to nothing
//   GET /locked[/ID]   takes a mutex that the thread named "holder" keeps for HOLD_MS of every PERIOD_MS (20 of 100)
//   GET /nap[/ID]      every 40th request sleeps for 20 ms
//   GET /touch[/ID]    every 40th request drops 32 MiB and touches each page again (minor faults)
//   GET /paged[/ID]    every 40th request waits for four pages that the thread "pager" delivers
//                      after 5 ms each (userfaultfd: a page fault that blocks, without a disk)
//   GET /large?kb=N    answers with N KB by a blocking send
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { kPage = 4096, kTouchBytes = 32 << 20, kPagerBytes = 64 << 20, kPagesARequest = 4, kFaultEvery = 40 };

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long table_value;
static char *touch_area;
static char *pager_area;
static int pager_fd = -1;
static long hold_ms = 20, period_ms = 100;

static void sleep_ms(long ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &t, &t) == EINTR)
		;
}

static void *run_holder(void *unused)
{
	pthread_setname_np(pthread_self(), "holder");
	for (;;) {
		sleep_ms(period_ms - hold_ms);
		pthread_mutex_lock(&table_lock);
		sleep_ms(hold_ms); // as if it wrote the table to a disk
		table_value++;
		pthread_mutex_unlock(&table_lock);
	}
	return unused;
}

static void *run_pager(void *unused)
{
	static char page[kPage] __attribute__((aligned(kPage)));
	struct uffd_msg msg;

	pthread_setname_np(pthread_self(), "pager");
	while (read(pager_fd, &msg, sizeof msg) == sizeof msg) {
		if (msg.event != UFFD_EVENT_PAGEFAULT)
			continue;
		sleep_ms(5);
		struct uffdio_copy copy = {
			.dst = msg.arg.pagefault.address & ~(unsigned long)(kPage - 1),
			.src = (unsigned long)page,
			.len = kPage,
		};
		if (ioctl(pager_fd, UFFDIO_COPY, &copy) && errno != EEXIST)
			perror("UFFDIO_COPY");
	}
	return unused;
}

// Without userfaultfd (not permitted, not built) /paged answers 501.
static void start_pager(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	pthread_t thread;

	pager_area = mmap(NULL, kPagerBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pager_fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (pager_fd < 0 || pager_area == MAP_FAILED || ioctl(pager_fd, UFFDIO_API, &api))
		goto unavailable;
	struct uffdio_register area = {
		.range = { .start = (unsigned long)pager_area, .len = kPagerBytes },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	if (ioctl(pager_fd, UFFDIO_REGISTER, &area) || pthread_create(&thread, NULL, run_pager, NULL))
		goto unavailable;
	return;
unavailable:
	pager_area = NULL;
}

static bool every_nth(atomic_ulong *count)
{
	return atomic_fetch_add(count, 1) % kFaultEvery == kFaultEvery - 1;
}

static void touch(void)
{
	static atomic_ulong count;
	static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

	if (!every_nth(&count))
		return;
	pthread_mutex_lock(&one_at_a_time);
	madvise(touch_area, kTouchBytes, MADV_DONTNEED);
	for (size_t i = 0; i < kTouchBytes; i += kPage)
		((volatile char *)touch_area)[i] = 1;
	pthread_mutex_unlock(&one_at_a_time);
}

static void paged(void)
{
	static atomic_ulong count, next_page;

	if (!every_nth(&count))
		return;
	for (int i = 0; i < kPagesARequest; i++) {
		size_t at = atomic_fetch_add(&next_page, 1) * kPage % kPagerBytes;

		*(volatile char *)(pager_area + at);
		madvise(pager_area + at, kPage, MADV_DONTNEED);
	}
}

static void nap(void)
{
	static atomic_ulong count;

	if (every_nth(&count))
		sleep_ms(20);
}

static void locked(void)
{
	pthread_mutex_lock(&table_lock);
	table_value++;
	pthread_mutex_unlock(&table_lock);
}

static bool send_all(int fd, const char *bytes, size_t n)
{
	while (n > 0) {
		ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return false;
		bytes += sent;
		n -= (size_t)sent;
	}
	return true;
}

// One send for head and body, so that a small answer is one write.
static bool answer(int fd, const char *status, size_t body_bytes)
{
	char *reply = malloc(body_bytes + 256);
	int head;
	bool ok;

	if (!reply)
		return false;
	head = snprintf(reply, 256, "HTTP/1.1 %s\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n\r\n",
			status, body_bytes);
	memset(reply + head, 'x', body_bytes);
	ok = send_all(fd, reply, (size_t)head + body_bytes);
	free(reply);
	return ok;
}

static bool is_route(const char *path, const char *route)
{
	size_t n = strlen(route);

	return !strncmp(path, route, n) && strchr("/? ", path[n]);
}

static bool handle(int fd, const char *path)
{
	const char *kb = strstr(path, "kb=");

	if (is_route(path, "/health"))
		return answer(fd, "200 OK", 3);
	if (is_route(path, "/large"))
		return answer(fd, "200 OK", (size_t)(kb ? strtoul(kb + 3, NULL, 10) : 1024) * 1024);
	if (is_route(path, "/locked"))
		locked();
	else if (is_route(path, "/nap"))
		nap();
	else if (is_route(path, "/touch"))
		touch();
	else if (is_route(path, "/paged") && pager_area)
		paged();
	else
		return answer(fd, is_route(path, "/paged") ? "501 Not Implemented" : "404 Not Found", 3);
	return answer(fd, "200 OK", 3);
}

// Serves GETs without bodies; a head comes in at most 4 KB.
static void *run_connection(void *arg)
{
	int fd = (int)(long)arg, one = 1;
	char head[4097];
	size_t have = 0;

	pthread_setname_np(pthread_self(), "conn");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	for (;;) {
		char *end = NULL;

		while (!(end = have ? memmem(head, have, "\r\n\r\n", 4) : NULL)) {
			ssize_t n = recv(fd, head + have, sizeof head - 1 - have, 0);

			if (n <= 0)
				goto out;
			have += (size_t)n;
		}
		head[have] = 0;
		if (strncmp(head, "GET ", 4) || !handle(fd, head + 4))
			goto out;
		have -= (size_t)(end + 4 - head);
		memmove(head, end + 4, have);
	}
out:
	close(fd);
	return NULL;
}

static void serve(int listener)
{
	pthread_attr_t detached;
	pthread_t thread;

	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&detached, 256 << 10);
	for (;;) {
		int fd = accept(listener, NULL, NULL);

		if (fd < 0)
			continue;
		if (pthread_create(&thread, &detached, run_connection, (void *)(long)fd))
			close(fd);
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int one = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	pthread_t thread;

	if (argc == 4) {
		hold_ms = atol(argv[2]);
		period_ms = atol(argv[3]);
	}
	if ((argc != 2 && argc != 4) || hold_ms < 1 || period_ms <= hold_ms) {
		fprintf(stderr, "usage: lock PORT [HOLD_MS PERIOD_MS]\n");
		return 2;
	}
	address.sin_port = htons((unsigned short)atoi(argv[1]));
	touch_area = mmap(NULL, kTouchBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(touch_area, kTouchBytes, MADV_NOHUGEPAGE);
	start_pager();
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 1024)) {
		perror("lock: listen");
		return 1;
	}
	if (touch_area == MAP_FAILED || pthread_create(&thread, NULL, run_holder, NULL)) {
		perror("lock");
		return 1;
	}
	printf("READY %s\n", argv[1]);
	fflush(stdout);
	serve(listener);
}
