// Turns a short branch on which lanes of a warp disagree into selects: both sides are computed by all lanes,
// and each takes the value of its own.
//
// Legal where both sides do nothing but assign numbers to the same local variables, or to one element of
// memory that both store to. What a lane now computes besides must do no harm: no load that might not be
// there, no division by an integer that might be zero, no call that does more than compute. A value that no
// side sets must have one already.

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/PlaceUses.h"
#include "analysis/ast/PureCalls.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/KernelProposer.h"
#include "rewriters/edits/LinkedEdits.h"
#include "rewriters/edits/Operands.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/STLExtras.h>

#include <functional>

namespace warpwright {
namespace {

constexpr const char *id = "flatten-branch";
/// Instructions, about, that both sides may take together: a branch that diverges costs about as much.
constexpr unsigned mostInstructions = 16;

/// `target = value;` on one side of a branch.
struct Assignment {
  const clang::Expr *target = nullptr;
  const clang::BinaryOperator *statement = nullptr;
};

/// What computing an expression takes, if all lanes may.
class Costs {
public:
  /// `isThere` says of a place in memory that it is loaded anyway.
  Costs(const clang::ASTContext &ast, std::function<bool(const clang::Expr *)> isThere)
      : ast_(ast), isThere_(std::move(isThere)) {}

  unsigned instructions = 0;
  std::string whyNot;

  void add(const clang::Expr *expression) {
    expression = expression->IgnoreParens();
    if (const auto *cast = llvm::dyn_cast<clang::CastExpr>(expression))
      return addCast(*cast);
    if (llvm::isa<clang::IntegerLiteral, clang::FloatingLiteral, clang::CXXBoolLiteralExpr,
                  clang::CharacterLiteral, clang::SubstNonTypeTemplateParmExpr>(expression))
      return;
    if (llvm::isa<clang::PseudoObjectExpr>(expression))
      return count(1);
    if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(expression))
      return addReference(*reference);
    if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(expression))
      return addBinary(*binary);
    if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(expression);
        unary && unary->isArithmeticOp()) {
      add(unary->getSubExpr());
      return count(1);
    }
    if (const auto *choice = llvm::dyn_cast<clang::ConditionalOperator>(expression)) {
      for (const clang::Expr *part : {choice->getCond(), choice->getTrueExpr(), choice->getFalseExpr()})
        add(part);
      return count(1);
    }
    if (const auto *call = llvm::dyn_cast<clang::CallExpr>(expression); call && isPureCall(*call)) {
      constexpr unsigned someFunction = 8;
      const clang::FunctionDecl *callee = call->getDirectCallee();
      for (const clang::Expr *argument : call->arguments())
        add(argument);
      return count(isExtremum(*callee) || callee->getName().contains("abs") ? 1 : someFunction);
    }
    if (isThere_(expression))
      return count(1);
    fail("a side loads what may not be there, or does more than compute");
  }

private:
  void count(unsigned instructions_) { instructions += instructions_; }
  void fail(std::string why) {
    if (whyNot.empty())
      whyNot = std::move(why);
  }

  void addCast(const clang::CastExpr &cast) {
    if (cast.getCastKind() == clang::CK_LValueToRValue && isThere_(cast.getSubExpr()->IgnoreParens()))
      return count(1);
    if (!cast.getType()->isArithmeticType() && cast.getCastKind() != clang::CK_LValueToRValue)
      return fail("a side handles more than numbers");
    bool converts =
        cast.getCastKind() != clang::CK_LValueToRValue && cast.getCastKind() != clang::CK_NoOp &&
        !llvm::isa<clang::IntegerLiteral, clang::FloatingLiteral>(cast.getSubExpr()->IgnoreParens());
    add(cast.getSubExpr());
    count(converts ? 1 : 0);
  }

  void addReference(const clang::DeclRefExpr &reference) {
    const auto *variable = llvm::dyn_cast<clang::VarDecl>(reference.getDecl());
    bool own = llvm::isa<clang::EnumConstantDecl>(reference.getDecl()) ||
               (variable && !variable->getType()->isReferenceType() &&
                (variable->isConstexpr() || (variable->isLocalVarDeclOrParm() && !variable->isStaticLocal() &&
                                             !variable->hasAttr<clang::CUDASharedAttr>())));
    if (!own && !isThere_(&reference))
      fail("a side reads memory");
  }

  void addBinary(const clang::BinaryOperator &binary) {
    if (binary.isAssignmentOp() || binary.isCommaOp() || binary.isPtrMemOp())
      return fail("a side does more than compute");
    add(binary.getLHS());
    add(binary.getRHS());
    bool divides = binary.getOpcode() == clang::BO_Div || binary.getOpcode() == clang::BO_Rem;
    if (!divides)
      return count(binary.getType()->isSpecificBuiltinType(clang::BuiltinType::Double) ? 2 : 1);
    constexpr unsigned division = 8;
    clang::Expr::EvalResult value;
    bool known = !binary.getRHS()->isValueDependent() && binary.getRHS()->EvaluateAsInt(value, ast_) &&
                 !value.Val.getInt().isZero();
    if (binary.getType()->isIntegerType() && !known)
      return fail("a side divides by an integer that may be zero");
    count(division);
  }

  const clang::ASTContext &ast_;
  std::function<bool(const clang::Expr *)> isThere_;
};

class Proposer : KernelProposer {
public:
  explicit Proposer(const RewriteContext &context)
      : KernelProposer(context, id), reader_(kernel_), names_(kernel_, ast_), edits_(kernel_, ast_) {}

  llvm::Expected<Proposals> propose() {
    if (analysis_.facts.branches.empty())
      return std::move(proposals_);
    scan(kernel_.getBody());
    Candidate candidate;
    candidate.edits = edits_.edits();
    if (candidate.edits.empty())
      return std::move(proposals_);
    candidate.subject = "short branches";
    candidate.claims.push_back({"fewer-branches", {}});
    offer(std::move(candidate));
    return std::move(proposals_);
  }

private:
  void scan(const clang::Stmt *code) {
    const auto *scope = llvm::dyn_cast_or_null<clang::CompoundStmt>(code);
    for (size_t i = 0; scope && i < scope->size(); ++i)
      if (const auto *branch = llvm::dyn_cast<clang::IfStmt>(scope->body_begin()[i]);
          branch && diverges(*branch))
        consider(*scope, i, *branch);
    if (code)
      for (const clang::Stmt *child : code->children())
        scan(child);
  }

  /// The device code still has the branch, and lanes may disagree on it.
  bool diverges(const clang::IfStmt &branch) const {
    const unsigned first = lineOf(branch), last = lineOf(branch.getCond()->getEndLoc());
    return !branch.isConstexpr() && !branch.getInit() && !branch.getConditionVariable() &&
           llvm::any_of(analysis_.facts.branches, [&](const DivergentBranch &fact) {
             return fact.place.place.line >= first && fact.place.place.line <= last && !fact.loopExit;
           });
  }

  void consider(const clang::CompoundStmt &scope, size_t position, const clang::IfStmt &branch) {
    std::optional<std::vector<Assignment>> yes = assignmentsOf(branch.getThen()),
                                           no = assignmentsOf(branch.getElse());
    if (!yes || !no || yes->empty())
      return; // it does something else
    std::string why = rewrite(scope, position, branch, *yes, *no);
    if (!why.empty())
      decline(branch, std::move(why));
  }

  /// Nothing where the side holds more than assignments of numbers.
  static std::optional<std::vector<Assignment>> assignmentsOf(const clang::Stmt *side) {
    std::vector<Assignment> assignments;
    std::vector<const clang::Stmt *> statements;
    if (const auto *compound = llvm::dyn_cast_or_null<clang::CompoundStmt>(side))
      statements.assign(compound->body_begin(), compound->body_end());
    else if (side)
      statements.push_back(side);
    for (const clang::Stmt *statement : statements) {
      const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(statement);
      if (!binary || !binary->isAssignmentOp() || !binary->getLHS()->getType()->isArithmeticType() ||
          binary->getLHS()->getType().isVolatileQualified())
        return std::nullopt;
      assignments.push_back({binary->getLHS()->IgnoreParens(), binary});
    }
    return assignments;
  }

  static const Assignment *find(llvm::ArrayRef<Assignment> side, const clang::Expr *target,
                                const clang::ASTContext &ast) {
    auto found = llvm::find_if(
        side, [&](const Assignment &assignment) { return areAlike(assignment.target, target, ast); });
    return found == side.end() ? nullptr : &*found;
  }

  bool isLocal(const clang::Expr *target) const {
    const clang::VarDecl *variable = namedVariable(target);
    return variable && variable->isLocalVarDeclOrParm() && !variable->isStaticLocal() &&
           !variable->getType()->isReferenceType() && !variable->hasAttr<clang::CUDASharedAttr>() &&
           !reader_.changes().isExposed(variable);
  }

  std::string rewrite(const clang::CompoundStmt &scope, size_t position, const clang::IfStmt &branch,
                      llvm::ArrayRef<Assignment> yes, llvm::ArrayRef<Assignment> no) {
    std::vector<const clang::Expr *> targets;
    for (llvm::ArrayRef<Assignment> side : {yes, no})
      for (const Assignment &assignment : side)
        if (llvm::none_of(targets,
                          [&](const clang::Expr *known) { return areAlike(known, assignment.target, ast_); }))
          targets.push_back(assignment.target);
    if (std::string why = whyNotTargets(branch, yes, no, targets); !why.empty())
      return why;
    Costs costs(ast_, [&](const clang::Expr *place) { return isThere(scope, position, branch, place); });
    for (llvm::ArrayRef<Assignment> side : {yes, no})
      for (const Assignment &assignment : side) {
        costs.add(assignment.statement->getRHS());
        costs.instructions += assignment.statement->isCompoundAssignmentOp();
      }
    if (!costs.whyNot.empty())
      return costs.whyNot;
    if (costs.instructions > mostInstructions)
      return "its sides are too long: both would be computed by all lanes";
    CodeLines code;
    if (!write(branch, yes, no, targets, code))
      return "part of it comes out of a macro or a header";
    edits_.begin("lanes of a warp disagree on a branch with short sides", "no lane waits for the other side",
                 "work that no lane needed, where all agree");
    if (edits_.replaceStatement(branch, code))
      return {};
    edits_.drop();
    return "part of it comes out of a macro or a header";
  }

  std::string whyNotTargets(const clang::IfStmt &branch, llvm::ArrayRef<Assignment> yes,
                            llvm::ArrayRef<Assignment> no,
                            llvm::ArrayRef<const clang::Expr *> targets) const {
    CodeUses condition = reader_.usesOf(*branch.getCond());
    VariableChanges changes(*branch.getCond());
    if (condition.acts() || !changes.changed().empty())
      return "its condition does more than compute";
    if (targets.size() != std::max(yes.size(), no.size()) || (!no.empty() && yes.size() != no.size()))
      return "its sides do not set the same variables, each once";
    for (const clang::Expr *target : targets) {
      bool both = find(yes, target, ast_) && find(no, target, ast_);
      if (!isLocal(target)) {
        CodeUses uses = reader_.usesOf(*target);
        if (!both || targets.size() != 1 || !uses.others.empty() ||
            !VariableChanges(*target).changed().empty())
          return "it decides whether something is stored";
        continue;
      }
      const clang::VarDecl *variable = namedVariable(target);
      if (!both && !variable->getInit() && !llvm::isa<clang::ParmVarDecl>(variable))
        return "'" + variable->getNameAsString() + "' may have no value before it";
      for (llvm::ArrayRef<Assignment> side : {yes, no})
        for (const Assignment &assignment : side)
          if (!areAlike(assignment.target, target, ast_) &&
              llvm::is_contained(variablesIn(assignment.statement), variable))
            return "one assignment reads what another sets";
    }
    return {};
  }

  /// The condition, or a statement before the branch in its block, loads the place, and nothing it depends on
  /// changes in between.
  bool isThere(const clang::CompoundStmt &scope, size_t position, const clang::IfStmt &branch,
               const clang::Expr *place) const {
    auto loads = [&](const clang::Stmt &code) {
      return llvm::any_of(reader_.usesOf(code).places, [&](const PlaceUse &use) {
        return use.sure && use.kind != PlaceUse::Kind::Escape && areAlike(use.place, place, ast_);
      });
    };
    if (!llvm::isa<clang::ArraySubscriptExpr, clang::MemberExpr, clang::UnaryOperator>(place))
      return false;
    if (loads(*branch.getCond()))
      return true;
    for (size_t i = position; i-- > 0;) {
      const clang::Stmt &statement = *scope.body_begin()[i];
      if (loads(statement))
        return true;
      VariableChanges changes(statement);
      if (llvm::any_of(variablesIn(place), [&](const clang::VarDecl *variable) {
            return changes.isChanged(variable) || reader_.changes().isExposed(variable) ||
                   (llvm::isa<clang::DeclStmt>(statement) &&
                    llvm::is_contained(llvm::cast<clang::DeclStmt>(statement).decls(), variable));
          }))
        return false;
    }
    return false;
  }

  std::string typeText(const clang::Expr *target, const std::string &name) const {
    if (kernel_.isTemplateInstantiation())
      return "decltype(" + name + ")";
    return target->getType().getUnqualifiedType().getAsString(clang::PrintingPolicy(ast_.getLangOpts()));
  }

  /// What the target is given on one side; its own value where the side leaves it alone.
  std::optional<std::string> valueText(const Assignment *assignment, const std::string &target,
                                       bool &isPlain) const {
    isPlain = true;
    if (!assignment)
      return target;
    const clang::Expr *value = assignment->statement->getRHS();
    std::optional<std::string> text = builder_.textOf(value->getSourceRange());
    if (!text || value->getBeginLoc().isMacroID() || value->getEndLoc().isMacroID())
      return std::nullopt;
    if (assignment->statement->isCompoundAssignmentOp()) {
      isPlain = false;
      std::string sign =
          clang::BinaryOperator::getOpcodeStr(
              clang::BinaryOperator::getOpForCompoundAssignment(assignment->statement->getOpcode()))
              .str();
      return target + " " + sign + " " + (isOperand(value) ? *text : "(" + *text + ")");
    }
    const clang::Expr *bare = value->IgnoreParenImpCasts();
    isPlain = llvm::isa<clang::DeclRefExpr, clang::IntegerLiteral, clang::FloatingLiteral>(bare) &&
              (ast_.hasSameUnqualifiedType(bare->getType(), assignment->target->getType()) ||
               llvm::isa<clang::IntegerLiteral>(bare));
    return text;
  }

  bool write(const clang::IfStmt &branch, llvm::ArrayRef<Assignment> yes, llvm::ArrayRef<Assignment> no,
             llvm::ArrayRef<const clang::Expr *> targets, CodeLines &code) {
    std::optional<std::string> condition = builder_.textOf(branch.getCond()->getSourceRange());
    if (!condition || branch.getCond()->getBeginLoc().isMacroID() ||
        branch.getCond()->getEndLoc().isMacroID())
      return false;
    const clang::Expr *bare = branch.getCond()->IgnoreImpCasts();
    if (llvm::isa<clang::ConditionalOperator>(bare))
      condition = "(" + *condition + ")";
    code.comment("Both sides are short: computed by all lanes, so that none waits for the other side.");
    CodeLines selects;
    if (targets.size() > 1) {
      std::string taken = names_.take("taken");
      code.line("const bool " + taken + " = " + *condition + ";");
      condition = taken;
    }
    for (const clang::Expr *target : targets) {
      std::optional<std::string> name = builder_.textOf(target->getSourceRange());
      if (!name)
        return false;
      const clang::VarDecl *root = reader_.rootOf(*target).variable;
      std::string base = isLocal(target) || !root ? *name : root->getNameAsString();
      if (!isLocal(target) && !root)
        base = "value";
      std::string values[2];
      for (bool side : {true, false}) {
        bool isPlain = false;
        std::optional<std::string> text = valueText(find(side ? yes : no, target, ast_), *name, isPlain);
        if (!text)
          return false;
        values[side] = *text;
        if (isPlain)
          continue;
        values[side] = names_.take(base + (side ? "If" : "Else"));
        code.line("const " + typeText(target, *name) + " " + values[side] + " = " + *text + ";");
      }
      selects.line(*name + " = " + *condition + " ? " + values[true] + " : " + values[false] + ";");
    }
    code.append(selects);
    return true;
  }

  PlaceReader reader_;
  FreshNames names_;
  LinkedEdits edits_;
};

} // namespace

llvm::Expected<Proposals> proposeFlattenBranch(const RewriteContext &context) {
  return Proposer(context).propose();
}

} // namespace warpwright
