#include "runtime/spans.h"

#include <elf.h>

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "elf/symbol_search.h"
#include "runtime/binary.h"
#include "runtime/runtime.h"
#include "target/open.h"

namespace srvprof {

ArgumentPlace c_argument(unsigned n, std::uint8_t size) {
  ArgumentPlace place;
#if defined(__x86_64__)
  constexpr std::array<std::uint8_t, 6> kPlaces = {14, 13, 12, 11, 9, 8};  // di si dx cx r8 r9
  if (n >= kPlaces.size()) return place;
  place.reg = kPlaces[n];
#else
  if (n >= 8) return place;
  place.reg = static_cast<std::uint8_t>(n);  // x0 ..
#endif
  place.how = ArgumentPlace::How::kRegister;
  place.size = size;
  return place;
}

Result<ElfFile> open_mapped_module(const SpanContext& c, std::string_view suffix) {
  Fd root = TRY(open_root(c.fs, c.process.pid));
  for (const MemoryMapping& m : c.maps) {
    if (m.kind == MappingKind::kFile && m.path.ends_with(suffix)) {
      return open_elf(TRY(open_mapped_file(c.fs, c.process.pid, root, m)));
    }
  }
  return Error{fmt::format("opening {}: not mapped", suffix), "", ErrorKind::kFailed};
}

std::size_t add_file(SpanPlan& plan, ElfFile& module) {
  plan.files.push_back(std::move(module.fd));
  return plan.files.size() - 1;
}

bool is_emulated(const ElfFile& elf, std::uint64_t offset) {
  if (elf.machine != EM_X86_64) return true;  // arm64 simulates or steps at about the same cost
  const auto bytes = read_bytes(elf, offset, 2, 2);
  if (!bytes.ok()) return false;
  const auto a = static_cast<unsigned char>((*bytes)[0]), b = static_cast<unsigned char>((*bytes)[1]);
  const bool push = (a >= 0x50 && a <= 0x57) || (a == 0x41 && b >= 0x50 && b <= 0x57);
  const bool jump = (a >= 0x70 && a <= 0x7f) || (a == 0x0f && b >= 0x80 && b <= 0x8f) || a == 0xeb ||
                    a == 0xe9 || a == 0xe8;
  const bool nop = a == 0x90 || (a == 0x0f && b == 0x1f);
  return push || jump || nop;
}

std::uint64_t past_landing_pad(const ElfFile& elf, std::uint64_t offset) {
  const auto bytes = read_bytes(elf, offset, 4, 4);
  return bytes.ok() && *bytes == "\xf3\x0f\x1e\xfa" ? offset + 4 : offset;
}

void plan_functions(std::span<const FunctionProbe> table, ElfFile module, SpanPlan& plan) {
  std::vector<std::string_view> prefixes;
  for (const FunctionProbe& row : table) prefixes.push_back(row.prefix);
  const auto found = find_functions(module, prefixes);
  std::vector<std::string_view> broken;  // topics that lack a probe
  std::vector<std::pair<PlannedProbe, std::string_view>> probes;  // with their topic
  for (std::size_t i = 0; i < table.size(); ++i) {
    const FunctionProbe& row = table[i];
    const FoundFunction* match = nullptr;
    if (found.ok()) {
      const auto it = std::find_if(found->begin(), found->end(),
                                   [&](const FoundFunction& f) { return f.prefix == i; });
      if (it != found->end()) match = &*it;
    }
    const auto offset = match != nullptr ? vaddr_to_offset(module, match->vaddr) : std::nullopt;
    if (!offset) {
      if (row.required && std::find(broken.begin(), broken.end(), row.topic) == broken.end()) {
        broken.push_back(row.topic);
        plan.gaps.push_back({std::string(row.topic),
                             found.ok() ? fmt::format("the binary has no symbol {}", row.where)
                                        : found.error().what});
      }
      continue;
    }
    PlannedProbe p;
    p.span = row.span;
    p.edge = row.edge;
    p.at_return = row.at_return;
    p.offset = row.at_return ? *offset : past_landing_pad(module, *offset);
    p.single_stepped = !is_emulated(module, p.offset);
    if (row.arguments != nullptr) p.arguments = row.arguments();
    p.where = row.where;
    probes.emplace_back(std::move(p), row.topic);
  }
  const std::size_t file = add_file(plan, module);
  for (auto& [probe, topic] : probes) {
    if (std::find(broken.begin(), broken.end(), topic) != broken.end()) continue;
    probe.file = file;
    plan.probes.push_back(std::move(probe));
  }
}

bool plan_usdt(std::span<const UsdtRow> table, ElfFile& module, SpanPlan& plan) {
  const auto found = read_usdt(module);
  if (!found.ok()) return false;
  const auto matches = [&](const UsdtRow& row, const UsdtProbe& p) {
    return p.provider == row.provider && p.name == row.name;
  };
  const auto present = [&](const UsdtRow& row) {
    return std::any_of(found->begin(), found->end(), [&](const UsdtProbe& p) { return matches(row, p); });
  };
  std::vector<PlannedProbe> probes;
  for (const UsdtRow& row : table) {
    const bool whole = std::all_of(table.begin(), table.end(), [&](const UsdtRow& other) {
      return other.span != row.span || present(other);
    });
    if (!whole) continue;
    for (const UsdtProbe& usdt : *found) {  // one name may mark several places
      const auto offset = vaddr_to_offset(module, usdt.vaddr);
      if (!matches(row, usdt) || !offset) continue;
      const auto argument = [&](int n) {
        const auto i = static_cast<std::size_t>(n);
        return n >= 0 && i < usdt.arguments.size() ? usdt.arguments[i] : ArgumentPlace{};
      };
      PlannedProbe p;
      p.span = row.span;
      p.edge = row.edge;
      p.offset = *offset;
      p.semaphore = usdt.semaphore != 0 ? vaddr_to_offset(module, usdt.semaphore).value_or(0) : 0;
      p.single_stepped = !is_emulated(module, p.offset);
      p.arguments.kind = argument(row.kind);
      p.arguments.text = argument(row.text);
      p.arguments.length = argument(row.length);
      p.where = fmt::format("usdt {}:{}", row.provider, row.name);
      probes.push_back(std::move(p));
    }
  }
  if (probes.empty()) return false;
  const std::size_t file = add_file(plan, module);
  for (PlannedProbe& p : probes) {
    p.file = file;
    plan.probes.push_back(std::move(p));
  }
  return true;
}

Result<std::vector<SpanPlan>> plan_spans(const ProcFs& fs, const ProcessInfo& process,
                                         const SpanWishes& wishes) {
  const std::vector<MemoryMapping> maps = TRY(read_maps(fs, process.pid));
  const Binary binary = TRY(read_binary(fs, process, maps));
  std::vector<SpanPlan> plans;
  for (const Runtime& runtime : all_runtimes()) {
    if (runtime.spans == nullptr || runtime.detect(binary).empty()) continue;
    SpanPlan plan = runtime.spans({fs, process, maps, binary, wishes});
    plan.runtime = runtime.name;
    plans.push_back(std::move(plan));
  }
  return plans;
}

}  // namespace srvprof
