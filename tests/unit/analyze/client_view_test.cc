// The client view, and when the load generator's own wait is the finding.
#include "analyze/client_view.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "loadgen/loadgen.h"
#include "scenario.h"

namespace srvprof {
namespace {

// 1000 requests of 1 ms at the server; the client sends 0.1 ms before the arrival and reads the
// answer after `queued` + `own` + `idle`.
Scenario traced_client(Duration queued, Duration own, Duration idle) {
  Scenario s;
  s.process(77, "hey", true);
  s.ordinary(s.route("GET /"), 1000, 0s, 10s);
  ClientSide& side = s.trace.client;
  side.conns.push_back({.id = 5,
                        .pid = 77,
                        .t_connect = {},
                        .t_open = {},
                        .local_addr = "",
                        .remote_addr = "",
                        .server = ConnId{1}});
  side.sends_seen = true;
  side.of_request.push_back(0);
  std::vector<std::pair<Time, Time>> waits, active;
  for (std::uint32_t i = 0; i < s.trace.requests.size(); ++i) {
    const Request& r = s.trace.requests[i];
    ClientExchange x;
    x.conn = 1;
    x.t_send = r.t_arrive - 100us;
    x.t_write = x.t_write_last = r.t_arrive + 10us;
    x.t_arrive = r.t_done;
    x.t_read = x.t_read_last = r.t_done + queued + own + idle;
    x.previous = i;
    x.request = {i + 1};
    waits.emplace_back(r.t_done, r.t_done + queued);
    active.emplace_back(r.t_done, r.t_done + queued + own);
    side.exchanges.push_back(x);
    side.of_request.push_back(i + 1);
  }
  ClientProcess p;
  p.pid = 77;
  p.t_first = s.trace.t_begin;
  p.t_last = s.trace.t_end;
  p.queued = Stretches(waits);
  p.active = Stretches(active);
  side.processes.push_back(p);
  side.process_by_pid[77] = 1;
  return s;
}

TEST(ClientView, LinesAddUpToTheMean) {
  const Report r = traced_client(4ms, 1ms, 500us).report();
  ASSERT_TRUE(r.client);
  ASSERT_EQ(r.client->parts.size(), 1U);
  const ClientPart& part = r.client->parts[0];
  EXPECT_EQ(part.requests, 1000U);
  EXPECT_EQ(part.client_mean, 6600us);
  EXPECT_EQ(part.server_mean, 1ms);
  EXPECT_EQ(part.mean_of(ClientLine::kRunq), 4ms);
  EXPECT_EQ(part.mean_of(ClientLine::kOwn), 1ms);
  EXPECT_EQ(part.mean_of(ClientLine::kIdle), 500us);
  EXPECT_EQ(part.outside(), 5600us);
  EXPECT_EQ(part.named_outside(), 5100us);
  EXPECT_EQ(part.unread_runq_mean, 4ms);
  Duration sum{};
  for (const ClientLineFigures& f : part.lines) sum += f.mean;
  EXPECT_EQ(sum, part.client_mean);
  ASSERT_FALSE(r.exemplars.empty());
  ASSERT_TRUE(r.exemplars[0].client);
  EXPECT_EQ(r.exemplars[0].client->latency(), 6600us);
}

// 0.1 ms before the arrival, 1 ms at the server, 0.5 ms unread; the tool itself counts 0.1 ms more.
TEST(ClientView, StandsBesideTheToolsOwnFigures) {
  const Scenario s = traced_client({}, {}, 500us);
  std::string text = "start_mono_ns,latency_ns,status,path\n";
  for (const Request& r : s.trace.requests) {
    text += fmt::format("{},1700000,200,/\n", (r.t_arrive - 150us).time_since_epoch().count());
  }
  Result<ClientRun> run = import_run(text, "client.csv");
  ASSERT_TRUE(run.ok()) << run.error().what;
  const std::vector<LoadInput> inputs{{"client.csv", std::move(*run)}};
  ReportOptions options;
  options.loads = &inputs;
  const Report report = s.report(options);
  ASSERT_EQ(report.loads.size(), 1U);
  const LoadPart& whole = report.loads[0].whole;
  EXPECT_EQ(whole.seen_requests, 1000U);
  EXPECT_EQ(whole.client_mean, 1700us);
  EXPECT_EQ(whole.seen_mean, 1600us);
  EXPECT_EQ(whole.server_mean, 1ms);
  ASSERT_FALSE(whole.percentiles.empty());
  EXPECT_EQ(whole.percentiles[0].client, 1700us);
  EXPECT_EQ(whole.percentiles[0].seen, 1600us);
  EXPECT_EQ(whole.percentiles[0].server, 1ms);
}

TEST(ClientView, TheGeneratorsRunQueueIsTheFinding) {
  const Report r = traced_client(4ms, 1ms, 500us).report();
  const Finding* f = find(r.groups[0], "client-side");
  ASSERT_TRUE(f);
  EXPECT_TRUE(f->share_is_of_client);
  EXPECT_NEAR(f->share, 4.0 / 5.6, 0.001);
  EXPECT_TRUE(mentions(f->evidence, "lay outside the server")) << f->evidence[0];
  EXPECT_TRUE(mentions(f->evidence, "hey (pid 77)"));
  EXPECT_NE(r.verdict[0].find("the load generator, not the server"), std::string::npos)
      << r.verdict[0];
}

TEST(ClientView, NoFindingWhereItDoesNotWait) {
  EXPECT_FALSE(find(traced_client(200us, 4ms, 0ms).report().groups[0], "client-side"))
      << "its own code";
  EXPECT_FALSE(find(traced_client(400us, 0ms, 0ms).report().groups[0], "client-side"))
      << "the server took more";
  EXPECT_FALSE(find(traced_client(0ms, 0ms, 9ms).report().groups[0], "client-side")) << "it slept";
}

TEST(ClientView, NothingWithoutAClient) {
  Scenario s;
  s.ordinary(s.route("GET /"), 1000, 0s, 10s);
  const Report r = s.report();
  EXPECT_FALSE(r.client);
  EXPECT_TRUE(mentions({unseen_clients(s.trace)[0]}, "10.0.0.9")) << "it came from another machine";
  s.trace.conns[0].local_addr = s.trace.conns[0].remote_addr;
  EXPECT_TRUE(unseen_clients(s.trace).empty());
}

}  // namespace
}  // namespace srvprof
