#include "analysis/frontend/Compiler.h"

#include "analysis/frontend/Compatibility.h"
#include "analysis/frontend/Config.h"

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Driver/Compilation.h>
#include <clang/Driver/Driver.h>
#include <clang/Frontend/TextDiagnosticBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/TargetParser/Host.h>

namespace warpwright {
namespace {

/// The newest toolkit that Clang 22 knows in full. Newer ones parse, but without a version Clang would expect
/// the launch protocol of CUDA 9.
constexpr const char *newestKnownToolkit = "12.9";

std::vector<std::string> driverArguments(const ParseRequest &request) {
  std::vector<std::string> arguments = {WARPWRIGHT_CLANG_EXECUTABLE,
                                        "-x",
                                        "cuda",
                                        "--cuda-device-only",
                                        "--cuda-gpu-arch=" + request.architecture,
                                        "--cuda-path=" + request.cudaPath,
                                        "-Wno-unknown-cuda-version",
                                        "-D__WARPWRIGHT__=1"};
  arguments.insert(arguments.end(), request.clangArguments.begin(), request.clangArguments.end());
  // Last, so that a user's own -O and -g do not take away what the facts rest on.
  arguments.insert(arguments.end(),
                   {"-O1", "-gline-tables-only", "-isystem", request.cudaPath + "/include/cccl", "-S",
                    "-emit-llvm", "-o", "-", request.file});
  return arguments;
}

/// The device compilation's -cc1 arguments, less the linking of libdevice: facts need the names of math
/// functions, not their bodies.
llvm::opt::ArgStringList compilerArguments(const clang::driver::Command &job) {
  llvm::opt::ArgStringList arguments;
  const llvm::opt::ArgStringList &all = job.getArguments();
  for (size_t i = 0; i < all.size(); ++i) {
    llvm::StringRef argument = all[i];
    if (argument == "-mlink-builtin-bitcode") {
      ++i;
      continue;
    }
    if (argument != "-cc1" && argument != "-discard-value-names")
      arguments.push_back(all[i]);
  }
  return arguments;
}

std::string firstError(const clang::TextDiagnosticBuffer &buffer) {
  if (buffer.err_begin() == buffer.err_end())
    return "Clang's driver made no device compilation of these arguments";
  return buffer.err_begin()->second;
}

} // namespace

void prepareForAnalysis(clang::CompilerInvocation &invocation) {
  clang::CodeGenOptions &code = invocation.getCodeGenOpts();
  code.OptimizationLevel = 1;
  code.setInlining(clang::CodeGenOptions::NormalInlining); // -O0 forbids it, function by function
  code.DisableO0ImplyOptNone = true;                       // in case it was -O0
  code.DiscardValueNames = false;
  code.setDebugInfo(llvm::codegenoptions::DebugLineTablesOnly);
  code.LinkBitcodeFiles.clear(); // facts need the names of math functions, not their bodies
  code.ClearASTBeforeBackend = false;
  if (invocation.getTargetOpts().SDKVersion.empty())
    (void)invocation.getTargetOpts().SDKVersion.tryParse(newestKnownToolkit);
  clang::FrontendOptions &frontend = invocation.getFrontendOpts();
  frontend.ProgramAction = clang::frontend::EmitLLVMOnly;
  frontend.OutputFile = "-";
  frontend.DisableFree = false;
  frontend.Plugins.clear();
  frontend.PluginArgs.clear();
  frontend.AddPluginActions.clear();
  invocation.getDependencyOutputOpts() = {};
  clang::DiagnosticOptions &diagnostics = invocation.getDiagnosticOpts();
  diagnostics.IgnoreWarnings = true; // the other compilation says them
  diagnostics.ShowCarets = false;    // nor counts them at the end
  diagnostics.DiagnosticSerializationFile.clear();
}

llvm::Expected<std::shared_ptr<clang::CompilerInvocation>> createInvocation(const ParseRequest &request) {
  clang::DiagnosticOptions options;
  auto buffer = std::make_unique<clang::TextDiagnosticBuffer>();
  clang::TextDiagnosticBuffer &messages = *buffer;
  clang::DiagnosticsEngine diagnostics(clang::DiagnosticIDs::create(), options, buffer.release());

  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files = llvm::vfs::createPhysicalFileSystem();
  if (!request.directory.empty() && files->setCurrentWorkingDirectory(request.directory))
    return llvm::createStringError("cannot work in '" + request.directory + "'");
  clang::driver::Driver driver(WARPWRIGHT_CLANG_EXECUTABLE, llvm::sys::getDefaultTargetTriple(), diagnostics,
                               "warpwright", files);
  driver.setCheckInputsExist(false);

  std::vector<std::string> arguments = driverArguments(request);
  std::vector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());
  std::unique_ptr<clang::driver::Compilation> compilation(driver.BuildCompilation(pointers));
  if (!compilation || compilation->getJobs().empty() || diagnostics.hasErrorOccurred())
    return llvm::createStringError(firstError(messages));

  const clang::driver::Command &job = *compilation->getJobs().begin();
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, compilerArguments(job), diagnostics))
    return llvm::createStringError(firstError(messages));
  if (invocation->getTargetOpts().SDKVersion.empty())
    (void)invocation->getTargetOpts().SDKVersion.tryParse(newestKnownToolkit);
  if (!request.directory.empty())
    invocation->getFileSystemOpts().WorkingDir = request.directory;
  invocation->getFrontendOpts().DisableFree = false;
  invocation->getDiagnosticOpts().ShowCarets = false; // with them goes the count of warnings at the end
  addCompatibility(*invocation);
  return invocation;
}

} // namespace warpwright
