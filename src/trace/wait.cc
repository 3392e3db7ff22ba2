#include "trace/wait.h"

#include <algorithm>
#include <array>

#include "trace/flags.h"

namespace srvprof {
namespace {

struct Prefix {
  std::string_view name;  // a function of that name or one that begins with it, e.g. "foo.isra.0"
  Wait wait;
};

// Kernels 5.10 to 6.18. The order does not matter: the innermost function of the stack decides.
constexpr Prefix kFunctions[] = {
    {"do_epoll_wait", Wait::kEvents},
    {"ep_poll", Wait::kEvents},
    {"do_sys_poll", Wait::kEvents},
    {"do_poll", Wait::kEvents},
    {"do_select", Wait::kEvents},
    {"io_cqring_wait", Wait::kEvents},
    {"eventfd_read", Wait::kEvents},
    {"inet_csk_accept", Wait::kAccept},
    {"inet_csk_wait_for_connect", Wait::kAccept},
    {"sk_wait_data", Wait::kSocket},
    {"tcp_recvmsg", Wait::kSocket},
    {"inet_recvmsg", Wait::kSocket},
    {"__skb_wait_for_more_packets", Wait::kSocket},
    {"sk_stream_wait_memory", Wait::kSend},
    {"sock_wait_for_wmem", Wait::kSend},
    {"sock_alloc_send_pskb", Wait::kSend},
    {"inet_wait_for_connect", Wait::kConnect},
    {"__inet_stream_connect", Wait::kConnect},
    {"futex_wait", Wait::kFutex},
    {"futex_lock_pi", Wait::kFutex},
    {"do_futex", Wait::kFutex},
    {"rwsem_down_", Wait::kKernelLock},
    {"__mutex_lock", Wait::kKernelLock},
    {"__ww_mutex_lock", Wait::kKernelLock},
    {"rt_mutex_slowlock", Wait::kKernelLock},
    {"__down", Wait::kKernelLock},
    {"percpu_rwsem_wait", Wait::kKernelLock},
    {"locks_lock_inode_wait", Wait::kKernelLock},
    {"fcntl_setlk", Wait::kKernelLock},
    {"do_flock", Wait::kKernelLock},
    {"folio_wait_", Wait::kDisk},
    {"wait_on_page_", Wait::kDisk},
    {"__wait_on_buffer", Wait::kDisk},
    {"wait_on_page_bit", Wait::kDisk},
    {"balance_dirty_pages", Wait::kDisk},
    {"jbd2_", Wait::kDisk},
    {"xfs_", Wait::kDisk},
    {"btrfs_", Wait::kDisk},
    {"ext4_", Wait::kDisk},
    {"blk_", Wait::kDisk},
    {"blkdev_", Wait::kDisk},
    {"submit_bio", Wait::kDisk},
    {"bio_", Wait::kDisk},
    {"rq_qos_wait", Wait::kDisk},
    {"wbt_wait", Wait::kDisk},
    {"__blkdev_", Wait::kDisk},
    {"iomap_", Wait::kDisk},
    {"filemap_", Wait::kDisk},
    {"nfs_", Wait::kDisk},
    {"request_wait_answer", Wait::kDisk},  // FUSE
    {"handle_userfault", Wait::kFault},
    {"do_swap_page", Wait::kFault},
    {"swap_read", Wait::kFault},
    {"__do_fault", Wait::kFault},
    {"handle_mm_fault", Wait::kFault},
    {"do_user_addr_fault", Wait::kFault},
    {"exc_page_fault", Wait::kFault},
    {"do_page_fault", Wait::kFault},
    {"mem_cgroup_handle_over_high", Wait::kFault},
    {"try_to_free_", Wait::kFault},
    {"shrink_", Wait::kFault},
    {"pipe_write", Wait::kPipe},
    {"pipe_read", Wait::kPipe},
    {"anon_pipe_write", Wait::kPipe},
    {"anon_pipe_read", Wait::kPipe},
    {"pipe_wait_", Wait::kPipe},
    {"unix_stream_", Wait::kPipe},
    {"unix_dgram_", Wait::kPipe},
    {"unix_wait_for_peer", Wait::kPipe},
    {"do_nanosleep", Wait::kSleep},
    {"hrtimer_nanosleep", Wait::kSleep},
    {"do_signal_stop", Wait::kStopped},
    {"do_jobctl_trap", Wait::kStopped},
    {"ptrace_stop", Wait::kStopped},
    {"ptrace_do_notify", Wait::kStopped},
    {"__refrigerator", Wait::kStopped},
    {"do_freezer_trap", Wait::kStopped},
    {"cgroup_enter_frozen", Wait::kStopped},
    // Innermost but for schedule: the version 2 freezer, inlined (CAUSES: looks like a plain
    // sleep).
    {"get_signal", Wait::kStopped},
};

struct Syscall {
  std::uint16_t x86, arm64;  // 0xffff: does not exist
  Wait wait;
};

constexpr std::uint16_t kNo = 0xffff;
constexpr std::uint32_t kSyscallEnd = 1024;  // beyond: "none"

constexpr Syscall kSyscalls[] = {
    {232, kNo, Wait::kEvents},  // epoll_wait
    {281, 22, Wait::kEvents},   // epoll_pwait
    {441, 441, Wait::kEvents},  // epoll_pwait2
    {7, kNo, Wait::kEvents},    // poll
    {271, 73, Wait::kEvents},   // ppoll
    {23, kNo, Wait::kEvents},   // select
    {270, 72, Wait::kEvents},   // pselect6
    {426, 426, Wait::kEvents},  // io_uring_enter
    {43, 202, Wait::kAccept},   // accept
    {288, 242, Wait::kAccept},  // accept4
    {0, 63, Wait::kSocket},    // read: of what, only the stack tells; sockets are what servers read
    {19, 65, Wait::kSocket},   // readv
    {45, 207, Wait::kSocket},  // recvfrom
    {47, 212, Wait::kSocket},  // recvmsg
    {44, 206, Wait::kSend},    // sendto
    {46, 211, Wait::kSend},    // sendmsg
    {42, 203, Wait::kConnect},    // connect
    {202, 98, Wait::kFutex},      // futex
    {449, 449, Wait::kFutex},     // futex_waitv
    {73, 32, Wait::kKernelLock},  // flock
    {74, 82, Wait::kDisk},        // fsync
    {75, 83, Wait::kDisk},        // fdatasync
    {277, 84, Wait::kDisk},       // sync_file_range
    {17, 67, Wait::kDisk},        // pread64
    {18, 68, Wait::kDisk},        // pwrite64
    {35, 101, Wait::kSleep},      // nanosleep
    {230, 115, Wait::kSleep},     // clock_nanosleep
    {40, 71, Wait::kSend},        // sendfile
    {1, 64, Wait::kUnknown},      // write: socket, pipe or file
    {20, 66, Wait::kUnknown},     // writev
};

bool is_page_fault_entry(std::string_view name) {
  return name.starts_with("exc_page_fault") || name.starts_with("asm_exc_page_fault") ||
         name.starts_with("do_user_addr_fault") || name.starts_with("do_page_fault") ||
         name.starts_with("do_mem_abort");
}

}  // namespace

Wait wait_of_kernel_function(std::string_view name) {
  for (const Prefix& f : kFunctions) {
    if (name.starts_with(f.name)) return f.wait;
  }
  return Wait::kNone;
}

WaitClassifier::WaitClassifier(const Trace& trace) : trace_(trace) {
  const auto it = trace.meta.find("host.machine");
  arm64_ = it != trace.meta.end() && it->second == "aarch64";
}

Wait WaitClassifier::of_stack(std::uint64_t hash) {
  const auto [it, added] = by_stack_.try_emplace(hash, Wait::kUnknown);
  if (!added) return it->second;
  const auto stack = trace_.stacks.find(hash);
  if (stack == trace_.stacks.end()) return Wait::kUnknown;
  Wait wait = Wait::kNone;
  bool in_fault = false;
  for (const std::uint64_t pc : stack->second.pcs) {
    const auto frames = trace_.frames.find({0, pc});
    if (frames == trace_.frames.end()) continue;
    for (const rows::Frame& frame : frames->second) {
      if (wait == Wait::kNone) wait = wait_of_kernel_function(frame.function);
      in_fault = in_fault || is_page_fault_entry(frame.function);
    }
  }
  // A page that has to come from disk for a fault is a fault.
  if (in_fault && (wait == Wait::kDisk || wait == Wait::kNone)) wait = Wait::kFault;
  it->second = wait == Wait::kNone ? Wait::kUnknown : wait;
  return it->second;
}

Wait WaitClassifier::of_syscall(std::uint32_t nr) const {
  for (const Syscall& call : kSyscalls) {
    const std::uint16_t number = arm64_ ? call.arm64 : call.x86;
    if (number != kNo && number == nr) return call.wait;
  }
  return Wait::kUnknown;
}

Wait WaitClassifier::classify(const OffInterval& off) {
  if (off.t_wake <= off.t_out) return Wait::kNone;
  // A letter of its own; only the freezers hide behind S and D.
  if (off.state == 'T' || off.state == 't') return Wait::kStopped;
  if (off.kstack != 0) {
    const Wait wait = of_stack(off.kstack);
    if (wait != Wait::kUnknown) return wait;
  }
  if ((off.flags & kOffNoStart) != 0 && off.sysnr == 0) return Wait::kUnknown;
  const bool from_syscall =
      (off.flags & kOffFromSyscall) != 0 || (off.sysnr != 0 && off.sysnr < kSyscallEnd);
  if (!from_syscall) {
    // Not in a system call: what else blocks is a page fault, if it sleeps at all.
    return off.state == 'D' || off.state == 'S' ? Wait::kFault : Wait::kUnknown;
  }
  const Wait wait = of_syscall(off.sysnr);
  const bool disk_like = wait == Wait::kSocket || wait == Wait::kUnknown;
  if (off.state == 'D' && ((off.flags & kOffIowait) != 0 || disk_like)) return Wait::kDisk;
  return wait;
}

}  // namespace srvprof
