#include "rewriters/remedies/Remedy.h"

#include "analysis/ast/SourcePlace.h"
#include "analysis/host/HostCode.h"
#include "rewriters/edits/EditBuilder.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <map>

namespace warpwright {
namespace {

/// The name that stands before the call with nothing but its parenthesis between, as a statement of its own:
/// "CHECK" of `CHECK(cudaMalloc(&x, 4));`.
std::string wrapperOf(const clang::Expr &call, const clang::ASTContext &ast) {
  const clang::SourceManager &sources = ast.getSourceManager();
  clang::SourceLocation begin = sources.getSpellingLoc(call.getBeginLoc());
  clang::SourceLocation end = clang::Lexer::getLocForEndOfToken(sources.getSpellingLoc(call.getEndLoc()), 0,
                                                                sources, ast.getLangOpts());
  if (!sources.isInMainFile(begin) || !sources.isInMainFile(end))
    return {};
  llvm::StringRef text = sources.getBufferData(sources.getMainFileID());
  llvm::StringRef before = text.take_front(sources.getFileOffset(begin)).rtrim();
  llvm::StringRef after = text.drop_front(sources.getFileOffset(end)).ltrim();
  if (!before.consume_back("(") || !after.consume_front(")") || !after.ltrim().starts_with(";"))
    return {};
  before = before.rtrim();
  llvm::StringRef name = before.drop_front(
      before.find_last_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") + 1);
  llvm::StringRef rest = before.drop_back(name.size()).rtrim();
  bool begins = rest.empty() || llvm::StringRef(";{})").contains(rest.back());
  bool isWord = !name.empty() && !llvm::isDigit(name.front()) &&
                !llvm::is_contained({"if", "while", "for", "switch", "return", "sizeof", "void"}, name);
  return begins && isWord ? name.str() : std::string();
}

/// What the file checks most of its calls with, of what it names above the place.
std::string checkerAbove(unsigned offset, const HostCode &code) {
  const clang::SourceManager &sources = code.ast().getSourceManager();
  llvm::StringRef above = sources.getBufferData(sources.getMainFileID()).take_front(offset);
  std::map<std::string, unsigned> uses;
  for (const HostFunction &function : code.functions())
    for (const ApiCall &call : function.apiCalls)
      if (call.result == CallResult::Used)
        if (std::string name = wrapperOf(*call.call, code.ast()); !name.empty() && above.contains(name))
          ++uses[name];
  auto most =
      llvm::max_element(uses, [](const auto &left, const auto &right) { return left.second < right.second; });
  return most == uses.end() ? std::string() : most->first;
}

bool isNode(const clang::Stmt &node, const void *wanted) {
  return &node == wanted;
}

/// The expression is a statement; `inBlock` asks for one that others can follow.
bool isStatement(const HostFunction &function, const clang::Expr &expression, bool inBlock) {
  std::vector<const clang::Stmt *> path = pathTo(*function.declaration->getBody(), isNode, &expression);
  while (path.size() > 1 && llvm::isa<clang::Expr>(path[path.size() - 2]))
    path.pop_back();
  if (path.size() < 2)
    return false;
  const clang::Stmt *parent = path[path.size() - 2], *self = path.back();
  if (const auto *branch = llvm::dyn_cast<clang::IfStmt>(parent))
    return !inBlock && (self == branch->getThen() || self == branch->getElse());
  return llvm::isa<clang::CompoundStmt>(parent);
}

std::optional<Remedy> wrap(const HostFunction &function, const ApiCall &call, const HostCode &code) {
  const clang::SourceManager &sources = code.ast().getSourceManager();
  std::string checker = checkerAbove(sources.getFileOffset(call.call->getBeginLoc()), code);
  if (call.result != CallResult::Dropped || call.isDriver() || checker.empty() ||
      !isStatement(function, *call.call, /*inBlock=*/false))
    return std::nullopt;
  EditBuilder builder(code.ast());
  const std::string reason = "looks at what " + call.name + " returns, as other calls here do";
  std::optional<Edit> open = builder.insertBefore(call.call->getSourceRange(), checker + "(", reason);
  std::optional<Edit> close = builder.insertAfter(call.call->getSourceRange(), ")", reason);
  if (!open || !close)
    return std::nullopt;
  return Remedy{"wrap the call in '" + checker + "'", {*open, *close}};
}

std::optional<Remedy> ask(const HostFunction &function, const clang::CUDAKernelCallExpr &launch,
                          const HostCode &code) {
  const clang::SourceManager &sources = code.ast().getSourceManager();
  std::string checker = checkerAbove(sources.getFileOffset(launch.getBeginLoc()), code);
  std::optional<clang::Token> next =
      clang::Lexer::findNextToken(launch.getEndLoc(), sources, code.ast().getLangOpts());
  if (checker.empty() || !next || next->isNot(clang::tok::semi) ||
      !isStatement(function, launch, /*inBlock=*/true))
    return std::nullopt;
  std::optional<Edit> edit =
      EditBuilder(code.ast())
          .insertAfter(clang::SourceRange(next->getLocation()), " " + checker + "(cudaGetLastError());",
                       "reads the launch's error, as other calls here do");
  if (!edit)
    return std::nullopt;
  return Remedy{"check cudaGetLastError() with '" + checker + "'", {*edit}};
}

} // namespace

std::optional<Remedy> remedyOf(const Finding &finding, const HostCode &code) {
  // A note of a whole function has no place that a change would answer.
  if (!code.checksErrors())
    return std::nullopt;
  for (const HostFunction &function : code.functions()) {
    for (const ApiCall &call : function.apiCalls)
      if (finding.id == "unchecked-api-call" && call.place == finding.place)
        return wrap(function, call, code);
    for (const clang::CUDAKernelCallExpr *launch : function.launches)
      if (finding.id == "unchecked-launch" &&
          placeOf(launch->getBeginLoc(), code.ast().getSourceManager()) == finding.place)
        return ask(function, *launch, code);
  }
  return std::nullopt;
}

} // namespace warpwright
