// Facts about the machine and the run that the causes weigh a claim against. Computed once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/report.h"
#include "trace/model.h"

namespace srvprof {

// Whose task it is, seen from the target.
enum class Owner { kUnknown, kTarget, kLoadGenerator, kSelf, kOther };

Owner owner_of(const Trace& trace, std::uint32_t tid);
const Task* find_task(const Trace& trace, std::uint32_t tid);        // null if not recorded
const Process* find_process(const Trace& trace, std::uint32_t pid);  // null if not recorded
const Thread* find_thread(const Trace& trace, std::uint32_t tid);    // null if not the target's
bool is_kernel_thread(const Task& task);
bool is_real_time(const Task& task);

// A task as the reader knows it: "wrk (pid 4310)", "kworker/0:1 (kernel thread)", and a thread of
// the target as "libuv-worker (tid 4250)".
std::string task_words(const Trace& trace, std::uint32_t tid);
std::string remote_words(const Conn& conn);  // "127.0.0.1:5432", "[::1]:80"
std::string process_words(const Trace& trace, std::uint32_t pid);

// Limits and counters of the target's cgroup between two instants (the rows nearest before them).
struct QuotaUse {
  bool recorded = false;
  std::string cgroup;
  Duration quota{}, period{};  // quota zero = none
  std::uint64_t periods = 0, throttled = 0;
  Duration throttled_time{};
};
QuotaUse quota_use(const Trace& trace, Time from, Time to);

// Growth of the counters whose name begins with `prefix`, summed; nothing if none was recorded.
std::optional<std::uint64_t> counter_growth(const Trace& trace, std::string_view prefix, Time from,
                                            Time to);

struct Facts {
  unsigned cpus = 0;                    // of the machine, 0 = not recorded
  std::vector<MachineProcess> machine;  // by CPU use; pid 0 = all below 0.1 %
  double target_cpus = 0, generator_cpus = 0, generator_runq = 0, total_cpus = 0;
  double target_idle_share = 0;  // of the loaded time: no thread on or waiting for a CPU
  bool idle_known = false;
  const MachineProcess* busiest_other() const;  // neither target nor load generator; null if none
};
Facts facts_of(const Trace& trace, const std::vector<LoadPhase>& phases);

}  // namespace srvprof
