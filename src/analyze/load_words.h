// Sentences about a load generator's run: its counts and where both ends differ.
#pragma once

#include <string>
#include <vector>

#include "analyze/facts.h"
#include "analyze/load_align.h"
#include "analyze/load_view.h"

namespace srvprof {

// Fills counted, recorded, open_at_end, counts_agree and count_lines.
void count_both_ends(const Trace& trace, const ClientRun& run, const LoadSet& set, LoadView& view);

// Fills gap. Precondition: the percentiles and the loop are filled.
void tell_gap(const Trace& trace, const Facts& facts, const ClientRun& run, const LoadSet& set,
              LoadView& view);

}  // namespace srvprof
