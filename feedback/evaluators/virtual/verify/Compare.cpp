#include "feedback/evaluators/virtual/verify/Compare.h"

#include <llvm/Support/FormatVariadic.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace warpwright::vdevice {
namespace {

constexpr size_t SampleSize = size_t(1) << 18;
constexpr uint64_t FewestForBias = 8;

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
  double referenceOf(uint64_t element, size_t p, uint64_t at) const {
    if (!request_.reference.empty())
      return request_.reference[element * parts_.size() + p];
    return decodeNumber(parts_[p], request_.expected.data() + at);
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
      return expected == got ? Difference::ZeroSign : exactError(element, p, at, got, error);
    double reference = referenceOf(element, p, at);
    double scale = std::max(std::abs(reference), meanSquares_[p]);
    result_.errors.add(reference, got, scale);
    error = scale == 0 ? 0 : (got - reference) / scale;
    double limit = std::fma(tolerance.relative, scale, tolerance.absolute);
    return std::abs(got - reference) <= limit ? Difference::None : Difference::Error;
  }

  Difference exactError(uint64_t element, size_t p, uint64_t at, double got, double &error) {
    double reference = referenceOf(element, p, at);
    double scale = std::max(std::abs(reference), meanSquares_[p]);
    error = scale == 0 ? 0 : (got - reference) / scale;
    result_.errors.add(reference, got, scale);
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

void ErrorDistribution::add(double reference, double got, double scale) {
  double error = scale == 0 ? 0 : (got - reference) / scale;
  ++count_;
  sum_ += error;
  signedSum_ += reference < 0 ? -error : error;
  squares_ += error * error;
  largest_ = std::max(largest_, std::abs(error));
  if (sample_.size() < SampleSize)
    sample_.push_back(static_cast<float>(std::abs(error)));
}

void ErrorDistribution::append(const ErrorDistribution &other) {
  count_ += other.count_;
  sum_ += other.sum_;
  signedSum_ += other.signedSum_;
  squares_ += other.squares_;
  largest_ = std::max(largest_, other.largest_);
  size_t room = std::min(SampleSize - sample_.size(), other.sample_.size());
  sample_.insert(sample_.end(), other.sample_.begin(),
                 other.sample_.begin() + static_cast<std::ptrdiff_t>(room));
}

double ErrorDistribution::percentile99() const {
  if (sample_.empty())
    return 0;
  std::vector<float> sorted = sample_;
  auto at = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) * 99 / 100);
  std::nth_element(sorted.begin(), at, sorted.end());
  return *at;
}

double ErrorDistribution::bias() const {
  return std::abs(gain()) > std::abs(mean()) ? gain() : mean();
}

double ErrorDistribution::deviation() const {
  if (count_ == 0)
    return 0;
  double variance = squares_ / static_cast<double>(count_) - mean() * mean();
  return std::sqrt(std::max(variance, 0.0));
}

bool ErrorDistribution::isBiased(double limit) const {
  if (count_ < FewestForBias || std::abs(bias()) <= limit)
    return false;
  double number = static_cast<double>(count_);
  double variance = std::max(squares_ / number - bias() * bias(), 0.0);
  return std::abs(bias()) - limit > 3 * std::sqrt(variance / number);
}

BufferComparison compareBuffers(const CompareRequest &request) {
  assert(request.expected.size() == request.got.size() && request.expected.size() == request.before.size() &&
         "contents of one buffer");
  return BufferComparer(request).compare();
}

} // namespace warpwright::vdevice
