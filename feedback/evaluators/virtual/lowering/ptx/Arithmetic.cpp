#include "feedback/evaluators/virtual/lowering/ptx/Arithmetic.h"

#include "feedback/evaluators/virtual/lowering/ptx/Integers.h"
#include "feedback/evaluators/virtual/lowering/ptx/Numbers.h"
#include "feedback/evaluators/virtual/lowering/ptx/Video.h"

#include <llvm/ADT/StringSwitch.h>

namespace warpwright::vdevice::ptx {
namespace {

using Values = llvm::SmallVector<llvm::Value *, 4>;

/// One instruction; its handlers return null where the form is not covered.
class Builder {
public:
  Builder(LoweringState &state, llvm::IRBuilder<> &builder, const PtxInstruction &instruction, Frame &frame,
          llvm::Value *guard)
      : state_(state), builder_(builder), arithmetic_(state, builder),
        numbers_(state, builder, instruction.has("ftz")), instruction_(instruction), frame_(frame),
        guard_(guard), types_(typesOf(instruction)) {}

  bool run() {
    llvm::StringRef name = instruction_.opcode.front();
    if (instruction_.operands.size() < 2)
      return false;
    if (name == "setp")
      return buildSetPredicate();
    llvm::Value *result = build(name);
    return result && frame_.write(instruction_.operands[0].text, result, guard_);
  }

private:
  bool has(llvm::StringRef part) const { return instruction_.has(part); }
  Type type() const { return types_.empty() ? Type() : types_.back(); }
  std::optional<Rounding> rounding() const {
    for (const std::string &part : instruction_.opcode)
      if (std::optional<Rounding> mode = readRounding(part))
        return mode;
    return std::nullopt;
  }

  llvm::Value *read(unsigned index, unsigned width) {
    return index < instruction_.operands.size() ? frame_.read(instruction_.operands[index], width) : nullptr;
  }

  /// The source operands in the width given.
  std::optional<Values> sources(unsigned width) {
    Values values;
    for (unsigned i = 1; i < instruction_.operands.size(); ++i) {
      values.push_back(read(i, width));
      if (!values.back())
        return std::nullopt;
    }
    return values;
  }

  static bool isVideo(llvm::StringRef name) {
    static constexpr llvm::StringLiteral stems[] = {"vabsdiff", "vadd", "vavrg", "vmax", "vmin",
                                                    "vset",     "vshl", "vshr",  "vsub"};
    return llvm::any_of(stems, [&](llvm::StringRef stem) { return name.starts_with(stem); });
  }

  llvm::Value *build(llvm::StringRef name) {
    if (name == "mov")
      return types_.empty() ? nullptr : read(1, type().width());
    if (name == "cvt")
      return buildConversion();
    if (name == "cvta")
      return buildAddressConversion();
    if (name == "selp")
      return buildSelect();
    if (name == "set")
      return buildSet();
    if (types_.empty())
      return nullptr;
    if (isVideo(name))
      return buildVideo(builder_, instruction_, frame_);
    return type().isFloating() ? buildFloating(name) : buildInteger(state_, builder_, instruction_, frame_);
  }

  // ---- floating point

  llvm::Value *buildFloating(llvm::StringRef name) {
    if (types_.size() != 1)
      return nullptr;
    std::optional<Values> bits = sources(type().width());
    if (!bits)
      return nullptr;
    return numbers_.perElement(type(), *bits, [&](Type each, llvm::ArrayRef<llvm::Value *> operands) {
      return floatingElement(name, each, operands);
    });
  }

  llvm::Value *floatingElement(llvm::StringRef name, Type each, llvm::ArrayRef<llvm::Value *> operands) {
    bool isFull = has("full");
    llvm::Value *value = numbers_.arithmetic(isFull && name == "div" ? "div.full" : name, each, operands,
                                             rounding(), has("approx") || isFull, has("NaN"));
    if (!value || has("xorsign") || has("oob"))
      return nullptr;
    if (has("sat"))
      value = arithmetic_.saturate(value);
    if (has("relu"))
      value = numbers_.rectified(value);
    return numbers_.pack(value, each);
  }

  // ---- comparisons and selection

  llvm::Value *compare(llvm::StringRef comparison, Type each, llvm::Value *a, llvm::Value *b) {
    if (!each.isFloating())
      return numbers_.compareIntegers(comparison, each, a, b);
    return numbers_.compareNumbers(comparison, numbers_.unpack(a, each), numbers_.unpack(b, each));
  }

  bool buildSetPredicate() {
    if (types_.empty() || instruction_.opcode.size() < 3 || instruction_.operands.size() != 3)
      return false;
    Type each = type();
    llvm::Value *a = read(1, each.width()), *b = read(2, each.width());
    if (!a || !b)
      return false;
    llvm::SmallVector<llvm::StringRef, 2> targets;
    llvm::StringRef(instruction_.operands[0].text).split(targets, '|');
    llvm::StringRef comparison = instruction_.opcode[1];
    if (!each.packed) {
      llvm::Value *holds = compare(comparison, each, a, b);
      if (!holds || !frame_.write(targets[0].trim(), holds, guard_))
        return false;
      return targets.size() == 1 || frame_.write(targets[1].trim(), builder_.CreateNot(holds), guard_);
    }
    Type element = numbers_.element(each);
    for (unsigned i = 0; i < 2 && i < targets.size(); ++i) {
      llvm::Value *holds = compare(comparison, element, numbers_.part(a, i, each), numbers_.part(b, i, each));
      if (!holds || !frame_.write(targets[i].trim(), holds, guard_))
        return false;
    }
    return targets.size() == 2;
  }

  /// The result is all ones, or 1.0 of a floating type, where the comparison holds.
  llvm::Value *buildSet() {
    if (types_.size() != 2 || instruction_.operands.size() != 3 || instruction_.opcode.size() < 4)
      return nullptr;
    Type to = types_[0], from = types_[1];
    llvm::Value *a = read(1, from.width()), *b = read(2, from.width());
    if (!a || !b || (to.packed && !from.packed))
      return nullptr;
    Type element = numbers_.element(from);
    unsigned parts = from.packed ? 2 : 1;
    unsigned each = to.width() / parts;
    llvm::Type *whole = builder_.getIntNTy(to.width());
    llvm::Value *joined = llvm::Constant::getNullValue(whole);
    for (unsigned i = 0; i < parts; ++i) {
      llvm::Value *holds =
          compare(instruction_.opcode[1], element, numbers_.part(a, i, from), numbers_.part(b, i, from));
      llvm::Value *one = to.isFloating() ? numbers_.one(numbers_.element(to))
                                         : llvm::Constant::getAllOnesValue(builder_.getIntNTy(each));
      if (!holds || !one)
        return nullptr;
      llvm::Value *value = builder_.CreateSelect(holds, one, llvm::Constant::getNullValue(one->getType()));
      joined = builder_.CreateOr(joined, builder_.CreateShl(builder_.CreateZExt(value, whole), i * each));
    }
    return joined;
  }

  llvm::Value *buildSelect() {
    if (instruction_.operands.size() != 4 || types_.empty())
      return nullptr;
    llvm::Value *a = read(1, type().width()), *b = read(2, type().width());
    llvm::Value *condition = frame_.readPredicate(instruction_.operands[3].text);
    return a && b && condition ? builder_.CreateSelect(condition, a, b) : nullptr;
  }

  // ---- conversions

  llvm::Value *buildConversion() {
    if (has("tf32"))
      return buildTensorFloat();
    if (types_.size() != 2)
      return nullptr;
    Type to = types_[0], from = types_[1];
    for (const std::string &part : instruction_.opcode) {
      bool known = part == "cvt" || part == "sat" || part == "relu" || part == "ftz" || readType(part) ||
                   readRounding(part);
      if (!known)
        return nullptr;
    }
    if (to.packed && !from.packed) {
      // The first source becomes the upper half.
      llvm::Value *high = convertOne(read(1, from.bits), from, numbers_.element(to));
      llvm::Value *low = convertOne(read(2, from.bits), from, numbers_.element(to));
      return high && low ? numbers_.join(low, high) : nullptr;
    }
    if (to.packed || from.packed || instruction_.operands.size() != 2)
      return nullptr;
    llvm::Value *value = convertOne(read(1, from.bits), from, to);
    // Registers may be wider, and hold its sign then.
    constexpr unsigned widest = 64;
    bool extends = value && to.isSigned() && !to.isFloating() && to.bits < widest;
    return extends ? builder_.CreateSExt(value, builder_.getIntNTy(widest)) : value;
  }

  /// cvt.rna.tf32.f32: rounded to ten bits of mantissa, halves away from zero. NaN stays as it is: rounded,
  /// its mantissa would run over into the sign.
  llvm::Value *buildTensorFloat() {
    constexpr uint32_t half = 0x1000, kept = 0xffffe000;
    llvm::Value *bits = instruction_.opcode.size() == 4 && has("rna") ? read(1, 32) : nullptr;
    if (!bits)
      return nullptr;
    llvm::Value *number = builder_.CreateBitCast(bits, builder_.getFloatTy());
    llvm::Value *rounded = builder_.CreateAnd(builder_.CreateAdd(bits, builder_.getInt32(half)), kept);
    return builder_.CreateSelect(builder_.CreateFCmpUNO(number, number), bits, rounded);
  }

  llvm::Value *convertOne(llvm::Value *bits, Type from, Type to) {
    return bits ? numbers_.convert(bits, from, to, rounding(), has("sat"), has("relu")) : nullptr;
  }

  /// Generic addresses of shared memory and offsets in it: see resolveAddressSpaces.
  llvm::Value *buildAddressConversion() {
    bool toSpace = has("to");
    if (types_.empty() || type().bits != 64)
      return nullptr;
    llvm::Value *value = read(1, 64);
    if (!value)
      return nullptr;
    if (has("global") || has("const"))
      return value;
    if (!has("shared"))
      return nullptr;
    constexpr unsigned sharedSpace = 3;
    llvm::Type *generic = builder_.getPtrTy();
    llvm::Type *shared = builder_.getPtrTy(sharedSpace);
    if (toSpace)
      return builder_.CreatePtrToInt(
          builder_.CreateAddrSpaceCast(builder_.CreateIntToPtr(value, generic), shared),
          builder_.getInt64Ty());
    return builder_.CreatePtrToInt(
        builder_.CreateAddrSpaceCast(builder_.CreateIntToPtr(value, shared), generic), builder_.getInt64Ty());
  }

  LoweringState &state_;
  llvm::IRBuilder<> &builder_;
  ArithmeticBuilder arithmetic_;
  Numbers numbers_;
  const PtxInstruction &instruction_;
  Frame &frame_;
  llvm::Value *guard_;
  llvm::SmallVector<Type, 4> types_;
};

} // namespace

bool buildArithmetic(LoweringState &state, llvm::IRBuilder<> &builder, const PtxInstruction &instruction,
                     Frame &frame, llvm::Value *guard) {
  return Builder(state, builder, instruction, frame, guard).run();
}

} // namespace warpwright::vdevice::ptx
