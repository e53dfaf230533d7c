#include "feedback/evaluators/virtual/lowering/Entry.h"

#include "feedback/evaluators/virtual/execution/ThreadContext.h"

namespace warpwright::vdevice {
namespace {

class EntryBuilder {
public:
  EntryBuilder(LoweringState &state, const char *name)
      : state_(state), context_(state.module.getContext()), builder_(context_) {
    llvm::Type *pointer = builder_.getPtrTy();
    function_ = llvm::Function::Create(llvm::FunctionType::get(builder_.getVoidTy(), {pointer}, false),
                                       llvm::GlobalValue::ExternalLinkage, name, state.module);
    function_->setDoesNotThrow();
    builder_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", function_));
  }

  void buildThread() {
    call(function_->getArg(0), loadArguments());
    builder_.CreateRetVoid();
  }

  /// for z, for y, for x: a copy of the context with these indices, and a call.
  void buildBlock() {
    llvm::Value *given = function_->getArg(0);
    llvm::SmallVector<llvm::Value *> arguments = loadArguments();
    llvm::AllocaInst *own =
        builder_.CreateAlloca(llvm::ArrayType::get(builder_.getInt8Ty(), sizeof(ThreadContext)));
    own->setAlignment(llvm::Align(alignof(ThreadContext)));
    builder_.CreateMemCpy(own, own->getAlign(), given, llvm::Align(alignof(ThreadContext)),
                          sizeof(ThreadContext));
    llvm::Value *steps = load(given, offsetof(ThreadContext, stepsLeft), builder_.getInt64Ty());
    llvm::Value *local = load(given, offsetof(ThreadContext, local), builder_.getPtrTy());
    llvm::Value *localBytes = load(given, offsetof(ThreadContext, localBytes), builder_.getInt64Ty());
    llvm::Value *extent[3];
    for (unsigned i = 0; i < 3; ++i)
      extent[i] =
          load(given, offsetof(ThreadContext, blockExtent) + i * sizeof(uint32_t), builder_.getInt32Ty());
    llvm::BasicBlock *preheader = builder_.GetInsertBlock();
    llvm::BasicBlock *header[3], *latch[3];
    llvm::PHINode *index[3], *linear[3];
    for (unsigned i = 3; i-- > 0;) {
      header[i] = llvm::BasicBlock::Create(context_, "thread", function_);
      builder_.CreateBr(header[i]);
      builder_.SetInsertPoint(header[i]);
      index[i] = builder_.CreatePHI(builder_.getInt32Ty(), 2);
      linear[i] = builder_.CreatePHI(builder_.getInt32Ty(), 2);
      llvm::BasicBlock *from = i == 2 ? preheader : header[i + 1];
      index[i]->addIncoming(builder_.getInt32(0), from);
      linear[i]->addIncoming(i == 2 ? static_cast<llvm::Value *>(builder_.getInt32(0)) : linear[i + 1], from);
    }
    for (unsigned i = 0; i < 3; ++i)
      store(own, offsetof(ThreadContext, thread) + i * sizeof(uint32_t), index[i]);
    llvm::Value *thread = linear[0];
    store(own, offsetof(ThreadContext, linear), thread);
    store(own, offsetof(ThreadContext, lane), builder_.CreateAnd(thread, 31));
    store(own, offsetof(ThreadContext, warp), builder_.CreateLShr(thread, 5));
    store(own, offsetof(ThreadContext, stepsLeft), steps);
    store(own, offsetof(ThreadContext, recursionTop), builder_.getInt64(0));
    llvm::Value *offset = builder_.CreateMul(builder_.CreateZExt(thread, builder_.getInt64Ty()), localBytes);
    store(own, offsetof(ThreadContext, local), builder_.CreateGEP(builder_.getInt8Ty(), local, offset));
    call(own, arguments);
    if (state_.isWatched())
      state_.callRuntime(builder_, "warpwright.thread_end", builder_.getVoidTy(), {own});
    llvm::Value *next = builder_.CreateAdd(thread, builder_.getInt32(1));
    for (unsigned i = 0; i < 3; ++i) {
      latch[i] = builder_.GetInsertBlock();
      llvm::Value *advanced = builder_.CreateNUWAdd(index[i], builder_.getInt32(1));
      index[i]->addIncoming(advanced, latch[i]);
      linear[i]->addIncoming(next, latch[i]);
      llvm::BasicBlock *done = llvm::BasicBlock::Create(context_, "done", function_);
      builder_.CreateCondBr(builder_.CreateICmpULT(advanced, extent[i]), header[i], done);
      builder_.SetInsertPoint(done);
    }
    builder_.CreateRetVoid();
  }

private:
  llvm::Value *member(llvm::Value *context, size_t offset) {
    return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), context, offset);
  }
  llvm::Value *load(llvm::Value *context, size_t offset, llvm::Type *type) {
    return builder_.CreateLoad(type, member(context, offset));
  }
  void store(llvm::Value *context, size_t offset, llvm::Value *value) {
    builder_.CreateStore(value, member(context, offset));
  }

  llvm::SmallVector<llvm::Value *> loadArguments() {
    llvm::Value *block = load(function_->getArg(0), offsetof(ThreadContext, parameters), builder_.getPtrTy());
    llvm::SmallVector<llvm::Value *> arguments;
    const std::vector<DeviceParameter> &parameters = state_.kernelIndex.kernel.parameters;
    for (size_t i = 0; i < parameters.size(); ++i) {
      llvm::Value *place =
          builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), block, parameters[i].offset);
      bool inMemory = state_.kernelIndex.function->getArg(i)->hasByValAttr();
      arguments.push_back(inMemory ? place
                                   : builder_.CreateAlignedLoad(state_.kernel->getArg(i + 1)->getType(),
                                                                place, llvm::Align(1)));
    }
    return arguments;
  }

  void call(llvm::Value *context, llvm::ArrayRef<llvm::Value *> parameters) {
    llvm::SmallVector<llvm::Value *> arguments = {context};
    arguments.append(parameters.begin(), parameters.end());
    llvm::CallInst *call = builder_.CreateCall(state_.kernel, arguments);
    call->addFnAttr(llvm::Attribute::AlwaysInline);
    call->setDoesNotThrow();
  }

  LoweringState &state_;
  llvm::LLVMContext &context_;
  llvm::IRBuilder<> builder_;
  llvm::Function *function_ = nullptr;
};

} // namespace

void addEntries(LoweringState &state) {
  EntryBuilder(state, threadEntry).buildThread();
  if (!state.kernelIndex.usesFibres)
    EntryBuilder(state, blockEntry).buildBlock();
}

} // namespace warpwright::vdevice
