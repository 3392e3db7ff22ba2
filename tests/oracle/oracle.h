/* SPDX-License-Identifier: GPL-2.0-only */
/* What oracle.bpf.c sends: a walk, and all that it was made from. Plain C, included by both sides. */
#ifndef SRVPROF_ORACLE_H
#define SRVPROF_ORACLE_H

#include "records.h"

enum {
	ORACLE_PAGES = 17,	/* 64 KB and what lies below the stack pointer in its page */
	ORACLE_PAGE = 4096,
	ORACLE_REGS = 17,	/* by DWARF number: 6 = rbp, 7 = rsp, 16 = rip */
};

struct oracle_copy {
	__sp_u64 reg[ORACLE_REGS];
	__sp_u64 base;		/* address of stack[0] */
	__sp_u32 pages;		/* that could be copied */
	__sp_u32 off_cpu;
	__sp_u32 walk_ns;	/* that the walk took */
	__sp_u32 kernel_ns;	/* that the kernel's own walk by frame pointers took (bpf_get_stack) */
	struct sp_walk walk;
	__sp_u8 stack[ORACLE_PAGES * ORACLE_PAGE];
};

#endif
