#include "rewriters/mapping/RowReductions.h"

#include "analysis/ast/PlaceUses.h"
#include "rewriters/mapping/Effects.h"
#include "rewriters/mapping/OnlinePair.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSwitch.h>

#include <map>
#include <set>

namespace warpwright {
namespace {

using Kind = RowReduction::Kind;

std::optional<Kind> kindOfOperator(clang::BinaryOperatorKind kind) {
  switch (kind) {
  case clang::BO_Add:
  case clang::BO_Sub:
  case clang::BO_AddAssign:
  case clang::BO_SubAssign:
    return Kind::Sum;
  case clang::BO_Mul:
  case clang::BO_MulAssign:
    return Kind::Product;
  case clang::BO_And:
  case clang::BO_AndAssign:
  case clang::BO_LAnd:
    return Kind::And;
  case clang::BO_Or:
  case clang::BO_OrAssign:
  case clang::BO_LOr:
    return Kind::Or;
  case clang::BO_Xor:
  case clang::BO_XorAssign:
    return Kind::Xor;
  default:
    return std::nullopt;
  }
}

std::optional<Kind> kindOfFunction(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Kind>>(name)
      .Cases({"max", "fmax", "fmaxf", "__hmax"}, Kind::Maximum)
      .Cases({"min", "fmin", "fminf", "__hmin"}, Kind::Minimum)
      .Case("__hadd", Kind::Sum)
      .Default(std::nullopt);
}

/// The function that takes the larger or smaller of two values of any number type, on the device.
std::string extremum(bool isMaximum) {
  return isMaximum ? "max" : "min";
}

/// Whether lanes can hand values of the type to each other.
bool isShuffled(clang::QualType type) {
  type = type.getCanonicalType().getUnqualifiedType();
  if (const auto *record = type->getAsCXXRecordDecl())
    return record->getName() == "__half" || record->getName() == "__nv_bfloat16";
  const auto *builtin = type->getAs<clang::BuiltinType>();
  return builtin && (builtin->isInteger() || builtin->getKind() == clang::BuiltinType::Float ||
                     builtin->getKind() == clang::BuiltinType::Double);
}

bool isFloatingType(clang::QualType type) {
  return type->isRealFloatingType() || type->isRecordType();
}

/// Finds what a loop's body makes of variables from outside.
class BodyReader : public clang::ConstDynamicRecursiveASTVisitor {
public:
  BodyReader(const clang::ASTContext &ast, const clang::VarDecl &counter, bool isDown)
      : ast_(ast), counter_(counter), isDown_(isDown) {}

  void read(const clang::Stmt &body) {
    if (std::optional<OnlinePair> pair = findOnlinePair(body, ast_)) {
      RowReduction reduction{Kind::Online, pair->sum};
      reduction.function = pair->function;
      reduction.place = pair->largest;
      add(reduction, {});
      read_.insert(pair->assignments.begin(), pair->assignments.end());
    }
    TraverseStmt(&body);
  }

  bool TraverseIfStmt(clang::IfStmt const *branch) override {
    if (readPlacedExtremum(*branch) || readGuardedExtremum(*branch))
      return TraverseStmt(branch->getCond());
    return clang::ConstDynamicRecursiveASTVisitor::TraverseIfStmt(branch);
  }
  bool VisitBinaryOperator(const clang::BinaryOperator *binary) override {
    const clang::VarDecl *target = binary->isAssignmentOp() ? localOf(binary->getLHS()) : nullptr;
    if (target && isOuter(target) && !read_.contains(binary))
      readAssignment(*binary, *target);
    return true;
  }
  bool VisitCXXOperatorCallExpr(const clang::CXXOperatorCallExpr *call) override {
    bool isSum = call->getOperator() == clang::OO_PlusEqual || call->getOperator() == clang::OO_MinusEqual;
    const clang::VarDecl *target = call->isAssignmentOp() ? localOf(call->getArg(0)) : nullptr;
    if (!target || !isOuter(target))
      return true;
    const clang::DeclRefExpr *reference = referenceTo(call->getArg(0), target);
    if ((isSum || call->getOperator() == clang::OO_StarEqual) && reference)
      add({isSum ? Kind::Sum : Kind::Product, target}, {reference});
    else
      refuse(*target);
    return true;
  }
  bool VisitUnaryOperator(const clang::UnaryOperator *unary) override {
    const clang::VarDecl *target = unary->isIncrementDecrementOp() ? localOf(unary->getSubExpr()) : nullptr;
    if (!target || !isOuter(target))
      return true;
    if (const clang::DeclRefExpr *reference = referenceTo(unary->getSubExpr(), target);
        reference && target->getType()->isIntegerType())
      add({Kind::Sum, target}, {reference});
    else
      refuse(*target);
    return true;
  }
  bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
    mentions_.push_back(reference);
    return true;
  }
  bool VisitVarDecl(const clang::VarDecl *variable) override {
    inner_.insert(variable);
    return true;
  }

  /// The reductions; `whyNot` where there is more than them.
  std::vector<RowReduction> finish(std::string &whyNot) {
    std::vector<RowReduction> reductions;
    for (auto &[variable, reduction] : found_) {
      // An online pair is all that its statements mention of it.
      for (const clang::DeclRefExpr *mention : mentions_)
        if (reduction.kind == Kind::Online)
          break;
        else if ((mention->getDecl() == variable || mention->getDecl() == reduction.place) &&
                 reduction.place && !consumed_.contains(mention))
          refuse(*variable);
        else if (mention->getDecl() == variable && !consumed_.contains(mention))
          refuse(*variable);
      if (!isShuffled(variable->getType()) ||
          (reduction.kind == Kind::First && !reduction.place->getType()->isIntegerType()))
        refuse(*variable);
      reduction.floating = isFloatingType(variable->getType());
      reductions.push_back(reduction);
    }
    if (!refused_.empty())
      whyNot = "each iteration needs what the last one made of '" + refused_ + "'";
    llvm::sort(reductions, [](const RowReduction &left, const RowReduction &right) {
      return left.variable->getLocation() < right.variable->getLocation();
    });
    return reductions;
  }

private:
  bool isOuter(const clang::VarDecl *variable) const {
    return variable != &counter_ && !inner_.contains(variable);
  }
  void refuse(const clang::VarDecl &variable) {
    if (refused_.empty())
      refused_ = variable.getNameAsString();
  }
  void add(RowReduction reduction, std::initializer_list<const clang::DeclRefExpr *> consumed) {
    auto [entry, isNew] = found_.try_emplace(reduction.variable, reduction);
    bool isSame = entry->second.kind == reduction.kind && entry->second.function == reduction.function &&
                  entry->second.constant == reduction.constant && entry->second.place == reduction.place &&
                  entry->second.logical == reduction.logical &&
                  entry->second.lastWins == reduction.lastWins &&
                  entry->second.isMaximum == reduction.isMaximum;
    if (!isSame)
      return refuse(*reduction.variable);
    entry->second.takesNaN |= reduction.takesNaN;
    entry->second.takesEqual |= reduction.takesEqual;
    consumed_.insert(consumed.begin(), consumed.end());
  }

  void readAssignment(const clang::BinaryOperator &binary, const clang::VarDecl &target) {
    const clang::DeclRefExpr *left = referenceTo(binary.getLHS(), &target);
    if (!left)
      return refuse(target);
    if (binary.isCompoundAssignmentOp()) {
      std::optional<Kind> kind = kindOfOperator(binary.getOpcode());
      return kind ? add({*kind, &target}, {left}) : refuse(target);
    }
    const clang::Expr *value = binary.getRHS()->IgnoreParenImpCasts();
    if (readOperator(value, target, left) || readFunction(value, target, left) ||
        readSelection(value, target, left))
      return;
    clang::Expr::EvalResult constant;
    if (!value->isValueDependent() && target.getType()->isIntegerType() &&
        value->EvaluateAsInt(constant, ast_)) {
      RowReduction any{Kind::Any, &target};
      any.constant = llvm::toString(constant.Val.getInt(), 10);
      return add(any, {left});
    }
    refuse(target);
  }

  bool readOperator(const clang::Expr *value, const clang::VarDecl &target, const clang::DeclRefExpr *left) {
    const auto *operation = llvm::dyn_cast<clang::BinaryOperator>(value);
    std::optional<Kind> kind = operation ? kindOfOperator(operation->getOpcode()) : std::nullopt;
    if (!kind || operation->isAssignmentOp())
      return false;
    const clang::DeclRefExpr *first = referenceTo(operation->getLHS(), &target);
    const clang::DeclRefExpr *second = referenceTo(operation->getRHS(), &target);
    bool isMinus = operation->getOpcode() == clang::BO_Sub;
    if ((first == nullptr) == (second == nullptr) || (isMinus && second))
      return false;
    RowReduction reduction{*kind, &target};
    reduction.logical = operation->isLogicalOp() && !target.getType()->isBooleanType();
    add(reduction, {left, first ? first : second});
    return true;
  }

  bool readFunction(const clang::Expr *value, const clang::VarDecl &target, const clang::DeclRefExpr *left) {
    const auto *call = llvm::dyn_cast<clang::CallExpr>(value);
    const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    if (!callee || !callee->getDeclName().isIdentifier() || call->getNumArgs() != 2)
      return false;
    std::optional<Kind> kind = kindOfFunction(callee->getName());
    const clang::SourceManager &sources = ast_.getSourceManager();
    if (!kind || !sources.isInSystemHeader(sources.getExpansionLoc(callee->getLocation())))
      return false;
    const clang::Expr *operands[] = {call->getArg(0), call->getArg(1)};
    for (const clang::Expr *&operand : operands)
      if (const auto *temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(operand))
        operand = temporary->getSubExpr();
    const clang::DeclRefExpr *first = referenceTo(operands[0], &target);
    const clang::DeclRefExpr *second = referenceTo(operands[1], &target);
    if ((first == nullptr) == (second == nullptr))
      return false;
    RowReduction reduction{*kind, &target};
    reduction.function = callee->getNameAsString();
    if (callee->isInStdNamespace()) {
      reduction.function = extremum(*kind == Kind::Maximum);
      // std::max(a, b) is b only where a < b.
      reduction.takesNaN = second && isFloatingType(target.getType());
    }
    add(reduction, {left, first ? first : second});
    return true;
  }

  /// Whether the comparison holds where the first of the two is the larger; nothing where it compares others.
  std::optional<bool> wantsLarger(const clang::Expr *condition, const clang::VarDecl &target,
                                  const clang::Expr *other, const clang::DeclRefExpr *&mention,
                                  bool *orEqual = nullptr) {
    const auto *comparison = llvm::dyn_cast<clang::BinaryOperator>(condition->IgnoreParenImpCasts());
    if (!comparison || !comparison->isRelationalOp())
      return std::nullopt;
    bool isGreater = comparison->getOpcode() == clang::BO_GT || comparison->getOpcode() == clang::BO_GE;
    if (orEqual)
      *orEqual = comparison->getOpcode() == clang::BO_GE || comparison->getOpcode() == clang::BO_LE;
    if ((mention = referenceTo(comparison->getRHS(), &target)) && areAlike(comparison->getLHS(), other, ast_))
      return isGreater;
    if ((mention = referenceTo(comparison->getLHS(), &target)) && areAlike(comparison->getRHS(), other, ast_))
      return !isGreater;
    return std::nullopt;
  }

  /// `v = e > v ? e : v` and its kin.
  bool readSelection(const clang::Expr *value, const clang::VarDecl &target, const clang::DeclRefExpr *left) {
    const auto *selection = llvm::dyn_cast<clang::ConditionalOperator>(value);
    if (!selection)
      return false;
    const clang::DeclRefExpr *kept = referenceTo(selection->getTrueExpr(), &target);
    const clang::Expr *other = kept ? selection->getFalseExpr() : selection->getTrueExpr();
    bool takesOnTrue = kept == nullptr;
    kept = kept ? kept : referenceTo(selection->getFalseExpr(), &target);
    const clang::DeclRefExpr *compared = nullptr;
    std::optional<bool> larger =
        kept ? wantsLarger(selection->getCond(), target, other, compared) : std::nullopt;
    if (!larger)
      return false;
    bool isMaximum = *larger == takesOnTrue;
    RowReduction reduction{isMaximum ? Kind::Maximum : Kind::Minimum, &target};
    reduction.function = extremum(isMaximum);
    reduction.takesNaN = !takesOnTrue && isFloatingType(target.getType());
    add(reduction, {left, kept, compared});
    return true;
  }

  /// The assignments that a branch consists of; nothing where it is more.
  std::vector<const clang::BinaryOperator *> assignmentsOf(const clang::IfStmt &branch) {
    if (branch.getElse() || branch.getInit() || branch.getConditionVariable())
      return {};
    std::vector<const clang::Stmt *> statements = {branch.getThen()};
    if (const auto *compound = llvm::dyn_cast<clang::CompoundStmt>(branch.getThen()))
      statements.assign(compound->body_begin(), compound->body_end());
    std::vector<const clang::BinaryOperator *> assignments;
    for (const clang::Stmt *statement : statements) {
      const auto *assignment = llvm::dyn_cast<clang::BinaryOperator>(statement);
      if (!assignment || assignment->getOpcode() != clang::BO_Assign)
        return {};
      assignments.push_back(assignment);
    }
    return assignments;
  }

  /// `if (e > v) v = e;`
  bool readGuardedExtremum(const clang::IfStmt &branch) {
    std::vector<const clang::BinaryOperator *> assignments = assignmentsOf(branch);
    const clang::VarDecl *target =
        assignments.size() == 1 ? namedVariable(assignments[0]->getLHS()) : nullptr;
    if (!target || !isOuter(target) || !localOf(assignments[0]->getLHS()))
      return false;
    const clang::DeclRefExpr *compared = nullptr;
    std::optional<bool> larger = wantsLarger(branch.getCond(), *target, assignments[0]->getRHS(), compared);
    if (!larger)
      return false;
    RowReduction reduction{*larger ? Kind::Maximum : Kind::Minimum, target};
    reduction.function = extremum(*larger);
    add(reduction, {referenceTo(assignments[0]->getLHS(), target), compared});
    return true;
  }

  /// `if (e > best) { best = e; at = c; }`
  bool readPlacedExtremum(const clang::IfStmt &branch) {
    std::vector<const clang::BinaryOperator *> assignments = assignmentsOf(branch);
    if (assignments.size() != 2)
      return false;
    if (referenceTo(assignments[0]->getRHS(), &counter_))
      std::swap(assignments[0], assignments[1]);
    const clang::VarDecl *best = namedVariable(assignments[0]->getLHS());
    const clang::VarDecl *place = namedVariable(assignments[1]->getLHS());
    if (!best || !place || !isOuter(best) || !isOuter(place) || !localOf(assignments[0]->getLHS()) ||
        !localOf(assignments[1]->getLHS()) || !referenceTo(assignments[1]->getRHS(), &counter_))
      return false;
    const clang::DeclRefExpr *compared = nullptr;
    bool orEqual = false;
    std::optional<bool> larger =
        wantsLarger(branch.getCond(), *best, assignments[0]->getRHS(), compared, &orEqual);
    if (!larger)
      return false;
    RowReduction reduction{Kind::First, best};
    reduction.place = place;
    reduction.isMaximum = *larger;
    reduction.lastWins = orEqual != isDown_;
    reduction.takesEqual = orEqual;
    add(reduction, {referenceTo(assignments[0]->getLHS(), best), referenceTo(assignments[1]->getLHS(), place),
                    compared});
    return true;
  }

  const clang::ASTContext &ast_;
  const clang::VarDecl &counter_;
  bool isDown_;
  std::set<const clang::BinaryOperator *> read_; ///< assignments that are accounted for
  std::map<const clang::VarDecl *, RowReduction> found_;
  std::set<const clang::VarDecl *> inner_;
  std::set<const clang::DeclRefExpr *> consumed_;
  std::vector<const clang::DeclRefExpr *> mentions_;
  std::string refused_;
};

} // namespace

const clang::DeclRefExpr *referenceTo(const clang::Expr *expression, const clang::VarDecl *variable) {
  const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(expression->IgnoreParenImpCasts());
  return reference && reference->getDecl() == variable ? reference : nullptr;
}

bool RowReduction::isIdempotent() const {
  return kind != Kind::Sum && kind != Kind::Product && kind != Kind::Xor && kind != Kind::Online;
}

bool RowReduction::rounds() const {
  return floating && (kind == Kind::Sum || kind == Kind::Product || kind == Kind::Online);
}

std::string RowReduction::identity() const {
  std::string number = kind == Kind::Product ? "1" : "0";
  clang::QualType type = variable->getType();
  if (type->isSpecificBuiltinType(clang::BuiltinType::Float))
    return number + ".0f";
  return type->isRealFloatingType() || type->isRecordType() ? number + ".0" : number;
}

const char *RowReduction::name() const {
  switch (kind) {
  case Kind::Sum:
    return "sum";
  case Kind::Product:
    return "product";
  case Kind::Minimum:
    return "minimum";
  case Kind::Maximum:
    return "maximum";
  case Kind::Online:
    return "maximum and what is relative to it";
  case Kind::First:
    return isMaximum ? "maximum and its place" : "minimum and its place";
  default:
    return "outcome";
  }
}

std::string RowReduction::combine(const std::string &other) const {
  std::string v = variable->getNameAsString();
  bool isBool = variable->getType()->isBooleanType();
  switch (kind) {
  case Kind::Sum:
    return function.empty() ? v + " += " + other : v + " = " + function + "(" + v + ", " + other + ")";
  case Kind::Product:
    return v + " *= " + other;
  case Kind::And:
    return isBool ? v + " = " + other + " && " + v : v + " &= " + other;
  case Kind::Or:
    return isBool ? v + " = " + other + " || " + v : v + " |= " + other;
  case Kind::Xor:
    return v + " ^= " + other;
  case Kind::Any:
    return v + " = " + other + " == " + constant + " ? " + constant + " : " + v;
  default:
    return v + " = " + function + "(" + v + ", " + other + ")";
  }
}

std::vector<RowReduction> readRowReductions(const clang::Stmt &body, const clang::VarDecl &counter,
                                            bool isDown, const clang::ASTContext &ast, std::string &whyNot) {
  BodyReader reader(ast, counter, isDown);
  reader.read(body);
  return reader.finish(whyNot);
}

} // namespace warpwright
