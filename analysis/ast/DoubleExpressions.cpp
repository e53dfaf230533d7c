#include "analysis/ast/DoubleExpressions.h"

#include "analysis/ast/DoubleTree.h"
#include "analysis/ast/SystemFunction.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/ParentMap.h>
#include <clang/AST/StmtCXX.h>

namespace warpwright {
namespace {

struct OffsetRange {
  unsigned begin = 0;
  unsigned end = 0;
};

OffsetRange offsetsOf(clang::SourceRange range, const clang::SourceManager &sources) {
  return {sources.getFileOffset(sources.getExpansionLoc(range.getBegin())),
          sources.getFileOffset(sources.getExpansionLoc(range.getEnd()))};
}

/// The parts of a template's body whose types depend on its arguments. What they mean in one instantiation
/// says nothing of the next.
class DependentParts : public clang::ConstDynamicRecursiveASTVisitor {
public:
  explicit DependentParts(const clang::SourceManager &sources) : sources_(sources) {}
  bool VisitStmt(const clang::Stmt *statement) override {
    if (const auto *expression = llvm::dyn_cast<clang::Expr>(statement);
        expression && expression->isTypeDependent())
      parts_.push_back(offsetsOf(expression->getSourceRange(), sources_));
    return true;
  }
  bool VisitVarDecl(const clang::VarDecl *variable) override {
    if (variable->getType()->isDependentType())
      parts_.push_back(offsetsOf(variable->getSourceRange(), sources_));
    return true;
  }
  bool meet(clang::SourceRange range) const {
    OffsetRange asked = offsetsOf(range, sources_);
    return llvm::any_of(parts_,
                        [&](OffsetRange part) { return part.begin <= asked.end && asked.begin <= part.end; });
  }

private:
  const clang::SourceManager &sources_;
  std::vector<OffsetRange> parts_;
};

/// An overload set of the user's may hold a function that takes the float away from the one that is called.
bool isOverloaded(const clang::FunctionDecl &callee) {
  if (isSystemFunction(callee))
    return false;
  auto found = callee.getDeclContext()->lookup(callee.getDeclName());
  return callee.getPrimaryTemplate() || std::distance(found.begin(), found.end()) > 1;
}

class DoubleFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  DoubleFinder(const clang::FunctionDecl &function, const clang::ASTContext &ast, const IndexRanges &ranges)
      : function_(function), ast_(ast), ranges_(ranges),
        parents_(const_cast<clang::Stmt *>(function.getBody())), dependent_(ast.getSourceManager()) {
    if (const clang::FunctionDecl *pattern = function.getTemplateInstantiationPattern())
      dependent_.TraverseStmt(pattern->getBody());
  }

  // Outer expressions are met before inner ones, so that the first node of a tree that is met is its root.
  bool VisitStmt(const clang::Stmt *statement) override {
    const auto *expression = llvm::dyn_cast<clang::Expr>(statement);
    if (!expression || claimed_.contains(expression))
      return true;
    const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(expression);
    if (const auto *assignment = llvm::dyn_cast<clang::CompoundAssignOperator>(expression);
        assignment && isSingle(assignment->getLHS()->getType()) &&
        isWide(assignment->getComputationLHSType()))
      readCompound(*assignment);
    else if (binary && binary->isComparisonOp() && isWide(binary->getLHS()->getType()))
      readComparison(*binary);
    else if (isWide(expression->getType()) && expression->isPRValue())
      readRoot(*expression);
    return true;
  }

  std::vector<DoubleExpression> expressions;

private:
  void readRoot(const clang::Expr &root) {
    DoubleTree tree(function_, ast_, ranges_);
    DoubleTree::Part part = tree.read(&root);
    if (std::string obstacle = obstacleAbove(root, part.exact, tree); !obstacle.empty())
      tree.block(obstacle);
    add(tree, root);
  }

  void readCompound(const clang::CompoundAssignOperator &assignment) {
    DoubleTree tree(function_, ast_, ranges_);
    tree.hasData = true;
    tree.operations = 1;
    tree.read(assignment.getRHS());
    add(tree, assignment);
  }

  // A branch turns on the last bit: the comparison must see the same values.
  void readComparison(const clang::BinaryOperator &comparison) {
    DoubleTree tree(function_, ast_, ranges_);
    tree.operations = 1;
    bool exact = tree.read(comparison.getLHS()).exact;
    exact = tree.read(comparison.getRHS()).exact && exact;
    if (!exact)
      tree.block("rounded to float, its operands may compare otherwise");
    add(tree, comparison);
  }

  void add(DoubleTree &tree, const clang::Expr &root) {
    claimed_.insert(tree.nodes.begin(), tree.nodes.end());
    bool toChange = !tree.spellings.empty() || !tree.obstacle.empty();
    if (!tree.hasData || !toChange || (tree.operations == 0 && !tree.obstacle.empty()))
      return;
    if (dependent_.meet(root.getSourceRange()))
      tree.block("its type depends on a template argument");
    const clang::SourceManager &sources = ast_.getSourceManager();
    llvm::sort(tree.spellings, [&](const DoubleSpelling &left, const DoubleSpelling &right) {
      return sources.getFileOffset(left.tokens.getBegin()) < sources.getFileOffset(right.tokens.getBegin());
    });
    expressions.push_back(
        {root.getSourceRange(), std::move(tree.spellings), tree.operations, std::move(tree.obstacle)});
  }

  /// Why what is done with the value needs a double; empty where it is rounded to float at once.
  std::string obstacleAbove(const clang::Expr &root, bool exact, const DoubleTree &tree) const {
    const clang::Stmt *parent = parents_.getParent(&root);
    if (const auto *cast = llvm::dyn_cast_or_null<clang::CastExpr>(parent)) {
      if (isSingle(cast->getType()))
        return obstacleAboveCast(*cast);
      if (!cast->getType()->isIntegralOrEnumerationType())
        return "it is converted to '" + cast->getType().getAsString(ast_.getPrintingPolicy()) + "'";
      return exact ? "" : "it is converted to an integer, which rounding may move by one";
    }
    if (const auto *call = llvm::dyn_cast_or_null<clang::CallExpr>(parent)) {
      const clang::FunctionDecl *callee = call->getDirectCallee();
      bool variadic = callee && callee->isVariadic();
      std::string name =
          callee ? callee->getNameAsString() : tree.textOf(call->getCallee()->getSourceRange());
      return "it is passed as a double to '" + name + "'" +
             (variadic ? ", whose arguments have no types" : "");
    }
    if (const auto *declaration = llvm::dyn_cast_or_null<clang::DeclStmt>(parent))
      for (const clang::Decl *declared : declaration->decls())
        if (const auto *variable = llvm::dyn_cast<clang::VarDecl>(declared);
            variable && variable->getInit() == &root)
          return std::string(variable->getType()->getContainedAutoType() ? "it gives its type to"
                                                                         : "it initialises the double") +
                 " '" + variable->getNameAsString() + "'";
    if (const auto *binary = llvm::dyn_cast_or_null<clang::BinaryOperator>(parent);
        binary && binary->isAssignmentOp())
      return "it is kept in the " +
             binary->getLHS()->getType().getUnqualifiedType().getAsString(ast_.getPrintingPolicy()) + " '" +
             tree.textOf(binary->getLHS()->getSourceRange()) + "'";
    if (llvm::isa_and_nonnull<clang::ReturnStmt>(parent))
      return "it is returned as a double";
    if (llvm::isa_and_nonnull<clang::UnaryExprOrTypeTraitExpr>(parent))
      return "its size is asked for";
    return "its type is used";
  }

  std::string obstacleAboveCast(const clang::CastExpr &cast) const {
    const clang::Stmt *user = parents_.getParent(&cast);
    if (const auto *call = llvm::dyn_cast_or_null<clang::CallExpr>(user)) {
      const clang::FunctionDecl *callee = call->getDirectCallee();
      if (llvm::isa<clang::ImplicitCastExpr>(cast) && callee && isOverloaded(*callee))
        return "it is passed to '" + callee->getNameAsString() + "', which is overloaded";
    }
    if (llvm::isa<clang::ImplicitCastExpr>(cast) && llvm::isa_and_nonnull<clang::CXXConstructExpr>(user))
      return "it is passed to a constructor, which may be overloaded";
    return {};
  }

  const clang::FunctionDecl &function_;
  const clang::ASTContext &ast_;
  const IndexRanges &ranges_;
  clang::ParentMap parents_;
  DependentParts dependent_;
  llvm::SmallPtrSet<const clang::Expr *, 32> claimed_;
};

} // namespace

std::vector<DoubleExpression> findDoubleExpressions(const clang::FunctionDecl &function,
                                                    const clang::ASTContext &ast, const IndexRanges &ranges) {
  if (!function.getBody())
    return {};
  DoubleFinder finder(function, ast, ranges);
  finder.TraverseStmt(function.getBody());
  const clang::SourceManager &sources = ast.getSourceManager();
  llvm::sort(finder.expressions, [&](const DoubleExpression &left, const DoubleExpression &right) {
    OffsetRange first = offsetsOf(left.range, sources);
    OffsetRange second = offsetsOf(right.range, sources);
    return std::tie(first.begin, first.end) < std::tie(second.begin, second.end);
  });
  return std::move(finder.expressions);
}

} // namespace warpwright
