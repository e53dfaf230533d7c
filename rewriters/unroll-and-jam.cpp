// Runs several iterations of a loop side by side, statement by statement, the loops in it included: what the
// iterations have in common is loaded once for all of them, and each has sums of its own.
//
// Legal where no iteration touches what another writes, so that they may run in any order: sums within an
// iteration keep theirs. The loops in it must run alike in all iterations, or each is run by one iteration
// after the other.

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/CanonicalLoops.h"
#include "analysis/ast/IndexRange.h"
#include "analysis/ast/IterationOrder.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/KernelProposer.h"
#include "rewriters/jam/JammedCode.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

constexpr const char *id = "unroll-and-jam";
/// Iterations side by side at most, and what is tried where fewer divide the loop.
constexpr int64_t factors[] = {8, 4, 2};

class MentionFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  explicit MentionFinder(const clang::VarDecl *variable) : variable_(variable) {}
  std::vector<const clang::DeclRefExpr *> mentions;
  bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
    if (reference->getDecl() == variable_)
      mentions.push_back(reference);
    return true;
  }

private:
  const clang::VarDecl *variable_;
};

class Proposer : KernelProposer {
public:
  explicit Proposer(const RewriteContext &context)
      : KernelProposer(context, id), reader_(kernel_), ranges_(ast_, kernel_, analysis_.knownBlock()),
        loops_(findCanonicalLoops(kernel_, ast_, analysis_.facts)) {}

  llvm::Expected<Proposals> propose() {
    for (const CanonicalLoop &loop : loops_)
      if (holdsLoop(loop))
        consider(loop);
    offerAll();
    for (int64_t factor : factors)
      for (auto &[loop, edits] : found_)
        if (auto edit = edits.find(factor); edit != edits.end())
          add({edit->second}, subjectOf(*loop), factor);
    return std::move(proposals_);
  }

private:
  std::string subjectOf(const CanonicalLoop &loop) const {
    return "the loop at line " + std::to_string(lineOf(loop.statement->getForLoc()));
  }

  bool holdsLoop(const CanonicalLoop &outer) const {
    return llvm::any_of(loops_, [&](const CanonicalLoop &inner) { return inner.parent == outer.statement; });
  }

  void consider(const CanonicalLoop &loop) {
    IterationOrder order = readIterationOrder(loop, reader_, *analysis_.annotation, ast_);
    if (order.whyNot.empty() && !order.reductions.empty())
      order.whyNot =
          "'" + order.reductions.front().variable->getNameAsString() + "' is gathered over its iterations";
    VaryingValues values(*loop.body, reader_, [&](const clang::Expr &expression) {
      const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(&expression);
      return reference && reference->getDecl() == loop.counter;
    });
    std::string why = order.whyNot.empty() ? values.whyNot() : order.whyNot;
    if (why.empty() && !sharesLoads(loop, values))
      return; // there is nothing to gain
    if (why.empty())
      why = whyNotCounted(loop);
    if (!why.empty())
      return declineLoop(loop.statement->getForLoc(), why);
    auto &edits = found_.emplace_back(&loop, std::map<int64_t, Edit>()).second;
    for (int64_t factor : factors)
      if (*iterations(loop) % factor == 0)
        if (std::optional<Edit> edit = jam(loop, values, factor, why))
          edits.emplace(factor, std::move(*edit));
    if (edits.empty())
      declineLoop(loop.statement->getForLoc(),
                  why.empty() ? "neither 8, 4 nor 2 divides its iterations" : why);
    else
      assumptions_.insert(assumptions_.end(), order.assumptions.begin(), order.assumptions.end());
  }

  /// An inner loop that runs alike in all iterations, and in which they load something in common.
  bool sharesLoads(const CanonicalLoop &outer, const VaryingValues &values) const {
    return llvm::any_of(loops_, [&](const CanonicalLoop &inner) {
      if (inner.parent != outer.statement || !values.isShared(*inner.statement))
        return false;
      CodeUses uses = reader_.usesOf(*inner.body);
      return values.mentionsVarying(inner.body) && llvm::any_of(uses.places, [&](const PlaceUse &use) {
               return use.kind == PlaceUse::Kind::Read && !values.mentionsVarying(use.place);
             });
    });
  }

  std::string whyNotCounted(const CanonicalLoop &loop) const {
    if (!loop.upward || loop.inclusive || loop.notEqual || !loop.declaresCounter || !loop.constantStep)
      return "it does not count upwards to a bound by a constant";
    return iterations(loop) ? "" : "how often it runs is not known, or differs between threads";
  }

  /// The same for all threads, and known.
  std::optional<int64_t> iterations(const CanonicalLoop &loop) const {
    std::optional<IntegerRange> first = ranges_.rangeOf(loop.init), bound = ranges_.rangeOf(loop.bound);
    if (!first || !bound || bound->lowest != bound->highest)
      return std::nullopt;
    auto count = [&](int64_t from) {
      return from >= bound->lowest ? 0 : (bound->lowest - from + *loop.constantStep - 1) / *loop.constantStep;
    };
    int64_t most = count(first->lowest);
    return most == count(first->highest) && most > 0 ? std::optional(most) : std::nullopt;
  }

  std::optional<Edit> jam(const CanonicalLoop &loop, const VaryingValues &values, int64_t factor,
                          std::string &why) const {
    FreshNames names(kernel_, ast_);
    const std::string counter = loop.counter->getNameAsString(), first = names.scoped(counter + "0"),
                      copy = names.scoped("copy"), step = std::to_string(*loop.constantStep);
    JammedCode jammed(kernel_, ast_, values, static_cast<unsigned>(factor), copy);
    MentionFinder finder(loop.counter);
    finder.TraverseStmt(loop.body);
    for (const clang::DeclRefExpr *mention : finder.mentions)
      jammed.addSeed({mention->getSourceRange(), [&](const std::string &number) {
                        return "(" + first + " + " + number + (*loop.constantStep == 1 ? "" : " * " + step) +
                               ")";
                      }});
    std::optional<std::string> init = builder_.textOf(loop.init->getSourceRange()),
                               bound = builder_.textOf(loop.bound->getSourceRange()),
                               type = counterType(loop);
    std::optional<Edit> edit = builder_.replaceStatements(
        *loop.statement, *loop.statement, "", std::to_string(factor) + " iterations share what they load");
    CodeLines code;
    code.comment(std::to_string(factor) +
                 " iterations side by side: what they have in common is loaded once.");
    if (!init || !bound || !type || !edit) {
      why = "part of it comes out of a macro or a header";
      return std::nullopt;
    }
    code.open("for (" + *type + " " + first + " = " + *init + "; " + first + " < " + *bound + "; " + first +
              " += " + std::to_string(factor * *loop.constantStep) + ") {");
    if (!jammed.appendBody(code, *loop.body)) {
      why = jammed.whyNot();
      return std::nullopt;
    }
    code.close();
    edit->text = code.str(indentationAt(loop.statement->getBeginLoc(), kernel_, ast_));
    edit->expectedGain = "fewer loads an operation, and sums that do not wait for each other";
    edit->risk = "more registers";
    return edit;
  }

  std::optional<std::string> counterType(const CanonicalLoop &loop) const {
    clang::QualType type = loop.counter->getType().getUnqualifiedType();
    return type->getContainedAutoType()
               ? std::nullopt
               : std::optional(type.getAsString(clang::PrintingPolicy(ast_.getLangOpts())));
  }

  /// All loops that can be at once, each as wide as it goes: what one saves, the others no longer wait for.
  void offerAll() {
    std::vector<Edit> edits;
    std::string subject;
    for (auto &[loop, choices] : found_) {
      bool nested = llvm::any_of(found_, [&, inner = loop](const auto &other) {
        return other.first != inner &&
               ast_.getSourceManager().isPointWithin(inner->statement->getForLoc(),
                                                     other.first->statement->getBeginLoc(),
                                                     other.first->statement->getEndLoc());
      });
      if (choices.empty() || nested)
        continue;
      edits.push_back(choices.rbegin()->second);
      subject += (subject.empty() ? "" : ", ") + subjectOf(*loop);
    }
    if (edits.size() > 1)
      add(std::move(edits), subject, std::nullopt);
  }

  void add(std::vector<Edit> edits, std::string subject, std::optional<int64_t> factor) {
    Candidate candidate;
    candidate.subject = std::move(subject);
    if (factor)
      candidate.parameters["factor"] = *factor;
    candidate.edits = std::move(edits);
    candidate.assumptions = assumptions_;
    offer(std::move(candidate));
  }

  PlaceReader reader_;
  IndexRanges ranges_;
  std::vector<CanonicalLoop> loops_;
  std::vector<std::pair<const CanonicalLoop *, std::map<int64_t, Edit>>> found_;
  std::vector<std::string> assumptions_;
};

} // namespace

llvm::Expected<Proposals> proposeUnrollAndJam(const RewriteContext &context) {
  if (!context.analysis.annotation)
    return Proposals();
  return Proposer(context).propose();
}

} // namespace warpwright
