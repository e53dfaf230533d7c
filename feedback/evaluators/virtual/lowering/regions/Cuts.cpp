#include "feedback/evaluators/virtual/lowering/regions/Cuts.h"

#include "feedback/evaluators/virtual/lowering/Waiting.h"
#include "feedback/evaluators/virtual/lowering/regions/LiveValues.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

namespace warpwright::vdevice {
namespace {

constexpr size_t mostBlocks = 400; ///< the proof takes time quadratic in them
constexpr size_t mostRegions = 64; ///< each is a copy of code
constexpr size_t mostGrowth = 4;   ///< of the code, by copies

using Blocks = Controllers::Blocks;

class Cutter {
public:
  explicit Cutter(llvm::Function &function) : function_(function) {}

  std::optional<CutFunction> run() {
    if (function_.size() > mostBlocks)
      return std::nullopt;
    llvm::SmallVector<llvm::BasicBlock *> barriers = isolateBarriers();
    Controllers controllers(function_);
    Uniformity uniformity(function_, controllers);
    Blocks deciding;
    for (llvm::BasicBlock *barrier : barriers) {
      Blocks all = controllers.allOf(*barrier);
      deciding.insert(all.begin(), all.end());
    }
    for (llvm::BasicBlock *block : deciding)
      if (!llvm::isa<llvm::BranchInst, llvm::SwitchInst>(block->getTerminator()) ||
          !uniformity.isUniform(*block->getTerminator()))
        return std::nullopt;
    LiveValues values(function_, uniformity, result_);
    values.findHoistable();
    cutLoops(barriers, deciding, controllers, values);
    for (llvm::BasicBlock *block : deciding)
      cutBranch(*block);
    result_.cuts.insert(barriers.begin(), barriers.end());
    if (!formRegions() || isTooLarge())
      return std::nullopt;
    values.storeAcrossCuts();
    return std::move(result_);
  }

private:
  /// Each barrier gets a block of its own.
  llvm::SmallVector<llvm::BasicBlock *> isolateBarriers() {
    llvm::SmallVector<llvm::Instruction *> calls;
    for (llvm::Instruction &instruction : llvm::instructions(function_))
      if (runtimeName(instruction) == "barrier")
        calls.push_back(&instruction);
    llvm::SmallVector<llvm::BasicBlock *> blocks;
    for (llvm::Instruction *call : calls) {
      blocks.push_back(llvm::SplitBlock(call->getParent(), call));
      llvm::SplitBlock(call->getParent(), call->getNextNode());
    }
    return blocks;
  }

  static bool isInEachIteration(const llvm::BasicBlock &barrier, const llvm::Loop &loop,
                                const llvm::DominatorTree &dominators) {
    llvm::SmallVector<llvm::BasicBlock *> latches;
    loop.getLoopLatches(latches);
    return llvm::all_of(latches,
                        [&](llvm::BasicBlock *latch) { return dominators.dominates(&barrier, latch); });
  }

  void noteNeedless(llvm::BasicBlock &header) {
    for (llvm::Instruction &instruction : header)
      if (runtimeName(instruction) == "iteration")
        result_.needless.insert(&instruction);
  }

  /// A loop with a cut in it starts a region with each iteration, or else its first would be copied.
  void cutLoops(llvm::ArrayRef<llvm::BasicBlock *> barriers, const Blocks &deciding,
                const Controllers &controllers, LiveValues &values) {
    llvm::DominatorTree dominators(function_);
    llvm::LoopInfo loops(dominators);
    llvm::SmallSetVector<llvm::BasicBlock *, 8> headers;
    for (llvm::BasicBlock *barrier : barriers)
      for (llvm::Loop *loop = loops.getLoopFor(barrier); loop; loop = loop->getParentLoop()) {
        if (isInEachIteration(*barrier, *loop, dominators))
          noteNeedless(*loop->getHeader());
        const Blocks &mine = controllers.of(*loop->getHeader());
        if (llvm::all_of(mine, [&](llvm::BasicBlock *block) { return deciding.contains(block); }))
          headers.insert(loop->getHeader());
      }
    for (llvm::BasicBlock *header : headers) {
      values.storePhis(*header);
      llvm::SplitBlock(header, header->getFirstNonPHIIt());
      result_.cuts.insert(header);
    }
  }

  /// The branch alone becomes the cut; each way on starts in a block of its own.
  void cutBranch(llvm::BasicBlock &given) {
    // Where a loop's header was cut, its code and its branch are in what was split off.
    llvm::BasicBlock *block = &given;
    if (result_.cuts.contains(block))
      block = block->getSingleSuccessor();
    llvm::BasicBlock *cut = llvm::SplitBlock(block, block->getTerminator());
    llvm::Instruction *branch = cut->getTerminator();
    for (unsigned i = 0; i < branch->getNumSuccessors(); ++i) {
      llvm::BasicBlock *successor = branch->getSuccessor(i);
      llvm::BasicBlock *way = llvm::BasicBlock::Create(function_.getContext(), "way", &function_, successor);
      llvm::BranchInst::Create(successor, way);
      branch->setSuccessor(i, way);
      for (llvm::PHINode &phi : successor->phis())
        phi.setIncomingBlock(static_cast<unsigned>(phi.getBasicBlockIndex(cut)), way);
    }
    result_.cuts.insert(cut);
  }

  bool formRegions() {
    llvm::SmallSetVector<llvm::BasicBlock *, 16> starts;
    starts.insert(&function_.getEntryBlock());
    for (llvm::BasicBlock *cut : result_.cuts)
      for (llvm::BasicBlock *next : llvm::successors(cut)) {
        if (!next->phis().empty() || result_.cuts.contains(next))
          return false;
        starts.insert(next);
      }
    for (llvm::BasicBlock *start : starts) {
      std::optional<Region> region = regionAt(*start);
      if (!region)
        return false;
      result_.regions.push_back(std::move(*region));
    }
    return result_.regions.size() <= mostRegions;
  }

  /// Nothing where threads might leave it at different places, which the proof rules out.
  std::optional<Region> regionAt(llvm::BasicBlock &start) {
    Region region;
    region.start = &start;
    region.blocks.insert(&start);
    bool returns = false;
    for (size_t i = 0; i < region.blocks.size(); ++i) {
      llvm::BasicBlock *block = region.blocks[i];
      returns |= llvm::isa<llvm::ReturnInst>(block->getTerminator());
      for (llvm::BasicBlock *next : llvm::successors(block)) {
        if (!result_.cuts.contains(next)) {
          region.blocks.insert(next);
          continue;
        }
        if (region.end && region.end != next)
          return std::nullopt;
        region.end = next;
      }
    }
    if (region.end && returns)
      return std::nullopt;
    return region;
  }

  bool isTooLarge() const {
    size_t copied = 0;
    for (const Region &region : result_.regions)
      for (const llvm::BasicBlock *block : region.blocks)
        copied += block->size();
    constexpr size_t small = 500;
    return copied > small + mostGrowth * function_.getInstructionCount();
  }

  llvm::Function &function_;
  CutFunction result_;
};

} // namespace

std::optional<CutFunction> cutIntoRegions(llvm::Function &function) {
  return Cutter(function).run();
}

} // namespace warpwright::vdevice
