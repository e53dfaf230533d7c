#include "analysis/Launch.h"

#include <nlohmann/json.hpp>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;

llvm::Error fail(size_t index, const llvm::Twine &message) {
  return llvm::createStringError("launch " + llvm::Twine(index) + ": " + message);
}

llvm::Expected<Dim3> parseDim3(const Json &value, size_t index, const char *key) {
  if (!value.is_array() || value.empty() || value.size() > 3)
    return fail(index, llvm::Twine("'") + key + "' must be an array of one to three extents");
  uint64_t extents[3] = {1, 1, 1};
  for (size_t i = 0; i < value.size(); ++i) {
    if (!value[i].is_number_integer() || value[i].get<int64_t>() <= 0)
      return fail(index, llvm::Twine("'") + key + "' holds " + value[i].dump() + ", not a positive integer");
    extents[i] = value[i].get<uint64_t>();
  }
  return Dim3{extents[0], extents[1], extents[2]};
}

llvm::Error parseArguments(const Json &value, size_t index, Launch &launch) {
  if (!value.is_object())
    return fail(index, "'args' must be an object from parameter names to numbers");
  for (const auto &[name, argument] : value.items()) {
    if (argument.is_boolean())
      launch.arguments[name] = static_cast<int64_t>(argument.get<bool>());
    else if (argument.is_number_integer())
      launch.arguments[name] = argument.get<int64_t>();
    else if (argument.is_number())
      launch.arguments[name] = argument.get<double>();
    else
      return fail(index, "argument '" + name + "' is " + argument.dump() + ", not a number");
  }
  return llvm::Error::success();
}

llvm::Error parseBuffer(const std::string &name, const Json &value, size_t index, Launch &launch) {
  if (!value.is_object() || !value.contains("elements"))
    return fail(index, "buffer '" + name + "' must be an object with 'elements'");
  LaunchBuffer &buffer = launch.buffers[name];
  for (const auto &[key, member] : value.items()) {
    auto wrong = [&](const char *expected) {
      return fail(index, "buffer '" + name + "': '" + key + "' must be " + expected);
    };
    bool isCount = member.is_number_integer() && member.get<int64_t>() >= 0;
    if (key == "elements") {
      if (!isCount)
        return wrong("an integer that is not negative");
      buffer.elements = member.get<uint64_t>();
    } else if (key == "misalignment") {
      if (!isCount || member.get<uint64_t>() >= 256)
        return wrong("an integer from 0 to 255");
      buffer.misalignment = member.get<unsigned>();
    } else if (key == "type" || key == "init") {
      if (!member.is_string())
        return wrong("a string");
      (key == "type" ? buffer.type : buffer.init) = member.get<std::string>();
    } else {
      return fail(index, "buffer '" + name + "': unknown key '" + key + "'");
    }
  }
  return llvm::Error::success();
}

llvm::Error parseBuffers(const Json &value, size_t index, Launch &launch) {
  if (!value.is_object())
    return fail(index, "'buffers' must be an object from parameter names to buffers");
  for (const auto &[name, buffer] : value.items())
    if (llvm::Error error = parseBuffer(name, buffer, index, launch))
      return error;
  return llvm::Error::success();
}

/// Keys that describe a launch for other readers (what was measured, a label) and say nothing of how it runs.
bool isCommentary(llvm::StringRef key) {
  return key == "kind" || key == "counters";
}

llvm::Error parseMember(const std::string &key, const Json &value, size_t index, Launch &launch) {
  if (key == "name") {
    if (!value.is_string())
      return fail(index, "'name' must be a string");
    launch.kernel = value.get<std::string>();
    return llvm::Error::success();
  }
  if (key == "grid" || key == "block") {
    llvm::Expected<Dim3> extents = parseDim3(value, index, key.c_str());
    if (!extents)
      return extents.takeError();
    (key == "grid" ? launch.grid : launch.block) = *extents;
    return llvm::Error::success();
  }
  if (key == "args")
    return parseArguments(value, index, launch);
  if (key == "buffers")
    return parseBuffers(value, index, launch);
  if (key == "dynamic_shared_bytes") {
    if (!value.is_number_integer() || value.get<int64_t>() < 0)
      return fail(index, "'dynamic_shared_bytes' must be an integer that is not negative");
    launch.dynamicSharedBytes = value.get<uint64_t>();
    return llvm::Error::success();
  }
  if (isCommentary(key))
    return llvm::Error::success();
  return fail(index, "unknown key '" + key + "'");
}

llvm::Expected<Launch> parseLaunch(const Json &value, size_t index) {
  if (!value.is_object())
    return fail(index, "is not an object");
  Launch launch;
  for (const auto &[key, member] : value.items())
    if (llvm::Error error = parseMember(key, member, index, launch))
      return std::move(error);
  if (launch.kernel.empty())
    return fail(index, "'name' is missing");
  if (!value.contains("grid") || !value.contains("block"))
    return fail(index, "'grid' and 'block' are both needed");
  return launch;
}

} // namespace

llvm::Expected<std::vector<Launch>> parseLaunches(const Json &document) {
  const Json *list = &document;
  if (document.is_object()) {
    auto found = document.find("launches");
    if (found == document.end())
      return llvm::createStringError("the object has no member 'launches'");
    list = &*found;
  }
  if (!list->is_array())
    return llvm::createStringError("launches must be an array");
  std::vector<Launch> launches;
  for (size_t i = 0; i < list->size(); ++i) {
    llvm::Expected<Launch> launch = parseLaunch((*list)[i], i);
    if (!launch)
      return launch.takeError();
    launches.push_back(std::move(*launch));
  }
  return launches;
}

} // namespace warpwright
