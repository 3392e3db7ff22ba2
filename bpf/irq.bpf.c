// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts and softirqs on top of a target thread; attached only when asked for. An exit without its
 * entry (attached in between) is dropped. A softirq inside the thread's own socket call is its own
 * doing (on loopback, sending runs the receiver's side) and no interruption: it is left out.
 */
#include "core.bpf.h"


struct sp_irq_state {
	u64 soft, hard;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct sp_irq_state);
} irq_state SEC(".maps");

SP_INLINE struct sp_irq_state *state_if_target(u32 *tid)
{
	u64 id = bpf_get_current_pid_tgid();
	u32 zero = 0;

	if (!shared.active || !sp_is_target(id >> 32))
		return NULL;
	*tid = id;
	return bpf_map_lookup_elem(&irq_state, &zero);
}

SP_INLINE void send_irq(u64 *since, u32 tid, u32 vector, u32 soft)
{
	struct sp_irq r = {};
	u64 now;

	if (!*since)
		return;
	now = bpf_ktime_get_ns();
	r.h.kind = SP_IRQ;
	r.h.aux = vector;
	r.h.tid = tid;
	r.h.t = now;
	r.ns = now - *since;
	r.softirq = soft;
	*since = 0;
	sp_send(&r, sizeof(r), SP_LOSS_RING_SCHED);
}

SP_INLINE bool in_socket_call(void)
{
	switch (sp_syscall_nr(sp_current())) {
#if defined(__TARGET_ARCH_x86)
	case 0: case 1: case 19: case 20:		/* read write readv writev */
	case 42: case 44: case 45: case 46: case 47:	/* connect sendto recvfrom sendmsg recvmsg */
#else
	case 63: case 64: case 65: case 66:
	case 203: case 206: case 207: case 211: case 212:
#endif
		return true;
	}
	return false;
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(sp_softirq_entry, unsigned int vector)
{
	u32 tid;
	struct sp_irq_state *s = state_if_target(&tid);

	if (s)
		s->soft = in_socket_call() ? 0 : bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(sp_softirq_exit, unsigned int vector)
{
	u32 tid;
	struct sp_irq_state *s = state_if_target(&tid);

	if (s)
		send_irq(&s->soft, tid, vector, 1);
	return 0;
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(sp_irq_entry, int irq)
{
	u32 tid;
	struct sp_irq_state *s = state_if_target(&tid);

	if (s)
		s->hard = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(sp_irq_exit, int irq)
{
	u32 tid;
	struct sp_irq_state *s = state_if_target(&tid);

	if (s)
		send_irq(&s->hard, tid, irq, 0);
	return 0;
}
