// Go. The functions are found in .gopclntab, in stripped binaries too. Only entries are probed: a return
// probe would kill the program when its stack moves.
#include <elf.h>

#include <cstdio>
#include <cstring>

#include "elf/gopclntab.h"
#include "runtime/runtimes.h"

namespace srvprof {
namespace {

constexpr ThreadHint kThreads[] = {
    {ThreadHint::By::kFunction, "runtime.sysmon", "monitor", "Go's sysmon"},
};

// runtime.stwReason (runtime/proc.go), since 1.21.
constexpr std::string_view kStopReasons[] = {
    "unknown", "GC mark termination", "GC sweep termination", "write heap dump", "goroutine profile",
    "goroutine profile cleanup", "all goroutines stack trace", "read mem stats", "AllThreadsSyscall",
    "GOMAXPROCS", "start trace", "stop trace"};

constexpr SpanKind kStop{"gc.stw", SpanBy::kProcess, false, kStopReasons};
constexpr SpanKind kOldStop{"gc.stw", SpanBy::kProcess};
constexpr SpanKind kCycle{"gc.cycle", SpanBy::kProcess};
constexpr SpanKind kAssist{"gc.assist", SpanBy::kGoroutine};

// Places of Go's argument registers in struct pt_regs (ABIInternal on amd64).
ArgumentPlace go_argument(std::uint8_t place, std::uint8_t size = 8) {
  return {ArgumentPlace::How::kRegister, place, size, 0};
}
constexpr std::uint8_t kAx = 10, kBx = 5, kCx = 11, kDi = 14;

// Minor number of "go1.22.3"; 0 if the version is not known.
int minor_version(const std::string& version) {
  int minor = 0;
  return std::sscanf(version.c_str(), "go1.%d", &minor) == 1 ? minor : 0;
}

// A place at the entry that the kernel emulates: the `push`, or the jump after the check of the stack's
// limit (`cmp 16(%r14), %rsp; jbe`, for large frames after a `lea`). There the arguments still are in
// their registers. The jump is met again when the stack has grown.
std::uint64_t cheap_entry(const ElfFile& elf, std::uint64_t offset) {
  const auto code = read_bytes(elf, offset, 24, 24);
  if (!code.ok()) return offset;
  const std::string_view b = *code;
  if (b.starts_with("\x49\x3b\x66\x10")) return offset + 4;
  if (b.starts_with("\x4c\x8d\x64\x24") && b.substr(5).starts_with("\x4d\x3b\x66\x10")) return offset + 9;
  if (b.starts_with("\x4c\x8d\xa4\x24") && b.substr(8).starts_with("\x4d\x3b\x66\x10")) return offset + 12;
  return offset;
}

// Plans a probe on the entry of a function; false if the binary has none of that name.
bool plan_entry(const GoTable& table, const ElfFile& elf, const char* name, const SpanKind& span,
                SpanEdge edge, const SpanArguments& arguments, SpanPlan& plan) {
  const auto f = find_go_function(table, std::string_view(name));
  const auto offset = f ? vaddr_to_offset(elf, f->entry) : std::nullopt;
  if (!offset) return false;
  PlannedProbe p;
  p.span = &span;
  p.edge = edge;
  p.offset = cheap_entry(elf, *offset);
  p.single_stepped = !is_emulated(elf, p.offset);
  p.arguments = arguments;
  p.where = name;
  plan.probes.push_back(std::move(p));
  return true;
}

// Where a function calls another for the last time, as an address; a call is emulated by the kernel, unlike a
// return.
std::optional<std::uint64_t> last_call(const GoTable& table, const ElfFile& elf, const char* caller,
                                       const char* callee) {
  constexpr std::uint64_t kMaxCode = 64 << 10;
  const auto from = find_go_function(table, std::string_view(caller));
  const auto to = find_go_function(table, std::string_view(callee));
  const auto offset = from ? vaddr_to_offset(elf, from->entry) : std::nullopt;
  if (!to || !offset) return std::nullopt;
  const auto code = read_bytes(elf, *offset, from->end - from->entry, kMaxCode);
  if (!code.ok()) return std::nullopt;
  std::optional<std::uint64_t> found;
  for (std::size_t at = 0; at + 5 <= code->size(); ++at) {
    if ((*code)[at] != '\xe8') continue;
    std::int32_t distance = 0;
    std::memcpy(&distance, code->data() + at + 1, sizeof distance);
    const std::uint64_t target = from->entry + at + 5 + static_cast<std::uint64_t>(std::int64_t{distance});
    if (target == to->entry) found = from->entry + at;
  }
  return found;
}

// The world runs again when the function that starts it wakes a last thread to help: that is the last thing which
// it does. Without such a call it is taken to run when that function is entered.
bool plan_restart(const GoTable& table, const ElfFile& elf, const char* start, const SpanKind& span, SpanPlan& plan) {
  const auto call = last_call(table, elf, start, "runtime.wakep");
  const auto offset = call ? vaddr_to_offset(elf, *call) : std::nullopt;
  if (!offset) return false;
  PlannedProbe p;
  p.span = &span;
  p.edge = SpanEdge::kEnd;
  p.offset = *offset;
  p.single_stepped = !is_emulated(elf, p.offset);
  p.only_if_open = true;
  p.where = start;
  plan.probes.push_back(std::move(p));
  return true;
}

// Since 1.22 the function that starts the world again is told why it was stopped and since when, and, at the end
// of a collection, when the runtime takes the stop to be over. Before, a stop begins with one function's entry.
bool plan_stops(const GoTable& table, const ElfFile& elf, SpanPlan& plan) {
  constexpr const char* kStart = "runtime.startTheWorldWithSema";
  const int minor = minor_version(table.version);
  if (minor >= 22) {
    SpanArguments a;
    a.kind = go_argument(kBx, 1);
    a.stopping = go_argument(kCx);
    a.begin = go_argument(kDi);
    const bool restart = plan_restart(table, elf, kStart, kStop, plan);
    if (restart) a.end = go_argument(kAx);
    return plan_entry(table, elf, kStart, kStop, restart ? SpanEdge::kBegin : SpanEdge::kWhole, a, plan);
  }
  SpanArguments a;
  if (minor == 21) a.kind = go_argument(kAx, 1);
  const SpanKind& kind = minor == 21 ? kStop : kOldStop;
  if (!plan_entry(table, elf, "runtime.stopTheWorldWithSema", kind, SpanEdge::kBegin, a, plan)) return false;
  const bool restart = plan_restart(table, elf, kStart, kind, plan);
  if (restart && minor > 0 && minor < 21) {
    // At the end of a collection the runtime takes the stop to be over before it starts the world, as since 1.22; it
    // is told then to trace the event (mgc.go, gcMarkTermination).
    SpanArguments at_mark_end;
    at_mark_end.end = go_argument(kAx, 1);
    (void)plan_entry(table, elf, kStart, kind, SpanEdge::kEnd, at_mark_end, plan);
    plan.probes.back().only_if_open = true;
  }
  return restart || plan_entry(table, elf, kStart, kind, SpanEdge::kEnd, {}, plan);
}

// A goroutine that allocates has to help the collector. It returns at several places, none of which is cheap.
bool plan_assists(const GoTable& table, const ElfFile& elf, SpanPlan& plan) {
  constexpr const char* kName = "runtime.gcAssistAlloc";
  const auto f = find_go_function(table, std::string_view(kName));
  const auto sites = f ? go_return_sites(table, elf, *f) : std::vector<std::uint64_t>{};
  if (sites.empty() || !plan_entry(table, elf, kName, kAssist, SpanEdge::kBegin, {}, plan)) return false;
  plan.probes.back().asked_for = true;
  for (const std::uint64_t site : sites) {
    const auto offset = vaddr_to_offset(elf, site);
    if (!offset) return false;
    PlannedProbe p;
    p.span = &kAssist;
    p.edge = SpanEdge::kEnd;
    p.offset = *offset;
    p.single_stepped = true;
    p.asked_for = true;
    p.where = kName;
    plan.probes.push_back(std::move(p));
  }
  return true;
}

SpanPlan spans(const SpanContext& context) {
  SpanPlan plan;
  plan.source = "functions of Go's runtime, found in .gopclntab";
  auto elf = open_mapped_module(context, context.process.exe);
  if (!elf.ok() || elf->machine != EM_X86_64) {
    plan.gaps.push_back({"gc", elf.ok() ? "only probed on x86-64" : elf.error().what});
    return plan;
  }
  const auto table = read_go_table(*elf);
  if (!table.ok()) {
    plan.gaps.push_back({"gc", table.error().what});
    return plan;
  }
  if (!plan_stops(*table, *elf, plan)) {
    plan.probes.clear();
    plan.gaps.push_back({"gc", "the functions that stop and start the world were not found"});
  }
  // Entered once in each cycle (a probed jump is met again when the stack has to grow): when the collector has begun, and when its concurrent part is done.
  const std::size_t before = plan.probes.size();
  if (!plan_entry(*table, *elf, "runtime.gcBgMarkStartWorkers", kCycle, SpanEdge::kBegin, {}, plan) ||
      !plan_entry(*table, *elf, "runtime.gcMarkTermination", kCycle, SpanEdge::kEnd, {}, plan)) {
    plan.probes.resize(before);
    plan.gaps.push_back({"gc.cycle", "the functions of a collection cycle were not found"});
  }
  if (plan.probes.size() > before) plan.probes.back().only_if_open = true;
  const std::size_t without = plan.probes.size();
  if (!context.wishes.assists) {
    plan.gaps.push_back({"gc.assist", "not timed one by one, which would slow the server down (--gc-assists): "
                                      "see the share of assists among the CPU samples"});
  } else if (!plan_assists(*table, *elf, plan)) {
    plan.probes.resize(without);
    plan.gaps.push_back({"gc.assist", "the function that assists was not found"});
  }
  add_file(plan, *elf);
  return plan;
}

std::string detect(const Binary& binary) {
  // In a position-independent binary the table lies in .data.rel.ro.gopclntab.
  for (const char* name : {".gopclntab", ".data.rel.ro.gopclntab", ".go.buildinfo"}) {
    if (find_section(binary.exe, name) != nullptr) return std::string("section ") + name;
  }
  return "";
}

}  // namespace

Runtime go_runtime() {
  return {"go", "Go: goroutines told by the g register", detect, spans, kThreads};
}

}  // namespace srvprof
