// Numbers the blocks of a two-dimensional grid the other way round, so that blocks that follow each other
// write next to each other: what is written at about the same time then reaches memory in longer pieces.
//
// Legal for every kernel whose own text is all that asks for the block: blocks run in any order anyhow, and
// each still does the work of exactly one. The grid stays as it is launched.

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/SpecialRegisters.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/Rewriter.h"
#include "rewriters/edits/CodeLines.h"
#include "rewriters/edits/EditBuilder.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Stmt.h>

namespace warpwright {
namespace {

constexpr const char *id = "reorder-blocks";
constexpr const char *reason = "blocks that follow each other write next to each other";

/// Bytes by which an access moves from a block to the next along an axis, in the main launch.
std::optional<int64_t> stepOf(const MemoryAccess &access, unsigned axis, const KernelAnalysis &analysis) {
  const Fact<Expression> &step = access.blockCoefficient[axis];
  if (!step.known())
    return std::nullopt;
  const Launch &launch = analysis.launches.front().launch;
  std::optional<int64_t> bytes = step.value().evaluate([&](const Symbol &symbol) -> std::optional<int64_t> {
    const Dim3 &block = launch.block, &grid = launch.grid;
    if (symbol.kind == SymbolKind::BlockExtent)
      return symbol.index == 0 ? block.x : symbol.index == 1 ? block.y : block.z;
    if (symbol.kind == SymbolKind::GridExtent)
      return symbol.index == 0 ? grid.x : symbol.index == 1 ? grid.y : grid.z;
    auto argument = launch.arguments.find(symbol.text);
    if (symbol.kind != SymbolKind::Parameter || argument == launch.arguments.end())
      return std::nullopt;
    const auto *number = std::get_if<int64_t>(&argument->second);
    return number ? std::optional(*number) : std::nullopt;
  });
  return bytes ? std::optional(std::abs(*bytes)) : std::nullopt;
}

class Proposer {
public:
  explicit Proposer(const RewriteContext &context)
      : context_(context), analysis_(context.analysis), edits_(context.unit.ast()),
        registers_(findRegisterUses(*context.analysis.kernel.declaration)) {}

  Proposals propose() {
    if (!registers_.reads(SymbolKind::BlockIndex, 0) || !registers_.reads(SymbolKind::BlockIndex, 1) ||
        !writesAlongY())
      return std::move(proposals_);
    if (!registers_.obstacle.empty()) {
      decline(registers_.obstacle);
      return std::move(proposals_);
    }
    for (const CallFacts &call : analysis_.facts.calls)
      if (!call.knownMath) {
        decline("it calls '" + call.callee + "', which may ask for the block");
        return std::move(proposals_);
      }
    if (!add())
      decline("a use of blockIdx comes out of a macro or a header");
    return std::move(proposals_);
  }

private:
  /// Whether what is written lies together along the axis of the grid on which blocks do not follow each
  /// other.
  bool writesAlongY() {
    unsigned alongX = 0, alongY = 0;
    for (const MemoryAccess &access : analysis_.facts.accesses) {
      if (access.space != MemorySpace::Global || access.kind != AccessKind::Write)
        continue;
      std::optional<int64_t> x = stepOf(access, 0, analysis_), y = stepOf(access, 1, analysis_);
      if (!x || !y || *x == 0 || *y == 0)
        return false;
      (*x < *y ? alongX : alongY) += 1;
      example_ = access.index;
    }
    return alongY > alongX;
  }

  bool add() {
    const clang::FunctionDecl &kernel = *analysis_.kernel.declaration;
    FreshNames names(kernel, context_.unit.ast());
    std::string block = names.take("block"), x = names.take("blockX"), y = names.take("blockY");
    const auto *body = llvm::cast<clang::CompoundStmt>(kernel.getBody());
    Indentation indentation = indentationAt(body->body_front()->getBeginLoc(), kernel, context_.unit.ast());
    const std::vector<ScalarExpression> &grid = analysis_.annotation->grid->extents;
    CodeLines code;
    code.comment("Blocks that follow each other write next to each other.");
    if (grid[0].str() == grid[1].str()) {
      std::string square = names.take("isSquare");
      code.line("const bool " + square + " = gridDim.x == gridDim.y;");
      code.line("const unsigned " + x + " = " + square + " ? blockIdx.y : blockIdx.x;");
      code.line("const unsigned " + y + " = " + square + " ? blockIdx.x : blockIdx.y;");
    } else {
      // The number of a block fits 32 bits in such grids: y is below 65536 in all.
      std::string fits = names.take("fits");
      code.line("const bool " + fits + " = gridDim.x <= 65536;");
      code.line("const unsigned " + block + " = blockIdx.y * gridDim.x + blockIdx.x;");
      code.line("const unsigned " + x + " = " + fits + " ? " + block + " / gridDim.y : blockIdx.x;");
      code.line("const unsigned " + y + " = " + fits + " ? " + block + " % gridDim.y : blockIdx.y;");
    }
    Candidate candidate;
    candidate.rewriter = id;
    candidate.kernelKey = analysis_.kernel.key;
    candidate.subject = "blockIdx";
    std::optional<Edit> head = edits_.insertAfter({body->getLBracLoc(), body->getLBracLoc()},
                                                  "\n" + indentation.base + code.str(indentation), reason);
    if (!head)
      return false;
    candidate.edits.push_back(std::move(*head));
    for (const RegisterUse &use : registers_.uses) {
      if (use.kind != SymbolKind::BlockIndex || use.axis > 1)
        continue;
      std::optional<Edit> edit = edits_.replace(use.range, use.axis == 0 ? x : y, reason);
      if (!edit)
        return false;
      candidate.edits.push_back(std::move(*edit));
    }
    for (Edit &edit : candidate.edits) {
      edit.expectedGain = "what is written, such as " + example_ + ", reaches memory in longer pieces";
      edit.risk = "what is read may come in shorter ones";
    }
    proposals_.candidates.push_back(std::move(candidate));
    return true;
  }

  void decline(std::string why) {
    proposals_.declines.push_back({id, analysis_.kernel.key, analysis_.kernel.place, std::move(why)});
  }

  const RewriteContext &context_;
  const KernelAnalysis &analysis_;
  EditBuilder edits_;
  RegisterUses registers_;
  std::string example_;
  Proposals proposals_;
};

} // namespace

llvm::Expected<Proposals> proposeReorderBlocks(const RewriteContext &context) {
  const std::optional<Annotation> &annotation = context.analysis.annotation;
  const auto *body = llvm::dyn_cast<clang::CompoundStmt>(context.analysis.kernel.declaration->getBody());
  if (!annotation || !annotation->grid || annotation->grid->extents.size() < 2 ||
      context.analysis.launches.empty() || !body || body->body_empty())
    return Proposals();
  return Proposer(context).propose();
}

} // namespace warpwright
