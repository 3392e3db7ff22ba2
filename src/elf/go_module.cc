#include "elf/go_module.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

namespace srvprof::detail {
namespace {

constexpr std::uint64_t kMaxData = std::uint64_t{256} << 20;
constexpr std::uint64_t kMaxRelocations = std::uint64_t{256} << 20;

// Offsets in moduledata that have not moved from 1.18 to 1.27. Its first two fields are the address of
// the table and of the names in it.
constexpr std::uint64_t kMinPc = 160, kMaxPc = 168, kText = 176, kEndOfText = 184;
// `gofunc` moved: 304 (1.18), 320 (1.20), 344 (1.27). It is looked for among these.
constexpr std::uint64_t kFirstFuncdata = 296, kLastFuncdata = 400;
// So many functions with inlined calls must make sense before an address is believed.
constexpr int kWitnesses = 64;

bool is_relative(const ElfFile& elf, std::uint64_t type) {
  return (elf.machine == EM_X86_64 && type == R_X86_64_RELATIVE) ||
         (elf.machine == EM_AARCH64 && type == R_AARCH64_RELATIVE);
}

void relocate(const ElfFile& elf, std::uint64_t vaddr, std::string& bytes) {
  for (const ElfSection& s : elf.sections) {
    if (s.type != SHT_RELA) continue;
    const auto table = read_section(elf, s, kMaxRelocations);
    if (!table.ok()) continue;
    for (std::size_t at = 0; at + sizeof(Elf64_Rela) <= table->size(); at += sizeof(Elf64_Rela)) {
      Elf64_Rela r;
      std::memcpy(&r, table->data() + at, sizeof r);
      if (r.r_offset < vaddr || bytes.size() < 8 || r.r_offset - vaddr > bytes.size() - 8 ||
          !is_relative(elf, ELF64_R_TYPE(r.r_info))) {
        continue;
      }
      std::memcpy(bytes.data() + (r.r_offset - vaddr), &r.r_addend, 8);
    }
  }
}

// Whether the inlined calls of some functions make sense when funcdata begins at `candidate`.
bool makes_sense(const GoTable& table, const ElfFile& elf, std::uint64_t candidate,
                 const std::vector<GoFunction>& witnesses) {
  for (const GoFunction& f : witnesses) {
    const auto offset = go_funcdata(table, f, kInlineTree);
    if (!offset) return false;
    const auto call = read_inlined_call(table, elf, candidate + *offset, 0);
    if (!call || call->name <= 0 || call->call_pc < 0 ||
        static_cast<std::uint64_t>(call->call_pc) >= f.end - f.entry) {
      return false;
    }
    // A name begins after the end of the one before.
    const auto before = load<char>(table.bytes, table.names + static_cast<std::uint64_t>(call->name) - 1);
    if (!before || *before != '\0') return false;
  }
  return !witnesses.empty();
}

std::vector<GoFunction> functions_with_inlined_calls(const GoTable& table) {
  std::vector<GoFunction> found;
  const std::uint64_t step = std::max<std::uint64_t>(1, table.functions / 4096);
  for (std::uint64_t i = 0; i < table.functions && found.size() < kWitnesses; i += step) {
    const auto entry = load<std::uint32_t>(table.bytes, table.lookup + 8 * i);
    if (!entry) break;
    const auto f = find_go_function(table, table.text + *entry);
    if (f && go_funcdata(table, *f, kInlineTree)) found.push_back(*f);
  }
  return found;
}

void find_funcdata(const ElfFile& elf, std::string_view module, GoTable& table) {
  const std::vector<GoFunction> witnesses = functions_with_inlined_calls(table);
  for (std::uint64_t at = kFirstFuncdata; at <= kLastFuncdata; at += 8) {
    const auto candidate = load<std::uint64_t>(module, at);
    if (candidate && *candidate != 0 && makes_sense(table, elf, *candidate, witnesses)) {
      table.funcdata = *candidate;
      return;
    }
  }
}

// The module's bytes from its start on, if one begins at `at` in `data`.
std::string_view module_at(const GoTable& table, std::string_view data, std::uint64_t at) {
  const std::string_view m = data.substr(at, kLastFuncdata + 8);
  const auto names = load<std::uint64_t>(m, 8), low = load<std::uint64_t>(m, kMinPc),
             high = load<std::uint64_t>(m, kMaxPc), text = load<std::uint64_t>(m, kText),
             end = load<std::uint64_t>(m, kEndOfText);
  const bool good = end && *names == table.vaddr + table.names && *text <= *low && *low < *high &&
                    *low < *end;
  return good ? m : std::string_view{};
}

}  // namespace

Result<std::string> read_relocated(const ElfFile& elf, std::uint64_t vaddr, std::uint64_t size,
                                   std::uint64_t limit) {
  const auto offset = vaddr_to_offset(elf, vaddr);
  if (!offset) return Error{"reading a Go program: an address outside of the file", "", {}};
  std::string bytes = TRY(read_bytes(elf, *offset, size, limit));
  relocate(elf, vaddr, bytes);
  return bytes;
}

void read_go_module(const ElfFile& elf, GoTable& table) {
  for (const ElfSegment& s : elf.segments) {
    if (!s.write) continue;
    const auto data = read_relocated(elf, s.vaddr, s.file_size, kMaxData);
    if (!data.ok()) continue;
    for (std::uint64_t at = (8 - s.vaddr % 8) % 8; at + 8 <= data->size(); at += 8) {
      if (load<std::uint64_t>(*data, at) != table.vaddr) continue;
      const std::string_view module = module_at(table, *data, at);
      if (module.empty()) continue;
      table.text = *load<std::uint64_t>(module, kText);
      find_funcdata(elf, module, table);
      return;
    }
  }
}

}  // namespace srvprof::detail
