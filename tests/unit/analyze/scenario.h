// Builds traces by hand: requests with the tiles that a test wants them to have.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/analyze.h"
#include "analyze/report.h"
#include "trace/model.h"

namespace srvprof {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""us;
using std::chrono_literals::operator""s;

// A tile without its place: tiles of a request follow each other.
struct Part {
  State state{};
  Duration length{};
  Who who{};
  LifePhase phase = LifePhase::kService;
  State worker_state = State::kUnexplained;
  std::uint32_t off = 0, echo_of = 0;
};

Who task(std::uint32_t tid);
Who owner(RequestId id);

class Scenario {
 public:
  // The recording begins at 1 s and lasts `length`; thread 1 (tid 100) is the server's only one.
  explicit Scenario(Duration length = 10s);

  Time at(Duration since_begin) const { return trace.t_begin + since_begin; }
  RouteId route(std::string_view name);
  ThreadId thread(std::uint32_t tid, std::string_view comm, ThreadRole role);
  void process(std::uint32_t pid, std::string_view comm, bool load_generator = false,
               std::string_view cgroup = "");
  void kernel_thread(std::uint32_t tid, std::string_view comm);

  // Requests must be added by arrival.
  RequestId request(RouteId route, Duration arrive, const std::vector<Part>& parts);
  Request& last() { return trace.requests.back(); }
  // n requests of 1 ms of CPU, evenly over [from, to).
  void ordinary(RouteId route, std::size_t n, Duration from, Duration to);
  // n requests evenly over the recording, every `every`th with `slow` after its 1 ms of CPU.
  void mixed(RouteId route, std::size_t n, std::size_t every, const std::vector<Part>& slow);

  Report report(const ReportOptions& options = {}) const;
  TileSource source() const;

  Trace trace;
  std::map<std::uint32_t, std::vector<Tile>> tiles;  // by request
};

const Finding* find(const Group& group, std::string_view cause, bool of_body = false);
bool mentions(const std::vector<std::string>& lines, std::string_view text);

}  // namespace srvprof
