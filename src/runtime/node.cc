// Node.js. V8 has no USDT probes; its functions are in .symtab, and in .dynsym up to Node 20.
#include "runtime/runtimes.h"

namespace srvprof {
namespace {

constexpr std::string_view kLibrary = "/libnode.so.";

// GarbageCollector and GarbageCollectionReason of V8 (heap-symbols, globals.h): numbers that V8 keeps
// stable for its own statistics.
constexpr std::string_view kCollectors[] = {"scavenge", "mark-compact", "minor mark-sweep"};
constexpr std::string_view kReasons[] = {
    "unknown", "allocation failure", "allocation limit", "context disposal", "counters extension",
    "debugger", "deserializer", "external memory pressure", "finalize marking via stack guard",
    "finalize marking via task", "full hashtable", "heap profiler", "task", "last resort",
    "low memory notification", "make heap iterable", "memory pressure", "memory reducer", "runtime",
    "sampling profiler", "snapshot creator", "testing", "external finalize",
    "global allocation limit", "measure memory", "background allocation failure",
    "finalize concurrent minor mark-sweep", "C++ heap allocation failure"};

// An isolate is collected by its own thread: worker threads have isolates of their own.
constexpr SpanKind kPause{"gc.pause", SpanBy::kThread, false, kCollectors, kReasons};
constexpr SpanKind kSlice{"gc.slice"};

SpanArguments collector() {
  SpanArguments a;
  a.kind = c_argument(1, 4);    // GarbageCollector
  a.reason = c_argument(2, 4);  // GarbageCollectionReason
  a.text = c_argument(3);       // a reason in words, may be null
  return a;
}

// The same names in V8 11 to 14 but for their arguments. All are called from C++ only, so the slice may
// have a return probe; the pause has two entries instead.
constexpr FunctionProbe kFunctions[] = {
    {"_ZN2v88internal8GCTracer20StartObservablePauseE", &kPause, SpanEdge::kBegin, false,
     "v8::internal::GCTracer::StartObservablePause"},
    {"_ZN2v88internal8GCTracer19StopObservablePauseE", &kPause, SpanEdge::kEnd, false,
     "v8::internal::GCTracer::StopObservablePause"},
    {"_ZN2v88internal4Heap24PerformGarbageCollectionENS0_16GarbageCollectorENS0_23"
     "GarbageCollectionReasonEPKc",
     &kPause, SpanEdge::kLabel, false, "v8::internal::Heap::PerformGarbageCollection", collector, false},
    {"_ZN2v88internal18IncrementalMarking4StepE", &kSlice, SpanEdge::kBegin, false,
     "v8::internal::IncrementalMarking::Step", nullptr, true, "gc.slice"},
    {"_ZN2v88internal18IncrementalMarking4StepE", &kSlice, SpanEdge::kEnd, true,
     "v8::internal::IncrementalMarking::Step", nullptr, true, "gc.slice"},
};

constexpr ThreadHint kThreads[] = {
    {ThreadHint::By::kComm, "V8Worker", "collector", "V8 GC and compiler worker"},
    {ThreadHint::By::kComm, "node-V8Worker", "collector", "V8 GC and compiler worker"},
    {ThreadHint::By::kComm, "libuv-worker", "pool worker", "libuv worker"},
    {ThreadHint::By::kComm, "node-libuv", "pool worker", "libuv worker"},
    {ThreadHint::By::kComm, "DelayedTask", "helper", "timer of V8's delayed tasks"},
    {ThreadHint::By::kComm, "SignalInspector", "helper", "inspector's signal thread"},
    // Up to Node 22 all threads have one name.
    {ThreadHint::By::kFunction, "PlatformWorkerThread", "collector",
     "V8 GC and compiler worker"},
    {ThreadHint::By::kFunction, "DelayedTaskScheduler", "helper", "timer of V8's delayed tasks"},
};

bool is_library(const std::string& path) { return path.find(kLibrary) != std::string::npos; }

std::string detect(const Binary& binary) {
  // V8 exports these for debuggers; they survive strip.
  if (binary.exported_names.find("v8dbg_") != std::string::npos) return "v8dbg_ symbols";
  for (const std::string& path : binary.mapped_files) {
    if (is_library(path)) return "libnode is mapped";
  }
  return "";
}

SpanPlan spans(const SpanContext& context) {
  SpanPlan plan;
  plan.source = "functions of V8's GCTracer";
  std::string module = context.process.exe;
  for (const std::string& path : context.binary.mapped_files) {
    if (is_library(path)) module = path;
  }
  auto elf = open_mapped_module(context, module);
  if (!elf.ok()) {
    plan.gaps.push_back({"gc", elf.error().what});
    return plan;
  }
  plan_functions(kFunctions, std::move(*elf), plan);
  return plan;
}

}  // namespace

Runtime node_runtime() {
  return {"node", "Node.js: V8, event loop on the main thread, libuv pool", detect, spans,
          kThreads};
}

}  // namespace srvprof
