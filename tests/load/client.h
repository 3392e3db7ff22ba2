// truthclient: an HTTP/1.1 load client that keeps its own clock readings of every request, to check
// a profiler against. One thread, epoll, keep-alive connections to 127.0.0.1. All times are
// CLOCK_MONOTONIC in ns, the clock of recordings.
#ifndef TRUTHCLIENT_CLIENT_H
#define TRUTHCLIENT_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { kMaxMixes = 8, kMaxRequestHead = 1024, kReadSize = 1 << 16, kMaxHead = 8192 };

// What one group of connections sends: 'CONNS[,key=value...] METHOD URL [BODYFILE]'.
struct mix {
	int conns;
	double rate;            // requests/s of the group, evenly spaced; 0 = closed loop
	double slow;            // bytes/s read on each connection; 0 = as fast as it can
	double burst_every;     // s: drop all connections and open them again at once; 0 = never
	double first_burst;     // s after the start at which they are opened; 0 = at the start
	bool close;             // one request a connection
	bool once;              // each connection sends one request (after each burst) and then idles
	char method[8];
	char host[64];
	uint16_t port;
	char before_id[512];    // path up to "{id}"
	char after_id[512];     // what follows it
	bool has_id;
	char *body;
	size_t body_len;

	int first_conn;         // index of its first connection
	uint64_t next_due;      // open loop: when the next request should leave
	uint64_t next_burst;    // 0 = none to come
	uint64_t *waiting;      // open loop: due times of requests that found no idle connection
	size_t waiting_head, waiting_len, waiting_cap;
	int *idle;              // indices of idle connections, a stack
	int idle_len;
};

struct options {
	struct mix mixes[kMaxMixes];
	int mix_count;
	double duration;        // s
	const char *csv;        // file for one row a request, or NULL
	uint64_t first_id;
};

// One request; recv == 0: no whole answer came.
struct row {
	uint64_t id, due, send, first, recv, bytes;
	uint32_t conn;          // serial number of the connection
	uint16_t status;
	uint8_t mix;
	bool first_of_conn;
};

// Where the answer on a connection stands. Set to zero before each answer.
struct response {
	char head[kMaxHead];
	size_t head_len;
	bool head_done, chunked, until_close, server_closes;
	uint16_t status;
	uint64_t left;          // bytes of body (or of this chunk and its CRLF) still to come
	uint64_t bytes;         // all bytes of the answer so far
	int chunk_state;        // 0 size line, 1 data, 2 trailer
	uint64_t chunk_size;
	bool line_empty, size_done;
};

enum progress { kMore, kComplete, kBroken };

// args.c: exits with 2 and a message on bad arguments.
void parse_arguments(int argc, char **argv, struct options *options);

// response.c: takes the next bytes of an answer. Bytes after its end make it kBroken, since the
// client never pipelines.
enum progress response_take(struct response *response, const char *bytes, size_t n);
// The peer closed the connection: kComplete if that ends the answer.
enum progress response_closed(const struct response *response);

// loop.c
struct result {
	struct row *rows;
	size_t count, cap;
	uint64_t start, end;
	uint64_t errors, connects, max_waiting;
};
void run_load(struct options *options, struct result *result);
void stop_load(int signal_number);

// main.c
uint64_t now_ns(void);
void die(const char *what);

#endif
