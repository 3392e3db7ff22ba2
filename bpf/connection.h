/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a hook does once it knows the socket, the thread and the bytes: the same for every way of capture. A file
 * that defines SP_FALLBACK before it includes this gets sockets as addresses and keeps their state in a hash;
 * with SP_CLIENTS it traces the load generator's side all the same.
 */
#ifndef SRVPROF_CONNECTION_H
#define SRVPROF_CONNECTION_H

#include "socket.bpf.h"
#include "accept.h"
#include "inbound.h"
#include "outbound.h"
#ifndef SP_FALLBACK
#define SP_CLIENTS
#endif

#ifdef SP_FALLBACK
static const struct sp_sock no_sock;

SP_INLINE struct sp_sock *sock_find(struct sock *sk)
{
	u64 key = (u64)sk;

	return bpf_map_lookup_elem(&socks_by_address, &key);
}

SP_INLINE struct sp_sock *sock_make(struct sock *sk)
{
	u64 key = (u64)sk;
	struct sp_sock *s = bpf_map_lookup_elem(&socks_by_address, &key);

	if (s)
		return s;
	bpf_map_update_elem(&socks_by_address, &key, &no_sock, BPF_NOEXIST);
	s = bpf_map_lookup_elem(&socks_by_address, &key);
	if (!s)
		sp_lose(SP_LOSS_SOCK_STATE);
	return s;
}
#else
SP_INLINE struct sp_sock *sock_find(struct sock *sk)
{
	if (!sk->sk_bpf_storage)
		return NULL;
	return bpf_sk_storage_get(&socks, sk, NULL, 0);
}

SP_INLINE struct sp_sock *sock_make(struct sock *sk)
{
	struct sp_sock *s = bpf_sk_storage_get(&socks, sk, NULL, BPF_SK_STORAGE_GET_F_CREATE);

	if (!s)
		sp_lose(SP_LOSS_SOCK_STATE);
	return s;
}
#endif

#ifdef SP_CLIENTS
#include "client.h"
#endif

SP_INLINE bool port_of_target(struct sock *sk)
{
	return listens_on(sp_field(sk, __sk_common.skc_num)) &&
	       (!cfg.netns || BPF_CORE_READ(sk, __sk_common.skc_net.net, ns.inum) == cfg.netns);
}

/* A handshake is complete: the connection waits to be accepted. Softirq context. */
SP_INLINE void established(struct sock *sk)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct sp_accept_queue *q;
	struct sp_waiting *w;
	struct sp_sock *s;
	u32 tail;

	s = sock_make(sk);
	if (!s)
		return;
	s->conn = new_conn_id(0);
	s->t_open = bpf_ktime_get_ns();
	q = bpf_map_lookup_elem(&accepts, &cpu);
	if (!q) {
		sp_lose(SP_LOSS_ACCEPT_QUEUE);
		return;
	}
	tail = q->tail;
	if (tail - q->head >= SP_ACCEPT_SLOTS) {
		sp_lose(SP_LOSS_ACCEPT_QUEUE);
		return;
	}
	w = &q->slot[tail & (SP_ACCEPT_SLOTS - 1)];
	w->sk = (u64)sk;
	w->t_low = s->t_open;
	w->t_accept = 0;
	q->tail = tail + 1;
	s->accept_slot = cpu * SP_ACCEPT_SLOTS + (tail & (SP_ACCEPT_SLOTS - 1)) + 1;
	accepts_waiting = 1;
}

SP_INLINE void connecting(struct sock *sk)
{
	struct sp_sock *s;

	if (!sp_is_target(bpf_get_current_pid_tgid() >> 32)) {
#ifdef SP_CLIENTS
		client_connecting(sk);
#endif
		return;
	}
	s = sock_make(sk);
	if (!s)
		return;
	s->conn = new_conn_id(1);
	s->flags = SP_CONN_OUT;
	s->t_open = bpf_ktime_get_ns();
}

SP_INLINE void listening(struct sock *sk)
{
	u64 id = bpf_get_current_pid_tgid();
	u16 port = sp_field(sk, __sk_common.skc_num);
	struct sp_listen r = {};
	u32 n = shared.n_ports;

	if (!sp_is_target(id >> 32))
		return;
	if (!listens_on(port) && n < SP_MAX_PORTS) {
		shared.ports[n & (SP_MAX_PORTS - 1)] = port;
		shared.n_ports = n + 1;
	}
	r.h.kind = SP_LISTEN;
	r.h.aux = port;
	r.h.tid = id;
	r.h.t = bpf_ktime_get_ns();
	r.backlog = sp_field(sk, sk_max_ack_backlog);
	r.pid = id >> 32;
	sp_send(&r, sizeof(r), SP_LOSS_RING_OTHER);
}

SP_INLINE void state_changed(struct sock *sk, int from, int to)
{
	struct sp_sock *s;

	if (to == TCP_ESTABLISHED && from == TCP_SYN_RECV) {
		if (port_of_target(sk))
			established(sk);
		return;
	}
	if (to == TCP_SYN_SENT) {
		connecting(sk);
		return;
	}
	if (to == TCP_LISTEN) {
		listening(sk);
		return;
	}
	s = sock_find(sk);
	if (!s || !s->conn)
		return;
	if (to == TCP_ESTABLISHED) {	/* our connect succeeded */
		s->t_open = bpf_ktime_get_ns();
		return;
	}
	if (to == TCP_CLOSE_WAIT) {	/* the peer closed first; an answer may still be under way */
		s->flags |= SP_CONN_PEER_FIRST;
		return;
	}
	if (to != TCP_FIN_WAIT1 && to != TCP_LAST_ACK && to != TCP_CLOSE)
		return;
#ifdef SP_CLIENTS
	if (s->flags & SP_CONN_CLIENT) {
		client_closed(sk, s);
		return;
	}
#endif
	connection_closed(sk, s, from, to);
}

/* Bytes have come. */
SP_INLINE void arrived(struct sock *sk)
{
	struct sp_sock *s = sock_find(sk);

	if (s && !s->t_ready)
		s->t_ready = bpf_ktime_get_ns();
}

SP_COLD void count_unmeasured(struct sock *sk)
{
	u16 family = sp_field(sk, __sk_common.skc_family);
	u32 what = SP_UNM_OTHER_FAMILY;

	if (family == AF_UNIX)
		what = SP_UNM_UNIX;
	else if (family == AF_INET || family == AF_INET6)
		what = SP_UNM_UDP;
	__sync_fetch_and_add(&shared.unmeasured[what], 1);
}

/* A connection that was there before its state. */
SP_COLD void found_open(struct sock *sk, struct sp_sock *s)
{
	s->conn = new_conn_id(1);
	s->flags = SP_CONN_PREEXISTING;
	if (!listens_on(sp_field(sk, __sk_common.skc_num)))
		s->flags |= SP_CONN_OUT;
}

/* State of a socket that a target thread uses; connections older than the attach are set up here. */
SP_INLINE struct sp_sock *sock_of(struct sock *sk)
{
	struct sp_sock *s = sock_make(sk);

	if (s && !s->conn)
		found_open(sk, s);
	return s;
}

SP_INLINE void begin_call(struct sp_call *c, struct task_struct *t, int ret)
{
	c->t = t;
	c->regs = sp_user_regs(t);
	c->ret = ret;
	c->now = bpf_ktime_get_ns();
	accept_check(c->now);
}

/* Thread `t` of a target has read `ret` > 0 bytes, not only looked at them. */
SP_INLINE void socket_read(struct sock *sk, struct task_struct *t, int ret)
{
	struct sp_call c = {};
	struct sp_sock *s;

	if (!is_tcp(sk)) {
		count_unmeasured(sk);
		return;
	}
	s = sock_of(sk);
	if (!s)
		return;
	begin_call(&c, t, ret);
	s->bytes_in += ret;
	if (s->flags & SP_CONN_OUT)
		outbound_read(sk, s, &c);
	else
		inbound_read(sk, s, &c);
	after_read(sk, s);
}

/* Thread `t` of a target has written: `ret` is bytes or an error. */
SP_INLINE void socket_wrote(struct sock *sk, struct task_struct *t, int ret)
{
	struct sp_call c = {};
	struct sp_sock *s;

	if (!is_tcp(sk)) {
		if (ret > 0)
			count_unmeasured(sk);
		return;
	}
	s = sock_of(sk);
	if (!s)
		return;
	if (ret <= 0) {
		if (ret == -EAGAIN && !(s->flags & SP_CONN_OUT) && s->state)
			s->req.flags |= SP_REQ_SEND_BLOCKED;
		return;
	}
	begin_call(&c, t, ret);
	s->bytes_out += ret;
	if (s->flags & SP_CONN_OUT)
		outbound_write(sk, s, &c);
	else
		inbound_write(sk, s, &c);
}

/* A connection that a target has open at attach gets its state, so that arrivals are seen. */
SP_INLINE void open_at_attach(struct sock *sk)
{
	struct sp_sock *s;

	if (!is_tcp(sk) || sp_field(sk, __sk_common.skc_state) != TCP_ESTABLISHED)
		return;
	s = sock_make(sk);
	if (s && !s->conn)
		found_open(sk, s);
}

#endif
