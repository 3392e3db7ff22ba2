// SPDX-License-Identifier: GPL-2.0-only
/* Who stopped the target: job-control signals and the v2 freezer. */
#include "core.bpf.h"

enum {
	SP_SIGCONT = 18,
	SP_SIGSTOP = 19,
	SP_SIGTSTP = 20,
};

SEC("tp_btf/signal_generate")
int BPF_PROG(sp_signal_generate, int sig, void *info, struct task_struct *t)
{
	u64 id = bpf_get_current_pid_tgid();
	struct sp_signal r = {};

	if (!shared.active || sig < SP_SIGCONT || sig > SP_SIGTSTP || !sp_is_target(t->tgid))
		return 0;
	r.h.kind = SP_SIGNAL;
	r.h.aux = sig;
	r.h.tid = t->pid;
	r.h.t = bpf_ktime_get_ns();
	r.sender_tid = id;
	r.sender_pid = id >> 32;
	bpf_get_current_comm(r.sender, sizeof(r.sender));
	sp_send(&r, sizeof(r), SP_LOSS_RING_OTHER);
	return 0;
}

SP_INLINE void send_freeze(struct cgroup *cgrp, u32 frozen)
{
	struct sp_freeze r = {};
	u64 id = bpf_get_current_pid_tgid();

	r.h.kind = SP_FREEZE;
	r.h.aux = frozen;
	r.h.tid = id;
	r.h.t = bpf_ktime_get_ns();
	r.cgroup = BPF_CORE_READ(cgrp, kn, id);
	r.pid = id >> 32;
	bpf_get_current_comm(r.comm, sizeof(r.comm));
	sp_send(&r, sizeof(r), SP_LOSS_RING_OTHER);
}

SEC("tp_btf/cgroup_freeze")
int BPF_PROG(sp_cgroup_freeze, struct cgroup *cgrp)
{
	if (shared.active)
		send_freeze(cgrp, 1);
	return 0;
}

SEC("tp_btf/cgroup_unfreeze")
int BPF_PROG(sp_cgroup_unfreeze, struct cgroup *cgrp)
{
	if (shared.active)
		send_freeze(cgrp, 0);
	return 0;
}
