// SPDX-License-Identifier: GPL-2.0-only
/* What every fallback has: begin and end of connections, and the iterators at attach and detach. */
#define SP_CLIENTS
#include "fallback.h"

SEC("?tp_btf/inet_sock_set_state")
int BPF_PROG(sp_fallback_state, struct sock *sk, int from, int to)
{
	if (shared.active && sp_field(sk, sk_protocol) == IPPROTO_TCP)
		state_changed(sk, from, to);
	return 0;
}

/* The address may be another socket's from here on. Not behind the gate: nothing may stay. */
SEC("?tp_btf/tcp_destroy_sock")
int BPF_PROG(sp_fallback_destroy, struct sock *sk)
{
	u64 key = (u64)sk;

	bpf_map_delete_elem(&socks_by_address, &key);
	return 0;
}

SEC("?iter/task_file")
int sp_fallback_iter_file(struct bpf_iter__task_file *ctx)
{
	struct task_struct *t = ctx->task;
	struct file *file = ctx->file;
	struct sock *sk;

	if (!t || !file || !sp_is_target(t->tgid))
		return 0;
	sk = sock_of_file(file);
	if (sk)
		open_at_attach(sk);
	return 0;
}

SEC("?iter/bpf_map_elem")
int sp_fallback_iter_sock(struct bpf_iter__bpf_map_elem *ctx)
{
	u64 *key = ctx->key, address;
	struct sp_sock *s;

	if (!key)
		return 0;
	address = *key;
	s = bpf_map_lookup_elem(&socks_by_address, &address);
	if (!s || !s->conn)
		return 0;
	if (s->flags & SP_CONN_CLIENT)
		client_closed((struct sock *)address, s);
	else
		flush_connection((struct sock *)address, s);
	return 0;
}
