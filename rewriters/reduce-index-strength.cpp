// Does with fewer or cheaper integer divisions: a quotient and a remainder of a loop's counter are carried
// along instead of divided anew, a division by a product goes on from the quotient by its first factor, and
// operands that fit 32 bits are divided in 32.
//
// Legal where
//  - carried: the counter starts at no less than zero and grows, and the divisor stays and is positive. What
//  is
//    divided once before the loop is so only where the loop runs;
//  - by a product: a / (b * c) == a / b / c, and a % (b * c) / b == a / b % c, for operands of all signs, as
//    division truncates; a product of unsigned numbers must not wrap;
//  - narrowed: both operands are bounded by types of 32 bits: by a comparison that every way to the division
//  has
//    passed, or by what they are converted from.

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/KernelProposer.h"
#include "rewriters/edits/LinkedEdits.h"
#include "rewriters/edits/LoopGuard.h"
#include "rewriters/edits/Operands.h"
#include "rewriters/indices/CarriedDivisions.h"
#include "rewriters/indices/NarrowDivisions.h"
#include "rewriters/indices/ProductDivisions.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>

namespace warpwright {
namespace {

constexpr const char *id = "reduce-index-strength";

class Proposer : KernelProposer {
public:
  explicit Proposer(const RewriteContext &context)
      : KernelProposer(context, id), names_(kernel_, ast_), edits_(kernel_, ast_) {}

  llvm::Expected<Proposals> propose() {
    bool divides = llvm::any_of(analysis_.facts.divisions, [](const IntegerDivision &division) {
      return division.divisor != IntegerDivision::Divisor::Constant;
    });
    if (!divides)
      return std::move(proposals_);
    for (const CarriedDivision &carried :
         findCarriedDivisions(kernel_, ast_, analysis_.facts, *analysis_.annotation)) {
      std::string why = carried.whyNot.empty() ? carry(carried) : carried.whyNot;
      if (!why.empty())
        decline(*carried.loop, why);
    }
    for (const ProductDivision &division : findProductDivisions(kernel_, ast_))
      if (!isDone(division.whole))
        chain(division);
    for (const NarrowDivision &division : findNarrowDivisions(kernel_, ast_))
      if (!isDone(division.whole))
        narrow(division);
    finish();
    return std::move(proposals_);
  }

private:
  std::optional<std::string> textOf(const clang::Stmt *code) const {
    return builder_.textOf(code->getSourceRange());
  }
  std::string operand(const clang::Expr *expression) const {
    std::string text = textOf(expression).value_or("");
    return isOperand(expression) ? text : "(" + text + ")";
  }

  bool isDone(const clang::Expr *division) const {
    const clang::SourceManager &sources = ast_.getSourceManager();
    return llvm::any_of(done_, [&](const clang::Expr *other) {
      return other == division ||
             sources.isPointWithin(division->getBeginLoc(), other->getBeginLoc(), other->getEndLoc()) ||
             sources.isPointWithin(other->getBeginLoc(), division->getBeginLoc(), division->getEndLoc());
    });
  }

  std::string carry(const CarriedDivision &carried) {
    std::optional<LoopGuard> guard = loopGuard(*carried.loop, ast_);
    std::optional<std::string> init = textOf(carried.init), divisor = textOf(carried.divisor);
    if (!guard || !init || !divisor || carried.divisor->getBeginLoc().isMacroID())
      return "its condition, or a part of it, comes out of a macro, or does more than compare";
    std::string by = operand(carried.divisor), first = operand(carried.init);
    std::string type =
        carried.type.getUnqualifiedType().getAsString(clang::PrintingPolicy(ast_.getLangOpts()));
    std::string quotient = carried.quotients.empty() ? "" : names_.take("quotient");
    std::string remainder = names_.take("remainder");
    auto start = [&](const char *operation, const std::string &of) {
      std::string value = of + operation + by;
      return guard->always() ? value : guard->condition + " ? " + value + " : 0";
    };
    CodeLines before, behind;
    std::string counter = carried.counter->getNameAsString();
    before.comment("Carried along with '" + counter + "' instead of dividing it by '" + *divisor +
                   "' in every iteration.");
    if (!quotient.empty())
      before.line(type + " " + quotient + " = " + (carried.startsAtZero ? "0" : start(" / ", first)) + ";");
    before.line(type + " " + remainder + " = " + (carried.startsAtZero ? "0" : start(" % ", first)) + ";");
    if (carried.step) {
      std::string step = operand(carried.step);
      std::string wide = names_.take("remainderStep");
      if (!quotient.empty()) {
        std::string jump = names_.take("quotientStep");
        before.line("const " + type + " " + jump + " = " + start(" / ", step) + ";");
        behind.line(quotient + " += " + jump + ";");
      }
      before.line("const " + type + " " + wide + " = " + start(" % ", step) + ";");
      behind.open("if (" + remainder + " >= " + by + " - " + wide + ") {");
      behind.line(remainder + " -= " + by + ";");
      if (!quotient.empty())
        behind.line("++" + quotient + ";");
      behind.close();
      behind.line(remainder + " += " + wide + ";");
    } else {
      behind.open("if (++" + remainder + " == " + by + ") {").line(remainder + " = 0;");
      if (!quotient.empty())
        behind.line("++" + quotient + ";");
      behind.close();
    }
    edits_.begin("each iteration divides its counter by '" + *divisor + "', which stays",
                 "an addition and a comparison instead of a division", "two registers more");
    bool whole = edits_.insertBefore(*carried.loop, before) && edits_.insertBehind(*carried.last, behind);
    for (const clang::Expr *division : carried.quotients)
      whole &= edits_.replace(division->getSourceRange(), quotient);
    for (const clang::Expr *division : carried.remainders)
      whole &= edits_.replace(division->getSourceRange(), remainder);
    if (!whole) {
      edits_.drop();
      return "part of it comes out of a macro or a header";
    }
    llvm::append_range(done_, carried.quotients);
    llvm::append_range(done_, carried.remainders);
    note(carried.assumptions, counter);
    return {};
  }

  void chain(const ProductDivision &division) {
    std::string text = operand(division.dividend);
    for (const clang::Expr *factor : division.factors)
      text += " / " + operand(factor);
    if (division.modulus)
      text += " % " + operand(division.modulus);
    edits_.begin("the quotient by the first factor is there already",
                 "a division less: quotient and remainder of the same numbers are one", "none");
    if (!edits_.replace(division.whole->getSourceRange(), division.needsBrackets ? "(" + text + ")" : text)) {
      edits_.drop();
      return decline(*division.whole, "part of it comes out of a macro or a header");
    }
    done_.push_back(division.whole);
    note(division.assumptions, "products");
  }

  void narrow(const NarrowDivision &division) {
    edits_.begin("both numbers fit 32 bits: " + division.why, "some 20 instructions instead of about 100",
                 "none");
    bool whole = true;
    for (const clang::Expr *wide : {division.dividend, division.divisor})
      if (ast_.getTypeSize(wide->IgnoreParenImpCasts()->getType()) > 32) {
        std::optional<std::string> text = textOf(wide->IgnoreParenImpCasts());
        whole &= text && edits_.replace(wide->getSourceRange(), division.type + "(" + *text + ")");
      }
    if (!whole) {
      edits_.drop();
      return decline(*division.whole, "part of it comes out of a macro or a header");
    }
    done_.push_back(division.whole);
    note({}, "64-bit divisions");
  }

  void note(llvm::ArrayRef<std::string> assumptions, const std::string &subject) {
    if (!llvm::is_contained(llvm::split(candidate_.subject, ", "), subject))
      candidate_.subject += (candidate_.subject.empty() ? "" : ", ") + subject;
    for (const std::string &assumption : assumptions)
      if (!llvm::is_contained(candidate_.assumptions, assumption))
        candidate_.assumptions.push_back(assumption);
  }

  void finish() {
    candidate_.edits = edits_.edits();
    if (candidate_.edits.empty())
      return;
    candidate_.claims.push_back({"cheaper-divisions", {}});
    offer(std::move(candidate_));
  }

  FreshNames names_;
  LinkedEdits edits_;
  std::vector<const clang::Expr *> done_;
  Candidate candidate_;
};

} // namespace

llvm::Expected<Proposals> proposeReduceIndexStrength(const RewriteContext &context) {
  return Proposer(context).propose();
}

} // namespace warpwright
