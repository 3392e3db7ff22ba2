#include "cli/text_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <memory>

#include "base/escape.h"

namespace srvprof {

Result<std::string> read_text_file(const std::string& path, std::size_t most) {
  using Closer = int (*)(std::FILE*);
  const bool from_stdin = path == "-";
  std::unique_ptr<std::FILE, Closer> file(
      from_stdin ? stdin : std::fopen(path.c_str(), "rbe"),
      from_stdin ? [](std::FILE*) { return 0; } : static_cast<Closer>(std::fclose));
  if (file == nullptr) return errno_error(fmt::format("reading {}", escape_text(path)), errno);
  std::string out;
  char buffer[64 * 1024];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, file.get())) {
    if (out.size() + n > most) {
      return Error{fmt::format("reading {}: larger than {} bytes", escape_text(path), most), {}};
    }
    out.append(buffer, n);
  }
  if (std::ferror(file.get()) != 0) {
    return errno_error(fmt::format("reading {}", escape_text(path)), errno);
  }
  return out;
}

}  // namespace srvprof
