#include "feedback/evaluators/virtual/lowering/MatrixBuilder.h"

#include "feedback/evaluators/virtual/execution/ThreadContext.h"
#include "feedback/evaluators/virtual/lowering/CollectiveCalls.h"
#include "feedback/evaluators/virtual/lowering/LoweringState.h"

#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace warpwright::vdevice {

llvm::SmallVector<llvm::Value *, 8> MatrixBuilder::perform(const MatrixOperation &operation,
                                                           llvm::ArrayRef<llvm::Value *> words,
                                                           unsigned results) {
  size_t count = std::max<size_t>({words.size(), results, 4});
  llvm::Function *function = builder_.GetInsertBlock()->getParent();
  llvm::Type *type = llvm::ArrayType::get(builder_.getInt32Ty(), count);
  auto *registers =
      new llvm::AllocaInst(type, 0, nullptr, llvm::Align(8), "", function->getEntryBlock().begin());
  auto place = [&](size_t i) {
    return builder_.CreateConstInBoundsGEP1_64(builder_.getInt32Ty(), registers, i);
  };
  for (size_t i = 0; i < words.size(); ++i)
    builder_.CreateStore(words[i], place(i));
  uint64_t code = operation.encode();
  constexpr uint32_t allLanes = ~uint32_t(0);
  CollectiveBuilder(state_, builder_, origin_)
      .collective(CollectiveKind::Matrix, builder_.getInt32(allLanes),
                  builder_.CreatePtrToInt(registers, builder_.getInt64Ty()),
                  builder_.getInt32(static_cast<uint32_t>(code)),
                  builder_.getInt32(static_cast<uint32_t>(code >> 32)));
  llvm::SmallVector<llvm::Value *, 8> out;
  for (unsigned i = 0; i < results; ++i)
    out.push_back(builder_.CreateLoad(builder_.getInt32Ty(), place(i)));
  return out;
}

void MatrixBuilder::forFirstLanes(unsigned lanes, llvm::function_ref<void()> build) {
  constexpr unsigned warpSize = 32;
  if (lanes >= warpSize)
    return build();
  llvm::Value *lane = state_.readContext(builder_, offsetof(ThreadContext, lane), builder_.getInt32Ty());
  llvm::Value *isFirst = builder_.CreateICmpULT(lane, builder_.getInt32(lanes));
  builder_.SetInsertPoint(
      llvm::SplitBlockAndInsertIfThen(isFirst, origin_.getIterator(), /*Unreachable=*/false));
  build();
  builder_.SetInsertPoint(&origin_);
}

} // namespace warpwright::vdevice
