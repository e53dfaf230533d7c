#include "feedback/evaluators/virtual/lowering/Registers.h"

#include "feedback/evaluators/virtual/execution/ThreadContext.h"
#include "feedback/evaluators/virtual/lowering/LoweringState.h"

namespace warpwright::vdevice {
namespace {

struct Row {
  llvm::StringLiteral name;
  size_t offset; ///< of a member of 32 bits
};

constexpr size_t second = sizeof(uint32_t);
constexpr size_t third = 2 * sizeof(uint32_t);

/// Those of clusters are not among them: device IR does not say how many blocks a cluster has.
constexpr Row rows[] = {
    {"ctaid.x", offsetof(ThreadContext, block)},
    {"ctaid.y", offsetof(ThreadContext, block) + second},
    {"ctaid.z", offsetof(ThreadContext, block) + third},
    {"dynamic_smem_size", offsetof(ThreadContext, dynamicSharedBytes)},
    {"laneid", offsetof(ThreadContext, lane)},
    {"nctaid.x", offsetof(ThreadContext, gridExtent)},
    {"nctaid.y", offsetof(ThreadContext, gridExtent) + second},
    {"nctaid.z", offsetof(ThreadContext, gridExtent) + third},
    {"ntid.x", offsetof(ThreadContext, blockExtent)},
    {"ntid.y", offsetof(ThreadContext, blockExtent) + second},
    {"ntid.z", offsetof(ThreadContext, blockExtent) + third},
    {"nwarpid", offsetof(ThreadContext, warps)},
    {"tid.x", offsetof(ThreadContext, thread)},
    {"tid.y", offsetof(ThreadContext, thread) + second},
    {"tid.z", offsetof(ThreadContext, thread) + third},
    {"total_smem_size", offsetof(ThreadContext, sharedBytes)},
    {"warpid", offsetof(ThreadContext, warp)},
};

/// Bits of the lanes that stand in the given relation to this one.
llvm::Value *laneMask(LoweringState &state, llvm::IRBuilderBase &builder, llvm::StringRef relation) {
  llvm::Value *lane = state.readContext(builder, offsetof(ThreadContext, lane), builder.getInt32Ty());
  llvm::Value *equal = builder.CreateShl(builder.getInt32(1), lane);
  llvm::Value *less = builder.CreateSub(equal, builder.getInt32(1));
  if (relation == "eq")
    return equal;
  if (relation == "lt")
    return less;
  if (relation == "le")
    return builder.CreateOr(less, equal);
  if (relation == "ge")
    return builder.CreateNot(less);
  if (relation == "gt")
    return builder.CreateNot(builder.CreateOr(less, equal));
  return nullptr;
}

llvm::Value *readPlain(LoweringState &state, llvm::IRBuilderBase &builder, llvm::StringRef name) {
  for (const Row &row : rows)
    if (row.name == name)
      return state.readContext(builder, row.offset, builder.getInt32Ty());
  if (name.consume_front("lanemask_") || name.consume_front("lanemask."))
    return laneMask(state, builder, name);
  if (name == "warpsize" || name == "WARP_SZ")
    return builder.getInt32(32);
  if (name == "reserved_smem_offset_begin" || name == "reserved_smem_offset_0")
    return builder.getInt32(0);
  // Where the scratch memory of cooperative groups begins.
  if (name == "reserved_smem_offset_1")
    return builder.getInt32(systemShared / 2);
  // One multiprocessor, whatever the number of workers: programs have arrays of as many elements as there
  // are.
  if (name == "nsmid")
    return builder.getInt32(1);
  if (name == "smid" || name == "gridid")
    return builder.getInt32(0);
  if (name == "clock" || name == "clock_hi" || name == "clock64" || name.starts_with("globaltimer")) {
    llvm::Value *clock = state.callRuntime(builder, "warpwright.clock", builder.getInt64Ty(), {});
    bool high = name.ends_with("hi");
    return high ? builder.CreateLShr(clock, 32) : clock;
  }
  return nullptr;
}

} // namespace

llvm::Value *readRegister(LoweringState &state, llvm::IRBuilderBase &builder, llvm::StringRef name,
                          llvm::Type *type) {
  llvm::Value *value = readPlain(state, builder, name);
  return value ? builder.CreateZExtOrTrunc(value, type) : nullptr;
}

} // namespace warpwright::vdevice
