#include "feedback/evaluators/virtual/lowering/AtomicIntrinsics.h"

#include "feedback/evaluators/virtual/lowering/LoweringState.h"

#include <llvm/ADT/StringSwitch.h>

namespace warpwright::vdevice {
namespace {

using Operation = llvm::AtomicRMWInst::BinOp;

/// "add.gen.f.cta": operation, then "gen", the type's class ("i" or "f") and the scope.
Operation findOperation(llvm::StringRef operation, bool isFloating) {
  return llvm::StringSwitch<Operation>(operation)
      .Case("add", isFloating ? Operation::FAdd : Operation::Add)
      .Case("and", Operation::And)
      .Case("dec", Operation::UDecWrap)
      .Case("exch", Operation::Xchg)
      .Case("inc", Operation::UIncWrap)
      .Case("max", Operation::Max)
      .Case("min", Operation::Min)
      .Case("or", Operation::Or)
      .Case("xor", Operation::Xor)
      .Default(Operation::BAD_BINOP);
}

} // namespace

bool lowerAtomicIntrinsic(LoweringState &state, llvm::CallInst &call, llvm::StringRef name) {
  if (!name.consume_front("atomic."))
    return false;
  auto [operationName, rest] = name.split('.');
  if (!rest.consume_front("gen."))
    return false;
  llvm::IRBuilder<> builder(&call);
  constexpr auto order = llvm::AtomicOrdering::SequentiallyConsistent;
  llvm::Value *pointer = call.getArgOperand(0);
  llvm::Instruction *atomic = nullptr;
  llvm::Value *result = nullptr;
  if (operationName == "cas") {
    atomic = builder.CreateAtomicCmpXchg(pointer, call.getArgOperand(1), call.getArgOperand(2),
                                         llvm::MaybeAlign(), order, order);
    result = builder.CreateExtractValue(atomic, 0);
  } else {
    Operation operation = findOperation(operationName, call.getType()->isFloatingPointTy());
    if (operation == Operation::BAD_BINOP)
      return false;
    atomic = builder.CreateAtomicRMW(operation, pointer, call.getArgOperand(1), llvm::MaybeAlign(), order);
    result = atomic;
  }
  if (std::optional<uint32_t> site = state.siteOf(call))
    state.setSite(*atomic, *site);
  call.replaceAllUsesWith(result);
  call.eraseFromParent();
  return true;
}

} // namespace warpwright::vdevice
