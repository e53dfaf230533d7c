// Exchanges threadIdx.x and threadIdx.y, and the block's extents with them, so that neighbouring lanes work
// on neighbouring elements. The grid's axes stay, so that no extent moves to an axis whose limit is lower;
// where that cannot happen they are exchanged, too, so that neighbouring blocks work on neighbouring
// elements.
//
// Legal where the kernel's own text is all that asks for the thread's place: then it is the same threads
// under other numbers. Nothing may depend on which lanes make up a warp.

#include "analysis/KernelAnalysis.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/KernelProposer.h"
#include "rewriters/edits/LaunchChange.h"
#include "rewriters/mapping/BlockShape.h"

#include <clang/AST/ASTContext.h>

namespace warpwright {
namespace {

constexpr const char *id = "swap-thread-axes";

/// Accesses whose neighbours lie along y, and those whose neighbours lie along x.
struct Neighbours {
  unsigned alongX = 0;
  unsigned alongY = 0;
  std::string example; ///< an access along y
};

Neighbours countNeighbours(const KernelFacts &facts) {
  Neighbours neighbours;
  for (const MemoryAccess &access : facts.accesses) {
    if (access.space != MemorySpace::Global)
      continue;
    auto isNeighbour = [&](unsigned axis) {
      const Fact<Expression> &stride = access.threadCoefficient[axis];
      std::optional<int64_t> bytes = stride.known() ? stride.value().asConstant() : std::nullopt;
      return bytes && static_cast<uint64_t>(std::abs(*bytes)) == access.bytes;
    };
    if (isNeighbour(0))
      ++neighbours.alongX;
    else if (isNeighbour(1)) {
      ++neighbours.alongY;
      if (neighbours.example.empty())
        neighbours.example = access.index;
    }
  }
  return neighbours;
}

class Proposer : KernelProposer {
public:
  explicit Proposer(const RewriteContext &context) : KernelProposer(context, id), shape_(context) {}

  llvm::Expected<Proposals> propose() {
    neighbours_ = countNeighbours(analysis_.facts);
    if (neighbours_.alongY == 0 || !shape_.uses().reads(SymbolKind::ThreadIndex, 0) ||
        !shape_.uses().reads(SymbolKind::ThreadIndex, 1))
      return std::move(proposals_); // there is nothing to gain
    if (std::string why = whyNot(); !why.empty()) {
      decline(why);
      return std::move(proposals_);
    }
    LaunchChange change(context_);
    if (!change.whyNot().empty()) {
      decline(change.whyNot());
      return std::move(proposals_);
    }
    if (llvm::Error error = addAll(change))
      return std::move(error);
    return std::move(proposals_);
  }

private:
  std::string whyNot() {
    axes_ = annotatedAxes(analysis_);
    if (!axes_)
      return "the annotation gives no constant block";
    if (neighbours_.alongX >= neighbours_.alongY)
      return std::to_string(neighbours_.alongX) + " coalesced accesses would stop being so, " +
             std::to_string(neighbours_.alongY) + " would start";
    if (!shape_.uses().obstacle.empty())
      return shape_.uses().obstacle;
    for (const Synchronisation &synchronisation : analysis_.facts.synchronisations)
      if (synchronisation.kind != Synchronisation::Kind::Barrier &&
          synchronisation.kind != Synchronisation::Kind::Fence)
        return "'" + synchronisation.operation + "' depends on which lanes make up a warp";
    for (const CallFacts &call : analysis_.facts.calls)
      if (!call.knownMath)
        return "it calls '" + call.callee + "', which may ask for the thread's place";
    return {};
  }

  llvm::Error addAll(const LaunchChange &change) {
    std::vector<std::pair<int64_t, int64_t>> blocks = {{(*axes_)[1].block, (*axes_)[0].block}};
    if (shape_.whyFixed(0).empty() && shape_.whyFixed(1).empty())
      for (auto [x, y] : {std::pair<int64_t, int64_t>(32, 8), {64, 4}, {128, 2}})
        // The grid's y has a low limit, so that its blocks grow no smaller.
        if (x >= (*axes_)[1].block && x * y * (*axes_)[2].block <= 1024 &&
            !llvm::is_contained(blocks, std::pair(x, y)))
          blocks.push_back({x, y});
    for (auto [x, y] : blocks)
      if (llvm::Error error = add(change, x, y, /*swapsGrid=*/false))
        return error;
    if (blocks.size() == 1 || shape_.uses().reads(SymbolKind::GridExtent, 0) ||
        shape_.uses().reads(SymbolKind::GridExtent, 1))
      return llvm::Error::success();
    // Long rows of lanes, for threads that go on to take several places along y; then, where both axes count
    // the same things, as many blocks along y as before.
    for (auto [x, y] :
         {std::pair<int64_t, int64_t>(128, 2), {32, (*axes_)[1].block}, {64, (*axes_)[1].block}})
      if (x * y * (*axes_)[2].block <= 1024)
        if (llvm::Error error = add(change, x, y, /*swapsGrid=*/true))
          return error;
    return llvm::Error::success();
  }

  llvm::Error add(const LaunchChange &change, int64_t x, int64_t y, bool swapsGrid) {
    Candidate candidate;
    candidate.subject = swapsGrid ? "threadIdx and blockIdx" : "threadIdx";
    candidate.parameters = {{"x", x}, {"y", y}};
    if (swapsGrid) {
      candidate.parameters["grid"] = 1;
      if ((*axes_)[0].things != (*axes_)[1].things || y < (*axes_)[1].block)
        candidate.assumptions.push_back("'" + (*axes_)[0].things + "' is at most " +
                                        std::to_string(65535 * y) + ", as many as the grid's y has room for");
    }
    for (const RegisterUse &use : shape_.uses().uses) {
      bool isThread = use.kind == SymbolKind::ThreadIndex || use.kind == SymbolKind::BlockExtent;
      const bool moves = isThread || (swapsGrid && use.kind == SymbolKind::BlockIndex);
      if (!moves || use.axis > 1)
        continue;
      std::string text = std::string(nameOfRegister(use.kind)) + (use.axis == 0 ? ".y" : ".x");
      std::optional<Edit> edit =
          builder_.replace(use.range, text, "neighbouring lanes take neighbouring elements");
      if (!edit) {
        decline("a use of threadIdx or blockDim comes out of a macro");
        return llvm::Error::success();
      }
      edit->expectedGain = "accesses such as " + neighbours_.example + " are coalesced";
      edit->risk = "none";
      candidate.edits.push_back(std::move(*edit));
    }
    candidate.claims.push_back({"fewer-sectors", {}, 0});
    NewLaunch launch;
    launch.block = {std::to_string(x), std::to_string(y)};
    if ((*axes_)[2].block != 1)
      launch.block.push_back(std::to_string((*axes_)[2].block));
    // A logical axis keeps its place in the grid; its threads are the block's other extent now.
    if (swapsGrid || y != (*axes_)[0].block || x != (*axes_)[1].block) {
      launch.grid = {"ceil_div(" + (*axes_)[0].things + ", " + std::to_string(y) + ")",
                     "ceil_div(" + (*axes_)[1].things + ", " + std::to_string(x) + ")"};
      if (swapsGrid)
        std::swap(launch.grid[0], launch.grid[1]);
      if (analysis_.annotation->grid->extents.size() == 3)
        launch.grid.push_back(analysis_.annotation->grid->extents[2].str());
    }
    if (llvm::Error error = change.apply(launch, candidate))
      return error;
    offer(std::move(candidate));
    return llvm::Error::success();
  }

  BlockShape shape_;
  Neighbours neighbours_;
  std::optional<std::array<LaunchAxis, 3>> axes_;
};

} // namespace

llvm::Expected<Proposals> proposeSwapThreadAxes(const RewriteContext &context) {
  if (!context.analysis.annotation)
    return Proposals();
  return Proposer(context).propose();
}

} // namespace warpwright
