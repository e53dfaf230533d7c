#include "feedback/evaluators/virtual/verify/Compare.h"

#include <llvm/Support/FormatVariadic.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace warpwright::vdevice {
namespace {

class BufferComparer {
public:
  explicit BufferComparer(const CompareRequest &request) : request_(request), parts_(request.element.parts) {
    if (parts_.empty())
      parts_.push_back({ElementKind::Integer, 0, 1, false, false});
    elementBytes_ = request.element.parts.empty() ? 1 : request.element.type.bytes;
  }

  BufferComparison compare() {
    for (const ElementPart &part : parts_)
      meanSquares_.push_back(meanSquare(part));
    uint64_t elements = request_.expected.size() / elementBytes_;
    for (uint64_t element = 0; element < elements; ++element)
      for (size_t p = 0; p < parts_.size(); ++p)
        compareNumber(element, p);
    return std::move(result_);
  }

private:
  /// The original itself where the reference is none: a number that has no double, or whose double went
  /// astray.
  double referenceOf(uint64_t element, size_t p, double expected) const {
    if (request_.reference.empty())
      return expected;
    double reference = request_.reference[element * parts_.size() + p];
    return std::isfinite(reference) ? reference : expected;
  }

  /// Root mean square of one part over the buffer, over what is finite.
  double meanSquare(const ElementPart &part) const {
    double sum = 0;
    uint64_t count = 0;
    for (uint64_t at = part.offset; at + part.bytes <= request_.expected.size(); at += elementBytes_) {
      double value = decodeNumber(part, request_.expected.data() + at);
      if (!std::isfinite(value))
        continue;
      sum += value * value;
      ++count;
    }
    return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count));
  }

  void compareNumber(uint64_t element, size_t p) {
    const ElementPart &part = parts_[p];
    uint64_t at = element * elementBytes_ + part.offset;
    const uint8_t *expected = request_.expected.data() + at;
    const uint8_t *got = request_.got.data() + at;
    bool sameBits = std::memcmp(expected, got, part.bytes) == 0;
    bool isUntouched = std::memcmp(expected, request_.before.data() + at, part.bytes) == 0;
    if (sameBits && (isUntouched || request_.tolerance.exact))
      return;
    double error = 0;
    Difference difference = judge(element, p, at, error);
    if (difference == Difference::None || sameBits)
      return; // bits of the original are right even where the original itself is inaccurate
    if (std::memcmp(got, request_.before.data() + at, part.bytes) == 0)
      difference = Difference::Unwritten;
    else if (isUntouched && difference != Difference::ZeroSign)
      difference = Difference::WroteMore;
    if (result_.bad++ != 0)
      return;
    result_.difference = difference;
    result_.firstBad = element;
    result_.firstBadByte = at;
    result_.error = error;
    result_.expected = print(part, expected);
    result_.got = print(part, got);
  }

  Difference judge(uint64_t element, size_t p, uint64_t at, double &error) {
    const ElementPart &part = parts_[p];
    const Tolerance &tolerance = request_.tolerance;
    double expected = decodeNumber(part, request_.expected.data() + at);
    double got = decodeNumber(part, request_.got.data() + at);
    if (!isFloating(part.kind) && tolerance.exact)
      return Difference::Bits; // decoded numbers may have lost bits
    if (!std::isfinite(expected) || !std::isfinite(got)) {
      bool agree = std::isnan(expected) ? std::isnan(got) : expected == got;
      return agree ? Difference::None : Difference::NotANumber;
    }
    if (tolerance.exact)
      return expected == got ? Difference::ZeroSign : exactError(expected, p, got, error);
    double reference = referenceOf(element, p, expected);
    double scale = std::max(std::abs(reference), meanSquares_[p]);
    error = result_.errors.add(reference, got, scale);
    result_.originalErrors.add(reference, expected, scale);
    bool isRight = std::abs(got - reference) <= limitFor(reference, p) ||
                   std::abs(got - expected) <= limitFor(expected, p) ||
                   std::abs(got - reference) <= std::abs(expected - reference);
    return isRight ? Difference::None : Difference::Error;
  }

  double limitFor(double reference, size_t p) const {
    double scale = std::max(std::abs(reference), meanSquares_[p]);
    return std::fma(request_.tolerance.relative, scale, request_.tolerance.absolute);
  }

  Difference exactError(double expected, size_t p, double got, double &error) {
    error = result_.errors.add(expected, got, std::max(std::abs(expected), meanSquares_[p]));
    return Difference::Bits;
  }

  static std::string print(const ElementPart &part, const uint8_t *bytes) {
    if (isFloating(part.kind)) {
      char text[40];
      std::snprintf(text, sizeof(text), "%.*g", part.bytes == 8 ? 17 : 9, decodeNumber(part, bytes));
      return text;
    }
    uint64_t bits = 0;
    for (unsigned i = 0; i < part.bytes; ++i)
      bits |= uint64_t(bytes[i]) << (8 * i);
    unsigned unused = 64 - 8 * part.bytes;
    return part.isSigned ? std::to_string(static_cast<int64_t>(bits << unused) >> unused)
                         : std::to_string(bits);
  }

  const CompareRequest &request_;
  std::vector<ElementPart> parts_;
  uint64_t elementBytes_ = 1;
  std::vector<double> meanSquares_;
  BufferComparison result_;
};

} // namespace

BufferComparison compareBuffers(const CompareRequest &request) {
  assert(request.expected.size() == request.got.size() && request.expected.size() == request.before.size() &&
         "contents of one buffer");
  return BufferComparer(request).compare();
}

} // namespace warpwright::vdevice
