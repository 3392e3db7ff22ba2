// What of a recording has to be joined with other rows before it is a model: kept between reading
// and building. Internal to src/trace.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/model.h"

namespace srvprof {

// A request whose threads and connection are still the recording's numbers.
struct RawRequest {
  Request request;
  Time t_write_last;
  std::uint32_t conn = 0, tid_read = 0, tid_write = 0;
};

struct RawExchange {
  Exchange exchange;
  std::uint32_t conn = 0, tid_write = 0, tid_read = 0;
};

struct Birth {
  Time t;
  std::uint32_t tid = 0, pid = 0, parent = 0;
};

// A socket event that belongs to no modelled request: in flight at attach, or left out.
struct StrayEvent {
  Time t;
  std::uint32_t tid = 0;
};

struct Raw {
  std::unordered_map<std::uint32_t, std::vector<OffInterval>> off;  // by tid
  std::vector<rows::ThreadState> states;
  std::vector<Birth> births;
  std::vector<rows::TaskExit> exits;
  std::vector<rows::Migrate> migrations;
  std::vector<rows::Irq> irqs;
  std::vector<RawRequest> requests;
  std::vector<RawExchange> exchanges;
  std::vector<rows::Mark> marks;
  std::vector<StrayEvent> strays;
  std::vector<rows::ClientConn> client_conns;
  std::vector<rows::ClientExchange> client_exchanges;
  std::vector<rows::ClientOff> client_off;
  std::unordered_map<std::uint32_t, ConnId> conn_by_number;
  Time t_first, t_last;  // of any row
  Time t_end_row;
  std::uint64_t bad_rows = 0;  // rows whose times make no sense, dropped
  std::uint64_t overlaps = 0;  // off-CPU intervals that overlap others, cut or dropped
};

// The steps of building, in this order. Each says in words into trace.read_damage what it had to
// drop.
void build_threads(Raw& raw, Trace& trace);
void build_requests(Raw& raw, Trace& trace);  // connections, requests, exchanges, runtime model
void build_client(Raw& raw, Trace& trace);    // the load generator's side: needs the requests
void assign_owners(const Raw& raw, Trace& trace);
void find_roles(Trace& trace);
void find_stalls(Trace& trace);
void find_routes_that_run_through(Trace& trace);  // of goroutines only; uses tiles_of

}  // namespace srvprof
