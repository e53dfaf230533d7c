#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace warpwright::runner {

/// Why something could not be done, for people. `code` is the driver's where the driver said no, else 0.
struct Failure {
  std::string text;
  int code = 0;
};

/// A value, or why there is none. llvm::Expected's part, where LLVM may not be linked.
template <typename T> class [[nodiscard]] Fallible {
public:
  Fallible(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Fallible(Failure failure) : state_(std::in_place_index<1>, std::move(failure)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T &operator*() {
    assert(*this && "there is no value");
    return *std::get_if<0>(&state_);
  }
  const T &operator*() const {
    assert(*this && "there is no value");
    return *std::get_if<0>(&state_);
  }
  T *operator->() { return &**this; }
  const T *operator->() const { return &**this; }
  const Failure &failure() const {
    assert(!*this && "nothing failed");
    return *std::get_if<1>(&state_);
  }

private:
  std::variant<T, Failure> state_;
};

} // namespace warpwright::runner
