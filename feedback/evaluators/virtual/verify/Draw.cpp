#include "feedback/evaluators/virtual/verify/Draw.h"

#include "feedback/evaluators/virtual/verify/NumberSource.h"

#include <cmath>

namespace warpwright::vdevice {
namespace {

llvm::Expected<IntegerRange> boundsOf(const DrawRequest &request) {
  const Initialiser &initialiser = request.initialiser;
  if (initialiser.distribution == Distribution::Permutation)
    return IntegerRange{0, static_cast<int64_t>(request.elements) - 1};
  if (initialiser.distribution != Distribution::Integers)
    return IntegerRange{0, 255};
  if (!initialiser.low || !initialiser.high)
    return llvm::createStringError("init() of '" + request.name + "' has no bounds");
  llvm::Expected<int64_t> low = initialiser.low->evaluate(request.scalars);
  if (!low)
    return low.takeError();
  llvm::Expected<int64_t> high = initialiser.high->evaluate(request.scalars);
  if (!high)
    return high.takeError();
  // An empty range belongs to an empty domain of the shape: integers(0, n - 1) with n = 0. Nothing may be
  // read then.
  return IntegerRange{*low, std::max(*low, *high)};
}

void storeInteger(int64_t value, const ElementPart &part, uint8_t *bytes) {
  for (unsigned i = 0; i < part.bytes; ++i)
    bytes[i] = static_cast<uint8_t>(static_cast<uint64_t>(value) >> (8 * i));
}

} // namespace

llvm::StringRef toString(InputKind kind) {
  switch (kind) {
  case InputKind::Declared:
    return "declared";
  case InputKind::Wide:
    return "wide";
  case InputKind::Adversarial:
    return "adversarial";
  case InputKind::Special:
    return "special";
  }
  return "unknown";
}

RandomStream::RandomStream(llvm::StringRef name, uint64_t seed) : key_(values::streamKey(seed, name)) {}

uint64_t RandomStream::bits(uint64_t index) const {
  return values::bitsAt(key_, index);
}

double RandomStream::unit(uint64_t index) const {
  return std::ldexp(static_cast<double>(bits(index) >> 11), -53);
}

uint64_t RandomStream::below(uint64_t index, uint64_t bound) const {
  assert(bound != 0 && "no number is below zero");
  return static_cast<uint64_t>((static_cast<unsigned __int128>(bits(index)) * bound) >> 64);
}

llvm::Expected<std::vector<uint8_t>> drawBuffer(const DrawRequest &request) {
  const std::vector<ElementPart> &parts = request.element.parts;
  if (parts.empty())
    return llvm::createStringError("'" + request.name + "' holds elements of type '" +
                                   request.element.type.name + "', which are not understood");
  llvm::Expected<IntegerRange> bounds = boundsOf(request);
  if (!bounds)
    return bounds.takeError();
  std::vector<uint8_t> bytes(request.elements * request.element.type.bytes);
  NumberSource source(request, *bounds, request.elements * parts.size());
  std::vector<uint64_t> permutation;
  if (request.initialiser.distribution == Distribution::Permutation)
    permutation = source.permutation(request.elements);
  for (uint64_t element = 0; element < request.elements; ++element)
    for (size_t p = 0; p < parts.size(); ++p) {
      const ElementPart &part = parts[p];
      uint8_t *at = bytes.data() + element * request.element.type.bytes + part.offset;
      uint64_t index = element * parts.size() + p;
      if (!permutation.empty())
        encodeNumber(part, static_cast<double>(permutation[element]), at);
      else if (isFloating(part.kind))
        encodeNumber(part, source.floating(part.kind, index), at);
      else
        storeInteger(source.integer(part, index), part, at);
    }
  return bytes;
}

void poison(llvm::MutableArrayRef<uint8_t> bytes) {
  // Little-endian words of 0xfff7fff5: a NaN as half, bfloat16, float and double.
  constexpr uint8_t Pattern[4] = {0xf5, 0xff, 0xf7, 0xff};
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = Pattern[i % 4];
}

} // namespace warpwright::vdevice
