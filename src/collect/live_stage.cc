#include "collect/live_stage.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace srvprof {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kKept = 4;
constexpr std::size_t kOff = 2;      // seconds away from the level, the same way, are another level
constexpr std::size_t kSteady = 3;   // seconds of a level until it is called steady
constexpr double kEffect = 0.2;      // as in the report's phases
constexpr double kStep = 0.05;       // of a ramp, at least, from second to second

bool away(double rate, double level) {
  return std::abs(std::log(std::max(rate, 1e-9) / std::max(level, 1e-9))) > std::log1p(kEffect);
}

}  // namespace

// The last `seconds` of the kept ones are its first.
void LiveStage::begin_level(Time since, std::size_t seconds) {
  kind_ = Kind::kChanging;
  since_ = since;
  sum_ = 0;
  count_ = seconds;
  for (std::size_t i = last_.size() - seconds; i < last_.size(); ++i) sum_ += last_[i].rate;
}

void LiveStage::add(Time now, double rate) {
  last_.push_back({now - 1s, rate});
  if (last_.size() > kKept) last_.pop_front();
  if (rate <= 0) {
    if (kind_ != Kind::kIdle) since_ = now - 1s;
    kind_ = Kind::kIdle;
    last_.clear();
    return;
  }
  if (kind_ == Kind::kIdle) {
    begin_level(now - 1s, 1);
    return;
  }
  const auto moves = [&](bool up) {
    for (std::size_t i = 1; i < last_.size(); ++i) {
      const double ratio = last_[i].rate / std::max(last_[i - 1].rate, 1e-9);
      if (up ? ratio < 1 + kStep : ratio > 1 - kStep) return false;
    }
    return last_.size() == kKept && away(last_.back().rate, last_.front().rate);
  };
  if (moves(true) || moves(false)) {
    if (kind_ != Kind::kRamp) since_ = last_.front().begin;
    kind_ = Kind::kRamp;
    return;
  }
  if (kind_ == Kind::kRamp) {
    begin_level(now - 1s, 1);
    return;
  }
  const double level = sum_ / static_cast<double>(count_);
  const bool higher = rate > level;
  std::size_t off = 0;
  while (off < last_.size()) {
    const double other = last_[last_.size() - 1 - off].rate;
    if (!away(other, level) || (other > level) != higher) break;
    ++off;
  }
  if (off >= kOff) {
    begin_level(last_[last_.size() - off].begin, off);
  } else if (off == 0) {
    sum_ += rate;
    ++count_;
  }
}

void LiveStage::mark(Time now, const std::string& name) {
  marked_ = name;
  marked_at_ = now;
}

std::string LiveStage::name() const {
  if (!marked_.empty()) return marked_;
  if (kind_ == Kind::kIdle) return "idle";
  if (kind_ == Kind::kRamp) return "ramp";
  return count_ >= kSteady ? "steady" : "changing";
}

}  // namespace srvprof
