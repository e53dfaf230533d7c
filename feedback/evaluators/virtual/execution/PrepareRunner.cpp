// What a BlockRunner has before its first block: memory, stacks, and contexts of threads.

#include "feedback/evaluators/virtual/execution/BlockRunner.h"

#include <llvm/Support/MathExtras.h>

#include <numeric>
#include <random>
#include <utility>

namespace warpwright::vdevice {
namespace {

/// Room after dynamic shared memory that belongs to nothing.
constexpr uint64_t sharedMargin = 65536;

/// What code needs of the stack beside its local arrays.
constexpr size_t plainStack = 65536;
constexpr size_t recursiveStack = size_t(1) << 21;

} // namespace

llvm::Expected<std::unique_ptr<BlockRunner>> BlockRunner::create(LaunchState &launch, Monitor *monitor) {
  std::unique_ptr<BlockRunner> runner(new BlockRunner(launch, monitor));
  if (llvm::Error error = runner->prepare())
    return std::move(error);
  return runner;
}

llvm::Error BlockRunner::prepare() {
  const Launch &launch = launch_.request.launch;
  threadCount_ = static_cast<uint32_t>(launch.block.count());
  llvm::Expected<Arena> shared =
      Arena::create(systemShared + launch_.kernel.shared.bytes + launch.dynamicSharedBytes + sharedMargin);
  if (!shared)
    return shared.takeError();
  shared_ = std::move(*shared);
  llvm::Expected<Arena> local = Arena::create(launch_.kernel.local.bytes * threadCount_);
  if (!local)
    return local.takeError();
  local_ = std::move(*local);
  // Where threads need no stacks of their own one fibre runs them all, so that one that fails can be left
  // where it is.
  const CompiledKernel &code = launch_.code;
  size_t fibres = code.block || code.coroutine ? 1 : threadCount_;
  if (code.coroutine) {
    constexpr size_t cacheLine = 64;
    frameBytes_ = llvm::alignTo(reinterpret_cast<size_t>(code.coroutine(nullptr, nullptr)), cacheLine);
    llvm::Expected<Arena> frames = Arena::create(frameBytes_ * threadCount_);
    if (!frames)
      return frames.takeError();
    frames_ = std::move(*frames);
  }
  if (code.frameBytes) {
    llvm::Expected<Arena> frames = Arena::create(code.frameBytes * threadCount_);
    if (!frames)
      return frames.takeError();
    frames_ = std::move(*frames);
  }
  size_t stack = plainStack + 2 * launch_.kernel.local.bytes + (code.recursive ? recursiveStack : 0);
  llvm::Expected<Fibres> made = Fibres::create(fibres, stack, fibreMain);
  if (!made)
    return made.takeError();
  fibres_ = std::move(*made);
  prepareThreads();
  return llvm::Error::success();
}

void BlockRunner::prepareThreads() {
  const Launch &launch = launch_.request.launch;
  uint32_t warps = llvm::divideCeil(threadCount_, warpSize);
  contexts_.resize(threadCount_);
  everyone_.resize(threadCount_);
  std::iota(everyone_.begin(), everyone_.end(), 0);
  threads_.resize(warps * warpSize);
  warps_.resize(warps);
  for (uint32_t i = 0; i < threadCount_; ++i) {
    ThreadContext &context = contexts_[i];
    Dim3 index = delinearise(i, launch.block);
    uint64_t indices[] = {index.x, index.y, index.z};
    uint64_t blockExtents[] = {launch.block.x, launch.block.y, launch.block.z};
    uint64_t gridExtents[] = {launch.grid.x, launch.grid.y, launch.grid.z};
    for (unsigned d = 0; d < 3; ++d) {
      context.thread[d] = static_cast<uint32_t>(indices[d]);
      context.blockExtent[d] = static_cast<uint32_t>(blockExtents[d]);
      context.gridExtent[d] = static_cast<uint32_t>(gridExtents[d]);
    }
    context.linear = i;
    context.lane = i % warpSize;
    context.warp = i / warpSize;
    context.warps = warps;
    context.dynamicSharedBytes = static_cast<uint32_t>(launch.dynamicSharedBytes);
    context.sharedBytes = static_cast<uint32_t>(launch_.kernel.staticSharedBytes + launch.dynamicSharedBytes);
    context.shared = shared_.data() + systemShared;
    context.local = local_.data() + i * launch_.kernel.local.bytes;
    context.localBytes = launch_.kernel.local.bytes;
    context.parameters = launch_.parameters.data();
    context.variables = launch_.variables.data();
    context.monitor = monitor_;
    context.frames = frames_.data();
    context.runner = this;
    context.shadow = launch_.request.shadow;
  }
  for (uint32_t i = 0; i < warps; ++i)
    warpOrder_.push_back(i);
  if (launch_.request.orderSeed) {
    std::mt19937_64 random(launch_.request.orderSeed);
    for (size_t i = warps; i > 1; --i)
      std::swap(warpOrder_[i - 1], warpOrder_[random() % i]);
  }
}

} // namespace warpwright::vdevice
