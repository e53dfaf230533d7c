// `warpwright tune`: chooses by measurement and writes the choices into the lock; without a device, a bundle
// of jobs to be measured elsewhere.

#include "clang_plugin/CommandLine.h"
#include "clang_plugin/ExitTally.h"
#include "clang_plugin/Jobs.h"
#include "clang_plugin/OutputFile.h"
#include "clang_plugin/Report.h"
#include "clang_plugin/Tuner.h"
#include "clang_plugin/VerifyOnDevice.h"
#include "clang_plugin/WorkFolder.h"
#include "feedback/evaluators/cuda/BundleFolder.h"
#include "feedback/evaluators/cuda/RememberingPlace.h"

#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/raw_ostream.h>
#include <nlohmann/json.hpp>

namespace warpwright {
namespace {

constexpr size_t mostConsidered = 72; ///< analysed, of a kernel's candidates
constexpr size_t mostCompiled = 40;   ///< and looked at
/// A kernel, so that with what is measured in full it stays below three minutes.
constexpr double secondsOfASearch = 80;

class TuneVerb : private ExitTally {
public:
  /// `bundles`: jobs are carried, whatever device is here.
  TuneVerb(const Options &options, bool bundles) : options_(options), bundles_(bundles) {}

  ExitCode run() {
    if (options_.operands.empty())
      return fail(ExitCode::BadUsage, "tune and bundle need at least one file");
    if (bundles_ && options_.bundleDirectory.empty())
      return fail(ExitCode::BadUsage, "bundle needs --bundle-dir");
    if (options_.resume && options_.knowledge.empty())
      return fail(ExitCode::BadUsage, "--resume needs --knowledge: what was measured before is there");
    llvm::Expected<std::unique_ptr<WorkFolder>> folder = WorkFolder::create();
    if (!folder)
      return fail(ExitCode::Undecided, llvm::toString(folder.takeError()));
    temporaryDirectory_ = (*folder)->path();
    if (!readLock())
      return worst_;
    return bundles_ ? carry() : measure();
  }

private:
  ExitCode measure() {
    llvm::Expected<LocalDevice> device = LocalDevice::find(runnerOf(options_, temporaryDirectory_));
    if (!device) {
      llvm::Error error = device.takeError();
      bool isNone = error.isA<NoDevice>();
      std::string reason = llvm::toString(std::move(error));
      if (isNone && !options_.bundleDirectory.empty()) {
        llvm::errs() << "warpwright: remark: " << reason << "; jobs are bundled instead\n";
        return carry();
      }
      return fail(isNone ? ExitCode::Undecided : ExitCode::BadUsage,
                  reason + (isNone ? "; --bundle-dir makes a bundle for a machine that has one" : ""));
    }
    llvm::Expected<std::unique_ptr<loop::Store>> knowledge =
        loop::Store::open(options_.knowledge.empty() ? ":memory:" : options_.knowledge);
    if (!knowledge)
      return fail(ExitCode::BadUsage, llvm::toString(knowledge.takeError()));
    const nlohmann::ordered_json &description = device->description();
    // What the device was measured to reach differs from one run to the next.
    const std::string name = description.value("device", ""), driver = description.value("driver", "");
    RememberingPlace place(*device, **knowledge, name + "\n" + driver, options_.resume);
    Tuner tuner(place);
    tuner.onDevice(name, driver);
    if (!useFigures(*device, tuner) || !readCalibration())
      return worst_;
    if (options_.firstLook)
      tuner.onlyLook();
    tuner.setSearch(searchSettings(**knowledge));
    if (!options_.lock.empty())
      tuner.useLock(lock_);
    for (const std::string &file : options_.operands)
      tune(file, tuner, nullptr);
    if (!options_.lock.empty() && worst_ < ExitCode::BadUsage && !tuner.entries().empty()) {
      for (const LockEntry &entry : tuner.entries())
        lock_.lock.update(entry);
      if (llvm::Error error = writeFile(options_.lock, lock_.lock.text()))
        return fail(ExitCode::BadUsage, llvm::toString(std::move(error)));
    }
    if (llvm::Error error = writeCalibration(tuner.calibrations()))
      return fail(ExitCode::BadUsage, llvm::toString(std::move(error)));
    learned_ = tuner.calibrations().vec();
    // Where a file failed, no lock is written: the others' answers are still wanted.
    if (worst_ < ExitCode::BadUsage)
      if (llvm::Error error = (*knowledge)->settle())
        return fail(ExitCode::BadUsage, llvm::toString(std::move(error)));
    return report();
  }

  /// What the device reaches; where it cannot be measured, typical figures will do, and that is said.
  bool useFigures(LocalDevice &device, Tuner &tuner) {
    if (llvm::Error error = device.measure()) {
      fail(ExitCode::Undecided, llvm::toString(std::move(error)));
      return false;
    }
    llvm::Expected<DeviceFigures> figures = readDeviceFigures(device.description());
    if (figures)
      tuner.useFigures(std::move(*figures));
    else
      llvm::errs() << "warpwright: remark: " << llvm::toString(figures.takeError())
                   << "; its rates are taken to be typical\n";
    return true;
  }

  std::string calibrationPath() const {
    if (!options_.calibration.empty() || options_.lock.empty())
      return options_.calibration;
    return Calibration::pathFor(options_.lock);
  }

  bool readCalibration() {
    if (calibrationPath().empty())
      return true;
    llvm::Expected<Calibration> known = Calibration::readOrEmpty(calibrationPath());
    if (known)
      calibration_ = std::make_shared<Calibration>(std::move(*known));
    else
      fail(ExitCode::BadUsage, llvm::toString(known.takeError()));
    return calibration_ != nullptr;
  }

  llvm::Error writeCalibration(llvm::ArrayRef<KernelCalibration> learned) {
    if (!calibration_ || learned.empty())
      return llvm::Error::success();
    for (const KernelCalibration &kernel : learned)
      calibration_->update(kernel);
    return writeFile(calibrationPath(), calibration_->toJson().dump(2) + "\n");
  }

  /// 0 and empty: the defaults of the loop.
  SearchSettings searchSettings(loop::Store &knowledge) const {
    SearchSettings settings;
    settings.knowledge = &knowledge;
    settings.searchesFew = !options_.knowledge.empty();
    settings.expectedRuns = options_.expectedRuns;
    loop::LoopOptions &loop = settings.options;
    loop.resume = options_.resume;
    loop.mostCandidates = options_.mostCandidates;
    loop.deviceSeconds = options_.deviceSeconds;
    loop.wallSeconds = options_.mostSeconds;
    if (loop.mostCandidates == 0)
      loop.mostCandidates = mostCompiled;
    if (loop.wallSeconds == 0)
      loop.wallSeconds = secondsOfASearch;
    if (options_.mostRounds != 0)
      loop.mostRounds = options_.mostRounds;
    if (options_.withoutGain != 0)
      loop.roundsWithoutGain = options_.withoutGain;
    return settings;
  }

  ExitCode carry() {
    llvm::Expected<BundleFolder> bundle =
        BundleFolder::create(options_.bundleDirectory, findRunnerSource(options_.program));
    if (!bundle)
      return fail(ExitCode::BadUsage, llvm::toString(bundle.takeError()));
    Tuner tuner(*bundle);
    if (!options_.lock.empty())
      tuner.useLock(lock_);
    for (const std::string &file : options_.operands)
      tune(file, tuner, &*bundle);
    if (worst_ >= ExitCode::BadUsage)
      return worst_;
    if (llvm::Error error = bundle->finish())
      return fail(ExitCode::BadUsage, llvm::toString(std::move(error)));
    llvm::errs() << "warpwright: remark: " << bundle->jobs() << " jobs are in '" << options_.bundleDirectory
                 << "': run.sh measures them where a GPU is, and 'warpwright merge' takes the results\n";
    return report();
  }

  ExitCode report() {
    if (llvm::Error error = writeOutput(options_, text()))
      return fail(ExitCode::BadUsage, llvm::toString(std::move(error)));
    return worst_;
  }

  bool readLock() {
    if (options_.lock.empty())
      return true;
    llvm::Expected<Lock> lock = Lock::readOrEmpty(options_.lock);
    if (!lock) {
      fail(ExitCode::BadUsage, llvm::toString(lock.takeError()));
      return false;
    }
    lock_ = {options_.lock, std::move(*lock)};
    return true;
  }

  void tune(const std::string &file, Tuner &tuner, BundleFolder *bundle) {
    llvm::Expected<FileJob> job = makeJob(file, options_);
    if (!job) {
      fail(ExitCode::BadUsage, llvm::toString(job.takeError()));
      return;
    }
    if (bundle)
      bundle->setArchitecture("sm_" + (options_.architecture.empty()
                                           ? analysisTargets(job->invocation).back().architecture
                                           : llvm::StringRef(options_.architecture).ltrim("sm_").str()));
    job->temporaryDirectory = temporaryDirectory_;
    job->mode = "tune";
    job->tuner = &tuner;
    job->calibration = calibration_;
    // What is looked at in rounds is chosen from many; what is carried, or looked at whole, is all compiled.
    if (!bundle && !options_.firstLook && options_.most == 0)
      job->mostMeasured = mostConsidered;
    clang::DiagnosticOptions diagnosticOptions;
    clang::TextDiagnosticPrinter printer(llvm::errs(), diagnosticOptions);
    llvm::Expected<FileOutcome> outcome = runPipeline(*job, printer);
    if (!outcome) {
      fail(ExitCode::BadUsage, llvm::toString(outcome.takeError()));
      return;
    }
    if (options_.timings)
      printTimings(*outcome, llvm::errs());
    sayCost(*outcome);
    if (hasMissed(outcome->record))
      note(ExitCode::Undecided);
    if (outcome->annotationMistakes != 0)
      note(ExitCode::BadUsage);
    records_.push_back(std::move(outcome->record));
  }

  /// What the search for candidates cost.
  static void sayCost(const FileOutcome &outcome) {
    size_t candidates = 0, sequences = 0;
    for (const KernelRecord &kernel : outcome.record.kernels)
      for (const CandidateRecord &candidate : kernel.candidates) {
        ++candidates;
        sequences += !candidate.candidate.earlier.empty();
      }
    double seconds = 0;
    for (const auto &[step, wall] : outcome.seconds)
      if (step == "candidates" || step == "pre-screen" || step == "sequences")
        seconds += wall;
    llvm::errs() << llvm::formatv("warpwright: remark: {0}: {1} candidates, {2} of them sequences, were "
                                  "found and screened in {3:F1} s\n",
                                  outcome.record.file, candidates, sequences, seconds);
  }

  std::string text() const {
    if (options_.format == "json") {
      nlohmann::ordered_json documents = nlohmann::ordered_json::array();
      for (const FileRecord &record : records_)
        documents.push_back(toJson(record));
      return (documents.size() == 1 ? documents.front() : documents).dump(2) + "\n";
    }
    std::string result;
    llvm::raw_string_ostream stream(result);
    for (const FileRecord &record : records_)
      printTuning(record, stream);
    if (!learned_.empty())
      printCalibration(learned_, stream);
    return result;
  }

  const Options &options_;
  bool bundles_;
  std::string temporaryDirectory_;
  LockFile lock_;
  std::shared_ptr<Calibration> calibration_; ///< null: none is kept
  std::vector<KernelCalibration> learned_;
  std::vector<FileRecord> records_;
};

} // namespace

ExitCode runBundle(const Options &options) {
  return TuneVerb(options, /*bundles=*/true).run();
}

ExitCode runTune(const Options &options) {
  return TuneVerb(options, /*bundles=*/false).run();
}

} // namespace warpwright
