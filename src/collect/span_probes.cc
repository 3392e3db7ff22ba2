#include "collect/span_probes.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <algorithm>
#include <cerrno>
#include <map>

#include <fmt/format.h>

#include "collect/skeleton.h"
#include "target/open.h"

namespace srvprof {
namespace {

// What a hit costs the thread that makes it (bpf/README.md): a single-stepped instruction, one that the kernel emulates.
constexpr double kSteppedHit = 10e-6, kEmulatedHit = 0.7e-6;  // seconds
// CPUs that the probes of one span may cost: single-stepped ones 100 hits a second; what the user asked for, so much
// that what they cost is still small beside what they measure.
constexpr double kMostUnasked = 0.001, kMostAskedFor = 0.05;

sp_argument wire(const ArgumentPlace& place) {
  sp_argument a{};
  a.how = static_cast<std::uint8_t>(place.how);
  a.reg = place.reg;
  a.size = place.size;
  a.offset = place.offset;
  return a;
}

sp_probe wire(const PlannedProbe& p, std::uint32_t pid, std::uint8_t number) {
  sp_probe out{};
  out.pid = pid;
  out.span = number;
  out.edge = static_cast<std::uint8_t>(p.edge);
  out.key = static_cast<std::uint8_t>(p.span->by);
  out.keep_first = p.edge == SpanEdge::kEnd ? p.only_if_open : p.span->keep_first;
  out.kind = wire(p.arguments.kind);
  out.reason = wire(p.arguments.reason);
  out.text = wire(p.arguments.text);
  out.length = wire(p.arguments.length);
  out.begin = wire(p.arguments.begin);
  out.stopping = wire(p.arguments.stopping);
  out.end = wire(p.arguments.end);
  return out;
}

}  // namespace

struct SpanProbes::Attached {
  bpf_link* link = nullptr;
  std::uint32_t index = 0;
  bool single_stepped = false, asked_for = false;
  bool taken_off = false;  // by the guard
  std::uint64_t hits = 0;  // at the last look
  std::string where, topic;

  void drop() { bpf_link__destroy(std::exchange(link, nullptr)); }
  ~Attached() { drop(); }
};

SpanProbes::SpanProbes(const ProcFs& fs) : sites_(fs) {}
SpanProbes::~SpanProbes() = default;

std::uint8_t SpanProbes::number_of(const SpanKind* kind) {
  const auto it = std::find(kinds_.begin(), kinds_.end(), kind);
  if (it == kinds_.end()) {
    kinds_.push_back(kind);
    return static_cast<std::uint8_t>(kinds_.size() - 1);
  }
  return static_cast<std::uint8_t>(it - kinds_.begin());
}

// Processes of one program say the same.
void SpanProbes::note(rows::Capability row) {
  const bool said = std::any_of(capabilities_.begin(), capabilities_.end(), [&](const rows::Capability& c) {
    return c.name == row.name && c.detail == row.detail;
  });
  if (!said) capabilities_.push_back(std::move(row));
}

// Attaches one probe; returns why not, "" if it is on.
std::string SpanProbes::attach_probe(std::uint32_t pid, const SpanPlan& plan, const PlannedProbe& p) {
  if (next_ >= SP_MAX_PROBES) return fmt::format("more than {} probes", int{SP_MAX_PROBES});
  const sp_probe entry = wire(p, pid, number_of(p.span));
  if (bpf_map_update_elem(hooks_.probes, &next_, &entry, BPF_ANY) != 0) {
    return errno_error("describing a probe", errno).what;
  }
  sites_.remember(static_cast<pid_t>(pid), plan.files[p.file], p.offset, p.semaphore);
  LIBBPF_OPTS(bpf_uprobe_opts, options);
  options.bpf_cookie = next_;
  options.retprobe = p.at_return;
  options.ref_ctr_offset = p.semaphore;
  // The descriptor is that of the mapped file, whatever lies at its path by now.
  const std::string path = path_of_open_file(plan.files[p.file]);
  bpf_link* link =
      bpf_program__attach_uprobe_opts(p.at_return ? hooks_.on_return : hooks_.on_hit,
                                      static_cast<pid_t>(pid), path.c_str(), p.offset, &options);
  if (link == nullptr) return errno_error("the kernel refused the probe on " + p.where, errno).what;
  auto attached = std::make_unique<Attached>();
  attached->link = link;
  attached->index = next_++;
  attached->single_stepped = p.single_stepped;
  attached->asked_for = p.asked_for;
  attached->where = p.where;
  attached->topic = p.span->name;
  attached_.push_back(std::move(attached));
  return "";
}

void SpanProbes::attach_plan(std::uint32_t pid, const SpanPlan& plan) {
  std::map<std::string_view, std::string> refused;  // span -> why
  std::map<std::string_view, int> on;
  const auto before = static_cast<std::ptrdiff_t>(attached_.size());
  for (const PlannedProbe& p : plan.probes) {
    if (refused.contains(p.span->name)) continue;
    std::string why = attach_probe(pid, plan, p);
    if (why.empty()) {
      ++on[p.span->name];
      continue;
    }
    // Half of a pair would only cost: a span has all of its probes or none.
    const auto half = std::remove_if(attached_.begin() + before, attached_.end(),
                                     [&](const auto& a) { return a->topic == p.span->name; });
    attached_.erase(half, attached_.end());
    refused[p.span->name] = std::move(why);
  }
  const auto gap = [&](std::string topic, const std::string& why) {
    note({std::move(topic), false, fmt::format("{}: {}", plan.runtime, why)});
  };
  for (const SpanGap& g : plan.gaps) gap(g.topic, g.why);
  for (const auto& [span, why] : refused) {
    gap(span.starts_with("gc.assist") ? "gc.assist" : "gc", why);
    on.erase(span);
  }
  if (on.empty()) return;
  std::string spans;
  for (const auto& [span, n] : on) spans += fmt::format("{}{}", spans.empty() ? "" : ", ", span);
  note({"gc", true, fmt::format("{}: {} by probes on {}", plan.runtime, spans, plan.source)});
}

void SpanProbes::attach(const SpanHooks& hooks, std::uint32_t pid, std::span<const SpanPlan> plans) {
  hooks_ = hooks;
  for (const SpanPlan& plan : plans) attach_plan(pid, plan);
}

std::uint64_t SpanProbes::hits(std::uint32_t index) const {
  sp_probe entry{};
  return bpf_map_lookup_elem(hooks_.probes, &index, &entry) == 0 ? entry.hits : 0;
}

// CPUs that each span's probes have cost since the last look; of what nobody asked for, the single-stepped ones alone.
std::map<std::string, SpanProbes::Cost> SpanProbes::costs(double seconds) {
  std::map<std::string, Cost> costs;
  for (const auto& a : attached_) {
    const std::uint64_t n = hits(a->index);
    const double rate = seconds > 0 ? static_cast<double>(n - a->hits) / seconds : 0;
    a->hits = n;
    if (a->link == nullptr || (!a->single_stepped && !a->asked_for)) continue;
    Cost& c = costs[a->topic];
    c.cpus += rate * (a->single_stepped ? kSteppedHit : kEmulatedHit);
    c.most = a->asked_for ? kMostAskedFor : kMostUnasked;
    if (rate > c.rate) {
      c.rate = rate;
      c.where = a->where;
    }
  }
  return costs;
}

void SpanProbes::guard(Time now) {
  const double seconds = known(guarded_) ? to_seconds(now - guarded_) : 0;
  guarded_ = now;
  for (const auto& [topic, cost] : costs(seconds)) {
    if (cost.cpus <= cost.most) continue;
    capabilities_.push_back({topic, false,
                             fmt::format("{} was hit {:.0f} times a second and taken off: its probes cost {:.1f} % of a CPU",
                                         cost.where, cost.rate, 100 * cost.cpus)});
    for (const auto& a : attached_) {
      if (a->topic != topic) continue;
      a->taken_off = true;
      a->drop();
    }
  }
}

void SpanProbes::detach() {
  for (const auto& a : attached_) a->drop();
}

void SpanProbes::write_open(const DecodeOptions& options, RecordingWriter& writer) const {
  if (attached_.empty()) return;
  sp_span_key key{}, next{};
  const DecodeHooks none;
  for (bool first = true;; first = false) {
    if (bpf_map_get_next_key(hooks_.open, first ? nullptr : &key, &next) != 0) return;
    key = next;
    sp_span span{};
    if (bpf_map_lookup_elem(hooks_.open, &key, &span) != 0) continue;
    (void)decode({reinterpret_cast<const std::byte*>(&span), sizeof span}, options, none, writer);
  }
}

void SpanProbes::write_capabilities(RecordingWriter& writer) const {
  for (const rows::Capability& row : capabilities_) writer.add(row);
  for (const auto& a : attached_) {
    writer.add(rows::Capability{"uprobe " + a->where, !a->taken_off, ""});
  }
}

}  // namespace srvprof
