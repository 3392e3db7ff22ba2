#include "unwind/code_map.h"

#include <algorithm>

namespace srvprof {
namespace {

bool is_file(const MemoryMapping& m) {
  return m.kind == MappingKind::kFile || m.kind == MappingKind::kVdso;
}

// Cuts the parts of `range` that the module has no rows for out of it: they are managed code.
void add_with_bare_parts(const CodeRange& range, std::vector<CodeRange>& out) {
  std::uint64_t at = range.start;
  for (const auto& [begin, end] : range.rows->bare) {
    const std::uint64_t from = std::max(range.bias + begin, at);
    const std::uint64_t to = std::min(range.bias + end, range.end);
    if (from >= to) continue;
    if (from > at) out.push_back({at, from, range.bias, range.rows, false});
    out.push_back({from, to, 0, nullptr, true});
    at = to;
  }
  if (at < range.end) out.push_back({at, range.end, range.bias, range.rows, false});
}

void add_file(const MemoryMapping& m, const MappedCode& code, std::vector<CodeRange>& out) {
  CodeRange range{m.start, m.end, 0, nullptr, code.managed};
  if (code.elf == nullptr || code.rows == nullptr) {
    out.push_back(range);
    return;
  }
  // A mapping may be of a part of a segment, and a segment may be mapped twice.
  const std::uint64_t offset = m.kind == MappingKind::kVdso ? 0 : m.offset;
  std::uint64_t vaddr = 0;
  bool found = false;
  for (const ElfSegment& s : code.elf->segments) {
    // The kernel maps whole pages: a mapping may begin below its segment.
    if (!s.exec || offset + (m.end - m.start) <= s.offset || offset >= s.offset + s.file_size) continue;
    vaddr = s.vaddr - s.offset + offset;
    found = true;
    break;
  }
  const std::uint64_t length = m.end - m.start;
  if (!found || vaddr < code.rows->base || vaddr + length > code.rows->base + code.rows->span) {
    out.push_back(range);
    return;
  }
  range.bias = m.start - (vaddr - code.rows->base);
  range.rows = code.rows;
  range.managed = false;
  if (code.managed) {
    add_with_bare_parts(range, out);
  } else {
    out.push_back(range);
  }
}

}  // namespace

std::vector<CodeRange> map_code(std::span<const MemoryMapping> maps,
                                const std::function<MappedCode(const MemoryMapping&)>& code_of) {
  std::vector<CodeRange> out;
  for (std::size_t i = 0; i < maps.size();) {
    const MemoryMapping& m = maps[i];
    if (is_file(m)) {
      if (m.exec) add_file(m, code_of(m), out);
      ++i;
      continue;
    }
    if (m.kind != MappingKind::kAnonymous) {
      if (m.exec) out.push_back({m.start, m.end, 0, nullptr, false});
      ++i;
      continue;
    }
    bool exec = m.exec;
    std::size_t last = i;
    while (last + 1 < maps.size() && maps[last + 1].kind == MappingKind::kAnonymous &&
           maps[last + 1].start == maps[last].end) {
      exec |= maps[++last].exec;
    }
    if (exec) out.push_back({m.start, maps[last].end, 0, nullptr, true});
    i = last + 1;
  }
  return out;
}

}  // namespace srvprof
