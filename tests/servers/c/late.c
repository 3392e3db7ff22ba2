// A server of one thread that loads a shared object while it runs. Both are built without frame pointers.
//   cc -O2 -fomit-frame-pointer -o late late.c -ldl && ./late PORT     late_part.so lies beside it
//
//   GET /load     loads late_part.so, once
//   GET /work     burns some 100 us in three functions of late_part.so, in its own before it is loaded
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { kMost = 64, kHead = 4096 };

static unsigned long (*late_outer)(unsigned long);
static char folder[kHead];

__attribute__((noinline)) static unsigned long own_work(unsigned long n)
{
	volatile unsigned long sum = 0;

	for (unsigned long i = 0; i < n; i++)
		sum += i * n;
	return sum;
}

static const char *load(void)
{
	char path[kHead + 32];
	void *part;

	if (late_outer)
		return "200 OK";
	snprintf(path, sizeof path, "%s/late_part.so", folder);
	part = dlopen(path, RTLD_NOW);
	if (part)
		late_outer = (unsigned long (*)(unsigned long))dlsym(part, "late_outer");
	if (!late_outer)
		fprintf(stderr, "late: %s\n", dlerror());
	return late_outer ? "200 OK" : "500 Internal Server Error";
}

// Answers one request; heads come in one piece on loopback.
static int serve_one(int fd)
{
	char head[kHead], reply[256];
	ssize_t n = recv(fd, head, sizeof head - 1, 0);
	const char *status = "200 OK";
	unsigned long result = 0;
	int length;

	if (n <= 0)
		return -1;
	head[n] = 0;
	if (!strncmp(head, "GET /load ", 10))
		status = load();
	else if (!strncmp(head, "GET /work ", 10))
		result = late_outer ? late_outer(20000) : own_work(20000);
	length = snprintf(reply, sizeof reply, "HTTP/1.1 %s\r\nContent-Length: 20\r\n\r\n%20lu", status, result);
	return send(fd, reply, (size_t)length, MSG_NOSIGNAL) == length ? 0 : -1;
}

static int listen_on(const char *port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int one = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address.sin_port = htons((unsigned short)atoi(port));
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 256))
		return -1;
	return listener;
}

int main(int argc, char **argv)
{
	struct pollfd fds[kMost];
	int used = 1;
	char *slash;

	if (argc != 2 || readlink("/proc/self/exe", folder, sizeof folder - 1) < 0)
		return 2;
	slash = strrchr(folder, '/');
	if (slash)
		*slash = 0;
	fds[0] = (struct pollfd){ .fd = listen_on(argv[1]), .events = POLLIN };
	if (fds[0].fd < 0) {
		perror("late: listen");
		return 1;
	}
	printf("READY %s\n", argv[1]);
	fflush(stdout);
	for (;;) {
		poll(fds, (nfds_t)used, -1);
		for (int i = used - 1; i > 0; i--) {
			if (!fds[i].revents || !serve_one(fds[i].fd))
				continue;
			close(fds[i].fd);
			fds[i] = fds[--used];
		}
		if (fds[0].revents && used < kMost)
			fds[used++] = (struct pollfd){ .fd = accept(fds[0].fd, NULL, NULL), .events = POLLIN };
	}
}
