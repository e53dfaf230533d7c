#include "feedback/agents/ArgumentCheck.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright::agents {
namespace {

using Json = nlohmann::ordered_json;

bool isOfType(const Json &value, const std::string &type) {
  return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
         (type == "string" && value.is_string()) || (type == "integer" && value.is_number_integer()) ||
         (type == "number" && value.is_number()) || (type == "boolean" && value.is_boolean());
}

std::string findObjectMisfit(const Json &value, const Json &schema, const std::string &where) {
  const Json properties = schema.value("properties", Json::object());
  for (const Json &name : schema.value("required", Json::array()))
    if (!value.contains(name.get<std::string>()))
      return where + " lacks '" + name.get<std::string>() + "'";
  for (const auto &[key, entry] : value.items()) {
    auto property = properties.find(key);
    if (property == properties.end()) {
      if (schema.value("additionalProperties", true))
        continue;
      return where + " has '" + key.substr(0, 100) + "', which is not known";
    }
    if (std::string wrong = findMisfit(entry, *property, "'" + key + "'"); !wrong.empty())
      return wrong;
  }
  return {};
}

} // namespace

std::string findMisfit(const Json &value, const Json &schema, const std::string &where) {
  if (auto type = schema.find("type"); type != schema.end() && !isOfType(value, type->get<std::string>()))
    return where + " is no " + type->get<std::string>();
  if (auto choices = schema.find("enum"); choices != schema.end() && !llvm::is_contained(*choices, value))
    return where + " is none of " + choices->dump();
  if (auto most = schema.find("maxLength");
      most != schema.end() && value.is_string() && value.get_ref<const std::string &>().size() > *most)
    return where + " is longer than " + most->dump() + " bytes";
  if (value.is_number()) {
    auto least = schema.find("minimum"), most = schema.find("maximum");
    if ((least != schema.end() && value < *least) || (most != schema.end() && value > *most))
      return where + " is out of range";
  }
  return value.is_object() ? findObjectMisfit(value, schema, where) : std::string();
}

} // namespace warpwright::agents
