/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records that the kernel side sends through the ring buffer. Plain C, included by both sides.
 * Numbers are append-only: never renumbered, never reused. All times are CLOCK_MONOTONIC
 * nanoseconds (bpf_ktime_get_ns). pid and tid have the user's meaning here (kernel tgid and pid).
 * Every record starts with struct sp_head; its length is what the ring buffer says.
 */
#ifndef SRVPROF_RECORDS_H
#define SRVPROF_RECORDS_H

#ifndef SRVPROF_BPF
#include <stdint.h>
typedef uint8_t __sp_u8;
typedef uint16_t __sp_u16;
typedef uint32_t __sp_u32;
typedef uint64_t __sp_u64;
typedef int16_t __sp_s16;
#else
typedef unsigned char __sp_u8;
typedef unsigned short __sp_u16;
typedef unsigned int __sp_u32;
typedef unsigned long long __sp_u64;
typedef short __sp_s16;
#endif

enum {
	SP_COMM_LEN = 16,	/* TASK_COMM_LEN */
	SP_HEAD_MAX = 96,	/* bytes of the request that are kept, first line only */
	SP_STACK_MAX = 127,	/* frames of one stack: kernel.perf_event_max_stack */
};

enum sp_kind {
	SP_REQUEST = 1,		/* one request and its response */
	SP_EXCHANGE = 2,	/* one question and its reply on an outgoing connection */
	SP_MARK = 3,		/* a read or write that the two above have no room for */
	SP_CONN = 4,		/* a connection is known: opened, or found at attach */
	SP_CONN_CLOSE = 5,
	SP_OFFCPU = 6,		/* a target thread was off CPU: short form */
	SP_OFFCPU_LONG = 7,	/* same, with full times, throttling and stacks */
	SP_SLICE = 8,		/* who held a CPU while a target thread was queued there */
	SP_MIGRATE = 9,		/* a queued target thread was moved to another CPU */
	SP_TASK = 10,		/* a task's name, process and cgroup */
	SP_TASK_EXIT = 11,
	SP_SAMPLE = 12,		/* a target thread was on CPU at a sampling tick */
	SP_STACK = 13,		/* frames of a stack, sent once per distinct stack */
	SP_SIGNAL = 14,		/* SIGSTOP, SIGCONT ... sent to the target */
	SP_FREEZE = 15,		/* a cgroup was frozen or thawed */
	SP_LISTEN = 16,		/* the target began to listen on a port */
	SP_THREAD_STATE = 17,	/* state of a target thread at detach (and at attach) */
	SP_UNSAMPLED = 18,	/* 16-byte mark of a connection left out by the governor */
	SP_IRQ = 19,		/* interrupt time on top of a target thread (only when asked) */
	SP_SPAN = 20,		/* a runtime's garbage collection or other operation */
	SP_WALK = 21,		/* frames of a user stack with hints, sent once per distinct stack */
	SP_CLIENT_CONN = 22,	/* a load generator's end of a connection to the target */
	SP_CLIENT_EXCHANGE = 23,	/* one request and its answer, seen from there */
	SP_CLIENT_OFF = 24,	/* a load generator's thread was off CPU */
};

/* sizeof 16 */
struct sp_head {
	__sp_u16 kind;
	__sp_u16 aux;		/* meaning by kind */
	__sp_u32 tid;		/* the thread concerned, 0 = none */
	__sp_u64 t;		/* the record's main time */
};

/* Protocols of a connection, told by its first bytes. */
enum sp_proto {
	SP_PROTO_UNKNOWN = 0,	/* nothing read yet */
	SP_PROTO_HTTP1 = 1,
	SP_PROTO_HTTP2 = 2,	/* client preface seen */
	SP_PROTO_TLS = 3,
	SP_PROTO_OTHER = 4,
	SP_PROTO_UPGRADED = 5,	/* 101 or CONNECT ended HTTP on it */
};

enum sp_request_flag {
	SP_REQ_FIRST = 1 << 0,		/* first request of its connection */
	SP_REQ_PREEXISTING = 1 << 1,	/* its connection was open at attach and the request in flight */
	SP_REQ_NO_ARRIVAL = 1 << 2,	/* t_arrive unknown, set to t_read */
	SP_REQ_PIPELINED = 1 << 3,	/* shares its arrival with the request before it */
	SP_REQ_ABORTED = 1 << 4,	/* the peer reset or closed before the response was written */
	SP_REQ_CENSORED = 1 << 5,	/* in flight at detach */
	SP_REQ_SEND_BLOCKED = 1 << 6,	/* a write met a full send buffer */
	SP_REQ_INTERIM = 1 << 7,	/* a 1xx answer came before the final one */
	SP_REQ_EARLY = 1 << 8,		/* body bytes were read after the response began */
	SP_REQ_NO_BYTES = 1 << 9,	/* the bytes of the head could not be read */
	SP_REQ_CLOSED = 1 << 10,	/* ended by the close of the connection */
	SP_REQ_QUEUED = 1 << 11,	/* bytes were left unread by the read before: arrival is theirs */
};

/*
 * head.t = t_read (return of the first read), head.tid = its thread, head.aux = bytes of head[].
 * The head is the request's first line up to CR or SP_HEAD_MAX, padded to 8 with zeros.
 * sizeof without head: 96.
 */
struct sp_request {
	struct sp_head h;
	__sp_u64 t_arrive;
	__sp_u64 t_read_last;	/* return of the last read that fetched bytes of this request */
	__sp_u64 t_write;	/* return of the first write of the final answer, 0 = none */
	__sp_u64 t_write_last;	/* return of the last write */
	__sp_u64 g;		/* Go: address of the goroutine at the first read, else 0 */
	__sp_u32 conn;
	__sp_u32 tid_write;	/* thread of the first write */
	__sp_u32 bytes_in;
	__sp_u32 bytes_out;
	__sp_u32 steal_ns;	/* steal of the reader's CPU clock between read and first write */
	__sp_u32 min_flt;	/* faults of the reader's thread between read and first write */
	__sp_u16 maj_flt;
	__sp_u16 n_read;
	__sp_u16 n_write;
	__sp_u16 status;	/* of the final answer, 0 = not seen */
	__sp_u32 flags;		/* enum sp_request_flag */
	__sp_u32 since_open_ns;	/* first request: t_arrive - establishment, saturating; else 0 */
	__sp_u8 head[SP_HEAD_MAX];
};

/* head.t = t_write (first write of the question), head.tid = its thread. sizeof 80 */
struct sp_exchange {
	struct sp_head h;
	__sp_u64 t_write_last;	/* last write before the reply */
	__sp_u64 t_arrive;	/* first byte of the reply lay unread; 0 = none yet */
	__sp_u64 t_read;	/* return of the read that fetched it; 0 = none yet */
	__sp_u64 t_read_last;
	__sp_u64 g;		/* goroutine at the first write */
	__sp_u32 conn;
	__sp_u32 tid_read;
	__sp_u32 bytes_out;
	__sp_u32 bytes_in;
	__sp_u32 flags;		/* SP_REQ_CENSORED, SP_REQ_ABORTED, SP_REQ_CLOSED */
	/* SP_CLIENT_EXCHANGE: so long before h.t the send began; 0 = not known, saturates. Else 0. */
	__sp_u32 send_ns;
};

enum sp_mark_kind {
	SP_MARK_READ = 1,
	SP_MARK_WRITE = 2,
	SP_MARK_OUT = 4,	/* or-ed: on an outgoing connection */
	SP_MARK_OPAQUE = 8,	/* or-ed: connection whose protocol is not HTTP/1 */
};

/* head.aux = enum sp_mark_kind. sizeof 32 */
struct sp_mark {
	struct sp_head h;
	__sp_u64 g;
	__sp_u32 conn;
	__sp_u32 bytes;
};

enum sp_conn_flag {
	SP_CONN_OUT = 1 << 0,		/* the target connected (else it accepted) */
	SP_CONN_PREEXISTING = 1 << 1,	/* found at attach */
	SP_CONN_UNSAMPLED = 1 << 2,	/* left out by the governor */
	SP_CONN_RESET = 1 << 3,		/* ended by a reset or an error */
	SP_CONN_PEER_FIRST = 1 << 4,	/* the peer closed first */
	SP_CONN_NEVER_ACCEPTED = 1 << 5,
	SP_CONN_IPV6 = 1 << 6,
	SP_CONN_CLIENT = 1 << 7,	/* only in SP_CLIENT_CONN: a load generator's end */
};

/*
 * head.t = establishment (0 = before attach), head.tid = thread of the first event, head.aux = flags.
 * Sent at the first read or write, or at the close if there was none. Ports in host order,
 * addresses as in the packet; IPv4 in the first 4 bytes. sizeof 80
 */
struct sp_conn {
	struct sp_head h;
	/* Upper bound, see t_accept_low; 0 = not seen. SP_CLIENT_CONN: when connecting began. */
	__sp_u64 t_accept;
	__sp_u64 t_accept_low;	/* last moment at which the socket was seen not accepted */
	__sp_u32 conn;
	__sp_u32 pid;		/* process that used it first */
	__sp_u16 lport;
	__sp_u16 rport;
	__sp_u16 proto;		/* enum sp_proto */
	__sp_u16 pad;
	__sp_u8 laddr[16];
	__sp_u8 raddr[16];
};

/* head.t = close, head.aux = flags. sizeof 40 */
struct sp_conn_close {
	struct sp_head h;
	__sp_u32 conn;
	__sp_u32 requests;
	__sp_u64 bytes_in;
	__sp_u64 bytes_out;
};

enum sp_off_flag {
	SP_OFF_PREEMPTED = 1 << 0,	/* still runnable at switch-out: preempted or yielded */
	SP_OFF_THROTTLED = 1 << 1,	/* held back by the CPU quota for throttled_ns of it */
	SP_OFF_NEW = 1 << 2,		/* first time on CPU after the clone */
	SP_OFF_MIGRATED = 1 << 3,	/* moved to another CPU while queued: SP_MIGRATE has it */
	SP_OFF_IOWAIT = 1 << 4,
	SP_OFF_FROM_SYSCALL = 1 << 5,	/* sysnr is a system call number */
	SP_OFF_NO_START = 1 << 6,	/* went off CPU before attach */
	SP_OFF_ESTIMATED = 1 << 7,	/* its end was not seen but told by the thread's own clock */
};

/*
 * head.t = back on CPU, head.tid = the thread, head.aux = CPU. Off for off_ns, the last runq_ns of
 * which it was runnable. prev_tid held the CPU when the thread came back. sizeof 48
 */
struct sp_offcpu {
	struct sp_head h;
	__sp_u32 off_ns;
	__sp_u32 runq_ns;
	__sp_u32 waker;		/* tid of the waking task, 0 = none */
	__sp_u32 prev_tid;	/* 0 = the CPU was idle */
	__sp_u32 steal_ns;	/* steal of the CPU while the thread last ran */
	__sp_u16 sysnr;		/* system call it blocked in, see SP_OFF_FROM_SYSCALL */
	__sp_u8 state;		/* task state letter at switch-out: R S D T t X Z I ... */
	__sp_u8 flags;		/* enum sp_off_flag */
	__sp_u32 min_flt;	/* page faults so far in this thread's life, minor (wraps) */
	__sp_u32 maj_flt;
};

/* sizeof 96 */
struct sp_offcpu_long {
	struct sp_offcpu s;	/* off_ns and runq_ns saturate; the times below are exact */
	__sp_u64 t_out;
	__sp_u64 t_wake;	/* became runnable; 0 = was so all the time */
	__sp_u64 kstack;	/* hash of an SP_STACK, 0 = none */
	__sp_u64 ustack;
	__sp_u64 throttled_ns;
	__sp_u64 pad;
};

enum sp_client_off_flag {
	SP_CLIENT_PREEMPTED = 1 << 0,	/* still runnable at switch-out */
	SP_CLIENT_THROTTLED = 1 << 1,	/* held back by its cgroup's quota */
};

/*
 * head.t = back on CPU, head.tid = the thread, head.aux = CPU. Off since t_out, runnable since t_wake.
 * prev_tid held the CPU when it came back. sizeof 48
 */
struct sp_client_off {
	struct sp_head h;
	__sp_u64 t_out;
	__sp_u64 t_wake;	/* t_out if it was preempted */
	__sp_u32 pid;
	__sp_u32 prev_tid;	/* 0 = the CPU was idle */
	__sp_u32 waker;		/* 0 = none, or not seen */
	__sp_u32 flags;		/* enum sp_client_off_flag */
};

/* head.t = end of the slice, head.tid = the task that held the CPU, head.aux = CPU. sizeof 16 */
struct sp_slice {
	struct sp_head h;
};

/* head.t = time, head.tid = the queued thread, head.aux = from CPU. sizeof 24 */
struct sp_migrate {
	struct sp_head h;
	__sp_u32 to_cpu;
	__sp_u32 pad;
};

enum sp_task_flag {
	SP_TASK_TARGET = 1 << 0,
	SP_TASK_KTHREAD = 1 << 1,
	SP_TASK_BORN = 1 << 2,		/* cloned now; parent is valid */
	SP_TASK_EXEC = 1 << 3,
	SP_TASK_RENAMED = 1 << 4,
	SP_TASK_RT = 1 << 5,		/* real-time priority */
};

/* head.t = seen at, head.tid, head.aux = flags. sizeof 56 */
struct sp_task {
	struct sp_head h;
	__sp_u32 pid;		/* its process */
	__sp_u32 parent;	/* tid of the thread that cloned it, if SP_TASK_BORN */
	__sp_u64 cgroup;	/* id (inode) in the v2 hierarchy, or of the v1 cpu controller */
	__sp_u32 nice;		/* 20 + nice */
	__sp_u32 pad;
	char comm[SP_COMM_LEN];
};

/* head.t, head.tid. sizeof 24 */
struct sp_task_exit {
	struct sp_head h;
	__sp_u32 pid;
	__sp_u32 pad;
};

/* head.aux = CPU. sizeof 32 */
struct sp_sample {
	struct sp_head h;
	__sp_u64 kstack;	/* 0 = was in user mode */
	__sp_u64 ustack;
};

/* head.aux = number of frames, head.tid = pid for user stacks, 0 for kernel ones. */
struct sp_stack {
	struct sp_head h;
	__sp_u64 hash;
	__sp_u64 pc[SP_STACK_MAX];
};

/* How the walk of a user stack ended. */
enum sp_walk_end {
	SP_END_UNKNOWN = 0,
	SP_END_COMPLETE = 1,	/* at the thread's outermost frame */
	SP_END_BROKEN = 2,	/* a frame could not be followed */
	SP_END_DEPTH = 3,	/* more frames than SP_STACK_MAX */
	SP_ENDS = 4,
};

/* hint: what the frame says of its function (V8: SharedFunctionInfo, JSC: callee cell), 0 = nothing. */
struct sp_frame {
	__sp_u64 pc;
	__sp_u64 hint;
};

/* head.aux = number of frames, innermost first, head.tid = pid. sizeof without frames: 32 */
struct sp_walk {
	struct sp_head h;
	__sp_u64 hash;
	__sp_u32 end;		/* enum sp_walk_end */
	__sp_u32 pad;
	struct sp_frame frame[SP_STACK_MAX];
};

/* head.t, head.tid = receiver, head.aux = signal number. sizeof 40 */
struct sp_signal {
	struct sp_head h;
	__sp_u32 sender_tid;
	__sp_u32 sender_pid;
	char sender[SP_COMM_LEN];
};

/* head.aux = 1 frozen, 0 thawed; head.tid = who did it. sizeof 48 */
struct sp_freeze {
	struct sp_head h;
	__sp_u64 cgroup;
	__sp_u32 pid;
	__sp_u32 pad;
	char comm[SP_COMM_LEN];
};

/* head.t, head.tid = thread, head.aux = port in host order. sizeof 24 */
struct sp_listen {
	struct sp_head h;
	__sp_u32 backlog;
	__sp_u32 pid;
};

/*
 * head.t = now, head.tid, head.aux = 1 on CPU, 2 runnable, 3 blocked; since = when it began, 0 = before
 * attach. sizeof 64
 */
struct sp_thread_state {
	struct sp_head h;
	__sp_u64 since;
	__sp_u64 t_wake;	/* runnable since, if aux = 2 and it was blocked before */
	__sp_u64 kstack;
	__sp_u32 pid;
	__sp_u16 sysnr;
	__sp_u8 state;
	__sp_u8 flags;		/* enum sp_off_flag */
	char comm[SP_COMM_LEN];
};

/* head.aux = enum sp_mark_kind. sizeof 16 */
struct sp_unsampled {
	struct sp_head h;
};

/* head.t = end, head.tid = thread it ran on top of, head.aux = vector. sizeof 24 */
struct sp_irq {
	struct sp_head h;
	__sp_u32 ns;
	__sp_u32 softirq;	/* 1 = softirq, 0 = hard interrupt */
};

/*
 * head.t = end (0: still open at detach), head.tid = the thread that began it, head.aux = which span, a
 * number that user space gave. kind and reason are the runtime's own numbers. sizeof 96
 */
struct sp_span {
	struct sp_head h;
	__sp_u64 t_begin;	/* 0 = before attach */
	__sp_u64 t_stopping;	/* when the stop was asked for, 0 = not told */
	__sp_u64 g;		/* the goroutine, where spans are told apart by it */
	__sp_u32 pid;
	__sp_u32 pad;
	__sp_u64 kind;
	__sp_u64 reason;
	char text[32];		/* what the runtime calls it, may be empty */
};

/* Why something was lost. One counter each; append-only. */
enum sp_loss {
	SP_LOSS_RING_REQUEST = 0,	/* ring full: request or exchange */
	SP_LOSS_RING_SCHED = 1,		/* ring full: off-CPU, slice, migrate */
	SP_LOSS_RING_OTHER = 2,		/* ring full: anything else */
	SP_LOSS_SOCK_STATE = 3,		/* no memory for a socket's state */
	SP_LOSS_TASK_STATE = 4,		/* no memory for a thread's state */
	SP_LOSS_STACK = 5,		/* a stack could not be read */
	SP_LOSS_ACCEPT_QUEUE = 6,	/* accept times: too many connections waiting */
	SP_LOSS_MARK = 7,		/* ring full: mark of a read or write */
	SP_LOSS_SWITCH = 8,		/* a switch-in was not seen: see SP_OFF_ESTIMATED */
	SP_LOSS_SPAN = 9,		/* ring full, or too many spans open at once */
	SP_LOSS_CLIENT = 10,		/* the load generator's side: ring full, or no memory */
	SP_LOSS_RETURN = 11,		/* the kernel ran out of return probes: a read or write not seen */
	SP_LOSS_REASONS = 12,
};

/* What was seen but is not measured as requests. One counter each; append-only. */
enum sp_unmeasured {
	SP_UNM_UNIX = 0,	/* reads and writes on Unix sockets */
	SP_UNM_UDP = 1,
	SP_UNM_OTHER_FAMILY = 2,
	SP_UNM_TLS = 3,		/* connections */
	SP_UNM_HTTP2 = 4,	/* connections */
	SP_UNM_OTHER_PROTO = 5,	/* connections */
	SP_UNM_UPGRADED = 6,	/* connections */
	SP_UNM_KINDS = 7,
};

#endif
