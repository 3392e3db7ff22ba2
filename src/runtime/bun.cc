// Bun. Its binary is stripped and has no USDT probes of its own: the two functions that stop and resume
// the world of JavaScriptCore are found by the messages with which they abort.
#include "elf/string_xref.h"
#include "runtime/runtimes.h"

namespace srvprof {
namespace {

constexpr ThreadHint kThreads[] = {
    {ThreadHint::By::kComm, "HeapHelper", "collector", "JavaScriptCore heap helper"},
    {ThreadHint::By::kComm, "JSC Heap", "collector", "JavaScriptCore collector"},
    {ThreadHint::By::kComm, "JITWorker", "compiler", "JavaScriptCore compiler"},
    {ThreadHint::By::kComm, "JSCWarmUp", "helper", "JavaScriptCore warm-up"},
    {ThreadHint::By::kComm, "mi-scavenger", "helper", "allocator's scavenger"},
    {ThreadHint::By::kComm, "Bun Pool", "pool worker", "Bun pool worker"},
};

constexpr std::string_view kStopMessage = "FATAL: world already stopped.\n";
constexpr std::string_view kResumeMessage =
    "Fatal: collector does not believe that the world is stopped.\n";

// One collection stops the world several times, since it marks concurrently.
constexpr SpanKind kPause{"gc.pause", SpanBy::kThread};

// Heap::stopThePeriphery and Heap::resumeThePeriphery, as addresses; 0 if they are not found. The code
// that refers to the message is the function itself or, in some versions, a part that the compiler moved
// out of it, which then has one caller of its own.
struct Functions {
  std::uint64_t stop = 0, resume = 0;
};
Functions find_functions_of_heap(const ElfFile& elf) {
  const auto stop = find_text(elf, kStopMessage), resume = find_text(elf, kResumeMessage);
  if (!stop || !resume) return {};
  const auto users = find_references(elf, {*stop, *resume}, false);
  if (users[0].size() != 1 || users[1].size() != 1) return {};
  const Functions found{users[0][0].function, users[1][0].function};
  const auto callers = find_references(elf, {found.stop, found.resume}, true);
  if (callers[0].size() == 1 && callers[1].size() == 1 &&
      callers[0][0].function != callers[1][0].function) {
    return {callers[0][0].function, callers[1][0].function};
  }
  return found;
}

SpanPlan spans(const SpanContext& context) {
  SpanPlan plan;
  plan.source = "JavaScriptCore's stop and resume of the world, found by their messages";
  auto elf = open_mapped_module(context, context.process.exe);
  if (!elf.ok()) {
    plan.gaps.push_back({"gc", elf.error().what});
    return plan;
  }
  const Functions found = find_functions_of_heap(*elf);
  const auto begin = vaddr_to_offset(*elf, found.stop), end = vaddr_to_offset(*elf, found.resume);
  if (found.stop == 0 || found.stop == found.resume || !begin || !end) {
    plan.gaps.push_back({"gc", "the functions that stop and resume the world were not found in it"});
    return plan;
  }
  for (const bool first : {true, false}) {
    PlannedProbe p;
    p.span = &kPause;
    p.edge = first ? SpanEdge::kBegin : SpanEdge::kEnd;
    p.offset = past_landing_pad(*elf, first ? *begin : *end);
    p.single_stepped = !is_emulated(*elf, p.offset);
    p.where = first ? "JSC::Heap::stopThePeriphery" : "JSC::Heap::resumeThePeriphery";
    plan.probes.push_back(std::move(p));
  }
  add_file(plan, *elf);
  return plan;
}

std::string detect(const Binary& binary) {
  const bool napi = binary.exported_names.find("napi_create_function") != std::string::npos;
  const bool v8 = binary.exported_names.find("v8dbg_") != std::string::npos;
  return napi && !v8 ? "exports of Node-API without V8" : "";
}

}  // namespace

Runtime bun_runtime() {
  return {"bun", "Bun: JavaScriptCore, event loop on the main thread", detect, spans, kThreads};
}

}  // namespace srvprof
