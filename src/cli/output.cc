#include "cli/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "base/escape.h"
#include "base/parse.h"

namespace srvprof {
namespace {

constexpr std::size_t kBufferBytes = 256 * 1024;

std::string doing(const std::string& path) { return fmt::format("writing {}", escape_text(path)); }

template <class T>
T number_of_environment(const char* name, T fallback) {
  const char* text = std::getenv(name);
  return text == nullptr ? fallback : parse_number<T>(text).value_or(fallback);
}

void give_to_owner(int fd) {
  const FileOwner owner = file_owner();
  // A file system without owners refuses: the file is still ours alone.
  if (owner.uid != ::geteuid()) (void)!::fchown(fd, owner.uid, owner.gid);
}

// A pipe, terminal or device: written in place.
bool is_special(const std::string& path) {
  struct stat st {};
  return ::stat(path.c_str(), &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

Result<Fd> open_new(const std::string& path) {
  Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd.valid()) {
    if (errno == EEXIST) return exists_error("writing", path);
    return errno_error(doing(path), errno);
  }
  give_to_owner(fd.get());
  return fd;
}

}  // namespace

Status write_all(int fd, std::string_view bytes, std::string_view name) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno_error(fmt::format("writing {}", name), errno);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Status write_stdout(std::string_view bytes) { return write_all(STDOUT_FILENO, bytes, "to stdout"); }

FileOwner file_owner() {
  const FileOwner self{::geteuid(), ::getegid()};
  if (self.uid != 0) return self;
  return {number_of_environment<uid_t>("SUDO_UID", self.uid),
          number_of_environment<gid_t>("SUDO_GID", self.gid)};
}

Result<Output> Output::create(const std::string& path, bool force) {
  if (path == "-") return Output(path, "", Fd());
  if (is_special(path)) {
    Fd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!fd.valid()) return errno_error(doing(path), errno);
    return Output(path, "", std::move(fd));
  }
  std::string temporary = path;
  if (force && exists(path)) temporary += fmt::format(".{}.tmp", ::getpid());
  Fd fd = TRY(open_new(temporary));
  return Output(path, std::move(temporary), std::move(fd));
}

Output::~Output() {
  if (fd_.valid() && !temporary_.empty()) ::unlink(temporary_.c_str());
}

Status Output::write(std::string_view bytes) {
  buffer_ += bytes;
  return buffer_.size() >= kBufferBytes ? flush() : Status();
}

Status Output::flush() {
  const Status status =
      is_stdout() ? write_stdout(buffer_) : write_all(fd_.get(), buffer_, escape_text(path_));
  buffer_.clear();
  return status;
}

Status Output::commit() {
  TRY(flush());
  if (is_stdout()) return {};
  if (::close(fd_.get()) != 0) {  // also NFS and quotas report here
    const int error = errno;
    fd_.release();
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
    return errno_error(doing(path_), error);
  }
  fd_.release();
  if (!temporary_.empty() && temporary_ != path_ &&
      ::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary_.c_str());
    return errno_error(doing(path_), error);
  }
  return {};
}

Status make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0) {
    if (errno == EEXIST) return exists_error("making the folder", path);
    return errno_error(fmt::format("making the folder {}", escape_text(path)), errno);
  }
  Fd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (fd.valid()) give_to_owner(fd.get());
  return {};
}

bool exists(const std::string& path) {
  struct stat st {};
  return ::lstat(path.c_str(), &st) == 0;
}

Error exists_error(std::string_view doing_what, const std::string& path) {
  return Error{fmt::format("{} {}: it exists already", doing_what, escape_text(path)),
               "choose another name with -o, or --force to replace it", ErrorKind::kFailed};
}

std::string absolute_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

std::string file_link(const std::string& path) {
  static constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  std::string out = "file://";
  for (char c : absolute_path(path)) {
    if (kPlain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

Status print_link(const std::string& path) {
  return path == "-" ? Status{} : write_stdout(file_link(path) + '\n');
}

}  // namespace srvprof
