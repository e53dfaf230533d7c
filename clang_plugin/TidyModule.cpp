// WarpwrightTidy.so: findings as checks `cuda-<id>` of clang-tidy, so that editors have them. clang-tidy
// reads the host's side of a compile; one parse of the device's side serves all checks of a file.

#include "clang_plugin/Beside.h"
#include "clang_plugin/HostCommand.h"

#include <clang-tidy/ClangTidyCheck.h>
#include <clang-tidy/ClangTidyModule.h>
#include <clang/ASTMatchers/ASTMatchFinder.h>
#include <clang/ASTMatchers/ASTMatchers.h>
#include <clang/Lex/Preprocessor.h>

#include <set>

namespace warpwright {
namespace {

constexpr const char *defaultArchitecture = "sm_80";
constexpr const char *defaultConfidence = "0.5";

/// What was found in the file that is looked at now. Shared by the checks of one module.
class SharedResult {
public:
  const CheckedFile &of(const clang::Preprocessor &preprocessor, const clang::SourceManager &sources,
                        const std::string &architecture, double minConfidence) {
    llvm::Expected<ParseRequest> request = deviceRequest(preprocessor, sources, architecture);
    if (!request) {
      file_ = CheckedFile();
      key_.clear();
      file_.problems.push_back({CheckProblem::Kind::NotChecked, {}, llvm::toString(request.takeError())});
      return file_;
    }
    std::string key = keyOf(*request, minConfidence);
    if (key != key_) {
      file_ = checkRequest(*request, minConfidence);
      offered_.clear();
      key_ = std::move(key);
    }
    return file_;
  }

  /// Whether the change is offered for the first time: one may answer findings of two checks, and clang-tidy
  /// makes neither of two changes at one place.
  bool offer(const SuggestedFix &fix) {
    std::string change;
    for (const Edit &edit : fix.edits)
      change += edit.file + '\n' + std::to_string(edit.offset) + ' ' + std::to_string(edit.length) + '\n' +
                edit.text + '\n';
    return offered_.insert(std::move(change)).second;
  }

private:
  static std::string keyOf(const ParseRequest &request, double minConfidence) {
    std::string key = request.file + '\n' + request.architecture + '\n' + std::to_string(minConfidence);
    for (const std::string &argument : request.clangArguments)
      key += '\n' + argument;
    return key + '\n' + *request.text;
  }

  std::string key_;
  CheckedFile file_;
  std::set<std::string> offered_;
};

class FindingCheck : public clang::tidy::ClangTidyCheck {
public:
  FindingCheck(llvm::StringRef name, clang::tidy::ClangTidyContext *context, llvm::StringRef id,
               std::shared_ptr<SharedResult> shared)
      : ClangTidyCheck(name, context), id_(id), shared_(std::move(shared)),
        architecture_(Options.getLocalOrGlobal("Architecture", defaultArchitecture).str()),
        confidence_(Options.getLocalOrGlobal("MinConfidence", defaultConfidence).str()) {
    if (llvm::StringRef(confidence_).getAsDouble(minConfidence_) || minConfidence_ < 0 || minConfidence_ > 1)
      configurationDiag("'%0' is no number from 0 to 1") << confidence_;
    if (!llvm::StringRef(architecture_).starts_with("sm_"))
      configurationDiag("'%0' is no architecture; one is written as sm_80") << architecture_;
  }

  bool isLanguageVersionSupported(const clang::LangOptions &language) const override { return language.CUDA; }
  void storeOptions(clang::tidy::ClangTidyOptions::OptionMap &map) override {
    Options.store(map, "Architecture", architecture_);
    Options.store(map, "MinConfidence", confidence_);
  }
  void registerPPCallbacks(const clang::SourceManager &, clang::Preprocessor *preprocessor,
                           clang::Preprocessor *) override {
    preprocessor_ = preprocessor;
  }
  void registerMatchers(clang::ast_matchers::MatchFinder *finder) override {
    finder->addMatcher(clang::ast_matchers::translationUnitDecl().bind("unit"), this);
  }
  void check(const clang::ast_matchers::MatchFinder::MatchResult &result) override {
    const clang::SourceManager &sources = *result.SourceManager;
    const CheckedFile &file = shared_->of(*preprocessor_, sources, architecture_, minConfidence_);
    for (const CheckProblem &problem : file.problems)
      diag(startOf(problem.place, sources), "not checked: %0") << problem.message;
    std::set<std::pair<Place, std::string>> said; // instantiations of one template
    for (const CheckedKernel &kernel : file.kernels)
      for (const CheckedFinding &checked : kernel.findings)
        if (checked.finding.id == id_ && said.insert({checked.finding.place, checked.finding.message}).second)
          report(checked, sources);
  }

private:
  static clang::SourceLocation startOf(const Place &place, const clang::SourceManager &sources) {
    clang::SourceLocation location = locate(place, sources);
    return location.isValid() ? location : sources.getLocForStartOfFile(sources.getMainFileID());
  }

  void report(const CheckedFinding &checked, const clang::SourceManager &sources) {
    const Finding &finding = checked.finding;
    // As arguments: a percent sign in a text of ours would be taken for a directive.
    diag(locate(finding.place, sources), "%0") << finding.message;
    for (const auto &[place, text] : finding.notes)
      diag(locate(place, sources), "%0", clang::DiagnosticIDs::Note) << text;
    if (!finding.advice.empty())
      diag(locate(finding.place, sources), "%0", clang::DiagnosticIDs::Note) << finding.advice;
    for (const SuggestedFix &fix : checked.fixes)
      reportFix(fix, /*first=*/&fix == &checked.fixes.front(), sources);
  }

  /// At a note: what nobody measured is applied by `--fix-notes`, not by `--fix`; and of changes that answer
  /// one finding, only the first is offered to be applied.
  void reportFix(const SuggestedFix &fix, bool first, const clang::SourceManager &sources) {
    std::vector<clang::FixItHint> hints = fixItHints(fix, sources);
    if (hints.empty())
      return;
    auto builder =
        diag(locate(fix.edits.front().place, sources), first ? "%0" : "or %0", clang::DiagnosticIDs::Note);
    builder << fix.description;
    if (first && shared_->offer(fix))
      for (const clang::FixItHint &hint : hints)
        builder << hint;
  }

  llvm::StringRef id_;
  std::shared_ptr<SharedResult> shared_;
  std::string architecture_;
  std::string confidence_;
  double minConfidence_ = 0;
  clang::Preprocessor *preprocessor_ = nullptr;
};

class Module : public clang::tidy::ClangTidyModule {
public:
  void addCheckFactories(clang::tidy::ClangTidyCheckFactories &factories) override {
    auto shared = std::make_shared<SharedResult>();
    for (const FindingRule &rule : findingRules())
      factories.registerCheckFactory(
          ("cuda-" + rule.id).str(),
          [id = rule.id, shared](llvm::StringRef name, clang::tidy::ClangTidyContext *context) {
            return std::make_unique<FindingCheck>(name, context, id, shared);
          });
  }
};

// The only way that clang-tidy has to find a module.
const clang::tidy::ClangTidyModuleRegistry::Add<Module> registration("warpwright-module",
                                                                     "Findings of CUDA kernels.");

} // namespace
} // namespace warpwright
