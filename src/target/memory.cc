#include "target/memory.h"

#include <sys/uio.h>

#include <cerrno>

namespace srvprof {

Result<std::string> read_memory(pid_t pid, std::uint64_t address, std::size_t length) {
  constexpr std::size_t kLimit = std::size_t{64} << 20;
  const std::string what = "reading memory of process " + std::to_string(pid);
  if (length > kLimit) return Error{what + ": too much at once", "", ErrorKind::kFailed};
  std::string bytes(length, '\0');
  const iovec here{bytes.data(), bytes.size()};
  const iovec there{reinterpret_cast<void*>(address), length};  // NOLINT: an address over there
  const ssize_t n = ::process_vm_readv(pid, &here, 1, &there, 1, 0);
  if (n < 0) return errno_error(what, errno);
  if (static_cast<std::size_t>(n) != length) {
    return Error{what + ": only a part is mapped", "", ErrorKind::kFailed};
  }
  return bytes;
}

}  // namespace srvprof
