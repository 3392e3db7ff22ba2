#include "target/mountinfo.h"

#include "base/parse.h"

namespace srvprof {
namespace {

// Blank, tab, newline and backslash are written as \ooo.
std::string unescape_octal(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto code = text[i] == '\\' && i + 3 < text.size()
                          ? parse_number<unsigned>(text.substr(i + 1, 3), 8)
                          : std::nullopt;
    if (code && *code < 256) {
      out += static_cast<char>(*code);
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

std::vector<Mount> parse_mountinfo(std::string_view text) {
  std::vector<Mount> mounts;
  std::string_view line;
  while (next_line(text, line)) {
    // id parent major:minor root mount_point options [optional]... - type source super_options
    for (int skipped = 0; skipped < 3; ++skipped) next_field(line);
    Mount mount;
    mount.root = unescape_octal(next_field(line));
    mount.mount_point = unescape_octal(next_field(line));
    std::string_view field = next_field(line);
    while (!field.empty() && field != "-") field = next_field(line);
    mount.type = next_field(line);
    next_field(line);
    std::string_view options = next_field(line);
    while (!options.empty()) mount.super_options.emplace_back(next_until(options, ','));
    if (mount.root.starts_with('/') && mount.mount_point.starts_with('/') && !mount.type.empty()) {
      mounts.push_back(std::move(mount));
    }
  }
  return mounts;
}

Result<std::vector<Mount>> read_mounts(const ProcFs& fs) {
  const std::string text = TRY(read_file(fs.proc + "/self/mountinfo"));
  return parse_mountinfo(text);
}

}  // namespace srvprof
