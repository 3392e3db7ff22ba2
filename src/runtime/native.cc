#include "runtime/runtimes.h"

namespace srvprof {
namespace {

std::string detect(const Binary&) { return "native code"; }

}  // namespace

Runtime native_runtime() { return {"native", "C, C++, Rust and everything compiled", detect}; }

}  // namespace srvprof
