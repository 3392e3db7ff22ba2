// Socket events of threads in time order: what ownership is told by. Internal to src/trace.
#pragma once

#include <vector>

#include "trace/raw.h"

namespace srvprof {

struct SocketEvent {
  enum class Kind : std::uint8_t {
    kRead,           // of a request, also a later part of it
    kWrite,          // of its response
    kExchangeWrite,  // first write of a question
    kExchangeMore,   // another write of it
    kExchangeRead,   // a read of the reply
    kConn,           // on a connection that carries no HTTP/1
    kStray,          // of a request that is not modelled
  };
  Time t;
  ThreadId thread;
  Kind kind = Kind::kStray;
  RequestId request;  // of exchanges: set while they are attributed
  ExchangeId exchange;
  ConnId conn;
  std::uint64_t g = 0;
  std::uint32_t next = 0;  // 1-based index of the next event of the same thread, 0 = none
};

// All events, sorted, linked. Also fills trace.marks.
std::vector<SocketEvent> collect_events(const Raw& raw, Trace& trace);

// Where a request begins to be worked on: its read, but a pipelined one that the same read fetched
// comes after the one before it.
Time start_of(const Trace& trace, const Request& r);

// Sets Exchange::request, and `request` of the events on their behalf; indexes exchanges by
// request.
void attribute_exchanges(std::vector<SocketEvent>& events, Trace& trace);

}  // namespace srvprof
