#include "runtime/runtimes.h"

namespace srvprof {
namespace {

std::string detect(const Binary& binary) {
  // V8 exports these for debuggers; they survive strip.
  return binary.exported_names.find("v8dbg_") != std::string::npos ? "v8dbg_ symbols" : "";
}

}  // namespace

Runtime node_runtime() {
  return {"node", "Node.js: V8, event loop on the main thread, libuv pool", detect};
}

}  // namespace srvprof
