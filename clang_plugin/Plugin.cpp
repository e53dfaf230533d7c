// WarpwrightPlugin.so: findings as warnings while Clang compiles CUDA. It runs in each device compilation, on
// a device IR of its own, and changes nothing of what is compiled.

#include "clang_plugin/Beside.h"
#include "clang_plugin/WarningSelection.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendPluginRegistry.h>
#include <llvm/ADT/STLExtras.h>

#include <set>

namespace warpwright {
namespace {

constexpr double defaultConfidence = 0.5;

struct PluginOptions {
  WarningSelection warnings;
  double minConfidence = defaultConfidence;
};

class Reporter {
public:
  Reporter(clang::CompilerInstance &compiler, const PluginOptions &options)
      : diagnostics_(compiler.getDiagnostics()), sources_(compiler.getSourceManager()), options_(options) {}

  void report(const CheckedFile &file) {
    for (const CheckProblem &problem : file.problems)
      say(clang::DiagnosticsEngine::Warning, problem.place, "Warpwright: " + problem.message);
    for (const CheckedKernel &kernel : file.kernels)
      for (const CheckedFinding &checked : kernel.findings)
        report(checked);
  }

private:
  void say(clang::DiagnosticsEngine::Level level, const Place &place, const std::string &text,
           llvm::ArrayRef<clang::FixItHint> hints = {}) {
    unsigned id = diagnostics_.getCustomDiagID(level, "%0");
    clang::DiagnosticBuilder builder = diagnostics_.Report(locate(place, sources_), id);
    builder << text;
    for (const clang::FixItHint &hint : hints)
      builder << hint;
  }

  void report(const CheckedFinding &checked) {
    const Finding &finding = checked.finding;
    WarningSelection::Level level = options_.warnings.of(finding.id);
    // Instantiations of one template have the same finding at the same place.
    if (level == WarningSelection::Level::Off ||
        !said_.insert({finding.place, finding.id, finding.message}).second)
      return;
    bool isError = level == WarningSelection::Level::Error;
    say(isError ? clang::DiagnosticsEngine::Error : clang::DiagnosticsEngine::Warning, finding.place,
        finding.message + (isError ? " [-Werror=warpwright-" : " [-Wwarpwright-") + finding.id + "]");
    for (const auto &[place, text] : finding.notes)
      say(clang::DiagnosticsEngine::Note, place, text);
    if (!finding.advice.empty())
      say(clang::DiagnosticsEngine::Note, finding.place, finding.advice);
    for (const SuggestedFix &fix : checked.fixes)
      reportFix(fix, /*first=*/&fix == &checked.fixes.front());
  }

  /// At the notes: what nobody measured is not applied by `-fixit` on its own. Of changes that answer one
  /// finding, a tool is to apply one.
  void reportFix(const SuggestedFix &fix, bool first) {
    std::vector<clang::FixItHint> hints = fixItHints(fix, sources_);
    if (!hints.empty())
      say(clang::DiagnosticsEngine::Note, fix.edits.front().place, (first ? "" : "or ") + fix.description,
          first ? hints : std::vector<clang::FixItHint>());
  }

  clang::DiagnosticsEngine &diagnostics_;
  const clang::SourceManager &sources_;
  const PluginOptions &options_;
  std::set<std::tuple<Place, std::string, std::string>> said_;
};

class Consumer : public clang::ASTConsumer {
public:
  Consumer(clang::CompilerInstance &compiler, PluginOptions options)
      : compiler_(compiler), options_(std::move(options)) {}

  void HandleTranslationUnit(clang::ASTContext &) override {
    // What does not compile has the compiler's own words.
    if (!compiler_.getDiagnostics().hasErrorOccurred())
      Reporter(compiler_, options_).report(checkBeside(compiler_.getInvocation(), options_.minConfidence));
  }

private:
  clang::CompilerInstance &compiler_;
  PluginOptions options_;
};

class Action : public clang::PluginASTAction {
protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler,
                                                        llvm::StringRef) override {
    if (!compiler.getLangOpts().CUDAIsDevice)
      return std::make_unique<clang::ASTConsumer>();
    return std::make_unique<Consumer>(compiler, options_);
  }

  /// First what the compiler's own -W options say of us, then the plugin's arguments.
  bool ParseArgs(const clang::CompilerInstance &compiler,
                 const std::vector<std::string> &arguments) override {
    std::vector<std::string> wrong;
    for (const std::string &option : compiler.getDiagnosticOpts().Warnings)
      if (auto [ours, mistake] = options_.warnings.apply(option); !mistake.empty())
        wrong.push_back(mistake);
    for (const std::string &argument : arguments)
      if (std::string mistake = takeArgument(argument); !mistake.empty())
        wrong.push_back(mistake);
    clang::DiagnosticsEngine &diagnostics = compiler.getDiagnostics();
    for (const std::string &mistake : wrong)
      diagnostics.Report(diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error, "WarpwrightPlugin: %0"))
          << mistake;
    return wrong.empty();
  }

  ActionType getActionType() override { return AddAfterMainAction; }

private:
  std::string takeArgument(llvm::StringRef argument) {
    llvm::StringRef value = argument;
    if (value.consume_front("min-confidence=")) {
      if (value.getAsDouble(options_.minConfidence) || options_.minConfidence < 0 ||
          options_.minConfidence > 1)
        return "'" + argument.str() + "' is not a number from 0 to 1";
      return {};
    }
    auto [ours, mistake] = options_.warnings.apply(value.consume_front("W") ? value : llvm::StringRef());
    return ours ? mistake
                : "there is no option '" + argument.str() + "'; there are min-confidence=<n> and W<option>";
  }

  PluginOptions options_;
};

// The only way that Clang has to find an action in a plugin.
const clang::FrontendPluginRegistry::Add<Action> registration("warpwright",
                                                              "findings of CUDA kernels as warnings");

} // namespace
} // namespace warpwright
