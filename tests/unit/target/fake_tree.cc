#include "fake_tree.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace srvprof {
namespace {

namespace filesystem = std::filesystem;

}  // namespace

FakeTree::FakeTree() {
  std::string pattern = (filesystem::temp_directory_path() / "srvprof-test-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) std::abort();
  path_ = pattern;
  filesystem::create_directories(path_ + "/proc");
  filesystem::create_directories(path_ + "/sys");
}

FakeTree::~FakeTree() {
  std::error_code ignored;
  filesystem::remove_all(path_, ignored);
}

void FakeTree::write(const std::string& file, std::string_view text) {
  const filesystem::path full = path_ + "/" + file;
  filesystem::create_directories(full.parent_path());
  std::ofstream out(full, std::ios::binary | std::ios::trunc);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  ASSERT_TRUE(out.good()) << full;
}

void FakeTree::link(const std::string& file, const std::string& target) {
  const filesystem::path full = path_ + "/" + file;
  filesystem::create_directories(full.parent_path());
  filesystem::create_symlink(target, full);
}

void FakeTree::add(const Process& p) {
  const std::string base = fmt::format("proc/{}/", p.pid);
  const auto ns_pids = p.ns_pids.empty() ? std::vector<pid_t>{p.pid} : p.ns_pids;
  write(base + "stat", stat_line(p.pid, p.comm, p.state, p.ppid, p.flags, p.start_ticks));
  write(
      base + "status",
      fmt::format("Name:\t{}\nTgid:\t{}\nTracerPid:\t0\nUid:\t1000\t1001\t1000\t1000\nNSpid:\t{}\n"
                  "CapEff:\t0000000000000000\nCpus_allowed_list:\t0-1\n",
                  "x", p.pid, fmt::join(ns_pids, "\t")));
  write(base + "cmdline", p.cmdline);
  write(base + "cgroup", "4:cpu,cpuacct:/web\n0::/user.slice\n");
  write(base + "fd/.keep", "");
  int fd = 3;
  for (const auto inode : p.socket_inodes) {
    link(fmt::format("{}fd/{}", base, fd++), fmt::format("socket:[{}]", inode));
  }
  if (p.net_ns != 0) link(base + "ns/net", fmt::format("net:[{}]", p.net_ns));
}

std::string stat_line(pid_t pid, const std::string& comm, char state, pid_t ppid, unsigned flags,
                      std::uint64_t start_ticks) {
  return fmt::format("{} ({}) {} {} 7 7 0 -1 {} 11 0 12 0 130 70 0 0 20 -5 4 0 {} 1000 10 0 1\n",
                     pid, comm, state, ppid, flags, start_ticks);
}

}  // namespace srvprof
