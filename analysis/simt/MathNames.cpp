#include "analysis/simt/Math.h"

#include <llvm/ADT/StringSwitch.h>

#include <algorithm>
#include <iterator>

namespace warpwright::simt {
namespace {

using F = MathFunction;
using C = InstructionClass;

struct NamedFunction {
  llvm::StringLiteral name;
  F function;
  C kind; ///< Float32 stands for floating arithmetic of either width
};

/// Names without prefix ("llvm.", "llvm.nvvm.", "__nv_"), type suffix and variant; sorted.
constexpr NamedFunction names[] = {
    {"abs", F::Abs, C::Integer},
    {"acos", F::Acos, C::SpecialFunction},
    {"acosh", F::Acosh, C::SpecialFunction},
    {"add", F::AddF, C::Float32},
    {"asin", F::Asin, C::SpecialFunction},
    {"asinh", F::Asinh, C::SpecialFunction},
    {"atan", F::Atan, C::SpecialFunction},
    {"atan2", F::Atan2, C::SpecialFunction},
    {"atanh", F::Atanh, C::SpecialFunction},
    {"bitcast", F::BitCopy, C::None},
    {"bitreverse", F::BitReverse, C::Integer},
    {"brev", F::BitReverse, C::Integer},
    {"brevll", F::BitReverse, C::Integer},
    {"bswap", F::ByteSwap, C::Integer},
    {"byte_perm", F::Permute, C::Integer},
    {"cbrt", F::Cbrt, C::SpecialFunction},
    {"ceil", F::Ceil, C::Float32},
    {"clz", F::LeadingZeros, C::Integer},
    {"clzll", F::LeadingZeros, C::Integer},
    {"copysign", F::CopySign, C::Float32},
    {"cos", F::Cos, C::SpecialFunction},
    {"cosh", F::Cosh, C::SpecialFunction},
    {"cospi", F::CosPi, C::SpecialFunction},
    {"ctlz", F::LeadingZeros, C::Integer},
    {"ctpop", F::CountOnes, C::Integer},
    {"cttz", F::TrailingZeros, C::Integer},
    {"div", F::Divide, C::SpecialFunction},
    {"dmul", F::MulF, C::Float32},
    {"dadd", F::AddF, C::Float32},
    {"ddiv", F::Divide, C::SpecialFunction},
    {"erf", F::Erf, C::SpecialFunction},
    {"erfc", F::Erfc, C::SpecialFunction},
    {"ex2", F::Exp2, C::SpecialFunction},
    {"exp", F::Exp, C::SpecialFunction},
    {"exp10", F::Exp10, C::SpecialFunction},
    {"exp2", F::Exp2, C::SpecialFunction},
    {"expm1", F::Expm1, C::SpecialFunction},
    {"fabs", F::FAbs, C::Float32},
    {"fadd", F::AddF, C::Float32},
    {"fast_cos", F::Cos, C::SpecialFunction},
    {"fast_exp", F::Exp, C::SpecialFunction},
    {"fast_exp10", F::Exp10, C::SpecialFunction},
    {"fast_fdivide", F::Divide, C::SpecialFunction},
    {"fast_log", F::Log, C::SpecialFunction},
    {"fast_log10", F::Log10, C::SpecialFunction},
    {"fast_log2", F::Log2, C::SpecialFunction},
    {"fast_pow", F::Power, C::SpecialFunction},
    {"fast_sin", F::Sin, C::SpecialFunction},
    {"fdim", F::PositiveDifference, C::Float32},
    {"fdiv", F::Divide, C::SpecialFunction},
    {"floor", F::Floor, C::Float32},
    {"fma", F::Fma, C::Float32},
    {"fmax", F::FMax, C::Float32},
    {"fmin", F::FMin, C::Float32},
    {"fmod", F::Remainder, C::SpecialFunction},
    {"fmul", F::MulF, C::Float32},
    {"fmuladd", F::Fma, C::Float32},
    {"fshl", F::FunnelLeft, C::Integer},
    {"fshr", F::FunnelRight, C::Integer},
    {"fsqrt", F::Sqrt, C::SpecialFunction},
    {"hypot", F::Hypot, C::SpecialFunction},
    {"lg2", F::Log2, C::SpecialFunction},
    {"lgamma", F::LogGamma, C::SpecialFunction},
    {"log", F::Log, C::SpecialFunction},
    {"log10", F::Log10, C::SpecialFunction},
    {"log1p", F::Log1p, C::SpecialFunction},
    {"log2", F::Log2, C::SpecialFunction},
    {"max", F::SMax, C::Integer},
    {"maximum", F::FMax, C::Float32},
    {"maximumnum", F::FMax, C::Float32},
    {"maxnum", F::FMax, C::Float32},
    {"min", F::SMin, C::Integer},
    {"minimum", F::FMin, C::Float32},
    {"minimumnum", F::FMin, C::Float32},
    {"minnum", F::FMin, C::Float32},
    {"mul", F::MulF, C::Float32},
    {"mulhi", F::MulHighS, C::Integer},
    {"nearbyint", F::Rint, C::Float32},
    {"popc", F::CountOnes, C::Integer},
    {"popcll", F::CountOnes, C::Integer},
    {"pow", F::Power, C::SpecialFunction},
    {"prmt", F::Permute, C::Integer},
    {"rcp", F::Reciprocal, C::SpecialFunction},
    {"rint", F::Rint, C::Float32},
    {"round", F::Round, C::Float32},
    {"roundeven", F::Rint, C::Float32},
    {"rsqrt", F::Rsqrt, C::SpecialFunction},
    {"sadd.sat", F::SAddSat, C::Integer},
    {"sadd.with.overflow", F::SAddOverflow, C::Integer},
    {"saturate", F::Saturate, C::Float32},
    {"sin", F::Sin, C::SpecialFunction},
    {"sinh", F::Sinh, C::SpecialFunction},
    {"sinpi", F::SinPi, C::SpecialFunction},
    {"smax", F::SMax, C::Integer},
    {"smin", F::SMin, C::Integer},
    {"smul.with.overflow", F::SMulOverflow, C::Integer},
    {"sqrt", F::Sqrt, C::SpecialFunction},
    {"ssub.sat", F::SSubSat, C::Integer},
    {"ssub.with.overflow", F::SSubOverflow, C::Integer},
    {"tan", F::Tan, C::SpecialFunction},
    {"tanh", F::Tanh, C::SpecialFunction},
    {"tgamma", F::Gamma, C::SpecialFunction},
    {"trunc", F::TruncF, C::Float32},
    {"uadd.sat", F::UAddSat, C::Integer},
    {"uadd.with.overflow", F::UAddOverflow, C::Integer},
    {"ullmax", F::UMax, C::Integer},
    {"ullmin", F::UMin, C::Integer},
    {"umax", F::UMax, C::Integer},
    {"umin", F::UMin, C::Integer},
    {"umul.with.overflow", F::UMulOverflow, C::Integer},
    {"umulhi", F::MulHighU, C::Integer},
    {"usub.sat", F::USubSat, C::Integer},
    {"usub.with.overflow", F::USubOverflow, C::Integer},
};

/// The names again, for a few hundred look-ups a module.
const NamedFunction *findName(llvm::StringRef name) {
  const auto *found = std::find_if(std::begin(names), std::end(names),
                                   [&](const NamedFunction &entry) { return entry.name == name; });
  return found == std::end(names) ? nullptr : found;
}

/// "float2int_rz", "ll2double_rn" and their like, and NVVM's "f2i.rz.ftz".
std::optional<MathEntry> findConversion(llvm::StringRef name) {
  auto [from, to] = name.split('2');
  if (to.empty())
    return std::nullopt;
  to = to.take_until([](char c) { return c == '_' || c == '.'; });
  auto isFloat = [](llvm::StringRef type) {
    return type == "float" || type == "double" || type == "f" || type == "d" || type == "half";
  };
  auto isUnsigned = [](llvm::StringRef type) { return type == "uint" || type == "ull" || type == "ui"; };
  auto isSigned = [](llvm::StringRef type) { return type == "int" || type == "ll" || type == "i"; };
  if (isFloat(from) && isSigned(to))
    return MathEntry{F::ToSigned, C::Integer};
  if (isFloat(from) && isUnsigned(to))
    return MathEntry{F::ToUnsigned, C::Integer};
  if (isSigned(from) && isFloat(to))
    return MathEntry{F::FromSigned, C::Integer};
  if (isUnsigned(from) && isFloat(to))
    return MathEntry{F::FromUnsigned, C::Integer};
  return std::nullopt;
}

std::optional<MathEntry> findBitForm(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<MathEntry>>(name)
      .Cases({"float_as_int", "float_as_uint", "int_as_float", "uint_as_float", "double_as_longlong",
              "longlong_as_double", "bitcast.f2i", "bitcast.i2f", "bitcast.d2ll", "bitcast.ll2d"},
             MathEntry{F::BitCopy, C::None})
      .Cases({"d2i.lo", "double2loint"}, MathEntry{F::LowWord, C::None})
      .Cases({"d2i.hi", "double2hiint"}, MathEntry{F::HighWord, C::None})
      .Cases({"lohi.i2d", "hiloint2double"}, MathEntry{F::JoinWords, C::None})
      .Cases({"mulhi.ui", "mulhi.ull", "mulhi.us", "umul64hi"}, MathEntry{F::MulHighU, C::Integer})
      .Case("mul64hi", MathEntry{F::MulHighS, C::Integer})
      .Cases({"llmax", "max.s"}, MathEntry{F::SMax, C::Integer})
      .Cases({"llmin", "min.s"}, MathEntry{F::SMin, C::Integer})
      .Default(std::nullopt);
}

} // namespace

std::optional<MathEntry> findMathFunction(llvm::StringRef name) {
  bool device = name.consume_front("__nv_");
  bool nvvm = !device && name.consume_front("llvm.nvvm.");
  if (!device && !nvvm && !name.consume_front("llvm."))
    return std::nullopt;
  if (std::optional<MathEntry> entry = findBitForm(name))
    return entry;
  if (device || nvvm)
    if (std::optional<MathEntry> entry = findConversion(name))
      return entry;
  // The longest name that ends where a suffix begins: "add.rn.ftz.f" is add, "sadd.sat.i32" is sadd.sat.
  for (llvm::StringRef stem = name; !stem.empty(); stem = stem.rsplit('.').first) {
    if (const NamedFunction *entry = findName(stem))
      return MathEntry{entry->function, entry->kind};
    if (stem.find('.') == llvm::StringRef::npos)
      break;
  }
  if (!device)
    return std::nullopt;
  // Device library: "sinf", "fadd_rn", "llabs" and so on.
  llvm::StringRef stem = name;
  for (llvm::StringRef rounding : {"_rn", "_rz", "_rd", "_ru"})
    stem.consume_back(rounding);
  if (const NamedFunction *entry = findName(stem))
    return MathEntry{entry->function, entry->kind};
  if (stem.consume_back("f") || stem.consume_front("ll"))
    if (const NamedFunction *entry = findName(stem))
      return MathEntry{entry->function, entry->kind};
  return std::nullopt;
}

} // namespace warpwright::simt
