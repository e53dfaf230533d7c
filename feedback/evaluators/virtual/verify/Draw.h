#pragma once

#include "analysis/annotation/Annotation.h"
#include "feedback/evaluators/virtual/verify/ElementShape.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <cstdint>
#include <string>
#include <vector>

namespace warpwright::vdevice {

/// What a buffer is filled with. All of them stay in the range that init() declares, or that stands for it
/// where there is none, so that integers used as indices stay indices.
enum class InputKind {
  Declared,    ///< init() as it is written, or its default
  Wide,        ///< magnitudes over many powers of two, both signs, neighbours that cancel
  Adversarial, ///< by seed: the lowest value, zeros of both signs, both ends, a ramp, few distinct values
  Special      ///< declared with NaN and infinities in it; for floating buffers without init() alone
};
/// "declared", "wide", "adversarial" or "special".
llvm::StringRef toString(InputKind kind);

/// The numbers of feedback/evaluators/values, the same on every machine, under one name and seed.
class RandomStream {
public:
  RandomStream(llvm::StringRef name, uint64_t seed);

  uint64_t bits(uint64_t index) const;
  /// In [0, 1), a multiple of 2^-53.
  double unit(uint64_t index) const;
  /// In [0, bound), by the high half of a 128-bit product; `bound` is not 0. The bias is below bound / 2^64.
  uint64_t below(uint64_t index, uint64_t bound) const;

private:
  uint64_t key_;
};

struct DrawRequest {
  std::string name; ///< of the pointer; part of what the numbers depend on
  ElementShape element;
  uint64_t elements = 0;
  Initialiser initialiser;
  bool isDeclared = false; ///< by an init() of the annotation
  ScalarValues scalars;    ///< for the bounds of integers(...)
  InputKind kind = InputKind::Declared;
  uint64_t seed = 0;
  bool infinities = true; ///< Special holds infinities, too, and not only NaN
};

/// The bytes of a buffer. Errors: an element type that is not understood, bounds of integers that have no
/// value, an initialiser that does not fit the type.
llvm::Expected<std::vector<uint8_t>> drawBuffer(const DrawRequest &request);

/// What stands in outputs before a launch: no input and no usual result looks like it, and as a floating
/// number it is a NaN.
void poison(llvm::MutableArrayRef<uint8_t> bytes);

/// The number at `bytes` as a double; exact for all but integers beyond 2^53.
double decodeNumber(const ElementPart &part, const uint8_t *bytes);
/// Rounds to nearest even; integers are truncated towards zero and clamped to their type.
void encodeNumber(const ElementPart &part, double value, uint8_t *bytes);

} // namespace warpwright::vdevice
