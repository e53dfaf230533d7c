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

/// Local variables, and where they are mentioned.
class VariableFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  bool VisitVarDecl(const clang::VarDecl *variable) override {
    variables.push_back(variable);
    return true;
  }
  bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
    mentions.push_back(reference);
    return true;
  }
  std::vector<const clang::VarDecl *> variables;
  std::vector<const clang::DeclRefExpr *> mentions;
};

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

ScalarExpression gridExtent(const Annotation &annotation, unsigned axis) {
  return axis < annotation.grid->extents.size() ? annotation.grid->extents[axis]
                                                : ScalarExpression::constant(1);
}

} // namespace

std::optional<std::array<LaunchAxis, 3>> annotatedAxes(const KernelAnalysis &analysis) {
  const std::optional<Annotation> &annotation = analysis.annotation;
  if (!annotation || !annotation->grid || !annotation->block)
    return std::nullopt;
  std::array<LaunchAxis, 3> axes;
  const std::vector<ScalarExpression> &block = annotation->block->extents;
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
  for (unsigned i = 0; i < 3; ++i)
    axes[i].things = dividedUp(gridExtent(*annotation, i), axes[i].block).value_or("");
  return axes;
}

std::string thingsAlong(const KernelAnalysis &analysis, unsigned axis, unsigned gridAxis) {
  std::optional<std::array<LaunchAxis, 3>> axes = annotatedAxes(analysis);
  if (!axes)
    return {};
  return dividedUp(gridExtent(*analysis.annotation, gridAxis), (*axes)[axis].block).value_or("");
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

std::optional<BlockShape::PlaceSum> BlockShape::readPlace(const clang::BinaryOperator &sum, unsigned axis,
                                                          unsigned gridAxis) {
  std::optional<Expression> value = reader_.read(sum);
  Expression thread = reader_.ofRegister(SymbolKind::ThreadIndex, axis);
  if (!value)
    return std::nullopt;
  std::optional<Expression> factor = value->coefficient(thread.terms().front().first.front());
  if (!factor || factor->isZero())
    return std::nullopt;
  // The text may spell the block's extent as a number.
  bool isNumber = axes_ && !value->mentions([&](const Symbol &symbol) {
    return symbol.kind == SymbolKind::BlockExtent && symbol.index == axis;
  });
  Expression extent =
      isNumber ? Expression((*axes_)[axis].block) : reader_.ofRegister(SymbolKind::BlockExtent, axis);
  Expression place = reader_.ofRegister(SymbolKind::BlockIndex, gridAxis) * extent + thread;
  Expression rest = *value - *factor * place;
  bool isMore = rest.mentions([&](const Symbol &symbol) {
    // A remainder or a call is known by its text alone.
    llvm::StringRef text = symbol.text;
    if (symbol.kind == SymbolKind::Opaque &&
        (text.contains("threadIdx.") || text.contains("blockIdx.") || text.contains("blockDim.")))
      return true;
    bool ofThreads = symbol.kind == SymbolKind::ThreadIndex || symbol.kind == SymbolKind::BlockExtent;
    return (ofThreads && symbol.index == axis) ||
           (symbol.kind == SymbolKind::BlockIndex && symbol.index == gridAxis);
  });
  if (isMore)
    return std::nullopt;
  return PlaceSum{&sum, *factor, rest, isNumber};
}

std::vector<BlockShape::PlaceSum> BlockShape::placeSums(unsigned axis, unsigned gridAxis) {
  const clang::SourceManager &sources = ast_.getSourceManager();
  SumFinder sums;
  sums.TraverseStmt(context_.analysis.kernel.declaration->getBody());
  std::vector<PlaceSum> found;
  for (const clang::BinaryOperator *sum : sums.found)
    if (std::optional<PlaceSum> place = readPlace(*sum, axis, gridAxis)) {
      // Outer ones come first; what holds a smaller one is none of its own.
      llvm::erase_if(found, [&](const PlaceSum &outer) {
        return sources.isPointWithin(sum->getBeginLoc(), outer.sum->getBeginLoc(), outer.sum->getEndLoc());
      });
      found.push_back(std::move(*place));
    }
  // A sum over a variable that is the place already reads as it, and is none.
  llvm::erase_if(found, [&](const PlaceSum &place) {
    return llvm::none_of(uses_.uses, [&](const RegisterUse &use) {
      bool ofAxis = use.kind == SymbolKind::ThreadIndex && use.axis == axis;
      return ofAxis && isCovered(use.range, place);
    });
  });
  return found;
}

std::optional<unsigned> BlockShape::gridAxisOf(unsigned axis) {
  for (unsigned gridAxis : {axis, (axis + 1) % 3, (axis + 2) % 3})
    if (!placeSums(axis, gridAxis).empty())
      return gridAxis;
  return std::nullopt;
}

/// Whether it stands in one of the sums, or is all that a variable holds which is used there alone.
bool BlockShape::isCovered(clang::SourceRange use, llvm::ArrayRef<PlaceSum> sums, unsigned depth) const {
  const clang::SourceManager &sources = ast_.getSourceManager();
  auto within = [&](clang::SourceRange range) {
    return sources.isPointWithin(use.getBegin(), range.getBegin(), range.getEnd());
  };
  if (llvm::any_of(sums, [&](const PlaceSum &place) { return within(place.sum->getSourceRange()); }))
    return true;
  VariableFinder finder;
  finder.TraverseStmt(context_.analysis.kernel.declaration->getBody());
  for (const clang::VarDecl *variable : finder.variables) {
    const clang::Expr *value = reader_.valueOf(*variable);
    if (!value || depth > 4 || !within(value->getSourceRange()))
      continue;
    if (!llvm::isa<clang::PseudoObjectExpr, clang::DeclRefExpr>(value->IgnoreParenCasts()))
      return false;
    return llvm::all_of(finder.mentions, [&](const clang::DeclRefExpr *mention) {
      return mention->getDecl() != variable || isCovered(mention->getSourceRange(), sums, depth + 1);
    });
  }
  return false;
}

/// Every register of the axis must stand in a sum that is the place in the grid.
std::string BlockShape::whyCounted(unsigned axis, unsigned gridAxis) {
  const clang::SourceManager &sources = ast_.getSourceManager();
  std::vector<PlaceSum> sums = placeSums(axis, gridAxis);
  for (const RegisterUse &use : uses_.uses) {
    bool ofGrid = use.kind == SymbolKind::BlockIndex || use.kind == SymbolKind::GridExtent;
    if (use.axis != (ofGrid ? gridAxis : axis))
      continue;
    std::string line = std::to_string(placeOf(use.range.getBegin(), sources).line);
    if (use.kind == SymbolKind::GridExtent || !isCovered(use.range, sums))
      return std::string("'") + nameOfRegister(use.kind) + "." + "xyz"[use.axis] + "' at line " + line +
             " is used for more than the thread's place in the grid";
  }
  return {};
}

std::string BlockShape::whyUnguarded(unsigned axis, unsigned gridAxis) {
  const std::string launched = thingsAlong(context_.analysis, axis, gridAxis);
  if (launched.empty())
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
  llvm::Expected<ScalarExpression> things = ScalarExpression::parse(launched);
  if (!things) {
    llvm::consumeError(things.takeError());
    return "the annotated grid is not understood";
  }
  std::optional<Expression> end = reader_.read(*things, names);
  if (end)
    for (const Expression &extent :
         {reader_.ofRegister(SymbolKind::BlockExtent, axis), Expression((*axes_)[axis].block)}) {
      Expression beyond = reader_.ofRegister(SymbolKind::BlockIndex, gridAxis) * extent +
                          reader_.ofRegister(SymbolKind::ThreadIndex, axis) - *end;
      for (const Expression &negative : negative_)
        if (std::optional<int64_t> slack = (negative - beyond).asConstant(); slack && *slack >= 0)
          return {};
    }
  return std::string("threads beyond '") + launched + "' along " + "xyz"[axis] +
         " were not proved to do nothing";
}

std::string BlockShape::whyFixed(unsigned axis, unsigned gridAxis, bool mayBeNumber) {
  if (!uses_.obstacle.empty())
    return uses_.obstacle;
  if (!axes_)
    return "the block is no constant";
  const KernelFacts &facts = context_.analysis.facts;
  if (!facts.sharedVariables.empty())
    return "its block shares memory";
  if (!facts.synchronisations.empty())
    return "its threads work together by '" + facts.synchronisations.front().operation + "'";
  if (std::string counted = whyCounted(axis, gridAxis); !counted.empty())
    return counted;
  for (const PlaceSum &place : placeSums(axis, gridAxis))
    if (place.isNumber && !mayBeNumber)
      return "line " + std::to_string(placeOf(place.sum->getBeginLoc(), ast_.getSourceManager()).line) +
             " counts blocks of " + std::to_string((*axes_)[axis].block) + " threads";
  return whyUnguarded(axis, gridAxis);
}

} // namespace warpwright
