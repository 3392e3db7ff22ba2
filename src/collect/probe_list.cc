#include "collect/capture_path.h"
#include "collect/kernel_types.h"
#include "collect/session.h"

namespace srvprof {
namespace {

// Costs are those of bpf/README.md's table, made by the benchmark named there.
constexpr const char* kEachCall = "each system call of the machine: +0.1 us";

struct PathProbe {
  const char* paths;  // names of the ways of capture that have it, in blanks
  const char *name, *purpose, *cost;
};
constexpr PathProbe kPathProbes[] = {
    {" sock ", "tp_btf/sock_recv_length", "a request (or a reply) was read", "1-2 a request"},
    {" sock ", "tp_btf/sock_send_length", "an answer (or a question) was written", "1-2 a request"},
    {" perf ", "tp/sock/sock_recv_length", "a request (or a reply) was read", "1-2 a request"},
    {" perf ", "tp/sock/sock_send_length", "an answer (or a question) was written", "1-2 a request"},
    {" perf ", "tp/sock/inet_sock_set_state", "connections: connect, close, listen", "2-4 a connection"},
    {" perf ", "tp/tcp/tcp_destroy_sock", "a socket's state can go", "1 a connection"},
    {" sock perf ", "tp_btf/sk_data_ready", "the first unread byte arrived", "1 a request"},
    {" fexit ", "fexit/tcp_recvmsg", "a request (or a reply) was read", "1-2 a request"},
    {" fexit ", "fexit/tcp_sendmsg", "an answer (or a question) was written", "1-2 a request"},
    {" fexit ", "fentry/sock_def_readable", "the first unread byte arrived", "1 a request"},
    {" kprobe ", "kprobe/tcp_recvmsg", "a request is being read", "1-2 a request"},
    {" kprobe ", "kretprobe/tcp_recvmsg", "a request (or a reply) was read", "1-2 a request"},
    {" kprobe ", "kprobe/tcp_sendmsg", "an answer is being written", "1-2 a request"},
    {" kprobe ", "kretprobe/tcp_sendmsg", "an answer (or a question) was written", "1-2 a request"},
    {" kprobe ", "kprobe/sock_def_readable", "the first unread byte arrived", "1 a request"},
    {" sys ", "tp_btf/sys_exit", "requests were read, answers written", kEachCall},
    {" sys ", "tp_btf/tcp_probe", "the first unread byte arrived", "each segment of the machine"},
    {" fexit kprobe sys ", "tp_btf/tcp_destroy_sock", "a socket's state can go", "1 a connection"},
    {" sock ", "iter/bpf_sk_storage_map", "requests in flight at detach", "once at detach"},
    {" perf fexit kprobe sys ", "iter/bpf_map_elem", "requests in flight at detach", "once at detach"},
};

constexpr bool kOptional = true;

const std::vector<ProbeInfo>& common_probes() {
  static const std::vector<ProbeInfo> probes = {
      {"tp_btf/inet_sock_set_state", "connections: handshake, connect, close, listen",
       "2-4 a connection"},
      {"tp_btf/sched_switch", "off CPU, run queue, who held the CPU", "each switch of the machine"},
      {"tp_btf/sched_waking", "end of a wait, and who ended it", "each wake-up of the machine"},
      {"tp_btf/sched_wakeup", "the CPU whose queue a thread joined", "each wake-up of the machine"},
      {"tp_btf/sched_wakeup_new", "threads born later", "each new thread"},
      {"tp_btf/sched_migrate_task", "a queued thread moved to another CPU", "each migration"},
      {"tp_btf/sched_process_fork", "child processes (--follow-children)", "each fork"},
      {"tp_btf/sched_process_exec", "a target's new program", "each exec"},
      {"tp_btf/sched_process_exit", "a thread ended", "each exit"},
      {"tp_btf/task_rename", "a thread took a name", "rare"},
      {"tp_btf/signal_generate", "who stopped the target", "each signal of the machine"},
      {"tp_btf/cgroup_freeze", "who froze the target (v2)", "rare"},
      {"tp_btf/cgroup_unfreeze", "who thawed it (v2)", "rare"},
      {"perf_event/cpu-clock", "on-CPU stacks", "99 a second and CPU", kOptional},
      {"uprobe", "garbage collections of the target's runtime", "2 or 3 a collection", kOptional},
      {"iter/task", "state of every thread", "once at attach and detach"},
      {"iter/task_file", "connections that are open at attach", "once at attach"},
      {"tp_btf/sched_switch (client)", "off CPU and run queue of the load generator (attach -- LOAD, --client)",
       "each switch of the machine", kOptional},
      {"tp_btf/sched_waking (client)", "the same", "each wake-up of the machine", kOptional},
      {"tp_btf/sched_wakeup_new (client)", "its threads born later", "each new thread", kOptional},
      {"tp_btf/sched_process_fork (client)", "its child processes", "each fork", kOptional},
      {"tp_btf/tcp_sendmsg_locked (client)", "when a request's send began", "each TCP send of the machine", kOptional},
      {"tp_btf/softirq_entry", "softirqs on top of the target (--irq)", "each softirq", kOptional},
      {"tp_btf/softirq_exit", "softirqs on top of the target (--irq)", "each softirq", kOptional},
      {"tp_btf/irq_handler_entry", "interrupts on top of the target (--irq)", "each interrupt", kOptional},
      {"tp_btf/irq_handler_exit", "interrupts on top of the target (--irq)", "each interrupt", kOptional},
  };
  return probes;
}

}  // namespace

std::vector<ProbeInfo> list_probes(const std::string& capture) {
  std::string name = capture;
  if (capture == "auto") {
    for (const CapturePath& path : capture_paths()) {
      if (!tried_by_itself(path)) continue;
      name = path.name;
      if (kernel_may_have(path).ok()) break;
    }
  }
  std::vector<ProbeInfo> out;
  for (const PathProbe& p : kPathProbes) {
    const bool main = std::string_view(p.paths).starts_with(" sock ");
    if (!name.empty() && std::string_view(p.paths).find(" " + name + " ") == std::string_view::npos) continue;
    out.push_back({p.name, p.purpose, p.cost, name.empty() && !main});
  }
  for (const ProbeInfo& p : common_probes()) {
    if (name.empty() || name == "sock" || name == "perf" || !p.name.ends_with("(client)")) out.push_back(p);
  }
  return out;
}

std::vector<std::string> capture_ways() {
  std::vector<std::string> names = {"auto"};
  for (const CapturePath& path : capture_paths()) names.emplace_back(path.name);
  return names;
}

}  // namespace srvprof
