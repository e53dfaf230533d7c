#include "feedback/evaluators/virtual/lowering/Hooks.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace warpwright::vdevice {
namespace {

class Hooker {
public:
  Hooker(LoweringState &state, llvm::Instruction &instruction, uint32_t site)
      : state_(state), instruction_(instruction), builder_(&instruction), site_(site) {}

  void run() {
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction_))
      return hook(load->getOperandUse(load->getPointerOperandIndex()), sizeOf(load->getType()), nullptr);
    if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction_))
      return hook(store->getOperandUse(store->getPointerOperandIndex()),
                  sizeOf(store->getValueOperand()->getType()), store->getValueOperand());
    if (auto *atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction_))
      return hook(atomic->getOperandUse(atomic->getPointerOperandIndex()), sizeOf(atomic->getType()),
                  nullptr);
    if (auto *exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction_))
      return hook(exchange->getOperandUse(exchange->getPointerOperandIndex()),
                  sizeOf(exchange->getNewValOperand()->getType()), nullptr);
    if (auto *memory = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction_))
      return hookIntrinsic(*memory);
    auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction_);
    llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
    // Calls of the runtime that make accesses ask the monitor themselves.
    if (callee && callee->getName().starts_with("__nv_"))
      hookLibraryCall(*call);
  }

private:
  llvm::Value *sizeOf(llvm::Type *type) {
    return builder_.getInt32(state_.module.getDataLayout().getTypeStoreSize(type).getFixedValue());
  }

  simt::AccessKind kind() const { return state_.index.sites[site_].kind; }

  /// The bits that a store of up to 8 bytes writes, or null.
  llvm::Value *bitsOf(llvm::Value *value) {
    constexpr unsigned widest = 64;
    llvm::Type *type = value ? value->getType() : nullptr;
    if (!type || type->isAggregateType())
      return nullptr;
    unsigned bits = state_.module.getDataLayout().getTypeSizeInBits(type).getFixedValue();
    if (bits > widest || (type->isVectorTy() && type->isPtrOrPtrVectorTy()))
      return nullptr;
    if (type->isPointerTy())
      return builder_.CreatePtrToInt(value, builder_.getInt64Ty());
    return builder_.CreateZExt(builder_.CreateBitCast(value, builder_.getIntNTy(bits)),
                               builder_.getInt64Ty());
  }

  void hook(llvm::Use &pointer, llvm::Value *bytes, llvm::Value *value) {
    llvm::SmallVector<llvm::Value *> arguments = {instruction_.getFunction()->getArg(0),
                                                  builder_.getInt32(site_), pointer.get(), bytes,
                                                  builder_.getInt32(static_cast<uint32_t>(kind()))};
    llvm::Value *bits = bitsOf(value);
    if (bits)
      arguments.push_back(bits);
    pointer.set(state_.callRuntime(builder_, bits ? "warpwright.access_value" : "warpwright.access",
                                   builder_.getPtrTy(), arguments));
  }

  /// A copy reads, then writes; either side may be memory that nobody watches.
  void hookIntrinsic(llvm::MemIntrinsic &memory) {
    llvm::Value *bytes = builder_.CreateZExtOrTrunc(memory.getLength(), builder_.getInt32Ty());
    const Site &first = state_.index.sites[site_];
    if (kind() == simt::AccessKind::Load) {
      hook(memory.getOperandUse(1), bytes, nullptr);
      bool both = site_ + 1 < state_.index.sites.size() &&
                  state_.index.sites[site_ + 1].instruction == first.instruction;
      if (!both)
        return;
      ++site_;
    }
    hook(memory.getOperandUse(0), bytes, nullptr);
  }

  /// A store through each pointer, as the sites are numbered.
  void hookLibraryCall(llvm::CallInst &call) {
    for (llvm::Use &argument : call.args())
      if (argument->getType()->isPointerTy()) {
        hook(argument, builder_.getInt32(state_.index.sites[site_].bytes), nullptr);
        ++site_;
      }
  }

  LoweringState &state_;
  llvm::Instruction &instruction_;
  llvm::IRBuilder<> builder_;
  uint32_t site_;
};

} // namespace

void insertHooks(LoweringState &state) {
  for (llvm::Function *function : state.functions)
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(*function)))
      if (std::optional<uint32_t> site = state.siteOf(instruction))
        Hooker(state, instruction, *site).run();
}

} // namespace warpwright::vdevice
