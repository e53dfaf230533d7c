#include "feedback/agents/AdmittedCode.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringExtras.h>

namespace warpwright::agents {
namespace {

struct ForbiddenCall {
  llvm::StringLiteral name; ///< whole, or a prefix where it ends with '*'
  llvm::StringLiteral code;
};

constexpr ForbiddenCall forbiddenCalls[] = {
    {"__assert_fail", "device-runtime"},
    {"__assertfail", "device-runtime"},
    {"__brkpt", "device-runtime"},
    {"__builtin_FILE", "macros"},
    {"__builtin_FUNCTION", "macros"},
    {"__builtin_LINE", "macros"},
    {"__builtin_constant_p", "macros"},
    {"__builtin_readcyclecounter", "clock-reads"},
    {"__builtin_readsteadycounter", "clock-reads"},
    {"__builtin_trap", "device-runtime"},
    {"__clock*", "clock-reads"},
    {"__globaltimer*", "clock-reads"},
    {"__nanosleep", "clock-reads"},
    {"__nvvm_exit", "device-runtime"},
    {"__nvvm_nanosleep*", "clock-reads"},
    {"__nvvm_read_ptx_sreg_clock*", "clock-reads"},
    {"__nvvm_read_ptx_sreg_envreg*", "device-runtime"},
    {"__nvvm_read_ptx_sreg_globaltimer*", "clock-reads"},
    {"__nvvm_read_ptx_sreg_nsmid", "device-runtime"},
    {"__nvvm_read_ptx_sreg_nwarpid", "device-runtime"},
    {"__nvvm_read_ptx_sreg_pm*", "clock-reads"},
    {"__nvvm_read_ptx_sreg_smid", "device-runtime"},
    {"__nvvm_read_ptx_sreg_warpid", "device-runtime"},
    {"__nv_*", "device-runtime"},
    {"__pm*", "clock-reads"},
    {"__prof_trigger*", "device-runtime"},
    {"__trap", "device-runtime"},
    {"abort", "device-runtime"},
    {"clock", "clock-reads"},
    {"clock64", "clock-reads"},
    {"exit", "device-runtime"},
    {"fprintf", "device-runtime"},
    {"free", "device-runtime"},
    {"malloc", "device-runtime"},
    {"operator delete*", "device-runtime"},
    {"operator new*", "device-runtime"},
    {"printf", "device-runtime"},
    {"time", "clock-reads"},
    {"vprintf", "device-runtime"},
};

bool matches(llvm::StringRef pattern, llvm::StringRef name) {
  return pattern.consume_back("*") ? name.starts_with(pattern) : name == pattern;
}

/// "clock-reads" for clock64; empty for what may be called. Functions of the runtime are named cudaSomething.
llvm::StringRef codeOfCall(const clang::FunctionDecl &callee) {
  std::string name = callee.getNameAsString();
  for (const ForbiddenCall &call : forbiddenCalls)
    if (matches(call.name, name))
      return call.code;
  llvm::StringRef rest = name;
  if (rest.consume_front("cuda") && !rest.empty() && llvm::isUpper(rest.front()))
    return "device-runtime";
  return {};
}

bool isOutsideSystem(const clang::FunctionDecl &function, const clang::ASTContext &ast) {
  const clang::SourceManager &sources = ast.getSourceManager();
  clang::SourceLocation place = sources.getExpansionLoc(function.getLocation());
  return place.isValid() && !sources.isInSystemHeader(place);
}

bool isState(const clang::VarDecl &variable) {
  if (!variable.hasGlobalStorage() || variable.hasAttr<clang::CUDASharedAttr>())
    return false;
  return !variable.isConstexpr() &&
         !(variable.getType().isConstQualified() && variable.hasInit() &&
           !variable.hasAttr<clang::CUDAConstantAttr>() && !variable.hasAttr<clang::CUDADeviceAttr>());
}

/// Bodies, once each, and what they lead to.
class CodeWalk : public clang::RecursiveASTVisitor<CodeWalk> {
public:
  using Notice = llvm::function_ref<void(llvm::StringRef code, std::string reason, clang::SourceLocation)>;

  CodeWalk(const clang::ASTContext &ast, const UsedCode *used, Notice notice)
      : ast_(ast), used_(used), notice_(notice) {}

  bool shouldVisitTemplateInstantiations() const { return false; }
  bool shouldVisitImplicitCode() const { return true; }

  void walk(llvm::ArrayRef<const clang::FunctionDecl *> roots) {
    for (const clang::FunctionDecl *root : roots)
      enter(*root);
    for (size_t i = 0; i < queue_.size(); ++i)
      TraverseDecl(const_cast<clang::FunctionDecl *>(queue_[i]));
  }

  UsedCode found; ///< what was met

  bool VisitGCCAsmStmt(clang::GCCAsmStmt *statement) {
    notice_("inline-asm", "inline assembly", statement->getBeginLoc());
    return true;
  }
  bool VisitMSAsmStmt(clang::MSAsmStmt *statement) {
    notice_("inline-asm", "inline assembly", statement->getBeginLoc());
    return true;
  }
  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr *call) {
    notice_("device-runtime", "a launch out of device code", call->getBeginLoc());
    return true;
  }
  bool VisitCXXNewExpr(clang::CXXNewExpr *expression) {
    if (expression->getNumPlacementArgs() == 0)
      notice_("device-runtime", "'new' takes memory that outlives the launch", expression->getBeginLoc());
    return true;
  }
  bool VisitCXXDeleteExpr(clang::CXXDeleteExpr *expression) {
    notice_("device-runtime", "'delete' in device code", expression->getBeginLoc());
    return true;
  }
  bool VisitPredefinedExpr(clang::PredefinedExpr *expression) {
    notice_("macros", "a function's name, which compilers spell differently", expression->getBeginLoc());
    return true;
  }
  bool VisitSourceLocExpr(clang::SourceLocExpr *expression) {
    notice_("macros", "the place in the source, which differs between builds", expression->getBeginLoc());
    return true;
  }
  bool VisitCastExpr(clang::CastExpr *cast) {
    if (cast->getCastKind() == clang::CK_IntegralToPointer)
      notice_("forged-pointer", "an address made of a number", cast->getBeginLoc());
    return true;
  }
  bool VisitVarDecl(clang::VarDecl *variable) {
    if (variable->isStaticLocal() && isState(*variable))
      notice_("device-state", "'" + variable->getNameAsString() + "' keeps its value from launch to launch",
              variable->getLocation());
    if (std::string type = variable->getType().getAsString();
        llvm::StringRef(type).contains("cudaStream") || llvm::StringRef(type).contains("cudaEvent"))
      notice_("device-runtime", "streams and events are the host's", variable->getLocation());
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr *reference) {
    if (const auto *function = llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl()))
      meet(*function, reference->getLocation());
    if (const auto *variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl()))
      meet(*variable, reference->getLocation());
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr *construction) {
    meet(*construction->getConstructor(), construction->getLocation());
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr *member) {
    if (const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(member->getMemberDecl()))
      meet(*method, member->getMemberLoc());
    if (const auto *variable = llvm::dyn_cast<clang::VarDecl>(member->getMemberDecl()))
      meet(*variable, member->getMemberLoc()); // static, by an object
    return true;
  }

private:
  void meet(const clang::VarDecl &variable, clang::SourceLocation at) {
    if (variable.isLocalVarDecl() || !isState(variable))
      return;
    std::string name = variable.getQualifiedNameAsString();
    found.variables.insert(name);
    if (!used_ || !used_->variables.count(name))
      notice_("device-state", "'" + name + "' is state that the original kernel does not use", at);
  }

  void meet(const clang::FunctionDecl &function, clang::SourceLocation at) {
    std::string name = function.getQualifiedNameAsString();
    const bool isKnown = used_ && used_->functions.count(name);
    found.functions.insert(name);
    if (isKnown)
      return;
    if (llvm::StringRef code = codeOfCall(function); !code.empty())
      notice_(code, "'" + function.getNameAsString() + "' is called", at);
    if (isOutsideSystem(function, ast_))
      enter(function);
  }

  void enter(const clang::FunctionDecl &function) {
    const clang::FunctionDecl *definition = function.getDefinition();
    if (definition && entered_.insert(definition).second)
      queue_.push_back(definition);
  }

  const clang::ASTContext &ast_;
  const UsedCode *used_;
  Notice notice_;
  llvm::SmallPtrSet<const clang::FunctionDecl *, 16> entered_;
  std::vector<const clang::FunctionDecl *> queue_;
};

} // namespace

UsedCode usedCode(const clang::FunctionDecl &kernel) {
  auto ignore = [](llvm::StringRef, std::string, clang::SourceLocation) {};
  CodeWalk walk(kernel.getASTContext(), nullptr, ignore);
  walk.walk({&kernel});
  return std::move(walk.found);
}

std::optional<CodeRefusal> findForbiddenCode(llvm::ArrayRef<const clang::FunctionDecl *> roots,
                                             const UsedCode &used, const clang::ASTContext &ast,
                                             llvm::function_ref<bool(llvm::StringRef)> isAllowed) {
  std::optional<CodeRefusal> first;
  auto note = [&](llvm::StringRef code, std::string reason, clang::SourceLocation at) {
    if (!first && !isAllowed(code))
      first = CodeRefusal{code.str(), std::move(reason), at};
  };
  CodeWalk(ast, &used, note).walk(roots);
  return first;
}

std::optional<CodeRefusal> checkAttributes(const clang::FunctionDecl &function,
                                           const clang::FunctionDecl &originalKernel, bool isKernel) {
  for (const clang::Attr *attribute : function.attrs()) {
    using namespace clang;
    const bool isPlain =
        attribute->isImplicit() ||
        llvm::isa<CUDADeviceAttr, CUDALaunchBoundsAttr, AlwaysInlineAttr, NoInlineAttr, WarnUnusedResultAttr>(
            attribute);
    const bool isKernels = isKernel && llvm::any_of(originalKernel.attrs(), [&](const Attr *known) {
                             return known->getKind() == attribute->getKind();
                           });
    if (!isPlain && !isKernels)
      return CodeRefusal{"attributes",
                         "'" + function.getNameAsString() + "' has the attribute '" +
                             attribute->getSpelling() + "'",
                         function.getLocation()};
  }
  return std::nullopt;
}

} // namespace warpwright::agents
