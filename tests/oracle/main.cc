// stack_oracle PID SECONDS HZ [RUNTIME]: samples a process, walks each stack three times, prints one line of JSON.
// Exit code 0, 2 usage, 3 the kernel refuses.
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "collect/stack_tables.h"
#include "compare.h"
#include "dwarf_walk.h"
#include "skeleton.h"

namespace srvprof {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kMaxDwarf = 4000;  // stacks of each kind that libdw walks: it takes its time

struct Oracle {
  pid_t pid = 0;
  bool switches = false;
  bool python = false;  // frames of the interpreter's loop are told once for each Python function
  StackTables* tables = nullptr;
  DwarfWalker* dwarf = nullptr;
  Tally on, off;
};

int on_copy(void* context, void* data, std::size_t size) {
  auto& o = *static_cast<Oracle*>(context);
  if (size < sizeof(oracle_copy)) return 0;
  const auto& copy = *static_cast<const oracle_copy*>(data);
  if (copy.walk.hash == 0) return 0;
  Tally& t = copy.off_cpu != 0 ? o.off : o.on;
  ++t.stacks;
  t.walk_ns.push_back(copy.walk_ns);
  t.kernel_ns.push_back(copy.kernel_ns);
  t.complete += copy.walk.end == SP_END_COMPLETE;
  t.broken += copy.walk.end == SP_END_BROKEN;
  t.deep += copy.walk.end == SP_END_DEPTH;
  const auto pcs = pcs_of(copy.walk, o.python);
  count_rows(pcs, walk_copy(copy, o.pid, o.tables->code(o.pid), o.switches), t);
  if (o.dwarf->ready() && t.dwarf + t.dwarf_short < kMaxDwarf) {
    const DwarfStack walked = o.dwarf->walk(copy);
    count_dwarf(pcs, walked.pcs, walked.whole, t);
  }
  return 0;
}

bool attach(oracle_bpf* skel, unsigned frequency, std::vector<bpf_link*>& links) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_CPU_CLOCK;
  attr.sample_freq = frequency;
  attr.freq = 1;
  for (int cpu = 0; cpu < libbpf_num_possible_cpus(); ++cpu) {
    const int fd = static_cast<int>(::syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC));
    if (fd < 0) continue;
    if (bpf_link* link = bpf_program__attach_perf_event(skel->progs.oracle_tick, fd)) links.push_back(link);
  }
  bpf_link* link = bpf_program__attach(skel->progs.oracle_switch);
  if (link != nullptr) links.push_back(link);
  return link != nullptr && links.size() > 1;
}

int run(pid_t pid, double seconds, unsigned frequency, const std::string& runtime) {
  StackTables tables{ProcFs{}};
  tables.add(pid, runtime);
  DwarfWalker dwarf(pid);
  libbpf_set_strict_mode(LIBBPF_STRICT_ALL);
  oracle_bpf* skel = oracle_bpf__open();
  if (skel == nullptr) return 3;
  skel->rodata->cfg.pid = static_cast<std::uint32_t>(pid);
  skel->rodata->cfg.user_stack_gap_ns = 2'000'000;
  const StackTables::Sizes sizes = tables.sizes();
  bpf_map__set_max_entries(skel->maps.texts, sizes.texts);
  bpf_map__set_max_entries(skel->maps.buckets, sizes.buckets);
  bpf_map__set_max_entries(skel->maps.rows, sizes.rows);
  if (oracle_bpf__load(skel) != 0) return 3;
  const StackTables::Maps maps{bpf_map__fd(skel->maps.spaces), bpf_map__fd(skel->maps.texts),
                               bpf_map__fd(skel->maps.buckets), bpf_map__fd(skel->maps.rows), sizes,
                               bpf_map__fd(skel->maps.pythons)};
  Oracle oracle{pid, runtime == "go", runtime == "cpython", &tables, &dwarf, {}, {}};
  ring_buffer* ring = ring_buffer__new(bpf_map__fd(skel->maps.copies), on_copy, &oracle, nullptr);
  std::vector<bpf_link*> links;
  if (!tables.connect(maps).ok() || ring == nullptr || !attach(skel, frequency, links)) return 3;
  skel->bss->shared.active = 1;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end) {
    ring_buffer__poll(ring, 20);
    tables.refresh(MonotonicClock::now(), skel->bss->shared);
  }
  skel->bss->shared.active = 0;
  for (bpf_link* link : links) bpf_link__destroy(link);
  ring_buffer__consume(ring);
  std::printf("{\"on\": %s, \"off\": %s, \"lost\": %llu}\n", json_of(oracle.on).c_str(), json_of(oracle.off).c_str(),
              static_cast<unsigned long long>(skel->bss->copies_lost));
  ring_buffer__free(ring);
  oracle_bpf__destroy(skel);
  return 0;
}

}  // namespace
}  // namespace srvprof

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: stack_oracle PID SECONDS HZ [RUNTIME]\n");
    return 2;
  }
  const int rc = srvprof::run(std::atoi(argv[1]), std::atof(argv[2]), static_cast<unsigned>(std::atoi(argv[3])),
                              argc > 4 ? argv[4] : "");
  if (rc == 3) std::fprintf(stderr, "stack_oracle: the kernel refuses it (not root?)\n");
  return rc;
}
