// SPDX-License-Identifier: GPL-2.0-only
/*
 * The first fallback (`--capture fexit`): BPF trampolines (since 5.5, commit fec56f5890d9) on TCP's own functions. Of
 * programs for one function that changed over time, the loader chooses by the number of its arguments.
 */
#include "fallback.h"

struct msghdr;
struct page;

SP_INLINE void read_done(struct sock *sk, int flags, int ret)
{
	if (current_is_target() && ret > 0 && !(flags & MSG_PEEK))
		socket_read(sk, sp_current(), ret);
}

/* Until 5.18: nonblock was merged into flags by commit ec095263a965. */
SEC("?fexit/tcp_recvmsg")
int BPF_PROG(sp_fexit_recv_6, struct sock *sk, struct msghdr *msg, u64 len, int nonblock, int flags, int *addr_len,
	     int ret)
{
	read_done(sk, flags, ret);
	return 0;
}

SEC("?fexit/tcp_recvmsg")
int BPF_PROG(sp_fexit_recv_5, struct sock *sk, struct msghdr *msg, u64 len, int flags, int *addr_len, int ret)
{
	read_done(sk, flags, ret);
	return 0;
}

/* Without addr_len in the newest kernels. */
SEC("?fexit/tcp_recvmsg")
int BPF_PROG(sp_fexit_recv_4, struct sock *sk, struct msghdr *msg, u64 len, int flags, int ret)
{
	read_done(sk, flags, ret);
	return 0;
}

SEC("?fexit/tcp_sendmsg")
int BPF_PROG(sp_fexit_send, struct sock *sk, struct msghdr *msg, u64 size, int ret)
{
	if (current_is_target())
		socket_wrote(sk, sp_current(), ret);
	return 0;
}

/* sendfile and splice, a page at a time, until 6.5 (commit 1d7e4538a546). */
SEC("?fexit/tcp_sendpage")
int BPF_PROG(sp_fexit_sendpage, struct sock *sk, struct page *page, int offset, u64 size, int flags, int ret)
{
	if (current_is_target())
		socket_wrote(sk, sp_current(), ret);
	return 0;
}

SEC("?fentry/sock_def_readable")
int BPF_PROG(sp_fentry_ready, struct sock *sk)
{
	if (shared.active)
		arrived(sk);
	return 0;
}
