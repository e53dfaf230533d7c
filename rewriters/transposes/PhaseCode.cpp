// The statements of the kernel that one side of the barrier needs.

#include "rewriters/mapping/Effects.h"
#include "rewriters/transposes/TileCode.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <llvm/ADT/StringExtras.h>

namespace warpwright {

namespace {

using clang::Expr;
using clang::Stmt;
using clang::VarDecl;

/// The variables that a piece of code mentions, but for the pieces that are left out.
class Mentions : public clang::ConstDynamicRecursiveASTVisitor {
public:
  Mentions(llvm::DenseSet<const VarDecl *> &found, llvm::ArrayRef<const Expr *> without)
      : found_(found), without_(without) {}
  bool TraverseStmt(const Stmt *statement) override {
    if (statement && llvm::is_contained(without_, statement))
      return true;
    return clang::ConstDynamicRecursiveASTVisitor::TraverseStmt(statement);
  }
  bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
    if (const auto *variable = llvm::dyn_cast<VarDecl>(reference->getDecl()))
      found_.insert(variable);
    return true;
  }

private:
  llvm::DenseSet<const VarDecl *> &found_;
  llvm::ArrayRef<const Expr *> without_;
};

} // namespace

/// The variables on which what the phase is for depends.
void TileCode::findNeeded(Phase &phase) const {
  std::vector<const Expr *> without;
  if (!phase.reads)
    for (unsigned load : plan_.staged)
      without.push_back(body_.loads[load].expression);
  // What is written anew needs nothing of what it was made of.
  unsigned fastOne = phase.reads ? plan_.reading : plan_.writing;
  if (!shape_.keepsLaunch || space_.coordinates()[fastOne].axis != 0)
    for (const PointSpace::Place &place : space_.places())
      if (isMoved(place))
        without.push_back(place.expression);
  auto need = [&](const Stmt *code) { Mentions(phase.needed, without).TraverseStmt(code); };
  for (const PointItem &item : body_.items)
    if (item.kind == PointItem::Kind::Leave || item.kind == PointItem::Kind::Enter)
      need(llvm::cast<clang::IfStmt>(item.statement)->getCond());
  for (const PointStore &store : body_.stores) {
    if (phase.reads == plan_.stagesValues())
      need(store.value);
    if (!phase.reads)
      need(store.target.expression);
  }
  if (phase.reads)
    for (unsigned load : plan_.staged)
      need(body_.loads[load].expression);
  // A variable that code changes may need what stands before it, twice where code runs in loops of its own.
  for (size_t before = 0; before != phase.needed.size();) {
    before = phase.needed.size();
    for (const PointItem &item : llvm::reverse(body_.items)) {
      if (item.kind != PointItem::Kind::Code)
        continue;
      if (const auto *declaration = llvm::dyn_cast<clang::DeclStmt>(item.statement)) {
        for (const clang::Decl *one : declaration->decls())
          if (const auto *variable = llvm::dyn_cast<VarDecl>(one);
              variable && phase.needed.contains(variable) && variable->getInit())
            need(variable->getInit());
        continue;
      }
      std::vector<const VarDecl *> changed = effectsOf(*item.statement).variables;
      if (llvm::any_of(changed, [&](const VarDecl *variable) { return phase.needed.contains(variable); }))
        need(item.statement);
    }
  }
}

std::string TileCode::negated(const Phase &phase, const Expr &condition) const {
  const Expr *inner = condition.IgnoreParenImpCasts();
  if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(inner)) {
    auto side = [&](const Expr *operand) {
      std::string text = negated(phase, *operand);
      const auto *under = llvm::dyn_cast<clang::BinaryOperator>(operand->IgnoreParenImpCasts());
      return under && under->isLogicalOp() ? "(" + text + ")" : text;
    };
    if (binary->isLogicalOp()) {
      bool sameAbove = binary->getOpcode() == clang::BO_LOr;
      auto chained = [&](const Expr *operand) {
        const auto *under = llvm::dyn_cast<clang::BinaryOperator>(operand->IgnoreParenImpCasts());
        return under && under->getOpcode() == binary->getOpcode() ? negated(phase, *operand) : side(operand);
      };
      return chained(binary->getLHS()) + (sameAbove ? " && " : " || ") + chained(binary->getRHS());
    }
    if (binary->isComparisonOp() && binary->getLHS()->getType()->isIntegerType() &&
        binary->getRHS()->getType()->isIntegerType())
      return phase.text.of(binary->getLHS()->getSourceRange()).value_or("") + " " +
             clang::BinaryOperator::getOpcodeStr(
                 clang::BinaryOperator::negateComparisonOp(binary->getOpcode()))
                 .str() +
             " " + phase.text.of(binary->getRHS()->getSourceRange()).value_or("");
  }
  if (const auto *negation = llvm::dyn_cast<clang::UnaryOperator>(inner);
      negation && negation->getOpcode() == clang::UO_LNot)
    return phase.text.of(negation->getSubExpr()->getSourceRange()).value_or("");
  return "!(" + phase.text.of(inner->getSourceRange()).value_or("") + ")";
}

/// A statement that declares more than the phase needs is taken apart.
bool TileCode::writeDeclaration(const Phase &phase, const Stmt &statement, CodeLines &code) const {
  const auto &declaration = llvm::cast<clang::DeclStmt>(statement);
  std::vector<const VarDecl *> wanted;
  size_t all = 0;
  for (const clang::Decl *one : declaration.decls()) {
    ++all;
    if (const auto *variable = llvm::dyn_cast<VarDecl>(one); variable && phase.needed.contains(variable))
      wanted.push_back(variable);
  }
  if (wanted.empty())
    return true;
  if (wanted.size() == all) {
    std::optional<std::string> text = phase.text.of(statement.getSourceRange());
    if (!text)
      return false;
    code.moved(*text, indentationAt(statement.getBeginLoc(), kernel_, ast_).base);
    return true;
  }
  for (const VarDecl *variable : wanted) {
    if (!variable->getType()->isBuiltinType() ||
        (variable->getInit() && variable->getInitStyle() != VarDecl::CInit))
      return false;
    std::string line = variable->getType().getAsString(clang::PrintingPolicy(ast_.getLangOpts())) + " " +
                       variable->getNameAsString();
    if (variable->getInit()) {
      std::optional<std::string> value = phase.text.of(variable->getInit()->getSourceRange());
      if (!value)
        return false;
      line += " = " + *value;
    }
    code.line(line + ";");
  }
  return true;
}

bool TileCode::writeItems(Phase &phase, CodeLines &code) const {
  unsigned nested = 0;
  auto textOf = [&](const Stmt &statement) { return phase.text.of(statement.getSourceRange()); };
  auto writeStaged = [&](const Stmt &item) {
    const clang::SourceManager &sources = ast_.getSourceManager();
    for (unsigned i = 0; i < plan_.staged.size(); ++i) {
      const Expr *load = body_.loads[plan_.staged[i]].expression;
      if (!sources.isPointWithin(load->getBeginLoc(), item.getBeginLoc(), item.getEndLoc()))
        continue;
      std::optional<std::string> text = textOf(*load);
      if (!text)
        return false;
      code.line(tileElement(phase, i) + " = " + *text + ";");
    }
    return true;
  };
  if (std::vector<std::string> bounds = boundsOf(phase); !bounds.empty()) {
    code.open("if (" + llvm::join(bounds, " && ") + ") {");
    ++nested;
  }
  for (const PointItem &item : body_.items) {
    if (item.kind == PointItem::Kind::Leave || item.kind == PointItem::Kind::Enter) {
      const Expr &condition = *llvm::cast<clang::IfStmt>(item.statement)->getCond();
      std::string text =
          item.kind == PointItem::Kind::Leave ? negated(phase, condition) : textOf(condition).value_or("");
      if (text.empty())
        return false;
      code.open("if (" + text + ") {");
      ++nested;
      continue;
    }
    if (item.kind == PointItem::Kind::Code) {
      if (llvm::isa<clang::DeclStmt>(item.statement)) {
        if (!writeDeclaration(phase, *item.statement, code))
          return false;
      } else if (llvm::any_of(effectsOf(*item.statement).variables,
                              [&](const VarDecl *variable) { return phase.needed.contains(variable); })) {
        std::optional<Edit> place =
            edits_.replaceStatements(*item.statement, *item.statement, "", "its place");
        std::optional<std::string> text =
            place ? phase.text.between(place->offset, place->offset + place->length) : std::nullopt;
        if (!text)
          return false;
        code.moved(*text, indentationAt(item.statement->getBeginLoc(), kernel_, ast_).base);
      }
      if (phase.reads && !writeStaged(*item.statement))
        return false;
      continue;
    }
    const PointStore &store = body_.stores[item.store];
    if (phase.reads && !plan_.stagesValues()) {
      if (!writeStaged(*item.statement))
        return false;
      continue;
    }
    std::optional<std::string> target = textOf(*store.target.expression), value = textOf(*store.value);
    if (!target || !value)
      return false;
    std::string indent = indentationAt(item.statement->getBeginLoc(), kernel_, ast_).base;
    if (phase.reads)
      code.moved(tileElement(phase, item.store) + " = " + *value + ";", indent);
    else if (plan_.stagesValues())
      code.moved(*target + " " + store.operation + " " + tileElement(phase, item.store) + ";", indent);
    else
      code.moved(*target + " " + store.operation + " " + *value + ";", indent);
  }
  for (; nested != 0; --nested)
    code.close();
  return true;
}

std::optional<CodeLines> TileCode::phase(bool reads) {
  Phase phase(reads, ast_);
  int64_t lanes = shape_.lanesAlong(reads), rows = shape_.threads / lanes;
  int64_t fastExtent = reads ? shape_.across : shape_.down, slowExtent = reads ? shape_.down : shape_.across;
  CodeLines code;
  std::string fast, slow;
  unsigned nested = 0;
  if (shape_.keepsLaunch) {
    unsigned fastOne = reads ? plan_.reading : plan_.writing, slowOne = reads ? plan_.writing : plan_.reading;
    const std::vector<PointCoordinate> &coordinates = space_.coordinates();
    code.open("{");
    ++nested;
    if (coordinates[fastOne].axis == 0) {
      fast = "threadIdx.x";
      slow = std::string("threadIdx.") + "xyz"[coordinates[slowOne].axis];
    } else {
      fast = names_.take("lane");
      slow = names_.take("row");
      std::string number = std::string("threadIdx.") + "xyz"[coordinates[fastOne].axis] + " * " +
                           std::to_string(space_.block()[0]) + " + threadIdx.x";
      code.line("const int " + thread_ + " = " + number + ";");
      code.line("const int " + fast + " = " + thread_ + " % " + std::to_string(lanes) + ", " + slow + " = " +
                thread_ + " / " + std::to_string(lanes) + ";");
    }
  } else {
    bool isPlane = shape_.isPlane();
    fast = isPlane ? "threadIdx.x" : "threadIdx.x % " + std::to_string(lanes);
    slow = isPlane ? "threadIdx.y" : "threadIdx.x / " + std::to_string(lanes);
    auto loop = [&](const char *wish, int64_t extent, int64_t step, std::string &local) {
      std::string counter = names_.scoped(wish);
      code.line("#pragma unroll");
      code.open("for (int " + counter + " = 0; " + counter + " < " + std::to_string(extent) + "; " + counter +
                " += " + std::to_string(step) + ") {");
      ++nested;
      local += " + " + counter;
    };
    if (slowExtent > rows) {
      phase.slowThread = slow;
      loop("j", slowExtent, rows, slow);
      phase.slowTurn = llvm::StringRef(slow).rsplit(' ').second.str();
    }
    if (fastExtent > lanes)
      loop("i", fastExtent, lanes, fast);
    if (nested == 0) {
      code.open("{");
      ++nested;
    }
  }
  phase.slowThreads = rows;
  place(phase, slow, fast);
  patch(phase);
  findNeeded(phase);
  if (!writeItems(phase, code))
    return std::nullopt;
  for (; nested != 0; --nested)
    code.close();
  return code;
}

} // namespace warpwright
