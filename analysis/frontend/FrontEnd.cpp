#include "analysis/frontend/FrontEnd.h"

#include "analysis/frontend/Compatibility.h"
#include "analysis/frontend/Compiler.h"
#include "analysis/frontend/Optimise.h"
#include "analysis/frontend/Preamble.h"

#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Target/TargetMachine.h>

namespace warpwright {
namespace {

/// Keeps the first error. Warnings of the parse are nvcc's to give: it compiles the same file with the same
/// flags.
class FirstErrorConsumer : public clang::DiagnosticConsumer {
public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &info) override {
    DiagnosticConsumer::HandleDiagnostic(level, info);
    if (level < clang::DiagnosticsEngine::Error || !message.empty())
      return;
    llvm::SmallString<128> text;
    info.FormatDiagnostic(text);
    message = std::string(text);
    if (!info.hasSourceManager() || info.getLocation().isInvalid())
      return;
    clang::PresumedLoc location = info.getSourceManager().getPresumedLoc(info.getLocation());
    if (location.isValid())
      place = {location.getFilename(), location.getLine(), location.getColumn()};
  }

  Place place;
  std::string message;
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

} // namespace

/// Fills a TranslationUnit step by step.
class UnitParser {
public:
  explicit UnitParser(const ParseRequest &request) : request_(request) {}

  llvm::Expected<std::unique_ptr<TranslationUnit>> parse(bool usePreamble) {
    auto unit = std::make_unique<TranslationUnit>();
    unit->file_ = request_.file;
    unit->architecture_ = request_.architecture;
    llvm::Expected<std::shared_ptr<clang::CompilerInvocation>> invocation = createInvocation(request_);
    if (!invocation)
      return invocation.takeError();
    if (usePreamble)
      preamble_ = attachPreamble(**invocation, request_);
    if (request_.text)
      remapText(**invocation);
    if (llvm::Error error = run(*unit, *invocation))
      return std::move(error);
    return unit;
  }

  /// Where the preamble that the last parse used lies; empty where it used none.
  const std::string &preamble() const { return preamble_; }

private:
  void remapText(clang::CompilerInvocation &invocation) {
    std::unique_ptr<llvm::MemoryBuffer> buffer =
        llvm::MemoryBuffer::getMemBufferCopy(*request_.text, request_.file);
    invocation.getPreprocessorOpts().addRemappedFile(request_.file, buffer.release());
  }

  llvm::Error run(TranslationUnit &unit, std::shared_ptr<clang::CompilerInvocation> invocation) {
    auto errors = std::make_unique<FirstErrorConsumer>();
    FirstErrorConsumer &firstError = *errors;
    unit.parseDiagnostics_ = std::move(errors);
    unit.context_ = std::make_unique<llvm::LLVMContext>();
    unit.compiler_ = std::make_unique<clang::CompilerInstance>(std::move(invocation));
    clang::CompilerInstance &compiler = *unit.compiler_;
    compiler.createVirtualFileSystem(createFileSystem(compiler.getInvocation()));
    compiler.createDiagnostics(unit.parseDiagnostics_.get(), /*ShouldOwnClient=*/false);
    if (!compiler.createTarget())
      return llvm::createStringError("Clang has no target '" + request_.architecture + "'");

    auto action = std::make_unique<GenerateAction>(*unit.context_, unit.codeGenerator_);
    if (!action->BeginSourceFile(compiler, compiler.getFrontendOpts().Inputs.front()))
      return llvm::make_error<ParseFailure>(firstError.place, firstError.message);
    unit.action_ = std::move(action);
    if (llvm::Error error = unit.action_->Execute())
      return error;
    if (compiler.getDiagnostics().hasErrorOccurred())
      return llvm::make_error<ParseFailure>(firstError.place, firstError.message);
    return generate(unit);
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
    return llvm::Error::success();
  }

  const ParseRequest &request_;
  std::string preamble_;
};

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

  UnitParser parser(request);
  llvm::Expected<std::unique_ptr<TranslationUnit>> unit = parser.parse(/*usePreamble=*/true);
  if (unit || parser.preamble().empty())
    return unit;
  // A stale or damaged preamble must not pass for an error in the user's code: drop it and ask the sources.
  llvm::consumeError(unit.takeError());
  llvm::sys::fs::remove(parser.preamble());
  return parser.parse(/*usePreamble=*/false);
}

} // namespace warpwright
