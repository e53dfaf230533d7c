// `warpwright optimize`: the whole pipeline without a GPU, over files given by hand.

#include "clang_plugin/CommandLine.h"
#include "clang_plugin/ExitTally.h"
#include "clang_plugin/Jobs.h"
#include "clang_plugin/OutputFile.h"
#include "clang_plugin/Report.h"
#include "clang_plugin/WorkFolder.h"

#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>
#include <nlohmann/json.hpp>

namespace warpwright {
namespace {

class Optimiser : private ExitTally {
public:
  explicit Optimiser(const Options &options) : options_(options) {}

  ExitCode run() {
    if (options_.operands.empty())
      return fail(ExitCode::BadUsage, "optimize needs at least one file");
    if (options_.outputDirectory.empty())
      return fail(ExitCode::BadUsage, "optimize needs --output-dir");
    if (std::error_code code = llvm::sys::fs::create_directories(options_.outputDirectory))
      return fail(ExitCode::BadUsage, "cannot create '" + options_.outputDirectory + "': " + code.message());
    llvm::Expected<std::unique_ptr<WorkFolder>> folder = WorkFolder::create();
    if (!folder)
      return fail(ExitCode::Undecided, llvm::toString(folder.takeError()));
    for (const std::string &file : options_.operands)
      optimise(file, (*folder)->path());
    if (llvm::Error error = writeOutput(options_, text()))
      return fail(ExitCode::BadUsage, llvm::toString(std::move(error)));
    return worst_;
  }

private:
  void optimise(const std::string &file, const std::string &temporaryDirectory) {
    llvm::Expected<FileJob> job = makeJob(file, options_);
    if (!job) {
      fail(ExitCode::BadUsage, llvm::toString(job.takeError()));
      return;
    }
    job->temporaryDirectory = temporaryDirectory;
    llvm::SmallString<256> output(options_.outputDirectory);
    llvm::sys::path::append(output, llvm::sys::path::filename(file));
    job->generatedPath = std::string(output);
    clang::DiagnosticOptions diagnosticOptions;
    clang::TextDiagnosticPrinter printer(llvm::errs(), diagnosticOptions);
    llvm::Expected<FileOutcome> outcome = runPipeline(*job, printer);
    if (!outcome) {
      fail(ExitCode::BadUsage, llvm::toString(outcome.takeError()));
      return;
    }
    if (options_.timings)
      printTimings(*outcome, llvm::errs());
    if (hasMissed(outcome->record))
      note(ExitCode::Undecided);
    if (outcome->annotationMistakes != 0)
      note(ExitCode::BadUsage);
    for (const KernelRecord &kernel : outcome->record.kernels)
      if (options_.errorOnFindings && !kernel.findings.empty())
        note(ExitCode::Findings);
    for (const CandidateSource &candidate : outcome->candidates)
      writeCandidate(candidate);
    if (outcome->rewritten)
      if (llvm::Error error = writeFile(output, *outcome->rewritten))
        fail(ExitCode::BadUsage, llvm::toString(std::move(error)));
    records_.push_back(std::move(outcome->record));
  }

  /// A file named after the candidate, in a folder named after the kernel.
  void writeCandidate(const CandidateSource &candidate) {
    auto spelled = [](std::string name) {
      for (char &character : name)
        if (!llvm::isAlnum(character) && character != '_' && character != '-' && character != '=' &&
            character != '+')
          character = '_';
      return name;
    };
    llvm::SmallString<256> path(options_.candidatesDirectory);
    llvm::sys::path::append(path, spelled(candidate.kernel));
    if (std::error_code code = llvm::sys::fs::create_directories(path)) {
      fail(ExitCode::BadUsage, "cannot create '" + std::string(path) + "': " + code.message());
      return;
    }
    llvm::sys::path::append(path, spelled(candidate.candidate) + ".cu");
    if (llvm::Error error = writeFile(path, candidate.text))
      fail(ExitCode::BadUsage, llvm::toString(std::move(error)));
  }

  std::string text() const {
    std::string result;
    llvm::raw_string_ostream stream(result);
    if (options_.format == "json") {
      nlohmann::ordered_json documents = nlohmann::ordered_json::array();
      for (const FileRecord &record : records_)
        documents.push_back(toJson(record));
      stream << (documents.size() == 1 ? documents.front() : documents).dump(2) << '\n';
      return result;
    }
    for (const FileRecord &record : records_) {
      printFindings(record, stream);
      printEvidence(toJson(record), stream);
    }
    return result;
  }

  const Options &options_;
  std::vector<FileRecord> records_;
};

} // namespace

ExitCode runOptimize(const Options &options) {
  return Optimiser(options).run();
}

} // namespace warpwright
