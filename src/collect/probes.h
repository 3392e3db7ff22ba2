// The kernel side as one object that is loaded, attached, activated and gone: owns every program, map,
// link and perf event. Nothing is pinned, so the end of the process is the end of all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"

struct sp_shared;
struct bpf_program;

namespace srvprof {

class StackTables;
struct CapturePath;

struct ProbeConfig {
  std::vector<std::uint32_t> pids;
  std::vector<std::uint16_t> ports;  // that the targets listen on
  std::uint32_t netns = 0;           // inode, 0 = any
  bool go = false, full = false, irq = false, follow_children = false;
  bool cgroup_v1 = false;            // name cgroups by the v1 cpu controller
  bool clients = false;              // load generators may be traced: add_client()
  unsigned frequency = 99;           // 0 = no samples
  std::size_t ring_bytes = 0;        // a power of two, at least a page
  std::string capture = "auto";      // a name of capture_paths(), or the best that loads and attaches
  // Tables for walking user stacks; they outlive the probes. Null: by frame pointer alone.
  StackTables* stacks = nullptr;
};

struct ProbeStatus {
  std::string name;    // "tp_btf/sched_switch"
  bool used = false;
  std::string detail;  // why not
};

// What probes on the target's own code are attached with: programs and descriptors of maps, which live as
// long as the Probes.
struct SpanHooks {
  bpf_program *on_hit = nullptr, *on_return = nullptr;
  int probes = -1, open = -1;
};

// Run time of our programs so far, as counted while statistics were on.
struct BpfRunTime {
  std::uint64_t run_ns = 0, runs = 0;
};

class Probes {
 public:
  // Verifies and loads every program, gate closed; connects config.stacks, or does without it (status()
  // says why) where the kernel refuses the walker. Of the ways of capture the first that loads and
  // attaches is taken. Errors: kPermission, kKernel, kUsage (no such way).
  static Result<std::unique_ptr<Probes>> load(const ProbeConfig& config);
  ~Probes();
  Probes(const Probes&) = delete;
  Probes& operator=(const Probes&) = delete;

  Status attach();
  // Closes the gate and takes every program off its hook; attach() and activate() may follow again.
  void detach();
  // Opens the gate (one store) and gives threads and connections that exist a known state.
  Status activate();
  // Closes the gate, then sends what is open: requests in flight, thread states.
  Status deactivate();

  // Takes what is in the ring; returns the number of bytes taken. The span is valid during the call.
  using Sink = std::function<void(std::span<const std::byte>)>;
  std::size_t consume(const Sink& sink);
  std::size_t ring_bytes() const;

  sp_shared& shared();
  const std::vector<ProbeStatus>& status() const;
  const CapturePath& path() const;
  // Why config.stacks is not used; fine where it is, or was not given.
  Status walker() const;
  Status add_target(std::uint32_t pid);
  // A process that makes the load: from now on its connections to the target and its threads are traced,
  // and those of its later children. An error without config.clients, or where the kernel refused that.
  Status add_client(std::uint32_t pid);
  // Whether the kernel tells when a send begins; else its end is all that is known.
  bool sees_sends() const;
  SpanHooks span_hooks();

  // Statistics cost ~40 ns a run: they are switched on for short windows only, through a file
  // descriptor (BPF_ENABLE_STATS, since 5.8, commit d46edd671a14), never by the sysctl.
  bool begin_statistics();
  BpfRunTime end_statistics();
  // Run time of each program so far, by name, as far as statistics were on.
  std::vector<std::pair<std::string, BpfRunTime>> run_times() const;
  // Hooks that the kernel passed without running our program, so far, by name: it was in the middle of the same
  // program on that CPU (recursion_misses, since 5.12). Of all processes, gate open or not.
  std::map<std::string, std::uint64_t> skipped() const;

 private:
  struct Impl;
  explicit Probes(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Why the kernel would refuse the probes, found out by loading and attaching them; else the way of capture.
Result<const CapturePath*> try_load(const std::string& capture = "auto");
// The same with the stack walker, which is not required: why it is refused.
Status try_walker();

}  // namespace srvprof
