#include "analysis/ast/DoubleTree.h"

#include "analysis/ast/IndexRange.h"
#include "analysis/ast/SystemFunction.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Lex/Lexer.h>

#include <cmath>
#include <limits>

namespace warpwright {
namespace {

/// How a function answers to a rounding of its argument.
enum class Sensitivity {
  Smooth,    ///< by a change of the same order, as far as its values are of use in float at all
  Selecting, ///< its value is an argument, or one with another sign: exact where the arguments are
  Stepping,  ///< by a jump; exact where the arguments are
  Periodic,  ///< by the size of the argument, which nothing bounds
  Edged      ///< at the end of its domain by a NaN, near it without bound
};

struct DoubleFunction {
  llvm::StringLiteral name;
  llvm::StringLiteral singleForm;
  Sensitivity sensitivity;
};

constexpr DoubleFunction doubleFunctions[] = {
#define WARPWRIGHT_DOUBLE_FUNCTION(name, singleForm, sensitivity)                                            \
  {name, singleForm, Sensitivity::sensitivity},
#include "analysis/ast/DoubleFunctions.def"
};

const DoubleFunction *findDoubleFunction(const clang::FunctionDecl &callee) {
  if (!callee.getIdentifier() || !isSystemFunction(callee))
    return nullptr;
  const auto *found =
      llvm::find_if(doubleFunctions, [&](const DoubleFunction &row) { return row.name == callee.getName(); });
  return found == std::end(doubleFunctions) ? nullptr : found;
}

const char *magnified(Sensitivity sensitivity) {
  switch (sensitivity) {
  case Sensitivity::Stepping:
    return "jumps where its rounded argument crosses a step";
  case Sensitivity::Periodic:
    return "magnifies the rounding of a large argument";
  case Sensitivity::Edged:
    return "fails where rounding pushes its argument out of its domain";
  default:
    return nullptr;
  }
}

/// The message of a static_assert has no type.
bool isBuiltin(clang::QualType type, clang::BuiltinType::Kind kind) {
  if (type.isNull())
    return false;
  const auto *builtin = type.getCanonicalType()->getAs<clang::BuiltinType>();
  return builtin && builtin->getKind() == kind;
}

/// Whether a variable, a parameter or a function of that name stands between the body and the global scope.
class NameFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  explicit NameFinder(llvm::StringRef name) : name_(name) {}
  bool VisitNamedDecl(const clang::NamedDecl *declaration) override {
    found = found || (declaration->getIdentifier() && declaration->getName() == name_);
    return !found;
  }
  bool found = false;

private:
  llvm::StringRef name_;
};

} // namespace

bool isWide(clang::QualType type) {
  return isBuiltin(type, clang::BuiltinType::Double) || isBuiltin(type, clang::BuiltinType::LongDouble);
}

bool isSingle(clang::QualType type) {
  return isBuiltin(type, clang::BuiltinType::Float);
}

std::string DoubleTree::textOf(clang::SourceRange tokens) const {
  const clang::SourceManager &sources = ast_.getSourceManager();
  clang::CharSourceRange range = sources.getExpansionRange(tokens);
  llvm::StringRef text = clang::Lexer::getSourceText(range, sources, ast_.getLangOpts());
  constexpr size_t enough = 40;
  return text.size() <= enough ? text.str() : text.take_front(enough - 3).str() + "...";
}

DoubleTree::Part DoubleTree::read(const clang::Expr *expression) {
  nodes.insert(expression);
  if (isBuiltin(expression->getType(), clang::BuiltinType::LongDouble))
    block("'" + textOf(expression->getSourceRange()) + "' is a long double");
  if (std::optional<Part> macro = readMacro(expression))
    return *macro;
  if (const auto *parentheses = llvm::dyn_cast<clang::ParenExpr>(expression))
    return read(parentheses->getSubExpr());
  if (const auto *full = llvm::dyn_cast<clang::FullExpr>(expression))
    return read(full->getSubExpr());
  if (const auto *literal = llvm::dyn_cast<clang::FloatingLiteral>(expression))
    return readLiteral(literal);
  if (const auto *cast = llvm::dyn_cast<clang::ExplicitCastExpr>(expression))
    return readCast(cast);
  if (const auto *call = llvm::dyn_cast<clang::CallExpr>(expression))
    return readCall(call);
  if (const auto *choice = llvm::dyn_cast<clang::ConditionalOperator>(expression))
    return readChoice(choice);
  if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(expression);
      binary && !binary->isAssignmentOp())
    return readOperation(binary);
  if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(expression);
      unary && (unary->getOpcode() == clang::UO_Minus || unary->getOpcode() == clang::UO_Plus)) {
    Part part = read(unary->getSubExpr());
    if (unary->getOpcode() == clang::UO_Minus && part.inDouble)
      return {part.exact, -*part.inDouble, -part.inSingle};
    return part;
  }
  if (const auto *cast = llvm::dyn_cast<clang::ImplicitCastExpr>(expression)) {
    if (cast->getCastKind() == clang::CK_LValueToRValue)
      return readVariable(cast);
    return readData(cast->getSubExpr());
  }
  block("'" + textOf(expression->getSourceRange()) + "' is a double of its own");
  return {};
}

DoubleTree::Part DoubleTree::readData(const clang::Expr *operand) {
  clang::QualType type = operand->getType();
  if (isSingle(type)) {
    hasData = true;
    return {true, {}, 0};
  }
  if (isWide(type))
    return read(operand);
  if (!type->isIntegralOrEnumerationType()) {
    block("'" + textOf(operand->getSourceRange()) + "' is no float");
    return {};
  }
  // float counts without gaps up to 2^24.
  constexpr int64_t furthest = int64_t(1) << 24;
  clang::Expr::EvalResult value;
  if (!operand->isValueDependent() && operand->EvaluateAsInt(value, ast_) &&
      value.Val.getInt().getSignificantBits() <= 25) {
    auto number = static_cast<double>(value.Val.getInt().getExtValue());
    return constant(operand, number, static_cast<float>(number));
  }
  hasData = true;
  std::optional<IntegerRange> range = ranges_.rangeOf(operand);
  bool narrow = ast_.getTypeSize(operand->IgnoreImpCasts()->getType()) <= 16;
  bool within = range && range->lowest >= -furthest && range->highest <= furthest;
  if (!narrow && !within)
    block("the integer '" + textOf(operand->getSourceRange()) + "' may pass 2^24, where float has gaps");
  return {true, {}, 0};
}

DoubleTree::Part DoubleTree::readLiteral(const clang::FloatingLiteral *literal) {
  bool lost = false;
  llvm::APFloat single = literal->getValue();
  single.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &lost);
  llvm::APFloat wide = literal->getValue();
  bool ignored = false;
  wide.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &ignored);
  spell({DoubleSpelling::Kind::Literal, literal->getSourceRange(), {}, wide.convertToDouble(), !lost},
        "literal");
  return constant(literal, wide.convertToDouble(), single.convertToFloat());
}

/// A part that is constant. In float it is folded from the rounded literals; where that is not what rounding
/// the double gives, up to a few units in the last place, the range of float was left on the way.
DoubleTree::Part DoubleTree::constant(const clang::Expr *where, double inDouble, float inSingle) {
  constexpr double fewUnits = 1e-6;
  bool zero = inDouble == 0 && inSingle == 0;
  bool near = std::isnormal(inSingle) && std::fabs(inSingle - inDouble) <= fewUnits * std::fabs(inDouble);
  if (!zero && !near)
    block("'" + textOf(where->getSourceRange()) + "' is outside the range of float");
  return {static_cast<double>(inSingle) == inDouble, inDouble, inSingle};
}

DoubleTree::Part DoubleTree::readVariable(const clang::ImplicitCastExpr *load) {
  const clang::Expr *source = load->getSubExpr()->IgnoreParens();
  const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(source);
  clang::Expr::EvalResult value;
  // Constant memory can be set by the host, whatever its initialiser says.
  if (reference && !reference->getDecl()->hasAttr<clang::CUDAConstantAttr>() && !load->isValueDependent() &&
      load->EvaluateAsRValue(value, ast_) && value.Val.isFloat() &&
      &value.Val.getFloat().getSemantics() == &llvm::APFloat::IEEEdouble()) {
    double number = value.Val.getFloat().convertToDouble();
    auto single = static_cast<float>(number);
    spell({DoubleSpelling::Kind::Constant, reference->getSourceRange(), {}, number, single == number},
          "constant");
    return constant(load, number, single);
  }
  block("'" + textOf(source->getSourceRange()) + "' is a double");
  return {};
}

DoubleTree::Part DoubleTree::readOperation(const clang::BinaryOperator *binary) {
  if (!binary->isAdditiveOp() && !binary->isMultiplicativeOp()) {
    block("the operator '" + binary->getOpcodeStr().str() + "' is not followed");
    return {};
  }
  ++operations;
  Part left = read(binary->getLHS());
  Part right = read(binary->getRHS());
  if (!left.inDouble || !right.inDouble)
    return {};
  switch (binary->getOpcode()) {
  case clang::BO_Add:
    return constant(binary, *left.inDouble + *right.inDouble, left.inSingle + right.inSingle);
  case clang::BO_Sub:
    return constant(binary, *left.inDouble - *right.inDouble, left.inSingle - right.inSingle);
  case clang::BO_Mul:
    return constant(binary, *left.inDouble * *right.inDouble, left.inSingle * right.inSingle);
  default:
    return constant(binary, *left.inDouble / *right.inDouble, left.inSingle / right.inSingle);
  }
}

DoubleTree::Part DoubleTree::readChoice(const clang::ConditionalOperator *choice) {
  Part first = read(choice->getTrueExpr());
  Part second = read(choice->getFalseExpr());
  return {first.exact && second.exact, {}, 0};
}

DoubleTree::Part DoubleTree::readCall(const clang::CallExpr *call) {
  const clang::FunctionDecl *callee = call->getDirectCallee();
  const auto *name = llvm::dyn_cast<clang::DeclRefExpr>(call->getCallee()->IgnoreParenImpCasts());
  if (!callee || !name || call->getNumArgs() != callee->getNumParams()) {
    block("'" + textOf(call->getSourceRange()) + "' returns a double");
    return {};
  }
  const DoubleFunction *function = findDoubleFunction(*callee);
  bool byValue = llvm::none_of(callee->parameters(), [](const clang::ParmVarDecl *parameter) {
    return parameter->getType()->isReferenceType() || parameter->getType()->isPointerType();
  });
  if (!function || !byValue || name->hasExplicitTemplateArgs()) {
    block("'" + callee->getNameAsString() + "' returns a double");
    return {};
  }
  if (isHidden(function->singleForm))
    block("the name '" + function->singleForm.str() + "' means something else here");
  ++operations;
  spell({DoubleSpelling::Kind::Call, name->getSourceRange(), function->singleForm.str(), 0, false},
        "name of a function");
  bool exact = true;
  for (const clang::Expr *argument : call->arguments())
    exact = readData(argument).exact && exact;
  if (const char *how = magnified(function->sensitivity); how && !exact)
    block("'" + function->name.str() + "' " + how);
  bool keeps =
      function->sensitivity == Sensitivity::Selecting || function->sensitivity == Sensitivity::Stepping;
  return {exact && keeps, {}, 0};
}

DoubleTree::Part DoubleTree::readCast(const clang::ExplicitCastExpr *cast) {
  clang::TypeLoc type = cast->getTypeInfoAsWritten()->getTypeLoc();
  if (!type.getAs<clang::BuiltinTypeLoc>())
    block("the cast names its type '" + textOf(type.getSourceRange()) + "', which other code may define");
  spell({DoubleSpelling::Kind::Cast, type.getSourceRange(), {}, 0, false}, "cast");
  return readData(cast->getSubExpr());
}

/// A constant that is the whole of what one macro expands to: the use can be rounded without touching the
/// macro.
std::optional<DoubleTree::Part> DoubleTree::readMacro(const clang::Expr *expression) {
  const clang::SourceManager &sources = ast_.getSourceManager();
  clang::SourceLocation begin = expression->getBeginLoc();
  clang::SourceLocation end = expression->getEndLoc();
  if (!begin.isMacroID() || !end.isMacroID() || sources.isMacroArgExpansion(begin) ||
      sources.isMacroArgExpansion(end))
    return std::nullopt;
  clang::CharSourceRange use = sources.getImmediateExpansionRange(begin);
  if (use.getAsRange() != sources.getImmediateExpansionRange(end).getAsRange() ||
      use.getBegin().isMacroID() ||
      !clang::Lexer::isAtStartOfMacroExpansion(begin, sources, ast_.getLangOpts()) ||
      !clang::Lexer::isAtEndOfMacroExpansion(end, sources, ast_.getLangOpts()))
    return std::nullopt;
  clang::Expr::EvalResult value;
  if (expression->isValueDependent() || !expression->EvaluateAsRValue(value, ast_) || !value.Val.isFloat() ||
      &value.Val.getFloat().getSemantics() != &llvm::APFloat::IEEEdouble())
    return std::nullopt;
  // Everything below belongs to the macro.
  for (llvm::SmallVector<const clang::Stmt *> open = {expression}; !open.empty();) {
    const clang::Stmt *next = open.pop_back_val();
    if (const auto *inner = llvm::dyn_cast_or_null<clang::Expr>(next)) {
      nodes.insert(inner);
      llvm::append_range(open, inner->children());
    }
  }
  double number = value.Val.getFloat().convertToDouble();
  auto single = static_cast<float>(number);
  spell({DoubleSpelling::Kind::Constant, use.getAsRange(), {}, number, single == number}, "constant");
  return constant(expression, number, single);
}

void DoubleTree::spell(DoubleSpelling spelling, const char *what) {
  const clang::SourceManager &sources = ast_.getSourceManager();
  clang::SourceRange tokens = spelling.tokens;
  if (tokens.getBegin().isMacroID() || tokens.getEnd().isMacroID()) {
    clang::SourceRange spelled(sources.getSpellingLoc(tokens.getBegin()),
                               sources.getSpellingLoc(tokens.getEnd()));
    return block("the " + std::string(what) + " '" + textOf(spelled) +
                 "' comes out of a macro, which other code may use");
  }
  if (!sources.isInMainFile(tokens.getBegin()))
    return block("the " + std::string(what) + " '" + textOf(tokens) +
                 "' stands in a header, which other code may use");
  spellings.push_back(std::move(spelling));
}

bool DoubleTree::isHidden(llvm::StringRef name) const {
  clang::DeclarationName identifier(&ast_.Idents.get(name));
  const clang::DeclContext *context = function_.getDeclContext();
  for (; context && !context->isTranslationUnit(); context = context->getParent())
    if (!context->lookup(identifier).empty())
      return true;
  bool declared =
      llvm::any_of(ast_.getTranslationUnitDecl()->lookup(identifier), [](const clang::NamedDecl *found) {
        const auto *function = llvm::dyn_cast<clang::FunctionDecl>(found->getUnderlyingDecl());
        return function && isSystemFunction(*function);
      });
  NameFinder finder(name);
  finder.TraverseDecl(&function_);
  return !declared || finder.found;
}

} // namespace warpwright
