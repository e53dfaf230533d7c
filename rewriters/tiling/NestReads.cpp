#include "rewriters/tiling/NestReads.h"

#include "rewriters/tiling/Conditions.h"
#include "rewriters/tiling/Polynomials.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

/// An element: where its memory begins, and how many elements on it lies.
struct ReadPlace {
  std::string base;
  Expression index;
  bool isWide = false;
  bool isKnown = true; ///< whether `index` is
};

class Resolver {
public:
  explicit Resolver(IntegerReader &reader) : reader_(reader) {}

  ReadPlace element(const clang::Expr &lvalue) {
    const clang::Expr *inner = lvalue.IgnoreParenImpCasts();
    if (const auto *subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(inner))
      return moved(pointer(*subscript->getBase()), *subscript->getIdx(), /*back=*/false);
    if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(inner);
        unary && unary->getOpcode() == clang::UO_Deref)
      return pointer(*unary->getSubExpr());
    return {};
  }

  ReadPlace pointer(const clang::Expr &expression) {
    const clang::Expr *inner = expression.IgnoreParenImpCasts();
    if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(inner)) {
      const auto *variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
      if (!variable || !variable->getType()->isPointerType() || !reader_.isUnchanged(*variable))
        return {};
      if (llvm::isa<clang::ParmVarDecl>(variable))
        return {variable->getNameAsString(), Expression(), false, true};
      const clang::Expr *value = reader_.valueOf(*variable);
      bool sameType = value && value->getType()->isPointerType() &&
                      value->getType()->getPointeeType().getUnqualifiedType().getCanonicalType() ==
                          variable->getType()->getPointeeType().getUnqualifiedType().getCanonicalType();
      return sameType ? pointer(*value) : ReadPlace();
    }
    if (const auto *member = llvm::dyn_cast<clang::MemberExpr>(inner)) {
      const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(member->getBase()->IgnoreParenImpCasts());
      const auto *variable = reference ? llvm::dyn_cast<clang::ParmVarDecl>(reference->getDecl()) : nullptr;
      if (!variable || member->isArrow() || !member->getType()->isPointerType())
        return {};
      return {variable->getNameAsString() + "." + member->getMemberDecl()->getNameAsString(), Expression(),
              false, true};
    }
    if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(inner);
        unary && unary->getOpcode() == clang::UO_AddrOf)
      return element(*unary->getSubExpr());
    const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(inner);
    if (!binary || !binary->isAdditiveOp())
      return {};
    bool isLeft = binary->getLHS()->getType()->isPointerType();
    return moved(pointer(isLeft ? *binary->getLHS() : *binary->getRHS()),
                 isLeft ? *binary->getRHS() : *binary->getLHS(), binary->getOpcode() == clang::BO_Sub);
  }

private:
  ReadPlace moved(ReadPlace place, const clang::Expr &by, bool back) {
    std::optional<Expression> distance = reader_.read(by);
    const clang::Expr *inner = by.IgnoreParenImpCasts();
    clang::QualType type = inner->getType();
    if (const auto *builtin = type->getAs<clang::BuiltinType>())
      place.isWide |= builtin->getKind() == clang::BuiltinType::Long ||
                      builtin->getKind() == clang::BuiltinType::ULong ||
                      builtin->getKind() == clang::BuiltinType::LongLong ||
                      builtin->getKind() == clang::BuiltinType::ULongLong;
    place.isKnown &= distance.has_value();
    if (distance)
      place.index = back ? place.index - *distance : place.index + *distance;
    return place;
  }
  IntegerReader &reader_;
};

bool isZero(const clang::Expr *expression) {
  expression = expression->IgnoreParenImpCasts();
  if (const auto *floating = llvm::dyn_cast<clang::FloatingLiteral>(expression))
    return floating->getValue().isPosZero();
  const auto *integer = llvm::dyn_cast<clang::IntegerLiteral>(expression);
  return integer && integer->getValue().isZero();
}

class Collector {
public:
  Collector(const std::vector<unsigned> &loops, IntegerReader &reader, Nest &nest)
      : loops_(loops), reader_(reader), nest_(nest) {}

  void collect(const clang::Stmt *statement, const NestCondition &condition) {
    if (!statement)
      return;
    if (const auto *choice = llvm::dyn_cast<clang::ConditionalOperator>(statement))
      return collectChoice(*choice, condition);
    if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(statement)) {
      if (binary->isAssignmentOp()) {
        collectWritten(binary->getLHS(), condition);
        return collect(binary->getRHS(), condition);
      }
      if (binary->isLogicalOp()) {
        collect(binary->getLHS(), condition);
        return collect(binary->getRHS(),
                       under(condition, *binary->getLHS(), binary->getOpcode() == clang::BO_LAnd));
      }
    }
    if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(statement);
        unary && (unary->isIncrementDecrementOp() || unary->getOpcode() == clang::UO_AddrOf))
      return collectWritten(unary->getSubExpr(), condition);
    if (const auto *call = llvm::dyn_cast<clang::CallExpr>(statement))
      return collectCall(*call, condition);
    if (const auto *expression = llvm::dyn_cast<clang::Expr>(statement); expression && isElement(*expression))
      return add(*expression, element(*expression), condition);
    for (const clang::Stmt *child : statement->children())
      collect(child, condition);
  }

private:
  static bool isElement(const clang::Expr &expression) {
    const auto *subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(&expression);
    const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(&expression);
    return (subscript && !subscript->getBase()->IgnoreParenImpCasts()->getType()->isArrayType()) ||
           (unary && unary->getOpcode() == clang::UO_Deref);
  }
  ReadPlace element(const clang::Expr &expression) { return Resolver(reader_).element(expression); }

  void collectChoice(const clang::ConditionalOperator &choice, const NestCondition &condition) {
    collect(choice.getCond(), condition);
    size_t before = nest_.reads.size();
    collect(choice.getTrueExpr(), under(condition, *choice.getCond(), true));
    if (nest_.reads.size() == before + 1 && isZero(choice.getFalseExpr()) &&
        nest_.reads.back().expression == choice.getTrueExpr()->IgnoreParenImpCasts())
      nest_.reads.back().paddedWhole = &choice;
    collect(choice.getFalseExpr(), under(condition, *choice.getCond(), false));
  }

  void collectCall(const clang::CallExpr &call, const NestCondition &condition) {
    const clang::FunctionDecl *callee = call.getDirectCallee();
    bool isNamed = callee && callee->getDeclName().isIdentifier();
    if (isNamed && callee->getName() == "__ldg" && call.getNumArgs() == 1)
      return add(call, Resolver(reader_).pointer(*call.getArg(0)), condition);
    const auto *operation = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&call);
    bool assigns = operation && operation->isAssignmentOp();
    for (unsigned i = 0; i < call.getNumArgs(); ++i) {
      if (i == 0 && assigns)
        collectWritten(call.getArg(i), condition);
      else
        collect(call.getArg(i), condition);
    }
  }

  /// Of what is written, the index alone is read.
  void collectWritten(const clang::Expr *lvalue, const NestCondition &condition) {
    const clang::Expr *inner = lvalue->IgnoreParenImpCasts();
    for (const clang::Stmt *child : inner->children())
      collect(child, condition);
  }

  NestCondition under(NestCondition outer, const clang::Expr &condition, bool holds) {
    NestCondition inner = readCondition(condition, holds, reader_);
    outer.isKnown &= inner.isKnown;
    llvm::append_range(outer.atLeastZero, inner.atLeastZero);
    return outer;
  }

  void add(const clang::Expr &expression, const ReadPlace &place, const NestCondition &condition) {
    NestRead read;
    read.expression = &expression;
    read.base = place.base;
    read.type = expression.getType().getUnqualifiedType();
    read.index = place.index;
    read.isWide = place.isWide;
    read.loops = loops_;
    read.condition = condition;
    if (place.base.empty() || !place.isKnown)
      read.whyNot = "its place is not known";
    else if (!isAffine(place.index))
      read.whyNot = "its place is not affine in coordinates and counters";
    nest_.reads.push_back(std::move(read));
    // An index that is read from memory is a read of its own.
    for (const clang::Stmt *child : expression.children())
      collect(child, condition);
  }

  bool isAffine(const Expression &index) const {
    auto varies = [&](const Symbol &symbol) {
      return nest_.coordinateOf(&symbol) != nullptr || nest_.loopOf(&symbol) != nullptr;
    };
    bool isAffine = toCode(index).has_value();
    index.forEachSymbol([&](const Symbol *symbol) {
      std::optional<Expression> factor = varies(*symbol) ? index.coefficient(symbol) : Expression(1);
      isAffine &= factor && !factor->mentions(varies);
    });
    return isAffine;
  }

  const std::vector<unsigned> &loops_;
  IntegerReader &reader_;
  Nest &nest_;
};

} // namespace

void collectReads(const clang::Stmt &statement, const std::vector<unsigned> &loops,
                  const NestCondition &condition, IntegerReader &reader, Nest &nest) {
  Collector(loops, reader, nest).collect(&statement, condition);
}

std::optional<Expression> indexOf(const clang::Expr &lvalue, IntegerReader &reader) {
  ReadPlace place = Resolver(reader).element(lvalue);
  return place.base.empty() || !place.isKnown ? std::nullopt : std::optional(place.index);
}

} // namespace warpwright
