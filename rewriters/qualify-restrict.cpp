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
#include "rewriters/Rewriter.h"
#include "rewriters/edits/EditBuilder.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/TypeLoc.h>

#include <map>

namespace warpwright {
namespace {

constexpr const char *id = "qualify-restrict";

std::string inQuotes(llvm::StringRef name) {
  return ("'" + name + "'").str();
}
std::string lineOf(const SourcePlace &access) {
  return std::to_string(access.place.line);
}

/// What the kernel does with the memory behind one pointer, or with one variable.
struct ObjectUse {
  MemoryObject object;
  bool read = false;
  bool written = false;
  bool isVolatile = false;
  SourcePlace place; ///< of the first write, or else of the first access
};

std::string describe(const ObjectUse &use) {
  switch (use.object.kind) {
  case MemoryObject::Kind::GlobalVariable:
    return "the device variable " + inQuotes(use.object.name);
  case MemoryObject::Kind::LoadedPointer:
    return "memory behind a pointer that is loaded at run time";
  case MemoryObject::Kind::ParameterMember:
    return "memory behind a pointer inside " + inQuotes(llvm::StringRef(use.object.name).split('.').first);
  default:
    return inQuotes(use.object.name);
  }
}

/// Accesses by object, for one architecture.
class ObjectUses {
public:
  explicit ObjectUses(const KernelFacts &facts) {
    for (const MemoryAccess &access : facts.accesses)
      add(access);
    for (const CallFacts &call : facts.calls)
      if (!call.knownMath && call.callee != "vprintf" && call.callee != "__assertfail")
        hide("the call of " +
             (call.callee.empty() ? std::string("a function pointer") : inQuotes(call.callee)) + " at line " +
             lineOf(call.place) + " may access anything");
    for (const InlineAssembly &assembly : facts.assembly)
      if (!assembly.known)
        hide("the inline assembly at line " + lineOf(assembly.place) + " may access anything");
  }

  /// Why some accesses are not among them; empty when all are.
  const std::string &hidden() const { return hidden_; }
  const std::vector<ObjectUse> &all() const { return uses_; }
  const ObjectUse *find(llvm::StringRef parameter) const {
    auto found = llvm::find_if(uses_, [&](const ObjectUse &use) {
      return use.object.kind == MemoryObject::Kind::Parameter && use.object.name == parameter;
    });
    return found == uses_.end() ? nullptr : &*found;
  }

private:
  void hide(std::string why) {
    if (hidden_.empty())
      hidden_ = std::move(why);
  }

  void add(const MemoryAccess &access) {
    if (access.space != MemorySpace::Global && access.space != MemorySpace::Generic)
      return;
    if (!access.object.known())
      return hide("the access at line " + lineOf(access.place) +
                  " was not tied to a pointer: " + access.object.reason());
    const MemoryObject &object = access.object.value();
    if (object.kind == MemoryObject::Kind::SharedVariable || object.kind == MemoryObject::Kind::LocalArray)
      return;
    auto found = llvm::find_if(uses_, [&](const ObjectUse &use) {
      return use.object.kind == object.kind && use.object.name == object.name;
    });
    if (found == uses_.end())
      found = uses_.insert(uses_.end(), ObjectUse{object, false, false, false, access.place});
    bool writes = access.kind != AccessKind::Read;
    if (writes && !found->written)
      found->place = access.place;
    found->written |= writes;
    // An atomic whose old value nobody uses hands nothing to its thread.
    found->read |=
        access.kind == AccessKind::Read || (access.kind == AccessKind::Atomic && access.resultUsed);
    found->isVolatile |= access.isVolatile;
  }

  std::vector<ObjectUse> uses_;
  std::string hidden_;
};

/// Where the threads of a launch wait for each other, or order what others see; null where they never do.
const Synchronisation *findSynchronisation(const KernelFacts &facts, bool fencesAlone) {
  for (const Synchronisation &synchronisation : facts.synchronisations) {
    using Kind = Synchronisation::Kind;
    switch (synchronisation.kind) {
    case Kind::Fence:
    case Kind::ClusterBarrier:
    case Kind::MBarrier:
    case Kind::Other:
      return &synchronisation;
    default:
      if (!fencesAlone)
        return &synchronisation;
    }
  }
  return nullptr;
}

/// What one architecture's facts say against restrict on a parameter; empty: nothing. What legality rests on
/// beyond the code is added to `assumptions`.
class AliasJudge {
public:
  AliasJudge(const KernelAnalysis &analysis, const ObjectUses &uses) : analysis_(analysis), uses_(uses) {}

  std::string whyNot(const ObjectUse &use, std::vector<std::string> &assumptions) const {
    if (use.isVolatile)
      return "it is accessed as volatile, which others may write to at any time";
    const ParameterFacts *facts = factsOf(use.object.name);
    if (!facts || facts->escapes)
      return "copies of it may be kept in memory";
    if (std::string reason = whyThreadsMeet(use); !reason.empty())
      return reason;
    for (const ObjectUse &other : uses_.all()) {
      bool same = other.object.kind == use.object.kind && other.object.name == use.object.name;
      if (same || (!use.written && !other.written) || isRestricted(other))
        continue;
      if (!analysis_.annotation->areDistinct(use.object.name, other.object.name))
        return whyNotDistinct(use, other);
      assumptions.push_back("buffers " + inQuotes(use.object.name) + " and " + inQuotes(other.object.name) +
                            " do not overlap: both are annotated with extents");
    }
    return {};
  }

private:
  const ParameterFacts *factsOf(llvm::StringRef name) const {
    auto found = llvm::find_if(analysis_.facts.parameters,
                               [&](const ParameterFacts &parameter) { return parameter.name == name; });
    return found == analysis_.facts.parameters.end() ? nullptr : &*found;
  }

  /// The author promised of the other pointer what restrict would promise of this one.
  bool isRestricted(const ObjectUse &other) const {
    const ParameterFacts *facts =
        other.object.kind == MemoryObject::Kind::Parameter ? factsOf(other.object.name) : nullptr;
    return facts && facts->restricted;
  }

  std::string whyThreadsMeet(const ObjectUse &use) const {
    if (!use.written)
      return {};
    const Synchronisation *met = findSynchronisation(analysis_.facts, /*fencesAlone=*/!use.read);
    if (!met)
      return {};
    return std::string(use.read ? "it is read and written" : "it is written") + " around '" + met->operation +
           "' at line " + lineOf(met->place) + ", where threads may hand values to each other";
  }

  std::string whyNotDistinct(const ObjectUse &use, const ObjectUse &other) const {
    const Annotation &annotation = *analysis_.annotation;
    if (annotation.mayAlias(use.object.name, other.object.name))
      return "the annotation says that it may alias " + describe(other);
    const ObjectUse &writer = other.written ? other : use;
    std::string reason = "nothing says that it does not overlap " + describe(other) + "; " +
                         (&writer == &other ? "the latter" : "it") + " is written at line " +
                         lineOf(writer.place);
    if (annotation.hasLost(ClauseKind::MayAlias))
      return reason + ", and a may_alias() could not be read";
    if (other.object.kind == MemoryObject::Kind::Parameter)
      reason += "; extents of both in in(), out() or inout() would";
    return reason;
  }

  const KernelAnalysis &analysis_;
  const ObjectUses &uses_;
};

class Proposer {
public:
  explicit Proposer(const RewriteContext &context)
      : context_(context), ast_(context.unit.ast()), edits_(ast_) {}

  llvm::Expected<Proposals> propose() {
    for (const KernelAnalysis *version : context_.versions)
      uses_.emplace_back(version->facts);
    std::vector<const KernelParameter *> open;
    for (const KernelParameter &parameter : context_.analysis.kernel.parameters)
      if (parameter.isPointer && !parameter.isRestrict && !parameter.name.empty() &&
          isAccessed(parameter.name))
        open.push_back(&parameter);
    if (open.empty() || !hasGain())
      return std::move(proposals_);
    for (const ObjectUses &uses : uses_)
      if (!uses.hidden().empty()) {
        decline(context_.analysis.kernel.place, uses.hidden());
        return std::move(proposals_);
      }
    Candidate candidate;
    for (const KernelParameter *parameter : open)
      consider(*parameter, candidate);
    if (!candidate.edits.empty())
      finish(std::move(candidate));
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
    const clang::FunctionDecl &kernel = *context_.analysis.kernel.declaration;
    unsigned position = &parameter - context_.analysis.kernel.parameters.data();
    Place place = placeOf(kernel.getParamDecl(position)->getLocation(), ast_.getSourceManager());
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
    candidate.subject += (candidate.subject.empty() ? "" : ", ") + parameter.name;
  }

  /// The edits that qualify the parameter wherever nvcc takes its type from; else why there are none.
  std::string qualify(unsigned position, std::vector<Edit> &edits) const {
    const clang::FunctionDecl *definition = context_.analysis.kernel.declaration;
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
      edit = edits_.insertBefore({name, name}, "__restrict__ ", why);
    else if (auto pointer = parameter.getTypeSourceInfo()->getTypeLoc().getAs<clang::PointerTypeLoc>();
             pointer && pointer.getStarLoc() == parameter.getEndLoc())
      edit = edits_.insertAfter(parameter.getSourceRange(), " __restrict__", why);
    if (!edit)
      return "a declaration of it stands in a macro or a header, or has no name to put '__restrict__' before";
    edit->expectedGain = "values stay in registers across stores through other pointers";
    edit->risk = "callers that pass overlapping buffers, which the annotation excludes";
    edits.push_back(std::move(*edit));
    return {};
  }

  std::string nameOf(const clang::ParmVarDecl &parameter) const {
    return context_.analysis.kernel.parameters[parameter.getFunctionScopeIndex()].name;
  }

  void finish(Candidate candidate) {
    candidate.rewriter = id;
    candidate.kernelKey = context_.analysis.kernel.key;
    llvm::sort(candidate.edits,
               [](const Edit &left, const Edit &right) { return left.offset < right.offset; });
    llvm::sort(candidate.assumptions);
    candidate.assumptions.erase(llvm::unique(candidate.assumptions), candidate.assumptions.end());
    proposals_.candidates.push_back(std::move(candidate));
  }

  void decline(Place place, std::string reason) {
    proposals_.declines.push_back({id, context_.analysis.kernel.key, std::move(place), std::move(reason)});
  }

  const RewriteContext &context_;
  const clang::ASTContext &ast_;
  EditBuilder edits_;
  std::vector<ObjectUses> uses_; ///< one an architecture, as RewriteContext::versions
  Proposals proposals_;
};

} // namespace

llvm::Expected<Proposals> proposeQualifyRestrict(const RewriteContext &context) {
  return Proposer(context).propose();
}

} // namespace warpwright
