// Where results go: stdout, or files that are never overwritten silently, mode 0600, owned by the
// user behind sudo.
#pragma once

#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"
#include "recording/writer.h"

namespace srvprof {

// All bytes to a descriptor; `name` is for the message.
Status write_all(int fd, std::string_view bytes, std::string_view name);
Status write_stdout(std::string_view bytes);

// The user for whom files are made: SUDO_UID and SUDO_GID if this is root under sudo, else us.
FileOwner file_owner();

// A result being written. "-" is stdout. An error, or the destruction before commit(), leaves no
// file.
class Output {
 public:
  // `force` replaces an existing file, when commit() is called and not before.
  static Result<Output> create(const std::string& path, bool force);
  Output(Output&&) noexcept = default;
  Output& operator=(Output&&) = delete;
  ~Output();

  Status write(std::string_view bytes);
  Status commit();
  bool is_stdout() const { return path_ == "-"; }

 private:
  Output(std::string path, std::string temporary, Fd fd)
      : path_(std::move(path)), temporary_(std::move(temporary)), fd_(std::move(fd)) {}
  Status flush();

  std::string path_;
  std::string
      temporary_;  // what is being written: path_, or a name beside it; "" = not ours to remove
  Fd fd_;
  std::string buffer_;
};

// A new folder, mode 0700, owned as files are. An existing one is an error.
Status make_folder(const std::string& path);
bool exists(const std::string& path);
Error exists_error(std::string_view doing, const std::string& path);

// The absolute path (not resolved further than the working directory).
std::string absolute_path(const std::string& path);
// "file:///home/u/run%20one/report.html"
std::string file_link(const std::string& path);
// The link of what was written, as a line on stdout; nothing for "-".
Status print_link(const std::string& path);

}  // namespace srvprof
