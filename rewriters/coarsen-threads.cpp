// Launches fewer blocks, each of which does the work of several. Three forms, each where the kernel's text
// allows it:
//  - blocks: indices are computed as before, with the number of the block that is stood in for. A block takes
//    either as many neighbours as the factor says, unrolled, so that many loads are under way at once, or
//    walks over the grid. Where the kernel ends in a sum over its blocks, a thread adds up what it brings
//    before the block meets, so that the meeting is paid for once. Elsewhere the whole body is repeated,
//    which is legal for every kernel whose blocks share no memory: blocks run in any order anyhow.
//  - elements: where a thread works on the element that bears its number, the grid walks over the elements
//    in a loop that other rewriters can read.
//  - rows: along an axis that no lanes lie side by side on, a thread takes neighbouring places, so that what
//    their neighbourhoods share is loaded once.

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/SpecialRegisters.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/KernelProposer.h"
#include "rewriters/edits/LaunchChange.h"
#include "rewriters/mapping/BlockShape.h"
#include "rewriters/mapping/BlockSum.h"
#include "rewriters/mapping/CounterRoom.h"
#include "rewriters/mapping/ElementLoop.h"
#include "rewriters/mapping/NeighbourRows.h"
#include "rewriters/mapping/RepeatedBody.h"

#include <clang/AST/ASTContext.h>
#include <llvm/ADT/StringExtras.h>

namespace warpwright {
namespace {

constexpr const char *id = "coarsen-threads";
/// Blocks of a launch: enough to fill the largest GPU a few times over.
constexpr int64_t blockCounts[] = {1056, 2112, 528};
/// Blocks that one stands in for: of a kernel whose threads work alone, and of a sum.
constexpr int64_t streamFactors[] = {4, 2, 8};
constexpr int64_t sumFactors[] = {32, 16, 8};
/// Elements a thread where the grid walks over them, and the blocks that it has at most: an index goes no
/// further beyond the last element than all threads reach.
constexpr int64_t elementFactors[] = {4, 8};
constexpr int64_t mostBlocks = 1 << 17;
constexpr int64_t rowFactors[] = {4, 2, 8};

/// A form of the kernel that fewer blocks run, and the launches it may have.
struct Form {
  std::string subject;
  std::vector<std::string> assumptions;
};

class Proposer : KernelProposer {
public:
  explicit Proposer(const RewriteContext &context) : KernelProposer(context, id), shape_(context) {}

  llvm::Expected<Proposals> propose() {
    if (!analysis_.annotation->grid || !reads(SymbolKind::BlockIndex, 0))
      return std::move(proposals_);
    if (std::string why = whyNotAtAll(); !why.empty()) {
      decline(why);
      return std::move(proposals_);
    }
    LaunchChange change(context_);
    if (!change.whyNot().empty()) {
      decline(change.whyNot());
      return std::move(proposals_);
    }
    change_ = &change;
    for (llvm::Error (Proposer::*form)() :
         {&Proposer::proposeRows, &Proposer::proposeElements, &Proposer::proposeBlocks})
      if (llvm::Error error = (this->*form)())
        return std::move(error);
    return std::move(proposals_);
  }

private:
  bool reads(SymbolKind kind, unsigned axis) const { return shape_.uses().reads(kind, axis); }

  std::string whyNotAtAll() const {
    if (!shape_.uses().obstacle.empty())
      return shape_.uses().obstacle;
    if (reads(SymbolKind::GridExtent, 0))
      return "it asks for the number of blocks";
    for (const CallFacts &call : analysis_.facts.calls)
      if (!call.knownMath)
        return "it calls '" + call.callee + "', which may ask for the block";
    return {};
  }

  bool meets() const {
    return !analysis_.facts.synchronisations.empty() || !analysis_.facts.sharedVariables.empty();
  }

  std::string gridExtent(unsigned axis) const {
    const std::vector<ScalarExpression> &extents = analysis_.annotation->grid->extents;
    return axis < extents.size() ? extents[axis].str() : "1";
  }

  /// A candidate with one axis of the grid changed.
  llvm::Error add(const Form &form, const char *parameter, int64_t number, const Edit &edit, unsigned axis,
                  const std::string &extent) {
    Candidate candidate;
    candidate.subject = form.subject;
    candidate.parameters[parameter] = number;
    candidate.edits = {edit};
    candidate.assumptions = form.assumptions;
    candidate.claims.push_back({"fewer-blocks", {}, 0});
    NewLaunch launch;
    for (unsigned i = 0; i < std::max<size_t>(axis + 1, analysis_.annotation->grid->extents.size()); ++i)
      launch.grid.push_back(i == axis ? extent : gridExtent(i));
    if (llvm::Error error = change_->apply(launch, candidate))
      return error;
    offer(std::move(candidate));
    return llvm::Error::success();
  }

  // Rows.

  /// An axis other than x that the grid counts, with no lanes side by side on it.
  llvm::Error proposeRows() {
    if (meets())
      return llvm::Error::success();
    for (unsigned axis : {1u, 2u}) {
      std::optional<unsigned> gridAxis =
          reads(SymbolKind::ThreadIndex, axis) ? shape_.gridAxisOf(axis) : std::nullopt;
      if (!gridAxis || lanesLieAlong(axis))
        continue;
      if (std::string why = shape_.whyFixed(axis, *gridAxis, /*mayBeNumber=*/true); !why.empty()) {
        decline("several places a thread: " + why);
        continue;
      }
      for (int64_t factor : rowFactors)
        if (llvm::Error error = addRows(axis, *gridAxis, factor))
          return error;
      break;
    }
    return llvm::Error::success();
  }

  bool lanesLieAlong(unsigned axis) const {
    return llvm::any_of(analysis_.facts.accesses, [&](const MemoryAccess &access) {
      const Fact<Expression> &stride = access.threadCoefficient[axis];
      std::optional<int64_t> bytes = stride.known() ? stride.value().asConstant() : std::nullopt;
      return access.space == MemorySpace::Global && bytes &&
             static_cast<uint64_t>(std::abs(*bytes)) == access.bytes;
    });
  }

  llvm::Error addRows(unsigned axis, unsigned gridAxis, int64_t factor) {
    NeighbourRows rows(context_, shape_, axis, gridAxis);
    std::optional<Edit> edit = rows.edit(factor);
    if (!edit) {
      decline("several places a thread: " + rows.whyNot());
      return llvm::Error::success();
    }
    Form form{"rows", {rows.assumptions().begin(), rows.assumptions().end()}};
    // The grid counts no more than 65535 blocks along y and z, so that places stay far below 2^31.
    if (gridAxis == 0) {
      llvm::Expected<ScalarExpression> things =
          ScalarExpression::parse(thingsAlong(analysis_, axis, gridAxis));
      if (!things)
        return things.takeError();
      CounterRoom room = roomBeyond(*things, factor * (*annotatedAxes(analysis_))[axis].block,
                                    std::string("a place along ") + "xyz"[axis], context_);
      if (!room.whyNot.empty()) {
        decline("several places a thread: " + room.whyNot);
        return llvm::Error::success();
      }
      form.assumptions.push_back(room.assumption);
    }
    return add(form, "rows", factor, *edit, gridAxis,
               "ceil_div(" + gridExtent(gridAxis) + ", " + std::to_string(factor) + ")");
  }

  // Elements.

  llvm::Error proposeElements() {
    if (meets())
      return llvm::Error::success();
    std::optional<std::array<LaunchAxis, 3>> axes = annotatedAxes(analysis_);
    std::optional<ElementKernel> found =
        axes ? findElementKernel(kernel_, ast_, shape_.uses(), (*axes)[0].block) : std::nullopt;
    RepeatedBody body(kernel_, ast_);
    if (!found || !body.whyNot().empty())
      return llvm::Error::success();
    std::optional<Edit> edit = walkElements(*found, body);
    if (!edit)
      return llvm::Error::success();
    const std::string blocks = gridExtent(0);
    auto offerBlocks = [&](int64_t most, const char *parameter, int64_t number,
                           const std::string &extent) -> llvm::Error {
      CounterRoom room = roomBeyond({found->element, found->bound}, most * (*axes)[0].block, context_);
      if (!room.whyNot.empty()) {
        decline("the grid walks over the elements: " + room.whyNot);
        return llvm::Error::success();
      }
      return add({"elements", {room.assumption}}, parameter, number, *edit, 0, extent);
    };
    for (int64_t factor : elementFactors)
      if (llvm::Error error = offerBlocks(mostBlocks, "elements", factor,
                                          "min(ceil_div(" + blocks + ", " + std::to_string(factor) + "), " +
                                              std::to_string(mostBlocks) + ")"))
        return error;
    if (!hasAtomics())
      return llvm::Error::success();
    // What a block gathers is handed on once: the fewer blocks, the better.
    for (int64_t count : {blockCounts[0], blockCounts[1]})
      if (llvm::Error error =
              offerBlocks(count, "blocks", count, "min(" + blocks + ", " + std::to_string(count) + ")"))
        return error;
    return llvm::Error::success();
  }

  bool hasAtomics() const {
    return llvm::any_of(analysis_.facts.accesses, [](const MemoryAccess &access) {
      return access.kind == AccessKind::Atomic && access.space == MemorySpace::Global;
    });
  }

  std::optional<Edit> walkElements(const ElementKernel &found, const RepeatedBody &body) const {
    std::optional<std::string> number = builder_.textOf(found.element->getInit()->getSourceRange()),
                               bound = builder_.textOf(found.bound->getSourceRange());
    if (!number || !bound)
      return std::nullopt;
    const std::string i = found.element->getNameAsString();
    const bool wide = ast_.getTypeSize(found.element->getType()) > 32;
    CodeLines code;
    code.comment("The grid walks over the elements, each thread a grid's width at a time.");
    code.open("for (" + found.type + " " + i + " = " + *number + "; " + i + " < " + *bound + "; " + i +
              " += " + (wide ? "static_cast<long long>(gridDim.x)" : "gridDim.x") + " * blockDim.x) {");
    if (!found.between.empty() && !body.append(code, *found.between.front(), *found.between.back()))
      return std::nullopt;
    if (!body.append(code, *found.work.front(), *found.work.back()))
      return std::nullopt;
    code.close();
    std::optional<Edit> edit = body.replaceStatements(*found.declaration, *found.last, code,
                                                      "the grid walks over the elements in a loop");
    if (edit) {
      edit->expectedGain = "fewer blocks to start; neighbouring elements may be taken together";
      edit->risk = "none";
    }
    return edit;
  }

  // Blocks.

  llvm::Error proposeBlocks() {
    BlockSum sum;
    std::string whyNot;
    if (meets()) {
      sum = findBlockSum(kernel_, whyNot);
      if (whyNot.empty() && sum.rounds && !analysis_.annotation->allows(Permission::Reassociate))
        whyNot = "it would add up in another order, which allow(reassociate) would have to free";
    }
    const std::string blocks = gridExtent(0);
    const bool isSum = sum.first != nullptr;
    auto addFactor = [&](int64_t factor) -> llvm::Error {
      std::optional<Edit> edit = takeBlocks(sum, factor, whyNot);
      if (!edit)
        return llvm::Error::success();
      return add({"blocks", {}}, "factor", factor, *edit, 0,
                 "ceil_div(" + blocks + ", " + std::to_string(factor) + ")");
    };
    for (int64_t factor : isSum ? llvm::ArrayRef(sumFactors) : llvm::ArrayRef(streamFactors))
      if (whyNot.empty())
        if (llvm::Error error = addFactor(factor))
          return error;
    for (int64_t count : blockCounts)
      if (whyNot.empty() && isSum)
        if (std::optional<Edit> edit = takeBlocks(sum, /*factor=*/0, whyNot))
          if (llvm::Error error = add({"blocks", {}}, "blocks", count, *edit, 0,
                                      "min(" + blocks + ", " + std::to_string(count) + ")"))
            return error;
    if (!whyNot.empty())
      decline(whyNot);
    return llvm::Error::success();
  }

  std::string blockCount() const {
    std::map<std::string, std::string> names;
    for (const AnnotationParameter &parameter : analysis_.context.parameters)
      names[parameter.name] = parameter.name;
    for (const auto &[constant, value] : analysis_.context.constantValues())
      names[constant] = std::to_string(value);
    return toHostCode(analysis_.annotation->grid->extents.front(), names);
  }

  /// The loop over blocks that are stood in for; factor 0: those of the whole grid in turns.
  std::string openLoop(CodeLines &code, const std::string &block, FreshNames &names, int64_t factor) const {
    if (factor == 0)
      return "for (unsigned " + block + " = blockIdx.x; " + block + " < " + blockCount() + "; " + block +
             " += gridDim.x) {";
    const std::string count = names.take("blocks"), end = names.take("endBlock");
    const std::string number = std::to_string(factor);
    code.line("const unsigned " + count + " = " + blockCount() + ";");
    code.line("const unsigned " + end + " = min((blockIdx.x + 1) * " + number + ", " + count + ");");
    code.line("#pragma unroll " + number);
    return "for (unsigned " + block + " = blockIdx.x * " + number + "; " + block + " < " + end + "; ++" +
           block + ") {";
  }

  std::optional<Edit> takeBlocks(const BlockSum &sum, int64_t factor, std::string &whyNot) const {
    RepeatedBody body(kernel_, ast_);
    // What adds up repeats no return.
    whyNot = sum.first ? "" : body.whyNot();
    if (!whyNot.empty())
      return std::nullopt;
    FreshNames names(kernel_, ast_);
    const std::string block = names.take("virtualBlock");
    for (const RegisterUse &use : shape_.uses().uses)
      if (use.kind == SymbolKind::BlockIndex && use.axis == 0)
        body.replace(use.range, block);
    std::optional<Edit> edit =
        sum.first ? addUpFirst(sum, body, block, names, factor) : repeatBody(body, block, names, factor);
    if (!edit)
      whyNot = "its text comes out of a macro";
    return edit;
  }

  /// All of the body, once a block.
  std::optional<Edit> repeatBody(const RepeatedBody &body, const std::string &block, FreshNames &names,
                                 int64_t factor) const {
    CodeLines before;
    before.comment("A block does the work of " + std::to_string(factor) + " neighbours.");
    const std::string head = openLoop(before, block, names, factor);
    std::optional<Edit> edit =
        body.inLoop(before, head, "a block does the work of several, one after the other");
    if (edit) {
      edit->expectedGain = "fewer blocks to start, more loads in flight a thread";
      edit->risk = "registers";
    }
    return edit;
  }

  /// What a thread brings, added up before its block meets.
  std::optional<Edit> addUpFirst(const BlockSum &sum, const RepeatedBody &body, const std::string &block,
                                 FreshNames &names, int64_t factor) const {
    const std::string total = names.take("total");
    CodeLines code;
    code.comment("A thread adds up what it brings to " +
                 (factor == 0 ? std::string("several") : std::to_string(factor)) +
                 " blocks before the block meets.");
    code.line(sum.type + " " + total + " = " + sum.zero + ";");
    const std::string head = openLoop(code, block, names, factor);
    code.open(head);
    std::string after;
    if (sum.target) {
      std::optional<std::string> value = body.textOf(*sum.value);
      std::optional<std::string> target = builder_.textOf(sum.target->getSourceRange());
      if (!value || !target || (sum.first != sum.last && !body.append(code, *sum.first, *sum.beforeLast)))
        return std::nullopt;
      code.line(total + " += " + *value + ";");
      after = *target + " = " + total + ";";
    } else {
      if (!body.append(code, *sum.first, *sum.last))
        return std::nullopt;
      code.line(total + " += " + sum.variable->getNameAsString() + ";");
      after = sum.type + " " + sum.variable->getNameAsString() + " = " + total + ";";
    }
    code.close();
    code.line(after);
    std::optional<Edit> edit = body.replaceStatements(*sum.first, *sum.last, code,
                                                      "a block does the work of several and meets once");
    if (edit) {
      edit->expectedGain = "one meeting and one atomic for many blocks";
      edit->risk = "another order of summation";
    }
    return edit;
  }

  BlockShape shape_;
  const LaunchChange *change_ = nullptr;
};

} // namespace

llvm::Expected<Proposals> proposeCoarsenThreads(const RewriteContext &context) {
  if (!context.analysis.annotation)
    return Proposals();
  return Proposer(context).propose();
}

} // namespace warpwright
