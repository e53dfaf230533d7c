#pragma once

#include "analysis/Finding.h"
#include "feedback/Measurement.h"
#include "feedback/Prediction.h"
#include "feedback/Profile.h"
#include "feedback/rules/Diagnosis.h"
#include "rewriters/Candidate.h"
#include "rewriters/edits/Dispatch.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// One candidate and everything the stages said of it, in their order.
struct CandidateRecord {
  Candidate candidate;
  std::vector<Verdict> verdicts;
  std::vector<Prediction> predictions;       ///< one an architecture; empty where it did not get that far
  std::optional<size_t> base = std::nullopt; ///< the candidate of this kernel that it goes on from
  bool chosen = false;
};

/// What a device says is faster on some shapes and slower on others.
struct ConditionalGain {
  std::string candidate;
  std::string guard;  ///< that separates them; empty: none was found, or there can be no choice
  std::string whyNot; ///< why it is not built under the guard; empty where nothing speaks against it
  std::vector<std::string> faster; ///< shapes
  std::vector<std::string> slower;
};

/// The original or a candidate under the profiler, on one shape, and what rules say of it.
struct ReadProfileRecord {
  Profile profile;
  ProfileReading reading;
};

/// What became of one kernel.
struct KernelRecord {
  std::string key;
  std::string name;
  Place place;
  bool annotated = false;
  Dispatch dispatch;      ///< whether variants can be chosen on the host
  std::string launchNote; ///< what was supposed of its launch, or taken from the file's launches
  std::vector<Finding> findings;
  std::vector<Decline> declines; ///< rewriters that looked and left it alone
  std::vector<CandidateRecord> candidates;
  std::vector<Prediction> before;        ///< one an architecture
  std::vector<Prediction> after;         ///< of the chosen edits; equal to `before` where the original stays
  std::string choice;                    ///< "original" or the ids of the chosen rewriters
  std::string reason;                    ///< why
  bool isLocked = false;                 ///< the choice was taken from a lock, and nothing is left to judge
  std::vector<Measurement> measurements; ///< of everything that was measured, each beside the original
  std::vector<ConditionalGain> conditional;
  std::vector<ReadProfileRecord>
      profiles; ///< in the order taken, the original's first; none without a device
};

/// A sentence for the user about a file or a kernel, in LLVM's terms: passed, missed, analysis.
struct Remark {
  enum class Kind { Passed, Missed, Analysis };
  Kind kind = Kind::Analysis;
  std::string id;
  Place place;
  std::string message;
};

/// The evidence of one file.
struct FileRecord {
  std::string file;
  std::string mode;
  std::vector<std::string> architectures;
  std::vector<KernelRecord> kernels;
  std::vector<Remark> remarks;
};

/// Whether something that was to be done could not be.
bool hasMissed(const FileRecord &record);

/// A `warpwright/evidence/1` document.
nlohmann::ordered_json toJson(const FileRecord &record);

} // namespace warpwright
