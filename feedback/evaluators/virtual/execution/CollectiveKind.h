#pragma once

#include <cstdint>

namespace warpwright::vdevice {

/// What the lanes of a warp do together. Lowered code passes the value as a number.
enum class CollectiveKind : uint32_t {
  ShuffleUp,
  ShuffleDown,
  ShuffleButterfly,
  ShuffleIndex,
  VoteAll,
  VoteAny,
  VoteUniform,
  Ballot,
  MatchAny,
  MatchAll,
  ReduceAdd,
  ReduceMin,
  ReduceMax,
  ReduceUMin,
  ReduceUMax,
  ReduceAnd,
  ReduceOr,
  ReduceXor,
  ReduceFMin, ///< of floats; the second operand says more: FloatReduction
  ReduceFMax,
  Elect,
  Matrix, ///< the value is the address of the lane's registers, the others a MatrixOperation
  Synchronise
};

/// Of ReduceFMin and ReduceFMax: magnitudes are compared; one NaN makes the result NaN.
enum FloatReduction : uint32_t { OfMagnitudes = 1, KeepsNaN = 2 };

/// What a barrier of a block says besides that all came.
enum class BarrierKind : uint32_t { Plain, Count, And, Or, Arrive };

} // namespace warpwright::vdevice
