#include "feedback/agents/Admission.h"

#include "feedback/agents/AdmittedCode.h"
#include "feedback/agents/AdmittedText.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSet.h>

namespace warpwright::agents {
namespace {

/// Macros of that kind that say what a function or variable is, and nothing of who compiles it.
constexpr llvm::StringLiteral harmlessMacros[] = {
    "__align__",         "__cluster_dims__", "__constant__",      "__device__",
    "__forceinline__",   "__global__",       "__grid_constant__", "__inline__",
    "__launch_bounds__", "__noinline__",     "__restrict__",      "__shared__"};

class Admission {
public:
  Admission(const AdmissionSide &original, const AdmissionSide &candidate, const AgentPolicy &policy,
            bool launchChanges)
      : original_(original), candidate_(candidate), policy_(policy), launchChanges_(launchChanges),
        before_(readText(original)), after_(readText(candidate)) {}

  std::optional<Refusal> find() {
    if (!before_.kernel() || !after_.kernel())
      return refuse("foreign-change", "the kernel's definition is not text of the file itself", 0);
    if (std::optional<Refusal> refusal = compareRest())
      return refusal;
    collectTouched();
    if (std::optional<Refusal> refusal = checkHelpers())
      return refusal;
    for (const ChangeableFunction *function : touched_)
      if (std::optional<Refusal> refusal = checkText(*function))
        return refusal;
    return checkCode();
  }

private:
  std::optional<Refusal> refuse(std::string code, std::string reason, unsigned offset) const {
    unsigned line = 0;
    if (offset != 0) {
      const clang::SourceManager &sources = candidate_.ast->getSourceManager();
      line = sources.getLineNumber(sources.getMainFileID(), offset);
    }
    return Refusal{std::move(code), std::move(reason), line};
  }

  bool isAllowed(llvm::StringRef code) const { return policy_.allowed.count(code.str()) != 0; }

  /// What a policy lets come and go outside of the functions that may change.
  bool isFree(const SourceToken &token) const {
    llvm::StringRef name = directiveName(token);
    return (name == "include" && isAllowed("includes")) ||
           ((name == "define" || name == "undef") && isAllowed("macros"));
  }

  std::optional<Refusal> compareRest() const {
    std::vector<const SourceToken *> before = before_.rest(), after = after_.rest();
    llvm::erase_if(before, [&](const SourceToken *token) { return isFree(*token); });
    llvm::erase_if(after, [&](const SourceToken *token) { return isFree(*token); });
    for (size_t i = 0; i < std::max(before.size(), after.size()); ++i) {
      if (i < before.size() && i < after.size() && before[i]->text == after[i]->text)
        continue;
      const SourceToken *there = i < after.size() ? after[i] : nullptr;
      const SourceToken *was = i < before.size() ? before[i] : nullptr;
      return refuseForeign(there, was);
    }
    return std::nullopt;
  }

  std::optional<Refusal> refuseForeign(const SourceToken *there, const SourceToken *was) const {
    unsigned offset = there ? there->offset : 0;
    for (const SourceToken *token : {there, was})
      if (token && token->isDirective) {
        std::string code = directiveName(*token) == "include" ? "includes" : "macros";
        return refuse(code, "a directive of the preprocessor came or went: '" + token->text + "'", offset);
      }
    std::string what = there ? "'" + there->text + "' is there" : std::string("the file ends");
    what += was ? " where '" + was->text + "' was" : " where the file ended";
    return refuse("foreign-change",
                  "something else than the kernel and its device functions changed: " + what, offset);
  }

  void collectTouched() {
    for (const ChangeableFunction &function : after_.functions) {
      const ChangeableFunction *was = function.isKernel ? before_.kernel() : before_.find(function.signature);
      if (function.isKernel || !was || before_.textOf(*was) != after_.textOf(function))
        touched_.push_back(&function);
    }
  }

  std::optional<Refusal> checkHelpers() const {
    const llvm::StringSet<> shared = usedByOthers();
    for (const ChangeableFunction &was : before_.functions) {
      const ChangeableFunction *now = was.isKernel ? after_.kernel() : after_.find(was.signature);
      const bool changed = !now || before_.textOf(was) != after_.textOf(*now);
      if (was.isKernel || !changed)
        continue;
      if (shared.contains(lastName(was.name)))
        return refuse("shared-helper",
                      "'" + was.name + "' changed, which other code of the file uses, too: write a new one",
                      now ? now->begin : 0);
      if (launchChanges_)
        return refuse("shared-helper",
                      "'" + was.name +
                          "' changed, and the original kernel, which stays for other launches, "
                          "uses it: write a new one",
                      now ? now->begin : 0);
    }
    for (const ChangeableFunction *function : touched_)
      if (!function->isKernel && !before_.find(function->signature) && isTaken(lastName(function->name)))
        return refuse("taken-name",
                      "the new function's name '" + lastName(function->name).str() +
                          "' means something already, so that other code could come to call it",
                      function->begin);
    return std::nullopt;
  }

  static llvm::StringRef lastName(llvm::StringRef qualified) {
    size_t colon = qualified.rfind("::");
    return colon == llvm::StringRef::npos ? qualified : qualified.drop_front(colon + 2);
  }

  /// Names of device functions that code outside of the kernel leads to, by the names that texts hold: a
  /// macro, a template or an overload hides none of them.
  llvm::StringSet<> usedByOthers() const {
    llvm::StringSet<> known, used;
    for (const ChangeableFunction &function : before_.functions)
      if (!function.isKernel)
        known.insert(lastName(function.name));
    auto note = [&](const SourceToken &token) {
      // A macro's definition is one token, and may name anything.
      if (token.isDirective) {
        for (const auto &name : known)
          if (llvm::StringRef(token.text).contains(name.getKey()))
            used.insert(name.getKey());
      } else if (token.isIdentifier && known.contains(token.text)) {
        used.insert(token.text);
      }
    };
    for (const SourceToken *token : before_.rest())
      note(*token);
    for (size_t size = used.size() + 1; size != used.size();) {
      size = used.size();
      for (const ChangeableFunction &function : before_.functions)
        if (!function.isKernel && used.contains(lastName(function.name)))
          for (const SourceToken &token : before_.tokens)
            if (!token.isComment && function.contains(token) && token.text != lastName(function.name))
              note(token);
    }
    return used;
  }

  bool isTaken(llvm::StringRef name) const {
    for (const SourceToken &token : before_.tokens)
      if (token.isDirective ? llvm::StringRef(token.text).contains(name) : token.text == name)
        return true;
    clang::ASTContext &ast = *original_.ast;
    const clang::IdentifierInfo &identifier = ast.Idents.get(name);
    return identifier.hadMacroDefinition() || identifier.getBuiltinID() != 0 ||
           !ast.getTranslationUnitDecl()->lookup(&identifier).empty();
  }

  /// Directives, macros and comments in what changed.
  std::optional<Refusal> checkText(const ChangeableFunction &function) const {
    const clang::ASTContext &ast = *candidate_.ast;
    for (const SourceToken &token : after_.tokens) {
      if (!function.contains(token))
        continue;
      llvm::StringRef text = token.text;
      if (token.isDirective && !isUnrollHint(token) && !isFree(token) && !hadDirective(token))
        return refuse(directiveName(token) == "include" ? "includes" : "macros",
                      "a directive of the preprocessor is new: '" + token.text + "'", token.offset);
      if (token.isComment && (text.contains("warpwright:") || text.contains("NOLINT")))
        return refuse("suppression", "a comment speaks to the tools that check this code", token.offset);
      if (!token.isIdentifier || isAllowed("macros"))
        continue;
      const bool tells = isTelling(text, ast) && !hadWord(text);
      if (tells || text == "_Pragma" || text.starts_with("WARPWRIGHT") || text == "__asm")
        return refuse("macros", "'" + token.text + "' tells compilers or passes apart, or speaks to them",
                      token.offset);
    }
    return std::nullopt;
  }

  static bool isTelling(llvm::StringRef text, const clang::ASTContext &ast) {
    if (!text.starts_with("__") || llvm::is_contained(harmlessMacros, text))
      return false;
    auto found = ast.Idents.find(text);
    return found != ast.Idents.end() && found->second->hadMacroDefinition();
  }

  /// Whether the original's kernel or device functions hold the word.
  bool hadWord(llvm::StringRef word) const {
    return llvm::any_of(before_.tokens, [&](const SourceToken &token) {
      return token.isIdentifier && token.text == word && before_.holderOf(token);
    });
  }
  bool hadDirective(const SourceToken &directive) const {
    return llvm::any_of(before_.tokens, [&](const SourceToken &token) {
      return token.isDirective && token.text == directive.text && before_.holderOf(token);
    });
  }

  std::optional<Refusal> checkCode() const {
    const UsedCode used = usedCode(*original_.kernel);
    for (const ChangeableFunction *function : touched_)
      if (std::optional<CodeRefusal> refusal =
              checkAttributes(*function->function, *before_.kernel()->function, function->isKernel))
        if (!isAllowed(refusal->code))
          return refuse(refusal->code, refusal->reason, function->begin);
    std::vector<const clang::FunctionDecl *> roots = {candidate_.kernel};
    for (const ChangeableFunction *function : touched_)
      if (!function->isKernel)
        roots.push_back(function->function);
    auto isAllowedCode = [&](llvm::StringRef code) { return isAllowed(code); };
    if (std::optional<CodeRefusal> refusal = findForbiddenCode(roots, used, *candidate_.ast, isAllowedCode)) {
      const clang::SourceManager &sources = candidate_.ast->getSourceManager();
      clang::FileIDAndOffset place = sources.getDecomposedExpansionLoc(refusal->location);
      return refuse(refusal->code, refusal->reason,
                    place.first == sources.getMainFileID() ? place.second : 0);
    }
    return std::nullopt;
  }

  AdmissionSide original_;
  AdmissionSide candidate_;
  const AgentPolicy &policy_;
  bool launchChanges_;
  AdmittedText before_;
  AdmittedText after_;
  std::vector<const ChangeableFunction *> touched_; ///< of the candidate: changed or new
};

} // namespace

std::optional<Refusal> findRefusal(const AdmissionSide &original, const AdmissionSide &candidate,
                                   const AgentPolicy &policy, bool launchChanges) {
  return Admission(original, candidate, policy, launchChanges).find();
}

} // namespace warpwright::agents
