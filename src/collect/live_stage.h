// The stage of the load as the progress line names it: told from the last seconds alone, by a simple rule.
// The report finds its phases in the whole recording (analyze/phases.h).
#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "base/time.h"

namespace srvprof {

class LiveStage {
 public:
  explicit LiveStage(Time begin) : since_(begin) {}

  // Requests a second of the second that ended at `now`.
  void add(Time now, double rate);
  // The user named what begins now: that name stays until the next one.
  void mark(Time now, const std::string& name);

  // "idle", "steady", "ramp" (it rises or falls from second to second), "changing" (a level not yet
  // three seconds old), or the user's name.
  std::string name() const;
  Time since() const { return marked_.empty() ? since_ : marked_at_; }

 private:
  enum class Kind { kIdle, kChanging, kRamp };
  void begin_level(Time since, std::size_t seconds);

  struct Second {
    Time begin;
    double rate = 0;
  };
  std::deque<Second> last_;  // the latest few, oldest first
  Kind kind_ = Kind::kIdle;
  Time since_;
  double sum_ = 0;        // of the level's rates
  std::size_t count_ = 0;  // its seconds
  std::string marked_;
  Time marked_at_;
};

}  // namespace srvprof
