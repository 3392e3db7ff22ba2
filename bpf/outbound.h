/* SPDX-License-Identifier: GPL-2.0-only */
/* Connections that the target opened: question and reply, and the end of any connection. */
#ifndef SRVPROF_OUTBOUND_H
#define SRVPROF_OUTBOUND_H

#include "inbound.h"

SP_INLINE void send_exchange(struct sp_sock *s)
{
	s->state = SP_SOCK_IDLE;
	sp_send(&s->exch, sizeof(s->exch), SP_LOSS_RING_REQUEST);
}

SP_COLD void outbound_read(struct sock *sk, struct sp_sock *s, const struct sp_call *c)
{
	struct task_struct *t = c->t;
	u64 now = c->now;
	u32 ret = c->ret;

	if (s->state != SP_SOCK_OPEN) {	/* more of the reply, or bytes that nobody asked for */
		announce(sk, s, sp_field(t, tgid), sp_field(t, pid), now);
		send_mark(s, c, now, SP_MARK_READ | SP_MARK_OUT, ret);
		if (s->state == SP_SOCK_ANSWERED) {
			s->exch.t_read_last = now;
			s->exch.bytes_in += ret;
		}
		return;
	}
	s->state = SP_SOCK_ANSWERED;
	s->exch.t_arrive = s->t_ready ? s->t_ready : now;
	/* Bytes that lay there before the question was asked do not answer it sooner. */
	if (s->exch.t_arrive < s->exch.t_write_last)
		s->exch.t_arrive = s->exch.t_write_last;
	s->exch.t_read = now;
	s->exch.t_read_last = now;
	s->exch.tid_read = sp_field(t, pid);
	s->exch.bytes_in = ret;
}

SP_COLD void outbound_write(struct sock *sk, struct sp_sock *s, const struct sp_call *c)
{
	struct task_struct *t = c->t;
	u64 now = c->now;
	u32 ret = c->ret;

	announce(sk, s, sp_field(t, tgid), sp_field(t, pid), now);
	if (s->state == SP_SOCK_ANSWERED)
		send_exchange(s);
	if (s->state == SP_SOCK_OPEN) {	/* a longer question, or the next one on a shared connection */
		send_mark(s, c, now, SP_MARK_WRITE | SP_MARK_OUT, ret);
		s->exch.t_write_last = now;
		s->exch.bytes_out += ret;
		return;
	}
	s->state = SP_SOCK_OPEN;
	__builtin_memset(&s->exch, 0, sizeof(s->exch));
	s->exch.h.kind = SP_EXCHANGE;
	s->exch.h.tid = sp_field(t, pid);
	s->exch.h.t = now;
	s->exch.t_write_last = now;
	s->exch.g = goroutine(c);
	s->exch.conn = s->conn;
	s->exch.bytes_out = ret;
	s->requests++;
}

/* Sends what is open on the connection; `ending` is what its end means for it. */
SP_INLINE void finish(struct sp_sock *s, u32 ending, u64 now)
{
	if (s->state == SP_SOCK_IDLE)
		return;
	if (s->flags & SP_CONN_OUT) {
		s->exch.flags |= s->state == SP_SOCK_OPEN ? ending : SP_REQ_CLOSED;
		send_exchange(s);
		return;
	}
	if (s->state == SP_SOCK_OPEN) {
		s->req.flags |= ending;
		s->req.t_write_last = now;	/* when it was given up, t_write stays 0 */
	} else if (ending != SP_REQ_CENSORED) {
		s->req.flags |= SP_REQ_CLOSED;
	}
	send_request(s);
}

SP_INLINE void connection_closed(struct sock *sk, struct sp_sock *s, int from, int to)
{
	u64 now = bpf_ktime_get_ns(), id = bpf_get_current_pid_tgid();
	struct sp_conn_close r = {};
	bool ours = sp_is_target(id >> 32);

	if (s->closed)
		return;
	s->closed = 1;
	if (to == TCP_CLOSE && from != TCP_SYN_SENT && from != TCP_LAST_ACK)
		s->flags |= SP_CONN_RESET;
	announce(sk, s, ours ? id >> 32 : 0, 0, now);
	finish(s, SP_REQ_ABORTED | SP_REQ_CLOSED, now);
	r.h.kind = SP_CONN_CLOSE;
	r.h.aux = s->flags;
	r.h.tid = ours ? (u32)id : 0;
	r.h.t = now;
	r.conn = s->conn;
	r.requests = s->requests;
	r.bytes_in = s->bytes_in;
	r.bytes_out = s->bytes_out;
	sp_send(&r, sizeof(r), SP_LOSS_RING_OTHER);
}

SP_INLINE void flush_connection(struct sock *sk, struct sp_sock *s)
{
	u64 now = bpf_ktime_get_ns();

	if (s->closed)
		return;
	/* Bytes that lie unread make a request that nobody has read yet: it waits since t_ready. */
	if (!(s->flags & SP_CONN_OUT) && s->state == SP_SOCK_IDLE && s->t_ready && !s->left &&
	    s->proto <= SP_PROTO_HTTP1) {
		reset_request(s);
		s->req.h.kind = SP_REQUEST;
		s->req.h.t = now;
		s->req.conn = s->conn;
		s->req.t_arrive = s->t_ready;
		s->req.flags = SP_REQ_NO_BYTES;
		if (!s->requests && !(s->flags & SP_CONN_PREEXISTING))
			s->req.flags |= SP_REQ_FIRST;
		s->state = SP_SOCK_OPEN;
	}
	announce(sk, s, 0, 0, now);
	finish(s, SP_REQ_CENSORED, now);
}

#endif
