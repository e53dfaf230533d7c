#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>
#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// Samples of a source line: how often a warp was found there, by what it waited for.
struct ProfiledLine {
  std::string file;
  unsigned line = 0;
  std::map<std::string, uint64_t> stalls; ///< samples by reason, "selected" (it issued) among them

  uint64_t samples() const;
};

/// One kernel launch under the profiler.
struct LaunchProfile {
  std::string symbol;
  std::array<uint32_t, 3> grid = {1, 1, 1};
  std::array<uint32_t, 3> block = {1, 1, 1};
  unsigned registers = 0;   ///< a thread
  uint64_t sharedBytes = 0; ///< a block, static and dynamic
  uint64_t localBytes = 0;  ///< a thread
  /// By the ids of runner/Counters.def; what could not be had is missing.
  std::map<std::string, double> counters;
  /// Warp cycles by what the warp waited for: the hardware counts every cycle of every warp, no samples.
  std::map<std::string, double> stalls;
  std::vector<ProfiledLine> lines; ///< the busiest first; empty without samples or line tables

  std::optional<double> counter(llvm::StringRef id) const;
  /// 0..1 of all warp cycles; 0 where stalls are not known.
  double stallShare(llvm::StringRef reason) const;
  uint64_t threads() const;
  uint64_t blocks() const;
  unsigned threadsPerBlock() const;
};

/// Whether one half of a profile could be had.
struct ProfileState {
  bool collected = false;
  std::string why; ///< it could not: the profiler's own error name, or what is missing; empty where collected
};

/// A launch plan under the profiler, on one shape: what `warpwright/profile/1` holds.
struct Profile {
  std::string code;  ///< "original", or the candidate's name
  std::string shape; ///< label
  std::string device;
  std::string architecture; ///< "sm_90"
  ProfileState counters;
  unsigned passes = 0; ///< runs of each kernel that the counters took
  ProfileState samples;
  std::vector<LaunchProfile> launches; ///< in the plan's order
  std::vector<std::string> notes;
};

/// An error names the place in the document.
llvm::Expected<Profile> readProfile(const nlohmann::ordered_json &document);

/// What a `warpwright/result/1` document has of profiles.
struct ProfiledResult {
  std::vector<Profile> profiles; ///< of all shapes
  std::string reason;            ///< of the result's verdict: why there are none, where there are none
};

/// An error is a document that is not one.
llvm::Expected<ProfiledResult> readProfiles(const nlohmann::ordered_json &result);

/// A `warpwright/profile/1` document.
nlohmann::ordered_json toJson(const Profile &profile);

} // namespace warpwright
