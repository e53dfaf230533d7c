// Launches blocks of another size, with as many of them as the same number of threads needs.
//
// Legal where the kernel cannot tell: along every axis that changes it asks for nothing but the thread's
// place in the whole grid, and threads beyond the things to do do nothing.

#include "analysis/KernelAnalysis.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/KernelProposer.h"
#include "rewriters/edits/LaunchChange.h"
#include "rewriters/mapping/BlockShape.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>

namespace warpwright {
namespace {

constexpr const char *id = "resize-block";

using Block = std::array<int64_t, 2>;

class Proposer : KernelProposer {
public:
  explicit Proposer(const RewriteContext &context) : KernelProposer(context, id), shape_(context) {}

  llvm::Expected<Proposals> propose() {
    axes_ = annotatedAxes(analysis_);
    if (!axes_)
      return std::move(proposals_);
    bool isFlat = (*axes_)[1].block == 1 && !shape_.uses().reads(SymbolKind::ThreadIndex, 1);
    std::string why = analysis_.kernel.declaration->hasAttr<clang::CUDALaunchBoundsAttr>()
                          ? "its launch bounds name the block"
                          : shape_.whyFixed(0);
    if (why.empty() && !isFlat)
      why = shape_.whyFixed(1);
    if (!why.empty()) {
      decline("the block's size is observable: " + why);
      return std::move(proposals_);
    }
    LaunchChange change(context_);
    if (!change.whyNot().empty()) {
      decline(change.whyNot());
      return std::move(proposals_);
    }
    for (const Block &block : isFlat ? flatBlocks() : planeBlocks())
      if (llvm::Error error = add(change, block, isFlat))
        return std::move(error);
    return std::move(proposals_);
  }

private:
  std::vector<Block> flatBlocks() const {
    std::vector<Block> blocks;
    for (int64_t threads : {256, 512, 128, 1024})
      if (threads != (*axes_)[0].block)
        blocks.push_back({threads, 1});
    return blocks;
  }

  /// Rows of at least a warp; the grid's y has a low limit, so that blocks grow no lower.
  std::vector<Block> planeBlocks() const {
    std::vector<Block> blocks;
    for (const Block &block :
         {Block{32, 8}, Block{64, 4}, Block{32, 4}, Block{32, 16}, Block{64, 8}, Block{32, 32}}) {
      bool isSame = block[0] == (*axes_)[0].block && block[1] == (*axes_)[1].block;
      if (!isSame && block[1] >= (*axes_)[1].block && block[0] * block[1] * (*axes_)[2].block <= 1024)
        blocks.push_back(block);
    }
    return blocks;
  }

  llvm::Error add(const LaunchChange &change, const Block &block, bool isFlat) {
    Candidate candidate;
    candidate.subject = "block";
    candidate.parameters["x"] = block[0];
    NewLaunch launch;
    launch.block = {std::to_string(block[0])};
    launch.grid = {"ceil_div(" + (*axes_)[0].things + ", " + launch.block[0] + ")"};
    const Annotation &annotation = *analysis_.annotation;
    if (!isFlat) {
      candidate.parameters["y"] = block[1];
      launch.block.push_back(std::to_string(block[1]));
      launch.grid.push_back("ceil_div(" + (*axes_)[1].things + ", " + launch.block[1] + ")");
      if ((*axes_)[2].block != 1)
        launch.block.push_back(std::to_string((*axes_)[2].block));
    }
    for (size_t axis = launch.grid.size(); axis < annotation.grid->extents.size(); ++axis)
      launch.grid.push_back(annotation.grid->extents[axis].str());
    if (llvm::Error error = change.apply(launch, candidate))
      return error;
    offer(std::move(candidate));
    return llvm::Error::success();
  }

  BlockShape shape_;
  std::optional<std::array<LaunchAxis, 3>> axes_;
};

} // namespace

llvm::Expected<Proposals> proposeResizeBlock(const RewriteContext &context) {
  if (!context.analysis.annotation)
    return Proposals();
  return Proposer(context).propose();
}

} // namespace warpwright
