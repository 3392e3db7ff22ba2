// Probes on a target's own code: attached after the kernel side is loaded, taken off before it goes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "collect/decode.h"
#include "collect/probe_sites.h"
#include "collect/probes.h"
#include "recording/writer.h"
#include "runtime/spans.h"

namespace srvprof {

class SpanProbes {
 public:
  explicit SpanProbes(const ProcFs& fs);
  ~SpanProbes();
  SpanProbes(const SpanProbes&) = delete;
  SpanProbes& operator=(const SpanProbes&) = delete;

  // Attaches what the plans of one target say. What the kernel refuses becomes a gap. May be called again for
  // a process that has come later, or runs another program now.
  void attach(const SpanHooks& hooks, std::uint32_t pid, std::span<const SpanPlan> plans);
  // Takes the probes of a span off that cost too much: single-stepped ones that are hit more than 100 times a
  // second, and those that the user asked for when they cost more than a twentieth of a CPU. About once a second.
  void guard(Time now);
  // Takes all probes off: the original instructions are back when it returns.
  void detach();
  // Whether they are, and the semaphores; after detach().
  void write_verdict(RecordingWriter& writer) const { sites_.write_verdict(writer); }
  // Rows for the spans that have begun and not ended; after the gate is closed.
  void write_open(const DecodeOptions& options, RecordingWriter& writer) const;
  // What was probed and what could not be, as Capability rows.
  void write_capabilities(RecordingWriter& writer) const;
  // By the number in the records.
  const std::vector<const SpanKind*>& kinds() const { return kinds_; }

 private:
  struct Attached;
  struct Cost {
    double cpus = 0, most = 0;
    double rate = 0;    // hits a second of the probe that is hit most
    std::string where;  // that probe
  };
  void note(rows::Capability row);
  void attach_plan(std::uint32_t pid, const SpanPlan& plan);
  std::uint8_t number_of(const SpanKind* kind);
  std::string attach_probe(std::uint32_t pid, const SpanPlan& plan, const PlannedProbe& probe);
  std::uint64_t hits(std::uint32_t index) const;
  std::map<std::string, Cost> costs(double seconds);

  ProbeSites sites_;
  SpanHooks hooks_;
  std::vector<const SpanKind*> kinds_;
  std::vector<std::unique_ptr<Attached>> attached_;
  std::vector<rows::Capability> capabilities_;
  std::uint32_t next_ = 0;  // index into the map of probes
  Time guarded_;
};

}  // namespace srvprof
