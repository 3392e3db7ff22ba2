// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spans of a runtime: garbage collections and other operations that delay requests, between two probed
 * instructions of the target. The programs know nothing of runtimes: the attach cookie is an index into
 * span_probes, where user space says what a hit means.
 */
#include "core.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SP_MAX_PROBES);
	__type(key, u32);
	__type(value, struct sp_probe);
} span_probes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SP_MAX_OPEN_SPANS);
	__type(key, struct sp_span_key);
	__type(value, struct sp_span);
} open_spans SEC(".maps");

#if defined(__TARGET_ARCH_x86)
#define SP_GOROUTINE ctx->r14
#else
#define SP_GOROUTINE ctx->regs[28]
#endif

/* The registers in the order of the kernel's struct pt_regs, whose first part is ABI. */
struct sp_registers {
	u64 r[SP_REGISTERS];
};

SP_INLINE u64 argument(const struct sp_registers *regs, const struct sp_argument *a)
{
	u64 value = 0;

	if (a->how == SP_ARG_CONSTANT)
		return (u64)(s64)a->offset;
	if (a->how == SP_ARG_NONE)
		return 0;
	value = regs->r[a->reg & (SP_REGISTERS - 1)];
	if (a->how == SP_ARG_MEMORY) {
		u64 at = value + (s64)a->offset;

		value = 0;
		bpf_probe_read_user(&value, sizeof(value), (void *)at);
	}
	if (a->size == 1)
		return (u8)value;
	if (a->size == 2)
		return (u16)value;
	if (a->size == 4)
		return (u32)value;
	return value;
}

SP_INLINE void label(struct sp_span *s, const struct sp_probe *p, const struct sp_registers *regs)
{
	u64 text, length;
	long n;

	if (p->kind.how)
		s->kind = argument(regs, &p->kind);
	if (p->reason.how)
		s->reason = argument(regs, &p->reason);
	if (!p->text.how)
		return;
	text = argument(regs, &p->text);
	if (!text)
		return;
	n = bpf_probe_read_user_str(s->text, sizeof(s->text), (void *)text);
	length = argument(regs, &p->length);
	if (n > 0 && p->length.how && length < sizeof(s->text) - 1)
		s->text[length & (sizeof(s->text) - 1)] = 0;
}

SP_INLINE void begin(struct sp_span *s, const struct sp_probe *p, const struct sp_registers *regs, u64 now)
{
	u64 id = bpf_get_current_pid_tgid();

	s->h.kind = SP_SPAN;
	s->h.aux = p->span;
	s->h.tid = id;
	s->pid = id >> 32;
	s->t_begin = p->begin.how ? argument(regs, &p->begin) : now;
	s->t_stopping = argument(regs, &p->stopping);
	label(s, p, regs);
}

SP_INLINE void end(struct sp_span *s, u64 now)
{
	s->h.t = now;
	sp_send(s, sizeof(*s), SP_LOSS_SPAN);
}

SP_INLINE int hit(struct pt_regs *ctx)
{
	u32 number = bpf_get_attach_cookie(ctx);
	u64 id = bpf_get_current_pid_tgid();
	struct sp_registers regs = {};
	struct sp_span_key key = {};
	struct sp_span fresh = {};
	struct sp_span *open;
	struct sp_probe *p;
	u64 now;

	if (!shared.active)
		return 0;
	p = bpf_map_lookup_elem(&span_probes, &number);
	/* Several targets may run one binary: each has probes of its own. */
	if (!p || p->pid != id >> 32)
		return 0;
	now = bpf_ktime_get_ns();
	__sync_fetch_and_add(&p->hits, 1);
	bpf_probe_read_kernel(&regs, SP_REGISTERS_READ * 8, ctx);
	fresh.g = p->key == SP_KEY_GOROUTINE ? SP_GOROUTINE : 0;
	key.id = p->key == SP_KEY_GOROUTINE ? fresh.g : p->key == SP_KEY_PROCESS ? 0 : (u32)id;
	key.pid = p->pid;
	key.span = p->span;
	if (p->edge == SP_EDGE_WHOLE) {
		begin(&fresh, p, &regs, now);
		end(&fresh, now);
		return 0;
	}
	open = bpf_map_lookup_elem(&open_spans, &key);
	if (p->edge == SP_EDGE_BEGIN) {
		if (open && p->keep_first)
			return 0;
		begin(&fresh, p, &regs, now);
		if (p->end.how && argument(&regs, &p->end)) {
			end(&fresh, argument(&regs, &p->end));
			return 0;
		}
		if (bpf_map_update_elem(&open_spans, &key, &fresh, BPF_ANY))
			sp_lose(SP_LOSS_SPAN);
		return 0;
	}
	if (p->edge == SP_EDGE_LABEL) {
		if (open)
			label(open, p, &regs);
		return 0;
	}
	if (p->end.how && !argument(&regs, &p->end))
		return 0;
	/* An end whose begin lies before attach. */
	if (!open && p->keep_first)
		return 0;
	if (!open) {
		begin(&fresh, p, &regs, now);
		fresh.t_begin = 0;
		end(&fresh, now);
		return 0;
	}
	label(open, p, &regs);
	fresh = *open;
	bpf_map_delete_elem(&open_spans, &key);
	end(&fresh, now);
	return 0;
}

SEC("uprobe")
int sp_span_hit(struct pt_regs *ctx)
{
	return hit(ctx);
}

SEC("uretprobe")
int sp_span_return(struct pt_regs *ctx)
{
	return hit(ctx);
}
