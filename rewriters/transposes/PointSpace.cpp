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

bool isReturn(const Stmt *statement) {
  if (const auto *compound = llvm::dyn_cast_or_null<clang::CompoundStmt>(statement))
    statement = compound->size() == 1 ? compound->body_front() : nullptr;
  return llvm::isa_and_nonnull<clang::ReturnStmt>(statement);
}

const clang::VarDecl *localInteger(const Expr *expression) {
  const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(expression->IgnoreParens());
  const auto *variable = reference ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
  bool isLocal = variable && (variable->isLocalVarDecl() || llvm::isa<clang::ParmVarDecl>(variable));
  return isLocal && variable->getType()->isIntegerType() ? variable : nullptr;
}

constexpr const char *unknownPrefix = "@unknown.";

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
    llvm::StringRef text = symbol.text;
    return &symbol == coordinate.symbol || text.contains(coordinate.symbol->text) ||
           text.contains(unknownPrefix);
  });
}

PointSpace::PointSpace(const RewriteContext &context, std::optional<PointLoop> loop)
    : context_(context), ast_(context.unit.ast()),
      reader_(ast_, *context.analysis.kernel.declaration->getBody(), table_,
              IntegerReader::Moment::WholeBody),
      registers_(findRegisterUses(*context.analysis.kernel.declaration)), loop_(std::move(loop)),
      loops_(findCanonicalLoops(*context.analysis.kernel.declaration, ast_, context.analysis.facts)) {
  whyNot_ = registers_.obstacle;
  if (!whyNot_.empty())
    return;
  std::optional<std::array<LaunchAxis, 3>> axes = annotatedAxes(context.analysis);
  if (!axes) {
    whyNot_ = "the annotation gives no constant block";
    return;
  }
  iteration_ = reader_.named("@iteration.");
  for (const CanonicalLoop &known : loops_)
    if (loop_ && known.statement == loop_->statement)
      bound_ = read(*known.bound).value_or(Expression());
  for (unsigned axis = 0; axis < 3; ++axis) {
    bool isLoops = loop_ && !loop_->overGrid && loop_->axis == axis;
    threads_[axis] = (*axes)[axis].block;
    block_[axis] = threads_[axis] * (isLoops ? loop_->trips : 1);
    numbers_[axis] = reader_.named(std::string("@number.") + "xyz"[axis]);
    parts_.push_back({axis, Expression(1), std::nullopt, numbers_[axis]});
  }
  reader_.setInsight({[this](SymbolKind kind, unsigned axis) { return registerValue(kind, axis); },
                      [this](llvm::StringRef operation, const Expression &dividend,
                             const Expression &divisor) { return divide(operation, dividend, divisor); }});
  const Stmt *body = context.analysis.kernel.declaration->getBody();
  walk(body, nullptr);
  for (unsigned axis = 0; axis < 3 && whyNot_.empty(); ++axis)
    whyNot_ = makeCoordinates(axis);
  if (!whyNot_.empty())
    return;
  isFinal_ = true;
  walk(body, nullptr);
  whyNot_ = findAsks();
  nameCoordinates();
  readGuards(*body);
}

/// threadIdx is the thread's number less what the blocks before it hold, so that every sum that makes the
/// number reads as it, however it is written.
std::optional<Expression> PointSpace::registerValue(SymbolKind kind, unsigned axis) const {
  auto &reader = const_cast<IntegerReader &>(reader_);
  if (kind == SymbolKind::BlockExtent)
    return Expression(threads_[axis]);
  if (kind == SymbolKind::GridExtent)
    return std::nullopt;
  bool isThread = kind == SymbolKind::ThreadIndex;
  if (loop_ && loop_->overGrid && loop_->axis == axis)
    return reader.named(std::string(unknownPrefix) + (isThread ? "thread." : "block.") + "xyz"[axis]);
  if (block_[axis] == 1)
    return isThread ? Expression() : numbers_[axis];
  Expression block = reader.ofRegister(SymbolKind::BlockIndex, axis);
  if (!isThread)
    return block;
  Expression rows = block_[axis] == threads_[axis] ? Expression() : iteration_ * Expression(threads_[axis]);
  return numbers_[axis] - block * Expression(block_[axis]) - rows;
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
  coordinates_.insert(coordinates_.end(), made.begin(), made.end());
  return {};
}

/// Reads the body in the order in which it runs, so that a variable reads as what it is at that moment.
void PointSpace::walk(const Stmt *statement, const Stmt *parent) {
  if (!statement)
    return;
  if (const auto *declaration = llvm::dyn_cast<clang::DeclStmt>(statement)) {
    for (const clang::Decl *one : declaration->decls()) {
      const auto *variable = llvm::dyn_cast<clang::VarDecl>(one);
      if (!variable)
        continue;
      visit(variable->getInit(), statement);
      if (variable->getType()->isIntegerType())
        set(*variable, variable->getInit() ? read(*variable->getInit()) : std::nullopt);
    }
    return;
  }
  if (const auto *loop = llvm::dyn_cast<clang::ForStmt>(statement))
    return walkLoop(*loop);
  if (const auto *expression = llvm::dyn_cast<Expr>(statement)) {
    visit(expression, parent);
    return walkAssignment(*expression);
  }
  bool repeats = llvm::isa<clang::WhileStmt, clang::DoStmt, clang::SwitchStmt>(statement);
  bool branches = repeats || llvm::isa<clang::IfStmt>(statement);
  if (repeats)
    forget(*statement);
  for (const Stmt *child : statement->children())
    walk(child, branches ? nullptr : statement);
  if (branches)
    forget(*statement);
}

void PointSpace::walkAssignment(const Expr &statement) {
  const Expr *inner = statement.IgnoreParens();
  if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(inner);
      unary && unary->isIncrementDecrementOp() && localInteger(unary->getSubExpr())) {
    const clang::VarDecl *variable = localInteger(unary->getSubExpr());
    return set(*variable,
               reader_.combine(unary->isIncrementOp() ? "+" : "-", reader_.read(*variable), Expression(1)));
  }
  const auto *binary = llvm::dyn_cast<BinaryOperator>(inner);
  if (binary && binary->isCommaOp()) {
    walkAssignment(*binary->getLHS());
    return walkAssignment(*binary->getRHS());
  }
  const clang::VarDecl *variable =
      binary && binary->isAssignmentOp() ? localInteger(binary->getLHS()) : nullptr;
  if (!variable)
    return forget(statement);
  std::optional<Expression> value = read(*binary->getRHS());
  if (binary->isCompoundAssignmentOp())
    value = reader_.combine(binary->getOpcodeStr().drop_back(), reader_.read(*variable), value);
  set(*variable, value);
}

void PointSpace::walkLoop(const clang::ForStmt &loop) {
  if (loop_ && loop_->statement == &loop) {
    set(*loop_->counter, loop_->overGrid ? numbers_[loop_->axis] : iteration_ * Expression(loop_->step));
    walk(loop.getBody(), nullptr);
    return forget(loop);
  }
  forget(loop);
  walk(loop.getInit(), nullptr);
  for (const CanonicalLoop &known : loops_)
    if (known.statement == &loop) {
      std::optional<Expression> first = read(*known.init);
      bool isOwn = first && textOf(*first);
      std::string turn = "@turn." + std::to_string(known.counter->getID());
      set(*known.counter, isOwn ? std::optional(reader_.named(turn)) : std::nullopt);
    }
  visit(loop.getCond(), &loop);
  walk(loop.getBody(), nullptr);
  visit(loop.getInc(), &loop);
  forget(loop);
}

void PointSpace::forget(const Stmt &statement) {
  VariableChanges changes(statement);
  for (const clang::VarDecl *variable : changes.changed())
    set(*variable, std::nullopt);
}

void PointSpace::set(const clang::VarDecl &variable, std::optional<Expression> value) {
  if (!variable.getType()->isIntegerType())
    return;
  reader_.bind(variable, value ? *value : reader_.named(unknownPrefix + std::to_string(variable.getID())));
}

/// Keeps what integers read as, and finds places.
void PointSpace::visit(const Stmt *statement, const Stmt *parent) {
  if (!statement)
    return;
  const auto *expression = llvm::dyn_cast<Expr>(statement);
  auto special = expression ? specialRegisterOf(*expression) : std::nullopt;
  // A name stands for itself, unless it is of a variable that will be something else in other places.
  const auto *cast = expression ? llvm::dyn_cast<clang::ImplicitCastExpr>(expression) : nullptr;
  const clang::VarDecl *named =
      cast && cast->getCastKind() == clang::CK_LValueToRValue ? localInteger(cast->getSubExpr()) : nullptr;
  bool isPlain = expression && llvm::isa<clang::DeclRefExpr, clang::ParenExpr, clang::CastExpr>(expression) &&
                 (!named || reader_.isUnchanged(*named));
  if (expression && expression->getType()->isIntegerType() && !expression->isLValue()) {
    std::optional<Expression> value = reader_.read(*expression);
    if (value && isFinal_)
      readings_.insert_or_assign(expression, *value);
    bool isNumber = special && value && value->asConstant();
    bool isCoordinate = value && llvm::any_of(coordinates_, [&](const PointCoordinate &coordinate) {
                          return Expression(coordinate.symbol) == *value;
                        });
    if (isFinal_ && !isPlain && value && (isNumber || isCoordinate || partOf(*value))) {
      places_.push_back({expression, *value, bindsTight(parent, statement)});
      return;
    }
  }
  if (special)
    return;
  // Casts that are not written are not between an operand and its operator.
  for (const Stmt *child : statement->children())
    visit(child, cast ? parent : statement);
}

/// Uses of registers, and of the loop's counter, that no place covers.
std::string PointSpace::findAsks() {
  const clang::SourceManager &sources = ast_.getSourceManager();
  auto isWithin = [&](clang::SourceLocation location, const Stmt *outer) {
    return outer && sources.isPointWithin(location, outer->getBeginLoc(), outer->getEndLoc());
  };
  auto isCovered = [&](clang::SourceLocation location) {
    bool isInHead = loop_ && (isWithin(location, loop_->statement->getInit()) ||
                              isWithin(location, loop_->statement->getCond()) ||
                              isWithin(location, loop_->statement->getInc()));
    return isInHead ||
           llvm::any_of(places_, [&](const Place &place) { return isWithin(location, place.expression); });
  };
  for (const RegisterUse &use : registers_.uses) {
    if (isCovered(use.range.getBegin()))
      continue;
    bool isOpen = use.kind == SymbolKind::GridExtent || (loop_ && loop_->overGrid && loop_->axis == use.axis);
    if (isOpen)
      return std::string("'") + nameOfRegister(use.kind) + "." + "xyz"[use.axis] + "' at line " +
             std::to_string(placeOf(use.range.getBegin(), sources).line) +
             " is used for more than the thread's place in the grid";
    asks_.push_back(
        {use.kind == SymbolKind::BlockIndex ? Ask::Kind::Block : Ask::Kind::Thread, use.axis, use.range});
  }
  if (!loop_ || loop_->overGrid)
    return {};
  struct Mentions : clang::ConstDynamicRecursiveASTVisitor {
    const clang::VarDecl *variable = nullptr;
    std::vector<clang::SourceRange> found;
    bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
      if (reference->getDecl() == variable)
        found.push_back(reference->getSourceRange());
      return true;
    }
  } mentions;
  mentions.variable = loop_->counter;
  mentions.TraverseStmt(loop_->statement->getBody());
  for (clang::SourceRange range : mentions.found)
    if (!isCovered(range.getBegin()))
      asks_.push_back({Ask::Kind::Counter, loop_->axis, range});
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
      if (std::optional<Expression> value =
              reader_.isUnchanged(*variable) ? reader_.read(*variable) : std::nullopt;
          value && *value == Expression(coordinate.symbol)) {
        coordinate.name = variable->getNameAsString();
        break;
      }
  }
}

std::optional<Expression> PointSpace::read(const Expr &expression) {
  auto known = readings_.find(&expression);
  return known != readings_.end() ? std::optional(known->second) : reader_.read(expression);
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
void PointSpace::readGuards(const Stmt &code) {
  if (loop_ && &code == loop_->statement)
    return readGuards(*loop_->statement->getBody());
  const auto *body = llvm::dyn_cast<clang::CompoundStmt>(&code);
  if (!body) {
    if (const auto *branch = llvm::dyn_cast<clang::IfStmt>(&code); branch && !branch->getElse()) {
      assume(*branch->getCond(), /*holds=*/true);
      readGuards(*branch->getThen());
    }
    return;
  }
  for (const Stmt *statement : body->body()) {
    if (loop_ && statement == loop_->statement && statement == body->body_back())
      return readGuards(*loop_->statement->getBody());
    if (llvm::isa<clang::DeclStmt>(statement))
      continue;
    const auto *branch = llvm::dyn_cast<clang::IfStmt>(statement);
    if (!branch || branch->getElse())
      return;
    if (isReturn(branch->getThen()))
      assume(*branch->getCond(), /*holds=*/false);
    else if (statement == body->body_back()) {
      assume(*branch->getCond(), /*holds=*/true);
      return readGuards(*branch->getThen());
    } else
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
  std::optional<Expression> left = read(*binary->getLHS()), right = read(*binary->getRHS());
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
  if (loop_ && loop_->overGrid && loop_->axis == axis)
    return {textOf(bound_).value_or(""), bound_, false, false};
  const std::vector<ScalarExpression> &grid = context_.analysis.annotation->grid->extents;
  std::string blocks = axis < grid.size() ? grid[axis].str() : "1";
  std::optional<Expression> launched = readAnnotated(blocks);
  // Where nothing is done beyond an end, and the blocks are as many as it takes to get there.
  for (const Expression &negative : negative_) {
    Expression end = numbers_[axis] - negative;
    std::optional<std::string> text = textOf(end);
    if (text && launched &&
        reader_.quotient(end + Expression(block_[axis] - 1), Expression(block_[axis])) == *launched)
      return {*text, end, true, true};
  }
  if (block_[axis] != 1)
    blocks = "(" + blocks + ") * " + std::to_string(block_[axis]);
  return {blocks, readAnnotated(blocks), false, true};
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

std::vector<PointLoop> findPointLoops(const RewriteContext &context) {
  std::vector<PointLoop> found;
  PointSpace plain(context);
  const clang::ASTContext &ast = context.unit.ast();
  for (const CanonicalLoop &loop :
       findCanonicalLoops(*context.analysis.kernel.declaration, ast, context.analysis.facts)) {
    if (!loop.declaresCounter || loop.inclusive || loop.notEqual || loop.parent || !loop.upward)
      continue;
    for (unsigned axis = 0; axis < 3; ++axis)
      if (plain.isGridLoop(loop, axis))
        found.push_back({loop.statement, loop.counter, axis, true});
    clang::Expr::EvalResult first, end;
    if (!loop.constantStep || *loop.constantStep <= 0 || !loop.init->EvaluateAsInt(first, ast) ||
        !loop.bound->EvaluateAsInt(end, ast) || first.Val.getInt() != 0)
      continue;
    int64_t trips = (end.Val.getInt().getExtValue() + *loop.constantStep - 1) / *loop.constantStep;
    if (trips < 2 || trips > 64)
      continue;
    for (unsigned axis : {1u, 0u, 2u})
      found.push_back({loop.statement, loop.counter, axis, false, *loop.constantStep, trips});
  }
  return found;
}

/// `for (int i = number; i < n; i += blockDim.x * gridDim.x)`.
bool PointSpace::isGridLoop(const CanonicalLoop &loop, unsigned axis) {
  if (!whyNot_.empty() && !isFinal_)
    return false;
  std::optional<Expression> first = read(*loop.init), step = loop.step ? read(*loop.step) : std::nullopt;
  std::optional<Expression> bound = read(*loop.bound);
  return first && *first == numbers_[axis] && step && bound && textOf(*bound) &&
         *step == Expression(threads_[axis]) * reader_.ofRegister(SymbolKind::GridExtent, axis);
}

} // namespace warpwright
