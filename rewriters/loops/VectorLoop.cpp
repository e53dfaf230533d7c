#include "rewriters/loops/VectorLoop.h"

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/PointerRoots.h"
#include "analysis/ast/PureCalls.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/edits/Operands.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/TypeLoc.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

using clang::ArraySubscriptExpr;
using clang::Expr;
using clang::VarDecl;

/// How the body touches memory and variables.
class BodyReader : public clang::ConstDynamicRecursiveASTVisitor {
public:
  llvm::SmallVector<const ArraySubscriptExpr *> subscripts;
  llvm::SmallPtrSet<const Expr *, 16> stored;  ///< lvalues that are assigned to
  llvm::SmallPtrSet<const Expr *, 16> updated; ///< and read by the same statement
  llvm::SmallVector<const clang::DeclRefExpr *> references;
  std::vector<std::string> registers;    ///< "threadIdx.x" and its kin
  const clang::Stmt *obstacle = nullptr; ///< what may do anything
  bool continues = false;
  bool exposes = false; ///< the address of an element is taken

  bool VisitArraySubscriptExpr(const ArraySubscriptExpr *subscript) override {
    subscripts.push_back(subscript);
    return true;
  }
  bool VisitBinaryOperator(const clang::BinaryOperator *binary) override {
    if (!binary->isAssignmentOp())
      return true;
    stored.insert(binary->getLHS()->IgnoreParens());
    if (binary->isCompoundAssignmentOp())
      updated.insert(binary->getLHS()->IgnoreParens());
    return true;
  }
  bool VisitUnaryOperator(const clang::UnaryOperator *unary) override {
    if (unary->isIncrementDecrementOp()) {
      stored.insert(unary->getSubExpr()->IgnoreParens());
      updated.insert(unary->getSubExpr()->IgnoreParens());
    }
    exposes |= unary->getOpcode() == clang::UO_AddrOf;
    if (unary->getOpcode() == clang::UO_Deref)
      block(unary);
    return true;
  }
  bool VisitMemberExpr(const clang::MemberExpr *member) override {
    if (member->isArrow())
      block(member);
    return true;
  }
  bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
    references.push_back(reference);
    return true;
  }
  bool VisitPseudoObjectExpr(const clang::PseudoObjectExpr *pseudo) override {
    registers.push_back(specialRegister(pseudo));
    return true;
  }
  bool VisitCallExpr(const clang::CallExpr *call) override {
    // Numbers that are classes are assigned by operators.
    const auto *assignment = llvm::dyn_cast<clang::CXXOperatorCallExpr>(call);
    if (assignment && assignment->isAssignmentOp() && assignment->getNumArgs() == 2 &&
        llvm::isa<ArraySubscriptExpr>(assignment->getArg(0)->IgnoreParenImpCasts())) {
      stored.insert(assignment->getArg(0)->IgnoreParenImpCasts());
      if (assignment->getOperator() != clang::OO_Equal)
        updated.insert(assignment->getArg(0)->IgnoreParenImpCasts());
    } else if (!isPureCall(*call)) {
      block(call);
    }
    return true;
  }
  bool VisitContinueStmt(const clang::ContinueStmt *) override { return continues = true; }
  bool VisitGCCAsmStmt(const clang::GCCAsmStmt *statement) override {
    block(statement);
    return true;
  }
  bool VisitLambdaExpr(const clang::LambdaExpr *lambda) override {
    block(lambda);
    return true;
  }

private:
  void block(const clang::Stmt *statement) {
    if (!obstacle)
      obstacle = statement;
  }
};

BodyReader read(const clang::Stmt *body) {
  BodyReader reader;
  reader.TraverseStmt(body);
  return reader;
}

/// Whether the code evaluates the element whenever it runs: no condition and no inner loop decides about it.
bool evaluatesAlways(const clang::Stmt *code, const Expr *element) {
  if (code == element)
    return true;
  if (!code || llvm::isa<clang::ForStmt, clang::WhileStmt, clang::SwitchStmt>(code))
    return false;
  if (const auto *choice = llvm::dyn_cast<clang::IfStmt>(code))
    return evaluatesAlways(choice->getCond(), element);
  if (const auto *choice = llvm::dyn_cast<clang::ConditionalOperator>(code))
    return evaluatesAlways(choice->getCond(), element);
  if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(code); binary && binary->isLogicalOp())
    return evaluatesAlways(binary->getLHS(), element);
  return llvm::any_of(code->children(),
                      [&](const clang::Stmt *child) { return evaluatesAlways(child, element); });
}

bool isWithin(clang::SourceLocation location, const clang::Stmt &statement,
              const clang::SourceManager &sources) {
  return sources.isPointWithin(location, statement.getBeginLoc(), statement.getEndLoc());
}

} // namespace

VectorLoop::VectorLoop(const RewriteContext &context, const clang::FunctionDecl &kernel,
                       const CanonicalLoop &loop, LoopSharing sharing, const VariableChanges &function)
    : context_(context), ast_(context.unit.ast()), kernel_(kernel), loop_(loop), sharing_(sharing),
      function_(function), builder_(ast_) {
  findPlaces();
}

std::string VectorLoop::lineOf(clang::SourceLocation location) const {
  return std::to_string(placeOf(location, ast_.getSourceManager()).line);
}

void VectorLoop::findPlaces() {
  BodyReader body = read(loop_.body);
  for (const CountedElement &element : findCountedElements(loop_))
    addElement(element);
  for (Place &place : places_)
    for (const ArraySubscriptExpr *element : place.elements) {
      place.written |= body.stored.contains(element);
      place.read |= !body.stored.contains(element) || body.updated.contains(element);
    }
  // What is not loaded in every iteration may not be there; what is not stored in every one must not be.
  llvm::erase_if(places_, [&](const Place &place) {
    bool stores = llvm::any_of(place.elements, [&](const ArraySubscriptExpr *element) {
      return body.stored.contains(element) && isStoredAlways(element);
    });
    bool touches = llvm::any_of(place.elements, [&](const ArraySubscriptExpr *element) {
      return evaluatesAlways(loop_.body, element);
    });
    // Where elements start again, several iterations may store to one.
    return body.continues || !touches || (place.written && (!stores || !place.modulus.empty()));
  });
  // A few iterations are no work for vectors.
  Expr::EvalResult bound;
  if (!loop_.bound->isValueDependent() && loop_.bound->EvaluateAsInt(bound, ast_) && bound.Val.getInt() < 16)
    places_.clear();
  for (const VarDecl *variable : loop_.changes.changed())
    if (!isWithin(variable->getLocation(), *loop_.statement, ast_.getSourceManager()))
      carried_.push_back(variable);
  llvm::sort(carried_, [](const VarDecl *left, const VarDecl *right) {
    return left->getLocation() < right->getLocation();
  });
}

void VectorLoop::addElement(const CountedElement &element) {
  const VarDecl *root = parameterBehind(element.base, function_);
  clang::QualType type = element.subscript->getType();
  bool number = type->isArithmeticType();
  if (const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl())
    number = record->getName() == "__half" || record->getName() == "__nv_bfloat16";
  uint64_t bytes = number ? ast_.getTypeSizeInChars(type).getQuantity() : 0;
  if (!root || root->getDeclContext() != &kernel_ || type.isVolatileQualified() || type->isBooleanType() ||
      (bytes != 2 && bytes != 4 && bytes != 8))
    return;
  Place place;
  place.base = element.base;
  place.element = type.getUnqualifiedType();
  place.pointer = element.base->getNameAsString();
  place.simple = element.terms.empty();
  for (const Expr *term : element.terms) {
    std::optional<std::string> text = builder_.textOf(term->getSourceRange());
    if (!text || term->getBeginLoc().isMacroID() || term->getEndLoc().isMacroID())
      return;
    place.pointer += " + " + asSummand(term, *text);
  }
  if (element.modulus) {
    std::optional<std::string> text = builder_.textOf(element.modulus->getSourceRange());
    if (!text || element.modulus->getBeginLoc().isMacroID() || element.modulus->getEndLoc().isMacroID())
      return;
    place.modulus = isOperand(element.modulus) ? *text : "(" + *text + ")";
  }
  auto known = llvm::find_if(places_, [&](const Place &other) {
    return other.base == place.base && other.pointer == place.pointer && other.modulus == place.modulus;
  });
  if (known == places_.end())
    known = places_.insert(places_.end(), std::move(place));
  known->elements.push_back(element.subscript);
}

bool VectorLoop::isStoredAlways(const ArraySubscriptExpr *element) const {
  auto stores = [&](const clang::Stmt *statement) {
    if (const auto *cleanups = llvm::dyn_cast<clang::ExprWithCleanups>(statement))
      statement = cleanups->getSubExpr();
    if (const auto *call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(statement))
      return call->isAssignmentOp() && call->getArg(0)->IgnoreParenImpCasts() == element;
    const auto *assignment = llvm::dyn_cast<clang::BinaryOperator>(statement);
    return assignment && assignment->isAssignmentOp() && assignment->getLHS()->IgnoreParens() == element;
  };
  const auto *compound = llvm::dyn_cast<clang::CompoundStmt>(loop_.body);
  return compound ? llvm::any_of(compound->body(), stores) : stores(loop_.body);
}

std::string VectorLoop::whyNot() {
  if (std::string why = whyNotBody(); !why.empty())
    return why;
  if (std::string why = whyNotDistinct(); !why.empty())
    return why;
  if (sharing_ == LoopSharing::Own)
    return {};
  if (std::string why = whyNotCarried(); !why.empty())
    return why;
  return whyNotMovable();
}

std::string VectorLoop::whyNotBody() const {
  BodyReader body = read(loop_.body);
  if (body.obstacle)
    return "what its body does at line " + lineOf(body.obstacle->getBeginLoc()) + " is not followed";
  if (body.exposes)
    return "its body takes the address of something";
  if (!loop_.declaresCounter)
    return "its counter is declared elsewhere";
  clang::QualType counter = loop_.counter->getType().getUnqualifiedType(),
                  bound = loop_.bound->IgnoreImpCasts()->getType().getUnqualifiedType();
  if (!ast_.hasSameType(counter, bound) || ast_.getTypeSize(counter) < 32)
    return "its counter and its bound have different types";
  if (loop_.statement->getBeginLoc().isMacroID() || loop_.statement->getEndLoc().isMacroID())
    return "a macro writes it";
  return {};
}

/// What is stored leads to nothing else that the loop touches.
std::string VectorLoop::whyNotDistinct() {
  BodyReader body = read(loop_.body);
  llvm::SmallPtrSet<const VarDecl *, 4> written, touched;
  for (const ArraySubscriptExpr *subscript : body.subscripts) {
    const VarDecl *base = namedVariable(subscript->getBase());
    bool local = base && !base->getType()->isPointerType(); // an array of the thread or the block
    if (local)
      continue;
    const VarDecl *root = base ? parameterBehind(base, function_) : nullptr;
    if (!root && !subscript->getType()->isArrayType())
      return "the pointer at line " + lineOf(subscript->getBeginLoc()) + " is not followed to a parameter";
    if (!root)
      continue;
    touched.insert(root);
    if (body.stored.contains(subscript))
      written.insert(root);
  }
  const Annotation &annotation = *context_.analysis.annotation;
  for (const VarDecl *writer : written) {
    std::string place;
    for (const Place &other : places_)
      if (parameterBehind(other.base, function_) == writer)
        place += place.empty() ? other.pointer : "|";
    size_t elements = 0;
    for (const Place &other : places_)
      elements += parameterBehind(other.base, function_) == writer ? other.elements.size() : 0;
    size_t accesses = llvm::count_if(body.subscripts, [&](const ArraySubscriptExpr *subscript) {
      const VarDecl *base = namedVariable(subscript->getBase());
      return base && parameterBehind(base, function_) == writer;
    });
    if (place.find('|') != std::string::npos || elements != accesses)
      return "'" + writer->getNameAsString() + "' is written, and touched at different places";
    for (const VarDecl *other : touched) {
      bool promised = writer->getType().isRestrictQualified() || other->getType().isRestrictQualified();
      if (other == writer || promised)
        continue;
      if (!annotation.areDistinct(writer->getName(), other->getName()))
        return "nothing says that '" + writer->getNameAsString() + "' and '" + other->getNameAsString() +
               "' do not overlap";
      std::string assumption = "buffers '" + other->getNameAsString() + "' and '" +
                               writer->getNameAsString() +
                               "' do not overlap: both are annotated with extents";
      if (!llvm::is_contained(assumptions_, assumption))
        assumptions_.push_back(std::move(assumption));
    }
  }
  return {};
}

/// Variables from outside may only gather: `v += e`, `v = fmaxf(v, e)`.
std::string VectorLoop::whyNotCarried() {
  for (const VarDecl *variable : carried_) {
    unsigned gathered = 0;
    bool rounds = false;
    std::function<void(const clang::Stmt *)> visit = [&](const clang::Stmt *statement) {
      if (!statement)
        return;
      if (const auto *assignment = llvm::dyn_cast<clang::BinaryOperator>(statement);
          assignment && assignment->isAssignmentOp() && namedVariable(assignment->getLHS()) == variable) {
        clang::BinaryOperatorKind kind = assignment->getOpcode();
        const auto *call = llvm::dyn_cast<clang::CallExpr>(assignment->getRHS()->IgnoreParenImpCasts());
        bool additive = kind == clang::BO_AddAssign || kind == clang::BO_MulAssign;
        bool bits = kind == clang::BO_AndAssign || kind == clang::BO_OrAssign || kind == clang::BO_XorAssign;
        bool extremes =
            kind == clang::BO_Assign && call && call->getNumArgs() == 2 && call->getDirectCallee() &&
            isExtremum(*call->getDirectCallee()) &&
            (namedVariable(call->getArg(0)) == variable || namedVariable(call->getArg(1)) == variable);
        unsigned own = VariableChanges(*assignment).mentionsOf(variable);
        if ((additive || bits) && own == 1)
          gathered += 1;
        if (extremes && own == 2)
          gathered += 2;
        rounds |= additive && variable->getType()->isRealFloatingType();
      }
      for (const clang::Stmt *child : statement->children())
        visit(child);
    };
    visit(loop_.body);
    if (gathered == 0 || gathered != loop_.changes.mentionsOf(variable))
      return "'" + variable->getNameAsString() + "' goes from one iteration to the next";
    if (rounds && !context_.analysis.annotation->allows(Permission::Reassociate))
      return "a floating-point sum would be taken in another order, which needs allow(reassociate)";
  }
  return {};
}

/// An iteration does the same whichever thread runs it.
std::string VectorLoop::whyNotMovable() const {
  const clang::SourceManager &sources = ast_.getSourceManager();
  const bool grid = sharing_ == LoopSharing::Grid;
  BodyReader body = read(loop_.body);
  auto differs = [&](const Expr &expression) { return !isUniform(expression, function_, grid); };
  if (differs(*loop_.bound))
    return "its bound may differ between threads";
  for (const std::string &name : body.registers)
    if (llvm::StringRef(name).starts_with("threadIdx") ||
        (grid && llvm::StringRef(name).starts_with("blockIdx")))
      return "'" + name + "' differs between those who share it";
  for (const clang::DeclRefExpr *reference : body.references) {
    const auto *variable = llvm::dyn_cast<VarDecl>(reference->getDecl());
    bool own = !variable || variable == loop_.counter || llvm::is_contained(carried_, variable) ||
               isWithin(variable->getLocation(), *loop_.statement, sources);
    if (!own && differs(*reference))
      return "'" + variable->getNameAsString() + "' may differ between threads";
  }
  for (const ArraySubscriptExpr *subscript : body.subscripts) {
    const VarDecl *base = namedVariable(subscript->getBase());
    const VarDecl *root = base ? parameterBehind(base, function_) : nullptr;
    if (!root) {
      bool local = base && base->isLocalVarDecl() && !base->hasAttr<clang::CUDASharedAttr>() &&
                   isWithin(base->getLocation(), *loop_.statement, sources);
      if (!local && (body.stored.contains(subscript) || differs(*subscript->getIdx())))
        return "what it does with the memory at line " + lineOf(subscript->getBeginLoc()) +
               " may depend on the thread";
      continue;
    }
    const bool stores = body.stored.contains(subscript);
    for (const KernelAnalysis *version : context_.versions)
      for (const MemoryAccess &access : version->facts.accesses) {
        if (access.object.known() && access.object.value().name != root->getName())
          continue;
        if (!access.object.known())
          return "an access at line " + std::to_string(access.place.place.line) + " is not tied to a pointer";
        unsigned first = placeOf(loop_.statement->getBeginLoc(), sources).line,
                 last = placeOf(loop_.statement->getEndLoc(), sources).line;
        bool outside = access.place.place.line < first || access.place.place.line > last;
        bool writes = access.kind != warpwright::AccessKind::Read;
        if (stores && outside)
          return "'" + root->getNameAsString() + "' is touched elsewhere, at line " +
                 std::to_string(access.place.place.line);
        if (!stores && writes && outside)
          return "'" + root->getNameAsString() + "' is written elsewhere, at line " +
                 std::to_string(access.place.place.line);
      }
    bool counted = llvm::any_of(
        places_, [&](const Place &place) { return llvm::is_contained(place.elements, subscript); });
    if (stores && !counted)
      return "'" + root->getNameAsString() +
             "' is stored to at places that other iterations may store to as well";
  }
  return {};
}

} // namespace warpwright
