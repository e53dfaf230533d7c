#include "analysis/frontend/FrontEnd.h"

#include "analysis/frontend/Compatibility.h"
#include "analysis/frontend/Compiler.h"
#include "analysis/frontend/Optimise.h"
#include "analysis/frontend/ParseBeside.h"
#include "analysis/frontend/ParseErrors.h"
#include "analysis/frontend/Preamble.h"
#include "analysis/frontend/Remap.h"

#include <clang/Basic/DiagnosticSema.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <clang/Sema/CodeCompleteConsumer.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Target/TargetMachine.h>

namespace warpwright {
namespace {

/// LLVM's own handler prints "loop not unrolled" for every pragma that we leave alone on purpose, and ends
/// the process at an error.
class PassMessages : public llvm::DiagnosticHandler {
public:
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error || !firstError_.empty())
      return true;
    llvm::raw_string_ostream stream(firstError_);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    return true;
  }

  const std::string &firstError() const { return firstError_; }

private:
  std::string firstError_;
};

/// Runs the parse with Clang's IR generator as the only consumer; the generator outlives the parse, so that
/// symbols can be traced back to declarations.
class GenerateAction : public clang::ASTFrontendAction {
public:
  GenerateAction(llvm::LLVMContext &context, clang::CodeGenerator *&generator)
      : context_(context), generator_(generator) {}

protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler,
                                                        llvm::StringRef file) override {
    std::unique_ptr<clang::CodeGenerator> generator(clang::CreateLLVMCodeGen(compiler, file, context_));
    generator_ = generator.get();
    return generator;
  }

private:
  llvm::LLVMContext &context_;
  clang::CodeGenerator *&generator_;
};

/// Clang gives every parse of a process the actions of all plugins that the process has loaded; this one's
/// would start a parse of its own, without end, and others would say everything twice. Only a parse for code
/// completion is let alone, which is what one looks like while this is set.
class NoPlugins : public clang::CodeCompleteConsumer {
public:
  NoPlugins() : CodeCompleteConsumer({}), unit_(std::make_shared<clang::GlobalCodeCompletionAllocator>()) {}
  clang::CodeCompletionAllocator &getAllocator() override { return unit_.getAllocator(); }
  clang::CodeCompletionTUInfo &getCodeCompletionTUInfo() override { return unit_; }

private:
  clang::CodeCompletionTUInfo unit_;
};

/// One way to read a file.
struct Attempt {
  const char *name;
  bool nvccMacro = false;
  bool relocatable =
      false;          ///< a kernel launches kernels; the command line may say so only at the device link
  bool remap = false; ///< mend what the errors so far point at
  int rounds = 1;     ///< mending uncovers errors that others hid
};

/// In this order until one succeeds; those that answer no error of the ones before are left out. Only the
/// first is paid for by files that parse. __NVCC__ comes late, since it also sends Clang into code that was
/// written for nvcc alone.
constexpr Attempt attempts[] = {
    {.name = "as written"},
    {.name = "as relocatable device code", .relocatable = true},
    {.name = "remapped", .remap = true, .rounds = 4},
    {.name = "with __NVCC__", .nvccMacro = true},
    {.name = "remapped, with __NVCC__", .nvccMacro = true, .remap = true, .rounds = 4},
};

} // namespace

/// Fills a TranslationUnit step by step.
class UnitParser {
public:
  UnitParser(const ParseRequest &request, const Attempt &attempt, const Remapping &remapping)
      : request_(request), attempt_(attempt), remapping_(remapping) {}

  llvm::Expected<std::unique_ptr<TranslationUnit>> parse(bool usePreamble) {
    auto unit = std::make_unique<TranslationUnit>();
    unit->file_ = request_.file;
    unit->architecture_ = request_.architecture;
    unit->attempt_ = attempt_.name;
    llvm::Expected<std::shared_ptr<clang::CompilerInvocation>> invocation = createInvocation(request_);
    if (!invocation)
      return invocation.takeError();
    if (attempt_.nvccMacro)
      defineNvccMacro(**invocation);
    preamble_ = usePreamble ? attachPreamble(**invocation, request_) : "";
    remapTexts(**invocation, *unit);
    if (llvm::Error error = run(*unit, *invocation))
      return std::move(error);
    return unit;
  }

  /// By a given invocation, which is this parse's from here on.
  llvm::Expected<std::unique_ptr<TranslationUnit>>
  parseAs(std::shared_ptr<clang::CompilerInvocation> invocation) {
    auto unit = std::make_unique<TranslationUnit>();
    unit->file_ = request_.file;
    unit->architecture_ = request_.architecture;
    unit->attempt_ = attempt_.name;
    if (llvm::Error error = run(*unit, std::move(invocation)))
      return std::move(error);
    return unit;
  }

  /// Where the preamble that the last parse used lies; empty where it used none.
  const std::string &preamble() const { return preamble_; }
  /// Of the last parse.
  const ParseErrors &errors() const { return errors_; }

private:
  /// Behind the CUDA headers, which Clang's wrapper reads in its own way.
  static void defineNvccMacro(clang::CompilerInvocation &invocation) {
    std::vector<std::string> &includes = invocation.getPreprocessorOpts().Includes;
    auto last = llvm::find(includes, compatibilityHeader);
    if (last != includes.end())
      includes.insert(std::next(last), nvccMacroHeader);
  }

  void remapTexts(clang::CompilerInvocation &invocation, TranslationUnit &unit) {
    auto remap = [&](const std::string &name, const std::string &text) {
      invocation.getPreprocessorOpts().addRemappedFile(
          name, llvm::MemoryBuffer::getMemBufferCopy(text, name).release());
    };
    for (const auto &[name, file] : remapping_.files()) {
      remap(name, file.text());
      if (name == request_.file)
        unit.remapped_ = file;
    }
    if (request_.text && !unit.remapped_)
      remap(request_.file, *request_.text);
  }

  llvm::Error run(TranslationUnit &unit, std::shared_ptr<clang::CompilerInvocation> invocation) {
    auto errors = std::make_unique<ErrorCollector>();
    ErrorCollector &collector = *errors;
    unit.parseDiagnostics_ = std::move(errors);
    unit.context_ = std::make_unique<llvm::LLVMContext>();
    unit.context_->setDiagnosticHandler(std::make_unique<PassMessages>());
    unit.compiler_ = std::make_unique<clang::CompilerInstance>(std::move(invocation));
    clang::CompilerInstance &compiler = *unit.compiler_;
    compiler.createVirtualFileSystem(createFileSystem(compiler.getInvocation()));
    compiler.createDiagnostics(unit.parseDiagnostics_.get(), /*ShouldOwnClient=*/false);
    if (!compiler.createTarget())
      return llvm::createStringError("Clang has no target '" + request_.architecture + "'");

    auto action = std::make_unique<GenerateAction>(*unit.context_, unit.codeGenerator_);
    compiler.setCodeCompletionConsumer(new NoPlugins);
    bool begun = action->BeginSourceFile(compiler, compiler.getFrontendOpts().Inputs.front());
    compiler.setCodeCompletionConsumer(nullptr);
    if (!begun)
      return failure(collector, compiler);
    unit.action_ = std::move(action);
    if (llvm::Error error = unit.action_->Execute())
      return error;
    if (compiler.getDiagnostics().hasErrorOccurred())
      return failure(collector, compiler);
    return generate(unit);
  }

  llvm::Error failure(const ErrorCollector &collector, clang::CompilerInstance &compiler) {
    errors_ = collector.errors();
    // What the preamble mentions is not in this table before somebody asks for it.
    if (compiler.hasPreprocessor()) {
      clang::IdentifierTable &names = compiler.getPreprocessor().getIdentifierTable();
      errors_.asksForNvcc = names.find("__NVCC__") != names.end();
    }
    return llvm::make_error<ParseFailure>(errors_.place, errors_.message);
  }

  llvm::Error generate(TranslationUnit &unit) {
    unit.module_ = unit.codeGenerator_->ReleaseModule();
    if (!unit.module_)
      return llvm::createStringError("Clang made no device code of '" + request_.file + "'");
    llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine =
        createTargetMachine(unit.compiler_->getTargetOpts());
    if (!machine)
      return machine.takeError();
    unit.targetMachine_ = std::move(*machine);
    optimise(*unit.module_, *unit.targetMachine_);
    const auto *messages = static_cast<const PassMessages *>(unit.context_->getDiagHandlerPtr());
    return messages->firstError().empty() ? llvm::Error::success()
                                          : llvm::createStringError(messages->firstError());
  }

  const ParseRequest &request_;
  const Attempt &attempt_;
  const Remapping &remapping_;
  std::string preamble_;
  ParseErrors errors_;
};

namespace {

/// Climbs the attempts for one request, remembering what was learnt on the way.
class Ladder {
public:
  explicit Ladder(const ParseRequest &request) : request_(request) {}

  llvm::Expected<std::unique_ptr<TranslationUnit>> climb() {
    std::optional<ParseFailure> first;
    for (const Attempt &attempt : attempts) {
      for (int round = 0; round < attempt.rounds && prepare(attempt); ++round) {
        llvm::Expected<std::unique_ptr<TranslationUnit>> unit = parse(attempt);
        if (unit)
          return unit;
        llvm::Error fault = llvm::handleErrors(unit.takeError(), [&](const ParseFailure &failure) {
          if (!first)
            first = failure;
        });
        if (fault)
          return std::move(fault);
      }
    }
    return llvm::make_error<ParseFailure>(std::move(*first));
  }

private:
  /// False when the attempt would fail as the one before did.
  bool prepare(const Attempt &attempt) {
    if (attempt.relocatable) {
      if (!errors_.has(clang::diag::err_cuda_device_kernel_launch_require_rdc))
        return false;
      request_.clangArguments.push_back("-fgpu-rdc"); // for this attempt and those behind it
      return true;
    }
    if (attempt.remap)
      return remapping_.learn(errors_);
    return !attempt.nvccMacro || errors_.asksForNvcc;
  }

  llvm::Expected<std::unique_ptr<TranslationUnit>> parse(const Attempt &attempt) {
    UnitParser parser(request_, attempt, remapping_);
    llvm::Expected<std::unique_ptr<TranslationUnit>> unit = parser.parse(/*usePreamble=*/true);
    errors_ = parser.errors();
    if (unit || parser.preamble().empty() || !errors_.badPreamble)
      return unit;
    // A stale or damaged preamble must not pass for an error in the user's code: drop it and ask the sources.
    llvm::consumeError(unit.takeError());
    llvm::sys::fs::remove(parser.preamble());
    unit = parser.parse(/*usePreamble=*/false);
    errors_ = parser.errors();
    return unit;
  }

  ParseRequest request_;
  Remapping remapping_;
  ParseErrors errors_;
};

} // namespace

llvm::Expected<std::unique_ptr<TranslationUnit>> parseBeside(const clang::CompilerInvocation &other) {
  auto invocation = std::make_shared<clang::CompilerInvocation>(other);
  prepareForAnalysis(*invocation);
  ParseRequest request;
  request.file = other.getFrontendOpts().Inputs.front().getFile().str();
  request.architecture = other.getTargetOpts().CPU;
  Remapping nothing;
  return UnitParser(request, attempts[0], nothing).parseAs(std::move(invocation));
}

char ParseFailure::ID = 0;

void ParseFailure::log(llvm::raw_ostream &stream) const {
  if (place.known())
    stream << place.file << ':' << place.line << ':' << place.column << ": ";
  stream << "error: " << message;
}

llvm::Expected<std::unique_ptr<TranslationUnit>> parseTranslationUnit(const ParseRequest &request) {
  llvm::SmallString<256> path(request.file);
  if (!request.directory.empty())
    llvm::sys::path::make_absolute(request.directory, path);
  if (!request.text && !llvm::sys::fs::exists(path))
    return llvm::createStringError("cannot read '" + request.file + "'");

  return Ladder(request).climb();
}

} // namespace warpwright
