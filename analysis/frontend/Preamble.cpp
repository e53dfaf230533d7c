#include "analysis/frontend/Preamble.h"

#include "analysis/frontend/Compatibility.h"
#include "analysis/frontend/Compiler.h"

#include <clang/Basic/Version.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/SemaConsumer.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/CachePruning.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Process.h>
#include <llvm/Support/SHA256.h>

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

namespace warpwright {
namespace {

/// Whether the argument may name a file or a folder from the working directory. In doubt it does.
bool mayBeRelative(llvm::StringRef argument) {
  for (llvm::StringRef option : {"-isystem", "-iquote", "-idirafter", "-include", "-I", "-L"})
    if (argument.consume_front(option))
      return !argument.empty() && !llvm::sys::path::is_absolute(argument);
  for (llvm::StringRef option :
       {"-D", "-U", "-O", "-W", "-f", "-g", "-m", "-std=", "--std=", "-pthread", "-nocuda"})
    if (argument.starts_with(option)) {
      llvm::StringRef value = argument.split('=').second;
      return value.contains('/') && !llvm::sys::path::is_absolute(value);
    }
  return !llvm::sys::path::is_absolute(argument);
}

/// Counts what is made of the same headers and flags.
constexpr llvm::StringLiteral preambleForm = "2";

/// Everything that decides what the preamble holds. The toolkit's own header stands for all of its headers.
std::string preambleKey(const ParseRequest &request) {
  llvm::SHA256 hash;
  auto add = [&hash](llvm::StringRef text) {
    hash.update(text);
    hash.update(llvm::StringRef("\0", 1));
  };
  add(preambleForm);
  add(clang::getClangFullVersion());
  add(compatibilityText);
  add(request.architecture);
  add(request.cudaPath);
  // Targets of one project are compiled in folders of their own, mostly with the same absolute paths.
  if (llvm::any_of(request.clangArguments, mayBeRelative))
    add(request.directory);
  for (const std::string &argument : request.clangArguments)
    add(argument);
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(request.cudaPath + "/include/cuda.h", status))
    add(std::to_string(status.getLastModificationTime().time_since_epoch().count()));
  return llvm::toHex(hash.final(), /*LowerCase=*/true).substr(0, 24);
}

/// Leaves out what Clang would do again at the end of every file that reads the preamble: with a file's own
/// kernels it walks over all device functions of the headers once more, to find calls of the host's functions
/// in them. A kernel's calls are followed into the headers all the same.
class Trimmer : public clang::SemaConsumer {
public:
  void InitializeSema(clang::Sema &sema) override { sema_ = &sema; }
  void ForgetSema() override { sema_ = nullptr; }
  void HandleTranslationUnit(clang::ASTContext &) override {
    if (sema_)
      sema_->DeclsToCheckForDeferredDiags.clear();
  }

private:
  clang::Sema *sema_ = nullptr;
};

class PreambleAction : public clang::GeneratePCHAction {
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler,
                                                        llvm::StringRef file) override {
    std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
    consumers.push_back(std::make_unique<Trimmer>());
    consumers.push_back(clang::GeneratePCHAction::CreateASTConsumer(compiler, file));
    return consumers.back() ? std::make_unique<clang::MultiplexConsumer>(std::move(consumers)) : nullptr;
  }
};

bool buildPreamble(const clang::CompilerInvocation &parse, llvm::StringRef path) {
  llvm::SmallString<256> temporary(path);
  temporary += ".";
  temporary += std::to_string(llvm::sys::Process::getProcessId());

  auto invocation = std::make_shared<clang::CompilerInvocation>(parse);
  clang::FrontendOptions &frontend = invocation->getFrontendOpts();
  std::unique_ptr<llvm::MemoryBuffer> nothing =
      llvm::MemoryBuffer::getMemBuffer("\n", "warpwright-preamble.h");
  frontend.Inputs = {clang::FrontendInputFile(*nothing, clang::InputKind(clang::Language::CUDA).getHeader())};
  frontend.OutputFile = std::string(temporary);
  frontend.ProgramAction = clang::frontend::GeneratePCH;
  invocation->getPreprocessorOpts().Includes = {cudaWrapperHeader, compatibilityHeader};
  // Once here instead of once in every file.
  invocation->getLangOpts().PCHInstantiateTemplates = true;

  clang::CompilerInstance compiler(invocation);
  clang::IgnoringDiagConsumer silence;
  compiler.createVirtualFileSystem(createFileSystem(*invocation));
  compiler.createDiagnostics(&silence, /*ShouldOwnClient=*/false);
  PreambleAction action;
  bool built = compiler.ExecuteAction(action) && !compiler.getDiagnostics().hasErrorOccurred();
  if (!built || llvm::sys::fs::rename(temporary, path)) {
    llvm::sys::fs::remove(temporary);
    return false;
  }
  return true;
}

/// The right to build a preamble: of several processes that miss the same one, the first builds it and the
/// others wait, which is sooner than building it once more on a processor that somebody uses. A process that
/// ends lets go. Who waits for too long, or cannot have the lock at all, builds one of his own.
class BuildTurn {
public:
  explicit BuildTurn(llvm::StringRef path)
      : file_(::open((path + ".lock").str().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    constexpr std::chrono::seconds limit(20);
    constexpr std::chrono::milliseconds pause(5);
    const auto start = std::chrono::steady_clock::now();
    while (file_ >= 0 && ::flock(file_, LOCK_EX | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EINTR) &&
           std::chrono::steady_clock::now() - start < limit)
      std::this_thread::sleep_for(pause);
  }
  BuildTurn(const BuildTurn &) = delete;
  BuildTurn &operator=(const BuildTurn &) = delete;
  ~BuildTurn() {
    if (file_ >= 0)
      ::close(file_);
  }

private:
  int file_;
};

/// Old toolkits, old Clangs and flags that nobody uses any more leave preambles of ten megabytes each behind.
/// LLVM prunes by the last access, and only files of its prefix.
constexpr const char *filePrefix = "llvmcache-preamble-";
void pruneOldPreambles(llvm::StringRef directory) {
  llvm::CachePruningPolicy policy;
  policy.Expiration = std::chrono::hours(30 * 24);
  policy.MaxSizeBytes = uint64_t(1) << 30;
  llvm::pruneCache(directory, policy);
}

} // namespace

std::string attachPreamble(clang::CompilerInvocation &invocation, const ParseRequest &request) {
  std::vector<std::string> &includes = invocation.getPreprocessorOpts().Includes;
  // The wrapper comes first wherever Clang compiles CUDA, and ours behind it; were they elsewhere, a preamble
  // would reorder the headers.
  bool usual = includes.size() > 1 && includes[0] == cudaWrapperHeader && includes[1] == compatibilityHeader;
  if (request.cacheDirectory.empty() || !usual)
    return {};
  if (llvm::sys::fs::create_directories(request.cacheDirectory))
    return {};
  llvm::SmallString<256> path(request.cacheDirectory);
  llvm::sys::path::append(path, filePrefix + preambleKey(request) + ".pch");
  if (!llvm::sys::fs::exists(path)) {
    BuildTurn turn(path);
    if (!llvm::sys::fs::exists(path) && !buildPreamble(invocation, path))
      return {};
    pruneOldPreambles(request.cacheDirectory);
  }
  includes.erase(includes.begin(), includes.begin() + 2);
  invocation.getPreprocessorOpts().ImplicitPCHInclude = std::string(path);
  return std::string(path);
}

} // namespace warpwright
