// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connections accepted by the target: requests from the first unread byte to the last write.
 * sock_recv_length and sock_send_length (since 6.3, commit 6e6eda44b939) fire at the end of every
 * socket read and write on any path, io_uring too; sk_data_ready (6.3, commit 40e0b0908142) when bytes arrive.
 */
#include "socket.bpf.h"
#include "accept.h"
#include "inbound.h"
#include "outbound.h"
#include "client.h"

SP_INLINE bool port_of_target(const struct sock *sk)
{
	return listens_on(sk->__sk_common.skc_num) &&
	       (!cfg.netns || sk->__sk_common.skc_net.net->ns.inum == cfg.netns);
}

/* A handshake is complete: the connection waits to be accepted. Softirq context. */
SP_INLINE void established(struct sock *sk)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct sp_accept_queue *q;
	struct sp_waiting *w;
	struct sp_sock *s;
	u32 tail;

	s = bpf_sk_storage_get(&socks, sk, NULL, BPF_SK_STORAGE_GET_F_CREATE);
	if (!s) {
		sp_lose(SP_LOSS_SOCK_STATE);
		return;
	}
	s->conn = new_conn_id(0);
	s->t_open = bpf_ktime_get_ns();
	if (cpu >= SP_ACCEPT_CPUS) {
		sp_lose(SP_LOSS_ACCEPT_QUEUE);
		return;
	}
	q = &accepts[cpu & (SP_ACCEPT_CPUS - 1)];
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
	s->accept_slot = (cpu & (SP_ACCEPT_CPUS - 1)) * SP_ACCEPT_SLOTS +
			 (tail & (SP_ACCEPT_SLOTS - 1)) + 1;
	accepts_waiting = 1;
}

SP_INLINE void connecting(struct sock *sk)
{
	struct sp_sock *s;

	if (!sp_is_target(bpf_get_current_pid_tgid() >> 32)) {
		client_connecting(sk);
		return;
	}
	s = bpf_sk_storage_get(&socks, sk, NULL, BPF_SK_STORAGE_GET_F_CREATE);
	if (!s) {
		sp_lose(SP_LOSS_SOCK_STATE);
		return;
	}
	s->conn = new_conn_id(1);
	s->flags = SP_CONN_OUT;
	s->t_open = bpf_ktime_get_ns();
}

SP_INLINE void listening(const struct sock *sk)
{
	u64 id = bpf_get_current_pid_tgid();
	u16 port = sk->__sk_common.skc_num;
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
	r.backlog = sk->sk_max_ack_backlog;
	r.pid = id >> 32;
	sp_send(&r, sizeof(r), SP_LOSS_RING_OTHER);
}

SEC("tp_btf/inet_sock_set_state")
int BPF_PROG(sp_inet_sock_set_state, struct sock *sk, int from, int to)
{
	struct sp_sock *s;

	if (!shared.active || sk->sk_protocol != IPPROTO_TCP)
		return 0;
	if (to == TCP_ESTABLISHED && from == TCP_SYN_RECV) {
		if (port_of_target(sk))
			established(sk);
		return 0;
	}
	if (to == TCP_SYN_SENT) {
		connecting(sk);
		return 0;
	}
	if (to == TCP_LISTEN) {
		listening(sk);
		return 0;
	}
	if (!sk->sk_bpf_storage)
		return 0;
	s = bpf_sk_storage_get(&socks, sk, NULL, 0);
	if (!s || !s->conn)
		return 0;
	if (to == TCP_ESTABLISHED) {	/* our connect succeeded */
		s->t_open = bpf_ktime_get_ns();
		return 0;
	}
	if (to == TCP_CLOSE_WAIT) {	/* the peer closed first; an answer may still be under way */
		s->flags |= SP_CONN_PEER_FIRST;
		return 0;
	}
	if (to != TCP_FIN_WAIT1 && to != TCP_LAST_ACK && to != TCP_CLOSE)
		return 0;
	if (s->flags & SP_CONN_CLIENT)
		client_closed(sk, s);
	else
		connection_closed(sk, s, from, to);
	return 0;
}

SEC("tp_btf/sk_data_ready")
int BPF_PROG(sp_sk_data_ready, struct sock *sk)
{
	struct sp_sock *s;

	if (!shared.active || !sk->sk_bpf_storage)
		return 0;
	s = bpf_sk_storage_get(&socks, sk, NULL, 0);
	if (s && !s->t_ready)
		s->t_ready = bpf_ktime_get_ns();
	return 0;
}

SP_COLD void count_unmeasured(const struct sock *sk)
{
	u16 family = sk->__sk_common.skc_family;
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
	if (!listens_on(sk->__sk_common.skc_num))
		s->flags |= SP_CONN_OUT;
}

/* State of a socket that a target thread uses; connections older than the attach are set up here. */
SP_INLINE struct sp_sock *sock_of(struct sock *sk)
{
	struct sp_sock *s;

	s = bpf_sk_storage_get(&socks, sk, NULL, BPF_SK_STORAGE_GET_F_CREATE);
	if (!s) {
		sp_lose(SP_LOSS_SOCK_STATE);
		return NULL;
	}
	if (!s->conn)
		found_open(sk, s);
	return s;
}

SEC("tp_btf/sock_recv_length")
int BPF_PROG(sp_sock_recv_length, struct sock *sk, int ret, int flags)
{
	struct task_struct *t;
	struct sp_call c = {};
	struct sp_sock *s;

	if (!shared.active)
		return 0;
	t = bpf_get_current_task_btf();
	if (!sp_is_target(t->tgid)) {
		if (ret > 0 && !(flags & MSG_PEEK) && sp_is_client(t->tgid))
			client_read(sk, t, ret);
		return 0;
	}
	if (ret <= 0 || (flags & MSG_PEEK))
		return 0;
	if (!is_tcp(sk)) {
		count_unmeasured(sk);
		return 0;
	}
	s = sock_of(sk);
	if (!s)
		return 0;
	c.t = t;
	c.regs = (struct pt_regs *)bpf_task_pt_regs(t);
	c.ret = ret;
	c.now = bpf_ktime_get_ns();
	accept_check(c.now);
	s->bytes_in += ret;
	if (s->flags & SP_CONN_OUT)
		outbound_read(sk, s, &c);
	else
		inbound_read(sk, s, &c);
	after_read(sk, s);
	return 0;
}

SEC("tp_btf/sock_send_length")
int BPF_PROG(sp_sock_send_length, struct sock *sk, int ret, int flags)
{
	struct task_struct *t;
	struct sp_call c = {};
	struct sp_sock *s;

	if (!shared.active)
		return 0;
	t = bpf_get_current_task_btf();
	if (!sp_is_target(t->tgid)) {
		if (ret > 0 && sp_is_client(t->tgid))
			client_write(sk, t, ret);
		return 0;
	}
	if (!is_tcp(sk)) {
		if (ret > 0)
			count_unmeasured(sk);
		return 0;
	}
	s = sock_of(sk);
	if (!s)
		return 0;
	if (ret <= 0) {
		if (ret == -EAGAIN && !(s->flags & SP_CONN_OUT) && s->state)
			s->req.flags |= SP_REQ_SEND_BLOCKED;
		return 0;
	}
	c.t = t;
	c.regs = (struct pt_regs *)bpf_task_pt_regs(t);
	c.ret = ret;
	c.now = bpf_ktime_get_ns();
	accept_check(c.now);
	s->bytes_out += ret;
	if (s->flags & SP_CONN_OUT)
		outbound_write(sk, s, &c);
	else
		inbound_write(sk, s, &c);
	return 0;
}

/* At attach: every TCP connection that a target has open gets its state, so that arrivals are seen. */
SEC("iter/task_file")
int sp_iter_file(struct bpf_iter__task_file *ctx)
{
	struct task_struct *t = ctx->task;
	struct file *file = ctx->file;
	struct socket *socket;
	struct sp_sock *s;
	struct sock *sk;

	if (!t || !file || !sp_is_target(t->tgid))
		return 0;
	socket = bpf_sock_from_file(file);
	if (!socket)
		return 0;
	sk = socket->sk;
	if (!sk || !is_tcp(sk) || sk->__sk_common.skc_state != TCP_ESTABLISHED)
		return 0;
	s = bpf_sk_storage_get(&socks, sk, NULL, BPF_SK_STORAGE_GET_F_CREATE);
	if (!s) {
		sp_lose(SP_LOSS_SOCK_STATE);
		return 0;
	}
	if (!s->conn)
		found_open(sk, s);
	return 0;
}

/* At detach: what is still open is sent, requests without an answer as censored. */
SEC("iter/bpf_sk_storage_map")
int sp_iter_sock(struct bpf_iter__bpf_sk_storage_map *ctx)
{
	struct sp_sock *s = ctx->value;
	struct sock *sk = ctx->sk;

	if (!sk || !s || !s->conn)
		return 0;
	if (s->flags & SP_CONN_CLIENT)
		client_closed(sk, s);
	else
		flush_connection(sk, s);
	return 0;
}
