// SPDX-License-Identifier: GPL-2.0-only
/*
 * At a tick, and where a thread leaves its CPU: the walk of unwind.bpf.h and a copy of the stack that it
 * walked. The thread stands still meanwhile.
 */
#include "unwind.bpf.h"
#include "oracle.h"

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 64 << 20);
} copies SEC(".maps");

__sp_u64 copies_lost = 0;
__sp_u64 last_switch = 0;

/* All general registers; a flavour of struct pt_regs, of which kernel.h names only some. */
struct pt_regs___all {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, ip, sp;
} __attribute__((preserve_access_index));

SP_INLINE void copy_registers(struct oracle_copy *c)
{
	struct pt_regs___all *r = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());

	c->reg[0] = r->ax;
	c->reg[1] = r->dx;
	c->reg[2] = r->cx;
	c->reg[3] = r->bx;
	c->reg[4] = r->si;
	c->reg[5] = r->di;
	c->reg[6] = r->bp;
	c->reg[7] = r->sp;
	c->reg[8] = r->r8;
	c->reg[9] = r->r9;
	c->reg[10] = r->r10;
	c->reg[11] = r->r11;
	c->reg[12] = r->r12;
	c->reg[13] = r->r13;
	c->reg[14] = r->r14;
	c->reg[15] = r->r15;
	c->reg[16] = r->ip;
}

SP_INLINE void take(void *ctx, u32 pid, u32 off_cpu)
{
	struct sp_space *space = bpf_map_lookup_elem(&spaces, &pid);
	struct oracle_copy *c;
	u64 t0, t1;
	u32 i;

	if (!space)
		return;
	c = bpf_ringbuf_reserve(&copies, sizeof(*c), 0);
	if (!c) {
		__sync_fetch_and_add(&copies_lost, 1);
		return;
	}
	copy_registers(c);
	c->off_cpu = off_cpu;
	c->walk.h.aux = 0;
	t0 = bpf_ktime_get_ns();
	c->walk.hash = sp_walk_user(&c->walk, space, pid);
	t1 = bpf_ktime_get_ns();
	bpf_get_stack(ctx, c->stack, 8 * SP_STACK_MAX, BPF_F_USER_STACK);
	c->walk_ns = t1 - t0;
	c->kernel_ns = bpf_ktime_get_ns() - t1;
	c->base = c->reg[7] & ~(u64)(ORACLE_PAGE - 1);
	for (i = 0; i < ORACLE_PAGES; i++) {
		if (bpf_probe_read_user(&c->stack[i * ORACLE_PAGE], ORACLE_PAGE,
					(void *)(c->base + i * ORACLE_PAGE)))
			break;
	}
	c->pages = i;
	bpf_ringbuf_submit(c, 0);
}

SEC("perf_event")
int oracle_tick(struct bpf_perf_event_data *ctx)
{
	u32 pid = bpf_get_current_pid_tgid() >> 32;

	if (shared.active && sp_is_target(pid))
		take(ctx, pid, 0);
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(oracle_switch, bool preempt, struct task_struct *prev)
{
	u64 now;

	if (!shared.active || !sp_is_target(prev->tgid))
		return 0;
	now = bpf_ktime_get_ns();
	if (now - last_switch < cfg.user_stack_gap_ns)
		return 0;
	last_switch = now;
	take(ctx, prev->tgid, 1);
	return 0;
}
