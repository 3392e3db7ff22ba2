#include "collect/capture_path.h"

#include <bpf/libbpf.h>

#include <fmt/format.h>

#include "collect/kernel_types.h"
#include "collect/skeleton.h"

namespace srvprof {
namespace {

using Way = CapturePath::Way;

// The first is asked for by few kernels only: tried_by_itself().
constexpr CapturePath kPaths[] = {
    {Way::kPerf, "perf", "socket tracepoints as events of perf", ""},
    {Way::kSock, "sock", "socket tracepoints", ""},
    {Way::kFexit, "fexit", "BPF trampolines on TCP's functions",
     "reads and writes on Unix and UDP sockets (not even counted)"},
    {Way::kKprobe, "kprobe", "kprobes on TCP's functions",
     "reads and writes on Unix and UDP sockets (not even counted)"},
    {Way::kSys, "sys", "the exit of system calls, and tcp_probe",
     "io_uring, splice, recvmmsg and sendmmsg; bytes that come with the end of a handshake"},
};

Error lacks(const CapturePath& path, const std::string& what) {
  return Error{fmt::format("capturing by {}: this kernel has no {}", path.name, what),
               "`srvprof doctor` tells which ways this kernel has", ErrorKind::kKernel};
}

Status has_tracepoints(const CapturePath& path, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (!kernel_has_tracepoint(name)) return lacks(path, fmt::format("tracepoint {}", name));
  }
  return {};
}

Status has_functions(const CapturePath& path) {
  const auto args = kernel_function_args("tcp_recvmsg");
  if (!args) return lacks(path, "function tcp_recvmsg");
  if (*args < 4 || *args > 6) return lacks(path, "tcp_recvmsg as it is known here");
  for (const char* name : {"tcp_sendmsg", "sock_def_readable"}) {
    if (!kernel_function_args(name)) return lacks(path, fmt::format("function {}", name));
  }
  return {};
}

bool has_sendpage() { return kernel_function_args("tcp_sendpage").has_value(); }

void add_fexit(srvprof_bpf& skel, std::vector<bpf_program*>& out) {
  auto& p = skel.progs;
  const unsigned args = kernel_function_args("tcp_recvmsg").value_or(0);
  out.push_back(args == 6 ? p.sp_fexit_recv_6 : args == 5 ? p.sp_fexit_recv_5 : p.sp_fexit_recv_4);
  out.push_back(p.sp_fexit_send);
  out.push_back(p.sp_fentry_ready);
  if (has_sendpage()) out.push_back(p.sp_fexit_sendpage);
}

// Where tracepoints may be preempted, perf tells of a connection's begin and end.
void add_states(bool by_perf, srvprof_bpf& skel, std::vector<bpf_program*>& out) {
  auto& p = skel.progs;
  if (by_perf) {
    out.insert(out.end(), {p.sp_event_state, p.sp_event_handshake, p.sp_event_destroy});
  } else {
    out.insert(out.end(), {p.sp_fallback_state, p.sp_fallback_destroy});
  }
}

void add_kprobe(srvprof_bpf& skel, std::vector<bpf_program*>& out) {
  auto& p = skel.progs;
  out.insert(out.end(), {p.sp_kprobe_recv, p.sp_kretprobe_recv, p.sp_kprobe_send, p.sp_kretprobe_send,
                         p.sp_kprobe_ready});
  if (has_sendpage()) out.insert(out.end(), {p.sp_kprobe_sendpage, p.sp_kretprobe_sendpage});
}

// Task storage in tracing programs came with 5.12 (commit a10787e6d58c): told by a helper of 5.13.
bool has_task_storage() {
  return kernel_has_helper("task_storage_get") && kernel_has_helper("for_each_map_elem");
}

}  // namespace

std::span<const CapturePath> capture_paths() { return kPaths; }

const CapturePath* find_capture_path(std::string_view name) {
  for (const CapturePath& path : kPaths) {
    if (path.name == name) return &path;
  }
  return nullptr;
}

bool tried_by_itself(const CapturePath& path) { return path.way != Way::kPerf || kernel_preempts_tracepoints(); }

// Functions are entered preemptible, too, but that matters little until kernels are preempted by default.
bool kernel_may_skip(const CapturePath& path) {
  return kernel_preempts_tracepoints() && path.way != Way::kPerf && path.way != Way::kKprobe;
}

bool has_clients(const CapturePath& path) { return path.way == Way::kSock || path.way == Way::kPerf; }

Status kernel_may_have(const CapturePath& path) {
  switch (path.way) {
    case Way::kPerf:
    case Way::kSock: return has_tracepoints(path, {"sock_recv_length", "sock_send_length", "sk_data_ready"});
    case Way::kFexit:
    case Way::kKprobe: return has_functions(path);
    case Way::kSys: return has_tracepoints(path, {"sys_exit", "tcp_probe", "tcp_destroy_sock"});
  }
  return {};
}

std::vector<bpf_program*> programs_of(const CapturePath& path, srvprof_bpf& skel) {
  auto& p = skel.progs;
  if (path.way == Way::kSock) {
    return {p.sp_inet_sock_set_state, p.sp_sk_data_ready, p.sp_sock_recv_length,
            p.sp_sock_send_length, p.sp_iter_file, p.sp_iter_sock};
  }
  std::vector<bpf_program*> out = {p.sp_fallback_iter_file, p.sp_fallback_iter_sock};
  add_states(path.way == Way::kPerf || (path.way == Way::kKprobe && kernel_preempts_tracepoints()), skel, out);
  if (path.way == Way::kPerf) out.insert(out.end(), {p.sp_event_recv, p.sp_event_send, p.sp_event_ready});
  if (path.way == Way::kFexit) add_fexit(skel, out);
  if (path.way == Way::kKprobe) add_kprobe(skel, out);
  if (path.way == Way::kSys) out.insert(out.end(), {p.sp_sys_exit, p.sp_tcp_probe});
  return out;
}

void choose_programs(const CapturePath& path, bool irq, srvprof_bpf& skel) {
  auto& p = skel.progs;
  auto& m = skel.maps;
  // Fallbacks are off unless chosen; the main way is on unless another one is.
  for (bpf_program* program : programs_of(*find_capture_path("sock"), skel)) bpf_program__set_autoload(program, false);
  for (bpf_program* program : programs_of(path, skel)) bpf_program__set_autoload(program, true);
  const bool sock = path.way == Way::kSock;
  bpf_map__set_autocreate(m.socks, sock);
  bpf_map__set_autocreate(m.socks_by_address, !sock);
  bpf_map__set_autocreate(m.inside, path.way == Way::kKprobe);
  skel.rodata->cfg.recv_args = kernel_function_args("tcp_recvmsg").value_or(0);

  skel.rodata->cfg.thread_hash = !has_task_storage();
  bpf_map__set_autocreate(m.threads, has_task_storage());
  bpf_map__set_autocreate(m.threads_by_tid, !has_task_storage());

  const bool old_switch = tracepoint_args("sched_switch").value_or(4) < 4;
  bpf_program__set_autoload(p.sp_sched_switch, !old_switch);
  bpf_program__set_autoload(p.sp_sched_switch_old, old_switch);
  const bool callbacks = kernel_has_helper("for_each_map_elem");
  bpf_program__set_autoload(p.sp_sample_tick, callbacks);
  bpf_program__set_autoload(p.sp_sample_tick_old, !callbacks);
  for (bpf_program* program : {p.sp_span_hit, p.sp_span_return}) {
    bpf_program__set_autoload(program, kernel_has_cookies());
  }
  for (bpf_program* program : {p.sp_softirq_entry, p.sp_softirq_exit, p.sp_irq_entry, p.sp_irq_exit}) {
    bpf_program__set_autoload(program, irq);
  }
}

Status kernel_may_walk() {
  if (kernel_has_helper("loop")) return {};
  return Error{"this kernel has no bpf_loop (Linux 5.17)", "", ErrorKind::kKernel};
}

bool kernel_has_cookies() { return kernel_has_helper("get_attach_cookie"); }

}  // namespace srvprof
