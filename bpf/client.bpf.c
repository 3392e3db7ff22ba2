// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads of the load generator: every interval off CPU, and when a send began. Programs of their own,
 * loaded only where load generators are traced: the target's are the same with and without.
 */
#include "socket.bpf.h"

enum {
	SP_CLIENT_NAME_NS = 100000,	/* who held the CPU is named for waits from this long on */
};

struct sp_client_thread {
	u64 t_out, t_wake;
	u32 waker;
	u32 flags;		/* enum sp_client_off_flag */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct sp_client_thread);
} client_threads SEC(".maps");

SP_INLINE void client_out(struct task_struct *prev, bool preempt, unsigned int state, u64 now)
{
	struct sp_client_thread *th;

	th = bpf_task_storage_get(&client_threads, prev, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!th) {
		sp_lose(SP_LOSS_CLIENT);
		return;
	}
	th->t_out = now;
	th->t_wake = 0;
	th->waker = 0;
	th->flags = 0;
	if (!preempt && state)
		return;
	th->t_wake = now;
	th->flags = SP_CLIENT_PREEMPTED;
	if (sp_throttled(prev))
		th->flags |= SP_CLIENT_THROTTLED;
}

SP_COLD void name_occupant(struct task_struct *prev, u64 now)
{
	u32 tid = prev->pid, one = 1;

	if (!tid || bpf_map_lookup_elem(&tasks_named, &tid))
		return;
	bpf_map_update_elem(&tasks_named, &tid, &one, BPF_ANY);
	sp_send_task(prev, now, 0, 0);
}

SP_INLINE void client_in(struct task_struct *next, struct task_struct *prev, u64 now)
{
	struct sp_client_thread *th;
	struct sp_client_off r = {};

	th = bpf_task_storage_get(&client_threads, next, NULL, 0);
	if (!th || !th->t_out)	/* not seen to leave: nothing is known of the time before */
		return;
	r.h.kind = SP_CLIENT_OFF;
	r.h.aux = bpf_get_smp_processor_id();
	r.h.tid = next->pid;
	r.h.t = now;
	r.t_out = th->t_out;
	r.t_wake = th->t_wake ? th->t_wake : now;
	r.pid = next->tgid;
	r.prev_tid = prev->pid;
	r.waker = th->waker;
	r.flags = th->flags;
	sp_send(&r, sizeof(r), SP_LOSS_CLIENT);
	th->t_out = 0;
	if (now - r.t_wake >= SP_CLIENT_NAME_NS)
		name_occupant(prev, now);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(sp_client_switch, bool preempt, struct task_struct *prev, struct task_struct *next,
	     unsigned int prev_state)
{
	bool from, to;
	u64 now;

	if (!shared.active)
		return 0;
	from = sp_is_client(prev->tgid);
	to = sp_is_client(next->tgid);
	if (!from && !to)
		return 0;
	now = bpf_ktime_get_ns();
	if (to)
		client_in(next, prev, now);
	if (from)
		client_out(prev, preempt, prev_state, now);
	return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(sp_client_waking, struct task_struct *p)
{
	struct sp_client_thread *th;

	if (!shared.active || !sp_is_client(p->tgid))
		return 0;
	th = bpf_task_storage_get(&client_threads, p, NULL, 0);
	if (!th || !th->t_out || th->t_wake)
		return 0;
	th->t_wake = bpf_ktime_get_ns();
	th->waker = bpf_get_current_task_btf()->pid;
	return 0;
}

/* A new thread waits for its first CPU. */
SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(sp_client_wakeup_new, struct task_struct *p)
{
	struct sp_client_thread *th;

	if (!shared.active || !sp_is_client(p->tgid))
		return 0;
	th = bpf_task_storage_get(&client_threads, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!th) {
		sp_lose(SP_LOSS_CLIENT);
		return 0;
	}
	th->t_out = bpf_ktime_get_ns();
	th->t_wake = th->t_out;
	th->waker = bpf_get_current_task_btf()->pid;
	th->flags = 0;
	return 0;
}

/* What a load generator starts makes the load, too. */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(sp_client_fork, struct task_struct *parent, struct task_struct *child)
{
	u32 pid = child->tgid, one = 1;

	if (!shared.active || child->tgid == parent->tgid || !sp_is_client(parent->tgid))
		return 0;
	if (bpf_map_update_elem(&clients, &pid, &one, BPF_ANY)) {
		sp_lose(SP_LOSS_CLIENT);
		return 0;
	}
	shared.maybe_client[pid & (SP_CLIENT_SLOTS - 1)] = 1;
	sp_send_task(child, bpf_ktime_get_ns(), SP_TASK_BORN, parent->pid);
	return 0;
}

/* When a send begins; sock_send_length tells its end. Older kernels do not have it. */
SEC("tp_btf/tcp_sendmsg_locked")
int BPF_PROG(sp_client_send, const struct sock *sk)
{
	struct sp_sock *s;

	if (!shared.active || !sk->sk_bpf_storage ||
	    !sp_is_client(bpf_get_current_task_btf()->tgid))
		return 0;
	s = bpf_sk_storage_get(&socks, (struct sock *)sk, NULL, 0);
	if (s && (s->flags & SP_CONN_CLIENT) && s->state != SP_SOCK_OPEN && !s->t_send)
		s->t_send = bpf_ktime_get_ns();
	return 0;
}
