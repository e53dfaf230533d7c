#include "clang_plugin/TuningProfiles.h"

#include "feedback/rules/ReadProfile.h"

#include <llvm/ADT/STLExtras.h>

#include <numeric>

namespace warpwright {

llvm::Error TuningProfiles::takeOriginal() {
  std::vector<size_t> shapes(tuning_.measured().shapes.size());
  std::iota(shapes.begin(), shapes.end(), 0);
  return take({}, shapes);
}

llvm::Error TuningProfiles::takeLeading(size_t most) {
  for (const UnitSet &set : leadingSets(tuning_.kernel().measured, most))
    if (llvm::Error error = take({set, {}}, {0}))
      return error;
  return llvm::Error::success();
}

llvm::Expected<const ProfileReading *> TuningProfiles::readingOf(const GuardedSet &set, size_t shape) {
  if (llvm::Error error = take(set, shape))
    return std::move(error);
  return known(set, shape);
}

llvm::Expected<std::vector<Bottleneck>> TuningProfiles::bottlenecksOf(const GuardedSet &set) {
  llvm::Expected<const ProfileReading *> reading = readingOf(set);
  if (!reading)
    return reading.takeError();
  std::vector<Bottleneck> bottlenecks;
  if (*reading)
    for (std::optional<Bottleneck> bottleneck : {(*reading)->primary, (*reading)->secondary})
      if (bottleneck)
        bottlenecks.push_back(*bottleneck);
  return bottlenecks;
}

const ProfileReading *TuningProfiles::known(const GuardedSet &set, size_t shape) const {
  auto found = taken_.find({set, shape});
  return found == taken_.end() ? nullptr : &record_.profiles[found->second].reading;
}

llvm::Error TuningProfiles::take(const GuardedSet &set, llvm::ArrayRef<size_t> shapes) {
  std::vector<size_t> wanted;
  llvm::copy_if(shapes, std::back_inserter(wanted), [&](size_t shape) { return !known(set, shape); });
  if (wanted.empty() || !hasCounters_)
    return llvm::Error::success();
  llvm::Expected<std::optional<std::vector<Profile>>> profiles = tuning_.profile(set, wanted);
  if (!profiles)
    return profiles.takeError();
  if (!*profiles)
    return llvm::Error::success();
  // What rules of the source found, they found in the original.
  const std::vector<Finding> none;
  const std::vector<Finding> &findings = set.set.empty() ? record_.findings : none;
  for (size_t i = 0; i < (*profiles)->size(); ++i) {
    Profile &profile = (**profiles)[i];
    ProfileReading reading = diagnose(profile, findings, calibration_);
    hasCounters_ = hasCounters_ && profile.counters.collected;
    taken_[{set, wanted[i]}] = record_.profiles.size();
    record_.profiles.push_back({std::move(profile), std::move(reading)});
  }
  return llvm::Error::success();
}

} // namespace warpwright
