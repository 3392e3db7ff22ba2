// Errors as values. A function that can fail returns Result<T>; nothing here throws.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace srvprof {

// What a failed operation means to the person at the keyboard. The process's exit code follows from
// it (CLI contract: 1 error, 2 usage, 3 no permission, 4 kernel or feature missing, 5 no target,
// 6 finished but incomplete, 130 aborted).
enum class ErrorKind {
  kFailed = 1,
  kUsage = 2,
  kPermission = 3,
  kKernel = 4,
  kNoTarget = 5,
  kIncomplete = 6,
  kAborted = 130,
};

// `what` reads "<doing what to which>: <why>" without the program's name; `hint` is one thing to try
// (may be empty).
struct Error {
  std::string what;
  std::string hint;
  ErrorKind kind = ErrorKind::kFailed;
};

// An Error with `what: strerror(errno_value)`; EPERM and EACCES become kPermission.
Error errno_error(std::string what, int errno_value);

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : v_(std::in_place_index<0>, std::move(value)) {}       // NOLINT: implicit
  Result(Error error) : v_(std::in_place_index<1>, std::move(error)) {}   // NOLINT: implicit

  bool ok() const { return v_.index() == 0; }
  explicit operator bool() const { return ok(); }
  // Precondition of value(), operator* and ->: ok(). Precondition of error(): !ok().
  T& value() & { return std::get<0>(v_); }
  const T& value() const& { return std::get<0>(v_); }
  T&& value() && { return std::get<0>(std::move(v_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const { return std::get<1>(v_); }
  Error&& take_error() { return std::get<1>(std::move(v_)); }

 private:
  std::variant<T, Error> v_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const { return *error_; }
  Error&& take_error() { return std::move(*error_); }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

namespace detail {
template <class T>
T take_value(Result<T>& r) {
  return std::move(r).value();
}
inline void take_value(Result<void>&) {}
}  // namespace detail

}  // namespace srvprof

// Evaluates to the value of a Result, or returns its Error from the enclosing function.
#define TRY(expr)                                        \
  __extension__({                                        \
    auto try_result_ = (expr);                           \
    if (!try_result_.ok()) return try_result_.take_error(); \
    ::srvprof::detail::take_value(try_result_);          \
  })
