// The ways of capture as they are listed; what a kernel makes of them is for the live tests and tests/vm.
#include "collect/capture_path.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "collect/session.h"

namespace srvprof {
namespace {

bool lists(const std::string& capture, std::string_view probe) {
  const auto probes = list_probes(capture);
  return std::any_of(probes.begin(), probes.end(), [&](const ProbeInfo& p) { return p.name == probe; });
}

TEST(CapturePath, NamesAreThoseOfTheOption) {
  std::vector<std::string> names = {"auto"};
  for (const CapturePath& path : capture_paths()) {
    names.emplace_back(path.name);
    EXPECT_EQ(find_capture_path(path.name), &path);
  }
  EXPECT_EQ(names, capture_ways());
  EXPECT_EQ(find_capture_path("auto"), nullptr);
  EXPECT_EQ(find_capture_path(""), nullptr);
}

TEST(CapturePath, OnlyTheSocketTracepointsSeeEverything) {
  for (const CapturePath& path : capture_paths()) {
    const bool tracepoints = path.way == CapturePath::Way::kSock || path.way == CapturePath::Way::kPerf;
    EXPECT_EQ(std::string_view(path.unseen).empty(), tracepoints) << path.name;
    EXPECT_EQ(has_clients(path), tracepoints) << path.name;
  }
}

// perf is taken by itself just where `sock` may miss something; there, only what runs unpreempted misses nothing.
TEST(CapturePath, PerfIsTriedWhereTracepointsMayBePreempted) {
  const CapturePath& perf = *find_capture_path("perf");
  const CapturePath& sock = *find_capture_path("sock");
  EXPECT_LT(&perf, &sock);
  EXPECT_EQ(tried_by_itself(perf), kernel_may_skip(sock));
  EXPECT_TRUE(tried_by_itself(sock));
  EXPECT_FALSE(kernel_may_skip(perf));
  EXPECT_FALSE(kernel_may_skip(*find_capture_path("kprobe")));
}

TEST(CapturePath, EachListsItsOwnProbesAndTheCommonOnes) {
  EXPECT_TRUE(lists("sock", "tp_btf/sock_recv_length"));
  EXPECT_FALSE(lists("sock", "tp_btf/sys_exit"));
  EXPECT_FALSE(lists("sock", "tp_btf/tcp_destroy_sock"));
  EXPECT_TRUE(lists("sys", "tp_btf/sys_exit"));
  EXPECT_FALSE(lists("sys", "tp_btf/sock_recv_length"));
  EXPECT_TRUE(lists("perf", "tp/sock/sock_recv_length"));
  EXPECT_TRUE(lists("perf", "tp_btf/sk_data_ready"));
  EXPECT_FALSE(lists("perf", "tp_btf/sock_recv_length"));
  EXPECT_TRUE(lists("perf", "tp/tcp/tcp_destroy_sock"));
  EXPECT_TRUE(lists("perf", "iter/bpf_map_elem"));
  for (const char* way : {"fexit", "kprobe", "sys"}) {
    EXPECT_TRUE(lists(way, "tp_btf/tcp_destroy_sock")) << way;
    EXPECT_TRUE(lists(way, "iter/bpf_map_elem")) << way;
  }
  for (const std::string& way : capture_ways()) EXPECT_TRUE(lists(way, "tp_btf/sched_switch")) << way;
}

// Every probe of every way is listed without a name, those of fallbacks as optional.
TEST(CapturePath, TheWholeListHasAll) {
  const auto all = list_probes("");
  for (const CapturePath& path : capture_paths()) {
    for (const ProbeInfo& p : list_probes(path.name)) EXPECT_TRUE(lists("", p.name)) << p.name;
  }
  for (const ProbeInfo& p : all) {
    const bool fallback = p.name.starts_with("fexit/") || p.name.starts_with("tp/") || p.name == "tp_btf/sys_exit";
    EXPECT_TRUE(!fallback || p.optional) << p.name;
  }
}

}  // namespace
}  // namespace srvprof
