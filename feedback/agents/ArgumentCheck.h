#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace warpwright::agents {

/// What is wrong with a value under a schema of ours; empty where it fits. Knows the words that our tools'
/// schemas use: type, properties, required, additionalProperties, enum, maxLength, minimum, maximum.
std::string findMisfit(const nlohmann::ordered_json &value, const nlohmann::ordered_json &schema,
                       const std::string &where);

} // namespace warpwright::agents
