#include "clang_plugin/Tuner.h"

#include "clang_plugin/KernelTuning.h"
#include "clang_plugin/TuningProfiles.h"
#include "feedback/Calibrate.h"
#include "feedback/Choose.h"
#include "feedback/FirstLook.h"
#include "feedback/evaluators/cuda/BundleFolder.h"

#include <llvm/Support/raw_ostream.h>

#include <chrono>
#include <thread>

namespace warpwright {

/// One file on one architecture.
struct Tuner::Pass {
  const FileJob &job;
  const FileVersions &versions;
  CudaEvaluator &evaluator;
  size_t version = 0;
  MeasuredCode original; ///< the file as it is; compiled when the first kernel needs it
};

namespace {

/// The architecture that is measured; one of the same PTX where the command makes no machine code for it.
size_t versionFor(const FileVersions &versions, const NvccTarget &target) {
  size_t best = 0;
  for (size_t i = 0; i < versions.requests.size(); ++i) {
    const NvccTarget &known = versions.requests[i].target;
    if (known.architecture == target.architecture && known.virtualArchitecture == target.virtualArchitecture)
      return i;
    if (known.virtualArchitecture == target.virtualArchitecture)
      best = i;
  }
  return best;
}

void keepUnmeasured(KernelRecord &record, const std::string &reason) {
  record.choice = "original";
  record.reason = "not measured: " + reason;
}

/// The reason of a NotMeasurable; other errors pass on.
llvm::Error takeReason(llvm::Error error, std::string &reason) {
  return llvm::handleErrors(std::move(error), [&](const NotMeasurable &why) { reason = why.reason; });
}

} // namespace

Tuner::Tuner(BundleFolder &bundle) : place_(bundle), bundle_(&bundle) {}

void Tuner::onDevice(std::string device, std::string driver) {
  device_ = std::move(device);
  driver_ = std::move(driver);
}

llvm::Error Tuner::tune(const FileJob &job, const FileVersions &versions,
                        llvm::MutableArrayRef<KernelRecord> records) {
  llvm::Expected<CudaEvaluator> evaluator = CudaEvaluator::create(place_, job.invocation, job.toolkit);
  if (!evaluator) {
    std::string reason;
    if (llvm::Error error = takeReason(evaluator.takeError(), reason))
      return error;
    for (KernelRecord &record : records)
      if (record.annotated)
        keepUnmeasured(record, reason);
    return llvm::Error::success();
  }
  Pass pass = {job, versions, *evaluator, versionFor(versions, evaluator->target()), {}};
  size_t before = entries_.size();
  for (KernelRecord &record : records) {
    if (!record.annotated || record.isLocked)
      continue;
    std::string reason;
    if (llvm::Error error = takeReason(tuneKernel(pass, record), reason))
      return error;
    if (!reason.empty())
      keepUnmeasured(record, reason);
    else if (!record.measurements.empty() || !record.profiles.empty())
      learnFrom(pass, record);
  }
  agreeOnTemplates(records);
  // An entry says what is built: where instantiations do not agree, the original.
  for (LockEntry &entry : llvm::MutableArrayRef(entries_).drop_front(before))
    for (const KernelRecord &record : records)
      if (record.key == entry.kernel && record.choice == "original" && !entry.choice.empty()) {
        entry.choice.clear();
        entry.measured.clear();
        entry.reason = record.reason;
      }
  return llvm::Error::success();
}

void Tuner::learnFrom(const Pass &pass, const KernelRecord &record) {
  const KernelAnalysis &analysis = *pass.versions.of(record.key)[pass.version];
  const Architecture *architecture = findArchitecture(analysis.architecture);
  if (!figures_ && architecture)
    figures_ = DeviceFigures::typicalOf(*architecture);
  if (figures_)
    calibrations_.push_back(calibrate(record, analysis, *figures_));
}

LockEntry Tuner::conditionsFor(const Pass &pass, const KernelRecord &record) const {
  const KernelAnalysis &analysis = *pass.versions.of(record.key)[pass.version];
  LockConditions conditions =
      conditionsOf(pass.job, analysis, pass.evaluator.target(), pass.evaluator.environment().toolkit);
  LockEntry entry;
  entry.file = lock_ ? lock_->nameOf(pass.job) : pass.job.file;
  entry.kernel = record.key;
  entry.architecture = pass.evaluator.environment().architecture;
  entry.shapes = std::move(conditions.shapes);
  entry.tokens = std::move(conditions.tokens);
  entry.flags = std::move(conditions.flags);
  entry.toolkit = std::move(conditions.toolkit);
  entry.protocol = std::move(conditions.protocol);
  entry.device = device_;
  entry.driver = driver_;
  return entry;
}

/// Carried jobs are measured who knows where, so that device and driver do not count.
bool Tuner::isFresh(const LockEntry &entry, LockEntry conditions) const {
  LockConditions now = {std::move(conditions.shapes),
                        std::move(conditions.tokens),
                        std::move(conditions.flags),
                        std::move(conditions.toolkit),
                        std::move(conditions.protocol),
                        std::nullopt,
                        std::nullopt};
  if (!bundle_) {
    now.device = device_;
    now.driver = driver_;
  }
  return !whyStale(entry, now);
}

llvm::Error Tuner::takeFresh(const FileJob &job, const FileVersions &versions,
                             llvm::MutableArrayRef<KernelRecord> records) {
  if (!lock_ || lock_->lock.entries().empty())
    return llvm::Error::success();
  llvm::Expected<CudaEvaluator> evaluator = CudaEvaluator::create(place_, job.invocation, job.toolkit);
  if (!evaluator) {
    std::string reason; // tune() says it
    return takeReason(evaluator.takeError(), reason);
  }
  Pass pass = {job, versions, *evaluator, versionFor(versions, evaluator->target()), {}};
  for (KernelRecord &record : records) {
    if (!record.annotated || !versions.haveAll(record.key))
      continue;
    LockEntry conditions = conditionsFor(pass, record);
    const LockEntry *known = lock_->lock.find(conditions.file, conditions.kernel, conditions.architecture);
    if (!known || !isFresh(*known, std::move(conditions)))
      continue;
    const size_t proposed = record.candidates.size();
    if (llvm::Error error = composeLocked(job, versions, *known, record))
      return error;
    if (applyLock(*known, versions.text(), record)) {
      record.candidates.erase(record.candidates.begin() + proposed,
                              record.candidates.end()); // the search puts its own together
      continue;
    }
    record.isLocked = true;
    ++skipped_;
  }
  return llvm::Error::success();
}

llvm::Error Tuner::tuneKernel(Pass &pass, KernelRecord &record) {
  if (!record.reason.empty() && record.candidates.empty())
    return llvm::Error::success(); // no rewriter may touch it, and the record says why
  if (!pass.versions.haveAll(record.key))
    return llvm::Error::success();
  LockEntry conditions = conditionsFor(pass, record);
  if (pass.original.cubin.empty()) {
    llvm::Expected<DeviceCompile> compile = pass.evaluator.compile(pass.versions.requests[pass.version]);
    if (!compile)
      return compile.takeError();
    llvm::Expected<MeasuredCode> original = compile->finish(pass.versions.files[pass.version]);
    if (!original)
      return original.takeError();
    pass.original = std::move(*original);
  }
  llvm::Expected<std::unique_ptr<KernelTuning>> tuning = KernelTuning::create(
      {pass.versions, pass.version, record, pass.evaluator, pass.original, pass.job.policy.maxRegisters,
       /*answersAtOnce=*/!bundle_});
  if (!tuning)
    return tuning.takeError();
  (*tuning)->kernel().conditions = std::move(conditions);
  return bundle_ ? carry(pass, **tuning, record) : measureAll(pass, **tuning, record);
}

llvm::Expected<std::map<UnitSet, Measurement>> Tuner::lookAtEach(KernelTuning &tuning) {
  const MeasuredCase &measured = tuning.kernel().measured;
  // A look is shorter than a compilation: as many run at once as the machine has cores for.
  const size_t ahead = std::max(1u, std::thread::hardware_concurrency() / 2);
  std::map<UnitSet, Measurement> looks;
  for (size_t i = 0, next = 0; i < measured.candidates.size(); ++i) {
    for (; next < std::min(i + ahead + 1, measured.candidates.size()); ++next)
      tuning.prepare({measured.candidates[next], {}});
    const UnitSet &set = measured.candidates[i];
    llvm::Expected<std::optional<Measurement>> look = tuning.look({set, {}});
    if (!look)
      return look.takeError();
    looks[set] = std::move(**look); // a device answers at once
  }
  return looks;
}

/// In the record, and at once for whoever waits.
void Tuner::say(const KernelRecord &record, std::string words) {
  llvm::errs() << "warpwright: remark: " << record.name << ": " << words << '\n';
  remarks_.push_back({Remark::Kind::Analysis, "search", record.place, record.name + ": " + std::move(words)});
}

/// Candidates are looked at shortly first, in rounds, so that the whole protocol's time goes to those that
/// lead. A kernel for which that cannot pay is left alone.
llvm::Error Tuner::lookAtAll(KernelTuning &tuning, TuningProfiles &profiles, const KernelRecord &record) {
  MeasuredCase &measured = tuning.kernel().measured;
  if (!search_.knowledge || measured.candidates.empty())
    return llvm::Error::success();
  llvm::Expected<BeforeSearch> before = lookBefore(tuning, search_);
  if (!before)
    return before.takeError();
  if (!before->whyNot.empty()) {
    for (const UnitSet &set : measured.candidates)
      measured.measured[set] =
          tuning.decided({set, {}}, {Verdict::Kind::Undecided, "search", before->whyNot});
    say(record, before->whyNot);
    return llvm::Error::success();
  }
  if (measured.candidates.size() < fewestForFirstLook && !search_.searchesFew)
    return llvm::Error::success();
  SearchSettings settings = search_;
  settings.bottlenecks = [&](KernelTuning &, const UnitSet &set) {
    return profiles.bottlenecksOf({set, {}});
  };
  llvm::Expected<std::string> words = searchKernel(tuning, record, *before, settings);
  if (!words)
    return words.takeError();
  say(record, std::move(*words));
  return llvm::Error::success();
}

llvm::Error Tuner::onlyLookAtAll(KernelTuning &tuning, KernelRecord &record) {
  llvm::Expected<std::map<UnitSet, Measurement>> looks = lookAtEach(tuning);
  if (!looks)
    return looks.takeError();
  for (auto &[set, look] : *looks)
    record.measurements.push_back(std::move(look));
  record.choice = "original";
  record.reason = "nothing is chosen by a first look";
  return llvm::Error::success();
}

/// Measures what the choice asks for until it is final. While a set is on the device, nvcc works on the next.
llvm::Error Tuner::measureAll(Pass &pass, KernelTuning &tuning, KernelRecord &record) {
  const auto start = std::chrono::steady_clock::now();
  TuningProfiles profiles(tuning, record, pass.job.calibration.get());
  if (llvm::Error error = profiles.takeOriginal())
    return error;
  if (onlyLooks_)
    return onlyLookAtAll(tuning, record);
  if (llvm::Error error = lookAtAll(tuning, profiles, record))
    return error;
  TunedKernel &kernel = tuning.kernel();
  MeasuredChoice choice = chooseByMeasurement(kernel.measured);
  while (!choice.needed.empty() || !choice.neededGuarded.empty()) {
    for (size_t i = 0; i < choice.needed.size(); ++i) {
      tuning.prepare({choice.needed[i], {}});
      if (i + 1 < choice.needed.size())
        tuning.prepare({choice.needed[i + 1], {}});
      llvm::Expected<std::optional<Measurement>> measurement = tuning.measure({choice.needed[i], {}});
      if (!measurement)
        return measurement.takeError();
      kernel.measured.measured[choice.needed[i]] = std::move(**measurement); // a device answers at once
    }
    for (const GuardedSet &guarded : choice.neededGuarded) {
      llvm::Expected<std::optional<Measurement>> measurement = tuning.measure(guarded);
      if (!measurement)
        return measurement.takeError();
      kernel.measured.dispatch.asAWhole[guarded] = std::move(**measurement);
    }
    if (llvm::Error error = profiles.takeBest())
      return error;
    choice = chooseByMeasurement(kernel.measured);
  }
  if (llvm::Error error = profiles.takeTopTwo())
    return error;
  applyChoice(kernel, choice, record);
  entries_.push_back(entryOf(kernel, choice));
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  auto chosen = kernel.measured.measured.find(choice.set);
  if (choice.underGuard || chosen != kernel.measured.measured.end())
    if (std::string words = breakEven(choice.underGuard ? *choice.underGuard : chosen->second, spent.count());
        !words.empty())
      say(record, std::move(words));
  return llvm::Error::success();
}

llvm::Error Tuner::carry(Pass &pass, KernelTuning &tuning, KernelRecord &record) {
  CarriedKernel carried;
  TunedKernel &kernel = tuning.kernel();
  const std::vector<UnitSet> sets = setsToCarry(kernel.measured);
  for (size_t i = 0; i < sets.size(); ++i) {
    const UnitSet &set = sets[i];
    tuning.prepare({set, {}});
    if (i + 1 < sets.size())
      tuning.prepare({sets[i + 1], {}});
    llvm::Expected<std::optional<Measurement>> measurement = tuning.measure({set, {}});
    if (!measurement)
      return measurement.takeError();
    if (*measurement) {
      kernel.measured.measured[set] = std::move(**measurement);
      continue;
    }
    carried.jobs.push_back(bundle_->lastJob());
    carried.jobs.back().set = set;
  }
  for (const MeasuredShape &shape : tuning.measured().shapes)
    carried.work[shape.label] = shape.work;
  record.choice = "original";
  record.reason = carried.jobs.empty() ? "nothing of it is to be measured"
                                       : "to be measured elsewhere: " + std::to_string(carried.jobs.size()) +
                                             " jobs of the bundle";
  carried.kernel = kernel;
  bundle_->add(std::move(carried));
  return llvm::Error::success();
}

} // namespace warpwright
