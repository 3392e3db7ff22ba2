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
	SP_ACCEPT_SLOTS = 4096,		/* not yet accepted connections by CPU: net.core.somaxconn's default, a power of two */
	SP_MAX_PROBES = 512,		/* probed instructions of the targets' runtimes */
	SP_MAX_OPEN_SPANS = 16384,	/* begun and not ended */
	SP_CLIENT_SLOTS = 256,		/* see sp_shared.maybe_client, a power of two */
	SP_REGISTERS = 32,		/* a power of two, see struct sp_argument */
#if defined(__TARGET_ARCH_arm64) || defined(__aarch64__)
	SP_REGISTERS_READ = 31,
#else
	SP_REGISTERS_READ = 21,
#endif
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
	__sp_u32 clients;		/* load generators may be traced, too */
	__sp_u32 thread_hash;		/* threads' state in threads_by_tid: no task storage here */
	__sp_u32 recv_args;		/* arguments of the kernel's tcp_recvmsg */
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
	/* Not 0 if a process whose number ends so may be a load generator: asked before the map is. */
	__sp_u8 maybe_client[SP_CLIENT_SLOTS];
	__sp_u64 clients_left_out;		/* exchanges that the governor did not record */
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

enum sp_argument_how {
	SP_ARG_NONE = 0,
	SP_ARG_REGISTER = 1,
	SP_ARG_MEMORY = 2,		/* at the register's value + offset */
	SP_ARG_CONSTANT = 3,		/* the offset itself */
};

/* Where a probed instruction finds a value. */
struct sp_argument {
	__sp_u8 how;
	__sp_u8 reg;			/* place in the kernel's struct pt_regs */
	__sp_u8 size;			/* bytes: 1, 2, 4 or 8 */
	__sp_u8 pad;
	int offset;
};

enum sp_edge {
	SP_EDGE_BEGIN = 1,
	SP_EDGE_END = 2,
	SP_EDGE_LABEL = 3,		/* tells kind and reason of the span that is open */
	SP_EDGE_WHOLE = 4,		/* the end of a span whose begin is an argument */
};

/* What tells spans apart that are open at the same time. */
enum sp_span_by {
	SP_KEY_THREAD = 1,
	SP_KEY_PROCESS = 2,
	SP_KEY_GOROUTINE = 3,
};

/* What a hit of one probed instruction of one process means. */
struct sp_probe {
	__sp_u32 pid;
	__sp_u8 span;			/* number that the record carries */
	__sp_u8 edge;			/* enum sp_edge */
	__sp_u8 key;			/* enum sp_span_by */
	__sp_u8 keep_first;		/* a begin while one is open changes nothing; an end while none is */
	struct sp_argument kind, reason, text, length, begin, stopping;
	/* Of a begin: not 0 = the span ended then, there is no end to come. Of an end: 0 = it is none. */
	struct sp_argument end;
	__sp_u64 hits;
};

struct sp_span_key {
	__sp_u64 id;			/* thread, goroutine, or 0 */
	__sp_u32 pid;
	__sp_u32 span;
};

#endif
