#include "runtime/runtimes.h"

namespace srvprof {
namespace {

std::string detect(const Binary& binary) {
  // In a position-independent binary the table lies in .data.rel.ro.gopclntab.
  for (const char* name : {".gopclntab", ".data.rel.ro.gopclntab", ".go.buildinfo"}) {
    if (find_section(binary.exe, name) != nullptr) return std::string("section ") + name;
  }
  return "";
}

}  // namespace

Runtime go_runtime() {
  return {"go", "Go: goroutines told by the g register", detect};
}

}  // namespace srvprof
