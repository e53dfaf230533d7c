#include "feedback/rules/ReadProfile.h"

#include "feedback/Calibration.h"
#include "feedback/rules/FeedbackRules.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/Path.h>

#include <tuple>

namespace warpwright {
namespace {

/// What explains less is noise.
constexpr double smallestShare = 0.02;
/// A bottleneck that leads must explain at least this much of the time.
constexpr double smallestBottleneck = 0.1;
/// What a reading is worth without the line it is about, and where static analysis says otherwise.
constexpr double withoutLine = 0.9;
constexpr double contradicted = 0.5;

/// The launch that takes longest: a plan's other launches are its helpers.
const LaunchProfile *mainLaunch(const Profile &profile) {
  const LaunchProfile *longest = nullptr;
  for (const LaunchProfile &launch : profile.launches)
    if (!longest || launch.counter("duration_ns").value_or(0) > longest->counter("duration_ns").value_or(0))
      longest = &launch;
  return longest;
}

/// The line with most samples of the match's stalls.
Place busiestLine(const LaunchProfile &launch, const RuleMatch &match) {
  Place place;
  uint64_t most = 0;
  for (const ProfiledLine &line : launch.lines) {
    uint64_t samples = 0;
    for (const std::string &stall : match.stalls)
      if (auto found = line.stalls.find(stall); found != line.stalls.end())
        samples += found->second;
    if (samples > most) {
      most = samples;
      place = {line.file, line.line, 1};
    }
  }
  return place;
}

bool onSameLine(const Place &left, const Place &right) {
  return left.line == right.line &&
         llvm::sys::path::filename(left.file) == llvm::sys::path::filename(right.file);
}

bool speaksOf(const FeedbackRule &rule, llvm::StringRef finding) {
  llvm::SmallVector<llvm::StringRef> ids;
  rule.findings.split(ids, ' ', -1, /*KeepEmpty=*/false);
  return llvm::is_contained(ids, finding);
}

/// Findings that the counters can refute: what they are about was counted, and was not there.
std::string refutation(const Finding &finding, const LaunchReading &reading) {
  auto counted = [&](const char *id) { return reading.launch().counter(id) && reading.value(id) > 0; };
  auto known = [&](const char *id) { return reading.launch().counter(id).has_value(); };
  std::string line = "line " + std::to_string(finding.place.line) + ": '" + finding.id + "' was found, but ";
  if (finding.id == "bank-conflict" && known("shared_conflicts") && !counted("shared_conflicts"))
    return line + "no conflict was counted";
  if (finding.id == "register-spill" && known("local_load_sectors") && !counted("local_load_sectors") &&
      !counted("local_store_sectors"))
    return line + "nothing went through local memory";
  if (finding.id == "serialised-atomics" && known("global_reductions") && !counted("global_reductions") &&
      !counted("global_atomics") && !counted("shared_atomics"))
    return line + "no atomic operation was counted";
  return {};
}

Diagnosis diagnosisOf(const FeedbackRule &rule, RuleMatch match, const LaunchReading &reading,
                      llvm::ArrayRef<Finding> findings) {
  Diagnosis diagnosis;
  diagnosis.bottleneck = rule.bottleneck;
  diagnosis.rule = rule.id.str();
  diagnosis.share = match.share;
  diagnosis.confidence = match.confidence;
  diagnosis.place = busiestLine(reading.launch(), match);
  diagnosis.message = std::move(match.message);
  diagnosis.evidence = std::move(match.evidence);
  diagnosis.structuralAdvice = rule.structuralAdvice.str();
  diagnosis.parameterAdvice = rule.parameterAdvice.str();
  if (!diagnosis.place.known() && !match.stalls.empty())
    diagnosis.confidence *= withoutLine;
  for (const Finding &finding : findings) {
    if (!speaksOf(rule, finding.id))
      continue;
    std::string refuted = refutation(finding, reading);
    if (!refuted.empty())
      diagnosis.differs.push_back(std::move(refuted));
    else if ((!diagnosis.place.known() || onSameLine(finding.place, diagnosis.place)) &&
             !llvm::is_contained(diagnosis.agrees, finding.id))
      diagnosis.agrees.push_back(finding.id);
  }
  if (!diagnosis.differs.empty())
    diagnosis.confidence *= contradicted;
  return diagnosis;
}

} // namespace

ProfileReading diagnose(const Profile &profile, llvm::ArrayRef<Finding> findings,
                        const Calibration *calibration) {
  ProfileReading result;
  result.code = profile.code;
  result.shape = profile.shape;
  if (!profile.samples.collected)
    result.notes.push_back("no samples of source lines: " + profile.samples.why);
  const LaunchProfile *launch = mainLaunch(profile);
  if (!profile.counters.collected || !launch) {
    result.notes.push_back("no counters, so no bottleneck is named: " + profile.counters.why);
    return result;
  }
  LaunchReading reading(*launch, profile.architecture);
  for (const FeedbackRule &rule : feedbackRules()) {
    std::optional<RuleMatch> match = rule.read(reading);
    if (!match)
      continue;
    Diagnosis diagnosis = diagnosisOf(rule, std::move(*match), reading, findings);
    if (calibration)
      diagnosis.confidence = calibration->confidence(rule.id, profile.architecture, diagnosis.confidence);
    if (diagnosis.share >= smallestShare || !diagnosis.differs.empty())
      result.diagnoses.push_back(std::move(diagnosis));
  }
  llvm::sort(result.diagnoses, [](const Diagnosis &left, const Diagnosis &right) {
    return std::tie(right.share, left.rule) < std::tie(left.share, right.rule);
  });
  auto leading = [&](size_t rank) -> std::optional<Bottleneck> {
    if (rank >= result.diagnoses.size() || result.diagnoses[rank].share < smallestBottleneck)
      return std::nullopt;
    return result.diagnoses[rank].bottleneck;
  };
  result.primary = leading(0);
  result.secondary = leading(1);
  return result;
}

void printReading(const ProfileReading &reading, llvm::raw_ostream &stream) {
  constexpr double worthATenth = 0.1;
  stream << reading.code << ", " << reading.shape << ": "
         << (reading.primary ? toString(*reading.primary) : "no bottleneck is named");
  if (reading.secondary)
    stream << ", then " << toString(*reading.secondary);
  stream << '\n';
  for (const Diagnosis &diagnosis : reading.diagnoses) {
    if (diagnosis.share < worthATenth && diagnosis.differs.empty())
      continue;
    stream << llvm::formatv("  {0,4:P0} {1}: {2}", diagnosis.share, toString(diagnosis.bottleneck),
                            diagnosis.message);
    if (diagnosis.place.known())
      stream << " (" << llvm::sys::path::filename(diagnosis.place.file) << ':' << diagnosis.place.line << ')';
    stream << llvm::formatv(" [{0}, confidence {1:F2}]\n", diagnosis.rule, diagnosis.confidence);
    if (!diagnosis.agrees.empty())
      stream << "       found in the code, too: " << llvm::join(diagnosis.agrees, ", ") << '\n';
    for (const std::string &difference : diagnosis.differs)
      stream << "       but " << difference << '\n';
    if (!diagnosis.structuralAdvice.empty())
      stream << "       structure: " << diagnosis.structuralAdvice << '\n';
    if (!diagnosis.parameterAdvice.empty())
      stream << "       parameters: " << diagnosis.parameterAdvice << '\n';
  }
  for (const std::string &note : reading.notes)
    stream << "  " << note << '\n';
}

} // namespace warpwright
