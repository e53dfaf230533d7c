#include "feedback/evaluators/virtual/lowering/Entry.h"

#include "feedback/evaluators/virtual/execution/ThreadContext.h"
#include "feedback/evaluators/virtual/lowering/ThreadLoops.h"

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

  void buildBlock() {
    llvm::SmallVector<llvm::Value *> arguments = loadArguments();
    ThreadLoops loops(builder_, function_->getArg(0));
    call(loops.context(), arguments);
    if (state_.isWatched())
      state_.callRuntime(builder_, "warpwright.thread_end", builder_.getVoidTy(), {loops.context()});
    loops.close();
    builder_.CreateRetVoid();
  }

private:
  llvm::Value *member(llvm::Value *context, size_t offset) {
    return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), context, offset);
  }
  llvm::Value *load(llvm::Value *context, size_t offset, llvm::Type *type) {
    return builder_.CreateLoad(type, member(context, offset));
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
