#include "analysis/annotation/ScalarExpression.h"

#include <llvm/ADT/APFloat.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSwitch.h>

#include <algorithm>
#include <limits>

namespace warpwright {
namespace {

bool isIntegerSuffix(llvm::StringRef suffix) {
  return llvm::StringSwitch<bool>(suffix)
      .CasesLower({"", "u", "l", "ul", "lu", "ll", "ull", "llu", "z", "uz", "zu"}, true)
      .Default(false);
}

std::string withoutSeparators(llvm::StringRef number) {
  std::string digits = number.str();
  std::erase(digits, '\'');
  return digits;
}

/// Takes the prefix off `digits` and says what it stands for.
unsigned takeRadix(llvm::StringRef &digits) {
  if (digits.consume_front_insensitive("0x"))
    return 16;
  if (digits.consume_front_insensitive("0b"))
    return 2;
  return digits.size() > 1 && digits[0] == '0' ? 8 : 10;
}

} // namespace

bool isFloatingLiteral(llvm::StringRef number) {
  if (number.starts_with_insensitive("0x"))
    return number.contains_insensitive("p") || number.contains('.');
  if (number.starts_with_insensitive("0b"))
    return false;
  return number.contains('.') || number.contains_insensitive("e");
}

llvm::Expected<int64_t> parseIntegerLiteral(const AnnotationToken &number) {
  if (isFloatingLiteral(number.text))
    return makeMistake(Mistake::BadExpression, number.range,
                       "'" + number.text + "' is a floating number; only integers can stand here");
  std::string spelled = withoutSeparators(number.text);
  llvm::StringRef digits = spelled;
  unsigned radix = takeRadix(digits);
  auto isDigit = [&](char c) { return radix == 16 ? llvm::isHexDigit(c) : llvm::isDigit(c); };
  llvm::StringRef suffix = digits.drop_while(isDigit);
  digits = digits.take_while(isDigit);
  if (!isIntegerSuffix(suffix))
    return makeMistake(Mistake::BadExpression, number.range, "'" + number.text + "' is not an integer of C");
  uint64_t value = 0;
  bool tooWide = digits.getAsInteger(radix, value);
  bool allDigits = !digits.empty() && std::all_of(digits.begin(), digits.end(),
                                                  [&](char c) { return llvm::hexDigitValue(c) < radix; });
  if (!allDigits)
    return makeMistake(Mistake::BadExpression, number.range, "'" + number.text + "' is not an integer of C");
  if (tooWide || value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    return makeMistake(Mistake::BadExpression, number.range,
                       "'" + number.text + "' does not fit a signed 64-bit integer");
  return static_cast<int64_t>(value);
}

llvm::Expected<double> parseRealLiteral(const AnnotationToken &number) {
  if (!isFloatingLiteral(number.text)) {
    llvm::Expected<int64_t> integer = parseIntegerLiteral(number);
    if (!integer)
      return integer.takeError();
    return static_cast<double>(*integer);
  }
  std::string spelled = withoutSeparators(number.text);
  llvm::StringRef digits = spelled;
  if (digits.ends_with_insensitive("f") || digits.ends_with_insensitive("l"))
    digits = digits.drop_back();
  llvm::APFloat value(llvm::APFloat::IEEEdouble());
  auto status = value.convertFromString(digits, llvm::APFloat::rmNearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
    return makeMistake(Mistake::BadArgument, number.range, "'" + number.text + "' is not a number of C");
  }
  if (!value.isFinite())
    return makeMistake(Mistake::BadValue, number.range, "'" + number.text + "' does not fit a double");
  return value.convertToDouble();
}

std::optional<int64_t> sizeOfBuiltinType(llvm::StringRef type) {
  // What nvcc and Clang agree on for CUDA on 64-bit Linux.
  int64_t bytes = llvm::StringSwitch<int64_t>(type)
                      .Cases({"bool", "char", "signed char", "unsigned char", "int8_t", "uint8_t"}, 1)
                      .Cases({"short", "unsigned short", "int16_t", "uint16_t", "half", "__half"}, 2)
                      .Cases({"__nv_bfloat16", "nv_bfloat16"}, 2)
                      .Cases({"int", "unsigned", "unsigned int", "int32_t", "uint32_t", "float"}, 4)
                      .Cases({"half2", "__half2", "__nv_bfloat162", "char4", "uchar4"}, 4)
                      .Cases({"long", "unsigned long", "long long", "unsigned long long"}, 8)
                      .Cases({"int64_t", "uint64_t", "size_t", "double"}, 8)
                      .Cases({"float2", "int2", "uint2"}, 8)
                      .Cases({"float3", "int3", "uint3"}, 12)
                      .Cases({"float4", "int4", "uint4", "double2"}, 16)
                      .Default(0);
  if (bytes == 0)
    return std::nullopt;
  return bytes;
}

} // namespace warpwright
