#include "analyze/collections.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "analyze/facts.h"
#include "analyze/words.h"
#include "trace/spans.h"

namespace srvprof {
namespace {

std::string name_in_words(std::string_view name, std::string_view kind) {
  const std::string lead = kind.empty() ? "" : std::string(kind) + " ";
  if (name == "gc.slice") return lead + "slice of incremental marking";
  if (name == "gc.stw") return lead + "stop of the world";
  if (name == "gc.assist") return lead + "assist of the collector";
  if (name == "gc.cycle") return lead + "collection cycle";
  if (name == "gc.pause") return lead + "pause";
  return lead + "operation of the runtime";
}

// "slices of incremental marking", "pauses".
std::string plural(std::string words) {
  const std::size_t of = words.find(" of ");
  words.insert(of == std::string::npos ? words.size() : of, "s");
  return words;
}

Duration kept_off(const Trace& trace, const GcInterval& gc) {
  const Thread* thread = find_thread(trace, gc.tid);
  if (thread == nullptr) return {};
  const ThreadTotals t = totals_of(*thread, gc.begin, gc.end);
  return t.runq + t.throttled;
}

}  // namespace

std::vector<CollectionTotals> collections_of(const Trace& trace, Time from, Time to) {
  std::map<std::pair<std::string, std::string>, CollectionTotals> by_kind;
  for (std::uint32_t n = 1; n <= trace.spans.size(); ++n) {
    const rows::Span& span = trace.spans[n - 1];
    const GcInterval gc = interval_of(trace, n);
    if (gc.end < from || gc.begin >= to || !known(span.t_begin)) continue;
    CollectionTotals& t = by_kind[{span.name, span.kind}];
    t.name = span.name;
    t.kind = span.kind;
    ++t.count;
    t.time += gc.end - gc.begin;
    t.longest = std::max(t.longest, gc.end - gc.begin);
    if (gc.share == GcShare::kStop && span.name != "gc.cycle") t.kept_off += kept_off(trace, gc);
  }
  std::vector<CollectionTotals> out;
  for (auto& [key, totals] : by_kind) out.push_back(std::move(totals));
  std::stable_sort(out.begin(), out.end(), [](const CollectionTotals& a, const CollectionTotals& b) {
    return a.time > b.time;
  });
  return out;
}

std::string collection_name(const rows::Span& span) { return name_in_words(span.name, span.kind); }

std::string totals_words(const CollectionTotals& t) {
  const std::string name = name_in_words(t.name, t.kind);
  if (t.count == 1) return fmt::format("one {} of {}", name, ms_words(t.longest));
  return fmt::format("{} {} of {} on average, the longest {}", count_words(t.count), plural(name),
                     ms_words(t.time / static_cast<std::int64_t>(t.count)), ms_words(t.longest));
}

namespace {

struct CollectorFunction {
  std::string_view part, words;
};
// Of collectors that have no threads of their own.
constexpr CollectorFunction kFunctions[] = {
    {"runtime.gcAssistAlloc", "in assists"},
    {"runtime.gcBgMarkWorker", "in background marking"},
    {"runtime.bgsweep", "in background sweeping"},
};

// Which of kFunctions a stack goes through; kFunctions' size if none.
std::size_t function_of(const Trace& trace, const rows::Stack& stack) {
  for (std::size_t i = 0; i < stack.pcs.size(); ++i) {
    const std::uint64_t hint = i < stack.hints.size() ? stack.hints[i] : 0;
    const auto frames = trace.frames.find({stack.pid, stack.pcs[i], hint});
    if (frames == trace.frames.end()) continue;
    for (const rows::Frame& f : frames->second) {
      for (std::size_t k = 0; k < std::size(kFunctions); ++k) {
        if (f.function.starts_with(kFunctions[k].part)) return k;
      }
    }
  }
  return std::size(kFunctions);
}

}  // namespace

std::string collector_cpu_words(const Trace& trace) {
  std::string out;
  Duration helpers{};
  std::size_t threads = 0;
  for (const Thread& t : trace.threads) {
    if (t.role != ThreadRole::kCollector) continue;
    helpers += totals_of(t, trace.t_begin, trace.t_end).cpu;
    ++threads;
  }
  if (threads != 0) {
    out = fmt::format("{} used {} of CPU", plural_words(threads, "helper thread"), ms_words(helpers));
  }
  std::map<std::uint64_t, std::size_t> of_stack;
  std::array<std::uint64_t, std::size(kFunctions)> samples{};
  for (const rows::Sample& s : trace.samples) {
    const auto stack = trace.stacks.find(s.ustack);
    if (stack == trace.stacks.end()) continue;
    const auto [known, added] = of_stack.try_emplace(s.ustack);
    if (added) known->second = function_of(trace, stack->second);
    if (known->second < samples.size()) ++samples[known->second];
  }
  for (std::size_t k = 0; k < samples.size(); ++k) {
    if (samples[k] == 0) continue;
    out += fmt::format("{}{} of the CPU samples {}", out.empty() ? "" : ", ",
                       percent_words(static_cast<double>(samples[k]) /
                                     static_cast<double>(trace.samples.size())),
                       kFunctions[k].words);
  }
  return out;
}

bool collections_measured(const Trace& trace) {
  return std::any_of(trace.capabilities.begin(), trace.capabilities.end(),
                     [](const rows::Capability& c) { return c.name == "gc" && c.used; });
}

std::string collections_words(const Trace& trace) {
  if (!collections_measured(trace)) return {};
  std::string out;
  for (const CollectionTotals& t : collections_of(trace, trace.t_begin, trace.t_end)) {
    out += (out.empty() ? "" : "; ") + totals_words(t);
  }
  return out.empty() ? "none during the recording" : out;
}

}  // namespace srvprof
