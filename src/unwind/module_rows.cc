#include <elf.h>

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "unwind/eh_frame.h"
#include "unwind/go_rows.h"

namespace srvprof {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kMaxSpan = std::uint64_t{1} << 30;  // of a module's code
constexpr std::uint32_t kThreadStart = 64;                  // see fill_before_outermost()
constexpr std::uint32_t kBare = 64 * 1024;                  // see ModuleRows::bare

void make_index(ModuleRows& m) {
  const std::size_t entries = (m.span >> kBucketShift) + 2;
  m.index.reserve(entries);
  std::uint32_t row = 0;
  for (std::size_t b = 0; b < entries; ++b) {
    const std::uint64_t start = static_cast<std::uint64_t>(b) << kBucketShift;
    while (row + 1 < m.rows.size() && m.rows[row + 1].pc <= start) ++row;
    m.index.push_back(row);
  }
}

// A thread begins between the two parts of clone(): what is before an outermost function and described by
// none is part of it.
void fill_before_outermost(std::vector<UnwindRow>& rows) {
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].cfa != kRowEnd || rows[i - 1].cfa != kRowNone) continue;
    if (i > 1 && rows[i].pc - rows[i - 1].pc <= kThreadStart) rows[i - 1].cfa = kRowEnd;
  }
}

void find_bare(ModuleRows& m) {
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    if (m.rows[i].cfa != kRowNone) continue;
    const std::uint32_t end = i + 1 < m.rows.size() ? m.rows[i + 1].pc : m.span;
    if (end - m.rows[i].pc >= kBare) m.bare.push_back({m.rows[i].pc, end});
  }
}

}  // namespace

ModuleRows make_module_rows(EhFrame frame, std::uint64_t base, std::uint32_t span) {
  ModuleRows m;
  m.base = base;
  m.span = span;
  m.functions = frame.functions;
  m.frame_pointers = frame.frame_pointers;
  m.unsupported = frame.unsupported;
  // Where one function ends and the next begins, the beginning counts.
  std::stable_sort(frame.rows.begin(), frame.rows.end(), [](const EhRow& a, const EhRow& b) {
    return a.vaddr != b.vaddr ? a.vaddr < b.vaddr : a.end > b.end;
  });
  m.rows.push_back({0, kRowNone, 0});
  for (const EhRow& r : frame.rows) {
    if (r.vaddr < base || r.vaddr - base >= span) continue;
    const UnwindRow row{static_cast<std::uint32_t>(r.vaddr - base), r.cfa, r.rbp};
    if (m.rows.back().pc == row.pc) {
      m.rows.back() = row;
      // What it replaces may have been all that told it from the row before.
      const std::size_t n = m.rows.size();
      if (n > 1 && m.rows[n - 2].cfa == row.cfa && m.rows[n - 2].rbp == row.rbp) m.rows.pop_back();
    } else if (m.rows.back().cfa != row.cfa || m.rows.back().rbp != row.rbp) {
      m.rows.push_back(row);
    }
  }
  if (m.rows.size() == 1) m.rows.clear();
  if (m.rows.empty()) return m;
  fill_before_outermost(m.rows);
  m.rows.shrink_to_fit();
  make_index(m);
  find_bare(m);
  return m;
}

Result<ModuleRows> read_module_rows(const ElfFile& elf, const EhFrameLimits& limits) {
  if (!elf.is64 || elf.machine != EM_X86_64) return ModuleRows{};
  const ElfSection* section = find_section(elf, ".eh_frame");
  const bool described = section != nullptr && section->type != SHT_NOBITS && section->size != 0;
  const std::vector<EhRow> go = go_rows(elf, limits.rows);
  if (!described && go.empty()) return ModuleRows{};
  std::uint64_t base = std::numeric_limits<std::uint64_t>::max(), end = 0;
  for (const ElfSegment& s : elf.segments) {
    if (!s.exec) continue;
    base = std::min(base, s.vaddr / kPage * kPage);
    end = std::max(end, (s.vaddr + s.file_size + kPage - 1) / kPage * kPage);
  }
  if (end <= base) return ModuleRows{};
  if (end - base > kMaxSpan) {
    return Error{fmt::format("reading .eh_frame: {} bytes of code are above the limit of {}", end - base, kMaxSpan),
                 "", {}};
  }
  EhFrame frame;
  if (described) {
    const std::string bytes = TRY(read_section(elf, *section, limits.section_bytes));
    const std::span<const std::uint8_t> view{reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
    frame = TRY(parse_eh_frame(view, section->vaddr, limits));
  }
  const bool leaves_only = frame.functions == 0;
  frame.rows.insert(frame.rows.end(), go.begin(), go.end());
  ModuleRows rows = make_module_rows(std::move(frame), base, static_cast<std::uint32_t>(end - base));
  rows.leaves_only = leaves_only;
  return rows;
}

const UnwindRow* find_row(const ModuleRows& m, std::uint64_t distance) {
  if (m.rows.empty() || distance >= m.span) return nullptr;
  auto it = std::upper_bound(m.rows.begin(), m.rows.end(), distance,
                             [](std::uint64_t d, const UnwindRow& r) { return d < r.pc; });
  --it;  // the first row is at 0
  return it->cfa == kRowNone ? nullptr : &*it;
}

}  // namespace srvprof
