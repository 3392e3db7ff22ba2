#include "elf/usdt.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/parse.h"

namespace srvprof {
namespace {

constexpr std::uint64_t kMaxNotes = 4 << 20;
constexpr std::size_t kMaxProbes = 20'000;
constexpr std::size_t kMaxArguments = 12;
constexpr std::uint32_t kNoteType = 3;

// In the order of struct pt_regs (arch/x86/include/uapi/asm/ptrace.h), as 64, 32, 16 and 8 bits.
struct X86Register {
  std::array<std::string_view, 4> names;
  std::uint8_t place;
};
constexpr X86Register kX86[] = {
    {{"rax", "eax", "ax", "al"}, 10},      {{"rbx", "ebx", "bx", "bl"}, 5},
    {{"rcx", "ecx", "cx", "cl"}, 11},      {{"rdx", "edx", "dx", "dl"}, 12},
    {{"rsi", "esi", "si", "sil"}, 13},     {{"rdi", "edi", "di", "dil"}, 14},
    {{"rbp", "ebp", "bp", "bpl"}, 4},      {{"rsp", "esp", "sp", "spl"}, 19},
    {{"r8", "r8d", "r8w", "r8b"}, 9},      {{"r9", "r9d", "r9w", "r9b"}, 8},
    {{"r10", "r10d", "r10w", "r10b"}, 7},  {{"r11", "r11d", "r11w", "r11b"}, 6},
    {{"r12", "r12d", "r12w", "r12b"}, 3},  {{"r13", "r13d", "r13w", "r13b"}, 2},
    {{"r14", "r14d", "r14w", "r14b"}, 1},  {{"r15", "r15d", "r15w", "r15b"}, 0},
};

bool x86_register(std::string_view name, std::uint8_t& place) {
  for (const X86Register& r : kX86) {
    if (std::find(r.names.begin(), r.names.end(), name) == r.names.end()) continue;
    place = r.place;
    return true;
  }
  return false;
}

bool arm64_register(std::string_view name, std::uint8_t& place) {
  if (name == "sp") {
    place = 31;
    return true;
  }
  if (name.size() < 2 || (name[0] != 'x' && name[0] != 'w')) return false;
  const auto n = parse_number<unsigned>(name.substr(1));
  if (!n || *n > 30) return false;
  place = static_cast<std::uint8_t>(*n);
  return true;
}

// "%rax", "$5", "-9(%rbp)", "(%rax)"; kNone for symbols and scaled indices.
ArgumentPlace x86_operand(std::string_view op) {
  using How = ArgumentPlace::How;
  ArgumentPlace a;
  if (op.starts_with("$")) {
    if (const auto v = parse_number<std::int32_t>(op.substr(1))) a.how = How::kConstant, a.offset = *v;
    return a;
  }
  if (op.starts_with("%")) {
    if (x86_register(op.substr(1), a.reg)) a.how = How::kRegister;
    return a;
  }
  const std::size_t open = op.find('(');
  if (open == std::string_view::npos || !op.ends_with(")") || op.substr(open, 2) != "(%") return a;
  const std::string_view offset = op.substr(0, open);
  const auto v = offset.empty() ? std::int32_t{0} : parse_number<std::int32_t>(offset);
  if (!v || !x86_register(op.substr(open + 2, op.size() - open - 3), a.reg)) return a;
  a.how = How::kMemory;
  a.offset = *v;
  return a;
}

// "x0", "5", "[sp, 16]", "[x1]".
ArgumentPlace arm64_operand(std::string_view op) {
  using How = ArgumentPlace::How;
  ArgumentPlace a;
  if (op.starts_with("[") && op.ends_with("]")) {
    std::string_view inside = op.substr(1, op.size() - 2);
    const std::string_view base = trim(next_until(inside, ','));
    const std::string_view rest = trim(inside);
    const auto v = rest.empty() ? std::int32_t{0} : parse_number<std::int32_t>(rest);
    // The stack pointer is not among the registers that are read.
    if (!v || !arm64_register(base, a.reg) || a.reg > 30) return a;
    a.how = How::kMemory;
    a.offset = *v;
  } else if (arm64_register(op, a.reg)) {
    if (a.reg <= 30) a.how = How::kRegister;
  } else if (const auto v = parse_number<std::int32_t>(op)) {
    a.how = How::kConstant;
    a.offset = *v;
  }
  return a;
}

// One text up to its NUL; nothing if it does not end.
bool take_text(std::string_view& bytes, std::string& out) {
  const std::size_t end = bytes.find('\0');
  if (end == std::string_view::npos) return false;
  out.assign(bytes.substr(0, end));
  bytes.remove_prefix(end + 1);
  return true;
}

bool read_description(const ElfFile& elf, std::string_view d, const ElfSection* base, UsdtProbe& out) {
  std::uint64_t head[3];  // location, address of .stapsdt.base when it was linked, semaphore
  if (d.size() < sizeof head) return false;
  std::memcpy(head, d.data(), sizeof head);
  d.remove_prefix(sizeof head);
  std::string arguments;
  if (!take_text(d, out.provider) || !take_text(d, out.name) || !take_text(d, arguments)) return false;
  // Prelinking moves sections without touching the notes.
  const std::uint64_t moved = base != nullptr && head[1] != 0 ? base->vaddr - head[1] : 0;
  out.vaddr = head[0] + moved;
  out.semaphore = head[2] != 0 ? head[2] + moved : 0;
  out.arguments = parse_usdt_arguments(arguments, elf.machine);
  return true;
}

}  // namespace

std::vector<ArgumentPlace> parse_usdt_arguments(std::string_view text, std::uint16_t machine) {
  std::vector<ArgumentPlace> out;
  while (!text.empty() && out.size() < kMaxArguments) {
    text = trim(text);
    // A blank may stand inside brackets: "8@[sp, 16]".
    std::size_t end = text.find(' ');
    const std::size_t open = text.find('['), close = text.find(']');
    if (open < end && close != std::string_view::npos) end = text.find(' ', close);
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(word.size(), text.size()));
    const std::size_t at = word.find('@');
    if (at == std::string_view::npos) {
      if (!word.empty()) out.emplace_back();
      continue;
    }
    const auto size = parse_number<int>(word.substr(0, at));
    const std::string_view op = word.substr(at + 1);
    ArgumentPlace a;
    if (machine == EM_X86_64) a = x86_operand(op);
    if (machine == EM_AARCH64) a = arm64_operand(op);
    const int bytes = size && *size >= -8 && *size <= 8 ? std::abs(*size) : 0;
    if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) a = {};
    a.size = static_cast<std::uint8_t>(a.how == ArgumentPlace::How::kNone ? 8 : bytes);
    out.push_back(a);
  }
  return out;
}

Result<std::vector<UsdtProbe>> read_usdt(const ElfFile& elf) {
  std::vector<UsdtProbe> probes;
  const ElfSection* base = find_section(elf, ".stapsdt.base");
  for (const ElfSection& s : elf.sections) {
    if (s.type != SHT_NOTE || s.name != ".note.stapsdt" || !elf.is64) continue;
    const std::string notes = TRY(read_section(elf, s, kMaxNotes));
    std::string_view rest = notes;
    while (rest.size() >= sizeof(Elf64_Nhdr) && probes.size() < kMaxProbes) {
      Elf64_Nhdr head;
      std::memcpy(&head, rest.data(), sizeof head);
      const auto padded = [](std::uint64_t n) { return (n + 3) / 4 * 4; };
      const std::uint64_t name = padded(head.n_namesz), text = padded(head.n_descsz);
      rest.remove_prefix(sizeof head);
      if (name > rest.size() || text > rest.size() - name) break;
      UsdtProbe probe;
      const bool ours = head.n_type == kNoteType && rest.substr(0, 8) == std::string_view("stapsdt\0", 8);
      if (ours && read_description(elf, rest.substr(name, head.n_descsz), base, probe)) {
        probes.push_back(std::move(probe));
      }
      rest.remove_prefix(name + text);
    }
  }
  return probes;
}

}  // namespace srvprof
