// The intrinsics behind nvcuda::wmma.

#include "feedback/evaluators/virtual/execution/ThreadContext.h"
#include "feedback/evaluators/virtual/lowering/LoweringState.h"
#include "feedback/evaluators/virtual/lowering/MatrixBuilder.h"

#include <llvm/ADT/StringSwitch.h>

namespace warpwright::vdevice {
namespace {

std::optional<MatrixElement> findElement(llvm::StringRef type) {
  using E = MatrixElement;
  return llvm::StringSwitch<std::optional<E>>(type)
      .Case("f16", E::Half)
      .Case("bf16", E::BFloat)
      .Case("tf32", E::TF32)
      .Case("f32", E::Float)
      .Case("f64", E::Double)
      .Case("s8", E::Int8)
      .Case("u8", E::UInt8)
      .Case("s32", E::Int32)
      .Default(std::nullopt);
}

/// "m16n16k16".
bool readGeometry(llvm::StringRef text, MatrixOperation &operation) {
  auto read = [&](const char *letter, uint8_t &extent) {
    unsigned value = 0;
    if (!text.consume_front(letter) || text.consumeInteger(10, value) || value > 128)
      return false;
    extent = static_cast<uint8_t>(value);
    return true;
  };
  return read("m", operation.m) && read("n", operation.n) && read("k", operation.k) && text.empty();
}

class MatrixLowerer {
public:
  MatrixLowerer(LoweringState &state, llvm::CallInst &call) : state_(state), call_(call), builder_(&call) {}

  /// GEOMETRY.load.FRAGMENT.LAYOUT[.stride].TYPE.SPACE, GEOMETRY.store.d..., GEOMETRY.mma.LAYOUT.LAYOUT.TYPES
  bool lower(llvm::StringRef name) {
    name.split(parts_, '.');
    operation_.action = MatrixAction::MultiplyOpaque;
    if (parts_.size() < 5 || !readGeometry(parts_[0], operation_))
      return false;
    return parts_[1] == "mma" ? lowerProduct() : lowerAccess();
  }

private:
  bool has(llvm::StringRef part) const { return llvm::is_contained(parts_, part); }

  llvm::SmallVector<llvm::Type *, 8> typesOf(llvm::Type *type) const {
    auto *record = llvm::dyn_cast<llvm::StructType>(type);
    return record ? llvm::SmallVector<llvm::Type *, 8>(record->elements())
                  : llvm::SmallVector<llvm::Type *, 8>{type};
  }

  static unsigned wordsOf(llvm::Type *type) {
    return std::max<unsigned>(1, static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue()) / 32);
  }

  void addWords(llvm::Value *value, llvm::SmallVectorImpl<llvm::Value *> &words) {
    unsigned count = wordsOf(value->getType());
    llvm::Value *bits = builder_.CreateBitCast(value, builder_.getIntNTy(32 * count));
    for (unsigned i = 0; i < count; ++i)
      words.push_back(builder_.CreateTrunc(builder_.CreateLShr(bits, 32 * i), builder_.getInt32Ty()));
  }

  llvm::Value *fromWords(llvm::ArrayRef<llvm::Value *> words, llvm::Type *type) {
    llvm::Type *whole = builder_.getIntNTy(static_cast<unsigned>(32 * words.size()));
    llvm::Value *bits = llvm::Constant::getNullValue(whole);
    for (size_t i = 0; i < words.size(); ++i)
      bits = builder_.CreateOr(bits, builder_.CreateShl(builder_.CreateZExt(words[i], whole), 32 * i));
    return builder_.CreateBitCast(bits, type);
  }

  void replaceBy(llvm::ArrayRef<llvm::Value *> words) {
    llvm::SmallVector<llvm::Type *, 8> types = typesOf(call_.getType());
    llvm::Value *joined = llvm::PoisonValue::get(call_.getType());
    size_t next = 0;
    for (unsigned i = 0; i < types.size(); ++i) {
      llvm::Value *value = fromWords(words.slice(next, wordsOf(types[i])), types[i]);
      next += wordsOf(types[i]);
      joined = call_.getType()->isStructTy() ? builder_.CreateInsertValue(joined, value, i) : value;
    }
    call_.replaceAllUsesWith(joined);
    call_.eraseFromParent();
  }

  /// After the layouts: D and C of floats, or the type of A and B.
  bool readTypes() {
    llvm::SmallVector<MatrixElement, 4> types;
    for (llvm::StringRef part : llvm::drop_begin(parts_, 4)) {
      operation_.saturates |= part == "satfinite";
      if (part == "satfinite")
        continue;
      std::optional<MatrixElement> type = findElement(part);
      if (!type)
        return false;
      types.push_back(*type);
    }
    using E = MatrixElement;
    if (types.size() == 2) {
      operation_.d = types[0];
      operation_.c = types[1];
      operation_.a = operation_.b = E::Half;
      return true;
    }
    if (types.size() != 1)
      return false;
    operation_.a = operation_.b = types[0];
    bool isInteger = types[0] == E::Int8 || types[0] == E::UInt8;
    operation_.c = operation_.d = isInteger ? E::Int32 : types[0] == E::Double ? E::Double : E::Float;
    return true;
  }

  bool lowerProduct() {
    if (!readTypes())
      return false;
    llvm::SmallVector<llvm::Value *, 32> words;
    for (llvm::Value *operand : call_.args())
      addWords(operand, words);
    unsigned results = 0;
    for (llvm::Type *type : typesOf(call_.getType()))
      results += wordsOf(type);
    replaceBy(MatrixBuilder(state_, builder_, call_).perform(operation_, words, results));
    return true;
  }

  /// Each lane reads or writes its own elements, one after the other.
  bool lowerAccess() {
    bool loads = parts_[1] == "load";
    bool isRow = parts_[3] == "row";
    std::optional<MatrixElement> element = findElement(parts_[has("stride") ? 5 : 4]);
    if (!element || (!loads && parts_[1] != "store") || (!isRow && parts_[3] != "col"))
      return false;
    bool isA = parts_[2] == "a", isB = parts_[2] == "b";
    OpaqueFragment fragment{isB ? operation_.k : operation_.m, isA ? operation_.k : operation_.n, 0,
                            !isA && !isB};
    llvm::SmallVector<llvm::Value *, 32> words;
    unsigned last = call_.arg_size() - (has("stride") ? 1 : 0);
    if (!loads)
      for (unsigned i = 1; i < last; ++i)
        addWords(call_.getArgOperand(i), words);
    else
      for (llvm::Type *type : typesOf(call_.getType()))
        words.append(wordsOf(type), builder_.getInt32(0));
    unsigned bits = bitsOf(*element);
    fragment.count = static_cast<unsigned>(words.size()) * 32 / bits;
    llvm::Value *stride = has("stride") ? call_.getArgOperand(last)
                                        : builder_.getInt32(isRow ? fragment.columns : fragment.rows);
    for (unsigned i = 0; i < fragment.count; ++i)
      accessElement(fragment, i, bits, isRow, stride, words, loads);
    if (loads)
      replaceBy(words);
    else
      call_.eraseFromParent();
    return true;
  }

  /// OpaqueFragment::placeOf, in code.
  std::pair<llvm::Value *, llvm::Value *> placeOf(const OpaqueFragment &fragment, unsigned index) {
    llvm::Value *lane = state_.readContext(builder_, offsetof(ThreadContext, lane), builder_.getInt32Ty());
    if (fragment.isAccumulator && fragment.rows == 16 && fragment.columns == 16)
      return {builder_.CreateAdd(builder_.CreateLShr(lane, 2), builder_.getInt32(index / 2 % 2 * 8)),
              builder_.CreateAdd(builder_.CreateShl(builder_.CreateAnd(lane, 3), 1),
                                 builder_.getInt32(index % 2 + index / 4 * 8))};
    llvm::Value *number = builder_.CreateAdd(builder_.CreateMul(lane, builder_.getInt32(fragment.count)),
                                             builder_.getInt32(index));
    number = builder_.CreateURem(number, builder_.getInt32(fragment.rows * fragment.columns));
    llvm::Value *columns = builder_.getInt32(fragment.columns);
    return {builder_.CreateUDiv(number, columns), builder_.CreateURem(number, columns)};
  }

  void accessElement(const OpaqueFragment &fragment, unsigned index, unsigned bits, bool isRow,
                     llvm::Value *stride, llvm::SmallVectorImpl<llvm::Value *> &words, bool loads) {
    auto [row, column] = placeOf(fragment, index);
    llvm::Value *offset = isRow ? builder_.CreateAdd(builder_.CreateMul(row, stride), column)
                                : builder_.CreateAdd(builder_.CreateMul(column, stride), row);
    llvm::Type *type = builder_.getIntNTy(bits);
    llvm::Value *place =
        builder_.CreateGEP(type, call_.getArgOperand(0), builder_.CreateSExt(offset, builder_.getInt64Ty()));
    unsigned each = std::max(1u, 32 / bits), word = bits == 64 ? 2 * index : index / each;
    unsigned shift = index % each * bits;
    if (!loads) {
      llvm::Value *value = bits == 64 ? fromWords({words[word], words[word + 1]}, type)
                                      : builder_.CreateTrunc(builder_.CreateLShr(words[word], shift), type);
      return number(builder_.CreateAlignedStore(value, place, llvm::Align(bits / 8)));
    }
    llvm::LoadInst *value = builder_.CreateAlignedLoad(type, place, llvm::Align(bits / 8));
    number(value);
    if (bits == 64) {
      llvm::SmallVector<llvm::Value *, 2> halves;
      addWords(value, halves);
      words[word] = halves[0];
      words[word + 1] = halves[1];
      return;
    }
    llvm::Value *placed = builder_.CreateShl(builder_.CreateZExt(value, builder_.getInt32Ty()), shift);
    words[word] = builder_.CreateOr(words[word], placed);
  }

  void number(llvm::Instruction *instruction) {
    if (std::optional<uint32_t> site = state_.siteOf(call_))
      state_.setSite(*instruction, *site);
  }

  LoweringState &state_;
  llvm::CallInst &call_;
  llvm::IRBuilder<> builder_;
  llvm::SmallVector<llvm::StringRef, 8> parts_;
  MatrixOperation operation_;
};

} // namespace

bool lowerMatrixIntrinsic(LoweringState &state, llvm::CallInst &call, llvm::StringRef name) {
  return name.consume_front("wmma.") && MatrixLowerer(state, call).lower(name);
}

} // namespace warpwright::vdevice
