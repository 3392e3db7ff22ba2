#include "unwind/eh_frame.h"

#include <optional>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "base/bytes.h"
#include "unwind/frame_program.h"

namespace srvprof {
namespace {

// Encodings of addresses (DW_EH_PE_*): the low four bits are the format, the next three the base.
constexpr std::uint8_t kOmit = 0xff, kFormat = 0x0f, kBase = 0x70, kIndirect = 0x80, kPcRelative = 0x10;

constexpr std::uint64_t kReturnRegister = 16;  // DWARF number of the return address on x86-64
constexpr std::size_t kMaxCommon = 1u << 16;   // CIEs that are kept; a linker makes a few

// Moves past one address; its value relative to what the encoding says. `vaddr`: of the reader's position.
std::optional<std::uint64_t> read_address(ByteReader& r, std::uint8_t encoding, std::uint64_t vaddr) {
  std::uint64_t v = 0;
  switch (encoding & kFormat) {
    case 0x00: case 0x04: case 0x0c: v = r.le<std::uint64_t>(); break;
    case 0x01: v = r.varint(); break;
    case 0x02: v = r.le<std::uint16_t>(); break;
    case 0x03: v = r.le<std::uint32_t>(); break;
    case 0x09: v = static_cast<std::uint64_t>(read_signed(r)); break;
    case 0x0a: v = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int16_t>(r.le<std::uint16_t>())}); break;
    case 0x0b: v = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(r.le<std::uint32_t>())}); break;
    default: return std::nullopt;
  }
  if (!r.ok() || (encoding & kIndirect) != 0) return std::nullopt;
  switch (encoding & kBase) {
    case 0: return v;
    case kPcRelative: return v + vaddr;
    default: return std::nullopt;  // relative to text, data or function: not used in executables
  }
}

// An entry's body: from after its length to its end. `at`: of the body, in the section.
struct Entry {
  std::span<const std::uint8_t> body;
  std::size_t at = 0;
  std::uint32_t id = 0;  // 0: common information (CIE); else the distance back to it
};

class Section {
 public:
  Section(std::span<const std::uint8_t> bytes, std::uint64_t vaddr, const EhFrameLimits& limits)
      : bytes_(bytes), vaddr_(vaddr), limits_(limits) {}

  Result<EhFrame> parse();

 private:
  // The entry at `at`, which moves behind it; nothing at the end or where the length makes no sense.
  std::optional<Entry> next(std::size_t& at) const;
  const CommonFrame* common_at(std::size_t at);
  std::optional<CommonFrame> parse_common(const Entry& entry) const;
  bool parse_function(const Entry& entry);

  std::span<const std::uint8_t> bytes_;
  std::uint64_t vaddr_;
  EhFrameLimits limits_;
  std::uint64_t executed_ = 0;  // bytes of instructions
  std::unordered_map<std::size_t, std::optional<CommonFrame>> common_;
  EhFrame out_;
};

std::optional<Entry> Section::next(std::size_t& at) const {
  while (at + 4 <= bytes_.size()) {
    ByteReader r(bytes_.subspan(at));
    std::uint64_t length = r.le<std::uint32_t>();
    if (length == 0xffffffff) length = r.le<std::uint64_t>();
    const std::size_t start = at + r.position();
    if (length == 0 && r.ok()) {  // terminator; joined sections may have some in their middle
      at = start;
      continue;
    }
    if (!r.ok() || length < 4 || length > r.left()) return std::nullopt;
    Entry entry;
    entry.id = r.le<std::uint32_t>();
    entry.at = start;
    entry.body = bytes_.subspan(start, static_cast<std::size_t>(length));
    at = start + static_cast<std::size_t>(length);
    return entry;
  }
  return std::nullopt;
}

std::optional<CommonFrame> Section::parse_common(const Entry& entry) const {
  ByteReader r(entry.body);
  r.bytes(4);  // id
  const std::uint8_t version = r.u8();
  if (version != 1 && version != 3 && version != 4) return std::nullopt;
  std::string_view augmentation(reinterpret_cast<const char*>(entry.body.data()) + r.position(), r.left());
  const std::size_t length = augmentation.find('\0');
  if (length == std::string_view::npos || length > 16) return std::nullopt;
  augmentation = augmentation.substr(0, length);
  r.bytes(length + 1);
  if (version == 4) r.bytes(2);  // sizes of addresses and segments
  CommonFrame c;
  c.code_align = r.varint();
  c.data_align = read_signed(r);
  const std::uint64_t return_register = version == 1 ? r.u8() : r.varint();
  if (!r.ok() || return_register != kReturnRegister) return std::nullopt;
  if (!augmentation.empty()) {
    if (augmentation.front() != 'z') return std::nullopt;
    ByteReader data(r.bytes(r.varint()));
    const std::uint64_t data_vaddr = vaddr_ + entry.at + r.position() - data.left();
    for (const char letter : augmentation.substr(1)) {
      if (letter == 'R') {
        c.encoding = data.u8();
      } else if (letter == 'P') {
        const std::uint8_t encoding = data.u8();
        if (encoding != kOmit && !read_address(data, encoding & kFormat, data_vaddr)) return std::nullopt;
      } else if (letter == 'L') {
        data.u8();
      } else if (letter == 'S') {
        c.signal = true;
      } else {
        break;  // what follows is for others, and its length is known
      }
    }
    if (!data.ok()) return std::nullopt;
    c.sized = true;
  }
  if (!r.ok()) return std::nullopt;
  c.program = r.bytes(r.left());
  return c;
}

const CommonFrame* Section::common_at(std::size_t at) {
  auto it = common_.find(at);
  if (it == common_.end()) {
    if (common_.size() >= kMaxCommon) return nullptr;
    std::optional<CommonFrame> parsed;
    std::size_t from = at;
    if (const auto entry = next(from); entry && entry->id == 0) parsed = parse_common(*entry);
    it = common_.emplace(at, std::move(parsed)).first;
  }
  return it->second ? &*it->second : nullptr;
}

bool Section::parse_function(const Entry& entry) {
  if (entry.id > entry.at) return false;  // the distance counts from the id field, which is at entry.at
  const CommonFrame* common = common_at(entry.at - entry.id);
  if (common == nullptr) return false;
  ByteReader r(entry.body);
  r.bytes(4);
  const auto begin = read_address(r, common->encoding, vaddr_ + entry.at + r.position());
  const auto size = read_address(r, common->encoding & kFormat, 0);
  if (!begin || !size || *size == 0 || *begin + *size < *begin) return false;
  if (common->sized) r.bytes(r.varint());
  if (!r.ok()) return false;
  executed_ += common->program.size() + r.left();
  FrameProgram program(*common, *begin, *begin + *size, limits_.states, out_);
  program.run(r.bytes(r.left()));
  return true;
}

Result<EhFrame> Section::parse() {
  std::size_t at = 0;
  while (const auto entry = next(at)) {
    if (entry->id == 0) continue;
    if (out_.functions >= limits_.functions || out_.rows.size() >= limits_.rows ||
        executed_ > limits_.program_bytes) {
      return Error{fmt::format("reading .eh_frame: more than {} functions, {} rows or {} bytes of instructions",
                               limits_.functions, limits_.rows, limits_.program_bytes), "", {}};
    }
    if (!parse_function(*entry)) ++out_.malformed;
  }
  return std::move(out_);
}

}  // namespace

Result<EhFrame> parse_eh_frame(std::span<const std::uint8_t> section, std::uint64_t vaddr,
                               const EhFrameLimits& limits) {
  if (section.size() > limits.section_bytes) {
    return Error{fmt::format("reading .eh_frame: {} bytes are above the limit of {}", section.size(),
                             limits.section_bytes), "", {}};
  }
  return Section(section, vaddr, limits).parse();
}

}  // namespace srvprof
