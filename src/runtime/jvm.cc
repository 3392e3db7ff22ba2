#include "runtime/runtimes.h"

namespace srvprof {
namespace {

std::string detect(const Binary& binary) {
  for (const std::string& path : binary.mapped_files) {
    if (path.ends_with("/libjvm.so")) return "libjvm.so is mapped";
  }
  return "";
}

}  // namespace

Runtime jvm_runtime() {
  return {"jvm", "JVM: HotSpot, a thread a request or loops", detect};
}

}  // namespace srvprof
