// What the socket tables of /proc do not tell, asked over NETLINK_SOCK_DIAG.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <unordered_map>

#include "base/result.h"
#include "target/proc_fs.h"

namespace srvprof {

// The length of the accept queue (the smaller of listen()'s backlog and somaxconn) of every TCP
// listener in the network namespace of `pid`, by socket inode. In another namespace than ours it is
// asked from a thread of its own, which enters that namespace (needs CAP_SYS_ADMIN) and ends.
Result<std::unordered_map<std::uint64_t, std::uint32_t>> query_listen_backlogs(const ProcFs& fs,
                                                                               pid_t pid);

}  // namespace srvprof
