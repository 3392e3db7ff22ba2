/* SPDX-License-Identifier: GPL-2.0-only */
/* The state machine of an accepted connection, and what both directions share at open and close. */
#ifndef SRVPROF_INBOUND_H
#define SRVPROF_INBOUND_H

#include "socket.bpf.h"
#include "accept.h"

SP_INLINE u32 clamp32(u64 v)
{
	return v > 0xffffffffull ? 0xffffffffu : v;
}

SP_INLINE void fill_ends(struct sock *sk, struct sp_sock *s, struct sp_conn *r)
{
	r->lport = sp_field(sk, __sk_common.skc_num);
	r->rport = __builtin_bswap16(sp_field(sk, __sk_common.skc_dport));
	if (sp_field(sk, __sk_common.skc_family) == AF_INET6) {
		s->flags |= SP_CONN_IPV6;
		BPF_CORE_READ_INTO(&r->laddr, sk, __sk_common.skc_v6_rcv_saddr.in6_u.u6_addr8);
		BPF_CORE_READ_INTO(&r->raddr, sk, __sk_common.skc_v6_daddr.in6_u.u6_addr8);
	} else {
		*(u32 *)r->laddr = sp_field(sk, __sk_common.skc_rcv_saddr);
		*(u32 *)r->raddr = sp_field(sk, __sk_common.skc_daddr);
	}
}

SP_COLD void send_conn(struct sock *sk, struct sp_sock *s, u32 pid, u32 tid, u64 now)
{
	struct sp_conn r = {};
	u32 slot = s->accept_slot;

	s->announced = 1;
	r.h.kind = SP_CONN;
	r.h.tid = tid;
	r.h.t = s->t_open;
	r.conn = s->conn;
	r.pid = pid;
	r.proto = s->proto;
	fill_ends(sk, s, &r);
	if (slot) {
		u32 cpu = (slot - 1) / SP_ACCEPT_SLOTS;
		struct sp_accept_queue *q = bpf_map_lookup_elem(&accepts, &cpu);
		struct sp_waiting *w = NULL;

		if (q)
			w = &q->slot[(slot - 1) & (SP_ACCEPT_SLOTS - 1)];
		if (w && w->sk == (u64)sk) {
			r.t_accept = w->t_accept;
			r.t_accept_low = w->t_low;
			if (!w->t_accept) {	/* now at the latest */
				w->t_accept = now;
				if (tid)
					r.t_accept = now;
				else
					s->flags |= SP_CONN_NEVER_ACCEPTED;
			}
		}
	}
	r.h.aux = s->flags;
	sp_send(&r, sizeof(r), SP_LOSS_RING_OTHER);
}

/* Sends SP_CONN once, when the connection is first used (or closed unused). */
SP_INLINE void announce(struct sock *sk, struct sp_sock *s, u32 pid, u32 tid, u64 now)
{
	if (!s->announced)
		send_conn(sk, s, pid, tid, now);
}

SP_INLINE void send_request(struct sp_sock *s)
{
	u32 n = sp_line_bytes((const __sp_u64 *)s->req.head, SP_HEAD_MAX / 8);

	s->state = SP_SOCK_IDLE;
	if (s->flags & SP_CONN_UNSAMPLED)
		return;
	n = bounded(n, SP_HEAD_MAX);
	s->req.h.aux = n;
	sp_send(&s->req, sizeof(s->req) - SP_HEAD_MAX + n, SP_LOSS_RING_REQUEST);
}

/* Keeps the first bytes of the request. */
SP_INLINE void read_head(struct sp_sock *s, const struct sp_call *c)
{
	u64 buf = user_buffer(c);

	if (!buf || bpf_probe_read_user(s->req.head, bounded(c->ret, SP_HEAD_MAX), (void *)buf))
		s->req.flags |= SP_REQ_NO_BYTES;
}

/* The rest of it: Go took one byte before. */
SP_COLD void read_rest_of_head(struct sp_sock *s, const struct sp_call *c)
{
	u64 buf = user_buffer(c);

	if (!buf ||
	    bpf_probe_read_user(s->req.head + 1, bounded(c->ret, SP_HEAD_MAX - 1), (void *)buf))
		s->req.flags |= SP_REQ_NO_BYTES;
}

SP_INLINE void reset_request(struct sp_sock *s)
{
	u64 *w = (u64 *)&s->req;
	u32 i;

	for (i = 0; i < sizeof(s->req) / 8; i++)
		w[i] = 0;
}

/* The first read of a request. */
SP_INLINE void start_request(struct sp_sock *s, const struct sp_call *c)
{
	bool had_arrival = s->t_ready != 0;
	struct task_struct *t = c->t;
	u64 now = c->now;

	reset_request(s);
	s->req.h.kind = SP_REQUEST;
	s->req.h.tid = sp_field(t, pid);
	s->req.h.t = now;
	s->req.conn = s->conn;
	s->req.t_arrive = had_arrival ? s->t_ready : now;
	s->req.t_read_last = now;
	s->req.g = goroutine(c);
	s->req.bytes_in = c->ret;
	s->req.n_read = 1;
	if (s->left)
		s->req.flags |= SP_REQ_QUEUED;
	if (!had_arrival) {
		s->req.flags |= SP_REQ_NO_ARRIVAL;
		if ((s->flags & SP_CONN_PREEXISTING) && !s->requests)
			s->req.flags |= SP_REQ_PREEXISTING;
	}
	if (!s->requests && !(s->flags & SP_CONN_PREEXISTING)) {
		s->req.flags |= SP_REQ_FIRST;
		if (s->req.t_arrive > s->t_open)
			s->req.since_open_ns = clamp32(s->req.t_arrive - s->t_open);
	}
	s->requests++;
	s->state = SP_SOCK_OPEN;
	s->steal = sp_stolen_clock(t);
	s->min_flt = sp_field(t, min_flt);
	s->maj_flt = sp_field(t, maj_flt);
	read_head(s, c);
}

SP_COLD bool recognise(struct sp_sock *s, u32 n)
{
	u32 proto;

	if (s->proto != SP_PROTO_UNKNOWN)
		return true;
	if (s->req.flags & SP_REQ_NO_BYTES)
		return false;
	proto = sp_recognise(s->req.head, n);
	s->proto = proto;
	switch (proto) {
	case SP_PROTO_TLS:
		__sync_fetch_and_add(&shared.unmeasured[SP_UNM_TLS], 1);
		return true;
	case SP_PROTO_HTTP2:
		__sync_fetch_and_add(&shared.unmeasured[SP_UNM_HTTP2], 1);
		return true;
	case SP_PROTO_OTHER:
		/* A connection found at attach may be in the middle of a body. */
		if ((s->flags & SP_CONN_PREEXISTING) && s->requests <= 1) {
			s->proto = SP_PROTO_UNKNOWN;
			return true;
		}
		__sync_fetch_and_add(&shared.unmeasured[SP_UNM_OTHER_PROTO], 1);
		return true;
	}
	return false;
}

/* Names the protocol by the first bytes of the connection; true if it is to be left alone. */
SP_INLINE bool opaque(struct sp_sock *s, u32 n)
{
	return s->proto != SP_PROTO_HTTP1 && recognise(s, n);
}

SP_COLD bool looks_like_request(const struct sp_call *c)
{
	u64 buf = user_buffer(c);
	u8 b[4] = {};

	if (!buf || bpf_probe_read_user(b, bounded(c->ret, 4), (void *)buf))
		return true;
	return sp_recognise(b, bounded(c->ret, 4)) != SP_PROTO_OTHER;
}

/* Whether bytes after the answer begin a request: those after a GET do, it has no body. */
SP_INLINE bool begins_request(const struct sp_sock *s, const struct sp_call *c)
{
	return (s->req.head[0] == 'G' && s->req.head[1] == 'E') || looks_like_request(c);
}

/* More bytes while the answer is due: of the head (Go) or of the body. */
SP_COLD void read_more(struct sp_sock *s, const struct sp_call *c)
{
	if (s->req.bytes_in == 1 && s->req.n_read == 1)
		read_rest_of_head(s, c);
	if (s->req.n_read > 1)
		send_mark(s, c, s->req.t_read_last, SP_MARK_READ, 0);
	s->req.n_read++;
	s->req.bytes_in += c->ret;
	s->req.t_read_last = c->now;
	if (s->proto == SP_PROTO_UNKNOWN && opaque(s, s->req.bytes_in))
		s->state = SP_SOCK_IDLE;
}

/* The rest of a body whose answer came early. */
SP_COLD void read_late(struct sp_sock *s, const struct sp_call *c)
{
	s->req.flags |= SP_REQ_EARLY;
	s->req.n_read++;
	s->req.bytes_in += c->ret;
	send_mark(s, c, c->now, SP_MARK_READ, c->ret);
}

SP_INLINE void inbound_read(struct sock *sk, struct sp_sock *s, const struct sp_call *c)
{
	if (s->proto > SP_PROTO_HTTP1) {
		announce(sk, s, sp_field(c->t, tgid), sp_field(c->t, pid), c->now);
		send_mark(s, c, c->now, SP_MARK_READ | SP_MARK_OPAQUE, c->ret);
		return;
	}
	if (s->state == SP_SOCK_ANSWERED) {
		if (!begins_request(s, c)) {
			read_late(s, c);
			return;
		}
		send_request(s);
	}
	if (s->state == SP_SOCK_OPEN) {
		read_more(s, c);
		return;
	}
	if (left_out(s)) {
		s->flags |= SP_CONN_UNSAMPLED;
		send_unsampled(sp_field(c->t, pid), c->now, SP_MARK_READ);
	} else {
		s->flags &= ~SP_CONN_UNSAMPLED;
	}
	start_request(s, c);
	if (opaque(s, c->ret)) {
		s->state = SP_SOCK_IDLE;
		send_mark(s, c, c->now, SP_MARK_READ | SP_MARK_OPAQUE, c->ret);
	}
	announce(sk, s, sp_field(c->t, tgid), sp_field(c->t, pid), c->now);
}

/* The arrival of what is left unread stays; an empty queue waits for the next byte. */
SP_INLINE void after_read(struct sock *sk, struct sp_sock *s)
{
	if (has_unread(sk)) {
		s->left = 1;
		return;
	}
	s->left = 0;
	s->t_ready = 0;
}

SP_INLINE void begin_answer(struct sp_sock *s, const struct sp_call *c, u32 status)
{
	struct task_struct *t = c->t;

	s->state = SP_SOCK_ANSWERED;
	s->req.t_write = c->now;
	s->req.t_write_last = c->now;
	s->req.tid_write = sp_field(t, pid);
	s->req.status = status;
	s->req.n_write = 1;
	s->req.bytes_out += c->ret;
	if (s->req.h.tid == sp_field(t, pid)) {
		u64 major = sp_field(t, maj_flt) - s->maj_flt;

		s->req.steal_ns = clamp32(sp_stolen_clock(t) - s->steal);
		s->req.min_flt = clamp32(sp_field(t, min_flt) - s->min_flt);
		s->req.maj_flt = major > 0xffff ? 0xffff : major;
	}
}

/* A second answer without a read in between: requests were pipelined, its head is not known. */
SP_COLD void next_pipelined(struct sp_sock *s, const struct sp_call *c, u32 status)
{
	u64 t_arrive = s->req.t_arrive, t_read = s->req.h.t, g = s->req.g;
	u32 tid = s->req.h.tid;

	send_request(s);
	reset_request(s);
	s->req.h.kind = SP_REQUEST;
	s->req.h.tid = tid;
	s->req.h.t = t_read;
	s->req.conn = s->conn;
	s->req.t_arrive = t_arrive;
	s->req.t_read_last = t_read;
	s->req.g = g;
	s->req.flags = SP_REQ_PIPELINED | SP_REQ_NO_BYTES;
	s->requests++;
	begin_answer(s, c, status);
}

/* Bytes on a connection that carries no HTTP/1, or that answer nothing that was seen. */
SP_COLD void write_unasked(struct sock *sk, struct sp_sock *s, const struct sp_call *c)
{
	u32 kind = SP_MARK_WRITE;

	if (s->proto > SP_PROTO_HTTP1)
		kind |= SP_MARK_OPAQUE;
	else
		__sync_fetch_and_add(&shared.writes_without_request, 1);
	announce(sk, s, sp_field(c->t, tgid), sp_field(c->t, pid), c->now);
	send_mark(s, c, c->now, kind, c->ret);
}

SP_COLD void write_more(struct sp_sock *s, const struct sp_call *c, u32 status)
{
	if (status && s->req.status) {
		next_pipelined(s, c, status);
		return;
	}
	if (s->req.n_write > 1)
		send_mark(s, c, s->req.t_write_last, SP_MARK_WRITE, 0);
	s->req.n_write++;
	s->req.bytes_out += c->ret;
	s->req.t_write_last = c->now;
}

SP_COLD void write_interim(struct sp_sock *s, const struct sp_call *c)
{
	s->req.flags |= SP_REQ_INTERIM;
	s->req.bytes_out += c->ret;
	send_mark(s, c, c->now, SP_MARK_WRITE, c->ret);
}

/* 101, or a 2xx to CONNECT: what follows is another protocol. */
SP_INLINE bool upgrades(const struct sp_sock *s, u32 status)
{
	return status == 101 || (status >= 200 && status < 300 && s->req.head[0] == 'C' &&
				 s->req.head[1] == 'O' && s->req.head[2] == 'N');
}

SP_INLINE void inbound_write(struct sock *sk, struct sp_sock *s, const struct sp_call *c)
{
	u8 b[16] = {};
	u32 status = 0;
	u64 buf;

	if (s->flags & SP_CONN_UNSAMPLED)
		send_unsampled(sp_field(c->t, pid), c->now, SP_MARK_WRITE);
	if (s->proto > SP_PROTO_HTTP1 || s->state == SP_SOCK_IDLE) {
		write_unasked(sk, s, c);
		return;
	}
	buf = c->ret >= 12 ? user_buffer(c) : 0;
	if (buf && !bpf_probe_read_user(b, 12, (void *)buf))
		status = sp_status(b);
	if (s->state == SP_SOCK_ANSWERED) {
		write_more(s, c, status);
		return;
	}
	if (status >= 100 && status < 200 && status != 101) {
		write_interim(s, c);
		return;
	}
	begin_answer(s, c, status);
	if (upgrades(s, status)) {
		send_request(s);
		s->proto = SP_PROTO_UPGRADED;
		__sync_fetch_and_add(&shared.unmeasured[SP_UNM_UPGRADED], 1);
	}
}

#endif
