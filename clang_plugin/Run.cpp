// `warpwright run`: launches on the virtual device, checked and counted.

#include "analysis/FileAnalysis.h"
#include "analysis/frontend/FrontEnd.h"
#include "clang_plugin/CommandLine.h"
#include "clang_plugin/ExitTally.h"
#include "clang_plugin/Jobs.h"
#include "feedback/evaluators/virtual/Execute.h"
#include "feedback/evaluators/virtual/LaunchFile.h"

#include <llvm/Support/raw_ostream.h>
#include <nlohmann/json.hpp>

#include <set>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;

class Runner : private ExitTally {
public:
  explicit Runner(const Options &options) : options_(options) {}

  ExitCode run() {
    if (options_.operands.size() != 1)
      return fail(ExitCode::BadUsage, "run needs one file");
    if (options_.launches.empty())
      return fail(ExitCode::BadUsage, "run needs --launches");
    llvm::Expected<std::vector<Launch>> launches = readLaunches(options_.launches);
    if (!launches)
      return fail(ExitCode::BadUsage, llvm::toString(launches.takeError()));
    launches_ = std::move(*launches);
    results_.resize(launches_.size());
    runFile(options_.operands.front());
    if (llvm::Error error = writeOutput(options_, result()))
      return fail(ExitCode::BadUsage, llvm::toString(std::move(error)));
    return worst_;
  }

private:
  void runFile(const std::string &name) {
    llvm::Expected<FileJob> job = makeJob(name, options_);
    if (!job) {
      fail(ExitCode::BadUsage, llvm::toString(job.takeError()));
      return;
    }
    FileRequest request;
    request.file = job->file;
    request.invocation = job->invocation;
    request.target = analysisTargets(job->invocation).front();
    request.toolkit = job->toolkit;
    request.cacheDirectory = job->cacheDirectory;
    request.wantResources = false;
    llvm::Expected<FileAnalysis> file = openFile(request);
    if (!file) {
      bool parse = file.errorIsA<ParseFailure>();
      fail(parse ? ExitCode::Undecided : ExitCode::BadUsage, llvm::toString(file.takeError()));
      return;
    }
    llvm::Expected<std::unique_ptr<vdevice::LaunchFile>> program =
        vdevice::LaunchFile::create(*file, request);
    if (!program) {
      fail(ExitCode::ToolFault, llvm::toString(program.takeError()));
      return;
    }
    for (size_t i = 0; i < launches_.size(); ++i)
      runLaunch(**program, i);
  }

  void runLaunch(vdevice::LaunchFile &program, size_t index) {
    llvm::Expected<vdevice::WatchedOutcome> outcome =
        program.run(launches_[index], options_.stepLimit ? options_.stepLimit : vdevice::watchedStepLimit);
    if (!outcome) {
      fail(ExitCode::BadUsage,
           "launch " + std::to_string(index) + ": " + llvm::toString(outcome.takeError()));
      return;
    }
    for (const vdevice::Fault &fault : outcome->faults)
      llvm::errs() << vdevice::faultToText(fault);
    if (!outcome->undecided.empty())
      llvm::errs() << "warpwright: launch " << index << " of '" << launches_[index].kernel
                   << "': " << outcome->undecided << '\n';
    note(!outcome->undecided.empty() ? ExitCode::Undecided
         : outcome->faulted          ? ExitCode::Findings
                                     : ExitCode::Clean);
    results_[index] = toJson(launches_[index], *outcome);
  }

  static Json toJson(const Launch &launch, const vdevice::WatchedOutcome &outcome) {
    Json faults = Json::array();
    for (const vdevice::Fault &fault : outcome.faults)
      faults.push_back(vdevice::faultToJson(fault));
    Json result = {{"name", launch.kernel},
                   {"counters", simt::countersToJson(outcome.counters)},
                   {"faults", std::move(faults)}};
    if (!outcome.printed.empty())
      result["printed"] = outcome.printed;
    if (!outcome.undecided.empty())
      result["undecided"] = outcome.undecided;
    return result;
  }

  std::string result() const {
    Json list = Json::array();
    for (const Json &launch : results_)
      if (!launch.is_null())
        list.push_back(launch);
    return Json{{"schema", "warpwright/counters/1"}, {"launches", list}}.dump(
               1, ' ', false, Json::error_handler_t::replace) +
           "\n";
  }

  const Options &options_;
  std::vector<Launch> launches_;
  std::vector<Json> results_; ///< by launch; null where it did not run
};

} // namespace

ExitCode runOnVirtualDevice(const Options &options) {
  return Runner(options).run();
}

} // namespace warpwright
