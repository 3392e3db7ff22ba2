// SPDX-License-Identifier: GPL-2.0-only
/*
 * The last fallback (`--capture sys`), for kernels that allow neither fentry nor kprobes: reads and writes are seen
 * at the exit of the system call, whose first argument leads through the table of open files to the socket;
 * arrivals by tcp_probe (since 4.16). Its hook slows every system call of every process by about 0.1 us.
 * Not seen: io_uring, splice, recvmmsg and sendmmsg, and bytes that come with the end of the handshake.
 */
#include "fallback.h"

enum sys_kind {
	SYS_OTHER = 0,
	SYS_READ = 1,
	SYS_WRITE = 2,
};

SP_INLINE enum sys_kind kind_of(long nr)
{
	switch (nr) {
#if defined(__TARGET_ARCH_x86)
	case 0: case 19: case 45: case 47:	/* read readv recvfrom recvmsg */
		return SYS_READ;
	case 1: case 20: case 44: case 46: case 40:	/* write writev sendto sendmsg sendfile */
		return SYS_WRITE;
#else
	case 63: case 65: case 207: case 212:
		return SYS_READ;
	case 64: case 66: case 206: case 211: case 71:
		return SYS_WRITE;
#endif
	}
	return SYS_OTHER;
}

/* The flags that a read call was given; read and readv have none. */
SP_INLINE u64 read_flags(struct pt_regs *regs, long nr)
{
#if defined(__TARGET_ARCH_x86)
	if (nr == 45)
		return BPF_CORE_READ(regs, r10);
	if (nr == 47)
		return BPF_CORE_READ(regs, dx);
#else
	if (nr == 207)
		return BPF_CORE_READ(regs, regs[3]);
	if (nr == 212)
		return BPF_CORE_READ(regs, regs[2]);
#endif
	return 0;
}

SP_INLINE struct sock *sock_of_fd(struct task_struct *t, u64 fd)
{
	struct fdtable *table = BPF_CORE_READ(t, files, fdt);
	struct file *file = NULL;
	struct file **slots;

	if (fd >= BPF_CORE_READ(table, max_fds))
		return NULL;
	slots = BPF_CORE_READ(table, fd);
	if (bpf_probe_read_kernel(&file, sizeof(file), slots + fd) || !file)
		return NULL;
	return sock_of_file(file);
}

SEC("?tp_btf/sys_exit")
int BPF_PROG(sp_sys_exit, struct pt_regs *regs, long ret)
{
	enum sys_kind kind;
	struct task_struct *t;
	struct sock *sk;
	long nr;
	u64 fd;

	if (!current_is_target())
		return 0;
#if defined(__TARGET_ARCH_x86)
	nr = BPF_CORE_READ(regs, orig_ax);
	fd = BPF_CORE_READ(regs, di);
#else
	nr = BPF_CORE_READ(regs, syscallno);
	fd = BPF_CORE_READ(regs, orig_x0);	/* x0 holds the result by now */
#endif
	kind = kind_of(nr);
	if (kind == SYS_OTHER)
		return 0;
	if (ret <= 0 && (kind == SYS_READ || ret != -EAGAIN))
		return 0;
	if (kind == SYS_READ && (read_flags(regs, nr) & MSG_PEEK))
		return 0;
	t = sp_current();
	sk = sock_of_fd(t, fd);
	if (!sk)
		return 0;
	if (kind == SYS_READ)
		socket_read(sk, t, ret);
	else
		socket_wrote(sk, t, ret);
	return 0;
}

/* A segment of an established connection; its header is still there. */
SEC("?tp_btf/tcp_probe")
int BPF_PROG(sp_tcp_probe, struct sock *sk, struct sk_buff *skb)
{
	struct sp_sock *s;
	u8 offset = 0;

	if (!shared.active)
		return 0;
	s = sock_find(sk);
	if (!s || s->t_ready)
		return 0;
	bpf_probe_read_kernel(&offset, 1, BPF_CORE_READ(skb, data) + 12);
	if (BPF_CORE_READ(skb, len) > (offset >> 4) * 4u)
		s->t_ready = bpf_ktime_get_ns();
	return 0;
}
