// `warpwright analyze`: facts and findings, or the counters of given launches.

#include "analysis/EvaluateLaunches.h"
#include "analysis/frontend/FrontEnd.h"
#include "clang_plugin/CommandLine.h"
#include "clang_plugin/ExitTally.h"
#include "clang_plugin/Facts.h"
#include "clang_plugin/Jobs.h"
#include "clang_plugin/Report.h"
#include "clang_plugin/WorkFolder.h"
#include "feedback/Calibration.h"

#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/Support/raw_ostream.h>
#include <nlohmann/json.hpp>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;

class Analyser : private ExitTally {
public:
  explicit Analyser(const Options &options) : options_(options) {}

  ExitCode run() {
    if (options_.operands.empty())
      return fail(ExitCode::BadUsage, "analyze needs at least one file");
    if (!options_.launches.empty()) {
      llvm::Expected<std::vector<Launch>> launches = readLaunches(options_.launches);
      if (!launches)
        return fail(ExitCode::BadUsage, llvm::toString(launches.takeError()));
      launches_ = std::move(*launches);
    }
    llvm::Expected<std::unique_ptr<WorkFolder>> folder = WorkFolder::create();
    if (!folder)
      return fail(ExitCode::Undecided, llvm::toString(folder.takeError()));
    for (const std::string &file : options_.operands)
      analyse(file, (*folder)->path());
    for (const Launch &launch : launches_)
      if (!counted_.contains(launch.kernel))
        fail(ExitCode::BadUsage, "no file given holds a kernel '" + launch.kernel + "'");
    if (llvm::Error error = writeOutput(options_, result()))
      return fail(ExitCode::BadUsage, llvm::toString(std::move(error)));
    return worst_;
  }

private:
  void analyse(const std::string &name, const std::string &temporaryDirectory) {
    llvm::Expected<FileJob> job = makeJob(name, options_);
    if (!job) {
      fail(ExitCode::BadUsage, llvm::toString(job.takeError()));
      return;
    }
    if (!job->invocation.assumedArchitecture.empty())
      llvm::errs() << name << ": remark: no GPU is here, so '-arch=native' is "
                   << job->invocation.assumedArchitecture << ", as nvcc takes it\n";
    for (const NvccTarget &target : analysisTargets(job->invocation)) {
      FileRequest request;
      request.file = job->file;
      request.invocation = job->invocation;
      request.target = target;
      request.toolkit = job->toolkit;
      request.cacheDirectory = job->cacheDirectory;
      request.temporaryDirectory = temporaryDirectory;
      request.wantResources = !options_.noPtxas;
      request.countShapes = launches_.empty();
      clang::DiagnosticOptions diagnosticOptions;
      clang::TextDiagnosticPrinter printer(llvm::errs(), diagnosticOptions);
      llvm::Expected<FileAnalysis> file = analyseFile(request, &printer);
      if (printer.getNumWarnings() + printer.getNumErrors() != 0)
        note(ExitCode::BadUsage); // mistakes in annotations, which were said at their places
      if (!file) {
        report(name, file.takeError());
        return;
      }
      if (job->calibration)
        for (KernelAnalysis &kernel : file->kernels)
          job->calibration->apply(kernel.findings, kernel.architecture);
      take(name, std::move(*file));
    }
  }

  /// A file that Clang cannot parse could not be checked; everything else is bad input or a fault.
  void report(const std::string &name, llvm::Error error) {
    bool parse = error.isA<ParseFailure>();
    llvm::errs() << (parse ? "" : name + ": error: ") << llvm::toString(std::move(error)) << '\n';
    note(parse ? ExitCode::Undecided : ExitCode::BadUsage);
  }

  void take(const std::string &name, FileAnalysis file) {
    if (!launches_.empty()) {
      count(file);
      return;
    }
    if (file.kernels.empty())
      llvm::errs() << name << ": remark: it defines no kernel\n";
    FileRecord record;
    record.file = name;
    for (KernelAnalysis &kernel : file.kernels) {
      KernelRecord entry;
      entry.name = kernel.kernel.name;
      entry.findings = kernel.findings;
      record.kernels.push_back(std::move(entry));
      if (options_.errorOnFindings && !kernel.findings.empty())
        note(ExitCode::Findings);
    }
    HostAnalysis hostCode(file.unit->ast());
    std::vector<HostFindings> host = findInHostCode(hostCode);
    for (const HostFindings &function : host) {
      KernelRecord entry;
      entry.name = function.name;
      entry.findings = function.findings;
      record.kernels.push_back(std::move(entry));
      if (options_.errorOnFindings)
        note(ExitCode::Findings);
    }
    if (options_.format == "json") {
      documents_.push_back(factsToJson(name, file, host));
      return;
    }
    llvm::raw_string_ostream stream(text_);
    printFindings(record, stream);
    printFacts(file, stream);
  }

  /// Each launch is the main one of its own findings.
  void count(FileAnalysis &file) {
    for (size_t i = 0; i < launches_.size(); ++i)
      for (KernelAnalysis &kernel : file.kernels) {
        if (launches_[i].kernel != kernel.kernel.name && launches_[i].kernel != kernel.kernel.symbol)
          continue;
        counted_.insert(launches_[i].kernel);
        llvm::Expected<simt::LaunchCounters> counters = countOne(kernel, launches_[i]);
        if (!counters) {
          fail(ExitCode::BadUsage, "launch " + std::to_string(i) + " of '" + launches_[i].kernel +
                                       "': " + llvm::toString(counters.takeError()));
          continue;
        }
        results_[i] = {{"name", launches_[i].kernel},
                       {"counters", countersOf(kernel, launches_[i], *counters)}};
        kernel.launches = {
            {launches_[i], "launch " + std::to_string(i), /*assumed=*/false, std::move(*counters)}};
        results_[i]["findings"] = findingsToJson(findAll(kernel));
      }
  }

  std::string result() const {
    if (!launches_.empty()) {
      Json list = Json::array();
      for (size_t i = 0; i < launches_.size(); ++i)
        if (auto found = results_.find(i); found != results_.end())
          list.push_back(found->second);
      return Json{{"schema", "warpwright/counters/1"}, {"launches", list}}.dump(1) + "\n";
    }
    if (options_.format == "json")
      return (documents_.size() == 1 ? documents_.front() : Json(documents_)).dump(2) + "\n";
    return text_;
  }

  const Options &options_;
  std::vector<Launch> launches_;
  std::map<size_t, Json> results_; ///< by position in launches_
  std::set<std::string> counted_;
  std::string text_;
  std::vector<Json> documents_;
};

} // namespace

ExitCode runAnalyze(const Options &options) {
  return Analyser(options).run();
}

} // namespace warpwright
