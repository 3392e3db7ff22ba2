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
	u64 steal;		/* reader's stolen-time clock at the read */
	u64 min_flt, maj_flt;
	u32 conn;		/* 0 = not set up yet */
	u32 requests;
	u32 accept_slot;	/* 1 + index into the accept queues, 0 = none */
	u8 state;
	u8 proto;
	u8 announced;		/* SP_CONN was sent */
	u8 left;		/* the last read left bytes */
	u8 closed;
	u8 head_len;		/* bytes of the head so far */
	u16 flags;		/* enum sp_conn_flag */
};

SP_EXTERN struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct sp_sock);
} socks SEC(".maps");

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
	u16 family = sk->__sk_common.skc_family;

	return (family == AF_INET || family == AF_INET6) && sk->sk_protocol == IPPROTO_TCP;
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

SP_INLINE u64 goroutine(struct task_struct *t)
{
#if defined(__TARGET_ARCH_x86)
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(t);

	/* Go's register ABI keeps g in R14 (since 1.17, cmd/compile/abi-internal.md). */
	return cfg.go ? regs->r14 : 0;
#else
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(t);

	return cfg.go ? regs->regs[28] : 0;
#endif
}

/* Address of the bytes that the current read or write call names, 0 = cannot be told (io_uring). */
SP_INLINE u64 user_buffer(struct task_struct *t)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(t);
	u64 arg, base = 0, iov = 0;
	long nr;

#if defined(__TARGET_ARCH_x86)
	nr = regs->orig_ax;
	arg = regs->si;
	switch (nr) {
	case 0: case 1: case 44: case 45:	/* read write sendto recvfrom */
		return arg;
	case 19: case 20:			/* readv writev */
		bpf_probe_read_user(&base, sizeof(base), (void *)arg);
		return base;
	case 46: case 47:			/* sendmsg recvmsg: msg_iov lies at 16 */
		bpf_probe_read_user(&iov, sizeof(iov), (void *)(arg + 16));
		bpf_probe_read_user(&base, sizeof(base), (void *)iov);
		return base;
	}
#else
	nr = regs->syscallno;
	arg = regs->regs[1];
	switch (nr) {
	case 63: case 64: case 206: case 207:
		return arg;
	case 65: case 66:
		bpf_probe_read_user(&base, sizeof(base), (void *)arg);
		return base;
	case 211: case 212:
		bpf_probe_read_user(&iov, sizeof(iov), (void *)(arg + 16));
		bpf_probe_read_user(&base, sizeof(base), (void *)iov);
		return base;
	}
#endif
	return 0;
}

SP_INLINE void send_mark(struct sp_sock *s, u32 tid, u64 t, u64 g, u32 kind, u32 bytes)
{
	struct sp_mark r = {};

	r.h.kind = SP_MARK;
	r.h.aux = kind;
	r.h.tid = tid;
	r.h.t = t;
	r.g = g;
	r.conn = s->conn;
	r.bytes = bytes;
	sp_send(&r, sizeof(r), SP_LOSS_MARK);
}

SP_INLINE void send_unsampled(u32 tid, u64 t, u32 kind)
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
