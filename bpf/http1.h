/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recognises the first bytes of a connection or a request. Pure C without kernel headers: tests run it
 * on the host. Words are read as little-endian.
 */
#ifndef SRVPROF_HTTP1_H
#define SRVPROF_HTTP1_H

#include "records.h"

#define SP_WORD(a, b, c, d) \
	((__sp_u32)(a) | (__sp_u32)(b) << 8 | (__sp_u32)(c) << 16 | (__sp_u32)(d) << 24)

/*
 * enum sp_proto of `n` bytes that begin a connection or a message, given its first 4 (zero padded).
 * One byte that could begin a method is SP_PROTO_UNKNOWN: Go's background read takes a single byte.
 * RFC 9110 (methods), RFC 9113 3.4 (preface), RFC 8446 5.1 (record: type 22, version 3.x).
 */
static inline __attribute__((always_inline)) int sp_recognise(const __sp_u8 *b, __sp_u32 n)
{
	__sp_u32 w = SP_WORD(b[0], b[1], b[2], b[3]);

	if (n == 0)
		return SP_PROTO_UNKNOWN;
	if (b[0] == 0x16 && (n < 2 || b[1] == 3))
		return SP_PROTO_TLS;
	if (n < 4)
		return b[0] >= 'A' && b[0] <= 'Z' ? SP_PROTO_UNKNOWN : SP_PROTO_OTHER;
	switch (w) {
	case SP_WORD('G', 'E', 'T', ' '):
	case SP_WORD('P', 'O', 'S', 'T'):
	case SP_WORD('P', 'U', 'T', ' '):
	case SP_WORD('H', 'E', 'A', 'D'):
	case SP_WORD('D', 'E', 'L', 'E'):
	case SP_WORD('P', 'A', 'T', 'C'):
	case SP_WORD('O', 'P', 'T', 'I'):
	case SP_WORD('C', 'O', 'N', 'N'):
	case SP_WORD('T', 'R', 'A', 'C'):
		return SP_PROTO_HTTP1;
	case SP_WORD('P', 'R', 'I', ' '):
		return SP_PROTO_HTTP2;
	}
	return SP_PROTO_OTHER;
}

/* Status code of a status line's first 12 bytes ("HTTP/1.1 200"), 0 = not one. RFC 9112 4. */
static inline __attribute__((always_inline)) __sp_u32 sp_status(const __sp_u8 *b)
{
	if (SP_WORD(b[0], b[1], b[2], b[3]) != SP_WORD('H', 'T', 'T', 'P') || b[4] != '/' ||
	    b[5] != '1' || b[8] != ' ')
		return 0;
	if (b[9] < '1' || b[9] > '9' || b[10] < '0' || b[10] > '9' || b[11] < '0' || b[11] > '9')
		return 0;
	return (b[9] - '0') * 100 + (b[10] - '0') * 10 + (b[11] - '0');
}

/*
 * Length of the first line in `words` of a zero-padded buffer, rounded up to 8: up to and with the word
 * that holds the first CR, LF or zero byte, at most `words` * 8. The classic has-zero-byte trick.
 */
static inline __attribute__((always_inline)) __sp_u32 sp_line_bytes(const __sp_u64 *w, __sp_u32 words)
{
	const __sp_u64 ones = 0x0101010101010101ull, highs = 0x8080808080808080ull;
	__sp_u32 i;

	for (i = 0; i < words; i++) {
		__sp_u64 v = w[i], cr = v ^ (ones * '\r'), lf = v ^ (ones * '\n');

		if ((((v - ones) & ~v) | ((cr - ones) & ~cr) | ((lf - ones) & ~lf)) & highs)
			return (i + 1) * 8;
	}
	return words * 8;
}

#endif
