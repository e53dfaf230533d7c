// Launches fewer blocks, each of which does the work of several, one after the other: indices are computed as
// before, with the number of the block that is stood in for.
//
// Where the kernel ends in a sum over its blocks, a thread adds up what it brings before the block meets, so
// that the meeting is paid for once. Elsewhere the whole body is repeated, which is legal for every kernel
// whose blocks share no memory: blocks run in any order anyhow.

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/SpecialRegisters.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/Rewriter.h"
#include "rewriters/edits/ApplyEdits.h"
#include "rewriters/edits/LaunchChange.h"
#include "rewriters/mapping/BlockSum.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/Lex/Lexer.h>

namespace warpwright {
namespace {

constexpr const char *id = "coarsen-threads";
/// Blocks of a launch: enough to fill the largest GPU a few times over.
constexpr int64_t blockCounts[] = {1056, 2112, 528};
/// Blocks that one stands in for.
constexpr int64_t factors[] = {4, 2, 8};

/// Returns of a body, and those among them that stand in a loop or a switch.
class ReturnFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  bool VisitReturnStmt(const clang::ReturnStmt *statement) override {
    (depth_ == 0 ? found : nested).push_back(statement);
    return true;
  }
  bool TraverseForStmt(clang::ForStmt const *loop) override {
    return within([&] { return clang::ConstDynamicRecursiveASTVisitor::TraverseForStmt(loop); });
  }
  bool TraverseWhileStmt(clang::WhileStmt const *loop) override {
    return within([&] { return clang::ConstDynamicRecursiveASTVisitor::TraverseWhileStmt(loop); });
  }
  bool TraverseDoStmt(clang::DoStmt const *loop) override {
    return within([&] { return clang::ConstDynamicRecursiveASTVisitor::TraverseDoStmt(loop); });
  }
  std::vector<const clang::ReturnStmt *> found, nested;

private:
  template <typename Traverse> bool within(Traverse traverse) {
    ++depth_;
    bool goesOn = traverse();
    --depth_;
    return goesOn;
  }
  unsigned depth_ = 0;
};

/// Every line two columns to the right.
std::string indented(llvm::StringRef text) {
  std::string result;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    bool isLast = line.size() == text.size();
    result += (line.trim().empty() || line.starts_with("#") ? "" : "  ") + line.str() + (isLast ? "" : "\n");
    text = rest;
  }
  return result;
}

class Proposer {
public:
  explicit Proposer(const RewriteContext &context)
      : context_(context), analysis_(context.analysis), ast_(context.unit.ast()), edits_(ast_),
        registers_(findRegisterUses(*context.analysis.kernel.declaration)) {}

  llvm::Expected<Proposals> propose() {
    if (!analysis_.annotation->grid || !registers_.reads(SymbolKind::BlockIndex, 0))
      return std::move(proposals_);
    std::string whyNot = whyNotAtAll();
    bool meets = !analysis_.facts.synchronisations.empty() || !analysis_.facts.sharedVariables.empty();
    BlockSum sum;
    if (whyNot.empty() && meets) {
      sum = findBlockSum(*analysis_.kernel.declaration, whyNot);
      if (whyNot.empty() && !analysis_.annotation->allows(Permission::Reassociate))
        whyNot = "it would add up in another order, which allow(reassociate) would have to free";
    }
    if (!whyNot.empty()) {
      decline(whyNot);
      return std::move(proposals_);
    }
    LaunchChange change(context_);
    if (!change.whyNot().empty()) {
      decline(change.whyNot());
      return std::move(proposals_);
    }
    std::optional<Edit> edit = sum.first ? addUpFirst(sum) : repeatBody();
    if (!edit) {
      decline("its text comes out of a macro, or leaves a loop by a return");
      return std::move(proposals_);
    }
    if (llvm::Error error = addAll(change, *edit, sum.first != nullptr))
      return std::move(error);
    return std::move(proposals_);
  }

private:
  std::string whyNotAtAll() const {
    if (!registers_.obstacle.empty())
      return registers_.obstacle;
    if (registers_.reads(SymbolKind::GridExtent, 0))
      return "it asks for the number of blocks";
    for (const CallFacts &call : analysis_.facts.calls)
      if (!call.knownMath)
        return "it calls '" + call.callee + "', which may ask for the block";
    return {};
  }

  llvm::Error addAll(const LaunchChange &change, const Edit &edit, bool isSum) {
    std::string blocks = analysis_.annotation->grid->extents.front().str();
    // A sum gains with every block that is not there; a stream needs few elements a thread.
    for (int64_t number : isSum ? llvm::ArrayRef(blockCounts) : llvm::ArrayRef(factors)) {
      std::string grid = isSum ? "min(" + blocks + ", " + std::to_string(number) + ")"
                               : "ceil_div(" + blocks + ", " + std::to_string(number) + ")";
      Candidate candidate;
      candidate.rewriter = id;
      candidate.kernelKey = analysis_.kernel.key;
      candidate.subject = "blocks";
      candidate.parameters[isSum ? "blocks" : "factor"] = number;
      candidate.edits = {edit};
      candidate.claims.push_back({"fewer-blocks", {}, 0});
      NewLaunch launch;
      launch.grid = {grid};
      for (size_t axis = 1; axis < analysis_.annotation->grid->extents.size(); ++axis)
        launch.grid.push_back(analysis_.annotation->grid->extents[axis].str());
      if (llvm::Error error = change.apply(launch, candidate))
        return error;
      proposals_.candidates.push_back(std::move(candidate));
    }
    return llvm::Error::success();
  }

  std::string loopHead(const std::string &block) const {
    std::map<std::string, std::string> names;
    for (const AnnotationParameter &parameter : analysis_.context.parameters)
      names[parameter.name] = parameter.name;
    for (const auto &[constant, value] : analysis_.context.constantValues())
      names[constant] = std::to_string(value);
    std::string blocks = toHostCode(analysis_.annotation->grid->extents.front(), names);
    return "for (unsigned " + block + " = blockIdx.x; " + block + " < " + blocks + "; " + block +
           " += gridDim.x) {";
  }

  /// The text of a range with `blockIdx.x` replaced and, where asked for, returns that go on with the next
  /// block.
  std::optional<std::string> rewritten(clang::SourceRange range, const std::string &block,
                                       llvm::ArrayRef<const clang::ReturnStmt *> returns) const {
    std::optional<Edit> whole = edits_.replace(range, "", "block");
    std::optional<std::string> text = edits_.textOf(range);
    if (!whole || !text)
      return std::nullopt;
    std::vector<std::pair<clang::SourceRange, std::string>> changes;
    for (const RegisterUse &use : registers_.uses)
      if (use.kind == SymbolKind::BlockIndex && use.axis == 0)
        changes.emplace_back(use.range, block);
    for (const clang::ReturnStmt *statement : returns)
      changes.emplace_back(statement->getSourceRange(), "continue");
    std::vector<Edit> inside;
    for (auto &[place, replacement] : changes) {
      std::optional<Edit> edit = edits_.replace(place, replacement, "block");
      if (!edit)
        return std::nullopt;
      if (edit->offset < whole->offset || edit->offset + edit->length > whole->offset + whole->length)
        continue;
      edit->offset -= whole->offset;
      inside.push_back(std::move(*edit));
    }
    llvm::Expected<std::string> result = applyEdits(*text, inside);
    if (!result) {
      llvm::consumeError(result.takeError());
      return std::nullopt;
    }
    return std::move(*result);
  }

  /// All of the body, once a block.
  std::optional<Edit> repeatBody() const {
    const auto *body = llvm::cast<clang::CompoundStmt>(analysis_.kernel.declaration->getBody());
    ReturnFinder returns;
    returns.TraverseStmt(body);
    if (!returns.nested.empty() || body->body_empty())
      return std::nullopt;
    std::string block = edits_.freshName("virtualBlock");
    std::optional<std::string> text = rewritten(body->getSourceRange(), block, returns.found);
    if (!text)
      return std::nullopt;
    std::string inside = text->substr(1, text->size() - 2);
    bool ownLines = inside.find('\n') != std::string::npos;
    std::string statements =
        ownLines ? indented(inside) : "\n    " + llvm::StringRef(inside).trim().str() + "\n";
    std::string reason = "a block does the work of several, one after the other";
    std::optional<Edit> edit =
        edits_.replace(body->getSourceRange(),
                       "{\n  // A block does the work of several, one after the other.\n  " +
                           loopHead(block) + (llvm::StringRef(statements).starts_with("\n") ? "" : "\n    ") +
                           llvm::StringRef(statements).rtrim().str() + "\n  }\n}",
                       reason);
    if (edit) {
      edit->expectedGain = "fewer blocks to start, more loads in flight a thread";
      edit->risk = "registers";
    }
    return edit;
  }

  /// What a thread brings, added up before its block meets.
  std::optional<Edit> addUpFirst(const BlockSum &sum) const {
    std::string block = edits_.freshName("virtualBlock");
    clang::SourceRange head(sum.first->getBeginLoc(), sum.last->getBeginLoc());
    std::optional<std::string> value = rewritten(sum.value->getSourceRange(), block, {});
    std::string declarations;
    if (sum.first != sum.last) {
      std::optional<std::string> text =
          rewritten({sum.first->getBeginLoc(), lastTokenBefore(sum.last->getBeginLoc())}, block, {});
      if (!text)
        return std::nullopt;
      declarations = "    " + indented(*text).substr(2) + "\n";
    }
    if (!value)
      return std::nullopt;
    std::string total = sum.target ? edits_.freshName("total") : sum.variable->getNameAsString();
    std::string zero = sum.type == "float" ? "0.0f" : "0.0";
    std::string text = "// A thread adds up what it brings to several blocks before the block meets.\n  " +
                       sum.type + " " + total + " = " + zero + ";\n  " + loopHead(block) + "\n" +
                       declarations + "    " + total + " += " + *value + ";\n  }";
    if (sum.target)
      text += "\n  " + edits_.textOf(sum.target->getSourceRange()).value_or("") + " = " + total + ";";
    std::optional<Edit> edit = edits_.replace({sum.first->getBeginLoc(), lastTokenOf(*sum.last)}, text,
                                              "a block does the work of several and meets once");
    if (edit) {
      edit->expectedGain = "one meeting and one atomic for many blocks";
      edit->risk = "another order of summation";
    }
    return edit;
  }

  /// A statement's last token, its semicolon.
  clang::SourceLocation lastTokenOf(const clang::Stmt &statement) const {
    const clang::SourceManager &sources = ast_.getSourceManager();
    clang::SourceLocation end = statement.getEndLoc();
    if (edits_.textOf({end, end}).value_or("") == ";")
      return end;
    std::optional<clang::Token> next = clang::Lexer::findNextToken(end, sources, ast_.getLangOpts());
    return next && next->is(clang::tok::semi) ? next->getLocation() : end;
  }

  /// The last token in front of a place: of the statement before it.
  clang::SourceLocation lastTokenBefore(clang::SourceLocation place) const {
    const auto *body = llvm::cast<clang::CompoundStmt>(analysis_.kernel.declaration->getBody());
    const clang::Stmt *before = nullptr;
    for (const clang::Stmt *statement : body->body())
      if (statement->getBeginLoc() < place)
        before = statement;
    return lastTokenOf(*before);
  }

  void decline(std::string reason) {
    proposals_.declines.push_back({id, analysis_.kernel.key, analysis_.kernel.place, std::move(reason)});
  }

  const RewriteContext &context_;
  const KernelAnalysis &analysis_;
  const clang::ASTContext &ast_;
  EditBuilder edits_;
  RegisterUses registers_;
  Proposals proposals_;
};

} // namespace

llvm::Expected<Proposals> proposeCoarsenThreads(const RewriteContext &context) {
  if (!context.analysis.annotation)
    return Proposals();
  return Proposer(context).propose();
}

} // namespace warpwright
