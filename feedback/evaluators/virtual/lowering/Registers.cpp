#include "feedback/evaluators/virtual/lowering/Registers.h"

#include "analysis/simt/SpecialRegister.h"
#include "feedback/evaluators/virtual/execution/ThreadContext.h"
#include "feedback/evaluators/virtual/lowering/LoweringState.h"

namespace warpwright::vdevice {
namespace {

using Register = simt::SpecialRegister;

class Reader {
public:
  Reader(LoweringState &state, llvm::IRBuilderBase &builder) : state_(state), builder_(builder) {}

  llvm::Value *read(llvm::StringRef name) {
    if (std::optional<Register> known = simt::findSpecialRegister(name))
      return ofThread(*known);
    if (name == "reserved_smem_offset_begin" || name == "reserved_smem_offset_0")
      return builder_.getInt32(0);
    // Where the scratch memory of cooperative groups begins.
    if (name == "reserved_smem_offset_1")
      return builder_.getInt32(systemShared / 2);
    // One multiprocessor, whatever the number of workers: programs have arrays of as many elements as there
    // are.
    if (name == "nsmid")
      return builder_.getInt32(1);
    if (name == "smid" || name == "gridid")
      return builder_.getInt32(0);
    if (name == "clock" || name == "clock_hi" || name == "clock64" || name.starts_with("globaltimer")) {
      llvm::Value *clock = state_.callRuntime(builder_, "warpwright.clock", builder_.getInt64Ty(), {});
      return name.ends_with("hi") ? builder_.CreateLShr(clock, 32) : clock;
    }
    return nullptr;
  }

private:
  llvm::Value *member(size_t offset, unsigned element = 0) {
    return state_.readContext(builder_, offset + element * sizeof(uint32_t), builder_.getInt32Ty());
  }

  llvm::Value *ofThread(Register which) {
    switch (which) {
    case Register::TidX:
    case Register::TidY:
    case Register::TidZ:
      return member(offsetof(ThreadContext, thread), dimension(which, Register::TidX));
    case Register::NTidX:
    case Register::NTidY:
    case Register::NTidZ:
      return member(offsetof(ThreadContext, blockExtent), dimension(which, Register::NTidX));
    case Register::CtaIdX:
    case Register::CtaIdY:
    case Register::CtaIdZ:
      return member(offsetof(ThreadContext, block), dimension(which, Register::CtaIdX));
    case Register::NCtaIdX:
    case Register::NCtaIdY:
    case Register::NCtaIdZ:
      return member(offsetof(ThreadContext, gridExtent), dimension(which, Register::NCtaIdX));
    case Register::LaneId:
      return member(offsetof(ThreadContext, lane));
    case Register::WarpId:
      return member(offsetof(ThreadContext, warp));
    case Register::NWarpId:
      return member(offsetof(ThreadContext, warps));
    case Register::WarpSize:
      return builder_.getInt32(32);
    case Register::DynamicSharedSize:
      return member(offsetof(ThreadContext, dynamicSharedBytes));
    case Register::TotalSharedSize:
      return member(offsetof(ThreadContext, sharedBytes));
    default:
      return laneMask(which);
    }
  }

  static unsigned dimension(Register which, Register first) {
    return static_cast<unsigned>(which) - static_cast<unsigned>(first);
  }

  /// Bits of the lanes that stand in the given relation to this one.
  llvm::Value *laneMask(Register which) {
    llvm::Value *equal = builder_.CreateShl(builder_.getInt32(1), ofThread(Register::LaneId));
    llvm::Value *less = builder_.CreateSub(equal, builder_.getInt32(1));
    switch (which) {
    case Register::LaneMaskEq:
      return equal;
    case Register::LaneMaskLt:
      return less;
    case Register::LaneMaskLe:
      return builder_.CreateOr(less, equal);
    case Register::LaneMaskGe:
      return builder_.CreateNot(less);
    case Register::LaneMaskGt:
      return builder_.CreateNot(builder_.CreateOr(less, equal));
    default:
      return nullptr;
    }
  }

  LoweringState &state_;
  llvm::IRBuilderBase &builder_;
};

} // namespace

llvm::Value *readRegister(LoweringState &state, llvm::IRBuilderBase &builder, llvm::StringRef name,
                          llvm::Type *type) {
  llvm::Value *value = Reader(state, builder).read(name);
  return value ? builder.CreateZExtOrTrunc(value, type) : nullptr;
}

} // namespace warpwright::vdevice
