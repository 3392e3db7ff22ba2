// SPDX-License-Identifier: GPL-2.0-only
/*
 * The main way of capture (`--capture sock`): sock_recv_length and sock_send_length (since 6.3, commit
 * 6e6eda44b939) fire at the end of every socket read and write on any path, io_uring too; sk_data_ready
 * (6.3, commit 40e0b0908142) when bytes arrive. State lies in socket storage.
 */
#include "connection.h"

SEC("tp_btf/inet_sock_set_state")
int BPF_PROG(sp_inet_sock_set_state, struct sock *sk, int from, int to)
{
	if (shared.active && sk->sk_protocol == IPPROTO_TCP)
		state_changed(sk, from, to);
	return 0;
}

SEC("tp_btf/sk_data_ready")
int BPF_PROG(sp_sk_data_ready, struct sock *sk)
{
	if (shared.active)
		arrived(sk);
	return 0;
}

SEC("tp_btf/sock_recv_length")
int BPF_PROG(sp_sock_recv_length, struct sock *sk, int ret, int flags)
{
	struct task_struct *t;

	if (!shared.active)
		return 0;
	t = sp_current();
	if (ret <= 0 || (flags & MSG_PEEK))
		return 0;
	if (sp_is_target(t->tgid))
		socket_read(sk, t, ret);
	else if (sp_is_client(t->tgid))
		client_read(sk, t, ret);
	return 0;
}

SEC("tp_btf/sock_send_length")
int BPF_PROG(sp_sock_send_length, struct sock *sk, int ret, int flags)
{
	struct task_struct *t;

	if (!shared.active)
		return 0;
	t = sp_current();
	if (sp_is_target(t->tgid))
		socket_wrote(sk, t, ret);
	else if (ret > 0 && sp_is_client(t->tgid))
		client_write(sk, t, ret);
	return 0;
}

SEC("iter/task_file")
int sp_iter_file(struct bpf_iter__task_file *ctx)
{
	struct task_struct *t = ctx->task;
	struct file *file = ctx->file;
	struct socket *socket;
	struct sock *sk;

	if (!t || !file || !sp_is_target(t->tgid))
		return 0;
	socket = bpf_sock_from_file(file);
	if (!socket)
		return 0;
	sk = socket->sk;
	if (sk)
		open_at_attach(sk);
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
