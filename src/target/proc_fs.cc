#include "target/proc_fs.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/fd.h"
#include "base/parse.h"

namespace srvprof {

std::string pid_path(const ProcFs& fs, pid_t pid) { return fs.proc + "/" + std::to_string(pid); }

std::string pid_path(const ProcFs& fs, pid_t pid, std::string_view name) {
  return pid_path(fs, pid).append("/").append(name);
}

Result<std::string> read_to_end(const SomeBytes& some, const std::string& doing, std::size_t limit) {
  // The kernel's generated files give a page or so at a time: the buffer grows by what is in it.
  constexpr std::size_t kLeast = 4096;
  std::string text;
  std::size_t used = 0;
  for (;;) {
    if (text.size() - used < kLeast / 4) text.resize(std::max(kLeast, 2 * text.size()));
    const ssize_t n = some(text.data() + used, text.size() - used, static_cast<off_t>(used));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno_error(doing, errno);
    used += static_cast<std::size_t>(n);
    if (used > limit) {
      return Error{doing + ": larger than " + std::to_string(limit) + " bytes", "",
                   ErrorKind::kFailed};
    }
    if (n == 0) {
      text.resize(used);
      return text;
    }
  }
}

Result<std::string> read_file(const std::string& path, std::size_t limit) {
  // Not blocking: a fifo in the place of the file must not hang us.
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!fd.valid()) return errno_error("reading " + path, errno);
  return read_to_end([&](char* to, std::size_t most, off_t) { return ::read(fd.get(), to, most); },
                     "reading " + path, limit);
}

Result<std::string> read_pid_file(const ProcFs& fs, pid_t pid, std::string_view name) {
  auto text = read_file(pid_path(fs, pid, name));
  // ENOENT may also mean a kernel without that file: the process's own directory decides.
  if (!text.ok() && ::access(pid_path(fs, pid).c_str(), F_OK) != 0) {
    Error error = text.take_error();
    error.kind = ErrorKind::kNoTarget;
    return error;
  }
  return text;
}

Result<std::string> read_link(const std::string& path) {
  std::string text(4096, '\0');
  const ssize_t n = ::readlink(path.c_str(), text.data(), text.size());
  if (n < 0) return errno_error("reading the link " + path, errno);
  text.resize(static_cast<std::size_t>(n));
  return text;
}

Result<std::vector<pid_t>> list_numbers(const std::string& directory) {
  const auto close = [](DIR* d) { ::closedir(d); };
  const std::unique_ptr<DIR, decltype(close)> dir(::opendir(directory.c_str()), close);
  if (!dir) return errno_error("listing " + directory, errno);
  std::vector<pid_t> numbers;
  while (const dirent* entry = ::readdir(dir.get())) {
    if (const auto n = parse_number<pid_t>(entry->d_name); n && *n >= 0) numbers.push_back(*n);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::uint64_t bracketed_number(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return 0;
  text.remove_prefix(prefix.size());
  if (text.size() < 3 || text.front() != '[' || text.back() != ']') return 0;
  return parse_number<std::uint64_t>(text.substr(1, text.size() - 2)).value_or(0);
}

std::uint64_t namespace_inode(const ProcFs& fs, pid_t pid, std::string_view kind) {
  const auto link = read_link(pid_path(fs, pid, "ns/").append(kind));
  return link.ok() ? bracketed_number(*link, std::string(kind) + ":") : 0;
}

}  // namespace srvprof
