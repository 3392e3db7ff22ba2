#include "runtime/runtime.h"
#include "runtime/runtimes.h"

namespace srvprof {

std::span<const Runtime> all_runtimes() {
  static const Runtime kAll[] = {node_runtime(),    bun_runtime(), go_runtime(), jvm_runtime(),
                                 cpython_runtime(), native_runtime()};
  return kAll;
}

}  // namespace srvprof
