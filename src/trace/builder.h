// Rows in any order -> Trace. The one way to a model: load_trace() feeds it from a file, tests from
// text (parse_text takes it as its visitor).
#pragma once

#include <string>

#include "protocol/route.h"
#include "recording/rows.h"
#include "trace/intern.h"
#include "trace/model.h"
#include "trace/raw.h"

namespace srvprof {

class TraceBuilder {
 public:
  TraceBuilder();
  TraceBuilder(const TraceBuilder&) = delete;
  TraceBuilder& operator=(const TraceBuilder&) = delete;

  void operator()(const rows::Meta& row);
  void operator()(const rows::Clock& row);
  void operator()(const rows::Process& row);
  void operator()(const rows::Task& row);
  void operator()(const rows::TaskExit& row);
  void operator()(const rows::Conn& row);
  void operator()(const rows::ConnClose& row);
  void operator()(const rows::Request& row);
  void operator()(const rows::Exchange& row);
  void operator()(const rows::Mark& row);
  void operator()(const rows::OffCpu& row);
  void operator()(const rows::Slice& row);
  void operator()(const rows::Migrate& row);
  void operator()(const rows::Sample& row);
  void operator()(const rows::Stack& row);
  void operator()(const rows::Frame& row);
  void operator()(const rows::CpuUse& row) { trace_.cpu_use.push_back(row); }
  void operator()(const rows::Loss& row) { trace_.losses.push_back(row); }
  void operator()(const rows::Capability& row) { trace_.capabilities.push_back(row); }
  void operator()(const rows::OwnCost& row) { trace_.own_cost.push_back(row); }
  void operator()(const rows::Governor& row) { trace_.governor.push_back(row); }
  void operator()(const rows::Counter& row) { trace_.counters.push_back(row); }
  void operator()(const rows::PhaseMark& row) { trace_.phase_marks.push_back(row); }
  void operator()(const rows::Listener& row) { trace_.listeners.push_back(row); }
  void operator()(const rows::CgroupCpu& row) { trace_.cgroup_cpu.push_back(row); }
  void operator()(const rows::Signal& row);
  void operator()(const rows::Freeze& row);
  void operator()(const rows::ThreadState& row);
  void operator()(const rows::Unsampled& row);
  void operator()(const rows::Irq& row);
  void operator()(const rows::End& row);
  void operator()(const rows::Load& row) { trace_.loads.push_back(row); }
  void operator()(const rows::Span& row);
  void operator()(const rows::ClientConn& row);
  void operator()(const rows::ClientExchange& row);
  void operator()(const rows::ClientOff& row);

  // Rows taken so far.
  std::uint64_t rows() const { return rows_; }
  // Something that could not be read, in words.
  void note_damage(std::string what) { trace_.read_damage.push_back(std::move(what)); }

  // Builds the model; the builder is empty after that.
  Trace build();

 private:
  bool sane(std::initializer_list<Time> times);
  void seen(Time t);

  Trace trace_;
  Raw raw_;
  StringIntern strings_;
  RouteTable routes_;
  std::uint64_t rows_ = 0;
};

}  // namespace srvprof
