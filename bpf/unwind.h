/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tables of the stack walker, which user space fills (src/unwind makes their contents) and
 * unwind.bpf.h reads. Plain C, included by both sides; not part of any record.
 *
 * Executable mappings of a process are a range of `texts`, ascending; those of a module with rows name
 * a range of `buckets`, one for each SP_BUCKET bytes of code. Rows are ascending by pc.
 */
#ifndef SRVPROF_UNWIND_H
#define SRVPROF_UNWIND_H

#include "records.h"

enum {
	SP_BUCKET_SHIFT = 10,
	SP_BUCKET = 1 << SP_BUCKET_SHIFT,
	SP_SPACES = 1024,	/* processes with tables */
	SP_FOUND_SHIFT = 13,	/* 8,192 addresses whose rows are remembered */
};

/*
 * From pc on, the caller's stack pointer is cfa: rsp + 8 * cfa if cfa > 0, rbp - 8 * cfa if cfa < 0, or of
 * one of the forms below. The return address lies at cfa - 8, the caller's rbp at cfa + 8 * rbp, or it is
 * unchanged if rbp is 0. The same numbers are in src/unwind/rows.h. sizeof 8
 */
struct sp_row {
	__sp_u32 pc;		/* distance from the module's base */
	__sp_s16 cfa;
	__sp_s16 rbp;
};

enum sp_row_form {
	SP_ROW_NONE = 0,	/* nothing is known from here on: use the frame pointer */
	SP_ROW_MAX = 0x5fff,	/* largest distance */
	SP_ROW_DEREF_SP = 0x6000,	/* + n: cfa = *(rsp + 8 * n) + 8 */
	SP_ROW_DEREF_SP_MAX = 0x6fff,
	SP_ROW_LEAF = 0x7ffb,	/* return address at rsp where execution stands here, else use the frame pointer */
	SP_ROW_DEREF = 0x7ffc,	/* cfa = *(rbp + 8 * rbp field), the caller's rbp = *rbp */
	SP_ROW_END = 0x7ffd,	/* outermost function of a thread: there is no caller */
	SP_ROW_SIGNAL = 0x7ffe,	/* registers lie in the struct ucontext at rsp */
	SP_ROW_PLT = 0x7fff,	/* rsp + 8, + 8 more from byte `rbp field` of each 16 on */
	SP_RBP_LOST = 0x7fff,	/* value of rbp: saved in a way that is not held */
};

/* Rows that are in effect somewhere in a bucket: [first, last]. sizeof 8 */
struct sp_bucket {
	__sp_u32 first, last;
};

/* A mapping of executable memory. sizeof 32 */
struct sp_text {
	__sp_u64 start, end;
	__sp_u64 bias;		/* pc - bias = distance from the module's base */
	__sp_u32 bucket;	/* the first one of the module */
	__sp_u32 flags;		/* enum sp_text_flag */
};

enum sp_text_flag {
	SP_TEXT_ROWS = 1,	/* has rows */
	SP_TEXT_MANAGED = 2,	/* its frames may be those of managed code */
	SP_TEXT_LEAVES = 4,	/* its rows are for leaves only */
};

/* What a frame says of its function, by runtime. */
enum sp_hint {
	SP_HINT_NONE = 0,
	SP_HINT_V8 = 1,		/* SharedFunctionInfo of the JSFunction at fp - 16, if both tags fit */
	SP_HINT_JSC = 2,	/* executable of the callee cell at fp + 24, or that cell */
	SP_HINT_PYTHON = 3,	/* code object, of each Python function that a frame of the interpreter stands for */
};

/*
 * Where CPython keeps the frames of its functions: a list a thread, innermost first. Offsets are those of
 * src/symbolize/python_layout.h. sizeof 48
 */
struct sp_python {
	__sp_u64 eval_begin, eval_end;	/* the interpreter's loop, _PyEval_EvalFrameDefault */
	__sp_u64 interpreter;		/* address of the pointer to the interpreter's state */
	__sp_u16 threads, thread_next, thread_id, thread_frame;
	__sp_u16 frame_of_holder;	/* in what thread_frame points to; SP_PYTHON_NONE: that is the frame */
	__sp_u16 code, previous, mark;
	__sp_u8 mark_value;		/* of the byte at `mark`, in a frame that ... */
	__sp_u8 mark_between;		/* ... lies between two runs; else in the last of a run */
	__sp_u8 pad[6];
};

enum {
	SP_PYTHON_NONE = 0xffff,
	SP_PYTHON_THREADS = 128,	/* of a process that are looked through */
};

/* One process. sizeof 24 */
struct sp_space {
	__sp_u32 first, count;	/* in texts */
	__sp_u32 hint;		/* enum sp_hint */
	__sp_u32 shared_off;	/* V8: offset of JSFunction's SharedFunctionInfo */
	__sp_u32 flags;		/* enum sp_space_flag */
	__sp_u32 tag;		/* another one after each change: what was remembered before is void */
};

enum sp_space_flag {
	SP_SPACE_SWITCHES = 1,	/* frames may lie on several stacks (goroutines and g0) */
};

#endif
