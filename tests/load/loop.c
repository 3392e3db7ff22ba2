#define _GNU_SOURCE
#include "client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum state { kClosed, kConnecting, kIdle, kWaiting };

// A slow reader takes its share of bytes this often.
static const uint64_t kSlowTick = 10 * 1000000ull;
static const uint64_t kDrain = 1000 * 1000000ull;
static const uint64_t kMaxErrors = 10000;

struct conn {
	int fd, mix;
	uint32_t serial;
	enum state state;
	bool used;              // has sent a request
	size_t row;             // of the request in flight
	char out[kMaxRequestHead];
	const char *rest;       // what the send buffer did not take
	size_t rest_len, body_rest;
	struct response response;
};

static struct options *options;
static struct result *result;
static struct conn *conns;
static int conn_count, poll_fd;
static uint32_t serials;
static uint64_t next_id, stop_at, next_slow_tick;
static bool draining;
static volatile sig_atomic_t stopped;

void stop_load(int signal_number)
{
	stopped = signal_number;
}

static void watch(struct conn *c, uint32_t events, int operation)
{
	// The serial tells an event of an earlier connection in the same batch.
	struct epoll_event event = { .events = events,
				     .data.u64 = (uint64_t)c->serial << 32 | (uint32_t)(c - conns) };

	if (epoll_ctl(poll_fd, operation, c->fd, &event))
		die("epoll_ctl");
}

static struct row *new_row(void)
{
	if (result->count == result->cap) {
		result->cap = result->cap ? result->cap * 2 : 1 << 16;
		result->rows = realloc(result->rows, result->cap * sizeof *result->rows);
		if (!result->rows)
			die("realloc");
	}
	return &result->rows[result->count++];
}

static void open_conn(struct conn *c)
{
	struct mix *mix = &options->mixes[c->mix];
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(mix->port) };
	int one = 1, small = 65536;

	c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (c->fd < 0 || inet_pton(AF_INET, mix->host, &address.sin_addr) != 1)
		die("socket");
	setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	if (mix->slow > 0)
		setsockopt(c->fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
	c->state = kConnecting;
	c->serial = ++serials;
	c->used = false;
	result->connects++;
	if (connect(c->fd, (struct sockaddr *)&address, sizeof address) && errno != EINPROGRESS)
		die("connect");
	watch(c, EPOLLOUT, EPOLL_CTL_ADD);
}

static void close_conn(struct conn *c)
{
	if (c->state != kClosed)
		close(c->fd);
	c->state = kClosed;
}

// Sends what is left of the head and the body; waits for EPOLLOUT if the buffer is full.
static bool flush(struct conn *c)
{
	const struct mix *mix = &options->mixes[c->mix];

	for (;;) {
		ssize_t n;

		if (!c->rest_len && c->body_rest) {
			c->rest = mix->body;
			c->rest_len = c->body_rest;
			c->body_rest = 0;
		}
		if (!c->rest_len)
			return true;
		n = send(c->fd, c->rest, c->rest_len, MSG_NOSIGNAL | (c->body_rest ? MSG_MORE : 0));
		if (n < 0 && errno == EAGAIN) {
			watch(c, EPOLLIN | EPOLLOUT, EPOLL_CTL_MOD);
			return true;
		}
		if (n < 0)
			return false;
		c->rest += n;
		c->rest_len -= (size_t)n;
	}
}

static void write_head(struct conn *c, uint64_t id)
{
	const struct mix *mix = &options->mixes[c->mix];
	char number[24] = "", length[96] = "";
	int n;

	if (mix->has_id)
		snprintf(number, sizeof number, "%llu", (unsigned long long)id);
	if (mix->body)
		snprintf(length, sizeof length, "Content-Type: application/json\r\nContent-Length: %zu\r\n",
			 mix->body_len);
	n = snprintf(c->out, sizeof c->out, "%s %s%s%s HTTP/1.1\r\nHost: %s:%u\r\n%s%s\r\n", mix->method,
		     mix->before_id, number, mix->after_id, mix->host, mix->port, length,
		     mix->close ? "Connection: close\r\n" : "");
	if (n < 0 || (size_t)n >= sizeof c->out)
		die("request head too long");
	c->rest = c->out;
	c->rest_len = (size_t)n;
	c->body_rest = mix->body_len;
}

static void fail(struct conn *c);

static void send_request(struct conn *c, uint64_t due)
{
	struct row *row = new_row();

	*row = (struct row){ .id = next_id++, .due = due, .conn = c->serial, .mix = (uint8_t)c->mix,
			     .first_of_conn = !c->used };
	c->row = result->count - 1;
	c->used = true;
	c->state = kWaiting;
	memset((char *)&c->response + offsetof(struct response, head_len), 0,
	       sizeof c->response - offsetof(struct response, head_len));
	write_head(c, row->id);
	row->send = now_ns(); // before send(): the interval must hold the arrival at the server
	if (!due)
		row->due = row->send;
	if (!flush(c))
		fail(c);
}

static uint64_t pop_waiting(struct mix *mix)
{
	uint64_t due = mix->waiting[mix->waiting_head];

	mix->waiting_head = (mix->waiting_head + 1) % mix->waiting_cap;
	mix->waiting_len--;
	return due;
}

static void push_waiting(struct mix *mix, uint64_t due)
{
	if (mix->waiting_len == mix->waiting_cap)
		die("open loop: the server is too slow for this rate");
	mix->waiting[(mix->waiting_head + mix->waiting_len++) % mix->waiting_cap] = due;
	if (mix->waiting_len > result->max_waiting)
		result->max_waiting = mix->waiting_len;
}

// The connection can take a request: gives it the next, if one is to be sent.
static void ready(struct conn *c)
{
	struct mix *mix = &options->mixes[c->mix];

	c->state = kIdle;
	if (draining || (mix->once && c->used))
		return;
	if (mix->rate <= 0)
		send_request(c, 0);
	else if (mix->waiting_len)
		send_request(c, pop_waiting(mix));
	else
		mix->idle[mix->idle_len++] = (int)(c - conns);
}

static void drop_idle(struct conn *c)
{
	struct mix *mix = &options->mixes[c->mix];

	for (int i = 0; i < mix->idle_len; i++)
		if (mix->idle[i] == c - conns)
			mix->idle[i--] = mix->idle[--mix->idle_len];
}

static void fail(struct conn *c)
{
	if (++result->errors > kMaxErrors)
		die("too many errors");
	drop_idle(c);
	close_conn(c);
	if (!draining)
		open_conn(c);
}

static void complete(struct conn *c, uint64_t now)
{
	struct row *row = &result->rows[c->row];

	row->recv = now;
	row->status = c->response.status;
	row->bytes = c->response.bytes;
	if (row->status >= 400)
		result->errors++;
	if (c->response.server_closes || c->response.until_close || options->mixes[c->mix].close) {
		close_conn(c);
		if (!draining)
			open_conn(c);
		return;
	}
	ready(c);
}

// Reads at most limit bytes of the answer.
static void read_some(struct conn *c, size_t limit)
{
	static char buffer[kReadSize];
	ssize_t n = recv(c->fd, buffer, limit < sizeof buffer ? limit : sizeof buffer, 0);
	uint64_t now = now_ns();
	enum progress progress;

	if (n < 0 && errno == EAGAIN)
		return;
	if (n <= 0 && c->state != kWaiting) {
		fail(c);
		return;
	}
	if (n > 0 && c->state != kWaiting) {
		fprintf(stderr, "truthclient: an answer that nobody asked for\n");
		fail(c);
		return;
	}
	if (n > 0 && !result->rows[c->row].first)
		result->rows[c->row].first = now;
	progress = n > 0 ? response_take(&c->response, buffer, (size_t)n) :
		   n == 0 ? response_closed(&c->response) : kBroken;
	if (progress == kComplete)
		complete(c, now);
	else if (progress == kBroken)
		fail(c);
}

static void on_event(struct conn *c, uint32_t events)
{
	bool slow = options->mixes[c->mix].slow > 0;

	if (c->state == kConnecting) {
		if (events & (EPOLLERR | EPOLLHUP)) {
			fail(c);
			return;
		}
		// A slow reader is read by the clock, not by events.
		watch(c, slow ? 0 : EPOLLIN, EPOLL_CTL_MOD);
		ready(c);
		return;
	}
	if (events & EPOLLOUT) {
		watch(c, slow ? 0 : EPOLLIN, EPOLL_CTL_MOD);
		if (!flush(c)) {
			fail(c);
			return;
		}
	}
	if (events & (EPOLLIN | EPOLLERR | EPOLLHUP))
		read_some(c, kReadSize);
}

static void burst(struct mix *mix, uint64_t now)
{
	mix->idle_len = 0;
	for (int i = 0; i < mix->conns; i++)
		close_conn(&conns[mix->first_conn + i]);
	for (int i = 0; i < mix->conns; i++)
		open_conn(&conns[mix->first_conn + i]);
	mix->next_burst = mix->burst_every > 0 ? now + (uint64_t)(mix->burst_every * 1e9) : 0;
}

// Does what is due at now; returns when the next thing is.
static uint64_t run_timers(uint64_t now)
{
	uint64_t next = stop_at;

	for (int m = 0; m < options->mix_count; m++) {
		struct mix *mix = &options->mixes[m];
		uint64_t gap = mix->rate > 0 ? (uint64_t)(1e9 / mix->rate) : 0;

		if (mix->next_burst && mix->next_burst <= now)
			burst(mix, now);
		for (; gap && mix->next_due <= now; mix->next_due += gap) {
			if (mix->idle_len)
				send_request(&conns[mix->idle[--mix->idle_len]], mix->next_due);
			else
				push_waiting(mix, mix->next_due);
		}
		if (gap && mix->next_due < next)
			next = mix->next_due;
		if (mix->next_burst && mix->next_burst < next)
			next = mix->next_burst;
	}
	return next;
}

static uint64_t read_slowly(uint64_t now)
{
	bool any = false;

	for (int i = 0; i < conn_count; i++) {
		double rate = options->mixes[conns[i].mix].slow;

		if (rate <= 0)
			continue;
		any = true;
		if (now >= next_slow_tick && conns[i].state == kWaiting)
			read_some(&conns[i], (size_t)(rate * (double)kSlowTick / 1e9) + 1);
	}
	if (now >= next_slow_tick)
		next_slow_tick = now + kSlowTick;
	return any ? next_slow_tick : UINT64_MAX;
}

static void poll_until(uint64_t next)
{
	struct epoll_event events[256];
	uint64_t now = now_ns(), wait = next > now ? next - now : 0;
	struct timespec timeout = { (time_t)(wait / 1000000000), (long)(wait % 1000000000) };
	int n = epoll_pwait2(poll_fd, events, 256, &timeout, NULL);

	if (n < 0 && errno == ENOSYS) // before Linux 5.11: milliseconds, not one too few
		n = epoll_wait(poll_fd, events, 256, (int)((wait + 999999) / 1000000));
	for (int i = 0; i < n; i++) {
		struct conn *c = &conns[(uint32_t)events[i].data.u64];

		if (c->state != kClosed && c->serial == events[i].data.u64 >> 32)
			on_event(c, events[i].events);
	}
}

static bool any_waiting(void)
{
	for (int i = 0; i < conn_count; i++)
		if (conns[i].state == kWaiting)
			return true;
	return false;
}

static void set_up(uint64_t start)
{
	poll_fd = epoll_create1(EPOLL_CLOEXEC);
	for (int m = 0; m < options->mix_count; m++) {
		options->mixes[m].first_conn = conn_count;
		conn_count += options->mixes[m].conns;
	}
	conns = calloc((size_t)conn_count, sizeof *conns);
	if (poll_fd < 0 || !conns)
		die("set up");
	for (int m = 0; m < options->mix_count; m++) {
		struct mix *mix = &options->mixes[m];

		mix->idle = calloc((size_t)mix->conns, sizeof *mix->idle);
		mix->waiting_cap = (size_t)(mix->rate * 10) + 16; // ten seconds of requests
		mix->waiting = calloc(mix->waiting_cap, sizeof *mix->waiting);
		if (!mix->idle || !mix->waiting)
			die("calloc");
		mix->next_due = start + (uint64_t)(mix->first_burst * 1e9);
		mix->next_burst = mix->next_due;
		for (int i = 0; i < mix->conns; i++)
			conns[mix->first_conn + i].mix = m;
	}
}

void run_load(struct options *given, struct result *to_fill)
{
	options = given;
	result = to_fill;
	next_id = options->first_id;
	result->start = now_ns();
	set_up(result->start);
	stop_at = result->start + (uint64_t)(options->duration * 1e9);
	while (!stopped && now_ns() < stop_at) {
		uint64_t now = now_ns(), next = run_timers(now), slow = read_slowly(now);

		poll_until(next < slow ? next : slow);
	}
	result->end = now_ns();
	draining = true;
	stop_at = result->end + kDrain;
	while (any_waiting() && now_ns() < stop_at) {
		uint64_t slow = read_slowly(now_ns());

		poll_until(slow < stop_at ? slow : stop_at);
	}
	for (int i = 0; i < conn_count; i++)
		close_conn(&conns[i]);
}
