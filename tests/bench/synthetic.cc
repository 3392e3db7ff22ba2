#include "synthetic.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "trace/builder.h"
#include "trace/flags.h"

namespace srvprof {
namespace {

constexpr std::uint32_t kPid = 4242, kGenerator = 5000, kNeighbour = 6000, kConnections = 64;
constexpr std::uint32_t kDatabase = 1000;  // its connection
constexpr std::uint32_t kEpollWait = 232;  // x86-64
constexpr std::uint64_t kBegin = 1'000'000'000'000;
// Means, in ns: 30k requests/s, a loop that is busy for three quarters of the time.
constexpr std::uint64_t kGap = 33'000, kLight = 14'000, kHeavy = 4'000'000, kDatabaseTime = 40'000;

class World {
 public:
  explicit World(std::size_t requests) : requests_(requests) {}
  std::vector<AnyRow> rows();

 private:
  std::uint64_t around(std::uint64_t mean) { return mean / 2 + random_() % mean; }
  Time at(std::uint64_t ns) const { return time_from_ns(ns); }
  void facts();
  void code();
  void idle_until(std::uint64_t t);
  void run(std::uint64_t ns);
  void answer(std::uint64_t arrived, std::size_t number);
  void sample();

  std::size_t requests_;
  std::mt19937_64 random_{42};
  std::vector<AnyRow> rows_;
  std::uint64_t now_ = kBegin, next_sample_ = kBegin, next_preemption_ = kBegin + 5'000'000;
};

void World::facts() {
  rows_.push_back(rows::Meta{"target.pid", std::to_string(kPid)});
  rows_.push_back(rows::Meta{"target.runtime", "node"});
  rows_.push_back(rows::Meta{"host.cpus", "2"});
  rows_.push_back(rows::Clock{at(kBegin), 1'700'000'000'000'000'000});
  rows_.push_back(rows::Process{at(kBegin), kPid, 1, true, "node", "/usr/bin/node", "node server.js", "/"});
  rows_.push_back(
      rows::Process{at(kBegin), kGenerator, 1, false, "wrk", "/usr/bin/wrk", "wrk -c64", "/"});
  rows_.push_back(rows::Task{at(kBegin), kPid, kPid, 0, kTaskTarget, 1, 0, "node"});
  rows_.push_back(rows::Task{at(kBegin), kNeighbour, kNeighbour, 0, 0, 1, 0, "neighbour"});
  rows::ThreadState state;
  state.t = at(kBegin);
  state.tid = state.pid = kPid;
  state.run = kRunOnCpu;
  state.comm = "node";
  rows_.push_back(state);
  for (std::uint32_t i = 1; i <= kConnections; ++i) {
    rows_.push_back(rows::Conn{{}, {}, {}, i, kPid, kPid, kConnPreexisting, 1, 3000, 40000 + i,
                               "127.0.0.1", "127.0.0.1"});
  }
  rows_.push_back(rows::Conn{{}, {}, {}, kDatabase, kPid, kPid, kConnPreexisting | kConnOut, 0, 50000,
                             5432, "127.0.0.1", "127.0.0.1"});
}

// 40 functions in stacks of 12 to 30 frames.
void World::code() {
  for (std::uint64_t pc = 1; pc <= 40; ++pc) {
    rows_.push_back(rows::Frame{kPid, 0, static_cast<std::uint32_t>(pc), pc, pc, "function_" + std::to_string(pc),
                                "/usr/bin/node", "file.cc", "elf"});
  }
  for (std::uint64_t hash = 1; hash <= 200; ++hash) {
    rows::Stack stack{hash, kPid, {}};
    for (std::uint64_t i = 12 + random_() % 19; i > 0; --i) stack.pcs.push_back(1 + random_() % 40);
    rows_.push_back(stack);
  }
}

// The loop has nothing to do: it waits in epoll.
void World::idle_until(std::uint64_t t) {
  if (t <= now_) return;
  rows::OffCpu off;
  off.t_out = at(now_);
  off.t_wake = at(t);
  now_ = t + around(3'000);
  off.t_in = at(now_);
  off.tid = kPid;
  off.waker = kGenerator;
  off.state = 'S';
  off.sysnr = kEpollWait;
  off.flags = kOffFromSyscall;
  rows_.push_back(off);
}

// The loop runs for `ns`, preempted by the neighbour every 5 ms or so.
void World::run(std::uint64_t ns) {
  while (now_ + ns > next_preemption_) {
    ns -= std::max(next_preemption_, now_) - now_;
    now_ = std::max(next_preemption_, now_);
    rows_.push_back(rows::Slice{at(now_ + 400'000), 0, kNeighbour});
    rows::OffCpu off;
    off.t_out = at(now_);
    now_ += 400'000 + around(1'000'000);
    off.t_in = at(now_);
    off.tid = kPid;
    off.occupant = kNeighbour;
    off.state = 'R';
    off.flags = kOffPreempted;
    rows_.push_back(off);
    next_preemption_ = now_ + around(5'000'000);
  }
  now_ += ns;
}

void World::answer(std::uint64_t arrived, std::size_t number) {
  const bool heavy = number % 1000 == 999, database = number % 10 == 7;
  rows::Request r;
  r.t_arrive = at(arrived);
  run(3'000);
  r.t_read = r.t_read_last = at(now_);
  r.conn = 1 + static_cast<std::uint32_t>(number % kConnections);
  r.tid_read = r.tid_write = kPid;
  r.status = 200;
  r.bytes_in = 140;
  r.bytes_out = 3000;
  r.n_read = r.n_write = 1;
  r.method = heavy ? "POST" : "GET";
  r.path = heavy ? "/login" : database ? "/db/" + std::to_string(random_() % 100'000) : "/items";
  run(around(heavy ? kHeavy : kLight));
  if (database) {
    rows::Exchange e;
    e.t_write = e.t_write_last = at(now_);
    e.t_arrive = at(now_ + around(kDatabaseTime));
    idle_until(to_ns(e.t_arrive));
    e.t_read = e.t_read_last = at(now_);
    e.conn = kDatabase;
    e.tid_write = e.tid_read = kPid;
    e.bytes_out = 60;
    e.bytes_in = 200;
    rows_.push_back(e);
    run(around(10'000));
  }
  r.t_write = r.t_write_last = at(now_);
  rows_.push_back(r);
}

void World::sample() {
  while (next_sample_ < now_) {
    rows_.push_back(rows::Sample{at(next_sample_), kPid, 0, 0, 1 + random_() % 200});
    next_sample_ += 10'101'010;  // 99 Hz
  }
}

std::vector<AnyRow> World::rows() {
  rows_.reserve(requests_ * 2 + 1000);
  facts();
  code();
  std::uint64_t arrival = kBegin;
  for (std::size_t i = 0; i < requests_; ++i) {
    arrival += around(kGap);
    idle_until(arrival);
    // A connection that waits for its answer sends nothing: a backlog is at most kConnections deep.
    arrival = std::max(arrival, now_ - std::min(now_ - kBegin, kConnections * kGap));
    answer(arrival, i);
    sample();
  }
  rows_.push_back(rows::Clock{at(now_), 1'700'000'000'000'000'000 + now_ - kBegin});
  rows_.push_back(rows::End{at(now_), "duration"});
  return std::move(rows_);
}

}  // namespace

std::vector<AnyRow> synthetic_rows(std::size_t requests) { return World(requests).rows(); }

Trace build_trace(const std::vector<AnyRow>& rows) {
  TraceBuilder builder;
  const auto take = [&](const auto& row) {
    if constexpr (std::is_invocable_v<TraceBuilder&, decltype(row)>) builder(row);
  };
  for (const AnyRow& row : rows) std::visit(take, row);
  return builder.build();
}

Trace synthetic_trace(std::size_t requests) { return build_trace(synthetic_rows(requests)); }

}  // namespace srvprof
