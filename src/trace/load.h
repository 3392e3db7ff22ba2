// Recording -> Trace.
#pragma once

#include <string>

#include "base/result.h"
#include "trace/model.h"

namespace srvprof {

// Reads a recording and builds the model. Damage in the file does not fail the load: what could be
// read is used, and Trace::read_damage says what was not. Fails if the file cannot be opened, is
// not a recording, or holds no data at all.
Result<Trace> load_trace(const std::string& path);

}  // namespace srvprof
