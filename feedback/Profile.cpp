#include "feedback/Profile.h"

#include "feedback/ResultDocument.h"

#include <nlohmann/json.hpp>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;
using runner::JsonReader;

constexpr uint64_t anyCount = UINT64_MAX;

template <typename Number>
std::map<std::string, Number> readNumbers(JsonReader &reader, std::string_view key,
                                          runner::Mistake &mistake) {
  std::map<std::string, Number> numbers;
  if (!reader.has(key))
    return numbers;
  const Json &object = reader.required(key);
  if (!object.is_object())
    mistake.note(reader.placeOf(key), "is no object");
  for (const auto &[name, value] : object.items()) {
    if (value.is_number())
      numbers[name] = value.template get<Number>();
    else
      mistake.note(reader.placeOf(key), "'" + name + "' is no number");
  }
  return numbers;
}

ProfileState readState(const Json &value, const std::string &place, runner::Mistake &mistake,
                       unsigned *passes) {
  JsonReader reader(value, place, {"state", "why", "passes", "period_cycles", "total", "dropped"}, mistake);
  ProfileState state;
  state.collected = reader.text("state") == "collected";
  state.why = reader.text("why", "");
  if (passes)
    *passes = reader.count("passes", anyCount, 0);
  return state;
}

std::array<uint32_t, 3> readExtents(JsonReader &reader, std::string_view key, runner::Mistake &mistake) {
  std::array<uint32_t, 3> extents = {1, 1, 1};
  const Json &values = reader.array(key);
  for (size_t i = 0; i < values.size() && i < extents.size(); ++i) {
    if (values[i].is_number_unsigned())
      extents[i] = values[i].get<uint32_t>();
    else
      mistake.note(reader.placeOf(key), "has one that is no number");
  }
  return extents;
}

LaunchProfile readLaunch(const Json &value, const std::string &place, runner::Mistake &mistake) {
  JsonReader reader(
      value, place,
      {"symbol", "grid", "block", "registers", "shared_bytes", "local_bytes", "counters", "stalls", "lines"},
      mistake);
  LaunchProfile launch;
  launch.symbol = reader.text("symbol");
  launch.grid = readExtents(reader, "grid", mistake);
  launch.block = readExtents(reader, "block", mistake);
  launch.registers = reader.count("registers", anyCount, 0);
  launch.sharedBytes = reader.count("shared_bytes", anyCount, 0);
  launch.localBytes = reader.count("local_bytes", anyCount, 0);
  launch.counters = readNumbers<double>(reader, "counters", mistake);
  launch.stalls = readNumbers<double>(reader, "stalls", mistake);
  if (!reader.has("lines"))
    return launch;
  for (const Json &part : reader.array("lines")) {
    JsonReader line(part, reader.placeOf("lines") + "[" + std::to_string(launch.lines.size()) + "]",
                    {"file", "line", "stalls"}, mistake);
    launch.lines.push_back({line.text("file"), unsigned(line.count("line", UINT32_MAX)),
                            readNumbers<uint64_t>(line, "stalls", mistake)});
  }
  return launch;
}

Json toJson(const ProfileState &state) {
  Json value = {{"state", state.collected ? "collected" : "missing"}};
  if (!state.why.empty())
    value["why"] = state.why;
  return value;
}

Json toJson(const LaunchProfile &launch) {
  Json value = {{"symbol", launch.symbol},
                {"grid", launch.grid},
                {"block", launch.block},
                {"registers", launch.registers},
                {"shared_bytes", launch.sharedBytes},
                {"local_bytes", launch.localBytes},
                {"counters", Json::object()},
                {"stalls", Json::object()},
                {"lines", Json::array()}};
  for (const auto &[name, number] : launch.counters)
    value["counters"][name] = number;
  for (const auto &[name, number] : launch.stalls)
    value["stalls"][name] = number;
  for (const ProfiledLine &line : launch.lines) {
    Json stalls = Json::object();
    for (const auto &[name, number] : line.stalls)
      stalls[name] = number;
    value["lines"].push_back({{"file", line.file}, {"line", line.line}, {"stalls", std::move(stalls)}});
  }
  return value;
}

} // namespace

uint64_t ProfiledLine::samples() const {
  uint64_t sum = 0;
  for (const auto &[reason, count] : stalls)
    sum += count;
  return sum;
}

std::optional<double> LaunchProfile::counter(llvm::StringRef id) const {
  auto found = counters.find(id.str());
  return found == counters.end() ? std::nullopt : std::optional(found->second);
}

double LaunchProfile::stallShare(llvm::StringRef reason) const {
  double all = 0;
  for (const auto &[name, cycles] : stalls)
    all += cycles;
  auto found = stalls.find(reason.str());
  return found == stalls.end() || all <= 0 ? 0 : found->second / all;
}

unsigned LaunchProfile::threadsPerBlock() const {
  return block[0] * block[1] * block[2];
}

uint64_t LaunchProfile::blocks() const {
  return uint64_t(grid[0]) * grid[1] * grid[2];
}

uint64_t LaunchProfile::threads() const {
  return blocks() * threadsPerBlock();
}

llvm::Expected<Profile> readProfile(const Json &document) {
  runner::Mistake mistake;
  JsonReader reader(
      document, "profile",
      {"schema", "code", "shape", "device", "architecture", "counters", "samples", "launches", "notes"},
      mistake);
  if (reader.text("schema") != "warpwright/profile/1")
    reader.mistake("schema", "is not warpwright/profile/1");
  Profile profile;
  profile.code = reader.text("code");
  profile.shape = reader.text("shape");
  profile.device = reader.text("device");
  profile.architecture = reader.text("architecture");
  profile.counters =
      readState(reader.required("counters"), reader.placeOf("counters"), mistake, &profile.passes);
  profile.samples = readState(reader.required("samples"), reader.placeOf("samples"), mistake, nullptr);
  for (const Json &launch : reader.array("launches"))
    profile.launches.push_back(
        readLaunch(launch, "profile.launches[" + std::to_string(profile.launches.size()) + "]", mistake));
  for (const Json &note : reader.array("notes"))
    if (note.is_string())
      profile.notes.push_back(note.get<std::string>());
  if (mistake.failure())
    return llvm::createStringError(mistake.failure()->text);
  return profile;
}

llvm::Expected<ProfiledResult> readProfiles(const Json &result) {
  runner::Mistake mistake;
  JsonReader reader = readResultDocument(result, mistake);
  ProfiledResult profiled;
  profiled.reason = reader.text("reason");
  for (const Json &shape : reader.array("shapes")) {
    auto documents = shape.is_object() ? shape.find("profiles") : shape.end();
    if (documents == shape.end() || !documents->is_array())
      continue;
    for (const Json &document : *documents) {
      llvm::Expected<Profile> profile = readProfile(document);
      if (!profile)
        return profile.takeError();
      profiled.profiles.push_back(std::move(*profile));
    }
  }
  if (mistake.failure())
    return llvm::createStringError(mistake.failure()->text);
  return profiled;
}

Json toJson(const Profile &profile) {
  Json value = {{"schema", "warpwright/profile/1"},
                {"code", profile.code},
                {"shape", profile.shape},
                {"device", profile.device},
                {"architecture", profile.architecture},
                {"counters", toJson(profile.counters)},
                {"samples", toJson(profile.samples)},
                {"launches", Json::array()},
                {"notes", profile.notes}};
  value["counters"]["passes"] = profile.passes;
  for (const LaunchProfile &launch : profile.launches)
    value["launches"].push_back(toJson(launch));
  return value;
}

} // namespace warpwright
