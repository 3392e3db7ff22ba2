// Garbage collections, and whatever else a runtime stops for, as numbers and words.
#pragma once

#include <string>
#include <vector>

#include "analyze/report.h"
#include "trace/model.h"

namespace srvprof {

// Totals by name and kind of the spans that end in [from, to), or are open there, by time.
std::vector<CollectionTotals> collections_of(const Trace& trace, Time from, Time to);

// "mark-compact pause", "slice of incremental marking", "stop of the world".
std::string collection_name(const rows::Span& span);

// "53 scavenge pauses of 1.2 ms on average, the longest 8.1 ms; ..."; "none ..." if there was none,
// empty if they were not measured.
std::string collections_words(const Trace& trace);
std::string totals_words(const CollectionTotals& totals);

// What the collector used of the CPU beside the pauses: its helper threads, and its functions in the
// samples; empty if nothing is known.
std::string collector_cpu_words(const Trace& trace);

// Whether the collections of the target were measured.
bool collections_measured(const Trace& trace);

}  // namespace srvprof
