// SPDX-License-Identifier: GPL-2.0-only
/*
 * The socket tracepoints once more (`--capture perf`), as events of perf, for kernels that allow a thread to be
 * preempted inside of a tracepoint's program (since tracepoints are guarded by SRCU, 7.x). A CPU that is in the middle
 * of a program does not run it a second time: whoever reads or writes while another thread is preempted there
 * passes unseen (recursion_misses of bpf_prog_info). perf forbids preemption around its events. It runs none of them
 * inside of another, either, so that what mostly comes by interrupt stays with the tracepoints themselves.
 */
#define SP_CLIENTS
#include "fallback.h"

SEC("?tp/sock/sock_recv_length")
int sp_event_recv(struct trace_event_raw_sock_msg_length *e)
{
	struct task_struct *t;

	if (!shared.active || e->ret <= 0 || (e->flags & MSG_PEEK))
		return 0;
	t = sp_current();
	if (sp_is_target(t->tgid))
		socket_read(e->sk, t, e->ret);
	else if (sp_is_client(t->tgid))
		client_read(e->sk, t, e->ret);
	return 0;
}

SEC("?tp/sock/sock_send_length")
int sp_event_send(struct trace_event_raw_sock_msg_length *e)
{
	struct task_struct *t;

	if (!shared.active)
		return 0;
	t = sp_current();
	if (sp_is_target(t->tgid))
		socket_wrote(e->sk, t, e->ret);
	else if (e->ret > 0 && sp_is_client(t->tgid))
		client_write(e->sk, t, e->ret);
	return 0;
}

SP_INLINE bool is_handshake(int from, int to)
{
	return to == TCP_ESTABLISHED && from == TCP_SYN_RECV;
}

SEC("?tp/sock/inet_sock_set_state")
int sp_event_state(struct trace_event_raw_inet_sock_set_state *e)
{
	if (shared.active && e->protocol == IPPROTO_TCP && !is_handshake(e->oldstate, e->newstate))
		state_changed((struct sock *)e->skaddr, e->oldstate, e->newstate);
	return 0;
}

SEC("?tp_btf/inet_sock_set_state")
int BPF_PROG(sp_event_handshake, struct sock *sk, int from, int to)
{
	if (shared.active && is_handshake(from, to) && sp_field(sk, sk_protocol) == IPPROTO_TCP)
		state_changed(sk, from, to);
	return 0;
}

SEC("?tp_btf/sk_data_ready")
int BPF_PROG(sp_event_ready, struct sock *sk)
{
	if (shared.active)
		arrived(sk);
	return 0;
}

/* Not behind the gate: nothing may stay. */
SEC("?tp/tcp/tcp_destroy_sock")
int sp_event_destroy(struct trace_event_raw_tcp_event_sk *e)
{
	u64 key = (u64)e->skaddr;

	bpf_map_delete_elem(&socks_by_address, &key);
	return 0;
}
