#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace warpwright {

/// How far a statement about a kernel can be trusted.
enum class Grade {
  Proved,  ///< follows from the code alone
  Assumed, ///< follows from the code and something stated or supposed, which the reason names
  Unknown  ///< cannot be said; the reason says why
};

/// "proved", "assumed" or "unknown".
const char *toString(Grade grade);

/// A value with its grade. Assumed and unknown facts always carry a reason; a proved one needs none.
template <typename T> class Fact {
public:
  static Fact proved(T value) { return Fact(Grade::Proved, std::move(value), {}); }
  static Fact assumed(T value, std::string reason) {
    assert(!reason.empty() && "an assumption is named");
    return Fact(Grade::Assumed, std::move(value), std::move(reason));
  }
  static Fact unknown(std::string reason) {
    assert(!reason.empty() && "an unknown says why");
    return Fact(Grade::Unknown, std::nullopt, std::move(reason));
  }

  Grade grade() const { return grade_; }
  bool known() const { return grade_ != Grade::Unknown; }
  bool proved() const { return grade_ == Grade::Proved; }
  const std::string &reason() const { return reason_; }

  /// The value. Only of a fact that is known.
  const T &value() const {
    assert(known() && "an unknown fact has no value");
    return *value_;
  }
  T valueOr(T other) const { return known() ? *value_ : std::move(other); }

private:
  Fact(Grade grade, std::optional<T> value, std::string reason)
      : grade_(grade), value_(std::move(value)), reason_(std::move(reason)) {}

  Grade grade_;
  std::optional<T> value_;
  std::string reason_;
};

} // namespace warpwright
