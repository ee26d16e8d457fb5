// A value or an error: the subset of C++23's std::expected that weir uses.
//
//   weir::Result<int> r = parse(text);
//   if (!r) return r.error();
//   use(*r);
//
// No exception crosses a weir function; whatever can fail for a reason outside the program returns
// a Result. Thread-safety: a Result is a value like any other.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace weir {

enum class ErrorCode {
  invalid_argument,  // what was given is wrong; `where` names it
  out_of_range,  // a number that cannot be held exactly; the message names the largest that fits
  not_found,
  unsupported,  // known, but not in this version
  io,           // the operating system said no
  unavailable,  // it said no for a reason that may pass: no free descriptor, a file being replaced
  internal,     // a fault of weir's own
};

// What went wrong, for people: `where` is file:line:column or a field, `message` says what, why and
// what to do.
struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;
  std::string where;

  std::string text() const { return where.empty() ? message : where + ": " + message; }
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit
  Result(Error error) : value_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit

  bool has_value() const { return value_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(value()); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  T& value() {
    assert(has_value());
    return *std::get_if<0>(&value_);
  }
  const T& value() const {
    assert(has_value());
    return *std::get_if<0>(&value_);
  }
  const Error& error() const {
    assert(!has_value());
    return *std::get_if<1>(&value_);
  }

 private:
  std::variant<T, Error> value_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), ok_(false) {}  // NOLINT: implicit

  bool has_value() const { return ok_; }
  explicit operator bool() const { return ok_; }
  const Error& error() const {
    assert(!ok_);
    return error_;
  }

 private:
  Error error_;
  bool ok_ = true;
};

}  // namespace weir
