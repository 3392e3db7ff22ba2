#include "target/maps.h"

#include <sys/sysmacros.h>

#include <algorithm>

#include "base/parse.h"

namespace srvprof {
namespace {

MappingKind kind_of(std::string_view path) {
  if (path.empty() || path.starts_with("[anon") || path.starts_with("/memfd:") ||
      path.starts_with("/dev/zero") || path.starts_with("/SYSV") || path.starts_with("//anon")) {
    return MappingKind::kAnonymous;
  }
  if (path == "[heap]") return MappingKind::kHeap;
  if (path.starts_with("[stack")) return MappingKind::kStack;
  if (path == "[vdso]") return MappingKind::kVdso;
  if (path == "[vsyscall]") return MappingKind::kVsyscall;
  return path.starts_with('[') ? MappingKind::kSpecial : MappingKind::kFile;
}

// The kernel writes a newline in a path as \012, and nothing else in another form.
std::string unescape_path(std::string_view path) {
  std::string out;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path.substr(i, 4) == "\\012") {
      out += '\n';
      i += 3;
    } else {
      out += path[i];
    }
  }
  return out;
}

// start-end perms offset major:minor inode path
std::optional<MemoryMapping> parse_line(std::string_view line) {
  std::string_view range = next_field(line);
  const auto start = parse_number<std::uint64_t>(next_until(range, '-'), 16);
  const auto end = parse_number<std::uint64_t>(range, 16);
  const std::string_view permissions = next_field(line);
  const auto offset = parse_number<std::uint64_t>(next_field(line), 16);
  std::string_view device = next_field(line);
  const auto major_number = parse_number<unsigned>(next_until(device, ':'), 16);
  const auto minor_number = parse_number<unsigned>(device, 16);
  const auto inode = parse_number<std::uint64_t>(next_field(line));
  if (!start || !end || *start >= *end || permissions.size() < 4 || !offset || !major_number ||
      !minor_number || !inode) {
    return std::nullopt;
  }
  MemoryMapping m;
  m.start = *start;
  m.end = *end;
  m.offset = *offset;
  m.read = permissions[0] == 'r';
  m.write = permissions[1] == 'w';
  m.exec = permissions[2] == 'x';
  m.shared = permissions[3] == 's';
  m.device = makedev(*major_number, *minor_number);
  m.inode = *inode;
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  constexpr std::string_view kDeleted = " (deleted)";
  if (m.inode != 0 && line.ends_with(kDeleted)) {
    m.deleted = true;
    line.remove_suffix(kDeleted.size());
  }
  m.path = unescape_path(line);
  m.kind = kind_of(m.path);
  return m;
}

}  // namespace

std::vector<MemoryMapping> parse_maps(std::string_view text) {
  std::vector<MemoryMapping> maps;
  std::string_view line;
  while (next_line(text, line)) {
    if (auto mapping = parse_line(line)) maps.push_back(std::move(*mapping));
  }
  // The kernel writes them in order; a text that was read in pieces while the process mapped and
  // unmapped may repeat one.
  std::stable_sort(maps.begin(), maps.end(),
                   [](const auto& a, const auto& b) { return a.start < b.start; });
  std::uint64_t reached = 0;
  std::erase_if(maps, [&](const MemoryMapping& m) {
    if (m.start < reached) return true;
    reached = m.end;
    return false;
  });
  return maps;
}

Result<std::vector<MemoryMapping>> read_maps(const ProcFs& fs, pid_t pid) {
  const std::string text = TRY(read_pid_file(fs, pid, "maps"));
  return parse_maps(text);
}

const MemoryMapping* find_mapping(std::span<const MemoryMapping> maps, std::uint64_t address) {
  const auto after = std::upper_bound(maps.begin(), maps.end(), address,
                                      [](auto a, const auto& m) { return a < m.start; });
  if (after == maps.begin()) return nullptr;
  const MemoryMapping& mapping = *(after - 1);
  return address < mapping.end ? &mapping : nullptr;
}

}  // namespace srvprof
