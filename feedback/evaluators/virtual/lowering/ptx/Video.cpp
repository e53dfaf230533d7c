#include "feedback/evaluators/virtual/lowering/ptx/Video.h"

#include <llvm/ADT/StringSwitch.h>

namespace warpwright::vdevice::ptx {
namespace {

class VideoBuilder {
public:
  VideoBuilder(llvm::IRBuilder<> &builder, const PtxInstruction &instruction, Frame &frame)
      : builder_(builder), instruction_(instruction), frame_(frame), types_(typesOf(instruction)),
        wide_(builder.getInt64Ty()) {}

  llvm::Value *run() {
    llvm::StringRef name = instruction_.opcode.front();
    parts_ = name.consume_back("4") ? 4 : name.consume_back("2") ? 2 : 1;
    bool compares = name == "vset";
    size_t wanted = compares ? 2 : 3;
    if (types_.size() != wanted || llvm::any_of(types_, [](const Type &type) {
          return type.bits != 32 || type.isFloating() || type.packed;
        }))
      return nullptr;
    from_ = llvm::ArrayRef(types_).take_back(2);
    llvm::Value *a = read(1), *b = read(2);
    llvm::Value *c = instruction_.operands.size() > 3 ? read(3) : nullptr;
    if (!a || !b || instruction_.operands.size() > 4)
      return nullptr;
    std::optional<llvm::StringRef> second = secondOperation();
    if (!second)
      return nullptr;
    bool isSigned = !compares && types_.front().isSigned();
    if (parts_ == 1)
      return finishWord(name, element(name, a, b, 0), c, isSigned, *second);
    return finishParts(name, a, b, c, isSigned, *second);
  }

private:
  bool has(llvm::StringRef part) const { return instruction_.has(part); }
  llvm::Value *read(unsigned index) { return frame_.read(instruction_.operands[index], 32); }
  unsigned bits() const { return 32 / parts_; }

  /// "add", "min", "max", or "" where there is none; nothing where there is some part that is not known.
  std::optional<llvm::StringRef> secondOperation() const {
    std::optional<llvm::StringRef> found = "";
    for (llvm::StringRef part : llvm::drop_begin(instruction_.opcode)) {
      if (llvm::is_contained({"add", "min", "max"}, part))
        found = part;
      else if (!readType(part) &&
               !llvm::is_contained({"sat", "wrap", "clamp", "eq", "ne", "lt", "le", "gt", "ge"}, part))
        return std::nullopt;
    }
    return found;
  }

  llvm::Value *part(llvm::Value *word, unsigned index, bool isSigned) {
    llvm::Value *piece =
        builder_.CreateTrunc(builder_.CreateLShr(word, index * bits()), builder_.getIntNTy(bits()));
    return isSigned ? builder_.CreateSExt(piece, wide_) : builder_.CreateZExt(piece, wide_);
  }

  /// With as many bits as it takes; null where it is not covered.
  llvm::Value *element(llvm::StringRef name, llvm::Value *a, llvm::Value *b, unsigned index) {
    llvm::Value *left = part(a, index, from_[0].isSigned());
    llvm::Value *right = part(b, index, from_[1].isSigned());
    auto binary = [&](llvm::Intrinsic::ID id) { return builder_.CreateBinaryIntrinsic(id, left, right); };
    if (name == "vadd")
      return builder_.CreateAdd(left, right);
    if (name == "vsub")
      return builder_.CreateSub(left, right);
    if (name == "vabsdiff")
      return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, builder_.CreateSub(left, right),
                                            builder_.getFalse());
    if (name == "vmin")
      return binary(llvm::Intrinsic::smin);
    if (name == "vmax")
      return binary(llvm::Intrinsic::smax);
    if (name == "vavrg" && parts_ > 1)
      return average(left, right);
    if (name == "vset")
      return compare(left, right);
    return (name == "vshl" || name == "vshr") && parts_ == 1 ? shift(name == "vshl", left, right) : nullptr;
  }

  /// Rounded away from zero.
  llvm::Value *average(llvm::Value *left, llvm::Value *right) {
    llvm::Value *sum = builder_.CreateAdd(left, right);
    llvm::Value *one = builder_.CreateZExt(builder_.CreateICmpSGE(sum, builder_.getInt64(0)), wide_);
    return builder_.CreateAShr(builder_.CreateAdd(sum, one), 1);
  }

  llvm::Value *compare(llvm::Value *left, llvm::Value *right) {
    using P = llvm::CmpInst::Predicate;
    for (const std::string &part : instruction_.opcode) {
      auto predicate = llvm::StringSwitch<P>(part)
                           .Case("eq", P::ICMP_EQ)
                           .Case("ne", P::ICMP_NE)
                           .Case("lt", P::ICMP_SLT)
                           .Case("le", P::ICMP_SLE)
                           .Case("gt", P::ICMP_SGT)
                           .Case("ge", P::ICMP_SGE)
                           .Default(P::BAD_ICMP_PREDICATE);
      if (predicate != P::BAD_ICMP_PREDICATE)
        return builder_.CreateZExt(builder_.CreateICmp(predicate, left, right), wide_);
    }
    return nullptr;
  }

  llvm::Value *shift(bool isLeft, llvm::Value *value, llvm::Value *amount) {
    if (!has("wrap") && !has("clamp"))
      return nullptr;
    llvm::Value *word = builder_.CreateAnd(amount, 0xffffffffu);
    llvm::Value *places =
        has("wrap") ? builder_.CreateAnd(word, 31)
                    : builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, word, builder_.getInt64(32));
    return isLeft ? builder_.CreateShl(value, places) : builder_.CreateAShr(value, places);
  }

  llvm::Value *saturated(llvm::Value *value, bool isSigned) {
    if (!has("sat"))
      return value;
    int64_t least = isSigned ? -(int64_t(1) << (bits() - 1)) : 0;
    int64_t most = (int64_t(1) << (bits() - (isSigned ? 1 : 0))) - 1;
    auto constant = [&](int64_t number) { return builder_.getInt64(static_cast<uint64_t>(number)); };
    value = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, value, constant(least));
    return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, value, constant(most));
  }

  llvm::Value *finishWord(llvm::StringRef, llvm::Value *value, llvm::Value *c, bool isSigned,
                          llvm::StringRef second) {
    if (!value || (second.empty() ? c != nullptr : c == nullptr))
      return nullptr;
    value = saturated(value, isSigned);
    if (second == "min" || second == "max") {
      // Before anything is cut off.
      llvm::Value *other = isSigned ? builder_.CreateSExt(c, wide_) : builder_.CreateZExt(c, wide_);
      value = builder_.CreateBinaryIntrinsic(second == "min" ? llvm::Intrinsic::smin : llvm::Intrinsic::smax,
                                             value, other);
    }
    value = builder_.CreateTrunc(value, builder_.getInt32Ty());
    return second == "add" ? builder_.CreateAdd(value, c) : value;
  }

  /// The parts side by side, or their sum on top of the last operand.
  llvm::Value *finishParts(llvm::StringRef name, llvm::Value *a, llvm::Value *b, llvm::Value *c,
                           bool isSigned, llvm::StringRef second) {
    if (!c || (!second.empty() && second != "add"))
      return nullptr;
    bool adds = second == "add";
    llvm::Value *result = adds ? c : builder_.getInt32(0);
    for (unsigned i = 0; i < parts_; ++i) {
      llvm::Value *value = element(name, a, b, i);
      if (!value)
        return nullptr;
      value = saturated(value, isSigned);
      llvm::Type *word = builder_.getInt32Ty();
      if (adds) {
        result = builder_.CreateAdd(result, builder_.CreateTrunc(value, word));
        continue;
      }
      llvm::Value *piece = builder_.CreateZExt(builder_.CreateTrunc(value, builder_.getIntNTy(bits())), word);
      result = builder_.CreateOr(result, builder_.CreateShl(piece, i * bits()));
    }
    return result;
  }

  llvm::IRBuilder<> &builder_;
  const PtxInstruction &instruction_;
  Frame &frame_;
  llvm::SmallVector<Type, 4> types_;
  llvm::ArrayRef<Type> from_;
  llvm::Type *wide_;
  unsigned parts_ = 1;
};

} // namespace

llvm::Value *buildVideo(llvm::IRBuilder<> &builder, const PtxInstruction &instruction, Frame &frame) {
  return VideoBuilder(builder, instruction, frame).run();
}

} // namespace warpwright::vdevice::ptx
