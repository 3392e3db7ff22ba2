// Phases that somebody wrote down: a file for --phases, or the stages of a k6 command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trace/model.h"

namespace srvprof {

// Marks (source "file") of a phases file. Each line is a begin and a name, `#` begins a comment:
//
//   0        warm-up          seconds since the recording's begin; also 1.5s, 500ms, 2m
//   @1796038607.25 steady     seconds since the Unix epoch
//   stage 30s 20              k6's stages, from the load's start on: a duration and a target
//
// Errors name the line.
Result<std::vector<rows::PhaseMark>> parse_phases(const Trace& trace, std::string_view text,
                                                  const std::string& name);

// Marks (source "stage") of `k6 run --stage 5s:10,10s:20` (or -s) if srvprof started such a
// command.
std::vector<rows::PhaseMark> stage_marks(const Trace& trace);

}  // namespace srvprof
