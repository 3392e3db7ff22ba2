#include "loadgen/samples.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "loadgen/loadgen.h"
#include "loadgen/text.h"

namespace srvprof {
namespace {

// What is asked of a run most often; the rest can be had from the samples.
constexpr std::array<double, 9> kPercents = {10, 25, 50, 75, 90, 95, 99, 99.9, 99.99};

Duration end_of(const ClientSample& s) {
  return s.start + (s.latency == kNotTold ? Duration{0} : s.latency);
}

void count_samples(ClientRun& run, bool failures_are_absent) {
  std::uint64_t failed = 0;
  std::map<std::uint16_t, std::uint64_t> status;
  for (const ClientSample& s : run.samples) {
    failed += s.failed ? 1 : 0;
    if (!s.failed && s.status != 0) ++status[s.status];
  }
  run.counts.answered = run.samples.size() - failed;
  if (!failures_are_absent) {
    run.counts.unanswered = failed;
    run.counts.requests = run.samples.size();
  }
  for (const auto& [code, count] : status) add_status(run.counts, code, count);
  if (!status.empty() || run.samples.empty()) complete_counts(run.counts);
  if (failed > 0) {
    run.notes.push_back(
        fmt::format("{} requests got no whole answer and are left out of the percentiles", failed));
  }
}

}  // namespace

void ErrorTally::add(std::string_view text, std::uint64_t count) {
  text = trim(text).substr(0, kMaxErrorText);
  const auto it = counts_.find(text);
  if (it != counts_.end()) {
    it->second += count;
  } else if (counts_.size() < kMaxErrorTexts - 1) {
    counts_.emplace(text, count);
  } else {
    other_ += count;
  }
}

std::vector<ErrorCount> ErrorTally::take() {
  std::vector<ErrorCount> out;
  for (auto& [text, count] : counts_) out.push_back({text, count});
  std::stable_sort(out.begin(), out.end(),
                   [](const ErrorCount& a, const ErrorCount& b) { return a.count > b.count; });
  if (other_ > 0) out.push_back({"other errors", other_});
  counts_.clear();
  return out;
}

std::uint32_t SampleCollector::path_id(std::string_view path) {
  if (path.empty()) return 0;
  const auto [it, is_new] = path_ids_.try_emplace(std::string(path), 0u);
  if (!is_new) return it->second;
  if (paths_.size() >= kMaxClientPaths) {
    path_ids_.erase(it);
    paths_left_out_ = true;
    return 0;
  }
  it->second = static_cast<std::uint32_t>(paths_.size());
  paths_.emplace_back(path);
  return it->second;
}

Result<void> SampleCollector::add(ClientSample sample, std::string_view url, std::size_t line) {
  if (samples_.size() >= kMaxClientSamples) {
    return line_error(line, fmt::format("more than {} requests", kMaxClientSamples));
  }
  if (sample.start < Duration{0}) {
    return line_error(line, "the request starts before the zero of its clock");
  }
  sample.path = path_id(path_of_url(url));
  samples_.push_back(sample);
  return {};
}

void SampleCollector::finish(ClientRun& run, bool failures_are_absent) {
  std::stable_sort(samples_.begin(), samples_.end(),
                   [](const ClientSample& a, const ClientSample& b) { return a.start < b.start; });
  run.samples = std::move(samples_);
  run.paths = std::move(paths_);
  run.counts.errors = errors_.take();
  if (paths_left_out_) {
    run.notes.push_back(fmt::format("more than {} different paths: the rest are kept without path",
                                    kMaxClientPaths - 1));
  }
  count_samples(run, failures_are_absent);
  run.latency = summarize(run.samples, run.latency_resolution);
  run.summary_from_samples = !run.latency.empty();
  if (run.samples.empty()) return;
  Duration end{0};
  for (const ClientSample& s : run.samples) end = std::max(end, end_of(s));
  run.duration = end - run.samples.front().start;
  if (run.time_base == TimeBase::kWallClock) {
    run.started = run.samples.front().start;
    run.finished = end;
  }
}

LatencySummary summarize(const std::vector<ClientSample>& samples, Duration resolution) {
  std::vector<Duration> sorted;
  sorted.reserve(samples.size());
  double sum = 0;
  for (const ClientSample& s : samples) {
    if (s.failed) continue;
    sorted.push_back(s.latency);
    sum += static_cast<double>(s.latency.count());
  }
  LatencySummary out;
  out.count = sorted.size();
  if (sorted.empty()) return out;
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<double>(sorted.size());
  double squares = 0;
  for (const Duration d : sorted) {
    const double off = static_cast<double>(d.count()) - sum / n;
    squares += off * off;
  }
  out.min = Figure{sorted.front(), resolution};
  out.max = Figure{sorted.back(), resolution};
  out.mean = Figure{Duration(std::llround(sum / n)), resolution};
  out.stddev = Figure{Duration(std::llround(std::sqrt(squares / n))), resolution};
  for (const double percent : kPercents) {
    // The small term keeps 99.9 % of 1000 from becoming rank 1000 by rounding.
    const double rank = std::ceil(percent / 100 * n - 1e-9);
    const auto at = std::clamp<std::size_t>(static_cast<std::size_t>(rank), 1, sorted.size());
    out.percentiles.push_back({percent, Figure{sorted[at - 1], resolution}});
  }
  return out;
}

void set_percentile(LatencySummary& summary, double percent, Figure latency) {
  auto& list = summary.percentiles;
  const auto it =
      std::lower_bound(list.begin(), list.end(), percent,
                       [](const ClientPercentile& p, double x) { return p.percent < x; });
  if (it != list.end() && it->percent == percent) {
    it->latency = latency;
  } else {
    list.insert(it, {percent, latency});
  }
}

void add_status(ClientCounts& counts, std::uint16_t status, std::uint64_t count) {
  auto& list = counts.status;
  const auto it =
      std::lower_bound(list.begin(), list.end(), status,
                       [](const StatusCount& s, std::uint16_t x) { return s.status < x; });
  if (it != list.end() && it->status == status) {
    it->count += count;
  } else {
    list.insert(it, {status, count});
  }
}

void complete_counts(ClientCounts& counts) {
  std::uint64_t http_errors = 0;
  for (const StatusCount& s : counts.status) http_errors += s.status >= 400 ? s.count : 0;
  if (!counts.http_errors) counts.http_errors = http_errors;
  if (!counts.requests && counts.answered && counts.unanswered) {
    counts.requests = *counts.answered + *counts.unanswered;
  }
}

std::optional<std::uint16_t> parse_status(std::string_view s) {
  const auto status = parse_number<std::uint16_t>(s);
  if (!status || *status > 999 || (*status != 0 && *status < 100)) return std::nullopt;
  return status;
}

}  // namespace srvprof
