// Where a runtime's garbage collections, and other operations that delay requests, begin and end: probe
// points as data. Each runtime's file has its table; what attaches them is src/collect.
//
// Rules that the tables keep (each was seen to kill or to slow a target otherwise):
// - no return probe in Go (its stacks move), nor on a function that JIT code calls (V8 and JSC look their
//   return addresses up);
// - probes on instructions that the kernel emulates (push, nop, jumps, calls: 0.7 us a hit) where the
//   function may be hot; others are single-stepped (about 10 us) and are marked.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "elf/elf_file.h"
#include "elf/usdt.h"
#include "target/maps.h"
#include "target/process.h"

namespace srvprof {

struct Binary;

enum class SpanEdge : std::uint8_t {
  kBegin = 1,
  kEnd = 2,
  kLabel = 3,  // tells kind and reason of the span that is open
  kWhole = 4,  // the end of a span whose begin is an argument
};

// What tells spans apart that are open at the same time.
enum class SpanBy : std::uint8_t { kThread = 1, kProcess = 2, kGoroutine = 3 };

// The n-th integer argument (from 0) of a function called by the C ABI of this machine; at most six.
ArgumentPlace c_argument(unsigned n, std::uint8_t size = 8);

// One sort of span. Words are found by the runtime's own number; "" or beyond the end: not known.
struct SpanKind {
  std::string_view name;  // as in rows::Span: "gc.pause"
  SpanBy by = SpanBy::kThread;
  bool keep_first = false;  // a begin while one is open changes nothing
  std::span<const std::string_view> kinds{}, reasons{};
};

// Values that a hit carries.
struct SpanArguments {
  ArgumentPlace kind{}, reason{}, text{}, length{}, begin{}, stopping{};
  // Of a kBegin: if it is not 0 the span ended then, and no kEnd follows. Of a kEnd: if it is 0 it is none.
  ArgumentPlace end{};
};

struct PlannedProbe {
  const SpanKind* span = nullptr;  // of static life
  SpanEdge edge = SpanEdge::kBegin;
  std::size_t file = 0;           // index into SpanPlan::files
  std::uint64_t offset = 0;       // in the file
  std::uint64_t semaphore = 0;    // file offset of a USDT probe's semaphore, 0 = none
  bool at_return = false;         // when the function returns
  bool single_stepped = false;
  bool only_if_open = false;      // an end: nothing if no span is open
  bool asked_for = false;         // by the user, who was told its cost: may cost more (span_probes.h)
  SpanArguments arguments{};
  std::string where;  // for people: "v8::internal::GCTracer::StartObservablePause"
};

// A thing that cannot be measured in this binary, and why.
struct SpanGap {
  std::string topic;  // "gc", "gc.assist"
  std::string why;
};

struct SpanPlan {
  std::string runtime;
  std::string source;           // what tells of the spans, in words: "symbols of V8's GCTracer"
  std::vector<Fd> files;        // open, so that the probed file is the mapped one
  std::vector<PlannedProbe> probes;
  std::vector<SpanGap> gaps;
};

// What the user asked for beyond what costs little.
struct SpanWishes {
  bool assists = false;  // Go: each assist of the collector
};

// What a runtime's planner may look at.
struct SpanContext {
  const ProcFs& fs;
  const ProcessInfo& process;
  const std::vector<MemoryMapping>& maps;
  const Binary& binary;
  SpanWishes wishes{};
};

// Opens the executable, or the mapped file whose path ends with `suffix`. Error: not mapped, not readable.
Result<ElfFile> open_mapped_module(const SpanContext& context, std::string_view suffix);

// Puts the file into the plan; returns its index.
std::size_t add_file(SpanPlan& plan, ElfFile& module);

// One row of a runtime's table of functions.
struct FunctionProbe {
  std::string_view prefix;  // of the mangled name
  const SpanKind* span = nullptr;
  SpanEdge edge = SpanEdge::kBegin;
  bool at_return = false;
  std::string_view where;   // for people
  SpanArguments (*arguments)() = nullptr;
  bool required = true;     // false: the spans of this kind are left out without it, see `topic`
  std::string_view topic = "gc";
};

// Finds the functions of `table` in `module` and plans their probes; what is missing becomes a gap.
void plan_functions(std::span<const FunctionProbe> table, ElfFile module, SpanPlan& plan);

// One row of a runtime's table of USDT probes. Arguments are given by their number, -1 = none.
struct UsdtRow {
  std::string_view provider, name;
  const SpanKind* span = nullptr;
  SpanEdge edge = SpanEdge::kBegin;
  int kind = -1, text = -1, length = -1;
};

// Plans the USDT probes of `table` that `module` has; a span of which one is missing is left out. False if
// the module has none of them (nothing is added to the plan then).
bool plan_usdt(std::span<const UsdtRow> table, ElfFile& module, SpanPlan& plan);

// Whether the kernel emulates the instruction at a file offset instead of single-stepping it.
bool is_emulated(const ElfFile& elf, std::uint64_t offset);
// Past an `endbr64`, which would be single-stepped.
std::uint64_t past_landing_pad(const ElfFile& elf, std::uint64_t offset);

// The plans of every runtime of a process. Error if it cannot be read.
Result<std::vector<SpanPlan>> plan_spans(const ProcFs& fs, const ProcessInfo& process,
                                         const SpanWishes& wishes = {});

}  // namespace srvprof
