#include "feedback/evaluators/virtual/lowering/ptx/Integers.h"

#include "feedback/evaluators/virtual/execution/PermuteMode.h"
#include "feedback/evaluators/virtual/lowering/ptx/Numbers.h"

#include <llvm/ADT/StringSwitch.h>

namespace warpwright::vdevice::ptx {
namespace {

using Values = llvm::SmallVector<llvm::Value *, 4>;

class IntegerBuilder {
public:
  IntegerBuilder(LoweringState &state, llvm::IRBuilder<> &builder, const PtxInstruction &instruction,
                 Frame &frame)
      : state_(state), builder_(builder), arithmetic_(state, builder), numbers_(state, builder, false),
        instruction_(instruction), frame_(frame), types_(typesOf(instruction)) {}

  llvm::Value *build(llvm::StringRef name) {
    if (types_.empty())
      return nullptr;
    if (name == "dp4a" || name == "dp2a")
      return buildDotProduct(name);
    Type each = type();
    if (has("cc") || name == "addc" || name == "subc" || name == "madc")
      return buildCarry(name);
    if (each.bits > 64)
      return nullptr;
    if (name == "shl" || name == "shr")
      return buildShift(name);
    if (name == "shf")
      return buildFunnelShift();
    if (name == "mul" || name == "mad" || name == "mul24" || name == "mad24")
      return buildProduct(name);
    if (name == "popc" || name == "clz" || name == "bfind")
      return buildBitCount(name);
    if (name == "bfe" || name == "bfi")
      return buildBitField(name);
    unsigned width = each.kind == Type::Kind::Predicate ? 1 : each.bits;
    std::optional<Values> operands = sources(width);
    return operands ? simpleInteger(name, each, *operands) : nullptr;
  }

private:
  bool has(llvm::StringRef part) const { return instruction_.has(part); }
  Type type() const { return types_.back(); }

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

  /// Sums that leave a carry behind (`.cc`), or take one (`addc`): in twice the width, whose next bit it is.
  llvm::Value *buildCarry(llvm::StringRef name) {
    unsigned bits = type().bits;
    std::optional<Values> v = bits == 32 || bits == 64 ? sources(bits) : std::nullopt;
    bool multiplies = name.starts_with("mad");
    bool subtracts = name.starts_with("sub");
    bool takes = name.ends_with("c");
    if (!v || v->size() != (multiplies ? 3 : 2) || (multiplies && !has("lo") && !has("hi")))
      return nullptr;
    llvm::Type *word = builder_.getIntNTy(bits), *wide = builder_.getIntNTy(2 * bits);
    auto widen = [&](llvm::Value *value) { return builder_.CreateZExt(value, wide); };
    llvm::Value *left = (*v)[0], *right = (*v)[1];
    if (multiplies) {
      left =
          has("hi") ? arithmetic_.mulHigh(left, right, type().isSigned()) : builder_.CreateMul(left, right);
      right = (*v)[2];
    }
    llvm::Value *sum = subtracts ? builder_.CreateSub(widen(left), widen(right))
                                 : builder_.CreateAdd(widen(left), widen(right));
    if (takes) {
      llvm::Value *carry = frame_.read("%carry", 1);
      if (!carry)
        return nullptr;
      sum = subtracts ? builder_.CreateSub(sum, widen(carry)) : builder_.CreateAdd(sum, widen(carry));
    }
    if (has("cc"))
      frame_.write("%carry", builder_.CreateTrunc(builder_.CreateLShr(sum, bits), builder_.getInt1Ty()),
                   nullptr);
    return builder_.CreateTrunc(sum, word);
  }

  llvm::Value *simpleInteger(llvm::StringRef name, Type each, const Values &v) {
    using I = llvm::Instruction;
    auto binary = [&](llvm::Intrinsic::ID id) { return builder_.CreateBinaryIntrinsic(id, v[0], v[1]); };
    bool isSigned = each.isSigned();
    if (v.size() == 1) {
      if (name == "not")
        return builder_.CreateNot(v[0]);
      if (name == "cnot")
        return builder_.CreateZExt(builder_.CreateIsNull(v[0]), v[0]->getType());
      if (name == "neg")
        return builder_.CreateNeg(v[0]);
      if (name == "abs")
        return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, v[0], builder_.getFalse());
      return name == "brev" ? builder_.CreateUnaryIntrinsic(llvm::Intrinsic::bitreverse, v[0]) : nullptr;
    }
    if (v.size() == 2) {
      if (name == "add")
        return has("sat") ? binary(llvm::Intrinsic::sadd_sat) : builder_.CreateAdd(v[0], v[1]);
      if (name == "sub")
        return has("sat") ? binary(llvm::Intrinsic::ssub_sat) : builder_.CreateSub(v[0], v[1]);
      if (name == "and")
        return builder_.CreateAnd(v[0], v[1]);
      if (name == "or")
        return builder_.CreateOr(v[0], v[1]);
      if (name == "xor")
        return builder_.CreateXor(v[0], v[1]);
      if (name == "min" && !has("relu"))
        return binary(isSigned ? llvm::Intrinsic::smin : llvm::Intrinsic::umin);
      if (name == "max" && !has("relu"))
        return binary(isSigned ? llvm::Intrinsic::smax : llvm::Intrinsic::umax);
      if (name == "div")
        return arithmetic_.divide(isSigned ? I::SDiv : I::UDiv, v[0], v[1]);
      return name == "rem" ? arithmetic_.divide(isSigned ? I::SRem : I::URem, v[0], v[1]) : nullptr;
    }
    if (name == "lop3" && v.size() == 4)
      return buildLogic(v);
    if (v.size() != 3)
      return nullptr;
    if (name == "prmt")
      return buildPermutation(v);
    if (name == "sad") {
      llvm::Value *larger = binary(isSigned ? llvm::Intrinsic::smax : llvm::Intrinsic::umax);
      llvm::Value *smaller = binary(isSigned ? llvm::Intrinsic::smin : llvm::Intrinsic::umin);
      return builder_.CreateAdd(builder_.CreateSub(larger, smaller), v[2]);
    }
    return nullptr;
  }

  llvm::Value *buildPermutation(const Values &v) {
    llvm::Type *word = builder_.getInt32Ty();
    if (instruction_.opcode.size() == 2)
      return state_.callRuntime(builder_, "warpwright.prmt", word, {v[0], v[1], v[2]});
    using Mode = std::optional<PermuteMode>;
    Mode mode = llvm::StringSwitch<Mode>(instruction_.opcode.back())
                    .Case("f4e", PermuteMode::Forward)
                    .Case("b4e", PermuteMode::Backward)
                    .Case("rc8", PermuteMode::Replicate8)
                    .Case("ecl", PermuteMode::ClampLeft)
                    .Case("ecr", PermuteMode::ClampRight)
                    .Case("rc16", PermuteMode::Replicate16)
                    .Default(std::nullopt);
    if (!mode)
      return nullptr;
    return state_.callRuntime(builder_, "warpwright.prmt_mode", word,
                              {v[0], v[1], v[2], builder_.getInt32(static_cast<uint32_t>(*mode))});
  }

  /// A table of eight bits says the result for each three bits of the sources.
  llvm::Value *buildLogic(const Values &v) {
    const auto *table = llvm::dyn_cast<llvm::ConstantInt>(v[3]);
    if (!table)
      return nullptr;
    llvm::Value *result = llvm::Constant::getNullValue(v[0]->getType());
    for (unsigned row = 0; row < 8; ++row) {
      if (!(table->getZExtValue() >> row & 1))
        continue;
      llvm::Value *a = row & 4 ? v[0] : builder_.CreateNot(v[0]);
      llvm::Value *b = row & 2 ? v[1] : builder_.CreateNot(v[1]);
      llvm::Value *c = row & 1 ? v[2] : builder_.CreateNot(v[2]);
      result = builder_.CreateOr(result, builder_.CreateAnd(a, builder_.CreateAnd(b, c)));
    }
    return result;
  }

  llvm::Value *buildShift(llvm::StringRef name) {
    using I = llvm::Instruction;
    llvm::Value *value = read(1, type().bits);
    llvm::Value *amount = read(2, 32);
    if (!value || !amount)
      return nullptr;
    // The amount is compared before it is narrowed.
    llvm::Value *most = builder_.getInt32(type().bits);
    amount = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, amount, most);
    amount = builder_.CreateZExtOrTrunc(amount, value->getType());
    I::BinaryOps operation = name == "shl" ? I::Shl : type().isSigned() ? I::AShr : I::LShr;
    return arithmetic_.shift(operation, value, amount);
  }

  llvm::Value *buildFunnelShift() {
    std::optional<Values> v = sources(32);
    if (!v || v->size() != 3 || type().bits != 32 || (!has("wrap") && !has("clamp")))
      return nullptr;
    llvm::Value *wide =
        builder_.CreateOr(builder_.CreateZExt((*v)[0], builder_.getInt64Ty()),
                          builder_.CreateShl(builder_.CreateZExt((*v)[1], builder_.getInt64Ty()), 32));
    llvm::Value *amount =
        has("wrap") ? builder_.CreateAnd((*v)[2], 31)
                    : builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, (*v)[2], builder_.getInt32(32));
    amount = builder_.CreateZExt(amount, builder_.getInt64Ty());
    llvm::Value *shifted = has("l") ? builder_.CreateLShr(builder_.CreateShl(wide, amount), 32)
                                    : builder_.CreateLShr(wide, amount);
    return builder_.CreateTrunc(shifted, builder_.getInt32Ty());
  }

  llvm::Value *buildProduct(llvm::StringRef name) {
    unsigned bits = type().bits;
    if (name.ends_with("24"))
      return buildProduct24(name.starts_with("mad"));
    bool adds = name.starts_with("mad");
    llvm::Value *a = read(1, bits), *b = read(2, bits);
    unsigned resultBits = has("wide") ? 2 * bits : bits;
    llvm::Value *c = adds ? read(3, resultBits) : nullptr;
    if (!a || !b || (adds && !c) || has("sat") || resultBits > 64)
      return nullptr;
    llvm::Value *product = nullptr;
    if (has("hi"))
      product = arithmetic_.mulHigh(a, b, type().isSigned());
    else {
      llvm::Type *wide = builder_.getIntNTy(resultBits);
      product = builder_.CreateMul(numbers_.extend(a, wide, type().isSigned()),
                                   numbers_.extend(b, wide, type().isSigned()));
    }
    return adds ? builder_.CreateAdd(product, c) : product;
  }

  llvm::Value *buildBitCount(llvm::StringRef name) {
    llvm::Value *value = read(1, type().bits);
    if (!value)
      return nullptr;
    llvm::Value *result = nullptr;
    if (name == "popc")
      result = builder_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, value);
    else if (name == "clz")
      result = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, value, builder_.getFalse());
    else {
      if (type().isSigned())
        value = builder_.CreateXor(value, builder_.CreateAShr(value, type().bits - 1));
      llvm::Value *zeros = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, value, builder_.getFalse());
      llvm::Value *top = llvm::ConstantInt::get(value->getType(), type().bits - 1);
      result = has("shiftamt") ? zeros : builder_.CreateSub(top, zeros);
      llvm::Value *none = llvm::Constant::getAllOnesValue(value->getType());
      result = builder_.CreateSelect(builder_.CreateIsNull(value), none, result);
      return builder_.CreateSExtOrTrunc(result, builder_.getInt32Ty());
    }
    return builder_.CreateZExtOrTrunc(result, builder_.getInt32Ty());
  }

  /// Of the low 24 bits of each factor; 48 bits, of which the lower or the upper 32 are taken.
  llvm::Value *buildProduct24(bool adds) {
    llvm::Value *a = read(1, 24), *b = read(2, 24), *c = adds ? read(3, 32) : nullptr;
    if (!a || !b || (adds && !c) || has("sat") || (!has("lo") && !has("hi")))
      return nullptr;
    llvm::Type *wide = builder_.getInt64Ty();
    llvm::Value *product = builder_.CreateMul(numbers_.extend(a, wide, type().isSigned()),
                                              numbers_.extend(b, wide, type().isSigned()));
    if (has("hi"))
      product = builder_.CreateLShr(product, 16);
    product = builder_.CreateTrunc(product, builder_.getInt32Ty());
    return adds ? builder_.CreateAdd(product, c) : product;
  }

  /// bfe d, a, position, length; bfi d, a, b, position, length
  llvm::Value *buildBitField(llvm::StringRef name) {
    unsigned bits = type().bits;
    bool inserts = name == "bfi";
    unsigned first = inserts ? 3 : 2;
    llvm::Value *value = read(1, bits), *into = inserts ? read(2, bits) : nullptr;
    llvm::Value *start = read(first, 32), *length = read(first + 1, 32);
    if (!value || (inserts && !into) || !start || !length || bits < 32)
      return nullptr;
    std::string width = std::to_string(bits);
    if (inserts)
      return state_.callRuntime(builder_, "warpwright.bfi.b" + width, value->getType(),
                                {value, into, start, length});
    return state_.callRuntime(builder_, (type().isSigned() ? "warpwright.bfe.s" : "warpwright.bfe.u") + width,
                              value->getType(), {value, start, length});
  }

  llvm::Value *buildDotProduct(llvm::StringRef name) {
    if (types_.size() != 2)
      return nullptr;
    llvm::Value *a = read(1, 32), *b = read(2, 32), *sum = read(3, 32);
    if (!a || !b || !sum)
      return nullptr;
    bool four = name == "dp4a";
    unsigned step = four ? 8 : 16;
    llvm::Type *word = builder_.getInt32Ty();
    for (unsigned i = 0; i < 32 / step; ++i) {
      auto part = [&](llvm::Value *value, unsigned bits, unsigned shift, bool isSigned) {
        llvm::Value *piece =
            builder_.CreateTrunc(builder_.CreateLShr(value, shift), builder_.getIntNTy(bits));
        return numbers_.extend(piece, word, isSigned);
      };
      llvm::Value *left = part(a, step, i * step, types_[0].isSigned());
      unsigned shift = four ? i * 8 : i * 8 + (has("hi") ? 16 : 0);
      llvm::Value *right = part(b, 8, shift, types_[1].isSigned());
      sum = builder_.CreateAdd(sum, builder_.CreateMul(left, right));
    }
    return sum;
  }

  LoweringState &state_;
  llvm::IRBuilder<> &builder_;
  ArithmeticBuilder arithmetic_;
  Numbers numbers_;
  const PtxInstruction &instruction_;
  Frame &frame_;
  llvm::SmallVector<Type, 4> types_;
};

} // namespace

llvm::Value *buildInteger(LoweringState &state, llvm::IRBuilder<> &builder, const PtxInstruction &instruction,
                          Frame &frame) {
  return IntegerBuilder(state, builder, instruction, frame).build(instruction.opcode.front());
}

} // namespace warpwright::vdevice::ptx
