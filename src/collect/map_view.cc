#include "collect/map_view.h"

#include <sys/mman.h>

#include <cerrno>

namespace srvprof {

Result<MapView> MapView::map(int fd, std::size_t entries, std::size_t entry_size) {
  const std::size_t bytes = entries * entry_size;
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (data == MAP_FAILED) return errno_error("mapping a table of the stack walker", errno);
  return MapView(data, bytes);
}

MapView::~MapView() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

}  // namespace srvprof
