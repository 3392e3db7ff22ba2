#define _GNU_SOURCE
#include "client.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// The value of header name in head (which ends with an empty line), or NULL.
static const char *header(const char *head, const char *name)
{
	size_t n = strlen(name);

	for (const char *line = strstr(head, "\r\n"); line; line = strstr(line + 2, "\r\n")) {
		if (strncasecmp(line + 2, name, n) || line[2 + n] != ':')
			continue;
		line += 3 + n;
		return line + strspn(line, " \t");
	}
	return NULL;
}

static bool parse_head(struct response *r)
{
	const char *length, *encoding, *connection;

	r->head[r->head_len] = 0;
	if (strncmp(r->head, "HTTP/1.", 7) || r->head_len < 12)
		return false;
	r->status = (uint16_t)atoi(r->head + 9);
	length = header(r->head, "content-length");
	encoding = header(r->head, "transfer-encoding");
	connection = header(r->head, "connection");
	r->server_closes = connection && !strncasecmp(connection, "close", 5);
	r->chunked = encoding && !strncasecmp(encoding, "chunked", 7);
	r->left = length ? strtoull(length, NULL, 10) : 0;
	r->until_close = !length && !r->chunked && r->status >= 200 && r->status != 204 && r->status != 304;
	r->line_empty = true;
	return true;
}

// Chunked bodies are short in the tests: byte by byte is fast enough.
static enum progress take_chunked(struct response *r, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char c = p[i];

		if (r->chunk_state == 1) {
			size_t take = n - i < r->left ? n - i : (size_t)r->left;

			r->left -= take;
			i += take - 1;
			if (!r->left)
				r->chunk_state = 0;
		} else if (r->chunk_state == 0) {
			if (c == '\n') {
				r->left = r->chunk_size + 2;
				r->chunk_state = r->chunk_size ? 1 : 2;
				r->chunk_size = 0;
				r->size_done = false;
				r->line_empty = true;
			} else if (isxdigit((unsigned char)c) && !r->size_done) {
				r->chunk_size = r->chunk_size * 16 +
						(uint64_t)(isdigit((unsigned char)c) ? c - '0' : (c | 32) - 'a' + 10);
			} else {
				r->size_done = true;
			}
		} else if (c == '\n') {
			if (r->line_empty)
				return i + 1 == n ? kComplete : kBroken;
			r->line_empty = true;
		} else if (c != '\r') {
			r->line_empty = false;
		}
	}
	return kMore;
}

static enum progress take_body(struct response *r, const char *p, size_t n)
{
	if (r->chunked)
		return take_chunked(r, p, n);
	if (r->until_close)
		return kMore;
	if (n > r->left)
		return kBroken;
	r->left -= n;
	return r->left ? kMore : kComplete;
}

enum progress response_take(struct response *r, const char *bytes, size_t n)
{
	size_t before = r->head_len, room = sizeof r->head - 1 - r->head_len, take = n < room ? n : room;
	char *end;

	r->bytes += n;
	if (r->head_done)
		return take_body(r, bytes, n);
	memcpy(r->head + r->head_len, bytes, take);
	r->head_len += take;
	end = memmem(r->head, r->head_len, "\r\n\r\n", 4);
	if (!end)
		return room > n ? kMore : kBroken;
	r->head_len = (size_t)(end + 4 - r->head);
	if (!parse_head(r))
		return kBroken;
	r->head_done = true;
	return take_body(r, bytes + (r->head_len - before), n - (r->head_len - before));
}

enum progress response_closed(const struct response *r)
{
	return r->head_done && r->until_close ? kComplete : kBroken;
}
