/* SPDX-License-Identifier: GPL-2.0-only */
/* What the programs share: target filter, sending, loss counters, names, stacks. */
#ifndef SRVPROF_CORE_BPF_H
#define SRVPROF_CORE_BPF_H

#define SRVPROF_BPF
#include "kernel.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include "records.h"
#include "config.h"

#define SP_INLINE static __always_inline
/* Seldom taken: out of line, so that what runs for each request stays within few cache lines. */
#define SP_COLD static __noinline __attribute__((unused))

/* Maps and variables are defined by core.bpf.c and declared everywhere else. */
#ifdef SRVPROF_CORE
#define SP_EXTERN
#else
#define SP_EXTERN extern
#endif

SP_EXTERN const volatile struct sp_config cfg SEC(".rodata");
SP_EXTERN struct sp_shared shared SEC(".bss");

/*
 * A field of a kernel object. The main path gets sockets and tasks from the kernel as such and loads from them; in
 * a fallback they are addresses, read with care.
 */
#ifdef SP_FALLBACK
#define sp_field(p, f) ({ typeof(p) object_ = (p); BPF_CORE_READ(object_, f); })
#else
#define sp_field(p, f) ((p)->f)
#endif

/* State of a target's thread. */
struct sp_thread {
	u64 t_out, t_wake, t_in;
	u64 t_stack;		/* last user stack */
	u64 ustack;
	u64 steal_in;		/* clock of stolen time at switch-in */
	u64 ran_in;		/* clock of its CPU time at switch-in */
	u64 ran_out;		/* the same at switch-out */
	u64 throttled_out;	/* clock of throttled time of cfs_rq at switch-out */
	u64 cfs_rq;
	u32 waker;
	u32 queued;		/* 1 + CPU on whose run queue it waits, 0 = on none */
	u32 steal_ns;
	u16 sysnr;
	u8 run;			/* enum sp_run */
	u8 state;
	u8 flags;		/* enum sp_off_flag */
	u8 named;
};

enum sp_run {
	SP_RUN_UNKNOWN = 0,
	SP_RUN_ON = 1,
	SP_RUN_RUNNABLE = 2,
	SP_RUN_BLOCKED = 3,
};

/* One buffer a CPU and context: a sampling tick may interrupt a scheduler program. */
struct sp_scratch {
	union {
		struct sp_stack stack;
		struct sp_walk walk;
	};
};

SP_EXTERN struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 16 << 20);
} ring SEC(".maps");

SP_EXTERN struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct sp_thread);
} threads SEC(".maps");

/* Instead of it, where a kernel has none for tracing programs (before 5.12, commit a10787e6d58c). */
SP_EXTERN struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, u32);
	__type(value, struct sp_thread);
} threads_by_tid SEC(".maps");

SP_EXTERN struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, u32);
	__type(value, u32);
} targets SEC(".maps");

/* Processes that make the load: only their ends of connections to the target, and their threads. */
SP_EXTERN struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, u32);
	__type(value, u32);
} clients SEC(".maps");

SP_EXTERN struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, u64);
	__type(value, u32);
} stacks_sent SEC(".maps");

SP_EXTERN struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, u32);
	__type(value, u32);
} tasks_named SEC(".maps");

SP_INLINE bool sp_is_target(u32 pid)
{
	if (pid == cfg.pid)
		return true;
	if (!cfg.many)
		return false;
	return bpf_map_lookup_elem(&targets, &pid) != NULL;
}

/* Asked only of what is no target: the target's own path does not pay for it. */
SP_INLINE bool sp_is_client(u32 pid)
{
	if (!cfg.clients || !shared.maybe_client[pid & (SP_CLIENT_SLOTS - 1)])
		return false;
	return bpf_map_lookup_elem(&clients, &pid) != NULL;
}

SP_INLINE void sp_lose(u32 reason)
{
	__sync_fetch_and_add(&shared.lost[reason], 1);
}

SP_INLINE void sp_send(void *record, u64 size, u32 loss)
{
	if (bpf_ringbuf_output(&ring, record, size, BPF_RB_NO_WAKEUP))
		sp_lose(loss);
}

SP_INLINE u64 sp_cgroup_of(struct task_struct *t)
{
	if (cfg.cgroup_v1 && bpf_core_enum_value_exists(enum cgroup_subsys_id, cpu_cgrp_id)) {
		int id = bpf_core_enum_value(enum cgroup_subsys_id, cpu_cgrp_id);
		struct cgroup_subsys_state *css = NULL;

		if (id < 0 || id > 15)
			return 0;
		bpf_probe_read_kernel(&css, sizeof(css),
				      (void *)BPF_CORE_READ(t, cgroups) +
				      bpf_core_field_offset(struct css_set, subsys) + id * 8);
		return BPF_CORE_READ(css, cgroup, kn, id);
	}
	return BPF_CORE_READ(t, cgroups, dfl_cgrp, kn, id);
}

SP_INLINE void sp_send_task(struct task_struct *t, u64 now, u32 flags, u32 parent)
{
	struct sp_task r = {};

	r.h.kind = SP_TASK;
	r.h.tid = BPF_CORE_READ(t, pid);
	r.h.t = now;
	r.pid = BPF_CORE_READ(t, tgid);
	r.parent = parent;
	if (sp_is_target(r.pid))
		flags |= SP_TASK_TARGET;
	if (BPF_CORE_READ(t, flags) & PF_KTHREAD)
		flags |= SP_TASK_KTHREAD;
	if (BPF_CORE_READ(t, prio) < 100)
		flags |= SP_TASK_RT;
	r.h.aux = flags;
	r.nice = BPF_CORE_READ(t, static_prio) - 100;
	r.cgroup = sp_cgroup_of(t);
	BPF_CORE_READ_INTO(&r.comm, t, comm);
	sp_send(&r, sizeof(r), SP_LOSS_RING_OTHER);
}

/* Sends a task's name once; `cpu` remembers the last one, which is mostly the same again. */
SP_INLINE void sp_name(struct task_struct *t, u32 tid, struct sp_cpu *cpu, u64 now)
{
	u32 one = 1;

	if (!tid || cpu->named_tid == tid)
		return;
	cpu->named_tid = tid;
	if (bpf_map_lookup_elem(&tasks_named, &tid))
		return;
	bpf_map_update_elem(&tasks_named, &tid, &one, BPF_ANY);
	sp_send_task(t, now, 0, 0);
}

/* At most `max` of `n`, in a form that every verifier and compiler keeps. */
SP_INLINE u64 bounded(u64 n, u64 max)
{
	if (n > max)
		n = max;
	barrier_var(n);
	n &= 127;
	return n > max ? max : n;
}

/*
 * Completes and sends the stack of `bytes` bytes in s->pc unless it was sent before; returns its hash,
 * 0 for none. A lost hash entry (LRU) only means that a stack is sent again.
 */
SP_INLINE u64 sp_stack_id(struct sp_stack *s, long bytes, u32 pid)
{
	u64 hash = 0xcbf29ce484222325ull ^ pid;
	u32 n, i, one = 1;

	if (bytes <= 0)
		return 0;
	n = (u64)bytes / 8;
	if (n > SP_STACK_MAX)
		n = SP_STACK_MAX;
	for (i = 0; i < SP_STACK_MAX; i++) {
		if (i >= n)
			break;
		hash = (hash ^ s->pc[i]) * 0x9e3779b97f4a7c15ull;
		hash ^= hash >> 29;
	}
	if (!hash)
		hash = 1;
	if (bpf_map_lookup_elem(&stacks_sent, &hash))
		return hash;
	s->h.kind = SP_STACK;
	s->h.aux = n;
	s->h.tid = pid;
	s->h.t = 0;
	s->hash = hash;
	if (bpf_ringbuf_output(&ring, s, 24 + bounded(n, SP_STACK_MAX) * 8, BPF_RB_NO_WAKEUP)) {
		sp_lose(SP_LOSS_STACK);
		return 0;
	}
	bpf_map_update_elem(&stacks_sent, &hash, &one, BPF_ANY);
	return hash;
}

/* The current task: in the main path one to load from, in the oldest kernels an address. */
SP_INLINE struct task_struct *sp_current(void)
{
	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_get_current_task_btf))
		return bpf_get_current_task_btf();
	return (struct task_struct *)bpf_get_current_task();
}

SP_INLINE bool sp_has_task_regs(void)
{
	return bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs);
}

/* The user's registers as they are saved at the top of the task's kernel stack. */
SP_INLINE struct pt_regs *sp_user_regs(struct task_struct *t)
{
	enum { THREAD_SIZE = 16384 };	/* of a kernel without KASAN */

	if (sp_has_task_regs())
		return (struct pt_regs *)bpf_task_pt_regs(t);
	return BPF_CORE_READ(t, stack) + THREAD_SIZE - bpf_core_type_size(struct pt_regs);
}

/* Number of the system call a task is in, or -1. Exceptions leave small error codes here too. */
SP_INLINE long sp_syscall_nr(struct task_struct *t)
{
	struct pt_regs *regs = sp_user_regs(t);
#if defined(__TARGET_ARCH_x86)
	return sp_has_task_regs() ? regs->orig_ax : BPF_CORE_READ(regs, orig_ax);
#else
	return sp_has_task_regs() ? regs->syscallno : BPF_CORE_READ(regs, syscallno);
#endif
}

/* The stolen time of the CPU that the task was last on, as far as the run queue's clock has come. */
SP_INLINE u64 sp_stolen_clock(struct task_struct *t)
{
	if (!bpf_core_field_exists(struct rq, prev_steal_time_rq))
		return 0;
#ifdef SP_FALLBACK
	return BPF_CORE_READ(t, se.cfs_rq, rq, prev_steal_time_rq);
#else
	return t->se.cfs_rq->rq->prev_steal_time_rq;
#endif
}

/* Held back by the CPU quota: by task since 6.18, by group before. */
SP_INLINE bool sp_throttled(struct task_struct *t)
{
	if (bpf_core_field_exists(t->throttled))
		return t->throttled;
	if (bpf_core_field_exists(struct cfs_rq, throttle_count))
		return BPF_CORE_READ(t, se.cfs_rq, throttle_count) > 0;
	return false;
}

#endif
