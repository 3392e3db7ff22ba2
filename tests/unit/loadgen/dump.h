// Helpers of the importers' tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loadgen/loadgen.h"

namespace srvprof {

// Fails the test and gives "" if the file cannot be read.
std::string read_text(const std::string& path);
// A file of tests/fixtures/loadgen.
std::string read_sample(std::string_view name);
// Names of all files there but its README, sorted.
std::vector<std::string> sample_names();

// All of a run but its samples' rows as text, one fact a line; of the samples the first three.
std::string dump_run(const ClientRun& run);

// Imports the sample; fails the test and gives an empty run if it is refused.
ClientRun import_sample(std::string_view name);
ClientRun import_text_ok(std::string_view text, std::string_view hint);

// The latency of a percentile in nanoseconds, -1 if there is none.
long long percentile_ns(const LatencySummary& summary, double percent);

// Is there a note that contains `part`?
bool has_note(const ClientRun& run, std::string_view part);

}  // namespace srvprof
