#include "analysis/ConstantBlock.h"

#include "analysis/KernelAnalysis.h"

namespace warpwright {
namespace {

constexpr uint64_t largestBlock = 1024;

std::optional<Dim3> annotatedBlock(const KernelAnalysis &analysis) {
  Dim3 block;
  uint64_t *extents[] = {&block.x, &block.y, &block.z};
  size_t axis = 0;
  for (const ScalarExpression &extent : analysis.annotation->block->extents) {
    llvm::Expected<int64_t> value = extent.evaluate(analysis.context.constantValues());
    if (!value) {
      llvm::consumeError(value.takeError());
      return std::nullopt;
    }
    if (axis == 3 || *value <= 0 || *value > static_cast<int64_t>(largestBlock))
      return std::nullopt;
    *extents[axis++] = static_cast<uint64_t>(*value);
  }
  return block;
}

} // namespace

std::optional<Dim3> constantBlock(const KernelAnalysis &analysis) {
  if (!analysis.annotation || analysis.annotation->hasLost(ClauseKind::Block))
    return std::nullopt;
  if (!analysis.annotation->block)
    return analysis.launchSites.complete() ? analysis.launchSites.commonBlock() : std::nullopt;
  std::optional<Dim3> block = annotatedBlock(analysis);
  if (!block || block->count() > largestBlock)
    return std::nullopt;
  for (const LaunchSite &site : analysis.launchSites.sites)
    if (site.constantBlock && !(*site.constantBlock == *block))
      return std::nullopt;
  return block;
}

} // namespace warpwright
