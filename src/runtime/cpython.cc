#include "runtime/runtimes.h"

namespace srvprof {
namespace {

constexpr std::string_view kGenerations[] = {"generation 0", "generation 1", "generation 2"};
// The thread that collects holds the interpreter lock: others wait for it as for any lock.
constexpr SpanKind kCollection{"gc.pause", SpanBy::kThread, false, kGenerations};

constexpr UsdtRow kUsdt[] = {
    {"python", "gc__start", &kCollection, SpanEdge::kBegin, 0},
    {"python", "gc__done", &kCollection, SpanEdge::kEnd},
};

SpanArguments generation() {
  SpanArguments a;
  a.kind = c_argument(1, 4);
  return a;
}

// Where the notes are missing. Called from C only.
constexpr FunctionProbe kFunctions[] = {
    {"gc_collect_main", &kCollection, SpanEdge::kBegin, false, "gc_collect_main", generation},
    {"gc_collect_main", &kCollection, SpanEdge::kEnd, true, "gc_collect_main"},
};

SpanPlan spans(const SpanContext& context) {
  SpanPlan plan;
  std::string module = context.process.exe;
  for (const std::string& path : context.binary.mapped_files) {
    if (path.find("/libpython3") != std::string::npos) module = path;
  }
  auto elf = open_mapped_module(context, module);
  if (!elf.ok()) {
    plan.gaps.push_back({"gc", elf.error().what});
    return plan;
  }
  plan.source = "USDT notes of CPython";
  if (plan_usdt(kUsdt, *elf, plan)) return plan;
  plan.source = "CPython's gc_collect_main";
  plan_functions(kFunctions, std::move(*elf), plan);
  return plan;
}

std::string detect(const Binary& binary) {
  if (binary.exported_names.find("_PyRuntime") != std::string::npos) return "_PyRuntime symbol";
  for (const std::string& path : binary.mapped_files) {
    if (path.find("/libpython3") != std::string::npos) return "libpython is mapped";
  }
  return "";
}

}  // namespace

Runtime cpython_runtime() {
  return {"cpython", "CPython: one thread at a time holds the interpreter", detect, spans};
}

}  // namespace srvprof
