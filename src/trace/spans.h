// What garbage collections did to threads and requests. Internal to src/trace but for tag_collections.
#pragma once

#include <vector>

#include "trace/model.h"

namespace srvprof {

// Fills the lists of GcInterval from Trace::spans: by thread (pauses of one isolate, slices), by process
// (stop the world) and by goroutine (assists). A span that is still open lasts to the end; one whose begin
// is not known is left out.
void find_collections(Trace& trace);

// Cuts the tiles of a request where collections begin and end, and tags the pieces inside. Only time in
// which the request's thread ran, was blocked, or worked for others, or waited for a CPU that the
// collector's own helpers held: other time on a run queue, throttled, stopped or stolen is that also while
// a collection goes on, and a reply or a worker that is due comes whatever the collector does. A thread that runs while all threads of its process are stopped is not
// stopped, unless it is the one that collects.
void tag_collections(const Trace& trace, const Request& request, std::vector<Tile>& tiles);

// Whether `tid` was a thread of `pid` that helps to collect.
bool is_collector(const Trace& trace, std::uint32_t pid, std::uint32_t tid, Time t);

// The time that a span took, from when the stop was asked for if that is told; to the end of the trace if it
// is open.
GcInterval interval_of(const Trace& trace, std::uint32_t span);

}  // namespace srvprof
