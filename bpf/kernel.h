/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's types, cut to the fields that srvprof reads. CO-RE finds the offsets on the running
 * kernel, so only names and types matter here, not layout. No vmlinux.h: this builds on a machine
 * without BTF. Numbers of the ABI (AF_*, states, signals) come from the kernel's uapi headers.
 */
#ifndef SRVPROF_KERNEL_H
#define SRVPROF_KERNEL_H

typedef unsigned char __u8;
typedef signed char __s8;
typedef unsigned short __u16;
typedef signed short __s16;
typedef unsigned int __u32;
typedef signed int __s32;
typedef unsigned long long __u64;
typedef signed long long __s64;
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s64 s64;
typedef __s16 s16;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef __u16 __sum16;
typedef _Bool bool;
#define true 1
#define false 0
#ifndef NULL
#define NULL ((void *)0)
#endif

/* enum bpf_map_type, uapi/linux/bpf.h */
enum {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_SK_STORAGE = 24,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};
enum {
	BPF_ANY = 0,
	BPF_NOEXIST = 1,
};
enum {
	BPF_F_NO_PREALLOC = 1,
	BPF_F_MMAPABLE = 1024,
};
enum {
	BPF_SK_STORAGE_GET_F_CREATE = 1,
	BPF_LOCAL_STORAGE_GET_F_CREATE = 1,
};
enum {
	BPF_RB_NO_WAKEUP = 1,
	BPF_RB_FORCE_WAKEUP = 2,
};
enum {
	BPF_F_USER_STACK = 256,
};

/* net/tcp_states.h */
enum {
	TCP_ESTABLISHED = 1,
	TCP_SYN_SENT = 2,
	TCP_SYN_RECV = 3,
	TCP_FIN_WAIT1 = 4,
	TCP_FIN_WAIT2 = 5,
	TCP_TIME_WAIT = 6,
	TCP_CLOSE = 7,
	TCP_CLOSE_WAIT = 8,
	TCP_LAST_ACK = 9,
	TCP_LISTEN = 10,
};

enum {
	AF_UNIX = 1,
	AF_INET = 2,
	AF_INET6 = 10,
	IPPROTO_TCP = 6,
	IPPROTO_UDP = 17,
	MSG_PEEK = 2,
	EAGAIN = 11,
	S_IFMT = 0170000,
	S_IFSOCK = 0140000,
	PF_KTHREAD = 0x00200000,
};

/* Helpers that not every kernel has, uapi/linux/bpf.h: bpf_core_enum_value_exists tells. */
enum bpf_func_id {
	BPF_FUNC_get_current_task_btf = 158,	/* 5.11, commit 3ca1032ab7ab */
	BPF_FUNC_task_pt_regs = 175,		/* 5.15, commit dd6e10fbd9fb */
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct thread_info {
	u32 cpu;
};

struct cfs_bandwidth {
	u64 quota;
	int nr_throttled;
	u64 throttled_time;
};

struct task_group {
	struct cfs_bandwidth cfs_bandwidth;
};

struct rq {
	u64 prev_steal_time_rq;
};

struct cfs_rq {
	struct rq *rq;
	int throttle_count;
	u64 throttled_clock_self_time;	/* since 6.6, commit 79462e8c879a */
	u64 throttled_clock_pelt_time;	/* since 5.19, commit 64eaf50731ac */
};

struct cfs_rq___old {
	u64 throttled_clock_task_time;	/* the same before */
};

struct files_struct;

struct sched_entity {
	u64 sum_exec_runtime;
	struct cfs_rq *cfs_rq;
};

struct kernfs_node {
	u64 id;
};

struct cgroup {
	struct kernfs_node *kn;
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
};

enum cgroup_subsys_id {
	cpu_cgrp_id,
	cgroup_subsys_count__local = 16,
};

struct css_set {
	struct cgroup_subsys_state *subsys[16];
	struct cgroup *dfl_cgrp;
};

#if defined(__TARGET_ARCH_x86)
struct thread_struct {
	unsigned long fsbase;
};
#endif

struct task_struct {
	struct thread_info thread_info;
	unsigned int flags;
	unsigned int on_cpu;	/* int; u8 in the BTF of 7.2: unsigned, or libbpf would not resize the read */
	int prio;
	int static_prio;
	unsigned int __state;		/* since 5.14, commit 2f064a59a11f */
	struct sched_entity se;
	bool throttled;			/* since 6.18: throttling per task, commit 7fc2d1439247 */
	struct task_group *sched_task_group;
	unsigned in_iowait : 1;
	u32 pid;			/* pid_t in the kernel */
	u32 tgid;
	struct task_struct *real_parent;
	struct css_set *cgroups;
	struct files_struct *files;
	void *stack;
	unsigned long min_flt;
	unsigned long maj_flt;
	char comm[16];
#if defined(__TARGET_ARCH_x86)
	struct thread_struct thread;
#endif
};

/* Before __state, commit 2f064a59a11f. */
struct task_struct___old {
	long state;
	int cpu;		/* before 5.16 outside of thread_info, commit bcf9033e5449 */
};

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long r14;
	unsigned long bp;
	unsigned long r10;
	unsigned long r8;
	unsigned long ax;
	unsigned long cx;
	unsigned long dx;
	unsigned long si;
	unsigned long di;
	unsigned long orig_ax;
	unsigned long ip;
	unsigned long sp;
};
#elif defined(__TARGET_ARCH_arm64)
struct user_pt_regs {
	u64 regs[31];
	u64 sp;
	u64 pc;
	u64 pstate;
};
struct pt_regs {
	union {
		struct user_pt_regs user_regs;
		struct {
			u64 regs[31];
			u64 sp;
			u64 pc;
			u64 pstate;
		};
	};
	u64 orig_x0;
	int syscallno;
};
#endif

struct in6_addr {
	union {
		u8 u6_addr8[16];
	} in6_u;
};

struct ns_common {
	unsigned int inum;
};

struct net {
	struct ns_common ns;
};

typedef struct {
	struct net *net;
} possible_net_t;

struct sock_common {
	__be32 skc_daddr;
	__be32 skc_rcv_saddr;
	__be16 skc_dport;
	u16 skc_num;
	unsigned short skc_family;
	volatile unsigned char skc_state;
	possible_net_t skc_net;
	struct in6_addr skc_v6_daddr;
	struct in6_addr skc_v6_rcv_saddr;
};

struct socket {
	struct sock *sk;
};

struct bpf_local_storage;

struct sock {
	struct sock_common __sk_common;
	struct bpf_local_storage *sk_bpf_storage;
	struct socket *sk_socket;
	u16 sk_protocol;
	int sk_err;
	u32 sk_max_ack_backlog;
};

struct tcp_sock {
	u32 rcv_nxt;
	u32 copied_seq;
};

struct inode {
	unsigned short i_mode;
};

struct file {
	struct inode *f_inode;
	void *private_data;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct sk_buff {
	unsigned int len;
	unsigned char *data;
};

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

struct bpf_iter__task_file {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
	u32 fd;
	struct file *file;
};

struct bpf_map;

struct bpf_iter__bpf_map_elem {
	struct bpf_iter_meta *meta;
	struct bpf_map *map;
	void *key;
	void *value;
};

struct bpf_iter__bpf_sk_storage_map {
	struct bpf_iter_meta *meta;
	struct bpf_map *map;
	struct sock *sk;
	void *value;
};

/* Events of perf, include/trace/events: sock_recv_length and sock_send_length, and tcp_destroy_sock. */
struct trace_event_raw_sock_msg_length {
	void *sk;
	int ret;
	int flags;
};

struct trace_event_raw_inet_sock_set_state {
	const void *skaddr;
	int oldstate;
	int newstate;
	u16 protocol;
};

struct trace_event_raw_tcp_event_sk {
	const void *skaddr;
};

#pragma clang attribute pop

struct bpf_perf_event_data;

#endif
