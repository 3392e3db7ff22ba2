// What requests were like on average as the load generator lived through them.
#pragma once

#include <cstdint>
#include <span>

#include "trace/model.h"

namespace srvprof {

// `ledger` over the `requests` that were seen from the client's end, `turn` over the `turns` whose request
// before on the connection was seen, too: the lines alone. Zeros where there are none.
struct ClientMeans {
  std::int64_t requests = 0, turns = 0;
  ClientLedger ledger, turn;
};

// Streams, and requests that recording cut short or that nobody waited for until their end, have no latency
// and are left out, as everywhere.
ClientMeans client_means(const Trace& trace, std::span<const RequestId> requests);

// A ledger's lines together.
Duration sum_of_lines(const ClientLedger& ledger);

}  // namespace srvprof
