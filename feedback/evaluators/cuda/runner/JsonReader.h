#pragma once

#include "feedback/evaluators/cuda/runner/Fallible.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace warpwright::runner {

using Json = nlohmann::ordered_json;

/// One object of a document, read key by key. The first mistake is kept, with its place, in the Mistake all
/// readers of a document share; after it every value read is a default, so that callers look once, at the
/// end.
class Mistake {
public:
  void note(const std::string &place, std::string_view what) {
    if (!failure_)
      failure_ = Failure{place + ": " + std::string(what)};
  }
  const std::optional<Failure> &failure() const { return failure_; }

private:
  std::optional<Failure> failure_;
};

class JsonReader {
public:
  /// Notes a mistake when `value` is no object or has a key that is not among `known`.
  JsonReader(const Json &value, std::string place, std::initializer_list<std::string_view> known,
             Mistake &mistake);

  bool has(std::string_view key) const;
  /// The value, or null; a mistake when it is missing.
  const Json &required(std::string_view key);
  /// An array; an empty one, and a mistake, where it is something else or missing.
  const Json &array(std::string_view key);

  std::string text(std::string_view key);
  std::string text(std::string_view key, std::string_view otherwise);
  uint64_t count(std::string_view key, uint64_t largest);
  uint64_t count(std::string_view key, uint64_t largest, uint64_t otherwise);
  int64_t integer(std::string_view key);
  double number(std::string_view key);
  double number(std::string_view key, double otherwise);
  bool flag(std::string_view key, bool otherwise);

  std::string placeOf(std::string_view key) const { return place_ + "." + std::string(key); }
  void mistake(std::string_view key, std::string_view what) { mistake_.note(placeOf(key), what); }
  Mistake &mistakes() { return mistake_; }

private:
  const Json *find(std::string_view key) const;

  const Json &value_;
  std::string place_;
  Mistake &mistake_;
};

} // namespace warpwright::runner
