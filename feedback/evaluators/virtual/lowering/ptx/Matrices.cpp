#include "feedback/evaluators/virtual/lowering/ptx/Matrices.h"

#include "feedback/evaluators/virtual/lowering/MatrixBuilder.h"

#include <llvm/ADT/StringSwitch.h>

namespace warpwright::vdevice::ptx {
namespace {

using E = MatrixElement;

std::optional<E> findElement(llvm::StringRef type) {
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

/// The shapes of PTX whose fragments follow the common rule, by their elements; those of m8n8k4 with halves,
/// and elements of four bits and of one, do not.
bool isKnownShape(const MatrixOperation &operation) {
  struct Row {
    uint8_t m, k;
    E element;
  };
  static constexpr Row rows[] = {
      {16, 8, E::Half},   {16, 16, E::Half},  {16, 8, E::BFloat}, {16, 16, E::BFloat}, {16, 4, E::TF32},
      {16, 8, E::TF32},   {8, 16, E::Int8},   {16, 16, E::Int8},  {16, 32, E::Int8},   {8, 4, E::Double},
      {16, 4, E::Double}, {16, 8, E::Double}, {16, 16, E::Double}};
  auto common = [](E element) { return element == E::UInt8 ? E::Int8 : element; };
  if (operation.n != 8 || common(operation.a) != common(operation.b))
    return false;
  return llvm::any_of(rows, [&](const Row &row) {
    return row.m == operation.m && row.k == operation.k && row.element == common(operation.a);
  });
}

class PtxMatrices {
public:
  PtxMatrices(LoweringState &state, llvm::IRBuilder<> &builder, llvm::CallInst &origin,
              const PtxInstruction &instruction, Frame &frame, uint32_t &site)
      : state_(state), builder_(builder), matrices_(state, builder, origin), instruction_(instruction),
        frame_(frame), site_(site) {}

  bool run() {
    llvm::StringRef name = instruction_.opcode.front();
    if (!has("sync"))
      return false;
    if (name == "mma")
      return buildProduct();
    operation_.matrices = has("x4") ? 4 : has("x2") ? 2 : 1;
    operation_.transposed = has("trans");
    if (!has("m8n8") || !has("b16") || instruction_.operands.size() != 2)
      return false;
    if (name == "ldmatrix")
      return buildLoad();
    return name == "stmatrix" ? buildStore() : buildTranspose();
  }

private:
  bool has(llvm::StringRef part) const { return instruction_.has(part); }

  unsigned space() const {
    for (llvm::StringRef part : instruction_.opcode)
      if (part.split(':').first == "shared")
        return SharedSpace;
    return GenericSpace;
  }

  bool readWords(const PtxOperand &operand, unsigned bits, llvm::SmallVectorImpl<llvm::Value *> &words) {
    for (const std::string &text : elementsOf(operand.text)) {
      llvm::Value *value = frame_.read(text, bits);
      if (!value)
        return false;
      for (unsigned shift = 0; shift < bits; shift += 32)
        words.push_back(builder_.CreateTrunc(builder_.CreateLShr(value, shift), builder_.getInt32Ty()));
    }
    return true;
  }

  bool writeWords(const PtxOperand &operand, unsigned bits, llvm::ArrayRef<llvm::Value *> words) {
    llvm::SmallVector<std::string, 4> targets = elementsOf(operand.text);
    unsigned each = bits / 32;
    if (targets.size() * each != words.size())
      return false;
    for (size_t i = 0; i < targets.size(); ++i) {
      llvm::Value *value = words[each * i];
      if (each == 2)
        value = builder_.CreateOr(
            builder_.CreateZExt(value, builder_.getInt64Ty()),
            builder_.CreateShl(builder_.CreateZExt(words[each * i + 1], builder_.getInt64Ty()), 32));
      if (!frame_.write(targets[i], value, nullptr))
        return false;
    }
    return true;
  }

  /// mma.sync.aligned.SHAPE.row.col{.satfinite}.D.A.B.C d, a, b, c
  bool buildProduct() {
    llvm::SmallVector<E, 4> types;
    bool isShaped = false;
    for (llvm::StringRef part : instruction_.opcode) {
      if (part.starts_with("m") && part.contains('n') && part.contains('k'))
        isShaped = readShape(part);
      if (std::optional<E> type = findElement(part))
        types.push_back(*type);
      operation_.saturates |= part == "satfinite";
    }
    if (!isShaped || types.size() != 4 || !has("row") || !has("col") || instruction_.operands.size() != 4)
      return false;
    operation_.d = types[0];
    operation_.a = types[1];
    operation_.b = types[2];
    operation_.c = types[3];
    if (!isKnownShape(operation_))
      return false;
    auto width = [](E element) { return std::max(32u, bitsOf(element)); };
    llvm::SmallVector<llvm::Value *, 16> words;
    if (!readWords(instruction_.operands[1], width(operation_.a), words) ||
        !readWords(instruction_.operands[2], width(operation_.b), words) ||
        !readWords(instruction_.operands[3], width(operation_.c), words) || words.size() != wordsWanted())
      return false;
    unsigned results = operation_.m * operation_.n * bitsOf(operation_.d) / (32 * 32);
    return writeWords(instruction_.operands[0], width(operation_.d),
                      matrices_.perform(operation_, words, results));
  }

  unsigned wordsWanted() const {
    unsigned bits = operation_.m * operation_.k * bitsOf(operation_.a) +
                    operation_.k * operation_.n * bitsOf(operation_.b) +
                    operation_.m * operation_.n * bitsOf(operation_.c);
    return bits / (32 * 32);
  }

  bool readShape(llvm::StringRef text) {
    auto read = [&](const char *letter, uint8_t &extent) {
      unsigned value = 0;
      if (!text.consume_front(letter) || text.consumeInteger(10, value) || value > 128)
        return false;
      extent = static_cast<uint8_t>(value);
      return true;
    };
    return read("m", operation_.m) && read("n", operation_.n) && read("k", operation_.k) && text.empty();
  }

  llvm::Type *rowType() { return llvm::FixedVectorType::get(builder_.getInt32Ty(), 4); }

  /// Lanes read the rows that they name, and then deal them out.
  bool buildLoad() {
    operation_.action = MatrixAction::Load;
    llvm::Value *pointer = frame_.address(instruction_.operands[1], space());
    if (!pointer)
      return false;
    llvm::AllocaInst *row = rowVariable();
    builder_.CreateStore(llvm::Constant::getNullValue(rowType()), row);
    matrices_.forFirstLanes(8 * operation_.matrices, [&] {
      llvm::LoadInst *load = builder_.CreateAlignedLoad(rowType(), pointer, llvm::Align(1));
      state_.setSite(*load, site_);
      builder_.CreateStore(load, row);
    });
    ++site_;
    llvm::SmallVector<llvm::Value *, 4> words;
    llvm::Value *all = builder_.CreateLoad(rowType(), row);
    for (unsigned i = 0; i < 4; ++i)
      words.push_back(builder_.CreateExtractElement(all, i));
    return writeWords(instruction_.operands[0], 32,
                      matrices_.perform(operation_, words, operation_.matrices));
  }

  bool buildStore() {
    operation_.action = MatrixAction::Store;
    llvm::Value *pointer = frame_.address(instruction_.operands[0], space());
    llvm::SmallVector<llvm::Value *, 4> words;
    if (!pointer || !readWords(instruction_.operands[1], 32, words) || words.size() != operation_.matrices)
      return false;
    llvm::Value *row = llvm::PoisonValue::get(rowType());
    for (auto [i, word] : llvm::enumerate(matrices_.perform(operation_, words, 4)))
      row = builder_.CreateInsertElement(row, word, i);
    matrices_.forFirstLanes(8 * operation_.matrices, [&] {
      state_.setSite(*builder_.CreateAlignedStore(row, pointer, llvm::Align(1)), site_);
    });
    ++site_;
    return true;
  }

  bool buildTranspose() {
    operation_.action = MatrixAction::Transpose;
    llvm::SmallVector<llvm::Value *, 4> words;
    if (instruction_.opcode.front() != "movmatrix" || !has("trans") ||
        !readWords(instruction_.operands[1], 32, words) || words.size() != 1)
      return false;
    return writeWords(instruction_.operands[0], 32, matrices_.perform(operation_, words, 1));
  }

  llvm::AllocaInst *rowVariable() {
    llvm::BasicBlock &entry = builder_.GetInsertBlock()->getParent()->getEntryBlock();
    return new llvm::AllocaInst(rowType(), 0, nullptr, llvm::Align(16), "", entry.begin());
  }

  LoweringState &state_;
  llvm::IRBuilder<> &builder_;
  MatrixBuilder matrices_;
  const PtxInstruction &instruction_;
  Frame &frame_;
  uint32_t &site_;
  MatrixOperation operation_;
};

} // namespace

bool buildMatrices(LoweringState &state, llvm::IRBuilder<> &builder, llvm::CallInst &origin,
                   const PtxInstruction &instruction, Frame &frame, uint32_t &site) {
  return PtxMatrices(state, builder, origin, instruction, frame, site).run();
}

} // namespace warpwright::vdevice::ptx
