#include "rewriters/mapping/OnlinePair.h"

#include "analysis/ast/PlaceUses.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

using clang::BinaryOperator;
using clang::Expr;
using clang::VarDecl;

const Expr *plain(const Expr *expression) {
  return expression->IgnoreParenImpCasts();
}

const BinaryOperator *binary(const clang::Stmt *code, clang::BinaryOperatorKind kind) {
  const auto *expression = llvm::dyn_cast_or_null<Expr>(code);
  const auto *operation = expression ? llvm::dyn_cast<BinaryOperator>(plain(expression)) : nullptr;
  return operation && operation->getOpcode() == kind ? operation : nullptr;
}

/// Whether the toolkit, and not the user, says what the function does.
bool isOfToolkit(const clang::FunctionDecl &callee) {
  const clang::SourceManager &sources = callee.getASTContext().getSourceManager();
  return callee.getDeclName().isIdentifier() &&
         sources.isInSystemHeader(sources.getExpansionLoc(callee.getLocation()));
}

/// The call of an exponential: exp(a) * exp(b) is exp(a + b).
const clang::CallExpr *exponential(const Expr *expression) {
  const auto *call = llvm::dyn_cast<clang::CallExpr>(plain(expression));
  const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  if (!callee || !isOfToolkit(*callee) || call->getNumArgs() != 1)
    return nullptr;
  static constexpr llvm::StringLiteral names[] = {"exp",    "expf",   "exp2",    "exp2f",
                                                  "__expf", "exp10f", "__exp10f"};
  return llvm::is_contained(names, callee->getName()) ? call : nullptr;
}

/// A variable, or another expression.
struct Operand {
  const VarDecl *variable = nullptr;
  const Expr *expression = nullptr;
};

/// The statements of a block, or the one that stands alone.
std::vector<const clang::Stmt *> statementsOf(const clang::Stmt *code) {
  if (const auto *compound = llvm::dyn_cast_or_null<clang::CompoundStmt>(code))
    return {compound->body_begin(), compound->body_end()};
  return code ? std::vector{code} : std::vector<const clang::Stmt *>();
}

class MentionCounter : public clang::ConstDynamicRecursiveASTVisitor {
public:
  explicit MentionCounter(const VarDecl *variable) : variable_(variable) {}
  bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
    count += reference->getDecl() == variable_;
    return true;
  }
  unsigned count = 0;

private:
  const VarDecl *variable_;
};

unsigned mentions(const clang::Stmt *code, const VarDecl *variable) {
  MentionCounter counter(variable);
  counter.TraverseStmt(code);
  return counter.count;
}

/// Looks for the pair among the statements of one block.
class PairFinder {
public:
  PairFinder(const clang::Stmt &body, const clang::ASTContext &ast)
      : body_(body), ast_(ast), statements_(statementsOf(&body)) {}

  std::optional<OnlinePair> find() {
    for (size_t i = 0; i < statements_.size(); ++i)
      for (bool (PairFinder::*form)(size_t) :
           {&PairFinder::readNext, &PairFinder::readOld, &PairFinder::readBranch}) {
        pair_ = {};
        if ((this->*form)(i) && isWhole())
          return pair_;
      }
    return std::nullopt;
  }

private:
  /// The variable that the statement alone declares, with a value.
  const VarDecl *declared(size_t at) const {
    const auto *declaration = llvm::dyn_cast<clang::DeclStmt>(statements_[at]);
    const auto *variable = declaration && declaration->isSingleDecl()
                               ? llvm::dyn_cast<VarDecl>(declaration->getSingleDecl())
                               : nullptr;
    return variable && variable->getInit() ? variable : nullptr;
  }

  bool is(const Expr *expression, const Operand &operand) const {
    return operand.variable ? namedVariable(expression) == operand.variable
                            : areAlike(expression, operand.expression, ast_);
  }

  /// What the larger of it and the variable is taken of; null where it is no such thing.
  const Expr *besideIn(const Expr *maximum, const VarDecl *variable) const {
    const Expr *first = nullptr, *second = nullptr;
    if (const auto *call = llvm::dyn_cast<clang::CallExpr>(plain(maximum))) {
      const clang::FunctionDecl *callee = call->getDirectCallee();
      static constexpr llvm::StringLiteral names[] = {"max", "fmax", "fmaxf"};
      if (!callee || !isOfToolkit(*callee) || call->getNumArgs() != 2 ||
          !llvm::is_contained(names, callee->getName()))
        return nullptr;
      first = call->getArg(0);
      second = call->getArg(1);
    } else if (const auto *choice = llvm::dyn_cast<clang::ConditionalOperator>(plain(maximum))) {
      const Expr *cond = choice->getCond();
      const BinaryOperator *greater = binary(cond, clang::BO_GT), *less = binary(cond, clang::BO_LT);
      if (!greater && !less)
        return nullptr;
      first = greater ? greater->getLHS() : less->getRHS(); // the larger where the condition holds
      second = greater ? greater->getRHS() : less->getLHS();
      if (!areAlike(first, choice->getTrueExpr(), ast_) || !areAlike(second, choice->getFalseExpr(), ast_))
        return nullptr;
    } else {
      return nullptr;
    }
    if (namedVariable(first) == variable)
      return second;
    return namedVariable(second) == variable ? first : nullptr;
  }

  /// Whether it is exp(left - right), of the one function that the pair uses.
  bool isExponential(const Expr *expression, const Operand &left, const Operand &right) {
    const clang::CallExpr *call = exponential(expression);
    const BinaryOperator *difference = call ? binary(call->getArg(0), clang::BO_Sub) : nullptr;
    if (!difference || !is(difference->getLHS(), left) || !is(difference->getRHS(), right))
      return false;
    const std::string name = call->getDirectCallee()->getNameAsString();
    if (pair_.function.empty())
      pair_.function = name;
    return pair_.function == name;
  }

  /// `sum * exp(from - to)`.
  bool isRescaled(const Expr *expression, const VarDecl *sum, const Operand &from, const Operand &to) {
    const BinaryOperator *product = binary(expression, clang::BO_Mul);
    return product &&
           ((namedVariable(product->getLHS()) == sum && isExponential(product->getRHS(), from, to)) ||
            (namedVariable(product->getRHS()) == sum && isExponential(product->getLHS(), from, to)));
  }

  /// The two operands of a sum, either way round.
  template <typename First, typename Second>
  static bool isSumOf(const Expr *expression, First first, Second second) {
    const BinaryOperator *sum = binary(expression, clang::BO_Add);
    return sum && ((first(sum->getLHS()) && second(sum->getRHS())) ||
                   (first(sum->getRHS()) && second(sum->getLHS())));
  }

  /// `sum = sum * exp(from - to) + exp(value - to)`, in one statement or two that follow each other.
  bool readSum(size_t begin, size_t end, const Operand &from, const Operand &to, const Expr *value) {
    for (size_t i = begin; i < end; ++i) {
      const BinaryOperator *assignment = binary(statements_[i], clang::BO_Assign);
      if (const VarDecl *sum = assignment ? namedVariable(assignment->getLHS()) : nullptr;
          sum && isSumOf(
                     assignment->getRHS(), [&](const Expr *one) { return isRescaled(one, sum, from, to); },
                     [&](const Expr *one) { return isExponential(one, {nullptr, value}, to); }))
        return take(i, sum, assignment);
      const BinaryOperator *scale = binary(statements_[i], clang::BO_MulAssign);
      const BinaryOperator *add = i + 1 < end ? binary(statements_[i + 1], clang::BO_AddAssign) : nullptr;
      const VarDecl *sum = scale ? namedVariable(scale->getLHS()) : nullptr;
      if (sum && add && namedVariable(add->getLHS()) == sum && isExponential(scale->getRHS(), from, to) &&
          isExponential(add->getRHS(), {nullptr, value}, to))
        return take(i, sum, scale) && take(i + 1, sum, add);
    }
    return false;
  }

  bool take(size_t at, const VarDecl *sum, const BinaryOperator *assignment) {
    pair_.sum = sum;
    pair_.statements.push_back(statements_[at]);
    pair_.assignments.push_back(assignment);
    return true;
  }

  /// `next = max(largest, v); sum = ...; largest = next;`
  bool readNext(size_t at) {
    const VarDecl *next = declared(at);
    for (size_t end = at + 1; next && end < statements_.size(); ++end) {
      const BinaryOperator *assignment = binary(statements_[end], clang::BO_Assign);
      if (!assignment || namedVariable(assignment->getRHS()) != next)
        continue;
      const VarDecl *largest = namedVariable(assignment->getLHS());
      const Expr *value = largest ? besideIn(next->getInit(), largest) : nullptr;
      if (!value)
        return false;
      helpers_ = {next};
      pair_.largest = largest;
      pair_.statements = {statements_[at], statements_[end]};
      pair_.assignments = {assignment};
      value_ = value;
      return readSum(at + 1, end, {largest}, {next}, value) && runsThrough();
    }
    return false;
  }

  /// `old = largest; largest = max(largest, v); sum = ...;`
  bool readOld(size_t at) {
    const VarDecl *old = declared(at);
    const VarDecl *largest = old ? namedVariable(old->getInit()) : nullptr;
    for (size_t next = at + 1; largest && next < statements_.size(); ++next) {
      const BinaryOperator *assignment = binary(statements_[next], clang::BO_Assign);
      if (!assignment || namedVariable(assignment->getLHS()) != largest)
        continue;
      const Expr *value = besideIn(assignment->getRHS(), largest);
      value = value ? value : besideIn(assignment->getRHS(), old);
      if (!value)
        return false;
      helpers_ = {old};
      pair_.largest = largest;
      pair_.statements = {statements_[at], statements_[next]};
      pair_.assignments = {assignment};
      value_ = value;
      return readSum(next + 1, statements_.size(), {old}, {largest}, value) && runsThrough();
    }
    return false;
  }

  /// `if (v > largest) { sum = sum * exp(largest - v) + 1; largest = v; } else sum += exp(v - largest);`
  bool readBranch(size_t at) {
    const auto *branch = llvm::dyn_cast<clang::IfStmt>(statements_[at]);
    if (!branch || !branch->getElse() || branch->getInit() || branch->getConditionVariable())
      return false;
    const BinaryOperator *greater = binary(branch->getCond(), clang::BO_GT),
                         *less = binary(branch->getCond(), clang::BO_LT);
    const std::vector<const clang::Stmt *> larger = statementsOf(branch->getThen()),
                                           other = statementsOf(branch->getElse());
    if ((!greater && !less) || larger.size() != 2 || other.size() != 1)
      return false;
    const Expr *value = greater ? greater->getLHS() : less->getRHS(),
               *best = greater ? greater->getRHS() : less->getLHS();
    const BinaryOperator *scale = binary(larger[0], clang::BO_Assign),
                         *move = binary(larger[1], clang::BO_Assign),
                         *add = binary(other[0], clang::BO_AddAssign);
    const VarDecl *sum = scale ? namedVariable(scale->getLHS()) : nullptr;
    auto isOne = [&](const Expr *one) {
      Expr::EvalResult result;
      return !one->isValueDependent() && one->EvaluateAsRValue(result, ast_) &&
             ((result.Val.isFloat() && result.Val.getFloat().isExactlyValue(1.0)) ||
              (result.Val.isInt() && result.Val.getInt() == 1));
    };
    if (!sum || !move || !add || namedVariable(add->getLHS()) != sum || !namedVariable(best) ||
        namedVariable(move->getLHS()) != namedVariable(best) || !areAlike(move->getRHS(), value, ast_) ||
        !isExponential(add->getRHS(), {nullptr, value}, {namedVariable(best)}) ||
        !isSumOf(
            scale->getRHS(),
            [&](const Expr *one) { return isRescaled(one, sum, {namedVariable(best)}, {nullptr, value}); },
            isOne))
      return false;
    helpers_ = {};
    value_ = value;
    pair_.largest = namedVariable(best);
    pair_.sum = sum;
    pair_.statements = {branch};
    pair_.assignments = {scale, move, add};
    return true;
  }

  /// Whoever begins to take a value in ends it: nothing on the way goes on with the next one.
  bool runsThrough() const {
    auto at = [&](const clang::Stmt *statement) { return llvm::find(statements_, statement); };
    auto [first, last] = std::minmax_element(
        pair_.statements.begin(), pair_.statements.end(),
        [&](const clang::Stmt *one, const clang::Stmt *other) { return at(one) < at(other); });
    return std::all_of(at(*first), at(*last), [](const clang::Stmt *statement) {
      return llvm::isa<clang::DeclStmt, Expr>(statement);
    });
  }

  /// Two numbers of one floating type from outside, and what serves them is used for nothing else.
  bool isWhole() const {
    clang::QualType type = pair_.sum->getType().getUnqualifiedType();
    const clang::SourceManager &sources = ast_.getSourceManager();
    auto isOutside = [&](const VarDecl *variable) {
      return variable->isLocalVarDecl() &&
             sources.isBeforeInTranslationUnit(variable->getLocation(), body_.getBeginLoc());
    };
    if (!type->isRealFloatingType() || !isOutside(pair_.sum) || !isOutside(pair_.largest) ||
        pair_.sum == pair_.largest || mentions(value_, pair_.sum) != 0 ||
        mentions(value_, pair_.largest) != 0 ||
        !ast_.hasSameType(type, pair_.largest->getType().getUnqualifiedType()))
      return false;
    auto isHere = [&](const VarDecl *variable) {
      unsigned here = 0;
      for (const clang::Stmt *statement : pair_.statements)
        here += mentions(statement, variable);
      return here == mentions(&body_, variable);
    };
    return isHere(pair_.sum) && isHere(pair_.largest) && llvm::all_of(helpers_, isHere);
  }

  const clang::Stmt &body_;
  const clang::ASTContext &ast_;
  std::vector<const clang::Stmt *> statements_;
  std::vector<const VarDecl *> helpers_; ///< the old or the new maximum
  const Expr *value_ = nullptr;          ///< that the pair takes in
  OnlinePair pair_;
};

} // namespace

std::optional<OnlinePair> findOnlinePair(const clang::Stmt &body, const clang::ASTContext &ast) {
  return PairFinder(body, ast).find();
}

} // namespace warpwright
