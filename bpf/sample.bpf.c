// SPDX-License-Identifier: GPL-2.0-only
/* On-CPU samples of the target: a cpu-clock event a CPU, with the kernel's and the user's stack. */
#include "unwind.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct sp_scratch);
} sample_scratch SEC(".maps");

SP_INLINE int tick(struct bpf_perf_event_data *ctx, bool old)
{
	u64 id = bpf_get_current_pid_tgid();
	struct sp_sample r = {};
	struct sp_scratch *s;
	u32 zero = 0;
	long n;

	if (!shared.active || !sp_is_target(id >> 32))
		return 0;
	s = bpf_map_lookup_elem(&sample_scratch, &zero);
	if (!s)
		return 0;
	r.h.kind = SP_SAMPLE;
	r.h.aux = bpf_get_smp_processor_id();
	r.h.tid = id;
	r.h.t = bpf_ktime_get_ns();
	n = bpf_get_stack(ctx, s->stack.pc, sizeof(s->stack.pc), 0);
	r.kstack = sp_stack_id(&s->stack, n, 0);
	r.ustack = old ? sp_frame_stack(ctx, s, id >> 32) : sp_user_stack(ctx, s, id >> 32);
	if (!r.kstack && !r.ustack)
		sp_lose(SP_LOSS_STACK);
	sp_send(&r, sizeof(r), SP_LOSS_RING_OTHER);
	return 0;
}

SEC("perf_event")
int sp_sample_tick(struct bpf_perf_event_data *ctx)
{
	return tick(ctx, false);
}

/* Where programs cannot have the walker's callback in them (before 5.13, commit 69c087ba6225). */
SEC("?perf_event")
int sp_sample_tick_old(struct bpf_perf_event_data *ctx)
{
	return tick(ctx, true);
}
