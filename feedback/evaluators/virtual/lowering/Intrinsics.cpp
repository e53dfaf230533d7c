#include "feedback/evaluators/virtual/lowering/Intrinsics.h"

#include "feedback/evaluators/virtual/lowering/AtomicIntrinsics.h"
#include "feedback/evaluators/virtual/lowering/CollectiveCalls.h"
#include "feedback/evaluators/virtual/lowering/MatrixBuilder.h"
#include "feedback/evaluators/virtual/lowering/NvvmArithmetic.h"
#include "feedback/evaluators/virtual/lowering/Registers.h"

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace warpwright::vdevice {
namespace {

void replace(llvm::CallInst &call, llvm::Value *result) {
  if (!call.getType()->isVoidTy())
    call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

/// Calls that run nothing here: hints.
bool isIgnored(llvm::StringRef name) {
  for (llvm::StringRef prefix : {"prefetch", "applypriority", "griddepcontrol", "discard", "setmaxnreg"})
    if (name.starts_with(prefix))
      return true;
  return false;
}

bool isFence(llvm::StringRef name) {
  return name.starts_with("membar.") || name.starts_with("fence.");
}

/// Calls of the user's functions that need the thread's context, or end the thread.
bool lowerWithContext(LoweringState &state, llvm::CallInst &call, llvm::StringRef name) {
  llvm::IRBuilder<> builder(&call);
  llvm::Value *context = call.getFunction()->getArg(0);
  if (name.consume_front("read.ptx.sreg.")) {
    llvm::Value *value = readRegister(state, builder, name, call.getType());
    if (value)
      replace(call, value);
    return value != nullptr;
  }
  if (isFence(name)) {
    bool wide = name.contains("gl") || name.contains("sys") || name.contains("gpu");
    builder.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
    if (wide && state.isWatched())
      state.callRuntime(builder, "warpwright.fence", builder.getVoidTy(), {context});
    call.eraseFromParent();
    return true;
  }
  if (name == "exit") {
    replace(call, state.callRuntime(builder, "warpwright.exit", builder.getVoidTy(), {context}));
    return true;
  }
  if (name == "nanosleep") {
    replace(call, state.callRuntime(builder, "warpwright.yield", builder.getVoidTy(), {context}));
    return true;
  }
  return lowerCollectiveIntrinsic(state, call, name);
}

/// `isspacep`: where an address lies.
llvm::Value *lowerSpaceQuery(LoweringState &state, llvm::CallInst &call, llvm::StringRef space) {
  llvm::IRBuilder<> builder(&call);
  return state.callRuntime(builder, ("warpwright.is_" + space).str(), builder.getInt1Ty(),
                           {call.getFunction()->getArg(0),
                            builder.CreateAddrSpaceCast(call.getArgOperand(0), builder.getPtrTy())});
}

/// ldg, ldu: loads like any other.
void lowerLoad(LoweringState &state, llvm::CallInst &call) {
  llvm::IRBuilder<> builder(&call);
  const auto *alignment = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(1));
  llvm::LoadInst *load = builder.CreateAlignedLoad(
      call.getType(), call.getArgOperand(0), llvm::MaybeAlign(alignment ? alignment->getZExtValue() : 1));
  if (std::optional<uint32_t> site = state.siteOf(call))
    state.setSite(*load, *site);
  replace(call, load);
}

/// cp.async, and the waits for it. The bytes past the size that is given are zero.
bool lowerAsyncCopy(LoweringState &state, llvm::CallInst &call, llvm::StringRef name) {
  if (!name.consume_front("cp.async."))
    return false;
  llvm::IRBuilder<> builder(&call);
  llvm::Value *context = call.getFunction()->getArg(0);
  auto replaceBy = [&](const char *function, llvm::ArrayRef<llvm::Value *> arguments) {
    replace(call, state.callRuntime(builder, function, builder.getVoidTy(), arguments));
    return true;
  };
  if (name == "commit.group")
    return replaceBy("warpwright.async_commit", {context});
  if (name == "wait.group")
    return replaceBy("warpwright.async_wait", {context, call.getArgOperand(0)});
  if (name == "wait.all")
    return replaceBy("warpwright.async_wait_all", {context});
  unsigned bytes = 0;
  if ((!name.consume_front("ca.shared.global.") && !name.consume_front("cg.shared.global.")) ||
      name.consumeInteger(10, bytes))
    return false;
  llvm::Value *size = name == ".s" ? call.getArgOperand(2) : builder.getInt32(bytes);
  return replaceBy("warpwright.async_copy",
                   {context, builder.getInt32(state.siteOf(call).value_or(0)),
                    builder.CreateAddrSpaceCast(call.getArgOperand(0), builder.getPtrTy()),
                    builder.CreateAddrSpaceCast(call.getArgOperand(1), builder.getPtrTy()),
                    builder.getInt32(bytes), size});
}

bool lowerNvvm(LoweringState &state, llvm::CallInst &call, llvm::StringRef name) {
  bool ofUser = state.functions.contains(call.getFunction());
  if (isIgnored(name)) {
    if (!call.getType()->isVoidTy())
      return false;
    call.eraseFromParent();
    return true;
  }
  if (name.starts_with("ldg.") || name.starts_with("ldu.")) {
    lowerLoad(state, call);
    return true;
  }
  if (ofUser && name.consume_front("isspacep.")) {
    if (!llvm::is_contained({"const", "global", "local", "shared"}, name))
      return false;
    replace(call, lowerSpaceQuery(state, call, name));
    return true;
  }
  if (ofUser && (lowerWithContext(state, call, name) || lowerAsyncCopy(state, call, name) ||
                 lowerAtomicIntrinsic(state, call, name) || lowerMatrixIntrinsic(state, call, name)))
    return true;
  llvm::Value *result = buildNvvmArithmetic(state, call, name);
  if (result)
    replace(call, result);
  return result != nullptr;
}

/// Functions of the device's runtime, and what ends a launch.
bool lowerRuntimeCall(LoweringState &state, llvm::CallInst &call, llvm::StringRef name) {
  if (!state.functions.contains(call.getFunction()))
    return false;
  llvm::IRBuilder<> builder(&call);
  llvm::Value *context = call.getFunction()->getArg(0);
  if (name == "vprintf")
    replace(call, state.callRuntime(builder, "warpwright.print", builder.getInt32Ty(),
                                    {context, call.getArgOperand(0), call.getArgOperand(1)}));
  else if (name == "__assertfail" || name == "__assert_fail")
    replace(call, state.callRuntime(builder, "warpwright.assert_failed", builder.getVoidTy(),
                                    {context, state.placeOf(call), call.getArgOperand(0)}));
  else if (name == "llvm.trap" || name == "llvm.ubsantrap" || name == "llvm.debugtrap")
    replace(call, state.callRuntime(builder, "warpwright.trap", builder.getVoidTy(),
                                    {context, state.placeOf(call)}));
  else
    return false;
  return true;
}

/// Intrinsics that mean the same on every machine.
bool isCommon(const llvm::Function &callee) {
  return callee.isIntrinsic() && !callee.getName().starts_with("llvm.nvvm.");
}

void lowerCall(LoweringState &state, llvm::CallInst &call) {
  llvm::Function *callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration())
    return;
  llvm::StringRef name = callee->getName();
  if (name.starts_with("warpwright.") || lowerRuntimeCall(state, call, name))
    return;
  llvm::StringRef stem = name;
  if (stem.consume_front("llvm.nvvm.") && lowerNvvm(state, call, stem))
    return;
  if (isCommon(*callee))
    return;
  if (callee->isIntrinsic())
    return state.notCovered(name);
  state.notCovered(llvm::demangle(name) + ", which is defined elsewhere");
}

} // namespace

void lowerIntrinsics(LoweringState &state) {
  for (llvm::Function &function : state.module)
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
        lowerCall(state, *call);
}

} // namespace warpwright::vdevice
