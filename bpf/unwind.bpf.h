/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User stacks, frame by frame: by the rows of unwind.h where the code has some, by frame pointer
 * elsewhere (code that a runtime made, Go, Bun). Works from the user's registers as they are saved at
 * the top of the thread's kernel stack, so in a tick as in a switch. x86-64 only.
 *
 * The step is one function, run by bpf_loop (since 5.17, commit e6f2dd0f8067) so that the verifier sees
 * it once.
 */
#ifndef SRVPROF_UNWIND_BPF_H
#define SRVPROF_UNWIND_BPF_H

#include "core.bpf.h"
#include "unwind.h"

SP_EXTERN struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SP_SPACES);
	__type(key, u32);
	__type(value, struct sp_space);
} spaces SEC(".maps");

/* The sizes of these three are set by the loader. */
SP_EXTERN struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct sp_text);
} texts SEC(".maps");

SP_EXTERN struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct sp_bucket);
} buckets SEC(".maps");

SP_EXTERN struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct sp_row);
} rows SEC(".maps");

/*
 * What was found for an address, since the same return addresses are met again and again: 32 bits of the
 * address' hash, cfa, rbp. One word, so that it is read and written as a whole.
 */
SP_EXTERN struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1 << SP_FOUND_SHIFT);
	__type(key, u32);
	__type(value, u64);
} found SEC(".maps");

SP_EXTERN struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SP_SPACES);
	__type(key, u32);
	__type(value, struct sp_python);
} pythons SEC(".maps");

/* One walk; lives on the caller's stack. */
struct sp_walker {
	u64 pc, sp, bp;
	u64 hash;
	struct sp_walk *out;
	struct sp_python *python;
	u64 python_frame;	/* the next one to be told, 0 = none */
	u32 first, count;	/* of the process's texts */
	u32 text;		/* the one that was used last */
	u32 hint, shared_off, tag;
	u32 n;
	u16 end;
	u8 exact;		/* pc is where execution stands, not a return address */
	u8 switches, unmapped;
};

#if defined(__TARGET_ARCH_x86)

enum {
	SP_TEXT_STEPS = 12,	/* 4,096 mappings a process */
	SP_ROW_STEPS = 11,	/* rows of one bucket and the one before it */
	/* struct ucontext at a signal's return: gregs[] begin at 40 */
	SP_UC_BP = 40 + 10 * 8,
	SP_UC_SP = 40 + 15 * 8,
	SP_UC_IP = 40 + 16 * 8,
};

SP_INLINE bool sp_read(void *to, u32 size, u64 from)
{
	return !bpf_probe_read_user(to, size, (void *)from);
}

SP_INLINE bool sp_can_be_code(u64 pc)
{
	return pc >= 4096 && pc < 1ull << 47;
}

/*
 * The two searches are global functions: the verifier goes through each once, not in every state of the
 * walk, and through the walk once, not in every state of its caller. Inlined, a tick was 450,000
 * instructions to the verifier of 6.18 and more than the million that it allows on 7.2.
 */

/* 1 + the number of the text with `pc` among `count` from `first`; 0 = none. */
__weak __noinline u32 sp_find_text(u32 first, u32 count, u64 pc)
{
	u32 lo = first, hi = first + count, mid, k;
	struct sp_text *t;

	for (k = 0; k < SP_TEXT_STEPS && lo < hi; k++) {
		mid = (lo + hi) / 2;
		t = bpf_map_lookup_elem(&texts, &mid);
		if (!t)
			return 0;
		if (pc < t->start)
			hi = mid;
		else if (pc >= t->end)
			lo = mid + 1;
		else
			return mid + 1;
	}
	return 0;
}

/* 1 + the number of the row of bucket `number` in effect at `distance` from the base of the module; 0 = none. */
__weak __noinline u32 sp_find_row(u32 number, u32 distance)
{
	struct sp_bucket *b = bpf_map_lookup_elem(&buckets, &number);
	u32 mid, k, lo, hi;
	struct sp_row *r;

	if (!b)
		return 0;
	lo = b->first;
	hi = b->last + 1;
	for (k = 0; k < SP_ROW_STEPS && hi - lo > 1; k++) {
		mid = (lo + hi) / 2;
		r = bpf_map_lookup_elem(&rows, &mid);
		if (!r)
			return 0;
		if (r->pc <= distance)
			lo = mid;
		else
			hi = mid;
	}
	return lo + 1;
}

/* Frames of one stack mostly lie in a few mappings: the last one is tried first. */
SP_INLINE struct sp_text *sp_text_at(struct sp_walker *w, u64 pc)
{
	u32 number = w->text;
	struct sp_text *t = bpf_map_lookup_elem(&texts, &number);

	if (t && pc >= t->start && pc < t->end)
		return t;
	number = sp_find_text(w->first, w->count, pc);
	if (!number--)
		return NULL;
	w->text = number;
	return bpf_map_lookup_elem(&texts, &number);
}

SP_INLINE struct sp_row *sp_row_at(struct sp_text *t, u32 distance)
{
	u32 number = sp_find_row(t->bucket + (distance >> SP_BUCKET_SHIFT), distance);

	if (!number--)
		return NULL;
	return bpf_map_lookup_elem(&rows, &number);
}

SP_INLINE long sp_stop(struct sp_walker *w, u16 end)
{
	w->end = end;
	return 1;
}

/* How the caller is found: a row's fields; of SP_ROW_NONE and SP_ROW_LEAF, rbp 1 = managed code. */
struct sp_rule {
	int cfa, rbp;
};

/* Looks through the tables; false where no code is known. */
SP_INLINE bool sp_look_up(struct sp_walker *w, u64 look, struct sp_rule *rule)
{
	struct sp_text *t = sp_text_at(w, look);
	struct sp_row *r = NULL;

	rule->cfa = SP_ROW_NONE;
	rule->rbp = 1;
	if (!t)
		return false;
	if ((t->flags & SP_TEXT_ROWS) && (w->exact || !(t->flags & SP_TEXT_LEAVES)))
		r = sp_row_at(t, look - t->bias);
	if (r && r->cfa != SP_ROW_NONE) {
		rule->cfa = r->cfa;
		rule->rbp = r->cfa == SP_ROW_LEAF ? 0 : r->rbp;
	} else {
		rule->rbp = t->flags & SP_TEXT_MANAGED ? 1 : 0;
	}
	return true;
}

/* The same through what is remembered. */
SP_INLINE void sp_rule_at(struct sp_walker *w, u64 look, struct sp_rule *rule)
{
	u64 hash = ((look << 1 | w->exact) ^ (u64)w->tag << 48) * 0x9e3779b97f4a7c15ull, *word, v;
	u32 slot = hash >> (64 - SP_FOUND_SHIFT), check = hash >> (32 - SP_FOUND_SHIFT);

	word = bpf_map_lookup_elem(&found, &slot);
	if (!word)
		return;
	v = *word;
	if (v && (u32)(v >> 32) == check) {
		rule->cfa = (s16)(v >> 16);
		rule->rbp = (s16)v;
		return;
	}
	if (sp_look_up(w, look, rule))
		*word = (u64)check << 32 | (u32)(u16)rule->cfa << 16 | (u16)rule->rbp;
	else
		w->unmapped = 1;
}

/* The caller's registers by a row; 0 = go on. */
SP_INLINE long sp_step_row(struct sp_walker *w, int cfa_rule, int rbp_rule, u64 look)
{
	u64 cfa, saved[2];

	w->exact = 0;
	if (cfa_rule == SP_ROW_END)
		return sp_stop(w, SP_END_COMPLETE);
	if (cfa_rule == SP_ROW_SIGNAL) {
		if (!sp_read(saved, 16, w->sp + SP_UC_SP) || !sp_read(&w->bp, 8, w->sp + SP_UC_BP))
			return sp_stop(w, SP_END_BROKEN);
		w->sp = saved[0];
		w->pc = saved[1];
		w->exact = 1;
		return 0;
	}
	if (cfa_rule == SP_ROW_DEREF) {
		if (!sp_read(&cfa, 8, w->bp + 8 * (long)rbp_rule) || !sp_read(&saved[1], 8, cfa - 8) ||
		    !sp_read(&w->bp, 8, w->bp))
			return sp_stop(w, SP_END_BROKEN);
		goto found;
	}
	if (cfa_rule == SP_ROW_PLT) {
		cfa = w->sp + 8 + ((look & 15) >= (u32)rbp_rule ? 8 : 0);
		rbp_rule = 0;
	} else if (cfa_rule >= SP_ROW_DEREF_SP) {
		if (!sp_read(&cfa, 8, w->sp + 8 * (u64)(cfa_rule - SP_ROW_DEREF_SP)))
			return sp_stop(w, SP_END_BROKEN);
		cfa += 8;
	} else if (cfa_rule > 0) {
		cfa = w->sp + 8 * (u64)cfa_rule;
	} else {
		cfa = w->bp + 8 * (u64)-cfa_rule;
	}
	if (!sp_read(saved, 16, cfa - 16))
		return sp_stop(w, SP_END_BROKEN);
	if (rbp_rule == -2)
		w->bp = saved[0];
	else if (rbp_rule == SP_RBP_LOST)
		w->bp = 1;
	else if (rbp_rule && !sp_read(&w->bp, 8, cfa + 8 * (long)rbp_rule))
		return sp_stop(w, SP_END_BROKEN);
found:
	if (cfa <= w->sp && !w->switches)
		return sp_stop(w, SP_END_BROKEN);
	w->sp = cfa;
	w->pc = saved[1];
	return 0;
}

/*
 * Code by frame pointer that has no frame, or stands before its frame is made, or after it was given up: the
 * return address is at rsp, or above the saved rbp. Only possible where execution stands. 0 = done.
 */
SP_INLINE long sp_step_edge(struct sp_walker *w, bool leaf)
{
	u64 saved[2];
	u32 code = 0;

	if ((!leaf && !sp_read(&code, 4, w->pc)) || !sp_read(saved, 16, w->sp))
		return 1;
	/* push rbp; endbr64; ret */
	if (leaf || (code & 0xff) == 0x55 || code == 0xfa1e0ff3 || (code & 0xff) == 0xc3) {
		w->pc = saved[0];
		w->sp += 8;
		return 0;
	}
	/* mov rbp, rsp in both encodings */
	if ((code & 0xffffff) == 0xe58948 || (code & 0xffffff) == 0xec8b48) {
		w->bp = saved[0];
		w->pc = saved[1];
		w->sp += 16;
		return 0;
	}
	return 1;
}

/* V8: tags in the two low bits: 1 = heap object. A frame without a context is no JavaScript function's. */
SP_INLINE u64 sp_hint_v8(struct sp_walker *w, u64 function, u64 context)
{
	u64 shared = 0;

	if ((function & 3) != 1 || (context & 3) != 1 || !sp_can_be_code(function))
		return 0;
	bpf_probe_read_user(&shared, 8, (void *)(function - 1 + w->shared_off));
	return (shared & 3) == 1 ? shared : 0;
}

/* JSType of a JSC cell, byte 5 of its first word; 0 = no cell. Those used here are the oldest ones. */
enum {
	SP_JSC_NATIVE_EXECUTABLE = 8,
	SP_JSC_FUNCTION_EXECUTABLE = 12,
	SP_JSC_CODE_BLOCK = 18,
};

SP_INLINE u32 sp_jsc_type(u64 cell)
{
	u64 head = 0;

	if ((cell & 7) || !sp_can_be_code(cell))
		return 0;
	bpf_probe_read_user(&head, 8, (void *)cell);
	return head >> 40 & 0xff;
}

/*
 * JSC: a frame has a CodeBlock, 0 if the function is native. The hint is the executable behind the callee
 * (one for all closures of a function, and it outlives them), or the callee if it has rare data in between.
 */
SP_INLINE u64 sp_hint_jsc(u64 block, u64 callee)
{
	u64 executable = 0;
	u32 type;

	if ((callee & 7) || !sp_can_be_code(callee))
		return 0;
	if (block && sp_jsc_type(block) != SP_JSC_CODE_BLOCK)
		return 0;
	bpf_probe_read_user(&executable, 8, (void *)(callee + 24));
	if (executable & 1)
		return block ? callee : 0;
	type = sp_jsc_type(executable);
	return type == (block ? SP_JSC_FUNCTION_EXECUTABLE : SP_JSC_NATIVE_EXECUTABLE) ? executable : 0;
}

/* The caller's registers by the frame pointer, and the frame's hint; 0 = go on. */
SP_INLINE long sp_step_frame(struct sp_walker *w, struct sp_frame *frame, bool managed, bool leaf)
{
	u64 word[4] = {};

	if (w->exact && !sp_step_edge(w, leaf)) {
		w->exact = 0;
		return 0;
	}
	w->exact = 0;
	if (!w->bp)
		return sp_stop(w, SP_END_COMPLETE);
	if ((w->bp & 7) || (w->bp < w->sp && !w->switches))
		return sp_stop(w, SP_END_BROKEN);
	if (managed && w->hint == SP_HINT_V8) {
		if (!sp_read(word, 32, w->bp - 16))
			return sp_stop(w, SP_END_BROKEN);
		frame->hint = sp_hint_v8(w, word[0], word[1]);
		w->hash ^= frame->hint * 0xff51afd7ed558ccdull;
		w->sp = w->bp + 16;
		w->bp = word[2];
		w->pc = word[3];
		return 0;
	}
	if (managed && w->hint == SP_HINT_JSC && sp_read(word, 32, w->bp)) {
		frame->hint = sp_hint_jsc(word[2], word[3]);
		w->hash ^= frame->hint * 0xff51afd7ed558ccdull;
	} else if (!sp_read(word, 16, w->bp)) {
		return sp_stop(w, SP_END_BROKEN);
	}
	w->sp = w->bp + 16;
	w->bp = word[0];
	w->pc = word[1];
	return 0;
}

/* The list of CPython's threads, and the one that is looked for. */
struct sp_python_search {
	const struct sp_python *python;
	u64 state, id;
};

static long sp_python_thread_step(u32 i, void *context)
{
	struct sp_python_search *s = context;
	u64 id = 0, next = 0;

	if (!s->state || !sp_read(&id, 8, s->state + s->python->thread_id)) {
		s->state = 0;
		return 1;
	}
	if (id == s->id)
		return 1;
	if (!sp_read(&next, 8, s->state + s->python->thread_next))
		next = 0;
	s->state = next;
	return 0;
}

/* The innermost Python frame of the current thread, which is told by the address of its thread control block. */
SP_INLINE u64 sp_python_frame(const struct sp_python *python)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct sp_python_search s = {.python = python, .id = task->thread.fsbase};
	u64 at = 0;

	if (!s.id || !sp_read(&at, 8, python->interpreter) || !at || !sp_read(&s.state, 8, at + python->threads))
		return 0;
	if (bpf_loop(SP_PYTHON_THREADS, sp_python_thread_step, &s, 0) >= SP_PYTHON_THREADS || !s.state)
		return 0;
	if (!sp_read(&at, 8, s.state + python->thread_frame))
		return 0;
	if (python->frame_of_holder != SP_PYTHON_NONE && (!at || !sp_read(&at, 8, at + python->frame_of_holder)))
		return 0;
	return at;
}

/*
 * A frame of the interpreter's loop stands for a run of Python functions that call each other. Tells the next
 * one of the run; true: there are more of it.
 */
SP_INLINE bool sp_step_python(struct sp_walker *w, struct sp_frame *frame)
{
	const struct sp_python *python = w->python;
	u64 code = 0, previous = 0;
	u8 mark = 0;
	bool last;

	if (!sp_read(&previous, 8, w->python_frame + python->previous) ||
	    !sp_read(&mark, 1, w->python_frame + python->mark) || !sp_read(&code, 8, w->python_frame + python->code)) {
		w->python_frame = 0;
		return false;
	}
	w->python_frame = previous;
	last = !previous || mark == python->mark_value;
	if (last && python->mark_between)
		return false;
	frame->hint = code & ~7ull;
	w->hash ^= frame->hint * 0xff51afd7ed558ccdull;
	if (last || !python->mark_between)
		return !last;
	if (!sp_read(&mark, 1, previous + python->mark) || mark != python->mark_value)
		return true;
	if (!sp_read(&w->python_frame, 8, previous + python->previous))
		w->python_frame = 0;
	return false;
}

static long sp_walk_step(u32 i, void *context)
{
	struct sp_walker *w = context;
	struct sp_walk *out = w->out;
	struct sp_rule rule = {.cfa = SP_ROW_NONE, .rbp = 1};
	struct sp_frame *frame;
	u64 look;
	long stop;

	if (i >= SP_STACK_MAX)
		return 1;
	frame = &out->frame[i];
	frame->pc = w->pc;
	frame->hint = 0;
	w->n = i + 1;
	w->hash = (w->hash ^ w->pc) * 0x9e3779b97f4a7c15ull;
	w->hash ^= w->hash >> 29;
	/* A call may be the last instruction of its function: look at it, not at what follows. */
	look = w->exact ? w->pc : w->pc - 1;
	if (w->python_frame && look >= w->python->eval_begin && look < w->python->eval_end &&
	    sp_step_python(w, frame))
		return 0;
	sp_rule_at(w, look, &rule);
	if (rule.cfa == SP_ROW_NONE || rule.cfa == SP_ROW_LEAF)
		stop = sp_step_frame(w, frame, rule.rbp, rule.cfa == SP_ROW_LEAF);
	else
		stop = sp_step_row(w, rule.cfa, rule.rbp, look);
	if (stop)
		return 1;
	if (!w->pc)
		return sp_stop(w, SP_END_COMPLETE);
	if (!sp_can_be_code(w->pc))
		return sp_stop(w, SP_END_BROKEN);
	return 0;
}

/* Walks the user stack of the current task into `out`; returns its hash, 0 for none. Global, like the searches. */
__weak __noinline u64 sp_walk_user(struct sp_walk *out, struct sp_space *space, u32 pid)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
	struct sp_walker w = {};

	if (!out || !space)	/* never: the verifier does not know the callers here */
		return 0;
	w.pc = regs->ip;
	w.sp = regs->sp;
	w.bp = regs->bp;
	w.hash = 0xcbf29ce484222325ull ^ pid;
	w.out = out;
	w.first = space->first;
	w.count = space->count;
	w.hint = space->hint;
	w.shared_off = space->shared_off;
	w.tag = space->tag;
	w.switches = space->flags & SP_SPACE_SWITCHES;
	w.end = SP_END_DEPTH;
	w.exact = 1;
	if (!sp_can_be_code(w.pc))
		return 0;
	if (space->hint == SP_HINT_PYTHON) {
		w.python = bpf_map_lookup_elem(&pythons, &pid);
		if (w.python)
			w.python_frame = sp_python_frame(w.python);
	}
	bpf_loop(SP_STACK_MAX, sp_walk_step, &w, 0);
	if (w.unmapped) {
		__sync_fetch_and_add(&shared.walks_unmapped, 1);
		/* What was found beyond code that is not known cannot be trusted. */
		if (w.end == SP_END_COMPLETE)
			w.end = SP_END_BROKEN;
	}
	__sync_fetch_and_add(&shared.walks[w.end & 3], 1);
	out->end = w.end;
	out->h.aux = w.n;
	w.hash = (w.hash ^ w.end) * 0x9e3779b97f4a7c15ull;
	return w.hash ? w.hash : 1;
}

SP_INLINE u64 sp_send_walk(struct sp_walk *out, u64 hash, u32 pid)
{
	u32 one = 1, n = out->h.aux;

	if (!hash || bpf_map_lookup_elem(&stacks_sent, &hash))
		return hash;
	if (n > SP_STACK_MAX)
		n = SP_STACK_MAX;
	out->h.kind = SP_WALK;
	out->h.tid = pid;
	out->h.t = 0;
	out->hash = hash;
	out->pad = 0;
	if (bpf_ringbuf_output(&ring, out, 32 + n * sizeof(struct sp_frame), BPF_RB_NO_WAKEUP)) {
		sp_lose(SP_LOSS_STACK);
		return 0;
	}
	bpf_map_update_elem(&stacks_sent, &hash, &one, BPF_ANY);
	return hash;
}

#endif /* __TARGET_ARCH_x86 */

/* The user stack of the current task by frame pointers alone: its hash, 0 for none. */
SP_INLINE u64 sp_frame_stack(void *ctx, struct sp_scratch *s, u32 pid)
{
	long n = bpf_get_stack(ctx, s->stack.pc, sizeof(s->stack.pc), BPF_F_USER_STACK);

	return sp_stack_id(&s->stack, n, pid);
}

/* The same by the walker; by frame pointers where that is off or has no tables for the process yet. */
SP_INLINE u64 sp_user_stack(void *ctx, struct sp_scratch *s, u32 pid)
{
#if defined(__TARGET_ARCH_x86)
	if (cfg.unwind) {
		struct sp_space *space = bpf_map_lookup_elem(&spaces, &pid);

		if (space)
			return sp_send_walk(&s->walk, sp_walk_user(&s->walk, space, pid), pid);
	}
#endif
	return sp_frame_stack(ctx, s, pid);
}

#endif
