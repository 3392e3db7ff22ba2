/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the ways of capture for kernels without the socket tracepoints (before 6.3). Only the hooks and the
 * place of a socket's state differ from the main way: sockets are addresses here, and what is read of them is
 * copied with care.
 */
#ifndef SRVPROF_FALLBACK_H
#define SRVPROF_FALLBACK_H

#define SP_FALLBACK
#include "connection.h"

/* The TCP or other socket behind an open file, NULL if it is none. */
SP_INLINE struct sock *sock_of_file(struct file *file)
{
	struct socket *socket;

	if ((BPF_CORE_READ(file, f_inode, i_mode) & S_IFMT) != S_IFSOCK)
		return NULL;
	socket = BPF_CORE_READ(file, private_data);
	return BPF_CORE_READ(socket, sk);
}

SP_INLINE bool current_is_target(void)
{
	return shared.active && sp_is_target(bpf_get_current_pid_tgid() >> 32);
}

#endif
