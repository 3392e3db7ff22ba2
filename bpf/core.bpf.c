// SPDX-License-Identifier: GPL-2.0-only
/* Defines the shared maps and variables, see core.bpf.h. */
#define SRVPROF_CORE
#include "core.bpf.h"
#include "accept.h"
#include "socket.bpf.h"
#include "unwind.bpf.h"

char LICENSE[] SEC("license") = "GPL";
