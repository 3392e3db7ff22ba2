// SPDX-License-Identifier: GPL-2.0-only
/*
 * The second fallback (`--capture kprobe`): kprobes on TCP's functions where the kernel has no BPF trampolines. A
 * return probe does not know the arguments: they are kept by thread meanwhile. The kernel has few return
 * probes at a time (in old kernels one a CPU if it is not preempted, else twice that, at least 10): returns that it missed
 * are counted as lost.
 */
#include "fallback.h"

struct sp_inside {
	u64 sk;
	u32 flags;
	u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, u32);
	__type(value, struct sp_inside);
} inside SEC(".maps");

#if defined(__TARGET_ARCH_x86)
#define ARG_1(ctx) ((ctx)->di)
#define ARG_4(ctx) ((ctx)->cx)
#define ARG_5(ctx) ((ctx)->r8)
#define RESULT(ctx) ((ctx)->ax)
#else
#define ARG_1(ctx) ((ctx)->regs[0])
#define ARG_4(ctx) ((ctx)->regs[3])
#define ARG_5(ctx) ((ctx)->regs[4])
#define RESULT(ctx) ((ctx)->regs[0])
#endif

SP_INLINE void enter(u64 sk, u32 flags)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct sp_inside call = {.sk = sk, .flags = flags};

	if (bpf_map_lookup_elem(&inside, &tid))
		sp_lose(SP_LOSS_RETURN);
	bpf_map_update_elem(&inside, &tid, &call, BPF_ANY);
}

/* Takes what enter() kept; false if nothing was (attached in between). */
SP_INLINE bool leave(struct sp_inside *call)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct sp_inside *found = bpf_map_lookup_elem(&inside, &tid);

	if (!found)
		return false;
	*call = *found;
	bpf_map_delete_elem(&inside, &tid);
	return true;
}

SEC("?kprobe/tcp_recvmsg")
int sp_kprobe_recv(struct pt_regs *ctx)
{
	/* The flags moved by one place in 5.19, see fexit.bpf.c. */
	u64 fourth = ARG_4(ctx), fifth = ARG_5(ctx);

	barrier_var(fourth);	/* the verifier refuses a register that is chosen at run time */
	barrier_var(fifth);
	if (current_is_target())
		enter(ARG_1(ctx), cfg.recv_args == 6 ? fifth : fourth);
	return 0;
}

SEC("?kretprobe/tcp_recvmsg")
int sp_kretprobe_recv(struct pt_regs *ctx)
{
	struct sp_inside call;
	int ret = RESULT(ctx);

	if (current_is_target() && leave(&call) && ret > 0 && !(call.flags & MSG_PEEK))
		socket_read((struct sock *)call.sk, sp_current(), ret);
	return 0;
}

SEC("?kprobe/tcp_sendmsg")
int sp_kprobe_send(struct pt_regs *ctx)
{
	if (current_is_target())
		enter(ARG_1(ctx), 0);
	return 0;
}

SEC("?kretprobe/tcp_sendmsg")
int sp_kretprobe_send(struct pt_regs *ctx)
{
	struct sp_inside call;

	if (current_is_target() && leave(&call))
		socket_wrote((struct sock *)call.sk, sp_current(), RESULT(ctx));
	return 0;
}

/* Until 6.5, see fexit.bpf.c. */
SEC("?kprobe/tcp_sendpage")
int sp_kprobe_sendpage(struct pt_regs *ctx)
{
	if (current_is_target())
		enter(ARG_1(ctx), 0);
	return 0;
}

SEC("?kretprobe/tcp_sendpage")
int sp_kretprobe_sendpage(struct pt_regs *ctx)
{
	struct sp_inside call;

	if (current_is_target() && leave(&call))
		socket_wrote((struct sock *)call.sk, sp_current(), RESULT(ctx));
	return 0;
}

SEC("?kprobe/sock_def_readable")
int sp_kprobe_ready(struct pt_regs *ctx)
{
	if (shared.active)
		arrived((struct sock *)ARG_1(ctx));
	return 0;
}
