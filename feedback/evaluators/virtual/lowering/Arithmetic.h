#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/IRBuilder.h>

#include <optional>

namespace warpwright::vdevice {

struct LoweringState;

/// The device's rounding modes, as PTX spells them: to nearest even, to zero, down, up.
enum class Rounding { Nearest, Zero, Down, Up };

/// "rn", "rz", "rm", "rp", and the forms for integers "rni", "rzi", "rmi", "rpi".
std::optional<Rounding> readRounding(llvm::StringRef text);
const char *toString(Rounding rounding);

/// Builds the device's arithmetic out of the host's. Values are those of LLVM: i16 .. i64, half, float,
/// double and vectors of them where said so.
class ArithmeticBuilder {
public:
  ArithmeticBuilder(LoweringState &state, llvm::IRBuilderBase &builder) : state_(state), builder_(builder) {}

  /// Denormal floats become zeros of their sign; other types stay.
  llvm::Value *flush(llvm::Value *value);

  /// `operation` is one of add, sub, mul, fma, div, sqrt, rcp.
  llvm::Value *rounded(llvm::StringRef operation, Rounding rounding, llvm::ArrayRef<llvm::Value *> operands);

  /// One of ex2, lg2, sin, cos, tanh, rsqrt, rcp, sqrt, div: the hardware's approximation, here the nearest
  /// value. Quotients by more than 2^126 are zero, as the hardware multiplies by a reciprocal, unless they
  /// are div.full.
  llvm::Value *approximate(llvm::StringRef operation, llvm::ArrayRef<llvm::Value *> operands);

  /// To an integer, as `cvt` does: rounded, clamped to the range, NaN to zero (of double or to 64 bits: to
  /// the least of the signed).
  llvm::Value *toInteger(llvm::Value *value, llvm::IntegerType *type, bool isSigned, Rounding rounding);
  llvm::Value *fromInteger(llvm::Value *value, llvm::Type *type, bool isSigned, Rounding rounding);
  /// Between floating types.
  llvm::Value *convert(llvm::Value *value, llvm::Type *type, Rounding rounding);
  /// To an integral value of the same type.
  llvm::Value *roundToIntegral(llvm::Value *value, Rounding rounding);

  /// The other operand where one is NaN; -0 is less than +0.
  llvm::Value *minimum(llvm::Value *left, llvm::Value *right, bool keepsNaN);
  llvm::Value *maximum(llvm::Value *left, llvm::Value *right, bool keepsNaN);
  /// To 0..1, NaN to 0.
  llvm::Value *saturate(llvm::Value *value);

  llvm::Value *mulHigh(llvm::Value *left, llvm::Value *right, bool isSigned);
  /// Shifts by the width or more give zero, or copies of the sign.
  llvm::Value *shift(llvm::Instruction::BinaryOps operation, llvm::Value *value, llvm::Value *amount);
  /// By zero: all ones. The least value by -1: itself, and a remainder of 0.
  llvm::Value *divide(llvm::Instruction::BinaryOps operation, llvm::Value *left, llvm::Value *right);

private:
  llvm::Value *call(const llvm::Twine &name, llvm::Type *result, llvm::ArrayRef<llvm::Value *> operands);
  llvm::Value *unary(llvm::Intrinsic::ID id, llvm::Value *value);
  llvm::Value *divideApproximately(llvm::Value *left, llvm::Value *right);

  LoweringState &state_;
  llvm::IRBuilderBase &builder_;
};

/// "f32", "s64", ...: how names of the runtime spell a type.
std::string typeSuffix(const llvm::Type *type, char integerLetter = 's');

} // namespace warpwright::vdevice
