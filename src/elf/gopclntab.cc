#include "elf/gopclntab.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

#include "elf/go_module.h"

namespace srvprof {
namespace {

using detail::load;

constexpr std::uint64_t kMaxTable = std::uint64_t{512} << 20;
constexpr std::uint64_t kMaxFunctions = 50'000'000;
constexpr std::uint64_t kMaxCode = std::uint64_t{16} << 20;  // of one function
constexpr std::size_t kMaxName = 4096;
constexpr int kMaxInlined = 64;
constexpr int kMaxSteps = 1 << 19;  // through tables of values, for one question

// internal/abi/symtab.go; each name is the first version that has it.
constexpr std::uint32_t kMagic118 = 0xfffffff0, kMagic120 = 0xfffffff1;

// Offsets in the record of a function (runtime._func).
constexpr std::uint64_t kNameOffset = 4, kStackGrowth = 16, kFile = 20, kLine = 24, kPcdataCount = 28,
                        kUnit = 32;

Error not_go(const std::string& why) {
  return Error{"reading .gopclntab: " + why, "", ErrorKind::kFailed};
}

std::uint64_t record_size(const GoTable& t) { return t.has_start_line ? 44 : 40; }

bool read_header(std::string_view b, GoTable& t) {
  const auto magic = load<std::uint32_t>(b, 0);
  const auto last = load<std::uint64_t>(b, 64);
  if (!last || (*magic != kMagic118 && *magic != kMagic120)) return false;
  // Two zeros, the smallest instruction (1, on arm64 4), the size of a pointer.
  if (b[4] != 0 || b[5] != 0 || (b[6] != 1 && b[6] != 4) || b[7] != 8) return false;
  t.has_start_line = *magic == kMagic120;
  t.functions = *load<std::uint64_t>(b, 8);
  t.text = *load<std::uint64_t>(b, 24);
  t.names = *load<std::uint64_t>(b, 32);
  t.units = *load<std::uint64_t>(b, 40);
  t.files = *load<std::uint64_t>(b, 48);
  t.pc_values = *load<std::uint64_t>(b, 56);
  t.lookup = *last;
  if (t.functions == 0 || t.functions > kMaxFunctions) return false;
  for (std::uint64_t part : {t.names, t.units, t.files, t.pc_values, t.lookup}) {
    if (part > b.size() && b.size() > 72) return false;
  }
  return true;
}

// Sections may be stripped too: then the header is looked for in the segments.
Result<GoTable> find_table(const ElfFile& elf) {
  for (const char* name : {".gopclntab", ".data.rel.ro.gopclntab"}) {
    const ElfSection* s = find_section(elf, name);
    if (s == nullptr || s->type == SHT_NOBITS) continue;
    GoTable t;
    t.vaddr = s->vaddr;
    t.bytes = TRY(detail::read_relocated(elf, s->vaddr, s->size, kMaxTable));
    if (!read_header(t.bytes, t)) return not_go("not a layout of Go 1.18 to 1.27");
    return t;
  }
  for (const ElfSegment& s : elf.segments) {
    if (s.exec) continue;
    auto bytes = detail::read_relocated(elf, s.vaddr, s.file_size, kMaxTable);
    if (!bytes.ok()) continue;
    for (std::uint64_t at = (32 - s.vaddr % 32) % 32; at + 72 <= bytes->size(); at += 32) {
      GoTable t;
      if (!read_header(std::string_view(*bytes).substr(at), t)) continue;
      t.vaddr = s.vaddr + at;
      t.bytes = bytes->substr(at);
      return t;
    }
  }
  return not_go("there is none");
}

std::string_view text_at(const GoTable& t, std::uint64_t at) {
  if (at >= t.bytes.size()) return {};
  const std::string_view rest = std::string_view(t.bytes).substr(at, kMaxName);
  return rest.substr(0, rest.find('\0'));
}

std::string_view function_name(const GoTable& t, std::int32_t offset) {
  return offset < 0 ? std::string_view{} : text_at(t, t.names + static_cast<std::uint64_t>(offset));
}

std::optional<std::uint32_t> read_uvarint(std::string_view b, std::uint64_t& at) {
  std::uint32_t v = 0;
  for (int shift = 0; shift < 35 && at < b.size(); shift += 7) {
    const auto byte = static_cast<unsigned char>(b[at++]);
    v |= static_cast<std::uint32_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return v;
  }
  return std::nullopt;
}

// Calls visit(from, to, value) for each range of a table of values until it returns true, or `steps` are used up.
template <class Visit>
void walk_values(const GoTable& t, std::uint32_t table, std::uint64_t entry, int& steps, const Visit& visit) {
  if (table == 0) return;
  std::uint64_t at = t.pc_values + table, pc = entry;
  std::uint32_t value = ~0u;  // -1; the arithmetic is that of unsigned numbers
  for (int i = 0; steps > 0; ++i, --steps) {
    const auto step = read_uvarint(t.bytes, at);
    if (!step || (*step == 0 && i != 0)) return;
    const auto width = read_uvarint(t.bytes, at);
    if (!width) return;
    value += (*step & 1) != 0 ? ~(*step >> 1) : *step >> 1;
    const std::uint64_t to = pc + *width;
    if (visit(pc, to, static_cast<std::int32_t>(value))) return;
    pc = to;
  }
}

std::optional<std::int32_t> value_at(const GoTable& t, std::uint32_t table, std::uint64_t entry,
                                     std::uint64_t pc, int& steps) {
  std::optional<std::int32_t> found;
  walk_values(t, table, entry, steps, [&](std::uint64_t, std::uint64_t to, std::int32_t value) {
    if (pc >= to) return false;
    found = value;
    return true;
  });
  return found;
}

std::optional<GoFunction> function_of_entry(const GoTable& t, std::uint64_t i) {
  const auto entry = load<std::uint32_t>(t.bytes, t.lookup + 8 * i);
  const auto record = load<std::uint32_t>(t.bytes, t.lookup + 8 * i + 4);
  const auto end = load<std::uint32_t>(t.bytes, t.lookup + 8 * i + 8);
  if (!end || *end <= *entry) return std::nullopt;
  GoFunction f{t.text + *entry, t.text + *end, t.lookup + *record, {}};
  const auto name = load<std::int32_t>(t.bytes, f.record + kNameOffset);
  if (!name || !load<std::uint32_t>(t.bytes, f.record + record_size(t) - 4)) return std::nullopt;
  f.name = function_name(t, *name);
  return f;
}

std::string_view file_name(const GoTable& t, const GoFunction& f, std::uint64_t pc, int& steps) {
  const auto table = load<std::uint32_t>(t.bytes, f.record + kFile);
  const auto unit = load<std::uint32_t>(t.bytes, f.record + kUnit);
  const auto number = value_at(t, table.value_or(0), f.entry, pc, steps);
  if (!unit || !number || *number < 0) return {};
  const auto offset = load<std::uint32_t>(
      t.bytes, t.units + 4 * (std::uint64_t{*unit} + static_cast<std::uint32_t>(*number)));
  return offset && *offset != ~0u ? text_at(t, t.files + *offset) : std::string_view{};
}

std::uint32_t line_number(const GoTable& t, const GoFunction& f, std::uint64_t pc, int& steps) {
  const auto table = load<std::uint32_t>(t.bytes, f.record + kLine);
  return static_cast<std::uint32_t>(std::max(0, value_at(t, table.value_or(0), f.entry, pc, steps).value_or(0)));
}

}  // namespace

namespace detail {

std::optional<std::uint32_t> go_funcdata(const GoTable& t, const GoFunction& f, unsigned index) {
  const auto pcdata = load<std::uint32_t>(t.bytes, f.record + kPcdataCount);
  const auto count = load<std::uint8_t>(t.bytes, f.record + record_size(t) - 1);
  if (!count || index >= *count) return std::nullopt;
  const auto offset = load<std::uint32_t>(
      t.bytes, f.record + record_size(t) + 4 * (std::uint64_t{*pcdata} + index));
  return offset && *offset != ~0u ? offset : std::nullopt;
}

std::int32_t go_pcdata(const GoTable& t, const GoFunction& f, unsigned index, std::uint64_t pc, int& steps) {
  const auto count = load<std::uint32_t>(t.bytes, f.record + kPcdataCount);
  if (!count || index >= *count) return -1;
  const auto table = load<std::uint32_t>(t.bytes, f.record + record_size(t) + 4 * index);
  return value_at(t, table.value_or(0), f.entry, pc, steps).value_or(-1);
}

std::optional<InlinedCall> read_inlined_call(const GoTable& t, const ElfFile& elf, std::uint64_t tree,
                                             std::int32_t index) {
  const std::uint64_t size = t.has_start_line ? 16 : 20;
  const std::uint64_t at = tree + size * static_cast<std::uint32_t>(index);
  std::string elsewhere;
  std::string_view call;
  if (at >= t.vaddr && at - t.vaddr < t.bytes.size()) {
    call = std::string_view(t.bytes).substr(at - t.vaddr, size);
  } else {
    const auto offset = vaddr_to_offset(elf, at);
    if (!offset) return std::nullopt;
    auto bytes = read_bytes(elf, *offset, size, size);
    if (!bytes.ok()) return std::nullopt;
    elsewhere = std::move(*bytes);
    call = elsewhere;
  }
  const auto name = load<std::int32_t>(call, t.has_start_line ? 4 : 12);
  const auto pc = load<std::int32_t>(call, t.has_start_line ? 8 : 16);
  if (!name || !pc) return std::nullopt;
  return InlinedCall{*name, *pc};
}

}  // namespace detail

Result<GoTable> read_go_table(const ElfFile& elf) {
  if (!elf.is64) return not_go("of a 32-bit program");
  GoTable table = TRY(find_table(elf));
  table.version = read_go_version(elf);
  detail::read_go_module(elf, table);
  if (table.text == 0) return not_go("the start of the text was not found");
  return table;
}

std::optional<GoFunction> find_go_function(const GoTable& t, std::uint64_t pc) {
  if (pc < t.text) return std::nullopt;
  const std::uint64_t offset = pc - t.text;
  std::uint64_t low = 0, high = t.functions;  // the last entry that begins at or before pc
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    const auto entry = load<std::uint32_t>(t.bytes, t.lookup + 8 * middle);
    if (!entry) return std::nullopt;
    (*entry <= offset ? low : high) = middle;
  }
  const auto f = function_of_entry(t, low);
  return f && pc >= f->entry && pc < f->end ? f : std::nullopt;
}

std::optional<GoFunction> find_go_function(const GoTable& t, std::string_view name) {
  for (std::uint64_t i = 0; i < t.functions; ++i) {
    const auto f = function_of_entry(t, i);
    if (f && f->name == name) return f;
  }
  return std::nullopt;
}

std::vector<GoFrame> go_frames(const GoTable& t, const ElfFile& elf, std::uint64_t pc) {
  std::vector<GoFrame> frames;
  const auto f = find_go_function(t, pc);
  if (!f) return frames;
  int steps = kMaxSteps;
  const auto tree = t.funcdata != 0 ? detail::go_funcdata(t, *f, detail::kInlineTree) : std::nullopt;
  for (int depth = 0; tree && depth < kMaxInlined; ++depth) {
    const std::int32_t index = detail::go_pcdata(t, *f, detail::kInlineTreeIndex, pc, steps);
    if (index < 0) break;
    const auto call = detail::read_inlined_call(t, elf, t.funcdata + *tree, index);
    if (!call || call->call_pc < 0) break;
    frames.push_back({function_name(t, call->name), file_name(t, *f, pc, steps), line_number(t, *f, pc, steps)});
    pc = f->entry + static_cast<std::uint64_t>(call->call_pc);
  }
  frames.push_back({f->name, file_name(t, *f, pc, steps), line_number(t, *f, pc, steps)});
  return frames;
}

std::optional<std::int32_t> go_stack_growth(const GoTable& t, const GoFunction& f, std::uint64_t pc) {
  const auto table = load<std::uint32_t>(t.bytes, f.record + kStackGrowth);
  int steps = kMaxSteps;
  return value_at(t, table.value_or(0), f.entry, pc, steps);
}

std::vector<std::uint64_t> go_return_sites(const GoTable& t, const ElfFile& elf, const GoFunction& f) {
  std::vector<std::uint64_t> sites;
  const auto offset = vaddr_to_offset(elf, f.entry);
  const auto table = load<std::uint32_t>(t.bytes, f.record + kStackGrowth);
  if (elf.machine != EM_X86_64 || !offset || !table) return sites;
  const auto code = read_bytes(elf, *offset, f.end - f.entry, kMaxCode);
  if (!code.ok()) return sites;
  constexpr char kRet = '\xc3', kNop = '\x90';
  int steps = kMaxSteps;
  walk_values(t, *table, f.entry, steps, [&](std::uint64_t from, std::uint64_t, std::int32_t growth) {
    if (from >= f.end) return true;
    std::uint64_t at = from - f.entry;
    while (at + 1 < code->size() && (*code)[at] == kNop) ++at;  // 1.26 pads some
    if (growth == 0 && from != f.entry && (*code)[at] == kRet) sites.push_back(f.entry + at);
    return false;
  });
  return sites;
}

std::string read_go_version(const ElfFile& elf) {
  const ElfSection* s = find_section(elf, ".go.buildinfo");
  if (s == nullptr) return "";
  constexpr std::uint64_t kHeader = 32;
  const auto bytes = read_bytes(elf, s->offset, std::min<std::uint64_t>(s->size, 512), 512);
  // Magic, size of a pointer, flags: bit 1 = the strings follow in place (1.18 and newer).
  if (!bytes.ok() || bytes->size() <= kHeader || !bytes->starts_with("\xff Go buildinf:") ||
      ((*bytes)[15] & 2) == 0) {
    return "";
  }
  std::uint64_t at = kHeader;
  const auto length = read_uvarint(*bytes, at);
  if (!length || *length > bytes->size() - at || *length > 64) return "";
  return bytes->substr(at, *length);
}

}  // namespace srvprof
