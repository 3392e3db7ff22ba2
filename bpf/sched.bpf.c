// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads of the target: every interval off CPU, and who held the CPU while one of them was queued.
 *
 * A wait for a CPU is told by its last occupant (in the off-CPU record) plus the slices before it. A
 * slice record is sent only when a switch leaves a target thread queued on that CPU, or after one was
 * moved away: with a single occupant, the common case, none is needed.
 */
#include "core.bpf.h"
#include "accept.h"
#include "unwind.bpf.h"

struct sp_cpu cpus[SP_MAX_CPUS] = {};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct sp_scratch);
} sched_scratch SEC(".maps");

SP_INLINE struct sp_cpu *cpu_of(u32 cpu)
{
	return &cpus[cpu & (SP_MAX_CPUS - 1)];
}

static const struct sp_thread no_thread;

SP_INLINE struct sp_thread *thread_find(struct task_struct *t)
{
	u32 tid = t->pid;

	if (cfg.thread_hash)
		return bpf_map_lookup_elem(&threads_by_tid, &tid);
	return bpf_task_storage_get(&threads, t, NULL, 0);
}

SP_COLD struct sp_thread *thread_make(u32 tid)
{
	bpf_map_update_elem(&threads_by_tid, &tid, &no_thread, BPF_NOEXIST);
	return bpf_map_lookup_elem(&threads_by_tid, &tid);
}

SP_INLINE struct sp_thread *thread_get(struct task_struct *t)
{
	struct sp_thread *th;

	if (cfg.thread_hash) {
		th = thread_find(t);
		if (!th)
			th = thread_make(t->pid);
	} else {
		th = bpf_task_storage_get(&threads, t, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	}
	if (!th)
		sp_lose(SP_LOSS_TASK_STATE);
	return th;
}

SP_INLINE void enqueue(struct sp_thread *th, u32 cpu)
{
	if (th->queued)
		return;
	th->queued = (cpu & (SP_MAX_CPUS - 1)) + 1;
	__sync_fetch_and_add(&cpu_of(cpu)->queued, 1);
}

SP_INLINE void dequeue(struct sp_thread *th)
{
	if (!th->queued)
		return;
	__sync_fetch_and_add(&cpu_of(th->queued - 1)->queued, -1);
	th->queued = 0;
}

SP_INLINE u8 state_letter(unsigned int state)
{
	/* fs/proc/array.c: task_state_array; TASK_IDLE = 0x402, TASK_REPORT_MAX = 0x100 preempted */
	if (state & 0x400)
		return 'I';
	if (state & 0x1)
		return 'S';
	if (state & 0x2)
		return 'D';
	if (state & 0x4)
		return 'T';
	if (state & 0x8)
		return 't';
	if (state & 0x30)
		return 'X';
	return 'R';
}

/* How long the group of `rq` has been throttled so far; the clock moves when a throttling ends. */
SP_INLINE u64 throttled_clock(struct cfs_rq *rq)
{
	struct cfs_rq___old *old = (void *)rq;

	if (bpf_core_field_exists(rq->throttled_clock_self_time))
		return BPF_CORE_READ(rq, throttled_clock_self_time);
	if (bpf_core_field_exists(rq->throttled_clock_pelt_time))
		return BPF_CORE_READ(rq, throttled_clock_pelt_time);
	if (bpf_core_field_exists(old->throttled_clock_task_time))
		return BPF_CORE_READ(old, throttled_clock_task_time);
	return 0;
}

SP_INLINE unsigned int task_state(struct task_struct *t)
{
	struct task_struct___old *old = (void *)t;

	if (bpf_core_field_exists(t->__state))
		return BPF_CORE_READ(t, __state);
	return BPF_CORE_READ(old, state);
}

SP_INLINE u32 task_cpu(struct task_struct *t)
{
	struct task_struct___old *old = (void *)t;

	if (bpf_core_field_exists(t->thread_info.cpu))
		return BPF_CORE_READ(t, thread_info.cpu);
	return BPF_CORE_READ(old, cpu);
}

SP_INLINE u64 user_stack(struct task_struct *t, void *ctx, bool old)
{
	struct sp_scratch *s;
	u32 zero = 0;

	s = bpf_map_lookup_elem(&sched_scratch, &zero);
	if (!s)
		return 0;
	return old ? sp_frame_stack(ctx, s, t->tgid) : sp_user_stack(ctx, s, t->tgid);
}

SP_INLINE u64 kernel_stack_of(struct task_struct *t)
{
	struct sp_scratch *s;
	u32 zero = 0;
	long n;

	s = bpf_map_lookup_elem(&sched_scratch, &zero);
	if (!s)
		return 0;
	n = bpf_get_task_stack(t, s->stack.pc, sizeof(s->stack.pc), 0);
	return sp_stack_id(&s->stack, n, 0);
}

/*
 * When the thread really stopped running. The tracepoint comes after the scheduler's search for the next
 * task, which may look for work on other CPUs for microseconds when this one would idle; the thread's
 * own clock (se.sum_exec_runtime, without stolen time) stopped before that.
 */
SP_INLINE u64 stopped_at(struct sp_thread *th, struct task_struct *prev, u64 now)
{
	u64 ran;

	if (th->run != SP_RUN_ON || !th->ran_in)
		return now;
	ran = th->t_in + (prev->se.sum_exec_runtime - th->ran_in) + th->steal_ns;
	return ran < now ? ran : now;
}

/*
 * The thread leaves a CPU that it was not seen to get. How long it ran is known by its own clock: the
 * interval before is sent now, with its end reckoned back from here.
 */
SP_COLD void end_unseen(struct sp_thread *th, struct task_struct *prev, u32 cpu, u64 now)
{
	u64 ran = prev->se.sum_exec_runtime - th->ran_out;
	struct sp_offcpu_long r = {};

	sp_lose(SP_LOSS_SWITCH);
	dequeue(th);
	r.s.h.kind = SP_OFFCPU_LONG;
	r.s.h.aux = cpu;
	r.s.h.tid = prev->pid;
	r.s.h.t = now - ran > th->t_out && ran < now ? now - ran : th->t_out;
	r.s.waker = th->waker;
	r.s.sysnr = th->sysnr;
	r.s.state = th->state;
	r.s.flags = th->flags | SP_OFF_ESTIMATED;
	r.t_out = th->t_out;
	r.t_wake = th->t_wake < r.s.h.t ? th->t_wake : r.s.h.t;
	sp_send(&r, sizeof(r), SP_LOSS_RING_SCHED);
	th->steal_in = 0;
	th->ran_in = 0;
}

SP_INLINE void switch_out(void *ctx, struct task_struct *prev, bool preempt, unsigned int state,
			  u32 cpu, u64 now, bool old)
{
	struct sp_thread *th = thread_get(prev);
	u64 steal;
	long nr;

	if (!th)
		return;
	if (th->t_out && (th->run == SP_RUN_RUNNABLE || th->run == SP_RUN_BLOCKED))
		end_unseen(th, prev, cpu, now);
	steal = sp_stolen_clock(prev);
	th->steal_ns = th->steal_in ? steal - th->steal_in : 0;
	th->t_out = stopped_at(th, prev, now);
	th->ran_out = prev->se.sum_exec_runtime;
	th->t_wake = 0;
	th->waker = 0;
	th->flags = 0;
	th->ustack = 0;
	th->state = preempt ? 'R' : state_letter(state);
	nr = sp_syscall_nr(prev);
	th->sysnr = nr;
	if (nr >= 0 && nr < 1024)
		th->flags |= SP_OFF_FROM_SYSCALL;
	th->cfs_rq = (u64)prev->se.cfs_rq;
	th->throttled_out = throttled_clock(prev->se.cfs_rq);
	if (th->state == 'R') {
		th->run = SP_RUN_RUNNABLE;
		th->flags |= SP_OFF_PREEMPTED;
		if (sp_throttled(prev))
			th->flags |= SP_OFF_THROTTLED;
		else
			enqueue(th, cpu);
	} else {
		th->run = SP_RUN_BLOCKED;
		if (BPF_CORE_READ_BITFIELD(prev, in_iowait))
			th->flags |= SP_OFF_IOWAIT;
	}
	if (cfg.full || now - th->t_stack >= cfg.user_stack_gap_ns) {
		th->t_stack = now;
		th->ustack = user_stack(prev, ctx, old);
	}
}

SP_INLINE u32 saturate(u64 ns)
{
	return ns > 0xffffffffull ? 0xffffffffu : ns;
}

/*
 * A group was held back as a whole until 6.18: a thread of it that is queued then, or joins the queue, waits for the
 * quota as well. Later a thread still gets the CPU, and leaves it as throttled.
 */
SP_INLINE bool throttled_as_group(struct task_struct *t)
{
	return !bpf_core_field_exists(t->throttled);
}

/* How long a thread that has been queued for `queued_ns`, and was not throttled before, has waited for the quota. */
SP_INLINE u64 throttled_in_queue(struct sp_thread *th, struct task_struct *t, u64 queued_ns)
{
	u64 held;

	if (!throttled_as_group(t) || !th->cfs_rq)
		return 0;
	held = throttled_clock((struct cfs_rq *)th->cfs_rq) - th->throttled_out;
	return held < queued_ns ? held : queued_ns;
}

/* Not inlined: its record and the frames of the walker, which switch_out calls, do not fit into 512 bytes together. */
static __noinline void switch_in(struct task_struct *next, struct task_struct *prev, u32 cpu, u64 now)
{
	struct sp_offcpu_long r = {};
	struct sp_thread *th = thread_get(next);
	u64 off, blocked = 0, size = sizeof(r.s);

	if (!th)
		return;
	dequeue(th);
	r.s.flags = th->flags;
	if (!th->t_out) {
		r.s.flags |= SP_OFF_NO_START;
		off = 0;
	} else {
		off = now - th->t_out;
	}
	r.s.h.kind = SP_OFFCPU;
	r.s.h.aux = cpu;
	r.s.h.tid = next->pid;
	r.s.h.t = now;
	r.s.off_ns = saturate(off);
	if (th->t_wake && th->t_out)
		blocked = th->t_wake - th->t_out;
	r.s.runq_ns = saturate(th->t_wake ? now - th->t_wake : off);
	r.s.waker = th->waker;
	r.s.prev_tid = prev->pid;
	r.s.steal_ns = th->steal_ns;
	r.s.sysnr = th->sysnr;
	r.s.state = th->state;
	r.s.min_flt = next->min_flt;
	r.s.maj_flt = next->maj_flt;
	if (th->flags & SP_OFF_THROTTLED) {
		u64 clock = throttled_clock((struct cfs_rq *)th->cfs_rq);

		/* Without the clock the whole interval counts as throttled. */
		r.throttled_ns = clock > th->throttled_out ? clock - th->throttled_out : off;
		if (r.throttled_ns > off)
			r.throttled_ns = off;
	} else if (th->t_out) {
		r.throttled_ns = throttled_in_queue(th, next, th->t_wake ? now - th->t_wake : off);
	}
	if (blocked >= cfg.wait_stack_ns)
		r.kstack = kernel_stack_of(next);
	if (off >= cfg.wait_stack_ns || cfg.full)
		r.ustack = th->ustack;
	if (off > 0xffffffffull || !th->t_out || r.throttled_ns || r.kstack || r.ustack) {
		r.s.h.kind = SP_OFFCPU_LONG;
		r.t_out = th->t_out;
		r.t_wake = th->t_wake;
		size = sizeof(r);
	}
	if (size == sizeof(r))
		sp_send(&r, sizeof(r), SP_LOSS_RING_SCHED);
	else
		sp_send(&r, sizeof(r.s), SP_LOSS_RING_SCHED);
	sp_name(prev, prev->pid, cpu_of(cpu), now);
	th->run = SP_RUN_ON;
	th->t_in = now;
	th->ran_in = next->se.sum_exec_runtime;
	th->steal_in = sp_stolen_clock(next);
}

SP_INLINE void send_slice(struct task_struct *prev, u32 cpu, u64 now)
{
	struct sp_slice r = {};

	r.h.kind = SP_SLICE;
	r.h.aux = cpu;
	r.h.tid = prev->pid;
	r.h.t = now;
	sp_send(&r, sizeof(r), SP_LOSS_RING_SCHED);
	sp_name(prev, prev->pid, cpu_of(cpu), now);
}

SP_INLINE void switched(void *ctx, bool preempt, struct task_struct *prev, struct task_struct *next,
			unsigned int prev_state, bool old)
{
	bool from, to;
	struct sp_cpu *c;
	u32 cpu;
	u64 now;

	if (!shared.active)
		return;
	from = sp_is_target(prev->tgid);
	to = sp_is_target(next->tgid);
	cpu = bpf_get_smp_processor_id();
	c = cpu_of(cpu);
	if (!from && !to && !c->queued && !c->dirty)
		return;
	now = bpf_ktime_get_ns();
	if (to)
		switch_in(next, prev, cpu, now);
	if (c->queued || c->dirty) {
		c->dirty = 0;
		send_slice(prev, cpu, now);
	}
	if (from) {
		if (old)
			prev_state = task_state(prev);
		switch_out(ctx, prev, preempt, prev_state, cpu, now, old);
		accept_check(now);
	}
}

SEC("tp_btf/sched_switch")
int BPF_PROG(sp_sched_switch, bool preempt, struct task_struct *prev, struct task_struct *next,
	     unsigned int prev_state)
{
	switched(ctx, preempt, prev, next, prev_state, false);
	return 0;
}

/* Before the fourth argument (5.18, commit fa2c3254d7cf); too old for the stack walker, too. */
SEC("?tp_btf/sched_switch")
int BPF_PROG(sp_sched_switch_old, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	switched(ctx, preempt, prev, next, 0, true);
	return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(sp_sched_waking, struct task_struct *p)
{
	struct sp_thread *th;
	u32 waker;
	u64 now;

	if (!shared.active || !sp_is_target(p->tgid))
		return 0;
	th = thread_get(p);
	if (!th || th->run == SP_RUN_ON || th->run == SP_RUN_RUNNABLE || th->t_wake)
		return 0;
	now = bpf_ktime_get_ns();
	waker = (u32)bpf_get_current_pid_tgid();
	th->run = SP_RUN_BLOCKED;
	th->t_wake = now;
	th->waker = waker;
	sp_name(sp_current(), waker, cpu_of(bpf_get_smp_processor_id()), now);
	return 0;
}

SP_INLINE void woken(struct task_struct *p)
{
	struct sp_thread *th = thread_get(p);

	if (!th || th->run == SP_RUN_ON || th->run == SP_RUN_RUNNABLE)
		return;
	if (!th->t_wake)
		th->t_wake = bpf_ktime_get_ns();
	th->run = SP_RUN_RUNNABLE;
	if (throttled_as_group(p)) {
		th->cfs_rq = (u64)p->se.cfs_rq;
		th->throttled_out = throttled_clock(p->se.cfs_rq);
	}
	enqueue(th, task_cpu(p));
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(sp_sched_wakeup, struct task_struct *p)
{
	if (shared.active && sp_is_target(p->tgid))
		woken(p);
	return 0;
}

/* A thread of the target is born: a hash library's lanes may live for a few milliseconds only. */
SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(sp_sched_wakeup_new, struct task_struct *p)
{
	u32 parent = bpf_get_current_pid_tgid();
	struct sp_thread *th;
	u64 now;

	if (!shared.active || !sp_is_target(p->tgid))
		return 0;
	th = thread_get(p);
	if (!th)
		return 0;
	now = bpf_ktime_get_ns();
	__builtin_memset(th, 0, sizeof(*th));
	th->t_out = now;
	th->t_wake = now;
	th->waker = parent;
	th->flags = SP_OFF_NEW;
	th->state = 'R';
	th->run = SP_RUN_RUNNABLE;
	enqueue(th, task_cpu(p));
	sp_send_task(p, now, SP_TASK_BORN, parent);
	return 0;
}

/* Between waking and wakeup a task is moved without being queued: only queued ones matter. */
SEC("tp_btf/sched_migrate_task")
int BPF_PROG(sp_sched_migrate_task, struct task_struct *p, int to)
{
	struct sp_migrate r = {};
	struct sp_thread *th;
	u32 from;

	if (!shared.active || !sp_is_target(p->tgid))
		return 0;
	th = thread_find(p);
	if (!th || !th->queued)
		return 0;
	from = th->queued - 1;
	dequeue(th);
	cpu_of(from)->dirty = 1;
	enqueue(th, to);
	th->flags |= SP_OFF_MIGRATED;
	r.h.kind = SP_MIGRATE;
	r.h.aux = from;
	r.h.tid = p->pid;
	r.h.t = bpf_ktime_get_ns();
	r.to_cpu = to;
	sp_send(&r, sizeof(r), SP_LOSS_RING_SCHED);
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(sp_sched_process_fork, struct task_struct *parent, struct task_struct *child)
{
	u32 pid = child->tgid, one = 1;

	if (!shared.active || !cfg.follow || child->tgid == parent->tgid ||
	    !sp_is_target(parent->tgid))
		return 0;
	if (bpf_map_update_elem(&targets, &pid, &one, BPF_ANY))
		sp_lose(SP_LOSS_TASK_STATE);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(sp_sched_process_exec, struct task_struct *p)
{
	if (shared.active && sp_is_target(p->tgid))
		sp_send_task(p, bpf_ktime_get_ns(), SP_TASK_EXEC, 0);
	return 0;
}

SEC("tp_btf/task_rename")
int BPF_PROG(sp_task_rename, struct task_struct *p, const char *comm)
{
	struct sp_task r = {};

	if (!shared.active || !sp_is_target(p->tgid))
		return 0;
	r.h.kind = SP_TASK;
	r.h.aux = SP_TASK_TARGET | SP_TASK_RENAMED;
	r.h.tid = p->pid;
	r.h.t = bpf_ktime_get_ns();
	r.pid = p->tgid;
	r.nice = p->static_prio - 100;
	r.cgroup = sp_cgroup_of(p);
	bpf_probe_read_kernel_str(r.comm, sizeof(r.comm), comm);
	sp_send(&r, sizeof(r), SP_LOSS_RING_OTHER);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(sp_sched_process_exit, struct task_struct *p)
{
	struct sp_task_exit r = {};

	if (!shared.active || !sp_is_target(p->tgid))
		return 0;
	r.h.kind = SP_TASK_EXIT;
	r.h.tid = p->pid;
	r.h.t = bpf_ktime_get_ns();
	r.pid = p->tgid;
	sp_send(&r, sizeof(r), SP_LOSS_RING_OTHER);
	return 0;
}

/*
 * Run once at attach, which gives every thread a known state, and once at detach, which tells how long
 * the current state has lasted. What the tracepoints saw first is not overwritten.
 */
SEC("iter/task")
int sp_iter_task(struct bpf_iter__task *ctx)
{
	struct task_struct *t = ctx->task;
	struct sp_thread_state r = {};
	struct sp_thread *th;

	if (!t || !sp_is_target(t->tgid))
		return 0;
	th = thread_get(t);
	if (!th)
		return 0;
	r.h.kind = SP_THREAD_STATE;
	r.h.tid = t->pid;
	r.h.t = bpf_ktime_get_ns();
	r.pid = t->tgid;
	bpf_probe_read_kernel(r.comm, sizeof(r.comm), t->comm);
	if (th->run == SP_RUN_UNKNOWN) {
		if (t->on_cpu) {
			th->run = SP_RUN_ON;
			th->t_in = r.h.t;
		} else if (task_state(t)) {
			th->run = SP_RUN_BLOCKED;
			th->state = state_letter(task_state(t));
		}
	}
	r.h.aux = th->run;
	r.since = th->run == SP_RUN_ON ? th->t_in : th->t_out;
	r.t_wake = th->t_wake;
	r.sysnr = th->sysnr;
	r.state = th->state;
	r.flags = th->flags;
	sp_send(&r, sizeof(r), SP_LOSS_RING_OTHER);
	return 0;
}
