// Room for N values that are made one by one, as they are needed.
//
// For a scratch array of which few elements are used: setting up all of them would cost more than
// the work. An element is not to be read before it is made. Destructors do not run. Not
// thread-safe; owns its values; allocates nothing.
//
//   LazyArray<Outcome, 16> outcomes;
//   outcomes.make(0).admit = true;
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

namespace weir::base {

template <typename T, std::size_t N>
class LazyArray {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  // Not construct_at: that clears all the bytes of a T before it sets its members.
  T& make(std::size_t i) { return *::new (static_cast<void*>(data() + i)) T; }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  T* data() { return reinterpret_cast<T*>(room_); }
  const T* data() const { return reinterpret_cast<const T*>(room_); }

 private:
  alignas(T) std::byte room_[N * sizeof(T)];
};

}  // namespace weir::base
