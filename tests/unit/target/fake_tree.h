// A directory that looks like /proc and /sys as far as a test says, removed at its end.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "target/proc_fs.h"

namespace srvprof {

class FakeTree {
 public:
  FakeTree();
  ~FakeTree();
  FakeTree(const FakeTree&) = delete;
  FakeTree& operator=(const FakeTree&) = delete;

  ProcFs fs() const { return {path_ + "/proc", path_ + "/sys"}; }
  const std::string& path() const { return path_; }

  // Paths are relative to the tree's root; missing directories are made.
  void write(const std::string& file, std::string_view text);
  void link(const std::string& file, const std::string& target);

  struct Process {
    pid_t pid = 0;
    pid_t ppid = 1;
    std::string comm = "server";
    char state = 'S';
    unsigned flags = 0;
    std::string cmdline = {};
    std::vector<pid_t> ns_pids = {};  // empty = only `pid`
    std::vector<std::uint64_t> socket_inodes = {};
    std::uint64_t net_ns = 0;  // 0 = no link
    std::uint64_t start_ticks = 1000;
  };
  void add(const Process& process);

 private:
  std::string path_;
};

// A line of /proc/PID/stat.
std::string stat_line(pid_t pid, const std::string& comm, char state, pid_t ppid, unsigned flags,
                      std::uint64_t start_ticks);

}  // namespace srvprof
