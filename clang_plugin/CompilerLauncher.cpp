// `warpwright cc [options] -- nvcc ...`: stands before nvcc in a build. Whatever happens here, the user's
// file is compiled: from the rewritten source where one was proved better, else from the original by the very
// command given.

#include "clang_plugin/CommandLine.h"
#include "clang_plugin/DependencyFile.h"
#include "clang_plugin/Jobs.h"
#include "clang_plugin/Pipeline.h"
#include "clang_plugin/Process.h"
#include "clang_plugin/Report.h"

#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>
#include <nlohmann/json.hpp>

namespace warpwright {
namespace {

class Launcher {
public:
  explicit Launcher(const Options &options) : options_(options) {}

  ExitCode run() {
    if (options_.compiler.empty()) {
      llvm::errs() << "warpwright: error: cc needs a compiler command after '--'\n";
      return ExitCode::BadUsage;
    }
    if (options_.mode == "off" || !understand())
      return compileOriginal();
    // What an earlier compile left says nothing about the object that is made now.
    llvm::sys::fs::remove(evidencePath());
    llvm::Expected<FileOutcome> outcome = optimise();
    if (!outcome)
      return giveUp(llvm::toString(outcome.takeError()));
    if (options_.timings)
      printTimings(*outcome, llvm::errs());
    if (options_.strict && (outcome->annotationMistakes != 0 || !outcome->record.remarks.empty())) {
      printRemarks(outcome->record, llvm::errs());
      return ExitCode::Findings;
    }
    if (!outcome->rewritten) {
      ExitCode code = compileOriginal();
      return code == ExitCode::Clean ? finish(*outcome, mendDependencies(source())) : code;
    }
    return compileRewritten(*outcome);
  }

private:
  /// Whether the command compiles one CUDA source to an object, which is the only thing changed here.
  bool understand() {
    arguments_.assign(options_.compiler.begin() + 1, options_.compiler.end());
    llvm::SmallString<256> directory;
    if (llvm::sys::fs::current_path(directory))
      return false;
    llvm::Expected<NvccInvocation> invocation = adjustArguments(arguments_, directory);
    if (!invocation) {
      // nvcc itself is the better judge of its command line.
      llvm::errs() << "warpwright: remark: not analysed: " << llvm::toString(invocation.takeError()) << '\n';
      return false;
    }
    invocation_ = std::move(*invocation);
    bool compiles =
        invocation_.action == NvccAction::Object || invocation_.action == NvccAction::DeviceObject;
    std::vector<const NvccInput *> inputs = invocation_.cudaInputs();
    return compiles && inputs.size() == 1 && !invocation_.output.empty() && isWanted(inputs.front()->path);
  }

  bool isWanted(llvm::StringRef path) const {
    if (options_.only.empty())
      return true;
    return llvm::any_of(options_.only, [&](const std::string &wanted) {
      return wanted == path || llvm::sys::fs::equivalent(wanted, path);
    });
  }

  const std::string &source() const { return invocation_.cudaInputs().front()->path; }

  llvm::Expected<FileOutcome> optimise() {
    FileJob job;
    job.file = source();
    job.invocation = invocation_;
    job.cacheDirectory = cacheDirectory(options_);
    job.generatedPath = generatedPath();
    job.maxRegisters = options_.maxRegisters;
    job.annotateEverything = options_.annotateEverything;
    job.mode = options_.mode.empty() ? "static" : options_.mode;
    llvm::Expected<Toolkit> toolkit = findToolkit(options_.compiler.front());
    if (!toolkit)
      return toolkit.takeError();
    job.toolkit = std::move(*toolkit);
    clang::DiagnosticOptions diagnosticOptions;
    clang::TextDiagnosticPrinter printer(llvm::errs(), diagnosticOptions);
    return runPipeline(job, printer);
  }

  std::string evidencePath() const { return invocation_.output + ".warpwright.json"; }

  /// The same file name in a folder of its own: names of internal symbols are derived from it.
  std::string generatedPath() const {
    llvm::SmallString<256> path(invocation_.output + ".warpwright");
    llvm::sys::path::append(path, llvm::sys::path::filename(source()));
    return std::string(path);
  }

  ExitCode compileRewritten(const FileOutcome &outcome) {
    std::string generated = generatedPath();
    if (std::error_code code = llvm::sys::fs::create_directories(llvm::sys::path::parent_path(generated)))
      return giveUp("cannot create '" + llvm::sys::path::parent_path(generated).str() +
                    "': " + code.message());
    if (llvm::Error error = writeFile(generated, *outcome.rewritten))
      return giveUp("cannot write '" + generated + "': " + llvm::toString(std::move(error)));
    llvm::Expected<std::vector<std::string>> command =
        withInputReplaced(arguments_, invocation_, *invocation_.cudaInputs().front(), generated);
    if (!command)
      return giveUp(llvm::toString(command.takeError()));
    // Quoted includes are looked up beside the original, as they were written.
    llvm::StringRef folder = llvm::sys::path::parent_path(source());
    command->push_back("-Xcompiler");
    command->push_back("-iquote," + (folder.empty() ? std::string(".") : folder.str()));
    ExitCode code = execute(*command);
    if (code != ExitCode::Clean) {
      llvm::errs() << source() << ": remark: the rewritten source did not compile; the original is compiled "
                   << "[warpwright]\n";
      code = compileOriginal();
      return code == ExitCode::Clean ? finish(outcome, mendDependencies(source())) : code;
    }
    return finish(outcome, mendDependencies(generated));
  }

  /// Tells the build what the object depends on: the original, not the generated source, and the tool itself.
  llvm::Error mendDependencies(llvm::StringRef compiled) {
    const NvccDependencies &dependencies = invocation_.dependencies;
    if (!dependencies.wanted || dependencies.file.empty())
      return llvm::Error::success();
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
        llvm::MemoryBuffer::getFile(dependencies.file);
    if (!buffer)
      return llvm::createStringError("cannot read the dependency file '" + dependencies.file + "'");
    std::vector<std::string> extra = {options_.program};
    for (const std::string &file : {options_.lock, options_.policy})
      if (!file.empty())
        extra.push_back(file);
    std::string text = redirectDependencies((*buffer)->getBuffer(), compiled, source(), extra);
    buffer->reset();
    return writeFile(dependencies.file, text);
  }

  /// The object is there. Evidence is written last: it says what lies in it.
  ExitCode finish(const FileOutcome &outcome, llvm::Error dependencies) {
    printRemarks(outcome.record, llvm::errs());
    llvm::Error error = llvm::joinErrors(std::move(dependencies),
                                         writeFile(evidencePath(), toJson(outcome.record).dump(2) + "\n"));
    if (!error)
      return ExitCode::Clean;
    llvm::errs() << source() << ": " << (options_.strict ? "error" : "remark")
                 << ": the object is compiled, but not everything beside it could be written: "
                 << llvm::toString(std::move(error)) << " [warpwright]\n";
    return options_.strict ? ExitCode::Undecided : ExitCode::Clean;
  }

  /// In doubt the original, and a word about why; with --strict, a failure.
  ExitCode giveUp(const std::string &reason) {
    llvm::errs() << source() << ": " << (options_.strict ? "error" : "remark")
                 << ": not optimised: " << reason << " [warpwright]\n";
    return options_.strict ? ExitCode::Undecided : compileOriginal();
  }

  ExitCode compileOriginal() { return execute(llvm::ArrayRef(options_.compiler).drop_front()); }

  ExitCode execute(llvm::ArrayRef<std::string> arguments) {
    std::vector<std::string> command = options_.launchers;
    command.push_back(options_.compiler.front());
    command.insert(command.end(), arguments.begin(), arguments.end());
    llvm::Expected<int> code = runProgram(command);
    if (code)
      return static_cast<ExitCode>(*code);
    llvm::errs() << "warpwright: error: " << llvm::toString(code.takeError()) << '\n';
    return ExitCode::BadUsage;
  }

  const Options &options_;
  std::vector<std::string> arguments_; ///< nvcc's, without its name
  NvccInvocation invocation_;
};

} // namespace

ExitCode runCompilerLauncher(const Options &options) {
  return Launcher(options).run();
}

} // namespace warpwright
