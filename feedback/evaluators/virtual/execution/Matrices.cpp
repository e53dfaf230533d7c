#include "feedback/evaluators/virtual/execution/Matrices.h"

#include "feedback/evaluators/virtual/execution/ShortFloats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace warpwright::vdevice {
namespace {

constexpr unsigned lanesOfWarp = 32;
using Lanes = std::array<uint32_t *, lanesOfWarp>;

/// The bits of element `index` of registers that hold such elements one after the other.
uint64_t elementBits(const uint32_t *words, unsigned index, MatrixElement element) {
  unsigned bits = bitsOf(element);
  if (bits == 64)
    return static_cast<uint64_t>(words[2 * index + 1]) << 32 | words[2 * index];
  unsigned each = 32 / bits;
  uint32_t word = words[index / each];
  return bits == 32 ? word : word >> index % each * bits & ((1u << bits) - 1);
}

void setElementBits(uint32_t *words, unsigned index, MatrixElement element, uint64_t value) {
  unsigned bits = bitsOf(element);
  if (bits == 64) {
    words[2 * index] = static_cast<uint32_t>(value);
    words[2 * index + 1] = static_cast<uint32_t>(value >> 32);
    return;
  }
  if (bits == 32) {
    words[index] = static_cast<uint32_t>(value);
    return;
  }
  unsigned each = 32 / bits, shift = index % each * bits;
  uint32_t mask = ((1u << bits) - 1) << shift;
  words[index / each] = (words[index / each] & ~mask) | (static_cast<uint32_t>(value) << shift & mask);
}

double toNumber(uint64_t bits, MatrixElement element) {
  switch (element) {
  case MatrixElement::Half:
    return halfToDouble(static_cast<uint16_t>(bits));
  case MatrixElement::BFloat:
    return bfloatToDouble(static_cast<uint16_t>(bits));
  case MatrixElement::TF32:
    return std::bit_cast<float>(static_cast<uint32_t>(bits) & 0xffffe000u);
  case MatrixElement::Float:
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  case MatrixElement::Double:
    return std::bit_cast<double>(bits);
  case MatrixElement::Int8:
    return static_cast<int8_t>(bits);
  case MatrixElement::UInt8:
    return static_cast<uint8_t>(bits);
  case MatrixElement::Int32:
    return static_cast<int32_t>(bits);
  }
  return 0;
}

uint64_t fromNumber(double number, MatrixElement element, bool saturates) {
  constexpr uint32_t canonicalNaN = 0x7fffffff;
  switch (element) {
  case MatrixElement::Half:
    return doubleToHalf(number);
  case MatrixElement::BFloat:
    return doubleToBFloat(number);
  case MatrixElement::Double:
    return std::bit_cast<uint64_t>(number);
  case MatrixElement::Int32: {
    // At most 128 products of 16 bits and one number of 32: exact in double.
    if (saturates)
      number = std::clamp<double>(number, std::numeric_limits<int32_t>::min(),
                                  std::numeric_limits<int32_t>::max());
    return static_cast<uint32_t>(static_cast<int64_t>(number));
  }
  default:
    return std::isnan(number) ? canonicalNaN : std::bit_cast<uint32_t>(static_cast<float>(number));
  }
}

/// Fragments of mma: groups of four lanes share rows of A, C and D, and columns of B (PTX ISA, "Matrix
/// Fragments for mma").
class Fragment {
public:
  enum class Role { A, B, Accumulator };

  Fragment(const MatrixOperation &operation, Role role) : role_(role) {
    bool isA = role == Role::A, isB = role == Role::B;
    rows_ = isB ? operation.k : operation.m;
    columns_ = isA ? operation.k : operation.n;
    isOpaque_ = operation.action == MatrixAction::MultiplyOpaque;
  }

  unsigned rows() const { return rows_; }
  unsigned columns() const { return columns_; }
  /// Elements that a lane has.
  unsigned count(MatrixElement element) const {
    unsigned spread = rows_ * columns_ / lanesOfWarp;
    // Lanes hold some fragments of wmma twice or more often.
    bool repeats = isOpaque_ && role_ != Role::Accumulator;
    return repeats ? repeatedCount(element) : spread;
  }
  MatrixPlace placeOf(unsigned lane, unsigned index, MatrixElement element) const {
    if (isOpaque_)
      return OpaqueFragment{rows_, columns_, count(element), role_ == Role::Accumulator}.placeOf(lane, index);
    unsigned group = lane / 4, inGroup = lane % 4;
    if (role_ == Role::Accumulator)
      return {group + 8 * (index / 2), inGroup * 2 + index % 2};
    unsigned each = std::max(1u, 32 / bitsOf(element));
    unsigned word = index / each, within = index % each;
    if (role_ == Role::B)
      return {inGroup * each + within + word * 4 * each, group};
    bool isTall = rows_ == 16;
    return {group + (isTall ? 8 * (word % 2) : 0),
            inGroup * each + within + (isTall ? word / 2 : word) * 4 * each};
  }

private:
  /// Registers of a fragment in NVVM's intrinsics: eight of halves, else as many as hold the matrix, and at
  /// least one.
  unsigned repeatedCount(MatrixElement element) const {
    unsigned spread = rows_ * columns_ / lanesOfWarp;
    if (element == MatrixElement::Half)
      return 16;
    return std::max(spread, std::max(1u, 32 / bitsOf(element)));
  }

  Role role_;
  unsigned rows_ = 0;
  unsigned columns_ = 0;
  bool isOpaque_ = false;
};

unsigned wordsOf(unsigned count, MatrixElement element) {
  return count * bitsOf(element) / 32;
}

std::vector<double> gather(const Lanes &lanes, const Fragment &fragment, MatrixElement element,
                           unsigned first) {
  std::vector<double> matrix(static_cast<size_t>(fragment.rows()) * fragment.columns());
  unsigned count = fragment.count(element);
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
    for (unsigned i = 0; i < count; ++i) {
      MatrixPlace place = fragment.placeOf(lane, i, element);
      matrix[place.row * fragment.columns() + place.column] =
          toNumber(elementBits(lanes[lane] + first, i, element), element);
    }
  return matrix;
}

void multiply(const MatrixOperation &operation, const Lanes &lanes) {
  Fragment a(operation, Fragment::Role::A), b(operation, Fragment::Role::B);
  Fragment accumulator(operation, Fragment::Role::Accumulator);
  unsigned firstOfB = wordsOf(a.count(operation.a), operation.a);
  unsigned firstOfC = firstOfB + wordsOf(b.count(operation.b), operation.b);
  std::vector<double> left = gather(lanes, a, operation.a, 0);
  std::vector<double> right = gather(lanes, b, operation.b, firstOfB);
  std::vector<double> sums = gather(lanes, accumulator, operation.c, firstOfC);
  bool isFused = operation.a == MatrixElement::Double;
  for (unsigned row = 0; row < operation.m; ++row)
    for (unsigned column = 0; column < operation.n; ++column) {
      double &addend = sums[row * operation.n + column];
      double sum = isFused ? addend : 0;
      for (unsigned k = 0; k < operation.k; ++k)
        sum = std::fma(left[row * operation.k + k], right[k * operation.n + column], sum);
      addend = isFused ? sum : sum + addend;
    }
  unsigned count = accumulator.count(operation.d);
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
    for (unsigned i = 0; i < count; ++i) {
      MatrixPlace place = accumulator.placeOf(lane, i, operation.d);
      setElementBits(
          lanes[lane], i, operation.d,
          fromNumber(sums[place.row * operation.n + place.column], operation.d, operation.saturates));
    }
}

/// Element `column` of row `row` of an 8 by 8 matrix that lies in the registers of a warp is in this lane's
/// word, in its lower or upper half.
uint16_t dealtElement(const Lanes &lanes, unsigned word, unsigned row, unsigned column) {
  return static_cast<uint16_t>(lanes[row * 4 + column / 2][word] >> column % 2 * 16);
}

uint16_t rowElement(const Lanes &lanes, unsigned matrix, unsigned row, unsigned column) {
  return static_cast<uint16_t>(lanes[8 * matrix + row][column / 2] >> column % 2 * 16);
}

/// The words of `matrices` matrices for each lane, from a function of matrix, row and column.
template <typename Element>
void deal(const Lanes &lanes, unsigned matrices, bool transposed, Element element) {
  uint32_t words[lanesOfWarp][4];
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
    for (unsigned matrix = 0; matrix < matrices; ++matrix) {
      unsigned row = lane / 4, column = lane % 4 * 2;
      uint32_t low = transposed ? element(matrix, column, row) : element(matrix, row, column);
      uint32_t high = transposed ? element(matrix, column + 1, row) : element(matrix, row, column + 1);
      words[lane][matrix] = high << 16 | low;
    }
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
    std::copy_n(words[lane], matrices, lanes[lane]);
}

void collectRows(const MatrixOperation &operation, const Lanes &lanes) {
  uint32_t rows[lanesOfWarp][4] = {};
  for (unsigned matrix = 0; matrix < operation.matrices; ++matrix)
    for (unsigned row = 0; row < 8; ++row)
      for (unsigned column = 0; column < 8; ++column) {
        uint32_t element = operation.transposed ? dealtElement(lanes, matrix, column, row)
                                                : dealtElement(lanes, matrix, row, column);
        rows[8 * matrix + row][column / 2] |= element << column % 2 * 16;
      }
  for (unsigned lane = 0; lane < 8u * operation.matrices; ++lane)
    std::copy_n(rows[lane], 4, lanes[lane]);
}

} // namespace

uint64_t MatrixOperation::encode() const {
  auto element = [](MatrixElement each, unsigned shift) { return static_cast<uint64_t>(each) << shift; };
  return static_cast<uint64_t>(action) | uint64_t(m) << 8 | uint64_t(n) << 16 | uint64_t(k) << 24 |
         element(a, 32) | element(b, 36) | element(c, 40) | element(d, 44) | uint64_t(saturates) << 48 |
         uint64_t(transposed) << 49 | uint64_t(matrices) << 52;
}

MatrixOperation MatrixOperation::decode(uint64_t bits) {
  MatrixOperation operation;
  auto byte = [&](unsigned shift) { return static_cast<uint8_t>(bits >> shift); };
  auto element = [&](unsigned shift) { return static_cast<MatrixElement>(bits >> shift & 15); };
  operation.action = static_cast<MatrixAction>(byte(0));
  operation.m = byte(8);
  operation.n = byte(16);
  operation.k = byte(24);
  operation.a = element(32);
  operation.b = element(36);
  operation.c = element(40);
  operation.d = element(44);
  operation.saturates = bits >> 48 & 1;
  operation.transposed = bits >> 49 & 1;
  operation.matrices = static_cast<uint8_t>(bits >> 52 & 15);
  return operation;
}

MatrixPlace OpaqueFragment::placeOf(unsigned lane, unsigned index) const {
  if (isAccumulator && rows == 16 && columns == 16)
    return {lane / 4 + index / 2 % 2 * 8, lane % 4 * 2 + index % 2 + index / 4 * 8};
  unsigned number = (lane * count + index) % (rows * columns);
  return {number / columns, number % columns};
}

void performMatrixOperation(const MatrixOperation &operation, const std::array<uint32_t *, 32> &lanes) {
  switch (operation.action) {
  case MatrixAction::Load:
    return deal(lanes, operation.matrices, operation.transposed,
                [&](unsigned matrix, unsigned row, unsigned column) {
                  return rowElement(lanes, matrix, row, column);
                });
  case MatrixAction::Transpose:
    return deal(lanes, 1, /*transposed=*/true,
                [&](unsigned, unsigned row, unsigned column) { return dealtElement(lanes, 0, row, column); });
  case MatrixAction::Store:
    return collectRows(operation, lanes);
  case MatrixAction::Multiply:
  case MatrixAction::MultiplyOpaque:
    return multiply(operation, lanes);
  }
}

} // namespace warpwright::vdevice
