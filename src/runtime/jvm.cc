#include "runtime/runtimes.h"

namespace srvprof {
namespace {

constexpr ThreadHint kThreads[] = {
    {ThreadHint::By::kComm, "GC Thread#", "collector", "GC thread"},
    {ThreadHint::By::kComm, "G1 ", "collector", "G1 thread"},
    {ThreadHint::By::kComm, "ZDriver", "collector", "ZGC driver"},
    {ThreadHint::By::kComm, "ZWorker", "collector", "ZGC worker"},
    {ThreadHint::By::kComm, "ZDirector", "collector", "ZGC director"},
    {ThreadHint::By::kComm, "Shenandoah", "collector", "Shenandoah thread"},
    {ThreadHint::By::kComm, "VM Thread", "collector", "VM thread"},
    {ThreadHint::By::kComm, "C1 Compiler", "compiler", "C1 compiler"},
    {ThreadHint::By::kComm, "C2 Compiler", "compiler", "C2 compiler"},
    {ThreadHint::By::kComm, "Sweeper", "helper", "code sweeper"},
    {ThreadHint::By::kComm, "VM Periodic", "monitor", "VM periodic task"},
    {ThreadHint::By::kComm, "Signal Disp", "helper", "signal dispatcher"},
    {ThreadHint::By::kComm, "Reference Ha", "helper", "reference handler"},
    {ThreadHint::By::kComm, "Finalizer", "helper", "finalizer"},
    {ThreadHint::By::kComm, "Common-Clea", "helper", "cleaner"},
    {ThreadHint::By::kComm, "Service Thre", "helper", "service thread"},
    {ThreadHint::By::kComm, "Notification", "helper", "notification thread"},
    {ThreadHint::By::kComm, "Monitor Defl", "helper", "monitor deflation"},
};

constexpr std::string_view kKinds[] = {"partial", "full"};
constexpr SpanKind kCollection{"gc.stw", SpanBy::kProcess, false, kKinds};
constexpr SpanKind kOperation{"vmop", SpanBy::kProcess};

// Always on in HotSpot: no semaphore, no flag. vmops__begin has the name of the operation of the VM thread,
// most of which stop all threads at a safepoint.
constexpr UsdtRow kUsdt[] = {
    {"hotspot", "gc__begin", &kCollection, SpanEdge::kBegin, 0},
    {"hotspot", "gc__end", &kCollection, SpanEdge::kEnd},
    {"hotspot", "vmops__begin", &kOperation, SpanEdge::kBegin, -1, 0, 1},
    {"hotspot", "vmops__end", &kOperation, SpanEdge::kEnd},
};

SpanPlan spans(const SpanContext& context) {
  SpanPlan plan;
  plan.source = "USDT notes of libjvm.so";
  auto elf = open_mapped_module(context, "/libjvm.so");
  if (!elf.ok()) {
    plan.gaps.push_back({"gc", elf.error().what});
  } else if (!plan_usdt(kUsdt, *elf, plan)) {
    plan.gaps.push_back({"gc", "libjvm.so was built without USDT probes (--enable-dtrace)"});
  }
  return plan;
}

std::string detect(const Binary& binary) {
  for (const std::string& path : binary.mapped_files) {
    if (path.ends_with("/libjvm.so")) return "libjvm.so is mapped";
  }
  return "";
}

}  // namespace

Runtime jvm_runtime() {
  return {"jvm", "JVM: HotSpot, a thread a request or loops", detect, spans, kThreads};
}

}  // namespace srvprof
