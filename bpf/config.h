/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every knob of the kernel side, in one read-only struct that user space fills before the load: the
 * verifier deletes what a knob turns off. Plain C, included by both sides.
 */
#ifndef SRVPROF_CONFIG_H
#define SRVPROF_CONFIG_H

#include "records.h"

enum {
	SP_MAX_CPUS = 256,		/* CPUs whose queue is watched */
	SP_MAX_PORTS = 32,		/* listening ports of the targets */
	SP_ACCEPT_CPUS = 64,		/* handshakes are queued by the CPU that did them */
	SP_ACCEPT_SLOTS = 1024,		/* not yet accepted connections by CPU, a power of two */
};

struct sp_config {
	__sp_u32 pid;			/* the first target */
	__sp_u32 many;			/* more targets may be in the map */
	__sp_u32 follow;		/* children of targets become targets */
	__sp_u32 netns;			/* inode of the targets' network namespace */
	__sp_u32 go;			/* read the goroutine pointer at socket events */
	__sp_u32 full;			/* a user stack at every switch-out */
	__sp_u32 cpus;			/* possible CPUs, at most SP_MAX_CPUS */
	__sp_u32 cgroup_v1;		/* name cgroups by the v1 cpu controller */
	__sp_u32 unwind;		/* walk user stacks by tables (unwind.h), else bpf_get_stack */
	__sp_u32 pad;
	__sp_u64 wait_stack_ns;		/* kernel stack for waits at least this long */
	__sp_u64 user_stack_gap_ns;	/* at most one user stack a thread in this time */
};

/* The loader's and the programs' common state in .bss. */
struct sp_shared {
	__sp_u32 active;		/* the gate: nothing is recorded while it is 0 */
	__sp_u32 one_in;		/* governor: a power of two, 1 = every connection */
	__sp_u32 n_ports;
	__sp_u16 ports[SP_MAX_PORTS];
	__sp_u64 lost[SP_LOSS_REASONS];
	__sp_u64 unmeasured[SP_UNM_KINDS];
	__sp_u64 writes_without_request;	/* answers to requests in flight at attach */
	__sp_u64 walks[SP_ENDS];		/* user stacks, by how their walk ended */
	__sp_u64 walks_unmapped;		/* of them, with a frame in no known mapping */
};

/* What waits for one CPU. */
struct sp_cpu {
	__sp_u32 queued;		/* target threads waiting for this CPU */
	__sp_u32 dirty;			/* send the next slice in any case */
	__sp_u32 named_tid;		/* the last task that was named from here */
	__sp_u32 pad[13];		/* a cache line each: every CPU writes its own */
};

/* An established connection that was not accepted when it was last looked at. */
struct sp_waiting {
	__sp_u64 sk;			/* address, only compared and read with care */
	__sp_u64 t_low;			/* last seen waiting */
	__sp_u64 t_accept;		/* first seen accepted, 0 = waiting */
};

struct sp_accept_queue {
	__sp_u32 head, tail;
	struct sp_waiting slot[SP_ACCEPT_SLOTS];
};

#endif
