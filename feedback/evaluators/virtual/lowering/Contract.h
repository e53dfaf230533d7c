#pragma once

#include "feedback/evaluators/virtual/lowering/LoweringState.h"

namespace warpwright::vdevice {

/// Fuses products into sums as nvcc does: where product and sum may both be contracted and the product has no
/// other use. Then takes all liberties with floating point away, so that nothing later takes more. With
/// contraction off only the latter.
void contractProducts(LoweringState &state);

/// The same for products and sums of 16 bits, which are inline PTX.
void contractShortProducts(llvm::Function &function);

} // namespace warpwright::vdevice
