// Zeroed memory straight from the operating system: pages that were never touched cost nothing.
//
// So a table can be laid out for its largest size at once and never grows. Huge pages are declined:
// touching one byte would make two megabytes resident. Move-only; not thread-safe; cost: one mmap.
#pragma once

#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "weir/result.h"

namespace weir::store::memory {

// `count` objects of T, all bytes zero; a T must make sense as zeroes.
template <typename T>
class Pages {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  static Result<Pages> map(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) {
      return Error{ErrorCode::io,
                   "cannot reserve " + std::to_string(bytes) + " bytes of address space: " +
                       std::strerror(errno) + "; a smaller max_keys needs less",
                   "max_keys"};
    }
    (void)::madvise(at, bytes, MADV_NOHUGEPAGE);  // advice: without it the table works as well
    return Pages(static_cast<T*>(at), count);
  }

  Pages() = default;
  Pages(Pages&& other) noexcept
      : at_(std::exchange(other.at_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  Pages& operator=(Pages&& other) noexcept {
    std::swap(at_, other.at_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~Pages() {
    if (at_ != nullptr) ::munmap(at_, count_ * sizeof(T));
  }

  T* data() const { return at_; }
  std::size_t size() const { return count_; }

 private:
  Pages(T* at, std::size_t count) : at_(at), count_(count) {}

  T* at_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace weir::store::memory
