/* SPDX-License-Identifier: GPL-2.0-only */
/* State of a connection of the target, kept with the socket and freed with it. */
#ifndef SRVPROF_SOCKET_BPF_H
#define SRVPROF_SOCKET_BPF_H

#include "core.bpf.h"
#include "http1.h"

enum sp_sock_state {
	SP_SOCK_IDLE = 0,	/* between requests (or exchanges) */
	SP_SOCK_OPEN = 1,	/* request read, answer not begun (question written, no reply yet) */
	SP_SOCK_ANSWERED = 2,	/* answer begun (reply read) */
};

struct sp_sock {
	union {
		struct sp_request req;
		struct sp_exchange exch;
	};
	u64 t_ready;		/* when the first unread byte came, 0 = nothing unread */
	u64 t_open;
	u64 bytes_in, bytes_out;
	union {
		u64 steal;	/* reader's stolen-time clock at the read */
		u64 t_send;	/* load generator: its send began */
	};
	union {
		u64 min_flt;
		u64 t_connect;	/* load generator */
	};
	u64 maj_flt;
	u32 conn;		/* 0 = not set up yet */
	u32 requests;
	u32 accept_slot;	/* 1 + index into the accept queues, 0 = none */
	u8 state;
	u8 proto;
	u8 announced;		/* SP_CONN was sent */
	u8 left;		/* the last read left bytes */
	u8 closed;
	u16 flags;		/* enum sp_conn_flag */
};

SP_EXTERN struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct sp_sock);
} socks SEC(".maps");

/*
 * Instead of it in the fallbacks, whose sockets are addresses: by address, until tcp_destroy_sock. A
 * socket beyond max_entries is counted as lost (SP_LOSS_SOCK_STATE).
 */
SP_EXTERN struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 32768);
	__type(key, u64);
	__type(value, struct sp_sock);
} socks_by_address SEC(".maps");

/* Connection numbers: a counter a CPU and context (softirq never nests in softirq). */
SP_EXTERN __sp_u32 conn_counter[SP_MAX_CPUS][2];

SP_INLINE u32 new_conn_id(u32 process_context)
{
	u32 cpu = bpf_get_smp_processor_id() & (SP_MAX_CPUS - 1);
	__sp_u32 *n = &conn_counter[cpu][process_context & 1];

	__sync_fetch_and_add(n, 1);
	return *n << 9 | (process_context & 1) << 8 | cpu;
}

SP_INLINE bool is_tcp(const struct sock *sk)
{
	u16 family = sp_field(sk, __sk_common.skc_family);

	return (family == AF_INET || family == AF_INET6) && sp_field(sk, sk_protocol) == IPPROTO_TCP;
}

/* Bytes lie in the receive queue. */
SP_INLINE bool has_unread(struct sock *sk)
{
#ifdef SP_FALLBACK
	struct tcp_sock *tp = (struct tcp_sock *)sk;

	return BPF_CORE_READ(tp, rcv_nxt) != BPF_CORE_READ(tp, copied_seq);
#else
	struct tcp_sock *tp = (struct tcp_sock *)bpf_skc_to_tcp_sock(sk);

	return tp && tp->rcv_nxt != tp->copied_seq;
#endif
}

SP_INLINE bool listens_on(u16 port)
{
	u32 i;

	for (i = 0; i < SP_MAX_PORTS; i++) {
		if (i >= shared.n_ports)
			return false;
		if (shared.ports[i] == port)
			return true;
	}
	return false;
}

/* A socket read or write of a target thread. */
struct sp_call {
	struct task_struct *t;
	struct pt_regs *regs;	/* of the system call */
	u64 now;
	u32 ret;		/* bytes */
};

/* Address of the goroutine, 0 = not Go. */
SP_INLINE u64 goroutine(const struct sp_call *c)
{
#if defined(__TARGET_ARCH_x86)
	/* Go's register ABI keeps g in R14 (since 1.17, cmd/compile/abi-internal.md). */
	return cfg.go ? sp_field(c->regs, r14) : 0;
#else
	return cfg.go ? sp_field(c->regs, regs[28]) : 0;
#endif
}

#if defined(__TARGET_ARCH_x86)
/* read write sendto recvfrom; readv writev; sendmsg recvmsg */
#define SP_NR_PLAIN(nr) ((nr) == 0 || (nr) == 1 || (nr) == 44 || (nr) == 45)
#define SP_NR_VECTOR(nr) ((nr) == 19 || (nr) == 20)
#define SP_NR_MESSAGE(nr) ((nr) == 46 || (nr) == 47)
#else
#define SP_NR_PLAIN(nr) ((nr) == 63 || (nr) == 64 || (nr) == 206 || (nr) == 207)
#define SP_NR_VECTOR(nr) ((nr) == 65 || (nr) == 66)
#define SP_NR_MESSAGE(nr) ((nr) == 211 || (nr) == 212)
#endif

/* Buffer of a vectored call; sendmsg's and recvmsg's msg_iov lies at 16. */
SP_COLD u64 first_vector(u64 arg, u32 message)
{
	u64 base = 0, iov = arg;

	if (message)
		bpf_probe_read_user(&iov, sizeof(iov), (void *)(arg + 16));
	bpf_probe_read_user(&base, sizeof(base), (void *)iov);
	return base;
}

/* Address of the bytes that the current read or write call names, 0 = cannot be told (io_uring). */
SP_INLINE u64 user_buffer(const struct sp_call *c)
{
	struct pt_regs *regs = c->regs;
#if defined(__TARGET_ARCH_x86)
	long nr = sp_field(regs, orig_ax);
	u64 arg = sp_field(regs, si);
#else
	long nr = sp_field(regs, syscallno);
	u64 arg = sp_field(regs, regs[1]);
#endif

	if (SP_NR_PLAIN(nr))
		return arg;
	if (SP_NR_VECTOR(nr) || SP_NR_MESSAGE(nr))
		return first_vector(arg, SP_NR_MESSAGE(nr));
	return 0;
}

SP_COLD void send_mark(struct sp_sock *s, const struct sp_call *c, u64 t, u32 kind, u32 bytes)
{
	struct sp_mark r = {};

	r.h.kind = SP_MARK;
	r.h.aux = kind;
	r.h.tid = sp_field(c->t, pid);
	r.h.t = t;
	r.g = goroutine(c);
	r.conn = s->conn;
	r.bytes = bytes;
	sp_send(&r, sizeof(r), SP_LOSS_MARK);
}

SP_COLD void send_unsampled(u32 tid, u64 t, u32 kind)
{
	struct sp_unsampled r = {};

	r.h.kind = SP_UNSAMPLED;
	r.h.aux = kind;
	r.h.tid = tid;
	r.h.t = t;
	sp_send(&r, sizeof(r), SP_LOSS_MARK);
}

/* The governor's choice for this connection, made anew for each request. */
SP_INLINE bool left_out(const struct sp_sock *s)
{
	u32 n = shared.one_in;

	return n > 1 && ((s->conn * 0x9e3779b1u) >> 16 & (n - 1));
}

#endif
