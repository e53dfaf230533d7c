#pragma once

#include <array>
#include <cstdint>

namespace warpwright::vdevice {

/// What the lanes of a warp do together with matrices that lie in their registers.
enum class MatrixAction : uint8_t {
  Load,          ///< ldmatrix: rows, each read by one lane, are dealt out
  Store,         ///< stmatrix: the other way round
  Transpose,     ///< movmatrix
  Multiply,      ///< mma: fragments as PTX lays them out
  MultiplyOpaque ///< wmma: fragments as OpaqueFragment lays them out
};

/// Types of elements. TF32 is a float whose low 13 bits are not looked at.
enum class MatrixElement : uint8_t { Half, BFloat, TF32, Float, Double, Int8, UInt8, Int32 };

constexpr unsigned bitsOf(MatrixElement element) {
  switch (element) {
  case MatrixElement::Half:
  case MatrixElement::BFloat:
    return 16;
  case MatrixElement::Int8:
  case MatrixElement::UInt8:
    return 8;
  case MatrixElement::Double:
    return 64;
  default:
    return 32;
  }
}

/// D = A * B + C with A of m by k and B of k by n; or some of the 8 by 8 matrices of 16-bit elements that the
/// other actions move.
struct MatrixOperation {
  MatrixAction action = MatrixAction::Multiply;
  uint8_t m = 16;
  uint8_t n = 8;
  uint8_t k = 16;
  MatrixElement a = MatrixElement::Half;
  MatrixElement b = MatrixElement::Half;
  MatrixElement c = MatrixElement::Float;
  MatrixElement d = MatrixElement::Float;
  bool saturates = false; ///< sums of integers are clamped
  uint8_t matrices = 1;   ///< of Load and Store
  bool transposed = false;

  /// All of it in one number, as lowered code passes it.
  uint64_t encode() const;
  static MatrixOperation decode(uint64_t bits);
};

/// Where a lane's element lies in its matrix.
struct MatrixPlace {
  unsigned row = 0;
  unsigned column = 0;
};

/// How this device lays out the fragments of wmma, which is nobody's business but a lane's count of elements:
/// element `index` of a lane that has `count` is number `lane * count + index` of the matrix, row by row,
/// from the begin again where lanes hold more than there are. The 16 by 16 accumulators lie as they do on
/// devices since sm_80, since there is code that relies on it.
struct OpaqueFragment {
  unsigned rows = 16;
  unsigned columns = 16;
  unsigned count = 8;
  bool isAccumulator = false;

  MatrixPlace placeOf(unsigned lane, unsigned index) const;
};

/// Does it for all lanes, each of which gives its registers and receives the results there from the first
/// word on: A, B, C and D, or rows of 16 bytes, or the words of matrices.
///
/// A product's sum is taken in double from k = 0 on, C last, and rounded once to D (with double elements:
/// fused step by step, C first). The hardware keeps fewer bits in between and has an order of its own, so
/// that results of 16-bit and TF32 elements agree up to rounding; those of integers are the same.
void performMatrixOperation(const MatrixOperation &operation, const std::array<uint32_t *, 32> &lanes);

} // namespace warpwright::vdevice
