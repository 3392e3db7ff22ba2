#include "target/memory.h"

#include <sys/uio.h>

#include <cerrno>

namespace srvprof {
namespace {

ssize_t copy(pid_t pid, std::uint64_t address, void* to, std::size_t length) {
  const iovec here{to, length};
  const iovec there{reinterpret_cast<void*>(address), length};  // NOLINT: an address over there
  return ::process_vm_readv(pid, &here, 1, &there, 1, 0);
}

}  // namespace

Result<std::string> read_memory(pid_t pid, std::uint64_t address, std::size_t length) {
  constexpr std::size_t kLimit = std::size_t{64} << 20;
  const std::string what = "reading memory of process " + std::to_string(pid);
  if (length > kLimit) return Error{what + ": too much at once", "", ErrorKind::kFailed};
  std::string bytes(length, '\0');
  const ssize_t n = copy(pid, address, bytes.data(), length);
  if (n < 0) return errno_error(what, errno);
  if (static_cast<std::size_t>(n) != length) {
    return Error{what + ": only a part is mapped", "", ErrorKind::kFailed};
  }
  return bytes;
}

MemoryReader memory_of(pid_t pid) {
  return [pid](std::uint64_t address, std::span<std::byte> out) {
    return copy(pid, address, out.data(), out.size()) == static_cast<ssize_t>(out.size());
  };
}

void read_words(const MemoryReader& memory, std::uint64_t address, std::span<std::uint64_t> words) {
  if (memory(address, std::as_writable_bytes(words))) return;
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = read_value<std::uint64_t>(memory, address + 8 * i).value_or(0);
  }
}

}  // namespace srvprof
