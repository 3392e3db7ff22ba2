#include "runtime/runtimes.h"

namespace srvprof {
namespace {

std::string detect(const Binary& binary) {
  if (binary.exported_names.find("_PyRuntime") != std::string::npos) return "_PyRuntime symbol";
  for (const std::string& path : binary.mapped_files) {
    if (path.find("/libpython3") != std::string::npos) return "libpython is mapped";
  }
  return "";
}

}  // namespace

Runtime cpython_runtime() {
  return {"cpython", "CPython: one thread at a time holds the interpreter", detect};
}

}  // namespace srvprof
