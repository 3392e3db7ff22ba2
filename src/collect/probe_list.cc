#include "collect/session.h"

namespace srvprof {

// Costs are those of bpf/README.md's table, made by the benchmark named there.
std::vector<ProbeInfo> list_probes() {
  return {
      {"tp_btf/sock_recv_length", "a request (or a reply) was read", "1-2 a request", false},
      {"tp_btf/sock_send_length", "an answer (or a question) was written", "1-2 a request", false},
      {"tp_btf/sk_data_ready", "the first unread byte arrived", "1 a request", false},
      {"tp_btf/inet_sock_set_state", "connections: handshake, connect, close, listen",
       "2-4 a connection", false},
      {"tp_btf/sched_switch", "off CPU, run queue, who held the CPU", "each switch of the machine",
       false},
      {"tp_btf/sched_waking", "end of a wait, and who ended it", "each wake-up of the machine", false},
      {"tp_btf/sched_wakeup", "the CPU whose queue a thread joined", "each wake-up of the machine",
       false},
      {"tp_btf/sched_wakeup_new", "threads born later", "each new thread", false},
      {"tp_btf/sched_migrate_task", "a queued thread moved to another CPU", "each migration", false},
      {"tp_btf/sched_process_fork", "child processes (--follow-children)", "each fork", false},
      {"tp_btf/sched_process_exec", "a target's new program", "each exec", false},
      {"tp_btf/sched_process_exit", "a thread ended", "each exit", false},
      {"tp_btf/task_rename", "a thread took a name", "rare", false},
      {"tp_btf/signal_generate", "who stopped the target", "each signal of the machine", false},
      {"tp_btf/cgroup_freeze", "who froze the target (v2)", "rare", false},
      {"tp_btf/cgroup_unfreeze", "who thawed it (v2)", "rare", false},
      {"perf_event/cpu-clock", "on-CPU stacks", "99 a second and CPU", true},
      {"uprobe", "garbage collections of the target's runtime", "2 or 3 a collection", true},
      {"iter/task", "state of every thread", "once at attach and detach", false},
      {"iter/task_file", "connections that are open at attach", "once at attach", false},
      {"iter/bpf_sk_storage_map", "requests in flight at detach", "once at detach", false},
      {"tp_btf/sched_switch (client)", "off CPU and run queue of the load generator (attach -- LOAD, --client)",
       "each switch of the machine", true},
      {"tp_btf/sched_waking (client)", "the same", "each wake-up of the machine", true},
      {"tp_btf/sched_wakeup_new (client)", "its threads born later", "each new thread", true},
      {"tp_btf/sched_process_fork (client)", "its child processes", "each fork", true},
      {"tp_btf/tcp_sendmsg_locked (client)", "when a request's send began", "each TCP send of the machine", true},
      {"tp_btf/softirq_entry", "softirqs on top of the target (--irq)", "each softirq", true},
      {"tp_btf/softirq_exit", "softirqs on top of the target (--irq)", "each softirq", true},
      {"tp_btf/irq_handler_entry", "interrupts on top of the target (--irq)", "each interrupt", true},
      {"tp_btf/irq_handler_exit", "interrupts on top of the target (--irq)", "each interrupt", true},
  };
}

}  // namespace srvprof
