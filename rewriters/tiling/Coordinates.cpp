#include "rewriters/tiling/Coordinates.h"

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/tiling/Polynomials.h"

#include <clang/AST/ASTContext.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

constexpr SymbolKind registerKinds[] = {SymbolKind::ThreadIndex, SymbolKind::BlockIndex,
                                        SymbolKind::BlockExtent, SymbolKind::GridExtent};

const clang::Expr *withoutCasts(const clang::Expr &expression) {
  const clang::Expr *inner = expression.IgnoreParenImpCasts();
  while (const auto *cast = llvm::dyn_cast<clang::ExplicitCastExpr>(inner)) {
    if (!cast->getType()->isIntegerType())
      return inner;
    inner = cast->getSubExpr()->IgnoreParenImpCasts();
  }
  return inner;
}

} // namespace

CoordinateReader::CoordinateReader(const RewriteContext &context, IntegerReader &reader, SymbolTable &table)
    : context_(context), reader_(reader), table_(table),
      registers_(findRegisterUses(*context.analysis.kernel.declaration)),
      axes_(annotatedAxes(context.analysis)) {
  const clang::FunctionDecl &kernel = *context.analysis.kernel.declaration;
  for (const clang::ParmVarDecl *parameter : kernel.parameters())
    if (std::optional<Expression> value = reader_.read(*parameter);
        value && parameter->getType()->isIntegralOrEnumerationType())
      names_[parameter->getNameAsString()] = *value;
  for (const auto &[constant, value] : context.analysis.context.constantValues())
    names_[constant] = Expression(value);
  for (const AnnotationParameter &member : context.analysis.context.parameters)
    if (auto [base, path] = llvm::StringRef(member.name).split('.'); !path.empty())
      for (const clang::ParmVarDecl *parameter : kernel.parameters())
        if (parameter->getName() == base && reader_.isUnchanged(*parameter))
          names_[member.name] =
              reader_.named(base.str() + "@" + std::to_string(parameter->getID()) + "." + path.str());
}

const Symbol *CoordinateReader::registerSymbol(SymbolKind kind, unsigned axis) {
  return reader_.ofRegister(kind, axis).terms().front().first.front();
}

bool CoordinateReader::mentionsRegisters(const Expression &expression) const {
  return expression.mentions([](const Symbol &symbol) {
    return llvm::is_contained(registerKinds, symbol.kind) ||
           llvm::StringRef(symbol.text).contains("threadIdx") ||
           llvm::StringRef(symbol.text).contains("blockIdx");
  });
}

/// blockIdx.x * blockDim.x + threadIdx.x + origin, or one of its two parts.
std::optional<CoordinateReader::Digit> CoordinateReader::placeOf(const clang::Expr &expression) {
  std::optional<Expression> value = reader_.read(expression);
  if (!value)
    return std::nullopt;
  for (unsigned axis = 0; axis < 3; ++axis) {
    std::optional<Expression> thread = value->coefficient(registerSymbol(SymbolKind::ThreadIndex, axis));
    std::optional<Expression> block = value->coefficient(registerSymbol(SymbolKind::BlockIndex, axis));
    if (!thread || !block || (thread->isZero() && block->isZero()))
      continue;
    Expression size((*axes_)[axis].block);
    Digit digit;
    digit.axis = axis;
    digit.origin = value->without(registerSymbol(SymbolKind::ThreadIndex, axis))
                       .without(registerSymbol(SymbolKind::BlockIndex, axis));
    bool isWhole = *thread == Expression(1) &&
                   (*block == size || *block == reader_.ofRegister(SymbolKind::BlockExtent, axis));
    if (!isWhole && *thread == Expression(1) && block->isZero())
      digit.modulus = size;
    else if (!isWhole && *block == Expression(1) && thread->isZero())
      digit.divisor = size;
    else if (!isWhole)
      return std::nullopt;
    return mentionsRegisters(digit.origin) ? std::nullopt : std::optional(digit);
  }
  return std::nullopt;
}

std::optional<CoordinateReader::Digit> CoordinateReader::quotientOf(const clang::BinaryOperator &division) {
  std::optional<Digit> digit = digitOf(*division.getLHS());
  std::optional<Expression> divisor = reader_.read(*division.getRHS());
  if (!digit || !divisor || !digit->origin.isZero() || mentionsRegisters(*divisor))
    return std::nullopt;
  digit->divisor = digit->divisor * *divisor;
  if (digit->modulus && !(digit->modulus = exactQuotient(*digit->modulus, *divisor)))
    return std::nullopt;
  return digit;
}

/// `d % m`, or `d - d / m * m`.
std::optional<CoordinateReader::Digit> CoordinateReader::remainderOf(const clang::BinaryOperator &operation) {
  std::optional<Digit> digit = digitOf(*operation.getLHS());
  if (!digit || !digit->origin.isZero())
    return std::nullopt;
  std::optional<Expression> modulus;
  if (operation.getOpcode() == clang::BO_Rem) {
    modulus = reader_.read(*operation.getRHS());
  } else {
    const auto *product = llvm::dyn_cast<clang::BinaryOperator>(withoutCasts(*operation.getRHS()));
    if (!product || product->getOpcode() != clang::BO_Mul)
      return std::nullopt;
    for (auto [one, other] :
         {std::pair(product->getLHS(), product->getRHS()), std::pair(product->getRHS(), product->getLHS())}) {
      std::optional<Digit> quotient = digitOf(*one);
      std::optional<Expression> factor = reader_.read(*other);
      if (quotient && factor && quotient->axis == digit->axis && quotient->origin.isZero() &&
          quotient->divisor == digit->divisor * *factor)
        modulus = factor;
    }
  }
  if (!modulus || mentionsRegisters(*modulus))
    return std::nullopt;
  // A remainder of a remainder by a factor of it is the remainder by the factor.
  if (digit->modulus && !exactQuotient(*digit->modulus, *modulus))
    return std::nullopt;
  digit->modulus = modulus;
  return digit;
}

std::optional<CoordinateReader::Digit> CoordinateReader::digitOf(const clang::Expr &expression) {
  const clang::Expr *inner = withoutCasts(expression);
  if (std::optional<Digit> place = placeOf(*inner))
    return place;
  if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(inner)) {
    const auto *variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
    const clang::Expr *value = variable ? reader_.valueOf(*variable) : nullptr;
    return value ? digitOf(*value) : std::nullopt;
  }
  const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(inner);
  if (!binary)
    return std::nullopt;
  if (binary->getOpcode() == clang::BO_Div)
    return quotientOf(*binary);
  if (binary->getOpcode() == clang::BO_Rem || binary->getOpcode() == clang::BO_Sub)
    return remainderOf(*binary);
  return std::nullopt;
}

NestCoordinate CoordinateReader::makeCoordinate(const clang::VarDecl &variable, const Digit &digit) {
  NestCoordinate coordinate;
  coordinate.variable = &variable;
  coordinate.name = variable.getNameAsString();
  coordinate.type =
      variable.getType().getUnqualifiedType().getAsString(context_.unit.ast().getPrintingPolicy());
  Symbol symbol;
  symbol.kind = SymbolKind::LoopCounter; // printed before what it is multiplied by
  symbol.text = coordinate.name;
  coordinate.symbol = table_.make(std::move(symbol));
  coordinate.axis = digit.axis;
  coordinate.origin = digit.origin;
  return coordinate;
}

/// How many places the slowest digit of an axis has.
std::optional<std::string> CoordinateReader::topPlaces(unsigned axis, const Expression &divisor,
                                                       bool &areThings) {
  const LaunchAxis &launched = (*axes_)[axis];
  const std::vector<ScalarExpression> &grid = context_.analysis.annotation->grid->extents;
  std::string blocks = axis < grid.size() ? grid[axis].str() : "1";
  areThings = !launched.things.empty();
  std::string all = areThings             ? launched.things
                    : launched.block == 1 ? blocks
                                          : "(" + blocks + ") * " + std::to_string(launched.block);
  if (divisor == Expression(1))
    return all;
  llvm::Expected<ScalarExpression> expression = ScalarExpression::parse(all);
  if (!expression) {
    llvm::consumeError(expression.takeError());
    return std::nullopt;
  }
  std::optional<Expression> total = reader_.read(*expression, names_);
  std::optional<Expression> quotient = total ? exactQuotient(*total, divisor) : std::nullopt;
  if (quotient)
    return toCode(*quotient);
  // What a block counts with blockIdx alone is its axis' blocks.
  if (divisor == Expression(launched.block)) {
    areThings = false;
    return blocks;
  }
  return std::nullopt;
}

std::string CoordinateReader::makeAxis(unsigned axis, llvm::ArrayRef<DigitVariable> digits,
                                       std::vector<NestCoordinate> &coordinates) {
  // The places at which digits begin and end, from the fastest on: each divides the next.
  std::vector<Expression> borders = {Expression(1)};
  auto add = [&](const Expression &border) {
    if (!llvm::is_contained(borders, border))
      borders.push_back(border);
  };
  for (const DigitVariable &one : digits) {
    add(one.digit.divisor);
    if (one.digit.modulus)
      add(one.digit.divisor * *one.digit.modulus);
  }
  for (size_t i = 0; i < borders.size(); ++i)
    for (size_t other = i + 1; other < borders.size(); ++other)
      if (exactQuotient(borders[i], borders[other]))
        std::swap(borders[i], borders[other]);
  for (size_t i = 0; i + 1 < borders.size(); ++i)
    if (!exactQuotient(borders[i + 1], borders[i]))
      return "its divisions of a thread's place do not go into each other";
  const std::string what = std::string("along ") + "xyz"[axis];
  Expression flat;
  std::vector<Expression> symbols;
  for (size_t i = 0; i < borders.size(); ++i) {
    bool isTop = i + 1 == borders.size();
    std::optional<Expression> extent = isTop ? std::nullopt : exactQuotient(borders[i + 1], borders[i]);
    auto own = llvm::find_if(digits, [&](const DigitVariable &one) {
      return one.digit.divisor == borders[i] && one.digit.modulus == extent;
    });
    // A last border behind which nothing counts ends an axis that is known to be no longer.
    if (own == digits.end())
      return "a digit of the thread's place " + what + " has no variable";
    NestCoordinate coordinate = makeCoordinate(*own->variable, own->digit);
    std::optional<std::string> places =
        isTop ? topPlaces(axis, borders[i], coordinate.placesAreThings) : toCode(*extent);
    if (!places)
      return "how many places there are " + what + " was not understood";
    coordinate.placesAreThings |= !isTop;
    coordinate.places = *places;
    flat = flat + (Expression(coordinate.symbol) - coordinate.origin) * borders[i];
    symbols.push_back(Expression(coordinate.symbol));
    coordinates.push_back(std::move(coordinate));
  }
  flat_[axis] = {flat, borders.back()};
  for (const DigitVariable &one : digits) {
    // Digits that span several are made of them.
    Expression value = one.digit.origin;
    for (size_t i = 0; i < borders.size(); ++i) {
      std::optional<Expression> weight = exactQuotient(borders[i], one.digit.divisor);
      bool isBelowEnd =
          !one.digit.modulus || !exactQuotient(borders[i], one.digit.divisor * *one.digit.modulus);
      const NestCoordinate &coordinate = coordinates[coordinates.size() - borders.size() + i];
      if (weight && isBelowEnd)
        value = value + (Expression(coordinate.symbol) - coordinate.origin) * *weight;
    }
    reader_.bind(*one.variable, value);
    bool isCoordinate = llvm::any_of(
        coordinates, [&](const NestCoordinate &coordinate) { return coordinate.variable == one.variable; });
    if (!isCoordinate)
      derived_.emplace_back(one.variable, value);
  }
  return {};
}

/// Every use of a register must be in what is written anew.
std::string CoordinateReader::whyUncovered(llvm::ArrayRef<DigitVariable> digits) const {
  const clang::SourceManager &sources = context_.unit.ast().getSourceManager();
  for (const RegisterUse &use : registers_.uses) {
    clang::SourceLocation location = use.range.getBegin();
    bool isCovered = llvm::any_of(digits, [&](const DigitVariable &one) {
      const clang::Expr *value = one.variable->getInit();
      return sources.isPointWithin(location, value->getBeginLoc(), value->getEndLoc());
    });
    // An axis of single threads that nothing splits stays as it is.
    bool isKept = use.kind == SymbolKind::BlockIndex && (*axes_)[use.axis].block == 1 &&
                  llvm::none_of(digits, [&](const DigitVariable &one) { return one.digit.axis == use.axis; });
    if (!isCovered && !isKept)
      return std::string("'") + nameOfRegister(use.kind) + "." + "xyz"[use.axis] + "' at line " +
             std::to_string(warpwright::placeOf(location, sources).line) +
             " is used for more than the thread's place in the grid";
  }
  return {};
}

std::vector<NestCoordinate> CoordinateReader::read(llvm::ArrayRef<const clang::VarDecl *> variables,
                                                   std::string &whyNot) {
  if (!registers_.obstacle.empty())
    whyNot = registers_.obstacle;
  else if (!axes_)
    whyNot = "the annotation gives no constant block";
  if (!whyNot.empty())
    return {};
  std::vector<DigitVariable> digits;
  for (const clang::VarDecl *variable : variables)
    if (variable->getType()->isIntegerType() && reader_.valueOf(*variable))
      if (std::optional<Digit> digit = digitOf(*variable->getInit()))
        digits.push_back({variable, *digit});
  std::vector<NestCoordinate> coordinates;
  for (unsigned axis = 0; axis < 3 && whyNot.empty(); ++axis) {
    std::vector<DigitVariable> own;
    llvm::copy_if(digits, std::back_inserter(own),
                  [&](const DigitVariable &one) { return one.digit.axis == axis; });
    if (!own.empty())
      whyNot = makeAxis(axis, own, coordinates);
  }
  if (whyNot.empty())
    whyNot = whyUncovered(digits);
  if (whyNot.empty() && coordinates.empty())
    whyNot = "no variable holds the thread's place in the grid";
  return coordinates;
}

bool CoordinateReader::boundFlat(const Expression &atLeastZero, std::vector<NestCoordinate> &coordinates) {
  for (const auto &[axis, flat] : flat_) {
    Expression total = atLeastZero + flat.flat + Expression(1);
    auto isCoordinate = [&](const Symbol &symbol) {
      return llvm::any_of(coordinates,
                          [&](const NestCoordinate &coordinate) { return coordinate.symbol == &symbol; });
    };
    std::optional<Expression> end = exactQuotient(total, flat.topDivisor);
    if (flat.topDivisor == Expression(1) || total.mentions(isCoordinate) || !end)
      continue;
    NestCoordinate *top = nullptr;
    for (NestCoordinate &coordinate : coordinates)
      if (coordinate.axis == axis)
        top = &coordinate;
    top->end = end;
    return true;
  }
  return false;
}

} // namespace warpwright
