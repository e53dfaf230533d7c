#include "rewriters/mapping/BlockShape.h"

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/mapping/Effects.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>

namespace warpwright {
namespace {

/// The expressions in which two integers are added, outermost first.
class SumFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  bool VisitBinaryOperator(const clang::BinaryOperator *binary) override {
    if (binary->isAdditiveOp() && binary->getType()->isIntegerType())
      found.push_back(binary);
    return true;
  }
  std::vector<const clang::BinaryOperator *> found;
};

/// Whether computing it touches memory: then it does something, even if nothing is made of it.
class MemoryFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  bool VisitArraySubscriptExpr(const clang::ArraySubscriptExpr *) override { return !(found = true); }
  bool VisitUnaryOperator(const clang::UnaryOperator *unary) override {
    return !(found |= unary->getOpcode() == clang::UO_Deref);
  }
  bool VisitMemberExpr(const clang::MemberExpr *member) override { return !(found |= member->isArrow()); }
  bool found = false;
};

bool touchesNothing(const clang::Expr &expression) {
  MemoryFinder finder;
  finder.TraverseStmt(&expression);
  Effects effects = effectsOf(expression);
  return !finder.found && !effects.seenByOthers() && effects.variables.empty() && !effects.leaves;
}

bool isReturn(const clang::Stmt *statement) {
  if (const auto *compound = llvm::dyn_cast_or_null<clang::CompoundStmt>(statement))
    statement = compound->size() == 1 ? compound->body_front() : nullptr;
  return llvm::isa_and_nonnull<clang::ReturnStmt>(statement);
}

/// `(n + 15) / 16` as a person may write ceil_div(n, 16).
std::optional<std::string> dividedUp(const ScalarExpression &extent, int64_t block) {
  ScalarExpression::Part part = extent.outermost();
  if (block == 1)
    return extent.str();
  if (part.operands.size() != 2 || part.operands[1].outermost().literal != block)
    return std::nullopt;
  if (part.operation == "ceil_div")
    return part.operands[0].str();
  ScalarExpression::Part sum = part.operands[0].outermost();
  if (part.operation == "/" && sum.operation == "+" && sum.operands[1].outermost().literal == block - 1)
    return sum.operands[0].str();
  return std::nullopt;
}

} // namespace

std::optional<std::array<LaunchAxis, 3>> annotatedAxes(const KernelAnalysis &analysis) {
  const std::optional<Annotation> &annotation = analysis.annotation;
  if (!annotation || !annotation->grid || !annotation->block)
    return std::nullopt;
  std::array<LaunchAxis, 3> axes;
  for (LaunchAxis &axis : axes)
    axis.things = "1";
  const std::vector<ScalarExpression> &block = annotation->block->extents, &grid = annotation->grid->extents;
  for (unsigned i = 0; i < block.size() && i < 3; ++i) {
    llvm::Expected<int64_t> value = block[i].evaluate(analysis.context.constantValues());
    if (!value) {
      llvm::consumeError(value.takeError());
      return std::nullopt;
    }
    if (*value <= 0)
      return std::nullopt;
    axes[i].block = *value;
  }
  for (unsigned i = 0; i < 3; ++i) {
    ScalarExpression extent = i < grid.size() ? grid[i] : ScalarExpression::constant(1);
    std::optional<std::string> things = dividedUp(extent, axes[i].block);
    axes[i].things = things.value_or("");
  }
  return axes;
}

BlockShape::BlockShape(const RewriteContext &context)
    : context_(context), ast_(context.unit.ast()),
      reader_(ast_, *context.analysis.kernel.declaration->getBody(), table_,
              IntegerReader::Moment::WholeBody),
      uses_(findRegisterUses(*context.analysis.kernel.declaration)), axes_(annotatedAxes(context.analysis)) {
  readGuards();
}

/// What every thread that does more than compute indices has passed.
void BlockShape::readGuards() {
  const auto *body = llvm::dyn_cast<clang::CompoundStmt>(context_.analysis.kernel.declaration->getBody());
  if (!body)
    return;
  for (const clang::Stmt *statement : body->body()) {
    if (const auto *declaration = llvm::dyn_cast<clang::DeclStmt>(statement)) {
      for (const clang::Decl *one : declaration->decls())
        if (const auto *variable = llvm::dyn_cast<clang::VarDecl>(one))
          if (variable->getInit() && !touchesNothing(*variable->getInit()))
            return;
      continue;
    }
    const auto *branch = llvm::dyn_cast<clang::IfStmt>(statement);
    if (!branch || branch->getElse() || branch->getInit() || branch->getConditionVariable() ||
        !touchesNothing(*branch->getCond()))
      return;
    bool leaves = isReturn(branch->getThen());
    if (leaves) {
      assume(*branch->getCond(), /*holds=*/false);
      continue;
    }
    // All that is done is done under it.
    if (statement == body->body_back())
      assume(*branch->getCond(), /*holds=*/true);
    return;
  }
}

void BlockShape::assume(const clang::Expr &condition, bool holds) {
  const clang::Expr *inner = condition.IgnoreParenImpCasts();
  if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(inner))
    if (const auto *variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl()))
      if (const clang::Expr *value = reader_.valueOf(*variable))
        return assume(*value, holds);
  if (const auto *negation = llvm::dyn_cast<clang::UnaryOperator>(inner);
      negation && negation->getOpcode() == clang::UO_LNot)
    return assume(*negation->getSubExpr(), !holds);
  const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(inner);
  if (!binary)
    return;
  if (binary->getOpcode() == (holds ? clang::BO_LAnd : clang::BO_LOr)) {
    assume(*binary->getLHS(), holds);
    assume(*binary->getRHS(), holds);
    return;
  }
  if (!binary->isRelationalOp())
    return;
  std::optional<Expression> left = reader_.read(*binary->getLHS());
  std::optional<Expression> right = reader_.read(*binary->getRHS());
  if (!left || !right)
    return;
  clang::BinaryOperatorKind kind = binary->getOpcode();
  if (!holds)
    kind = clang::BinaryOperator::negateComparisonOp(kind);
  if (kind == clang::BO_GT || kind == clang::BO_GE)
    std::swap(left, right);
  bool orEqual = kind == clang::BO_LE || kind == clang::BO_GE;
  negative_.push_back(*left - *right - Expression(int64_t(orEqual)));
}

bool BlockShape::isPlaceInGrid(const clang::Expr &expression, unsigned axis) {
  std::optional<Expression> value = reader_.read(expression);
  Expression thread = reader_.ofRegister(SymbolKind::ThreadIndex, axis);
  if (!value)
    return false;
  std::optional<Expression> factor = value->coefficient(thread.terms().front().first.front());
  if (!factor || factor->isZero())
    return false;
  Expression place =
      reader_.ofRegister(SymbolKind::BlockIndex, axis) * reader_.ofRegister(SymbolKind::BlockExtent, axis) +
      thread;
  Expression rest = *value - *factor * place;
  return !rest.mentions([&](const Symbol &symbol) {
    return symbol.index == axis &&
           (symbol.kind == SymbolKind::ThreadIndex || symbol.kind == SymbolKind::BlockIndex ||
            symbol.kind == SymbolKind::BlockExtent);
  });
}

/// Every register of the axis must stand in a sum that is the place in the grid.
std::string BlockShape::whyCounted(unsigned axis) {
  const clang::SourceManager &sources = ast_.getSourceManager();
  SumFinder sums;
  sums.TraverseStmt(context_.analysis.kernel.declaration->getBody());
  llvm::erase_if(sums.found, [&](const clang::BinaryOperator *sum) { return !isPlaceInGrid(*sum, axis); });
  for (const RegisterUse &use : uses_.uses) {
    if (use.axis != axis)
      continue;
    std::string line = std::to_string(placeOf(use.range.getBegin(), sources).line);
    bool isCovered = llvm::any_of(sums.found, [&](const clang::BinaryOperator *sum) {
      return sources.isPointWithin(use.range.getBegin(), sum->getBeginLoc(), sum->getEndLoc());
    });
    if (use.kind == SymbolKind::GridExtent || !isCovered)
      return std::string("'") + nameOfRegister(use.kind) + "." + "xyz"[axis] + "' at line " + line +
             " is used for more than the thread's place in the grid";
  }
  return {};
}

std::string BlockShape::whyUnguarded(unsigned axis) {
  const LaunchAxis &launched = (*axes_)[axis];
  if (launched.things.empty())
    return std::string("the annotated grid is no quotient of the block along ") + "xyz"[axis];
  std::map<std::string, Expression> names;
  for (const clang::ParmVarDecl *parameter : context_.analysis.kernel.declaration->parameters())
    if (std::optional<Expression> value = reader_.read(*parameter))
      names[parameter->getNameAsString()] = *value;
  for (const auto &[constant, value] : context_.analysis.context.constantValues())
    names[constant] = Expression(value);
  for (const AnnotationParameter &member : context_.analysis.context.parameters)
    if (auto [base, path] = llvm::StringRef(member.name).split('.'); !path.empty())
      for (const clang::ParmVarDecl *parameter : context_.analysis.kernel.declaration->parameters())
        if (parameter->getName() == base && reader_.isUnchanged(*parameter))
          names[member.name] =
              reader_.named(base.str() + "@" + std::to_string(parameter->getID()) + "." + path.str());
  llvm::Expected<ScalarExpression> things = ScalarExpression::parse(launched.things);
  if (!things) {
    llvm::consumeError(things.takeError());
    return "the annotated grid is not understood";
  }
  std::optional<Expression> end = reader_.read(*things, names);
  if (end) {
    Expression beyond =
        reader_.ofRegister(SymbolKind::BlockIndex, axis) * reader_.ofRegister(SymbolKind::BlockExtent, axis) +
        reader_.ofRegister(SymbolKind::ThreadIndex, axis) - *end;
    for (const Expression &negative : negative_)
      if (std::optional<int64_t> slack = (negative - beyond).asConstant(); slack && *slack >= 0)
        return {};
  }
  return std::string("threads beyond '") + launched.things + "' along " + "xyz"[axis] +
         " were not proved to do nothing";
}

std::string BlockShape::whyFixed(unsigned axis) {
  if (!uses_.obstacle.empty())
    return uses_.obstacle;
  if (!axes_)
    return "the block is no constant";
  const KernelFacts &facts = context_.analysis.facts;
  if (!facts.sharedVariables.empty())
    return "its block shares memory";
  if (!facts.synchronisations.empty())
    return "its threads work together by '" + facts.synchronisations.front().operation + "'";
  if (std::string counted = whyCounted(axis); !counted.empty())
    return counted;
  return whyUnguarded(axis);
}

} // namespace warpwright
