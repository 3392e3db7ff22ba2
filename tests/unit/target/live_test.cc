// The readers on the running machine, with this test's own process as the target.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <future>
#include <thread>

#include "base/fd.h"
#include "target/cgroup.h"
#include "target/find.h"
#include "target/machine.h"
#include "target/maps.h"
#include "target/open.h"
#include "target/privileges.h"
#include "target/sockets.h"

namespace srvprof {
namespace {

int code_of_this_test() { return 42; }

struct Server {
  Fd socket;
  std::uint16_t port = 0;
};

Server listen_on_loopback(int backlog) {
  Server server{Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), 0};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(::bind(server.socket.get(), generic, size), 0);
  EXPECT_EQ(::listen(server.socket.get(), backlog), 0);
  EXPECT_EQ(::getsockname(server.socket.get(), generic, &size), 0);
  server.port = ntohs(address.sin_port);
  return server;
}

TEST(Live, OwnProcess) {
  const ProcFs fs;
  const auto info = find_by_pid(fs, ::getpid());
  ASSERT_TRUE(info.ok()) << info.error().what;
  EXPECT_EQ(info->ppid, ::getppid());
  EXPECT_EQ(info->uid, ::geteuid());
  EXPECT_EQ(program_name(*info), "target_test");
  EXPECT_NE(info->pid_ns, 0u);
  EXPECT_FALSE(info->cpus_allowed.empty());
  EXPECT_TRUE(is_alive(fs, *info));
}

TEST(Live, ChildBecomesZombie) {
  const ProcFs fs;
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    char byte;
    ::close(ends[1]);
    (void)!::read(ends[0], &byte, 1);
    ::_exit(0);
  }
  ::close(ends[0]);
  const auto below = read_descendants(fs, ::getpid());
  ASSERT_TRUE(below.ok());
  EXPECT_EQ(std::count(below->begin(), below->end(), child), 1);
  ::close(ends[1]);
  siginfo_t info;
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  const auto zombie = find_by_pid(fs, child);
  ASSERT_FALSE(zombie.ok());
  EXPECT_NE(zombie.error().what.find("zombie"), std::string::npos);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  const auto gone = find_by_pid(fs, child);
  ASSERT_FALSE(gone.ok());
  EXPECT_EQ(gone.error().kind, ErrorKind::kNoTarget);
}

TEST(Live, ThreadsAndSchedstat) {
  const ProcFs fs;
  std::promise<pid_t> tid;
  std::promise<void> stop;
  std::thread thread([&] {
    ::pthread_setname_np(::pthread_self(), "odd ) name");
    tid.set_value(::gettid());
    stop.get_future().wait();
  });
  const pid_t expected = tid.get_future().get();
  const auto threads = read_threads(fs, ::getpid());
  const auto as_process = find_by_pid(fs, expected);
  const auto sched = read_process_schedstat(fs, ::getpid());
  stop.set_value();
  thread.join();
  ASSERT_TRUE(threads.ok());
  const auto it = std::find_if(threads->begin(), threads->end(),
                               [&](const ThreadInfo& t) { return t.tid == expected; });
  ASSERT_NE(it, threads->end());
  EXPECT_EQ(it->comm, "odd ) name");
  ASSERT_FALSE(as_process.ok());
  EXPECT_NE(as_process.error().what.find("thread of process"), std::string::npos);
  if (sched.ok()) {
    EXPECT_GT(sched->cpu.count(), 0);
  }
}

TEST(Live, OwnCodeIsInOwnMaps) {
  const ProcFs fs;
  const auto maps = read_maps(fs, ::getpid());
  ASSERT_TRUE(maps.ok());
  const auto* code = find_mapping(*maps, reinterpret_cast<std::uint64_t>(&code_of_this_test));
  ASSERT_NE(code, nullptr);
  EXPECT_TRUE(code->exec);
  EXPECT_NE(code->path.find("target_test"), std::string::npos);
  auto root = open_root(fs, ::getpid());
  ASSERT_TRUE(root.ok()) << root.error().what;
  auto file = open_mapped_file(fs, ::getpid(), *root, *code);
  ASSERT_TRUE(file.ok()) << file.error().what;
  char magic[4] = {};
  ASSERT_EQ(::pread(file->get(), magic, 4, 0), 4);
  EXPECT_EQ(std::string(magic, 4), "\177ELF");
}

TEST(Live, ListenerBacklogAndPeer) {
  const ProcFs fs;
  const Server server = listen_on_loopback(7);
  const auto owners = find_by_port(fs, server.port);
  ASSERT_TRUE(owners.ok()) << owners.error().what;
  ASSERT_EQ(owners->size(), 1u);
  EXPECT_EQ((*owners)[0].pid, ::getpid());

  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(server.port);
  const Fd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::connect(client.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);

  const auto waiting = read_listeners(fs, ::getpid());
  ASSERT_TRUE(waiting.ok());
  const auto it = std::find_if(waiting->tcp.begin(), waiting->tcp.end(),
                               [&](const auto& s) { return s.local.port == server.port; });
  ASSERT_NE(it, waiting->tcp.end());
  EXPECT_EQ(it->queued, 1u);
  if (it->backlog) {
    EXPECT_EQ(*it->backlog, 7u);
  }

  const Fd accepted(::accept(server.socket.get(), nullptr, nullptr));
  const auto connections = read_connections(fs, ::getpid());
  ASSERT_TRUE(connections.ok());
  std::vector<SocketPair> pairs;
  for (const auto& c : *connections) {
    if (c.local.port == server.port) pairs.push_back({c.local, c.remote});
  }
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(find_peers(fs, ::getpid(), pairs), (std::vector<pid_t>{::getpid()}));
}

TEST(Live, MachineAndHost) {
  const ProcFs fs;
  const auto cpus = read_cpu_times(fs);
  ASSERT_TRUE(cpus.ok());
  EXPECT_FALSE(cpus->empty());
  const auto processes = read_process_cpu(fs);
  ASSERT_TRUE(processes.ok());
  EXPECT_TRUE(std::any_of(processes->begin(), processes->end(),
                          [](const ProcessCpu& p) { return p.pid == ::getpid(); }));
  const auto own = read_own_use(fs);
  ASSERT_TRUE(own.ok());
  EXPECT_GT(own->cpu.count(), 0);
  EXPECT_GT(own->rss_bytes, 100'000u);
  EXPECT_TRUE(read_listen_drops(fs, ::getpid()).ok());
  const HostFacts facts = read_host_facts(fs);
  EXPECT_FALSE(facts.kernel_release.empty());
  EXPECT_GE(facts.online_cpus, 1u);
  EXPECT_EQ(facts.uid, ::geteuid());
  const auto info = read_process(fs, ::getpid());
  ASSERT_TRUE(info.ok());
  const auto cgroup = read_cpu_cgroup(fs, info->cgroups);
  if (cgroup.ok()) {
    EXPECT_NE(cgroup->levels.front().id, 0u);
  }
}

}  // namespace
}  // namespace srvprof
