// Flame graphs of a trace whose timelines are given, so that the real ledger cuts it.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "scenario.h"

namespace srvprof {
namespace {

// "server;main;work" -> (weight, baseline)
std::map<std::string, std::pair<double, double>> folded(const FlameData& data) {
  std::map<std::string, std::pair<double, double>> out;
  for (const FlameStack& s : data.stacks) {
    std::string line;
    for (const std::uint32_t f : s.frames) line += (line.empty() ? "" : ";") + data.labels.at(f);
    EXPECT_TRUE(out.emplace(line, std::pair{s.weight, s.baseline}).second) << line;
  }
  return out;
}

// One thread that serves a request every 10 ms: 1 ms of work, and every 20th is blocked for 30 ms
// on the disk. Samples: one in each slow request, one in every tenth ordinary one.
Scenario served() {
  Scenario s;
  s.trace.model = RuntimeModel::kThreadPerRequest;
  const auto stack = [&](std::uint64_t hash, std::uint32_t pid, std::vector<std::uint64_t> pcs) {
    rows::Stack row;
    row.hash = hash;
    row.pid = pid;
    row.pcs = std::move(pcs);
    s.trace.stacks[hash] = row;
  };
  const auto frame = [&](std::uint32_t pid, std::uint64_t pc, const char* function) {
    rows::Frame f;
    f.pid = pid;
    f.pc = pc;
    f.function = function;
    s.trace.frames[{pid, pc}].push_back(f);
  };
  stack(1, 100, {11, 12});
  stack(2, 0, {21, 22});
  stack(3, 100, {13, 12});
  frame(100, 11, "inlined");
  frame(100, 11, "work");  // outermost last
  frame(100, 12, "main");
  frame(0, 21, "io_schedule");
  frame(0, 22, "fsync");
  rows::Frame module;
  module.pid = 100;
  module.pc = 13;
  module.module = "/opt/app/addon.node";
  module.module_offset = 0x1f0;
  s.trace.frames[{100, 13}] = {module};

  Thread& t = s.trace.threads[0];
  const RouteId route = s.route("GET /a");
  for (int i = 0; i < 900; ++i) {
    const bool slow = i % 20 == 10;
    const Time begin = s.at(10ms * i + (slow ? 0ms : 0ms));
    s.request(route, 10ms * i, {{State::kCpu, 1ms}, {State::kBlockedDisk, slow ? 8ms : 1us}});
    Request& r = s.last();
    t.owners.push_back({begin,
                        RequestId{static_cast<std::uint32_t>(i + 1)},
                        {},
                        OwnerChange::Kind::kRequest,
                        false});
    OffInterval off;
    off.t_out = begin + 1ms;
    off.t_wake = off.t_in = off.t_throttle = off.t_throttle_end = r.t_done;
    off.state = 'D';
    off.wait = Wait::kDisk;
    off.kstack = 2;
    off.ustack = 1;
    t.off.push_back(off);
    OffInterval idle;
    idle.t_out = r.t_done;
    idle.t_wake = idle.t_in = idle.t_throttle = idle.t_throttle_end = s.at(10ms * (i + 1));
    idle.wait = Wait::kEvents;
    idle.idle = true;
    t.off.push_back(idle);
    t.owners.push_back({r.t_done, {}, {}, OwnerChange::Kind::kIdle, false});
    if (slow || i % 10 == 1) {
      s.trace.samples.push_back({begin + 500us, 100, 0, 0, slow ? 1u : 3u});
    }
  }
  return s;
}

TEST(Flame, OnCpuOfEverything) {
  const Scenario s = served();
  const FlameData data = flame(s.trace, {});
  EXPECT_EQ(data.unit, "samples");
  const auto f = folded(data);
  ASSERT_EQ(f.size(), 2u);
  EXPECT_EQ(f.at("server;main;work;inlined").first, 45);
  EXPECT_EQ(f.at("server;main;addon.node+0x1f0").first, 90);
}

TEST(Flame, OnCpuOfTheTailAndAgainstTheBody) {
  const Scenario s = served();
  FlameOptions options;
  options.tail_percentile = 95;
  auto f = folded(flame(s.trace, options));
  EXPECT_EQ(f.at("server;main;work;inlined").first, 45);
  EXPECT_EQ(f.count("server;main;addon.node+0x1f0"), 0u);
  options.diff_body = true;
  const FlameData diff = flame(s.trace, options);
  EXPECT_TRUE(diff.differential);
  f = folded(diff);
  EXPECT_NEAR(f.at("server;main;work;inlined").first, 1.0, 0.05);  // a sample in each slow one
  EXPECT_GT(f.at("server;main;addon.node+0x1f0").second, 0.0);
}

TEST(Flame, OffCpu) {
  const Scenario s = served();
  FlameOptions options;
  options.kind = FlameKind::kOffCpu;
  auto f = folded(flame(s.trace, options));
  ASSERT_EQ(f.size(), 1u);  // without the idle intervals
  const auto& [stack, weight] = *f.begin();
  EXPECT_EQ(stack, "server;main;work;inlined;fsync_[k];io_schedule_[k];[blocked]");
  EXPECT_NEAR(weight.first, 45 * 8 + 855 * 0.001, 0.01);
  options.route = "GET /other";
  EXPECT_TRUE(flame(s.trace, options).stacks.empty());
  options.route = "GET /a";
  EXPECT_EQ(flame(s.trace, options).stacks.size(), 1u);
}

TEST(Flame, WallAddsUpToTheLatency) {
  const Scenario s = served();
  FlameOptions options;
  options.kind = FlameKind::kWall;
  options.tail_percentile = 95;
  double sum = 0;
  for (const FlameStack& stack : flame(s.trace, options).stacks) sum += stack.weight;
  EXPECT_NEAR(sum, 9.0, 0.1);  // mean ms of a slow request
}

TEST(Flame, BetweenTwoRecordingsIsARequestEach) {
  const Scenario s = served();
  // The same run without its ordinary samples: only their stack is less.
  Scenario other = served();
  std::erase_if(other.trace.samples, [](const rows::Sample& x) { return x.ustack == 3; });
  const FlameData data = flame_between(s.trace, other.trace, {});
  EXPECT_TRUE(data.differential);
  const auto f = folded(data);
  ASSERT_EQ(f.size(), 2u);
  EXPECT_NEAR(f.at("server;main;work;inlined").first, 50, 1e-6);  // 45 samples, 900 requests
  EXPECT_NEAR(f.at("server;main;work;inlined").second, 50, 1e-6);
  EXPECT_NEAR(f.at("server;main;addon.node+0x1f0").first, 100, 1e-6);
  EXPECT_EQ(f.at("server;main;addon.node+0x1f0").second, 0);
}

}  // namespace
}  // namespace srvprof
