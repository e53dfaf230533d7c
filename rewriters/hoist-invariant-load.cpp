// Loads once what is loaded again and again: an element that is the same in every iteration before the loop,
// one that several statements use before the first of them; keeps an element that a loop adds to in a
// variable; and drops a shared array of which each thread reads back what it wrote itself.
//
// Legal where
//  - nothing writes the buffer of an element that is loaded early: the kernel does not, and no other buffer
//    that it writes overlaps, which the annotation or `__restrict__` says;
//  - an element that is kept is the only thing of its buffer that the loop touches, no other access of the
//    loop may be to the same memory, and the loop holds no barrier, atomic or unknown call: no other thread
//    could look at it in the meantime;
//  - the load runs where it ran before: the element is loaded anyway, or under the condition that the loop
//    runs at all.

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/KernelProposer.h"
#include "rewriters/aliasing/FixedBuffers.h"
#include "rewriters/edits/LinkedEdits.h"
#include "rewriters/edits/LoopGuard.h"
#include "rewriters/edits/Operands.h"
#include "rewriters/loads/CopiedSlots.h"
#include "rewriters/loads/KeptElements.h"
#include "rewriters/loads/RepeatedLoads.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/TypeLoc.h>

#include <map>

namespace warpwright {
namespace {

constexpr const char *id = "hoist-invariant-load";

class Proposer : KernelProposer {
public:
  explicit Proposer(const RewriteContext &context)
      : KernelProposer(context, id), reader_(kernel_), names_(kernel_, ast_), edits_(kernel_, ast_),
        fixed_(context) {}

  llvm::Expected<Proposals> propose() {
    Candidate candidate;
    addLoads(candidate);
    addElements(candidate);
    if (!edits_.empty())
      candidate.claims.push_back({"fewer-global-requests", {}});
    addSlots(candidate);
    candidate.edits = edits_.edits();
    if (!candidate.edits.empty())
      offer(std::move(candidate));
    return std::move(proposals_);
  }

private:
  void addLoads(Candidate &candidate) {
    RepeatedLoadRules rules;
    // Buffers that may overlap others are found, too, and declined with the reason.
    rules.isFixed = [&](const PlaceUse &use) { return fixed_.isOnlyRead(use.root); };
    rules.isObstacle = [](const PlaceUse &use) {
      bool restricted = use.root.isParameter() && use.root.variable->getType().isRestrictQualified();
      return use.isVolatile || (use.writes() && !use.root.isOnChip() && !restricted);
    };
    for (const RepeatedLoad &load : findRepeatedLoads(kernel_, ast_, reader_, rules)) {
      std::string why = whyNotFixed(load);
      if (!why.empty())
        decline(*load.before, why);
      else if (add(load))
        take(candidate, rootOf(*load.place));
    }
  }

  void addElements(Candidate &candidate) {
    for (const KeptElement &kept : findKeptElements(kernel_, ast_, reader_, *analysis_.annotation)) {
      std::string name = rootOf(*kept.place).name();
      std::string why = kept.whyNot.empty() ? add(kept) : kept.whyNot;
      if (!why.empty()) {
        decline(*kept.loop, "'" + name + "' could be kept in a variable while the loop runs, but " + why);
        continue;
      }
      take(candidate, rootOf(*kept.place));
      llvm::append_range(candidate.assumptions, kept.assumptions);
    }
  }

  void addSlots(Candidate &candidate) {
    for (const CopiedSlot &slot : findCopiedSlots(analysis_, ast_, reader_)) {
      if (!add(slot))
        continue;
      take(candidate, {slot.array, {}});
      candidate.claims.push_back({"no-shared-access", symbolOf(*slot.array)});
    }
  }

  /// Why others may write what the load reads, its index included.
  std::string whyNotFixed(const RepeatedLoad &load) {
    std::string why = fixed_.whyNot(rootOf(*load.place));
    for (const PlaceUse &part : reader_.usesOf(*load.place).places)
      why = why.empty() ? fixed_.whyNot(part.root) : why;
    return why;
  }

  MemoryRoot rootOf(const clang::Expr &place) const {
    const auto *call = llvm::dyn_cast<clang::CallExpr>(&place);
    return reader_.rootOf(call ? *call->getArg(0) : place);
  }

  bool isTemplate() const { return kernel_.isTemplateInstantiation(); }

  /// The type of the element as the kernel spells it. In a template, that is what the parameter points to;
  /// empty where the element is something else.
  std::string typeText(const clang::Expr &place) const {
    if (!isTemplate())
      return place.getType().getUnqualifiedType().getAsString(clang::PrintingPolicy(ast_.getLangOpts()));
    const clang::VarDecl &buffer = *rootOf(place).variable;
    const clang::TypeSourceInfo *info = buffer.getTypeSourceInfo();
    auto pointer = info ? info->getTypeLoc().getAsAdjusted<clang::PointerTypeLoc>() : clang::PointerTypeLoc();
    if (!pointer || !ast_.hasSameUnqualifiedType(buffer.getType()->getPointeeType(), place.getType()))
      return {};
    return builder_.textOf(pointer.getPointeeLoc().getUnqualifiedLoc().getSourceRange()).value_or("");
  }

  std::string valueName(const clang::Expr &place) {
    std::string base = rootOf(place).variable->getNameAsString();
    if (const auto *member = llvm::dyn_cast<clang::MemberExpr>(&place))
      base = member->getMemberDecl()->getNameAsString();
    return names_.take(base + (llvm::StringRef(base).contains('_') ? "_value" : "Value"));
  }

  bool add(const RepeatedLoad &load) {
    std::optional<std::string> text =
        load.variable ? std::string() : builder_.textOf(load.loads.front()->getSourceRange());
    std::string buffer = "'" + rootOf(*load.place).name() + "'";
    std::string why = load.leavesLoop
                          ? "each iteration loads the same element of " + buffer
                          : "the same element of " + buffer + " is loaded " +
                                std::to_string(load.loads.size() + (load.variable != nullptr)) + " times";
    std::string type = typeText(*load.place);
    if (!text || type.empty()) {
      decline(*load.before, "the type of an element of " + buffer + " cannot be spelled here");
      return false;
    }
    edits_.begin(why, "one load instead",
                 "a register more; buffers that overlap, which the annotation excludes");
    bool whole = true;
    std::string name = load.variable ? load.variable->getNameAsString() : valueName(*load.place);
    if (!load.variable) {
      std::string value = *text;
      if (load.guardLoop) {
        std::optional<LoopGuard> guard = loopGuard(*load.guardLoop, ast_);
        if (!guard)
          return dropped(
              *load.guardLoop,
              "the loop may not run at all, and its condition cannot stand before it: the load of " + buffer +
                  " might be out of bounds");
        if (!guard->always() && !load.place->getType()->isArithmeticType())
          return dropped(*load.guardLoop, "the loop may not run at all, and an element of " + buffer +
                                              " is no number that could be left out");
        if (!guard->always())
          value = guard->condition + " ? " + value + " : 0";
      }
      CodeLines code;
      code.comment(load.leavesLoop ? "Nothing writes " + buffer + ": loaded once, not in every iteration."
                                   : "Nothing writes " + buffer + ": loaded once for all that use it.");
      code.line("const " + type + " " + name + " = " + value + ";");
      whole = edits_.insertBefore(*load.before, code);
    }
    for (const clang::Expr *use : load.loads)
      whole &= edits_.replace(use->getSourceRange(), name);
    return whole || dropped(*load.before, "part of it comes out of a macro or a header");
  }

  bool dropped(const clang::Stmt &at, std::string why) {
    edits_.drop();
    decline(at, std::move(why));
    return false;
  }

  std::string add(const KeptElement &kept) {
    std::optional<std::string> text = builder_.textOf(kept.place->getSourceRange());
    std::optional<LoopGuard> guard = kept.needsGuard ? loopGuard(*kept.loop, ast_) : std::nullopt;
    if (kept.needsGuard && !guard)
      return "the loop may not run at all, and its condition cannot stand before it";
    if (guard && guard->always())
      guard.reset();
    if (!text)
      return "part of it comes out of a macro or a header";
    std::string name = valueName(*kept.place), type = typeText(*kept.place);
    std::string buffer = "'" + rootOf(*kept.place).name() + "'";
    if (type.empty())
      return "its type cannot be spelled here";
    edits_.begin("each iteration loads and stores the same element of " + buffer,
                 "one load and one store instead of one each in every iteration", "a register more");
    CodeLines before, behind;
    before.comment("Kept in a register: while the loop runs, nothing else touches this element of " + buffer +
                   ".");
    bool whole = true;
    bool starts = kept.start && !kept.needsGuard;
    if (starts) {
      std::optional<std::string> value = builder_.textOf(kept.startValue->getSourceRange());
      before.line(type + " " + name + " = " + value.value_or("") + ";");
      whole = value && edits_.replaceStatement(*kept.start, before);
    } else {
      std::string condition = guard ? guard->condition : "";
      if (guard && !guard->holdsBehind) {
        guard->condition = names_.take("runs");
        before.line("const bool " + guard->condition + " = " + condition + ";");
        condition = guard->condition;
      }
      before.line(type + " " + name + " = " + (guard ? condition + " ? " + *text + " : 0" : *text) + ";");
      whole = edits_.insertBefore(*kept.loop, before);
    }
    for (const clang::Expr *use : kept.uses)
      whole &= edits_.replace(use->getSourceRange(), name);
    if (guard)
      behind.open("if (" + guard->condition + ") {").line(*text + " = " + name + ";").close();
    else
      behind.line(*text + " = " + name + ";");
    whole &= edits_.insertBehind(*kept.loop, behind);
    if (whole)
      return {};
    edits_.drop();
    return "part of it comes out of a macro or a header";
  }

  bool add(const CopiedSlot &slot) {
    std::optional<std::string> value = builder_.textOf(slot.value->getSourceRange());
    clang::TypeLoc type = slot.array->getTypeSourceInfo()->getTypeLoc();
    while (auto array = type.getAsAdjusted<clang::ArrayTypeLoc>())
      type = array.getElementLoc();
    std::optional<std::string> element = builder_.textOf(type.getUnqualifiedLoc().getSourceRange());
    std::string buffer = "'" + slot.array->getNameAsString() + "'";
    edits_.begin("each thread reads back from " + buffer + " only what it wrote itself",
                 "no shared memory, and no way through it", "a register more");
    bool whole = value && element && edits_.replaceStatement(*slot.declaration, CodeLines());
    if (whole) {
      std::string name = names_.take(slot.array->getNameAsString() + "Value");
      CodeLines code;
      code.comment("A variable does: no other thread reads what this one would put into " + buffer + ".");
      code.line(*element + " " + name + " = " + *value + ";");
      whole = edits_.replaceStatement(*slot.store, code);
      for (const clang::Expr *read : slot.reads)
        whole &= edits_.replace(read->getSourceRange(), name);
    }
    return whole || dropped(*slot.store, "part of it comes out of a macro or a header");
  }

  void take(Candidate &candidate, const MemoryRoot &root) {
    if (llvm::is_contained(llvm::split(candidate.subject, ", "), root.name()))
      return;
    candidate.subject += (candidate.subject.empty() ? "" : ", ") + root.name();
    llvm::append_range(candidate.assumptions, fixed_.assumptionsOf(root));
  }

  PlaceReader reader_;
  FreshNames names_;
  LinkedEdits edits_;
  FixedBuffers fixed_;
};

} // namespace

llvm::Expected<Proposals> proposeHoistInvariantLoad(const RewriteContext &context) {
  return Proposer(context).propose();
}

} // namespace warpwright
