#pragma once

#include <cstdint>

namespace warpwright::vdevice {

/// The modes of `prmt`: f4e, b4e, rc8, ecl, ecr, rc16. Lowered code passes the value as a number.
enum class PermuteMode : uint32_t { Forward, Backward, Replicate8, ClampLeft, ClampRight, Replicate16 };

} // namespace warpwright::vdevice
