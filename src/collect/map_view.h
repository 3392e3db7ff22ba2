// A BPF array map as memory that both sides see (BPF_F_MMAPABLE).
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "base/result.h"

namespace srvprof {

class MapView {
 public:
  MapView() = default;
  // `entries` of `entry_size` bytes, a multiple of 8 (the kernel rounds up).
  static Result<MapView> map(int fd, std::size_t entries, std::size_t entry_size);
  MapView(MapView&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  MapView& operator=(MapView&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  MapView(const MapView&) = delete;
  MapView& operator=(const MapView&) = delete;
  ~MapView();

  // T is the map's value type.
  template <class T>
  std::span<T> as() const {
    return {static_cast<T*>(data_), bytes_ / sizeof(T)};
  }

 private:
  MapView(void* data, std::size_t bytes) : data_(data), bytes_(bytes) {}

  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace srvprof
