#include "analyze/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "analyze/causes/cause.h"
#include "analyze/phases.h"
#include "analyze/words.h"
#include "base/escape.h"

namespace srvprof {
namespace {

Error bad_limit(std::string_view name, std::string_view text, std::string_view hint) {
  return Error{fmt::format("--{} '{}': not a limit", name, escape_text(text)), std::string(hint),
               ErrorKind::kUsage};
}

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

// Takes the sign off; below is the default.
std::string_view take_sign(std::string_view s, Limit& limit) {
  s = trimmed(s);
  if (!s.empty() && (s.front() == '<' || s.front() == '>')) {
    limit.below = s.front() == '<';
    s.remove_prefix(1);
    if (!s.empty() && s.front() == '=') {
      limit.or_equal = true;
      s.remove_prefix(1);
    }
  }
  return trimmed(s);
}

struct Number {
  double value = 0;
  std::string_view unit;
};

std::optional<Number> parse_number_and_unit(std::string_view s) {
  Number out;
  const auto [end, error] =
      std::from_chars(s.data(), s.data() + s.size(), out.value, std::chars_format::fixed);
  if (error != std::errc{} || !std::isfinite(out.value) || out.value < 0) return std::nullopt;
  out.unit = trimmed(s.substr(static_cast<std::size_t>(end - s.data())));
  return out;
}

bool keeps(const Limit& limit, double value) {
  if (limit.or_equal && value == limit.value) return true;
  return limit.below ? value < limit.value : value > limit.value;
}

void judge_percentile(const Limit& limit, const Group& group, LimitResult& out) {
  for (const Percentile& p : group.percentiles) {
    if (p.p != limit.percentile) continue;
    out.value = static_cast<double>(p.value.count());
    out.judged = p.enough;
    out.words = p.enough
                    ? fmt::format("p{:g} is {}, of {}", p.p, interval_words(p.value, p.low, p.high),
                                  plural_words(group.requests, "request"))
                    : fmt::format("{} are too few for a p{:g}",
                                  plural_words(group.requests, "request"), p.p);
  }
}

void judge_cause(const Limit& limit, const Group& group, LimitResult& out) {
  out.judged = true;
  for (const Finding& f : group.findings) {
    if (f.cause == limit.cause && !f.of_body) out.value += f.share;
  }
  out.words = fmt::format("{} has {} of what slow requests take longer", limit.cause,
                          percent_words(out.value));
  if (!group.explained) out.words += " (" + group.not_explained_why + ")";
}

Duration length_of(const Report& report, const std::string& phase) {
  for (const LoadPhase& p : report.phases) {
    if (p.name == phase) return p.end - p.begin;
  }
  return Duration{};
}

LimitResult judge(const Limit& limit, const Report& report, const Group& group) {
  LimitResult out;
  out.limit = limit.text;
  out.route = group.route;
  out.phase = group.phase;
  const auto n = static_cast<double>(std::max<std::uint64_t>(group.requests, 1));
  switch (limit.kind) {
    case LimitKind::kPercentile: judge_percentile(limit, group, out); break;
    case LimitKind::kMax:
      out.judged = group.requests > 0;
      out.value = static_cast<double>(group.max.count());
      out.words = "the slowest took " + ms_words(group.max);
      break;
    case LimitKind::kCause: judge_cause(limit, group, out); break;
    case LimitKind::kThroughput: {
      const double seconds = to_seconds(length_of(report, group.phase));
      out.judged = seconds > 0;
      out.value = seconds > 0 ? static_cast<double>(group.requests) / seconds : 0;
      out.words = fmt::format("{:.1f} requests/s", out.value);
      break;
    }
    case LimitKind::kErrors:
      out.judged = group.requests > 0;
      out.value = static_cast<double>(group.errors) / n;
      out.words = fmt::format("{} of {} failed", count_words(group.errors),
                              plural_words(group.requests, "request"));
      break;
    case LimitKind::kLost: break;
  }
  out.passed = out.judged && keeps(limit, out.value);
  return out;
}

LimitResult judge_lost(const Limit& limit, const Report& report) {
  LimitResult out;
  const ReportHeader& h = report.header;
  out.limit = limit.text;
  out.judged = true;
  out.value = static_cast<double>(h.lost) /
              static_cast<double>(std::max<std::uint64_t>(h.requests + h.lost, 1));
  out.passed = keeps(limit, out.value);
  out.words = fmt::format("{} of {} lost", count_words(h.lost),
                          plural_words(h.requests + h.lost, "request"));
  return out;
}

bool is_judged_phase(const std::string& name, const std::string& wanted) {
  if (!wanted.empty()) return name == wanted;
  return !name.starts_with("idle") && !name.starts_with("warm-up");
}

}  // namespace

Result<Limit> parse_latency_limit(std::string_view name, std::string_view text) {
  constexpr std::string_view kHint = "'<40ms', '<=1.5s', '<900us'";
  Limit limit;
  const auto number = parse_number_and_unit(take_sign(text, limit));
  if (!number) return bad_limit(name, text, kHint);
  const double scale = number->unit == "us"   ? 1e3
                       : number->unit == "ms" ? 1e6
                       : number->unit == "s"  ? 1e9
                                              : 0;
  if (scale == 0) return bad_limit(name, text, kHint);
  limit.kind = name == "max" ? LimitKind::kMax : LimitKind::kPercentile;
  if (limit.kind == LimitKind::kPercentile) {
    const auto p = parse_number_and_unit(name.substr(1));
    if (!p) return bad_limit(name, text, kHint);
    limit.percentile = p->value;
  }
  limit.value = number->value * scale;
  limit.text = fmt::format("{} {}{}", name, text.find_first_of("<>") == text.npos ? "<" : "", text);
  return limit;
}

Result<Limit> parse_cause_limit(std::string_view text) {
  constexpr std::string_view kHint = "'gc<10%', 'runq-neighbour<=0.05'; srvprof list causes";
  const std::size_t sign = text.find_first_of("<>");
  if (sign == std::string_view::npos) return bad_limit("cause", text, kHint);
  Limit limit = TRY(parse_share_limit(LimitKind::kCause, "cause", text.substr(sign)));
  limit.cause = trimmed(text.substr(0, sign));
  if (find_cause(limit.cause) == nullptr) {
    return Error{fmt::format("--cause '{}': there is no such cause", escape_text(limit.cause)),
                 "srvprof list causes", ErrorKind::kUsage};
  }
  limit.text = fmt::format("cause {}", text);
  return limit;
}

Result<Limit> parse_rate_limit(std::string_view name, std::string_view text) {
  Limit limit;
  limit.below = false;
  const auto number = parse_number_and_unit(take_sign(text, limit));
  if (!number || !(number->unit.empty() || number->unit == "/s")) {
    return bad_limit(name, text, "'>1000': requests a second");
  }
  limit.kind = LimitKind::kThroughput;
  limit.value = number->value;
  limit.text = fmt::format("{} {}", name, text);
  return limit;
}

Result<Limit> parse_share_limit(LimitKind kind, std::string_view name, std::string_view text) {
  Limit limit;
  const auto number = parse_number_and_unit(take_sign(text, limit));
  const bool percent = number && number->unit == "%";
  if (!number || (!percent && !number->unit.empty())) {
    return bad_limit(name, text, "'<10%', or a share: '<0.1'");
  }
  limit.kind = kind;
  limit.value = percent ? number->value / 100 : number->value;
  if (limit.value > 1) return bad_limit(name, text, "a share is at most 100%");
  limit.text = fmt::format("{} {}", name, text);
  return limit;
}

Gate check_limits(const Report& report, const std::vector<Limit>& limits,
                  const std::string& phase) {
  Gate gate;
  gate.passed = true;
  for (const Limit& limit : limits) {
    bool judged = false;
    if (limit.kind == LimitKind::kLost) {
      gate.results.push_back(judge_lost(limit, report));
      judged = true;
      gate.passed = gate.passed && gate.results.back().passed;
    }
    for (const Group& group : report.groups) {
      if (limit.kind == LimitKind::kLost || group.first_requests) continue;
      if (!is_judged_phase(group.phase, phase)) continue;
      LimitResult result = judge(limit, report, group);
      judged = judged || result.judged;
      if (result.judged && !result.passed) gate.passed = false;
      gate.results.push_back(std::move(result));
    }
    if (judged) continue;
    gate.passed = false;  // a limit that nothing was held against has not been kept
    if (gate.results.empty() || gate.results.back().limit != limit.text) {
      gate.results.push_back(
          {limit.text, "", "", 0, false, false, "there are no requests to judge"});
    }
  }
  return gate;
}

}  // namespace srvprof
