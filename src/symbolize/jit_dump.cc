#include "symbolize/jit_dump.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>

#include "base/bytes.h"
#include "symbolize/perf_map.h"

namespace srvprof {
namespace {

constexpr std::uint32_t kMagic = 0x4a695444;  // "JiTD" as a number
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeader = 40, kRecordHeader = 16;
constexpr std::size_t kMaxEntries = 2'000'000, kMaxLines = 4'000'000;
constexpr std::size_t kMaxNames = std::size_t{256} << 20;
constexpr std::size_t kMaxFile = 4096;

enum Record : std::uint32_t { kLoad = 0, kMove = 1, kDebug = 2, kClose = 3 };

class Parser {
 public:
  Parser(std::string_view bytes, std::uint32_t pid)
      : r_(std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size())), pid_(pid) {}

  JitDump parse() {
    if (!header()) return {};
    while (record()) {}
    settle_jit_table(dump_.table);
    std::stable_sort(dump_.lines.begin(), dump_.lines.end(),
                     [](const JitLine& a, const JitLine& b) { return a.address < b.address; });
    return std::move(dump_);
  }

 private:
  bool header();
  bool record();
  bool load(ByteReader& r);
  bool move(ByteReader& r);
  bool debug(ByteReader& r);
  bool add(std::uint64_t address, std::uint64_t size, std::uint32_t name);

  ByteReader r_;
  std::uint32_t pid_;
  JitDump dump_;
  std::unordered_map<std::uint64_t, std::uint32_t> names_;  // by code index
  std::string_view last_file_;
  std::uint32_t last_file_at_ = 0;
};

std::string_view text(ByteReader& r, std::size_t most) {
  ByteReader whole = r;
  const std::string_view rest = whole.text(whole.left());
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos) {
    r.bytes(r.left() + 1);  // not ok any more
    return {};
  }
  r.bytes(end + 1);
  return rest.substr(0, std::min(end, most));
}

bool Parser::header() {
  const auto magic = r_.le<std::uint32_t>(), version = r_.le<std::uint32_t>(), size = r_.le<std::uint32_t>();
  r_.le<std::uint64_t>();  // machine, padding
  const auto pid = r_.le<std::uint32_t>();
  r_.bytes(16);  // time, flags
  if (!r_.ok() || magic != kMagic || version != kVersion || size < kHeader) return false;
  r_.bytes(size - kHeader);
  return r_.ok() && (pid_ == 0 || pid == pid_);
}

bool Parser::record() {
  const auto id = r_.le<std::uint32_t>(), size = r_.le<std::uint32_t>();
  r_.le<std::uint64_t>();  // time
  if (!r_.ok() || size < kRecordHeader) return false;
  ByteReader body(r_.bytes(size - kRecordHeader));
  if (!r_.ok()) return false;
  switch (id) {
    case kLoad: return load(body);
    case kMove: return move(body);
    case kDebug: return debug(body);
    case kClose: return false;
    default: return true;
  }
}

bool Parser::add(std::uint64_t address, std::uint64_t size, std::uint32_t name) {
  if (size == 0 || size > std::numeric_limits<std::uint32_t>::max()) return true;
  if (dump_.table.symbols.size() >= kMaxEntries) return false;
  dump_.table.symbols.push_back({address, static_cast<std::uint32_t>(size), name});
  return true;
}

bool Parser::load(ByteReader& r) {
  r.le<std::uint64_t>();  // process, thread
  r.le<std::uint64_t>();  // where it is mapped: the same as its address
  const auto address = r.le<std::uint64_t>(), size = r.le<std::uint64_t>(), index = r.le<std::uint64_t>();
  const std::string_view name = text(r, kMaxSymbolName);
  if (!r.ok()) return false;
  std::string& names = dump_.table.names;
  if (names.size() + name.size() >= kMaxNames) return false;
  const auto at = static_cast<std::uint32_t>(names.size());
  names.append(name).push_back('\0');
  if (names_.size() < kMaxEntries) names_[index] = at;
  return add(address, size, at);
}

// The later of two entries is the one whose name stands behind, so a moved one takes its name along.
bool Parser::move(ByteReader& r) {
  r.le<std::uint64_t>();
  r.le<std::uint64_t>();
  r.le<std::uint64_t>();  // from where
  const auto address = r.le<std::uint64_t>(), size = r.le<std::uint64_t>(), index = r.le<std::uint64_t>();
  if (!r.ok()) return false;
  const auto it = names_.find(index);
  if (it == names_.end()) return true;
  std::string& names = dump_.table.names;
  const std::string name(names.c_str() + it->second);
  if (names.size() + name.size() >= kMaxNames) return false;
  it->second = static_cast<std::uint32_t>(names.size());
  names.append(name).push_back('\0');
  return add(address, size, it->second);
}

bool Parser::debug(ByteReader& r) {
  r.le<std::uint64_t>();  // of which code: its lines have addresses of their own
  const auto count = r.le<std::uint64_t>();
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto address = r.le<std::uint64_t>();
    const auto line = r.le<std::uint32_t>();
    r.le<std::uint32_t>();  // discriminator
    std::string_view file = text(r, kMaxFile);
    if (!r.ok()) return false;
    if (dump_.lines.size() >= kMaxLines) return true;
    if (file == "\xff") file = last_file_;  // "as before"
    if (file != last_file_ || dump_.files.empty()) {
      if (dump_.files.size() + file.size() >= kMaxNames) return true;
      last_file_at_ = static_cast<std::uint32_t>(dump_.files.size());
      dump_.files.append(file).push_back('\0');
      last_file_ = file;  // of the input, which outlives the parser
    }
    dump_.lines.push_back({address, line, last_file_at_});
  }
  return true;
}

}  // namespace

JitDump parse_jit_dump(std::string_view bytes, std::uint32_t pid) { return Parser(bytes, pid).parse(); }

const JitLine* find_jit_line(const JitDump& dump, std::uint64_t begin, std::uint64_t end, std::uint64_t address) {
  auto it = std::upper_bound(dump.lines.begin(), dump.lines.end(), address,
                             [](std::uint64_t a, const JitLine& l) { return a < l.address; });
  if (it == dump.lines.begin()) return nullptr;
  --it;
  return it->address >= begin && it->address < end ? &*it : nullptr;
}

}  // namespace srvprof
