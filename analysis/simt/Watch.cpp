#include "analysis/simt/Watch.h"

#include "analysis/simt/Bind.h"
#include "analysis/simt/Decode.h"
#include "analysis/simt/Warp.h"
#include "analysis/simt/Watcher.h"

#include <llvm/IR/Function.h>

namespace warpwright::simt {
namespace {

class Watching {
public:
  Watching(const llvm::Function &kernel, const Launch &launch, const SimtOptions &options)
      : kernel_(kernel), launch_(launch), options_(options),
        program_(decodeProgram(kernel, /*forWatch=*/true)), memory_(*program_, launch.dynamicSharedBytes),
        costs_(program_->sites.size()), watcher_(*program_) {}

  llvm::Expected<std::vector<Hazard>> run() {
    llvm::Expected<std::vector<Slot>> parameters =
        bindArguments(kernel_, launch_, options_, memory_.parameters());
    if (!parameters)
      return parameters.takeError();
    parameters_ = std::move(*parameters);
    std::array<uint64_t, 3> last = {launch_.grid.x - 1, launch_.grid.y - 1, launch_.grid.z - 1};
    watchBlock({0, 0, 0});
    if (last != std::array<uint64_t, 3>{0, 0, 0})
      watchBlock(last);
    return watcher_.take();
  }

private:
  void watchBlock(std::array<uint64_t, 3> index) {
    uint64_t threads = launch_.block.count(), count = (threads + warpSize - 1) / warpSize;
    if (program_->kernel->slots * count > mostRegistersAtOnce)
      return;
    Tally tally;
    tally.sites.resize(program_->sites.size());
    tally.branches.resize(program_->branches.size());
    Doubts doubts;
    doubts.dataSites.resize(program_->sites.size());
    doubts.seenUnknown.resize(program_->unknown.size());
    WarpContext shared{*program_,
                       memory_,
                       tally,
                       doubts,
                       costs_,
                       {launch_.grid.x, launch_.grid.y, launch_.grid.z},
                       {launch_.block.x, launch_.block.y, launch_.block.z},
                       launch_.dynamicSharedBytes,
                       options_.stepBudget,
                       mostRegistersAtOnce / count};
    shared.watcher = &watcher_;
    watcher_.startBlock(threads);
    runBlock(shared, index, count, parameters_);
    if (!doubts.outOfSteps)
      watcher_.endBlock();
  }

  const llvm::Function &kernel_;
  const Launch &launch_;
  const SimtOptions &options_;
  std::unique_ptr<Program> program_;
  DeviceMemory memory_;
  CostCache costs_;
  Watcher watcher_;
  std::vector<Slot> parameters_;
};

} // namespace

llvm::Expected<std::vector<Hazard>> watchLaunch(const llvm::Function &kernel, const Launch &launch,
                                                const SimtOptions &options) {
  if (llvm::Error error = checkLaunch(kernel, launch))
    return std::move(error);
  return Watching(kernel, launch, options).run();
}

} // namespace warpwright::simt
