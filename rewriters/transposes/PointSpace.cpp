#include "rewriters/transposes/PointSpace.h"

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/frontend/TranslationUnit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/StringExtras.h>

namespace warpwright {
namespace {

using clang::BinaryOperator;
using clang::Expr;
using clang::Stmt;

bool isDivision(const BinaryOperator &binary) {
  switch (binary.getOpcode()) {
  case clang::BO_Div:
  case clang::BO_Rem:
  case clang::BO_Shr:
  case clang::BO_And:
    return binary.getType()->isIntegerType();
  default:
    return false;
  }
}

class DivisionFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  bool VisitBinaryOperator(const BinaryOperator *binary) override {
    if (isDivision(*binary))
      found.push_back(binary);
    return true;
  }
  std::vector<const Expr *> found;
};

bool isReturn(const Stmt *statement) {
  if (const auto *compound = llvm::dyn_cast_or_null<clang::CompoundStmt>(statement))
    statement = compound->size() == 1 ? compound->body_front() : nullptr;
  return llvm::isa_and_nonnull<clang::ReturnStmt>(statement);
}

/// Whether an operand in this place binds tighter than a sum.
bool bindsTight(const Stmt *parent, const Stmt *child) {
  if (!parent || llvm::isa<clang::DeclStmt, clang::ParenExpr, clang::CallExpr, clang::ReturnStmt>(parent))
    return false;
  if (const auto *subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(parent))
    return subscript->getIdx() != child;
  const auto *binary = llvm::dyn_cast<BinaryOperator>(parent);
  if (!binary)
    return true;
  if (binary->isAssignmentOp() || binary->isRelationalOp() || binary->isEqualityOp() ||
      binary->isLogicalOp() || binary->getOpcode() == clang::BO_Add)
    return false;
  return binary->getOpcode() != clang::BO_Sub || binary->getLHS() != child;
}

} // namespace

std::optional<Expression> PointSpace::exactQuotient(const Expression &dividend, const Expression &divisor) {
  if (dividend == divisor)
    return Expression(1);
  if (divisor.terms().size() != 1)
    return std::nullopt;
  const auto &[factors, number] = divisor.terms().front();
  Expression quotient;
  for (const auto &[monomial, coefficient] : dividend.terms()) {
    if (coefficient % number != 0)
      return std::nullopt;
    Expression::Monomial left = monomial;
    for (const Symbol *factor : factors) {
      auto *found = llvm::find(left, factor);
      if (found == left.end())
        return std::nullopt;
      left.erase(found);
    }
    Expression term(coefficient / number);
    for (const Symbol *symbol : left)
      term = term * Expression(symbol);
    quotient = quotient + term;
  }
  return quotient;
}

bool PointSpace::mayDependOn(const Expression &value, const PointCoordinate &coordinate) {
  return value.mentions([&](const Symbol &symbol) {
    // What is not understood has all that it is made of in its text.
    return &symbol == coordinate.symbol || llvm::StringRef(symbol.text).contains(coordinate.symbol->text);
  });
}

PointSpace::PointSpace(const RewriteContext &context)
    : context_(context), ast_(context.unit.ast()),
      reader_(ast_, *context.analysis.kernel.declaration->getBody(), table_,
              IntegerReader::Moment::WholeBody),
      registers_(findRegisterUses(*context.analysis.kernel.declaration)) {
  whyNot_ = registers_.obstacle;
  if (!whyNot_.empty())
    return;
  std::optional<std::array<LaunchAxis, 3>> axes = annotatedAxes(context.analysis);
  if (!axes) {
    whyNot_ = "the annotation gives no constant block";
    return;
  }
  for (unsigned axis = 0; axis < 3; ++axis) {
    block_[axis] = (*axes)[axis].block;
    numbers_[axis] = reader_.named(std::string("@number.") + "xyz"[axis]);
    parts_.push_back({axis, Expression(1), std::nullopt, numbers_[axis]});
  }
  reader_.setInsight({[this](SymbolKind kind, unsigned axis) { return registerValue(kind, axis); },
                      [this](llvm::StringRef operation, const Expression &dividend,
                             const Expression &divisor) { return divide(operation, dividend, divisor); }});
  findParts();
  for (unsigned axis = 0; axis < 3 && whyNot_.empty(); ++axis)
    whyNot_ = makeCoordinates(axis);
  if (whyNot_.empty())
    whyNot_ = findPlaces();
  if (whyNot_.empty()) {
    nameCoordinates();
    readGuards();
  }
}

/// threadIdx is the thread's number less what the blocks before it hold, so that every sum that makes the
/// number reads as it, however it is written.
std::optional<Expression> PointSpace::registerValue(SymbolKind kind, unsigned axis) const {
  if (kind == SymbolKind::BlockExtent)
    return Expression(block_[axis]);
  Expression block = const_cast<IntegerReader &>(reader_).ofRegister(SymbolKind::BlockIndex, axis);
  if (block_[axis] == 1) {
    if (kind == SymbolKind::ThreadIndex)
      return Expression();
    if (kind == SymbolKind::BlockIndex)
      return numbers_[axis];
    return std::nullopt;
  }
  if (kind == SymbolKind::ThreadIndex)
    return numbers_[axis] - block * Expression(block_[axis]);
  return std::nullopt;
}

const PointSpace::Part *PointSpace::partOf(const Expression &value) const {
  auto found = llvm::find_if(parts_, [&](const Part &part) { return part.value == value; });
  return found == parts_.end() ? nullptr : &*found;
}

Expression PointSpace::partNamed(unsigned axis, Expression weight, std::optional<Expression> extent) {
  for (const Part &part : parts_)
    if (part.axis == axis && part.weight == weight && part.extent == extent)
      return part.value;
  Expression value = reader_.named(std::string("@part.") + "xyz"[axis] + "." + std::to_string(parts_.size()));
  parts_.push_back({axis, std::move(weight), std::move(extent), value});
  return value;
}

std::optional<Expression> PointSpace::divide(llvm::StringRef operation, const Expression &dividend,
                                             const Expression &divisor) {
  const Part *part = partOf(dividend);
  if (!part || !textOf(divisor) || divisor == Expression(1))
    return std::nullopt;
  unsigned axis = part->axis;
  Expression weight = part->weight;
  std::optional<Expression> extent = part->extent;
  if (operation == "/") {
    std::optional<Expression> left = extent ? exactQuotient(*extent, divisor) : std::nullopt;
    if (extent && !left)
      return std::nullopt;
    weight = weight * divisor;
    extent = left;
  } else {
    if (extent && *extent == divisor)
      return dividend;
    if (extent && !exactQuotient(*extent, divisor))
      return std::nullopt;
    extent = divisor;
  }
  if (extent && *extent == Expression(1))
    return std::nullopt;
  if (!isFinal_)
    return partNamed(axis, weight, extent);
  for (const Part &known : parts_)
    if (known.axis == axis && known.weight == weight && known.extent == extent)
      return known.value;
  return std::nullopt;
}

void PointSpace::findParts() {
  DivisionFinder divisions;
  divisions.TraverseStmt(context_.analysis.kernel.declaration->getBody());
  for (const Expr *division : divisions.found)
    (void)reader_.read(*division);
}

/// The digits of an axis' number: its parts cut it at weights of which each divides the next.
std::string PointSpace::makeCoordinates(unsigned axis) {
  std::vector<Expression> cuts = {Expression(1)};
  for (const Part &part : parts_)
    if (part.axis == axis)
      for (const Expression &cut : {part.weight, part.extent ? part.weight * *part.extent : part.weight})
        if (!llvm::is_contained(cuts, cut))
          cuts.push_back(cut);
  // Where each divides the next there is one order.
  for (size_t i = 0; i < cuts.size(); ++i) {
    auto dividesRest = [&](const Expression &cut) {
      return std::all_of(cuts.begin() + i, cuts.end(),
                         [&](const Expression &other) { return exactQuotient(other, cut).has_value(); });
    };
    auto next = std::find_if(cuts.begin() + i, cuts.end(), dividesRest);
    if (next == cuts.end())
      return std::string("its thread's number along ") + "xyz"[axis] +
             " is taken apart in ways that do not nest";
    std::swap(cuts[i], *next);
  }
  std::vector<PointCoordinate> made;
  for (size_t i = 0; i < cuts.size(); ++i) {
    PointCoordinate coordinate;
    coordinate.axis = axis;
    coordinate.weight = cuts[i];
    if (i + 1 < cuts.size()) {
      coordinate.extent = exactQuotient(cuts[i + 1], cuts[i]);
    }
    Expression symbol = reader_.named(std::string("@") + "xyz"[axis] + std::to_string(i) + ".");
    coordinate.symbol = symbol.terms().front().first.front();
    made.push_back(std::move(coordinate));
  }
  for (Part &part : parts_) {
    if (part.axis != axis)
      continue;
    Expression sum;
    for (const PointCoordinate &coordinate : made) {
      bool isAbove = exactQuotient(coordinate.weight, part.weight).has_value();
      bool isBelow = !part.extent || (coordinate.weight != part.weight * *part.extent &&
                                      exactQuotient(part.weight * *part.extent, coordinate.weight));
      if (isAbove && isBelow)
        sum = sum + *exactQuotient(coordinate.weight, part.weight) * Expression(coordinate.symbol);
    }
    part.value = sum;
    if (part.weight == Expression(1) && !part.extent)
      numbers_[axis] = sum;
  }
  isFinal_ = axis == 2;
  coordinates_.insert(coordinates_.end(), made.begin(), made.end());
  return {};
}

std::string PointSpace::findPlaces() {
  std::function<void(const Stmt *, const Stmt *)> visit = [&](const Stmt *statement, const Stmt *parent) {
    if (!statement)
      return;
    const auto *expression = llvm::dyn_cast<Expr>(statement);
    auto special = expression ? specialRegisterOf(*expression) : std::nullopt;
    bool isPlain = expression && llvm::isa<clang::DeclRefExpr, clang::ParenExpr, clang::CastExpr>(expression);
    if (expression && !isPlain && expression->getType()->isIntegerType()) {
      std::optional<Expression> value = reader_.read(*expression);
      bool isNumber = special && value && value->asConstant();
      bool isCoordinate = value && llvm::any_of(coordinates_, [&](const PointCoordinate &coordinate) {
                            return Expression(coordinate.symbol) == *value;
                          });
      if (value && (isNumber || isCoordinate || partOf(*value))) {
        places_.push_back({expression, *value, bindsTight(parent, statement)});
        return;
      }
    }
    if (special)
      return;
    // Casts that are not written are not between an operand and its operator.
    bool isSilent = llvm::isa<clang::ImplicitCastExpr>(statement);
    for (const Stmt *child : statement->children())
      visit(child, isSilent ? parent : statement);
  };
  visit(context_.analysis.kernel.declaration->getBody(), nullptr);
  const clang::SourceManager &sources = ast_.getSourceManager();
  for (const RegisterUse &use : registers_.uses) {
    bool isCovered = llvm::any_of(places_, [&](const Place &place) {
      return sources.isPointWithin(use.range.getBegin(), place.expression->getBeginLoc(),
                                   place.expression->getEndLoc());
    });
    if (!isCovered)
      return std::string("'") + nameOfRegister(use.kind) + "." + "xyz"[use.axis] + "' at line " +
             std::to_string(placeOf(use.range.getBegin(), sources).line) +
             " is used for more than the thread's place in the grid";
  }
  return {};
}

void PointSpace::nameCoordinates() {
  struct Variables : clang::ConstDynamicRecursiveASTVisitor {
    std::vector<const clang::VarDecl *> found;
    bool VisitVarDecl(const clang::VarDecl *variable) override {
      if (variable->getInit() && variable->getType()->isIntegerType())
        found.push_back(variable);
      return true;
    }
  } variables;
  variables.TraverseStmt(context_.analysis.kernel.declaration->getBody());
  for (PointCoordinate &coordinate : coordinates_) {
    coordinate.name = std::string(1, "xyz"[coordinate.axis]);
    for (const clang::VarDecl *variable : variables.found)
      if (std::optional<Expression> value = reader_.read(*variable);
          value && *value == Expression(coordinate.symbol)) {
        coordinate.name = variable->getNameAsString();
        break;
      }
  }
}

std::optional<Expression> PointSpace::read(const Expr &expression) {
  return reader_.read(expression);
}

std::optional<std::string> PointSpace::textOf(const Expression &value) const {
  std::string text;
  for (const auto &[monomial, coefficient] : value.terms()) {
    std::vector<std::string> factors;
    for (const Symbol *symbol : monomial) {
      auto [name, id] = llvm::StringRef(symbol->text).split('@');
      std::string member = id.contains('.') ? "." + id.split('.').second.str() : "";
      bool isParameter = false;
      for (const clang::ParmVarDecl *parameter : context_.analysis.kernel.declaration->parameters())
        isParameter |= parameter->getName() == name && !name.empty() &&
                       id.split('.').first == std::to_string(parameter->getID()) &&
                       reader_.isUnchanged(*parameter);
      if (!isParameter)
        return std::nullopt;
      factors.push_back(name.str() + member);
    }
    bool isNegative = coefficient < 0;
    uint64_t magnitude = isNegative ? 0 - static_cast<uint64_t>(coefficient) : coefficient;
    if (magnitude != 1 || factors.empty())
      factors.insert(factors.begin(), std::to_string(magnitude));
    text += text.empty() ? (isNegative ? "-" : "") : (isNegative ? " - " : " + ");
    text += llvm::join(factors, " * ");
  }
  return text.empty() ? "0" : text;
}

std::optional<int64_t> PointSpace::valueOf(const std::string &text, const Launch &launch) const {
  llvm::Expected<ScalarExpression> parsed = ScalarExpression::parse(text);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return std::nullopt;
  }
  ScalarValues values = context_.analysis.context.constantValues();
  for (const auto &[name, argument] : launch.arguments)
    if (const auto *number = std::get_if<int64_t>(&argument))
      values[name] = *number;
  llvm::Expected<int64_t> result = parsed->evaluate(values);
  if (!result) {
    llvm::consumeError(result.takeError());
    return std::nullopt;
  }
  return *result;
}

/// What every thread that does anything has passed: returns at the start, and a condition around all the
/// rest.
void PointSpace::readGuards() {
  const auto *body = llvm::dyn_cast<clang::CompoundStmt>(context_.analysis.kernel.declaration->getBody());
  if (!body)
    return;
  for (const Stmt *statement : body->body()) {
    if (llvm::isa<clang::DeclStmt>(statement))
      continue;
    const auto *branch = llvm::dyn_cast<clang::IfStmt>(statement);
    if (!branch || branch->getElse())
      return;
    if (isReturn(branch->getThen()))
      assume(*branch->getCond(), /*holds=*/false);
    else if (statement == body->body_back())
      assume(*branch->getCond(), /*holds=*/true);
    else
      return;
  }
}

void PointSpace::assume(const Expr &condition, bool holds) {
  const Expr *inner = condition.IgnoreParenImpCasts();
  if (const auto *negation = llvm::dyn_cast<clang::UnaryOperator>(inner);
      negation && negation->getOpcode() == clang::UO_LNot)
    return assume(*negation->getSubExpr(), !holds);
  const auto *binary = llvm::dyn_cast<BinaryOperator>(inner);
  if (!binary)
    return;
  if (binary->getOpcode() == (holds ? clang::BO_LAnd : clang::BO_LOr)) {
    assume(*binary->getLHS(), holds);
    assume(*binary->getRHS(), holds);
    return;
  }
  if (!binary->isRelationalOp())
    return;
  std::optional<Expression> left = reader_.read(*binary->getLHS()), right = reader_.read(*binary->getRHS());
  if (!left || !right)
    return;
  clang::BinaryOperatorKind kind = binary->getOpcode();
  if (!holds)
    kind = BinaryOperator::negateComparisonOp(kind);
  if (kind == clang::BO_GT || kind == clang::BO_GE)
    std::swap(left, right);
  bool orEqual = kind == clang::BO_LE || kind == clang::BO_GE;
  negative_.push_back(*left - *right - Expression(int64_t(orEqual)));
}

PointSpace::Extent PointSpace::extentOf(unsigned axis) {
  std::optional<std::array<LaunchAxis, 3>> axes = annotatedAxes(context_.analysis);
  const std::string &things = (*axes)[axis].things;
  std::optional<Expression> end = things.empty() ? std::nullopt : readAnnotated(things);
  if (end)
    for (const Expression &negative : negative_)
      if (std::optional<int64_t> slack = (negative - (numbers_[axis] - *end)).asConstant();
          slack && *slack >= 0)
        return {things, end, true};
  const std::vector<ScalarExpression> &grid = context_.analysis.annotation->grid->extents;
  std::string blocks = axis < grid.size() ? grid[axis].str() : "1";
  if (block_[axis] != 1)
    blocks = "(" + blocks + ") * " + std::to_string(block_[axis]);
  return {blocks, readAnnotated(blocks), false};
}

std::optional<Expression> PointSpace::readAnnotated(llvm::StringRef text) {
  llvm::Expected<ScalarExpression> parsed = ScalarExpression::parse(text);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return std::nullopt;
  }
  std::map<std::string, Expression> names;
  for (const auto &[constant, value] : context_.analysis.context.constantValues())
    names[constant] = Expression(value);
  for (const clang::ParmVarDecl *parameter : context_.analysis.kernel.declaration->parameters()) {
    if (std::optional<Expression> value = reader_.read(*parameter))
      names[parameter->getNameAsString()] = *value;
    for (const AnnotationParameter &member : context_.analysis.context.parameters)
      if (auto [base, path] = llvm::StringRef(member.name).split('.');
          !path.empty() && parameter->getName() == base && reader_.isUnchanged(*parameter))
        names[member.name] = reader_.named((base + "@" + llvm::Twine(parameter->getID()) + "." + path).str());
  }
  return reader_.read(*parsed, names);
}

} // namespace warpwright
