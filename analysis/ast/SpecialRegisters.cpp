#include "analysis/ast/SpecialRegisters.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/StringSwitch.h>

namespace warpwright {
namespace {

std::optional<SymbolKind> kindOf(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<SymbolKind>>(name)
      .Case("threadIdx", SymbolKind::ThreadIndex)
      .Case("blockIdx", SymbolKind::BlockIndex)
      .Case("blockDim", SymbolKind::BlockExtent)
      .Case("gridDim", SymbolKind::GridExtent)
      .Default(std::nullopt);
}

const clang::Expr *stripped(const clang::Expr *expression) {
  expression = expression->IgnoreParenImpCasts();
  if (const auto *opaque = llvm::dyn_cast<clang::OpaqueValueExpr>(expression))
    expression = opaque->getSourceExpr()->IgnoreParenImpCasts();
  return expression;
}

/// The register as a whole: `threadIdx`.
std::optional<SymbolKind> wholeRegister(const clang::Expr *expression) {
  const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(stripped(expression));
  const auto *variable = reference ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
  if (!variable || !variable->isFileVarDecl() || !variable->getDeclName().isIdentifier())
    return std::nullopt;
  return kindOf(variable->getName());
}

/// Reads one function's body, and through the functions of the user that it calls.
class RegisterFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  RegisterFinder(const clang::SourceManager &sources, RegisterUses &found)
      : sources_(sources), found_(found) {}

  void readKernel(const clang::FunctionDecl &kernel) {
    inKernel_ = true;
    TraverseStmt(kernel.getBody());
    for (const auto &[location, name] : whole_)
      if (!members_.contains(location))
        obstruct("'" + name + "' is used as a whole");
    inKernel_ = false;
    while (!callees_.empty())
      readCallee(*callees_.pop_back_val());
    llvm::sort(found_.uses, [](const RegisterUse &left, const RegisterUse &right) {
      return left.range.getBegin() < right.range.getBegin();
    });
  }

  bool VisitMSPropertyRefExpr(const clang::MSPropertyRefExpr *property) override {
    std::optional<std::pair<SymbolKind, unsigned>> found = specialRegisterOf(*property);
    if (!found || !inKernel_)
      return true;
    clang::SourceLocation begin = stripped(property->getBaseExpr())->getBeginLoc();
    if (members_.insert(begin).second)
      found_.uses.push_back({found->first, found->second, {begin, property->getEndLoc()}});
    return true;
  }
  bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
    if (std::optional<SymbolKind> kind = wholeRegister(reference)) {
      if (inKernel_)
        whole_.insert({reference->getBeginLoc(), nameOfRegister(*kind)});
      else
        obstruct("'" + callee_ + "' reads " + nameOfRegister(*kind));
    }
    return true;
  }
  bool VisitCallExpr(const clang::CallExpr *call) override {
    follow(call->getDirectCallee());
    return true;
  }
  bool VisitCXXConstructExpr(const clang::CXXConstructExpr *construct) override {
    follow(construct->getConstructor());
    return true;
  }
  bool VisitGCCAsmStmt(const clang::GCCAsmStmt *statement) override {
    obstruct("it holds inline PTX");
    return true;
  }

private:
  void follow(const clang::FunctionDecl *callee) {
    if (!callee)
      return;
    if (const auto *space =
            llvm::dyn_cast<clang::NamespaceDecl>(callee->getDeclContext()->getEnclosingNamespaceContext()))
      if (llvm::StringRef(space->getQualifiedNameAsString()).starts_with("cooperative_groups"))
        return obstruct("it uses cooperative groups");
    const clang::FunctionDecl *definition = nullptr;
    if (!callee->hasBody(definition) ||
        sources_.isInSystemHeader(sources_.getExpansionLoc(definition->getLocation())))
      return;
    if (seen_.insert(definition).second)
      callees_.push_back(definition);
  }
  void readCallee(const clang::FunctionDecl &function) {
    callee_ = function.getNameAsString();
    TraverseStmt(function.getBody());
  }
  void obstruct(std::string why) {
    if (found_.obstacle.empty())
      found_.obstacle = std::move(why);
  }

  const clang::SourceManager &sources_;
  RegisterUses &found_;
  bool inKernel_ = false;
  std::string callee_;
  llvm::DenseSet<clang::SourceLocation> members_;
  std::map<clang::SourceLocation, std::string> whole_;
  llvm::SmallPtrSet<const clang::FunctionDecl *, 8> seen_;
  llvm::SmallVector<const clang::FunctionDecl *, 8> callees_;
};

} // namespace

const char *nameOfRegister(SymbolKind kind) {
  static constexpr const char *names[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
  return kind <= SymbolKind::GridExtent ? names[static_cast<unsigned>(kind)] : "";
}

bool RegisterUses::reads(SymbolKind kind, unsigned axis) const {
  return llvm::any_of(uses, [&](const RegisterUse &use) { return use.kind == kind && use.axis == axis; });
}

std::optional<std::pair<SymbolKind, unsigned>> specialRegisterOf(const clang::Expr &expression) {
  // Clang's headers make the members properties, which call a getter.
  const clang::Expr *inner = &expression;
  if (const auto *pseudo = llvm::dyn_cast<clang::PseudoObjectExpr>(inner))
    inner = pseudo->getSyntacticForm();
  const auto *property = llvm::dyn_cast<clang::MSPropertyRefExpr>(inner);
  if (!property)
    return std::nullopt;
  std::optional<SymbolKind> kind = wholeRegister(property->getBaseExpr());
  llvm::StringRef member = property->getPropertyDecl()->getName();
  if (!kind || member.size() != 1 || member[0] < 'x' || member[0] > 'z')
    return std::nullopt;
  return std::pair(*kind, static_cast<unsigned>(member[0] - 'x'));
}

RegisterUses findRegisterUses(const clang::FunctionDecl &kernel) {
  RegisterUses found;
  RegisterFinder(kernel.getASTContext().getSourceManager(), found).readKernel(kernel);
  return found;
}

} // namespace warpwright
