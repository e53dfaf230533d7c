#include "feedback/evaluators/virtual/lowering/Coroutine.h"

#include "feedback/evaluators/virtual/lowering/Entry.h"
#include "feedback/evaluators/virtual/lowering/Waiting.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace warpwright::vdevice {
namespace {

using llvm::Intrinsic::ID;

class CoroutineBuilder {
public:
  CoroutineBuilder(LoweringState &state, llvm::Function &thread)
      : state_(state), builder_(state.module.getContext()) {
    llvm::Type *pointer = builder_.getPtrTy();
    function_ = llvm::Function::Create(llvm::FunctionType::get(pointer, {pointer, pointer}, false),
                                       llvm::GlobalValue::ExternalLinkage, coroutineEntry, state.module);
    function_->addFnAttr(llvm::Attribute::PresplitCoroutine);
    function_->setDoesNotThrow();
    function_->splice(function_->begin(), &thread);
    thread.getArg(0)->replaceAllUsesWith(function_->getArg(0));
  }

  void run() {
    llvm::SmallVector<llvm::CallInst *> calls;
    llvm::SmallVector<llvm::ReturnInst *> returns;
    for (llvm::Instruction &instruction : llvm::instructions(*function_)) {
      if (waitsOrEnds(instruction))
        calls.push_back(llvm::cast<llvm::CallInst>(&instruction));
      if (auto *end = llvm::dyn_cast<llvm::ReturnInst>(&instruction))
        returns.push_back(end);
    }
    begin();
    for (llvm::ReturnInst *end : returns) {
      llvm::BranchInst::Create(final_, end->getIterator());
      end->eraseFromParent();
    }
    for (llvm::CallInst *call : calls)
      runtimeName(*call) == "exit" ? end(*call) : suspendAt(*call);
  }

private:
  llvm::Value *intrinsic(ID id, llvm::ArrayRef<llvm::Value *> arguments,
                         llvm::ArrayRef<llvm::Type *> types = {}) {
    return builder_.CreateIntrinsic(id, types, arguments);
  }

  llvm::BasicBlock *block(const char *name) {
    return llvm::BasicBlock::Create(builder_.getContext(), name, function_);
  }

  /// In front of the thread's own code: the question for the size of a frame, and the start of the coroutine.
  /// Behind it: the end, and the way out of every suspension.
  void begin() {
    llvm::BasicBlock *body = &function_->getEntryBlock();
    llvm::BasicBlock *entry = llvm::BasicBlock::Create(builder_.getContext(), "entry", function_, body);
    llvm::BasicBlock *size = block("size"), *start = block("start");
    out_ = block("out");
    final_ = block("final");
    llvm::Value *none = llvm::ConstantPointerNull::get(builder_.getPtrTy());
    builder_.SetInsertPoint(entry);
    llvm::Value *id = intrinsic(llvm::Intrinsic::coro_id, {builder_.getInt32(16), none, none, none});
    builder_.CreateCondBr(builder_.CreateIsNull(function_->getArg(1)), size, start);
    builder_.SetInsertPoint(size);
    builder_.CreateRet(builder_.CreateIntToPtr(
        intrinsic(llvm::Intrinsic::coro_size, {}, {builder_.getInt64Ty()}), builder_.getPtrTy()));
    builder_.SetInsertPoint(start);
    llvm::Value *handle = intrinsic(llvm::Intrinsic::coro_begin, {id, function_->getArg(1)});
    builder_.CreateBr(body);
    builder_.SetInsertPoint(out_);
    llvm::Value *token = llvm::ConstantTokenNone::get(builder_.getContext());
    intrinsic(llvm::Intrinsic::coro_end, {handle, builder_.getFalse(), token});
    builder_.CreateRet(handle);
    builder_.SetInsertPoint(final_);
    llvm::BasicBlock *never = block("never");
    suspend(/*isFinal=*/true, never);
    builder_.SetInsertPoint(never);
    builder_.CreateUnreachable();
  }

  void suspend(bool isFinal, llvm::BasicBlock *resumed) {
    llvm::Value *token = llvm::ConstantTokenNone::get(builder_.getContext());
    llvm::Value *how = intrinsic(llvm::Intrinsic::coro_suspend, {token, builder_.getInt1(isFinal)});
    llvm::SwitchInst *choice = builder_.CreateSwitch(how, out_, 2);
    choice->addCase(builder_.getInt8(0), resumed);
    choice->addCase(builder_.getInt8(1), out_);
  }

  /// The runtime says whether the thread may go on at once; if not it is suspended until it may. Then it asks
  /// for the result if it wants it.
  void suspendAt(llvm::CallInst &call) {
    llvm::BasicBlock *before = call.getParent();
    llvm::BasicBlock *after = llvm::SplitBlock(before, &call);
    before->getTerminator()->eraseFromParent();
    builder_.SetInsertPoint(before);
    llvm::SmallVector<llvm::Value *> arguments(call.args());
    llvm::Value *goesOn = state_.callRuntime(
        builder_, (call.getCalledFunction()->getName() + "_arrive").str(), builder_.getInt1Ty(), arguments);
    llvm::BasicBlock *wait = block("wait");
    builder_.CreateCondBr(goesOn, after, wait);
    builder_.SetInsertPoint(wait);
    suspend(/*isFinal=*/false, after);
    if (!call.use_empty()) {
      builder_.SetInsertPoint(&call);
      llvm::Value *result =
          state_.callRuntime(builder_, "warpwright.result", builder_.getInt64Ty(), {function_->getArg(0)});
      call.replaceAllUsesWith(builder_.CreateTrunc(result, call.getType()));
    }
    call.eraseFromParent();
  }

  void end(llvm::CallInst &call) {
    llvm::BasicBlock *before = call.getParent();
    llvm::SplitBlock(before, &call);
    before->getTerminator()->eraseFromParent();
    builder_.SetInsertPoint(before);
    builder_.CreateBr(final_);
    call.eraseFromParent();
  }

  LoweringState &state_;
  llvm::IRBuilder<> builder_;
  llvm::Function *function_ = nullptr;
  llvm::BasicBlock *out_ = nullptr;
  llvm::BasicBlock *final_ = nullptr;
};

} // namespace

bool makeCoroutine(LoweringState &state) {
  llvm::Function *thread = state.module.getFunction(threadEntry);
  assert(thread && "entries are made before");
  if (!inlineWaiting(state, *thread))
    return false;
  CoroutineBuilder(state, *thread).run();
  thread->eraseFromParent();
  return true;
}

} // namespace warpwright::vdevice
