#include "feedback/evaluators/cuda/runner/PlanReader.h"

#include <cstring>

namespace warpwright::runner {
namespace {

constexpr uint64_t largestWord = UINT32_MAX;
constexpr uint64_t largestBytes = uint64_t(1) << 46;
constexpr uint64_t addressBytes = 8;

/// What plans may refer to, by name.
struct Names {
  const std::vector<Buffer> &buffers;
  const std::vector<Scratch> &scratch;

  std::optional<uint64_t> bytesOf(const std::string &name) const {
    for (const Buffer &buffer : buffers)
      if (buffer.name == name)
        return buffer.bytes();
    for (const Scratch &part : scratch)
      if (part.name == name)
        return part.bytes;
    return std::nullopt;
  }
};

BufferReference reference(JsonReader &reader, const Names &names) {
  BufferReference reference;
  reference.buffer = reader.text("buffer");
  reference.offset = reader.count("offset", largestBytes, 0);
  std::optional<uint64_t> bytes = names.bytesOf(reference.buffer);
  if (!bytes)
    reader.mistake("buffer", "there is no buffer '" + reference.buffer + "'");
  else if (reference.offset > *bytes)
    reader.mistake("offset", "lies beyond '" + reference.buffer + "'");
  return reference;
}

std::array<uint32_t, 3> extents(JsonReader &reader, std::string_view key) {
  std::array<uint32_t, 3> extents = {1, 1, 1};
  const Json &value = reader.array(key);
  if (value.empty() || value.size() > 3)
    reader.mistake(key, "has not one to three extents");
  for (size_t i = 0; i < value.size() && i < 3; ++i) {
    if (value[i].is_number_integer() && value[i].get<int64_t>() >= 1 && value[i].get<int64_t>() <= INT32_MAX)
      extents[i] = value[i].get<uint32_t>();
    else
      reader.mistake(key, "has an extent that is no positive integer");
  }
  return extents;
}

LaunchAttributes attributes(const Json &value, const std::string &place, const Names &names,
                            Mistake &mistake) {
  JsonReader reader(value, place,
                    {"max_dynamic_shared_bytes", "shared_carveout", "cluster", "non_portable_cluster",
                     "cooperative", "programmatic_serialization", "persisting"},
                    mistake);
  LaunchAttributes attributes;
  if (reader.has("max_dynamic_shared_bytes"))
    attributes.maxDynamicSharedBytes = reader.count("max_dynamic_shared_bytes", largestWord);
  if (reader.has("shared_carveout"))
    attributes.preferredSharedCarveout = reader.count("shared_carveout", 100);
  if (reader.has("cluster"))
    attributes.cluster = extents(reader, "cluster");
  attributes.nonPortableCluster = reader.flag("non_portable_cluster", false);
  attributes.cooperative = reader.flag("cooperative", false);
  attributes.programmaticSerialization = reader.flag("programmatic_serialization", false);
  if (reader.has("persisting")) {
    JsonReader window(reader.required("persisting"), reader.placeOf("persisting"),
                      {"buffer", "offset", "bytes", "hit_ratio"}, mistake);
    LaunchAttributes::Persisting &persisting = attributes.persisting.emplace();
    persisting.base = reference(window, names);
    persisting.bytes = window.count("bytes", largestBytes);
    persisting.hitRatio = window.number("hit_ratio", 1);
  }
  return attributes;
}

std::string bytesOfHexadecimal(JsonReader &reader) {
  std::string text = reader.text("bytes"), bytes;
  if (text.size() % 2 || text.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
    reader.mistake("bytes", "is not pairs of hexadecimal digits");
  for (size_t i = 0; i + 1 < text.size(); i += 2)
    bytes.push_back(static_cast<char>(std::strtoul(text.substr(i, 2).c_str(), nullptr, 16)));
  return bytes;
}

std::string bytesOfScalar(JsonReader &reader) {
  std::string name = reader.text("type");
  std::optional<values::ElementType> type = values::parseElementType(name);
  if (!type) {
    reader.mistake("type", "there is no type '" + name + "'");
    return "";
  }
  const Json &value = reader.required("value");
  std::string bytes(values::sizeOf(*type), '\0');
  if (values::isFloating(*type)) {
    values::storeElement(*type, bytes.data(), 0, reader.number("value"));
    return bytes;
  }
  if (value.is_boolean()) {
    bytes[0] = value.get<bool>();
    return bytes;
  }
  // As two's complement of 64 bits, so that integers beyond 2^53 stay what they are; cut to the type's width,
  // which is how the launch's own conversion would treat them.
  uint64_t bits =
      value.is_number_unsigned() ? value.get<uint64_t>() : static_cast<uint64_t>(reader.integer("value"));
  std::memcpy(bytes.data(), &bits, bytes.size());
  return bytes;
}

Argument argument(const Json &value, const std::string &place, const Names &names, Mistake &mistake) {
  JsonReader reader(value, place, {"name", "buffer", "offset", "type", "value", "bytes", "addresses"},
                    mistake);
  Argument argument;
  argument.name = reader.text("name");
  if (reader.has("buffer")) {
    argument.references.push_back(reference(reader, names));
    argument.bytes.assign(addressBytes, '\0');
  } else if (reader.has("bytes")) {
    argument.bytes = bytesOfHexadecimal(reader);
  } else {
    argument.bytes = bytesOfScalar(reader);
  }
  if (!reader.has("addresses"))
    return argument;
  for (const Json &part : reader.array("addresses")) {
    JsonReader address(part, reader.placeOf("addresses"), {"at", "buffer", "offset"}, mistake);
    BufferReference target = reference(address, names);
    target.at = address.count("at", largestWord);
    if (target.at + addressBytes > argument.bytes.size())
      address.mistake("at", "an address does not fit there");
    argument.references.push_back(target);
  }
  return argument;
}

KernelLaunch launch(const Json &value, const std::string &place, const Names &names, Mistake &mistake) {
  JsonReader reader(value, place,
                    {"symbol", "grid", "block", "dynamic_shared_bytes", "stream", "attributes", "arguments"},
                    mistake);
  KernelLaunch launch;
  launch.symbol = reader.text("symbol");
  launch.grid = extents(reader, "grid");
  launch.block = extents(reader, "block");
  launch.dynamicSharedBytes = reader.count("dynamic_shared_bytes", largestWord, 0);
  launch.stream = reader.count("stream", 7, 0);
  if (reader.has("attributes"))
    launch.attributes =
        attributes(reader.required("attributes"), reader.placeOf("attributes"), names, mistake);
  for (const Json &part : reader.array("arguments"))
    launch.arguments.push_back(argument(part, reader.placeOf("arguments"), names, mistake));
  return launch;
}

Fill fill(const Json &value, const std::string &place, const Names &names, Mistake &mistake) {
  JsonReader reader(value, place, {"buffer", "offset", "bytes", "value"}, mistake);
  Fill fill;
  fill.start = reference(reader, names);
  fill.bytes = reader.count("bytes", largestBytes);
  fill.value = reader.count("value", 255, 0);
  std::optional<uint64_t> bytes = names.bytesOf(fill.start.buffer);
  if (bytes && fill.start.offset + fill.bytes > *bytes)
    reader.mistake("bytes", "leave '" + fill.start.buffer + "'");
  return fill;
}

} // namespace

Plan readPlan(const Json &value, const std::string &place, const std::vector<Buffer> &buffers,
              Mistake &mistake) {
  JsonReader reader(value, place, {"scratch", "steps"}, mistake);
  Plan plan;
  if (reader.has("scratch"))
    for (const Json &part : reader.array("scratch")) {
      JsonReader scratch(part, reader.placeOf("scratch"), {"name", "bytes"}, mistake);
      std::string name = scratch.text("name");
      if (Names{buffers, plan.scratch}.bytesOf(name))
        scratch.mistake("name", "there are two buffers '" + name + "'");
      plan.scratch.push_back({name, scratch.count("bytes", largestBytes)});
    }
  Names names{buffers, plan.scratch};
  for (const Json &part : reader.array("steps")) {
    std::string where = reader.placeOf("steps") + "[" + std::to_string(plan.steps.size()) + "]";
    JsonReader step(part, where, {"launch", "fill"}, mistake);
    if (step.has("launch") == step.has("fill"))
      mistake.note(where, "is neither one launch nor one fill");
    else if (step.has("launch"))
      plan.steps.push_back(
          {launch(step.required("launch"), where + ".launch", names, mistake), std::nullopt});
    else
      plan.steps.push_back({std::nullopt, fill(step.required("fill"), where + ".fill", names, mistake)});
  }
  if (plan.steps.empty())
    reader.mistake("steps", "is empty");
  return plan;
}

} // namespace warpwright::runner
