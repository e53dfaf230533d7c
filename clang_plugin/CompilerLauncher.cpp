// `warpwright cc [options] -- nvcc ...`: stands before nvcc in a build. Whatever happens here, the user's
// file is compiled: from the rewritten source where one was proved better, else from the original by the very
// command given.

#include "clang_plugin/CommandLine.h"
#include "clang_plugin/DependencyFile.h"
#include "clang_plugin/Jobs.h"
#include "clang_plugin/OutputFile.h"
#include "clang_plugin/Pipeline.h"
#include "clang_plugin/Process.h"
#include "clang_plugin/Report.h"
#include "clang_plugin/WorkFolder.h"

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
    if (!llvm::is_contained({"", "off", "check", "static", "tune"}, options_.mode)) {
      llvm::errs() << "warpwright: error: there is no mode '" << options_.mode
                   << "'; there are off, check, static and tune\n";
      return ExitCode::BadUsage;
    }
    if (options_.mode == "off" || !understand())
      return compileOriginal();
    // What an earlier compile left says nothing about the object that is made now.
    llvm::sys::fs::remove(evidencePath());
    job_.policy.strict = options_.strict;
    if (llvm::Error error = applyOptions(options_, job_))
      return giveUp(llvm::toString(std::move(error)), ExitCode::BadUsage);
    openLock(options_, job_);
    llvm::Expected<FileOutcome> outcome = optimise();
    if (!outcome)
      return giveUp(llvm::toString(outcome.takeError()));
    if (options_.timings)
      printTimings(*outcome, llvm::errs());
    if (isStrict() && (outcome->annotationMistakes != 0 || hasMissed(outcome->record))) {
      printRemarks(outcome->record, llvm::errs());
      return outcome->annotationMistakes != 0 ? ExitCode::BadUsage : ExitCode::Undecided;
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
    llvm::Expected<Toolkit> toolkit = findToolkit(options_.compiler.front());
    llvm::Expected<NvccInvocation> invocation =
        understandCommand(arguments_, directory, toolkit ? *toolkit : Toolkit());
    if (toolkit)
      job_.toolkit = *toolkit;
    else
      noToolkit_ = llvm::toString(toolkit.takeError());
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
    if (!noToolkit_.empty())
      return llvm::createStringError(noToolkit_);
    llvm::Expected<std::unique_ptr<WorkFolder>> folder = WorkFolder::create();
    if (!folder)
      return folder.takeError();
    job_.file = source();
    job_.invocation = invocation_;
    job_.generatedPath = generatedPath();
    job_.temporaryDirectory = (*folder)->path();
    job_.mode = options_.mode.empty() ? "static" : options_.mode;
    clang::DiagnosticOptions diagnosticOptions;
    clang::TextDiagnosticPrinter printer(llvm::errs(), diagnosticOptions);
    return runPipeline(job_, printer);
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
      return giveUp(llvm::toString(std::move(error)));
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
    llvm::errs() << source() << ": " << (isStrict() ? "error" : "remark")
                 << ": the object is compiled, but not everything beside it could be written: "
                 << llvm::toString(std::move(error)) << " [warpwright]\n";
    return isStrict() ? ExitCode::Undecided : ExitCode::Clean;
  }

  bool isStrict() const { return job_.policy.strict; }

  /// In doubt the original, and a word about why; where the build is strict, a failure with the code. The
  /// object still depends on the tool and its files: what was wrong may lie there.
  ExitCode giveUp(const std::string &reason, ExitCode code = ExitCode::Undecided) {
    llvm::errs() << source() << ": " << (isStrict() ? "error" : "remark") << ": not optimised: " << reason
                 << " [warpwright]\n";
    if (isStrict())
      return code;
    code = compileOriginal();
    if (code == ExitCode::Clean)
      if (llvm::Error error = mendDependencies(source()))
        llvm::errs() << source() << ": remark: " << llvm::toString(std::move(error)) << " [warpwright]\n";
    return code;
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
  std::string noToolkit_; ///< why there is none; empty where there is
  FileJob job_;
};

} // namespace

ExitCode runCompilerLauncher(const Options &options) {
  return Launcher(options).run();
}

} // namespace warpwright
