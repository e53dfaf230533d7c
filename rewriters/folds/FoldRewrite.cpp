#include "rewriters/folds/FoldRewrite.h"

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/frontend/TranslationUnit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/TypeLoc.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

using clang::Expr;
using clang::Stmt;
using clang::VarDecl;

const Expr *storedValue(const Expr *assignment) {
  if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(assignment))
    return binary->getRHS();
  return llvm::cast<clang::CXXOperatorCallExpr>(assignment)->getArg(1);
}

bool isShuffled(clang::QualType type, const clang::ASTContext &ast) {
  if (const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl())
    return record->getName() == "__half" || record->getName() == "__nv_bfloat16";
  return (type->isIntegerType() || type->isRealFloatingType()) && ast.getTypeSize(type) <= 64;
}

bool rounds(clang::QualType type) {
  return type->isRealFloatingType() || type->isRecordType();
}

const char *nameOf(FoldOperation operation) {
  switch (operation) {
  case FoldOperation::Sum:
    return "Sum";
  case FoldOperation::Product:
    return "Product";
  case FoldOperation::Minimum:
    return "Min";
  case FoldOperation::Maximum:
    return "Max";
  case FoldOperation::LogicalAnd:
    return "All";
  case FoldOperation::LogicalOr:
    return "Any";
  case FoldOperation::BitAnd:
  case FoldOperation::BitOr:
  case FoldOperation::BitXor:
    break;
  }
  return "Bits";
}

class MentionCounter : public clang::ConstDynamicRecursiveASTVisitor {
public:
  llvm::DenseMap<const VarDecl *, unsigned> mentions;
  bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
    if (const auto *variable = llvm::dyn_cast<VarDecl>(reference->getDecl()))
      ++mentions[variable];
    return true;
  }
};

/// The statements that declare variables, each alone.
class DeclarationFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  llvm::DenseMap<const VarDecl *, const clang::DeclStmt *> statements;
  bool VisitDeclStmt(const clang::DeclStmt *statement) override {
    if (statement->isSingleDecl())
      if (const auto *variable = llvm::dyn_cast<VarDecl>(statement->getSingleDecl()))
        statements[variable] = statement;
    return true;
  }
};

class VariableFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  llvm::SmallVector<const VarDecl *> found;
  bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
    if (const auto *variable = llvm::dyn_cast<VarDecl>(reference->getDecl());
        variable && !llvm::is_contained(found, variable))
      found.push_back(variable);
    return true;
  }
};

} // namespace

FoldRewrite::FoldRewrite(const RewriteContext &context, const FoldSite &site, const BlockFolds &folds,
                         llvm::ArrayRef<const BlockFold *> all, const BlockFold &fold, FreshNames &names)
    : context_(context), ast_(context.unit.ast()), site_(site), folds_(folds), all_(all), fold_(fold),
      names_(names), builder_(ast_) {}

std::string FoldRewrite::build() {
  if (std::string why = whyNotLegal(); !why.empty())
    return why;
  if (std::string why = nameThread(); !why.empty())
    return why;
  if (std::string why = readValues(); !why.empty())
    return why;
  if (std::string why = write(); !why.empty())
    return why;
  shrinkArrays();
  removeDeadVariables();
  return {};
}

std::optional<std::string> FoldRewrite::textOf(const Stmt *statement) const {
  return builder_.textOf(statement->getSourceRange());
}

std::string FoldRewrite::whyNotAssociative(const FoldedSlots &slots) const {
  bool orderMatters = rounds(slots.element) &&
                      (slots.operation == FoldOperation::Sum || slots.operation == FoldOperation::Product);
  if (orderMatters && !context_.analysis.annotation->allows(Permission::Reassociate))
    return "a floating-point sum or product would be taken in another order, which needs allow(reassociate)";
  return {};
}

std::string FoldRewrite::whyNotLegal() {
  if (fold_.threads < 2)
    return "the block has one thread";
  for (const FoldedSlots &slots : fold_.slots) {
    if (!isShuffled(slots.element, ast_))
      return "there is no shuffle of a '" + slots.element.getAsString() + "'";
    if (std::string why = whyNotAssociative(slots); !why.empty())
      return why;
    uses_.push_back(findSlotUses(*site_.function, folds_, all_, fold_, slots));
    if (uses_.back().obstacle)
      return uses_.back().whyNot + " at line " +
             std::to_string(placeOf(uses_.back().obstacle->getBeginLoc(), ast_.getSourceManager()).line);
  }
  // A variable that the piece changes and others read must hold the fold: that of a serial loop does.
  VariableFinder finder;
  for (const Stmt *statement : statementsOf(fold_))
    finder.TraverseStmt(statement);
  for (const Stmt *statement : statementsOf(fold_)) {
    VariableChanges changes(*statement);
    for (const VarDecl *variable : finder.found) {
      bool result =
          llvm::any_of(fold_.slots, [&](const FoldedSlots &slots) { return slots.result == variable; });
      if (changes.isConstant(variable) || result || variable->hasAttr<clang::CUDASharedAttr>())
        continue;
      ValueUses uses = findValueUses(*site_.function, folds_, fold_, variable);
      bool folded = uses.byFirstThread && llvm::any_of(fold_.slots, [&](const FoldedSlots &slots) {
                      return slots.store && namedVariable(storedValue(slots.store)) == variable;
                    });
      if (uses.after && !folded)
        return "'" + variable->getNameAsString() + "', which it changes, is used after it";
    }
  }
  return {};
}

/// The number of the thread in the block, by a name that the code has for it already.
std::string FoldRewrite::nameThread() {
  BlockInterpreter interpreter = folds_.interpreter();
  VariableFinder finder;
  for (const Stmt *statement : statementsOf(fold_))
    finder.TraverseStmt(statement);
  clang::SourceLocation begin = fold_.statement(fold_.first)->getBeginLoc();
  for (const VarDecl *variable : finder.found) {
    if (!variable->getType()->isIntegerType() || !variable->isLocalVarDeclOrParm() ||
        !ast_.getSourceManager().isBeforeInTranslationUnit(variable->getLocation(), begin))
      continue;
    bool numbers = true;
    for (unsigned lane = 0; numbers && lane < fold_.threads; ++lane) {
      LaneValue value = interpreter.valueOf(variable, lane);
      numbers = value.isInteger() && value.integer == lane;
    }
    if (!numbers)
      continue;
    code_.thread = variable->getNameAsString();
    usedVariables_.insert(variable);
    return {};
  }
  const KnownBlock &known = folds_.block();
  if (known.extents[0] == fold_.threads) {
    code_.thread = "threadIdx.x";
    return {};
  }
  code_.thread = names_.take("thread");
  std::string rows = known.extents[2] > 1 ? "(threadIdx.z * blockDim.y + threadIdx.y)" : "threadIdx.y";
  threadDeclaration_ = "int " + code_.thread + " = " + rows + " * blockDim.x + threadIdx.x;";
  return {};
}

std::string FoldRewrite::typeText(const FoldedSlots &slots) const {
  const auto *variable = llvm::cast<VarDecl>(slots.reference->getDecl());
  if (const clang::TypeSourceInfo *info = variable->getTypeSourceInfo()) {
    clang::TypeLoc location = info->getTypeLoc();
    clang::TypeLoc element;
    if (auto array = location.getAsAdjusted<clang::ArrayTypeLoc>())
      element = array.getElementLoc();
    else if (auto pointer = location.getAsAdjusted<clang::PointerTypeLoc>())
      element = pointer.getPointeeLoc();
    if (element && !element.getAsAdjusted<clang::ArrayTypeLoc>())
      if (std::optional<std::string> text = builder_.textOf(element.getUnqualifiedLoc().getSourceRange());
          text && !text->empty() && *text != "auto")
        return *text;
  }
  return slots.element.getAsString(clang::PrintingPolicy(ast_.getLangOpts()));
}

/// A local variable that nobody needs after the fold may hold the thread's number on.
bool FoldRewrite::isReusable(const VarDecl *variable, const FoldedSlots &slots) const {
  if (!variable || !variable->isLocalVarDeclOrParm() || variable->isStaticLocal() ||
      !ast_.hasSameType(variable->getType(), slots.element))
    return false;
  ValueUses uses = findValueUses(*site_.function, folds_, fold_, variable);
  if (!uses.after)
    return true;
  // Thread 0 alone reads it, and the original has put the fold there.
  bool changed = llvm::any_of(statementsOf(fold_), [&](const Stmt *statement) {
    return VariableChanges(*statement).isChanged(variable);
  });
  return changed && uses.byFirstThread;
}

std::string FoldRewrite::readValue(const FoldedSlots &slots) {
  const SlotUses &uses = uses_[direct_.size()];
  bool direct = slots.store && !uses.readBefore;
  FoldedValue value;
  value.type = typeText(slots);
  std::optional<std::string> reference = textOf(slots.reference);
  std::optional<std::string> initial =
      slots.store ? textOf(storedValue(slots.store)) : std::optional(std::string());
  if (!reference || !initial)
    return "it is written by a macro";
  if (const auto *call = llvm::dyn_cast<clang::CallExpr>(slots.spelling);
      call && !llvm::isa<clang::CXXOperatorCallExpr>(call)) {
    std::optional<std::string> callee = textOf(call->getCallee());
    if (!callee)
      return "its operation is written by a macro";
    value.function = *callee;
  }
  value.operation = slots.operation;
  value.byComparison = slots.byComparison;
  value.slots = *reference;
  value.initial = direct ? *initial : *reference + "[" + code_.thread + "]";
  const VarDecl *variable = direct ? namedVariable(storedValue(slots.store)) : nullptr;
  if (isReusable(variable, slots)) {
    value.name = variable->getNameAsString();
    value.initial.clear();
    usedVariables_.insert(variable);
  } else {
    value.name = names_.take(std::string(code_.threads > 32 ? "warp" : "block") + nameOf(slots.operation));
  }
  code_.values.push_back(std::move(value));
  direct_.push_back(direct);
  return {};
}

std::string FoldRewrite::readValues() {
  code_.threads = fold_.threads;
  for (const FoldedSlots &slots : fold_.slots)
    if (std::string why = readValue(slots); !why.empty())
      return why;
  for (FoldedValue &value : code_.values)
    value.other = names_.scoped(&value == &code_.values.front() ? "other" : value.name + "Other");
  code_.offset = names_.scoped("offset");
  code_.lanes = names_.take("lanes");
  code_.barrier = "__syncthreads();";
  for (size_t i = fold_.first; i <= fold_.last; ++i)
    if (isBlockBarrier(fold_.statement(i)))
      if (std::optional<std::string> text = textOf(fold_.statement(i)))
        code_.barrier = *text + ";";
  bool oneReader =
      llvm::all_of(uses_, [](const SlotUses &uses) { return uses.onlyFirstThread && !uses.usedAgain; });
  bool alone = oneReader && !loopAround(*site_.function->getBody(), fold_.statement(fold_.first));
  endBarrier_ = fold_.settled && !fold_.isSerial() && (!alone || code_.warps() == 1);
  return {};
}

CodeLines FoldRewrite::lines() const {
  CodeLines code;
  auto kept = [&](const Stmt *statement) {
    return llvm::is_contained(fold_.kept, statement) ||
           llvm::any_of(llvm::zip(fold_.slots, direct_), [&](const auto &pair) {
             const auto &[slots, direct] = pair;
             return !direct && slots.store && slots.store == statement;
           });
  };
  for (size_t i = fold_.first; i <= fold_.last; ++i)
    if (kept(fold_.statement(i)))
      code.line(textOf(fold_.statement(i)).value_or("") + ";");
  bool throughSlots = llvm::is_contained(direct_, false);
  if (throughSlots)
    code.line(code_.barrier);
  code.comment(code_.warps() == 1
                   ? "The lanes of the block's one warp hand each other their values by shuffles."
                   : "Each warp folds its values by shuffles; the block waits for one slot a warp.");
  if (!threadDeclaration_.empty())
    code.line(threadDeclaration_);
  for (const FoldedValue &value : code_.values)
    if (!value.initial.empty())
      code.line(value.type + " " + value.name + " = " + value.initial + ";");
  code_.foldWarps(code);
  if (code_.warps() > 1) {
    if (throughSlots)
      code.line(code_.barrier);
    code_.storeWarps(code);
    code.line(code_.barrier);
  }
  code_.foldSlots(code);
  if (endBarrier_)
    code.line(code_.barrier);
  return code;
}

std::string FoldRewrite::reasonText() const {
  std::string names;
  for (const FoldedSlots &slots : fold_.slots)
    names += (names.empty() ? "'" : ", '") + slots.array->getNameAsString() + "'";
  return std::string(fold_.isSerial() || fold_.barriers <= 2 ? "one thread walks " : "a tree folds ") +
         names + "; lanes hand each other values faster than through shared memory and barriers";
}

std::string FoldRewrite::write() {
  bool throughSlots = llvm::is_contained(direct_, false);
  barriersAfter_ = (throughSlots ? 1 : 0) + endBarrier_;
  if (code_.warps() > 1)
    barriersAfter_ += 1 + throughSlots;
  const Stmt *first = fold_.statement(fold_.first), *last = fold_.statement(fold_.last);
  Indentation indentation = indentationAt(first->getBeginLoc(), *site_.function, ast_);
  std::string text = lines().str(indentation);
  std::optional<Edit> edit = builder_.replaceStatements(*first, *last, std::move(text), reasonText());
  if (!edit)
    return "it is written by a macro or in a header";
  edit->expectedGain = std::to_string(fold_.barriers) + " barriers a thread become " +
                       std::to_string(barriersAfter_) + ", and shared memory holds a value a warp";
  edit->risk = rounds(fold_.slots.front().element) ? "sums are taken in another order" : "none";
  edits_.push_back(std::move(*edit));
  llvm::SmallPtrSet<const Stmt *, 2> written;
  for (const FoldedSlots &slots : fold_.slots)
    if (slots.serialLoop && written.insert(slots.serialLoop).second)
      if (std::string why = writeSerialLoop(*slots.serialLoop); !why.empty())
        return why;
  return {};
}

/// What is left of a loop in which one thread walked the slots.
std::string FoldRewrite::writeSerialLoop(const Stmt &loop) {
  CodeLines code;
  for (size_t i = 0; i < fold_.slots.size(); ++i) {
    const FoldedSlots &slots = fold_.slots[i];
    if (slots.serialLoop != &loop || !slots.result || slots.resultHeldSlot)
      continue;
    FoldedValue value = code_.values[i];
    value.name = slots.result->getNameAsString();
    code.line(combineText(value, value.slots + "[0]"));
  }
  Indentation indentation = indentationAt(loop.getBeginLoc(), *site_.function, ast_);
  std::optional<Edit> edit = builder_.replaceStatements(loop, loop, code.str(indentation), reasonText());
  if (edit && code.empty())
    edit = builder_.replaceLines(loop.getSourceRange(), "", reasonText());
  if (!edit)
    return "it is written by a macro, in a header, or on a line with other code";
  edit->expectedGain = std::to_string(fold_.threads - 1) + " steps of one thread become " +
                       std::to_string(llvm::Log2_32_Ceil(fold_.threads)) + " of all";
  edit->risk = edits_.front().risk;
  edits_.push_back(std::move(*edit));
  return {};
}

/// An array whose slots are all the fold's needs one slot a warp.
void FoldRewrite::shrinkArrays() {
  for (size_t i = 0; i < fold_.slots.size(); ++i) {
    const FoldedSlots &slots = fold_.slots[i];
    bool own = slots.base == 0 && slots.reference->getDecl() == slots.array && direct_[i] &&
               !uses_[i].stored && !uses_[i].readBefore && slots.array->isStaticLocal();
    // Every other fold of the array must be as content.
    for (const BlockFold *other : all_)
      for (const FoldedSlots &others : other->slots)
        own &= others.array != slots.array || (others.store && others.base == 0);
    for (const BlockFold *other : all_)
      for (const Stmt *kept : other->kept) {
        VariableFinder finder;
        finder.TraverseStmt(kept);
        own &= !llvm::is_contained(finder.found, slots.array);
      }
    const clang::TypeSourceInfo *info = slots.array->getTypeSourceInfo();
    if (!own || !info)
      continue;
    auto location = info->getTypeLoc().getAsAdjusted<clang::ArrayTypeLoc>();
    const Expr *size = location ? location.getSizeExpr() : nullptr;
    std::optional<std::string> text = size ? builder_.textOf(size->getSourceRange()) : std::nullopt;
    const clang::ConstantArrayType *type = ast_.getAsConstantArrayType(slots.array->getType());
    if (!text || !type || type->getElementType()->isArrayType())
      continue;
    bool named = llvm::all_of(*text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
    std::string extent = named && type->getSize() == fold_.threads && fold_.threads % 32 == 0
                             ? *text + " / 32"
                             : std::to_string(code_.warps());
    std::optional<Edit> edit =
        builder_.replace(size->getSourceRange(), extent,
                         "'" + slots.array->getNameAsString() + "' holds one value a warp from now on");
    if (!edit)
      continue;
    edit->expectedGain = "less shared memory a block";
    edit->risk = "none";
    edits_.push_back(std::move(*edit));
  }
}

/// Variables that only the removed statements used go with them.
void FoldRewrite::removeDeadVariables() {
  MentionCounter before, removed;
  before.TraverseStmt(site_.function->getBody());
  for (const BlockFold *fold : all_)
    for (const Stmt *statement : statementsOf(*fold))
      if (!llvm::is_contained(fold->kept, statement))
        removed.TraverseStmt(statement);
  DeclarationFinder declarations;
  declarations.TraverseStmt(site_.function->getBody());
  VariableFinder mentioned;
  for (const Stmt *statement : statementsOf(fold_))
    mentioned.TraverseStmt(statement);
  MentionCounter written; // the stored values are still there
  for (const FoldedSlots &slots : fold_.slots)
    if (slots.store)
      written.TraverseStmt(storedValue(slots.store));
  for (const VarDecl *variable : mentioned.found) {
    const clang::DeclStmt *statement = declarations.statements.lookup(variable);
    bool inside = statement && llvm::any_of(statementsOf(fold_), [&](const Stmt *piece) {
                    return ast_.getSourceManager().isPointWithin(statement->getBeginLoc(),
                                                                 piece->getBeginLoc(), piece->getEndLoc());
                  });
    if (!statement || inside || usedVariables_.contains(variable) || written.mentions.contains(variable) ||
        variable->hasAttr<clang::CUDASharedAttr>() ||
        before.mentions.lookup(variable) != removed.mentions.lookup(variable) ||
        !(variable->getType()->isScalarType()) ||
        (variable->getInit() && variable->getInit()->HasSideEffects(ast_)))
      continue;
    std::optional<Edit> edit = builder_.replaceLines(
        statement->getSourceRange(), "", "only the fold used '" + variable->getNameAsString() + "'");
    if (!edit)
      continue;
    edit->expectedGain = "none of its own";
    edit->risk = "none";
    edits_.push_back(std::move(*edit));
  }
}

} // namespace warpwright
