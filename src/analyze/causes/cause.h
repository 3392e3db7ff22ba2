// A cause: a reason for waiting that claims tiles of the ledger and can say, in words and numbers,
// why it is to blame or why it is not. One file a cause, one line in all.cc; help, docs and the
// order of precedence come from there.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/facts.h"
#include "analyze/report.h"
#include "trace/ledger.h"
#include "trace/model.h"

namespace srvprof {

struct Cause;

// What a cause may ask about beside the tile itself. The requests concerned are of one route and
// one phase of the load.
struct CauseContext {
  const Trace& trace;
  const Facts& facts;
  Time begin, end;  // of the phase
  RouteId route;
  bool first_requests = false;
  double baseline_min_flt = 0;  // minor faults of an ordinary request, mean
};

// A tile as the causes see it: where it lies in the echo of a stall (the queue that the stall left
// drains), state, who and off are those of the stall.
struct ClaimedTile {
  RequestId request;
  Tile tile;
};

// What one cause claimed of a set of requests (the subject: slow requests, or ordinary ones for
// findings about the body), against a baseline.
struct ClaimStats {
  const Cause* cause = nullptr;
  Duration subject_mean{}, baseline_mean{};  // claimed time per request
  Duration gap{};                            // their difference
  Duration whole_gap{};                      // of which it is a share
  double share = 0;
  std::uint64_t requests = 0;  // in which it is >= 10 % of the excess
  std::uint64_t subject_requests = 0;
  std::uint64_t stalls = 0;  // distinct intervals behind the tiles
  bool of_body = false;
  std::vector<ClaimedTile> tiles;  // of the subject
};

struct Cause {
  std::string_view id{}, title{}, doc{};  // doc: one line
  // Whether a tile of a request is this cause's. Null for a cause of the whole run.
  bool (*claims)(const CauseContext&, const Request&, const Tile&) = nullptr;
  // Fills title, evidence, culprits and tries. share, counts and ruled_out are filled by the
  // caller.
  Finding (*describe)(const CauseContext&, const ClaimStats&) = nullptr;
  // A clause with a number that says why it is not to blame, e.g. "no CPU quota is set".
  std::string (*innocent)(const CauseContext&, const ClaimStats&) = nullptr;
  std::span<const std::string_view> look_alikes{};  // ids that a finding must rule out
  // Whether the claim may be made at all (null = yes), e.g. if counters disagree.
  bool (*plausible)(const CauseContext&, const ClaimStats&) = nullptr;
};

// In order of precedence: the first that claims a tile has it.
std::span<const Cause* const> all_causes();
const Cause* find_cause(std::string_view id);

}  // namespace srvprof
