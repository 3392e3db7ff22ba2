#include "runtime/runtimes.h"

namespace srvprof {
namespace {

std::string detect(const Binary& binary) {
  const bool napi = binary.exported_names.find("napi_create_function") != std::string::npos;
  const bool v8 = binary.exported_names.find("v8dbg_") != std::string::npos;
  return napi && !v8 ? "exports of Node-API without V8" : "";
}

}  // namespace

Runtime bun_runtime() {
  return {"bun", "Bun: JavaScriptCore, event loop on the main thread", detect};
}

}  // namespace srvprof
