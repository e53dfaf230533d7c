#include "analysis/host/ErrorReads.h"

#include "analysis/ast/SystemFunction.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Analysis/CFG.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {

/// The control flow of one function, with the place of every call in it.
class ErrorReads::Flow {
public:
  Flow(const HostFunction &function, clang::ASTContext &ast) {
    clang::CFG::BuildOptions options;
    options.AddImplicitDtors = true;
    options.AddInitializers = true;
    for (clang::Stmt::StmtClass kind :
         {clang::Stmt::CallExprClass, clang::Stmt::CUDAKernelCallExprClass,
          clang::Stmt::CXXMemberCallExprClass, clang::Stmt::CXXOperatorCallExprClass,
          clang::Stmt::CXXConstructExprClass, clang::Stmt::CXXTemporaryObjectExprClass,
          clang::Stmt::LambdaExprClass})
      options.setAlwaysAdd(kind);
    graph = clang::CFG::buildCFG(function.declaration, function.declaration->getBody(), &ast, options);
    if (!graph)
      return;
    for (const clang::CFGBlock *block : *graph)
      for (unsigned i = 0; i < block->size(); ++i)
        if (auto element = (*block)[i].getAs<clang::CFGStmt>())
          places.try_emplace(element->getStmt(), block, i);
  }

  std::unique_ptr<clang::CFG> graph; ///< null: Clang could not build it
  llvm::DenseMap<const clang::Stmt *, std::pair<const clang::CFGBlock *, unsigned>> places;
};

ErrorReads::ErrorReads(const HostCode &code) : code_(code) {
  for (const HostFunction &function : code.functions()) {
    for (const ApiCall &call : function.apiCalls)
      apiCalls_[call.call] = &call;
    for (const HostCall &call : function.calls)
      if (call.callee)
        callers_[call.callee->getCanonicalDecl()].emplace_back(&function, call.call);
  }
}

ErrorReads::~ErrorReads() = default;

ErrorRead ErrorReads::lastErrorAfter(const HostFunction &function, const clang::Expr &call) {
  return after(function, call, Kind::LastError);
}

ErrorRead ErrorReads::statusAfter(const HostFunction &function, const clang::Expr &call) {
  return after(function, call, Kind::Status);
}

ErrorReads::Flow &ErrorReads::flowOf(const HostFunction &function) {
  std::unique_ptr<Flow> &flow = flows_[&function];
  if (!flow)
    flow = std::make_unique<Flow>(function, code_.ast());
  return *flow;
}

ErrorRead ErrorReads::after(const HostFunction &function, const clang::Expr &call, Kind kind) {
  Flow &flow = flowOf(function);
  auto place = flow.places.find(&call);
  if (!flow.graph || place == flow.places.end())
    return ErrorRead::Unknown; // code that never runs, or that Clang does not follow
  ErrorRead worst = ErrorRead::No;
  auto read = [&](const clang::CFGBlock &block, unsigned from) {
    for (unsigned i = from; i < block.size(); ++i) {
      if (auto element = block[i].getAs<clang::CFGStmt>())
        worst = std::max(worst, readOf(function, *element->getStmt(), kind));
      else if (auto end = block[i].getAs<clang::CFGImplicitDtor>())
        worst = std::max(worst, readInside(end->getDestructorDecl(code_.ast()), kind));
    }
  };
  const auto [start, position] = place->second;
  read(*start, position + 1);
  llvm::SmallPtrSet<const clang::CFGBlock *, 16> seen;
  std::vector<const clang::CFGBlock *> open = {start};
  while (!open.empty()) {
    const clang::CFGBlock *block = open.back();
    open.pop_back();
    for (const clang::CFGBlock::AdjacentBlock &next : block->succs())
      if (const clang::CFGBlock *reached = next.getReachableBlock(); reached && seen.insert(reached).second) {
        read(*reached, 0);
        open.push_back(reached);
      }
  }
  if (worst != ErrorRead::No || !seen.contains(&flow.graph->getExit()))
    return worst;
  return afterCallers(function, kind);
}

/// A lambda may be called from where it stands and from wherever it is handed to, a destructor from any
/// scope's end.
ErrorRead ErrorReads::afterCallers(const HostFunction &function, Kind kind) {
  const clang::FunctionDecl &declaration = *function.declaration;
  if (declaration.isMain())
    return ErrorRead::No;
  auto known = callers_.find(declaration.getCanonicalDecl());
  const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(&declaration);
  if (known == callers_.end() || code_.isAddressTaken(declaration) ||
      (method && (method->isVirtual() || llvm::isa<clang::CXXDestructorDecl>(method))))
    return ErrorRead::Callers;
  if (!leaving_.insert(&function).second)
    return ErrorRead::No; // it calls itself
  ErrorRead worst = method && method->getParent()->isLambda() ? ErrorRead::Callers : ErrorRead::No;
  for (const auto &[caller, call] : known->second)
    worst = std::max(worst, after(*caller, *call, kind));
  leaving_.erase(&function);
  return worst;
}

ErrorRead ErrorReads::readOf(const HostFunction &function, const clang::Stmt &statement, Kind kind) {
  if (const auto *lambda = llvm::dyn_cast<clang::LambdaExpr>(&statement))
    return readInside(lambda->getCallOperator(), kind);
  if (const auto *construct = llvm::dyn_cast<clang::CXXConstructExpr>(&statement))
    return readInside(construct->getConstructor(), kind);
  const auto *call = llvm::dyn_cast<clang::CallExpr>(&statement);
  if (!call || llvm::isa<clang::CUDAKernelCallExpr>(call))
    return ErrorRead::No;
  if (const ApiCall *api = apiCalls_.lookup(call))
    return api->result == CallResult::Used && (kind == Kind::Status || api->readsLastError()) ? ErrorRead::Yes
                                                                                              : ErrorRead::No;
  const clang::FunctionDecl *callee = call->getDirectCallee();
  // __cudaPushCallConfiguration() is what `<<<` is made of.
  if (callee && callee->getIdentifier() && callee->getName().contains("CallConfiguration"))
    return ErrorRead::No;
  return readInside(callee, kind);
}

/// Thrust throws what its own reading of the last error says.
ErrorRead ErrorReads::readInside(const clang::FunctionDecl *callee, Kind kind) {
  if (!callee)
    return ErrorRead::Unknown;
  if (callee->getBuiltinID() != 0 || callee->isImplicit() || callee->isDefaulted())
    return ErrorRead::No;
  if (isSystemFunction(*callee)) {
    std::string name = callee->getQualifiedNameAsString();
    if (llvm::StringRef(name).starts_with("thrust::"))
      return ErrorRead::Yes;
    return llvm::StringRef(name).starts_with("std::function") ||
                   llvm::StringRef(name).starts_with("std::move_only_function")
               ? ErrorRead::Unknown
               : ErrorRead::No;
  }
  const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(callee);
  const HostFunction *body = code_.of(*callee);
  if (!body || (method && method->isVirtual()))
    return ErrorRead::Unknown;
  return readBody(*body, kind);
}

ErrorRead ErrorReads::readBody(const HostFunction &body, Kind kind) {
  const clang::FunctionDecl *canonical = body.declaration->getCanonicalDecl();
  if (auto known = known_.find({canonical, kind}); known != known_.end())
    return known->second;
  if (!inside_.insert(canonical).second) {
    metCycle_ = true;
    return ErrorRead::No;
  }
  ErrorRead worst = ErrorRead::No;
  for (const HostCall &call : body.calls)
    worst = std::max(worst, readOf(body, *call.call, kind));
  inside_.erase(canonical);
  if (!metCycle_ || worst == ErrorRead::Yes)
    known_[{canonical, kind}] = worst;
  metCycle_ &= !inside_.empty();
  return worst;
}

} // namespace warpwright
