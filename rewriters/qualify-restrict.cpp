// Adds `__restrict__` to the pointer parameters of a kernel, so that a value once loaded need not be loaded
// again after a store through another pointer, and so that what is only read may go through the read-only
// cache.
//
// Legal for a parameter where nothing that is accessed through it is accessed otherwise while one of the two
// writes: the annotation's domain keeps the buffers apart, or neither side writes, or the author promised it
// of the other pointer already. `restrict` speaks of one thread. Where threads hand values to each other
// through the buffer, the compiler could move an access over the barrier between them, so such parameters are
// left alone.
//
// `const` is not added: a pointee's const is part of the kernel's type, hence of its symbol, and nvcc finds
// out by itself that a restricted pointer is only read.

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/KernelProposer.h"
#include "rewriters/aliasing/AliasJudge.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/TypeLoc.h>

namespace warpwright {
namespace {

constexpr const char *id = "qualify-restrict";

std::string inQuotes(llvm::StringRef name) {
  return ("'" + name + "'").str();
}

class Proposer : KernelProposer {
public:
  explicit Proposer(const RewriteContext &context) : KernelProposer(context, id) {}

  llvm::Expected<Proposals> propose() {
    for (const KernelAnalysis *version : context_.versions)
      uses_.emplace_back(version->facts);
    std::vector<const KernelParameter *> open;
    for (const KernelParameter &parameter : analysis_.kernel.parameters)
      if (parameter.isPointer && !parameter.isRestrict && !parameter.name.empty() &&
          isAccessed(parameter.name))
        open.push_back(&parameter);
    if (open.empty() || !hasGain())
      return std::move(proposals_);
    for (const ObjectUses &uses : uses_)
      if (!uses.hidden().empty()) {
        decline(uses.hidden());
        return std::move(proposals_);
      }
    Candidate candidate;
    for (const KernelParameter *parameter : open)
      consider(*parameter, candidate);
    if (!candidate.edits.empty())
      offer(std::move(candidate));
    return std::move(proposals_);
  }

private:
  bool isAccessed(llvm::StringRef name) const {
    return llvm::any_of(uses_, [&](const ObjectUses &uses) { return uses.find(name); });
  }

  /// Without a write, or with one object alone, there is nothing that could overlap.
  bool hasGain() const {
    return llvm::any_of(uses_, [](const ObjectUses &uses) {
      return uses.all().size() + !uses.hidden().empty() >= 2 &&
             llvm::any_of(uses.all(), [](const ObjectUse &use) { return use.written; });
    });
  }

  void consider(const KernelParameter &parameter, Candidate &candidate) {
    const clang::FunctionDecl &kernel = *analysis_.kernel.declaration;
    unsigned position = &parameter - analysis_.kernel.parameters.data();
    Place place = placeAt(kernel.getParamDecl(position)->getLocation());
    for (size_t i = 0; i < uses_.size(); ++i) {
      const ObjectUse *use = uses_[i].find(parameter.name);
      if (!use)
        continue;
      std::string reason = AliasJudge(*context_.versions[i], uses_[i]).whyNot(*use, candidate.assumptions);
      if (!reason.empty())
        return decline(place, inQuotes(parameter.name) + ": " + reason);
    }
    std::vector<Edit> edits;
    if (std::string reason = qualify(position, edits); !reason.empty())
      return decline(place, inQuotes(parameter.name) + ": " + reason);
    llvm::append_range(candidate.edits, std::move(edits));
    candidate.claims.push_back({"restricted-parameter", parameter.name});
    candidate.subject += (candidate.subject.empty() ? "" : ", ") + parameter.name;
  }

  /// The edits that qualify the parameter wherever nvcc takes its type from; else why there are none.
  std::string qualify(unsigned position, std::vector<Edit> &edits) const {
    const clang::FunctionDecl *definition = analysis_.kernel.declaration;
    unsigned parameters = definition->getNumParams();
    if (const clang::FunctionDecl *pattern = definition->getTemplateInstantiationPattern())
      definition = pattern;
    if (definition->getNumParams() != parameters)
      return "it stems from a parameter pack";
    std::string reason = qualify(*definition->getParamDecl(position), edits);
    // Of a template, nvcc takes the parameters' types from the first declaration.
    if (const clang::FunctionTemplateDecl *described = definition->getDescribedFunctionTemplate())
      for (const auto *other : described->redecls())
        if (reason.empty() && other->getTemplatedDecl() != definition)
          reason = qualify(*other->getAsFunction()->getParamDecl(position), edits);
    return reason;
  }

  std::string qualify(const clang::ParmVarDecl &parameter, std::vector<Edit> &edits) const {
    if (!parameter.getType()->isPointerType())
      return "whether it is a pointer depends on a template argument";
    if (parameter.getOriginalType()->isArrayType())
      return "it is declared as an array, which takes no '__restrict__'";
    std::string why = inQuotes(parameter.getName().empty() ? nameOf(parameter) : parameter.getName()) +
                      " is the only way to what it points to";
    std::optional<Edit> edit;
    clang::SourceLocation name = parameter.getLocation();
    if (!parameter.getName().empty())
      edit = builder_.insertBefore({name, name}, "__restrict__ ", why);
    else if (auto pointer = parameter.getTypeSourceInfo()->getTypeLoc().getAs<clang::PointerTypeLoc>();
             pointer && pointer.getStarLoc() == parameter.getEndLoc())
      edit = builder_.insertAfter(parameter.getSourceRange(), " __restrict__", why);
    if (!edit)
      return "a declaration of it stands in a macro or a header, or has no name to put '__restrict__' before";
    edit->expectedGain = "values stay in registers across stores through other pointers";
    edit->risk = "callers that pass overlapping buffers, which the annotation excludes";
    edits.push_back(std::move(*edit));
    return {};
  }

  std::string nameOf(const clang::ParmVarDecl &parameter) const {
    return analysis_.kernel.parameters[parameter.getFunctionScopeIndex()].name;
  }

  std::vector<ObjectUses> uses_; ///< one an architecture, as RewriteContext::versions
};

} // namespace

llvm::Expected<Proposals> proposeQualifyRestrict(const RewriteContext &context) {
  return Proposer(context).propose();
}

} // namespace warpwright
