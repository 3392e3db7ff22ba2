/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When was a connection accepted? No tracepoint lies inside accept, and one on the system call would
 * slow every call of every process. A socket has no struct socket until it is accepted, so a queue of
 * established connections is checked, oldest first, at each socket event and each switch-out of a
 * target thread: the accept lies between the last check that found it waiting and the first that did
 * not. On a busy event loop that is one loop callback.
 */
#ifndef SRVPROF_ACCEPT_H
#define SRVPROF_ACCEPT_H

#include "core.bpf.h"

/* One queue a possible CPU: the loader sizes it. No variable: before 5.11 a value has at most 4 MiB (KMALLOC_MAX_SIZE). */
SP_EXTERN struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SP_ACCEPT_CPUS);
	__type(key, u32);
	__type(value, struct sp_accept_queue);
} accepts SEC(".maps");
SP_EXTERN __sp_u32 accepts_waiting;

/* One connection of the queue; false ends the walk. */
SP_INLINE bool accept_check_one(struct sp_accept_queue *q, u64 now)
{
	u32 head = q->head;
	struct sp_waiting *w;
	void *socket = NULL;

	if (head == q->tail)
		return false;
	w = &q->slot[head & (SP_ACCEPT_SLOTS - 1)];
	if (!w->t_accept) {
		bpf_probe_read_kernel(&socket, sizeof(socket),
				      (void *)w->sk + bpf_core_field_offset(struct sock, sk_socket));
		if (!socket) {
			w->t_low = now;
			return false;
		}
		w->t_accept = now;
	}
	q->head = head + 1;
	return true;
}

SP_COLD void accept_check_all(u64 now)
{
	bool waiting = false;
	u32 cpu, i;

	for (cpu = 0; cpu < SP_ACCEPT_CPUS; cpu++) {
		struct sp_accept_queue *q;
		u32 key = cpu;	/* the counter itself has to stay in a register, or the loop has no end to the verifier */

		if (cpu >= cfg.cpus)
			break;
		q = bpf_map_lookup_elem(&accepts, &key);
		if (!q)
			break;
		for (i = 0; i < 4; i++)
			if (!accept_check_one(q, now))
				break;
		if (q->head != q->tail)
			waiting = true;
	}
	if (!waiting)
		accepts_waiting = 0;
}

SP_INLINE void accept_check(u64 now)
{
	if (accepts_waiting)
		accept_check_all(now);
}

#endif
