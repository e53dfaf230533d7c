#include "feedback/evaluators/cuda/runner/JsonReader.h"

#include <algorithm>

namespace warpwright::runner {
namespace {
const Json &null() {
  static const Json value;
  return value;
}
const Json &empty() {
  static const Json value = Json::array();
  return value;
}
} // namespace

JsonReader::JsonReader(const Json &value, std::string place, std::initializer_list<std::string_view> known,
                       Mistake &mistake)
    : value_(value), place_(std::move(place)), mistake_(mistake) {
  if (!value.is_object())
    mistake_.note(place_, "is no object");
  else
    for (const auto &[key, unused] : value.items())
      if (std::find(known.begin(), known.end(), key) == known.end())
        mistake_.note(place_, "unknown key '" + key + "'");
}

const Json *JsonReader::find(std::string_view key) const {
  if (!value_.is_object())
    return nullptr;
  auto found = value_.find(std::string(key));
  return found == value_.end() ? nullptr : &*found;
}

bool JsonReader::has(std::string_view key) const {
  return find(key) != nullptr;
}

const Json &JsonReader::required(std::string_view key) {
  if (const Json *value = find(key))
    return *value;
  mistake(key, "is missing");
  return null();
}

const Json &JsonReader::array(std::string_view key) {
  const Json &value = required(key);
  if (value.is_array())
    return value;
  mistake(key, "is no array");
  return empty();
}

std::string JsonReader::text(std::string_view key) {
  const Json &value = required(key);
  if (value.is_string())
    return value.get<std::string>();
  mistake(key, "is no string");
  return "";
}

std::string JsonReader::text(std::string_view key, std::string_view otherwise) {
  return has(key) ? text(key) : std::string(otherwise);
}

uint64_t JsonReader::count(std::string_view key, uint64_t largest) {
  const Json &value = required(key);
  bool natural = value.is_number_unsigned() || (value.is_number_integer() && value.get<int64_t>() >= 0);
  if (!natural) {
    mistake(key, "is no integer of at least 0");
    return 0;
  }
  auto number = value.get<uint64_t>();
  if (number <= largest)
    return number;
  mistake(key, "is beyond " + std::to_string(largest));
  return 0;
}

uint64_t JsonReader::count(std::string_view key, uint64_t largest, uint64_t otherwise) {
  return has(key) ? count(key, largest) : otherwise;
}

int64_t JsonReader::integer(std::string_view key) {
  const Json &value = required(key);
  if (value.is_number_integer())
    return value.get<int64_t>();
  mistake(key, "is no integer");
  return 0;
}

double JsonReader::number(std::string_view key) {
  const Json &value = required(key);
  if (value.is_number())
    return value.get<double>();
  mistake(key, "is no number");
  return 0;
}

double JsonReader::number(std::string_view key, double otherwise) {
  return has(key) ? number(key) : otherwise;
}

bool JsonReader::flag(std::string_view key, bool otherwise) {
  if (!has(key))
    return otherwise;
  const Json &value = required(key);
  if (value.is_boolean())
    return value.get<bool>();
  mistake(key, "is neither true nor false");
  return otherwise;
}

} // namespace warpwright::runner
