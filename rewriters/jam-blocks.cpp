// Lets a block do the work of several neighbours side by side, statement by statement: tiles that they have
// in common are loaded once and read once for all of them.
//
// Legal for every kernel whose own text is all that asks for the block and in which control, barriers
// included, runs alike in the blocks: each still does what it did, in its own order, on variables and shared
// arrays of its own. What does not depend on the number of the block is the same in all of them. Where the
// grid's end leaves a block without a neighbour, it does its own work twice and writes the same again:
// nothing that the kernel writes may be read by it.

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/SpecialRegisters.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/KernelProposer.h"
#include "rewriters/edits/LaunchChange.h"
#include "rewriters/jam/JammedCode.h"
#include "rewriters/mapping/RepeatedBody.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

constexpr const char *id = "jam-blocks";
constexpr unsigned factors[] = {2, 4};
/// Static shared memory of a block.
constexpr uint64_t mostShared = 48 * 1024;

class Proposer : KernelProposer {
public:
  explicit Proposer(const RewriteContext &context)
      : KernelProposer(context, id), registers_(findRegisterUses(kernel_)), reader_(kernel_),
        body_(llvm::cast<clang::CompoundStmt>(*kernel_.getBody())) {}

  llvm::Expected<Proposals> propose() {
    if (analysis_.facts.sharedVariables.empty() || !analysis_.annotation->grid || body_.body_empty())
      return std::move(proposals_);
    std::string why = whyNot();
    LaunchChange change(context_);
    if (why.empty())
      why = change.whyNot();
    if (!why.empty()) {
      decline(why);
      return std::move(proposals_);
    }
    for (unsigned axis = 0; axis < std::min<size_t>(3, analysis_.annotation->grid->extents.size()); ++axis)
      if (registers_.reads(SymbolKind::BlockIndex, axis))
        if (llvm::Error error = consider(axis, change))
          return std::move(error);
    return std::move(proposals_);
  }

private:
  std::string whyNot() {
    if (!registers_.obstacle.empty())
      return registers_.obstacle;
    for (const CallFacts &call : analysis_.facts.calls)
      if (!call.knownMath)
        return "it calls '" + call.callee + "', which may ask for the block";
    return whyNotTwice();
  }

  /// Why a block may not do its work twice at the same time.
  std::string whyNotTwice() {
    CodeUses uses = reader_.usesOf(body_);
    for (const PlaceUse &write : uses.places) {
      if (!write.writes() || write.root.isOnChip())
        continue;
      for (const PlaceUse &read : uses.places)
        if (read.reads() && !read.root.isOnChip() &&
            mayOverlap(write.root, read.root, *analysis_.annotation, assumptions_))
          return "it reads what it writes, and the last block may do its work twice";
    }
    return {};
  }

  llvm::Error consider(unsigned axis, const LaunchChange &change) {
    const std::string along = std::string("blocks along ") + "xyz"[axis] + ": ";
    if (registers_.reads(SymbolKind::GridExtent, axis)) {
      decline(along + "it asks for their number");
      return llvm::Error::success();
    }
    VaryingValues values(body_, reader_, [&](const clang::Expr &expression) {
      std::optional<std::pair<SymbolKind, unsigned>> found = specialRegisterOf(expression);
      return found && found->first == SymbolKind::BlockIndex && found->second == axis;
    });
    std::string why = values.whyNot();
    if (why.empty() && !values.outerArrays().empty())
      why = "'" + values.outerArrays().front()->getNameAsString() + "' is declared outside the kernel";
    if (why.empty() && !haveTileInCommon(values))
      why = "they have no shared array in common";
    if (!why.empty()) {
      decline(along + why);
      return llvm::Error::success();
    }
    for (unsigned factor : factors)
      if (llvm::Error error = add(axis, factor, values, change))
        return error;
    return llvm::Error::success();
  }

  bool haveTileInCommon(const VaryingValues &values) const {
    CodeUses uses = reader_.usesOf(body_);
    return llvm::any_of(uses.places, [&](const PlaceUse &use) {
      return use.reads() && use.inLoop && use.root.isOnChip() &&
             use.root.variable->hasAttr<clang::CUDASharedAttr>() && !values.mentionsVarying(use.place);
    });
  }

  uint64_t sharedBytes(const VaryingValues &values, unsigned factor) const {
    uint64_t bytes = 0;
    for (const SharedVariable &variable : analysis_.facts.sharedVariables)
      bytes += variable.bytes;
    for (const clang::VarDecl *variable : values.variables())
      if (variable->hasAttr<clang::CUDASharedAttr>())
        bytes += (factor - 1) * ast_.getTypeSizeInChars(variable->getType()).getQuantity();
    return bytes;
  }

  llvm::Error add(unsigned axis, unsigned factor, const VaryingValues &values, const LaunchChange &change) {
    const std::string number = std::to_string(factor), letter(1, "xyz"[axis]);
    if (uint64_t bytes = sharedBytes(values, factor); bytes > mostShared) {
      decline(number + " blocks along " + letter + " would take " + std::to_string(bytes) +
              " bytes of shared memory");
      return llvm::Error::success();
    }
    std::string why;
    std::optional<Edit> edit = jam(axis, factor, values, why);
    if (!edit) {
      decline("blocks along " + letter + ": " + why);
      return llvm::Error::success();
    }
    Candidate candidate;
    candidate.subject = "blocks along " + letter;
    candidate.parameters[letter] = factor;
    candidate.edits = {std::move(*edit)};
    candidate.claims.push_back({"fewer-blocks", {}, 0});
    candidate.assumptions = assumptions_;
    NewLaunch launch;
    for (const ScalarExpression &extent : analysis_.annotation->grid->extents)
      launch.grid.push_back(extent.str());
    launch.grid[axis] = "ceil_div(" + launch.grid[axis] + ", " + number + ")";
    if (llvm::Error error = change.apply(launch, candidate))
      return error;
    offer(std::move(candidate));
    return llvm::Error::success();
  }

  std::string blockCount(unsigned axis) const {
    std::map<std::string, std::string> names;
    for (const AnnotationParameter &parameter : analysis_.context.parameters)
      names[parameter.name] = parameter.name;
    for (const auto &[constant, value] : analysis_.context.constantValues())
      names[constant] = std::to_string(value);
    return toHostCode(analysis_.annotation->grid->extents[axis], names);
  }

  std::optional<Edit> jam(unsigned axis, unsigned factor, const VaryingValues &values, std::string &why) {
    FreshNames names(kernel_, ast_);
    const std::string number = std::to_string(factor), here = std::string("blockIdx.") + "xyz"[axis],
                      block = names.take("block"), last = names.take("lastBlock"),
                      copy = names.scoped("copy");
    JammedCode jammed(kernel_, ast_, values, factor, copy);
    for (const RegisterUse &use : registers_.uses)
      if (use.kind == SymbolKind::BlockIndex && use.axis == axis)
        jammed.addSeed({use.range, [&](const std::string &of) { return block + "[" + of + "]"; }});
    CodeLines code;
    code.comment("A block does the work of " + number +
                 " neighbours side by side; at the end of the grid the last one is done again.");
    code.line("const unsigned " + last + " = " + blockCount(axis) + " - 1;");
    std::string blocks = here + " * " + number;
    for (unsigned i = 1; i < factor; ++i)
      blocks += ", min(" + here + " * " + number + " + " + std::to_string(i) + ", " + last + ")";
    code.line("const unsigned " + block + "[" + number + "] = {" + blocks + "};");
    if (!jammed.append(code, std::vector<const clang::Stmt *>(body_.body_begin(), body_.body_end()))) {
      why = jammed.whyNot();
      return std::nullopt;
    }
    std::optional<Edit> edit =
        RepeatedBody(kernel_, ast_)
            .replaceStatements(*body_.body_front(), *body_.body_back(), code,
                               "blocks side by side share the tiles that they have in common");
    if (!edit) {
      why = "part of it comes out of a macro or a header";
      return std::nullopt;
    }
    edit->expectedGain =
        "a tile is loaded once for " + number + " blocks, and read once for " + number + " operations";
    edit->risk = "registers and shared memory";
    return edit;
  }

  RegisterUses registers_;
  PlaceReader reader_;
  const clang::CompoundStmt &body_;
  std::vector<std::string> assumptions_; ///< what writing twice rests on beyond the code
};

} // namespace

llvm::Expected<Proposals> proposeJamBlocks(const RewriteContext &context) {
  const clang::Stmt *body = context.analysis.kernel.declaration->getBody();
  if (!context.analysis.annotation || !llvm::isa_and_nonnull<clang::CompoundStmt>(body))
    return Proposals();
  return Proposer(context).propose();
}

} // namespace warpwright
