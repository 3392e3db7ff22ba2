// The runtimes that all.cc lists.
#pragma once

#include "runtime/runtime.h"

namespace srvprof {

Runtime node_runtime();
Runtime bun_runtime();
Runtime go_runtime();
Runtime jvm_runtime();
Runtime cpython_runtime();
Runtime native_runtime();

}  // namespace srvprof
