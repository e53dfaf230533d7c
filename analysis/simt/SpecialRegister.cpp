#include "analysis/simt/SpecialRegister.h"

#include <llvm/ADT/StringSwitch.h>

namespace warpwright::simt {

std::optional<SpecialRegister> findSpecialRegister(llvm::StringRef name) {
  using R = SpecialRegister;
  return llvm::StringSwitch<std::optional<R>>(name)
      .Case("ctaid.x", R::CtaIdX)
      .Case("ctaid.y", R::CtaIdY)
      .Case("ctaid.z", R::CtaIdZ)
      .Case("dynamic_smem_size", R::DynamicSharedSize)
      .Case("laneid", R::LaneId)
      .Cases({"lanemask.eq", "lanemask_eq"}, R::LaneMaskEq)
      .Cases({"lanemask.ge", "lanemask_ge"}, R::LaneMaskGe)
      .Cases({"lanemask.gt", "lanemask_gt"}, R::LaneMaskGt)
      .Cases({"lanemask.le", "lanemask_le"}, R::LaneMaskLe)
      .Cases({"lanemask.lt", "lanemask_lt"}, R::LaneMaskLt)
      .Case("nctaid.x", R::NCtaIdX)
      .Case("nctaid.y", R::NCtaIdY)
      .Case("nctaid.z", R::NCtaIdZ)
      .Case("ntid.x", R::NTidX)
      .Case("ntid.y", R::NTidY)
      .Case("ntid.z", R::NTidZ)
      .Case("nwarpid", R::NWarpId)
      .Case("tid.x", R::TidX)
      .Case("tid.y", R::TidY)
      .Case("tid.z", R::TidZ)
      .Case("total_smem_size", R::TotalSharedSize)
      .Case("warpid", R::WarpId)
      .Cases({"warpsize", "WARP_SZ"}, R::WarpSize)
      .Default(std::nullopt);
}

} // namespace warpwright::simt
