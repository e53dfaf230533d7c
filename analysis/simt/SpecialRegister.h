#pragma once

#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <optional>

namespace warpwright::simt {

/// What a thread can read of its place in a launch, in the order of Instruction::detail.
enum class SpecialRegister : uint8_t {
  TidX,
  TidY,
  TidZ,
  NTidX,
  NTidY,
  NTidZ,
  CtaIdX,
  CtaIdY,
  CtaIdZ,
  NCtaIdX,
  NCtaIdY,
  NCtaIdZ,
  LaneId,
  WarpId,
  NWarpId,
  WarpSize,
  DynamicSharedSize,
  TotalSharedSize,
  LaneMaskEq,
  LaneMaskLt,
  LaneMaskLe,
  LaneMaskGt,
  LaneMaskGe,
  Zero,
  One,
  Unpredictable
};

/// By the name that PTX gives it ("tid.x") or an intrinsic of LLVM ("lanemask.lt"), without what stands
/// before it. None where the value does not follow from the launch and the thread's place in it, nor for
/// those of clusters, of which device IR does not say how large they are.
std::optional<SpecialRegister> findSpecialRegister(llvm::StringRef name);

} // namespace warpwright::simt
