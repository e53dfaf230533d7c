#include "analysis/host/HostCode.h"

#include "analysis/ast/FunctionName.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/ast/SystemFunction.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

bool runsOnHost(const clang::FunctionDecl &function) {
  return !function.hasAttr<clang::CUDAGlobalAttr>() &&
         (!function.hasAttr<clang::CUDADeviceAttr>() || function.hasAttr<clang::CUDAHostAttr>());
}

class FunctionCollector : public clang::ConstDynamicRecursiveASTVisitor {
public:
  FunctionCollector() { ShouldVisitTemplateInstantiations = true; }
  bool VisitFunctionDecl(const clang::FunctionDecl *function) override {
    if (function->doesThisDeclarationHaveABody() && !function->isDependentContext() && runsOnHost(*function))
      found.push_back(function);
    return true;
  }
  std::vector<const clang::FunctionDecl *> found;
};

/// By the type of its result and by who declares it: the user's own functions return such errors as well.
bool isApi(const clang::FunctionDecl &function) {
  const auto *type = function.getReturnType()->getAs<clang::EnumType>();
  if (!type || !function.getIdentifier() || !function.getName().starts_with("cu"))
    return false;
  llvm::StringRef name = type->getDecl()->getName();
  return (name == "cudaError" || name == "cudaError_enum") &&
         (isSystemFunction(function) || function.isExternC());
}

std::string apiName(const clang::FunctionDecl &function) {
  llvm::StringRef name = function.getName();
  for (llvm::StringRef suffix : {"_ptsz", "_ptds", "_v2", "_v3"})
    name.consume_back(suffix);
  return name.str();
}

/// cuda.h names versions of functions by macros, which are not the user's.
bool isInUserMacro(clang::SourceLocation location, const clang::SourceManager &sources) {
  while (location.isMacroID()) {
    if (sources.isMacroArgExpansion(location) || !sources.isInSystemHeader(sources.getSpellingLoc(location)))
      return true;
    location = sources.getImmediateExpansionRange(location).getBegin();
  }
  return false;
}

} // namespace

/// Walks one body with what becomes of each value.
class HostCodeReader {
public:
  HostCodeReader(HostCode &code, size_t index) : code_(code), index_(index) {}

  void read(const clang::FunctionDecl &function, const clang::Stmt &body) {
    if (const auto *constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(&function))
      for (const clang::CXXCtorInitializer *initialiser : constructor->inits())
        walk(initialiser->getInit(), {});
    statement(&body);
    for (ApiCall &call : self().apiCalls)
      if (auto kept = keptIn_.find(call.call); kept != keptIn_.end() && reads_[kept->second] == 0) {
        call.result = CallResult::NeverRead;
        call.variable = kept->second->getNameAsString();
      }
  }

  std::vector<const clang::LambdaExpr *> lambdas;

private:
  /// What becomes of an expression's value.
  struct Fate {
    CallResult result = CallResult::Used;
    const clang::VarDecl *variable = nullptr; ///< that keeps it
  };

  HostFunction &self() { return code_.functions_[index_]; }

  void statement(const clang::Stmt *node) {
    if (!node)
      return;
    if (const auto *expression = llvm::dyn_cast<clang::Expr>(node))
      return walk(expression, {CallResult::Dropped, nullptr});
    if (const auto *declarations = llvm::dyn_cast<clang::DeclStmt>(node)) {
      for (const clang::Decl *declaration : declarations->decls())
        if (const auto *variable = llvm::dyn_cast<clang::VarDecl>(declaration))
          walk(variable->getInit(), keptBy(variable));
      return;
    }
    const clang::Expr *condition = conditionOf(*node), *step = nullptr;
    if (const auto *loop = llvm::dyn_cast<clang::ForStmt>(node))
      step = loop->getInc();
    for (const clang::Stmt *child : node->children()) {
      const auto *value = llvm::dyn_cast_or_null<clang::Expr>(child);
      if (value && (value == condition || (!isSequence(*node) && value != step)))
        walk(value, {});
      else
        statement(child);
    }
  }

  /// Statements whose expressions are statements themselves.
  static bool isSequence(const clang::Stmt &node) {
    return llvm::isa<clang::CompoundStmt, clang::IfStmt, clang::ForStmt, clang::WhileStmt, clang::DoStmt,
                     clang::SwitchStmt, clang::SwitchCase, clang::LabelStmt, clang::AttributedStmt,
                     clang::CXXForRangeStmt>(node);
  }

  static const clang::Expr *conditionOf(const clang::Stmt &node) {
    if (const auto *branch = llvm::dyn_cast<clang::IfStmt>(&node))
      return branch->getCond();
    if (const auto *loop = llvm::dyn_cast<clang::ForStmt>(&node))
      return loop->getCond();
    if (const auto *loop = llvm::dyn_cast<clang::WhileStmt>(&node))
      return loop->getCond();
    if (const auto *loop = llvm::dyn_cast<clang::DoStmt>(&node))
      return loop->getCond();
    if (const auto *choice = llvm::dyn_cast<clang::SwitchStmt>(&node))
      return choice->getCond();
    if (const auto *label = llvm::dyn_cast<clang::CaseStmt>(&node))
      return label->getLHS();
    if (const auto *loop = llvm::dyn_cast<clang::CXXForRangeStmt>(&node))
      return loop->getCond();
    return nullptr;
  }

  static Fate keptBy(const clang::VarDecl *variable) {
    bool counts = variable->hasLocalStorage() &&
                  !variable->hasAttr<clang::UnusedAttr>() && // [[maybe_unused]]
                  !variable->getType()->isReferenceType();
    return {CallResult::Used, counts ? variable : nullptr};
  }

  void walk(const clang::Expr *expression, Fate fate) {
    if (!expression)
      return;
    if (const auto *parentheses = llvm::dyn_cast<clang::ParenExpr>(expression))
      return walk(parentheses->getSubExpr(), fate);
    if (const auto *full = llvm::dyn_cast<clang::FullExpr>(expression))
      return walk(full->getSubExpr(), fate);
    if (const auto *cast = llvm::dyn_cast<clang::ImplicitCastExpr>(expression))
      return walk(cast->getSubExpr(), fate);
    if (const auto *cast = llvm::dyn_cast<clang::ExplicitCastExpr>(expression);
        cast && cast->getType()->isVoidType())
      return walk(cast->getSubExpr(), {CallResult::CastAway, nullptr});
    if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(expression))
      return operation(*binary, fate);
    if (const auto *choice = llvm::dyn_cast<clang::ConditionalOperator>(expression)) {
      walk(choice->getCond(), {});
      walk(choice->getTrueExpr(), fate);
      return walk(choice->getFalseExpr(), fate);
    }
    if (const auto *block = llvm::dyn_cast<clang::StmtExpr>(expression))
      return statements(*block, fate);
    if (const auto *lambda = llvm::dyn_cast<clang::LambdaExpr>(expression)) {
      for (const clang::Expr *capture : lambda->capture_inits())
        walk(capture, {});
      self().calls.push_back({lambda, lambda->getCallOperator()});
      lambdas.push_back(lambda);
      return;
    }
    note(*expression, fate);
  }

  void operation(const clang::BinaryOperator &binary, Fate fate) {
    const auto *target = llvm::dyn_cast<clang::DeclRefExpr>(binary.getLHS()->IgnoreParens());
    const auto *variable = target ? llvm::dyn_cast<clang::VarDecl>(target->getDecl()) : nullptr;
    if (binary.getOpcode() == clang::BO_Assign && variable && fate.result == CallResult::Dropped)
      return walk(binary.getRHS(), keptBy(variable));
    bool isComma = binary.getOpcode() == clang::BO_Comma;
    walk(binary.getLHS(), isComma ? Fate{CallResult::Dropped, nullptr} : Fate());
    walk(binary.getRHS(), isComma ? fate : Fate());
  }

  void statements(const clang::StmtExpr &block, Fate fate) {
    const clang::CompoundStmt *body = block.getSubStmt();
    for (const clang::Stmt *child : body->body()) {
      const auto *last = llvm::dyn_cast<clang::Expr>(child);
      if (last && child == body->body_back())
        walk(last, fate);
      else
        statement(child);
    }
  }

  void note(const clang::Expr &expression, Fate fate) {
    const clang::Stmt *configuration = nullptr, *named = nullptr;
    if (const auto *launch = llvm::dyn_cast<clang::CUDAKernelCallExpr>(&expression)) {
      self().launches.push_back(launch);
      configuration = launch->getConfig();
      named = launch->getCallee();
      for (const clang::Expr *argument : launch->getConfig()->arguments())
        walk(argument, {});
    } else if (const auto *call = llvm::dyn_cast<clang::CallExpr>(&expression)) {
      const clang::FunctionDecl *callee = call->getDirectCallee();
      self().calls.push_back({call, callee});
      if (callee && !llvm::isa<clang::MemberExpr>(call->getCallee()->IgnoreParenImpCasts()))
        named = call->getCallee();
      if (callee && isApi(*callee))
        noteApi(*call, *callee, fate);
    } else if (const auto *construct = llvm::dyn_cast<clang::CXXConstructExpr>(&expression)) {
      self().calls.push_back({construct, construct->getConstructor()});
    } else {
      noteName(expression);
    }
    for (const clang::Stmt *child : expression.children())
      if (child && child != configuration && child != named) {
        if (const auto *value = llvm::dyn_cast<clang::Expr>(child))
          walk(value, {});
        else
          statement(child);
      }
  }

  void noteApi(const clang::CallExpr &call, const clang::FunctionDecl &callee, Fate fate) {
    const clang::SourceManager &sources = code_.ast_.getSourceManager();
    ApiCall entry;
    entry.call = &call;
    entry.name = apiName(callee);
    entry.result = fate.result;
    entry.place = placeOf(call.getBeginLoc(), sources);
    entry.inMacro = isInUserMacro(call.getBeginLoc(), sources);
    if (fate.variable)
      keptIn_[&call] = fate.variable;
    code_.sharesHostMemory_ |= llvm::StringRef(entry.name).contains("HostRegister");
    self().apiCalls.push_back(std::move(entry));
  }

  void noteName(const clang::Expr &expression) {
    if (const auto *member = llvm::dyn_cast<clang::MemberExpr>(&expression))
      code_.sharesHostMemory_ |= member->getMemberDecl()->getDeclName().isIdentifier() &&
                                 member->getMemberDecl()->getName().starts_with("pageableMemoryAccess");
    const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(&expression);
    if (!reference)
      return;
    const clang::ValueDecl *declaration = reference->getDecl();
    if (const auto *variable = llvm::dyn_cast<clang::VarDecl>(declaration))
      ++reads_[variable];
    if (const auto *function = llvm::dyn_cast<clang::FunctionDecl>(declaration))
      code_.addressTaken_.insert(function->getCanonicalDecl());
    if (llvm::isa<clang::EnumConstantDecl>(declaration))
      code_.sharesHostMemory_ |= declaration->getName().contains_insensitive("PageableMemoryAccess") ||
                                 declaration->getName().contains("PAGEABLE_MEMORY_ACCESS");
  }

  HostCode &code_;
  size_t index_;
  llvm::DenseMap<const clang::CallExpr *, const clang::VarDecl *> keptIn_;
  llvm::DenseMap<const clang::VarDecl *, unsigned> reads_;
};

HostCode::HostCode(clang::ASTContext &ast) : ast_(ast) {
  const clang::SourceManager &sources = ast.getSourceManager();
  FunctionCollector collector;
  // As for launches: what system headers declare stays where it is.
  for (const clang::Decl *declaration : ast.getTranslationUnitDecl()->noload_decls())
    if (!sources.isInSystemHeader(sources.getExpansionLoc(declaration->getLocation())))
      collector.TraverseDecl(declaration);
  struct Task {
    const clang::FunctionDecl *function;
    const clang::Stmt *body;
    std::optional<size_t> owner;
  };
  std::vector<Task> tasks;
  for (const clang::FunctionDecl *function : collector.found)
    tasks.push_back({function, function->getBody(), std::nullopt});
  for (size_t next = 0; next < tasks.size(); ++next) {
    Task task = tasks[next];
    const size_t index = functions_.size();
    if (!byDeclaration_.try_emplace(task.function->getCanonicalDecl(), index).second)
      continue;
    HostFunction entry;
    entry.declaration = task.function;
    entry.owner = task.owner.value_or(index);
    entry.key = functionKey(*task.function);
    entry.name = functionName(*task.function);
    entry.place = placeOf(task.function->getLocation(), sources);
    functions_.push_back(std::move(entry));
    HostCodeReader reader(*this, index);
    reader.read(*task.function, *task.body);
    for (const clang::LambdaExpr *lambda : reader.lambdas)
      if (!lambda->getCallOperator()->isDependentContext())
        tasks.push_back({lambda->getCallOperator(), lambda->getBody(), functions_[index].owner});
  }
}

const HostFunction *HostCode::of(const clang::FunctionDecl &function) const {
  auto found = byDeclaration_.find(function.getCanonicalDecl());
  return found == byDeclaration_.end() ? nullptr : &functions_[found->second];
}

bool HostCode::checksErrors() const {
  return llvm::any_of(functions_, [](const HostFunction &function) {
    return llvm::any_of(function.apiCalls,
                        [](const ApiCall &call) { return call.result == CallResult::Used; });
  });
}

bool HostCode::isAddressTaken(const clang::FunctionDecl &function) const {
  return addressTaken_.contains(function.getCanonicalDecl());
}

} // namespace warpwright
