/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The far ends of the target's connections, where they lie in processes of this machine that make its
 * load: when a request was sent, when the first byte of its answer lay unread there, when it was read.
 * All of it hangs behind sp_is_client(), which is asked only of processes that are no target.
 */
#ifndef SRVPROF_CLIENT_H
#define SRVPROF_CLIENT_H

#include "outbound.h"

SP_INLINE bool leads_to_target(struct sock *sk)
{
	return is_tcp(sk) && listens_on(__builtin_bswap16(sp_field(sk, __sk_common.skc_dport)));
}

SP_INLINE struct sp_sock *new_client_sock(struct sock *sk, u32 flags)
{
	struct sp_sock *s = sock_make(sk);

	if (!s)
		return NULL;
	s->conn = new_conn_id(1);
	s->flags = SP_CONN_OUT | SP_CONN_CLIENT | flags;
	return s;
}

SP_COLD void client_connecting(struct sock *sk)
{
	struct sp_sock *s;

	if (!sp_is_client(bpf_get_current_pid_tgid() >> 32) || !leads_to_target(sk))
		return;
	s = new_client_sock(sk, 0);
	if (s)
		s->t_connect = bpf_ktime_get_ns();
}

/* State of a client's end of a connection to the target; NULL for its other sockets. */
SP_INLINE struct sp_sock *client_sock(struct sock *sk)
{
	struct sp_sock *s = sock_find(sk);

	if (s && s->conn)
		return s->flags & SP_CONN_CLIENT ? s : NULL;
	return leads_to_target(sk) ? new_client_sock(sk, SP_CONN_PREEXISTING) : NULL;
}

SP_INLINE void announce_client(struct sock *sk, struct sp_sock *s, const struct task_struct *t)
{
	struct sp_conn r = {};

	if (s->announced)
		return;
	s->announced = 1;
	fill_ends(sk, s, &r);
	r.h.kind = SP_CLIENT_CONN;
	r.h.aux = s->flags;
	r.h.tid = t->pid;
	r.h.t = s->t_open;
	r.t_accept = s->t_connect;
	r.conn = s->conn;
	r.pid = t->tgid;
	sp_send(&r, sizeof(r), SP_LOSS_CLIENT);
}

/* The governor leaves out all of them before it leaves out requests. */
SP_INLINE void send_client(struct sp_sock *s)
{
	s->state = SP_SOCK_IDLE;
	if (shared.one_in > 1)
		__sync_fetch_and_add(&shared.clients_left_out, 1);
	else
		sp_send(&s->exch, sizeof(s->exch), SP_LOSS_CLIENT);
}

SP_COLD void client_write(struct sock *sk, struct task_struct *t, u32 bytes)
{
	u64 now = bpf_ktime_get_ns();
	struct sp_sock *s = client_sock(sk);

	if (!s)
		return;
	announce_client(sk, s, t);
	if (s->state == SP_SOCK_OPEN) {	/* a body, or the next request before the answer */
		s->exch.t_write_last = now;
		s->exch.bytes_out += bytes;
		return;
	}
	if (s->state == SP_SOCK_ANSWERED)
		send_client(s);
	s->state = SP_SOCK_OPEN;
	__builtin_memset(&s->exch, 0, sizeof(s->exch));
	s->exch.h.kind = SP_CLIENT_EXCHANGE;
	s->exch.h.tid = t->pid;
	s->exch.h.t = now;
	s->exch.t_write_last = now;
	s->exch.conn = s->conn;
	s->exch.bytes_out = bytes;
	if (s->t_send)
		s->exch.send_ns = clamp32(now - s->t_send);
	s->t_send = 0;
	s->requests++;
}

SP_COLD void client_read(struct sock *sk, struct task_struct *t, u32 bytes)
{
	u64 now = bpf_ktime_get_ns();
	struct sp_sock *s = client_sock(sk);

	if (!s)
		return;
	if (s->state == SP_SOCK_OPEN) {
		s->state = SP_SOCK_ANSWERED;
		s->exch.t_arrive = s->t_ready;
		s->exch.t_read = now;
		s->exch.tid_read = t->pid;
	}
	if (s->state == SP_SOCK_ANSWERED) {
		s->exch.t_read_last = now;
		s->exch.bytes_in += bytes;
	}
	after_read(sk, s);
}

/* Closed, or the run ends: what is open is sent. */
SP_COLD void client_closed(struct sock *sk, struct sp_sock *s)
{
	if (s->closed)
		return;
	s->closed = shared.active;
	if (s->state == SP_SOCK_IDLE)
		return;
	if (s->state == SP_SOCK_OPEN)
		s->exch.flags |= s->closed ? SP_REQ_ABORTED | SP_REQ_CLOSED : SP_REQ_CENSORED;
	send_client(s);
}

#endif
