#include "feedback/evaluators/virtual/lowering/ptx/Frame.h"

#include "feedback/evaluators/virtual/lowering/Registers.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/InlineAsm.h>

namespace warpwright::vdevice::ptx {
namespace {

llvm::Type *returnElement(llvm::CallInst &call, unsigned index) {
  auto *record = llvm::dyn_cast<llvm::StructType>(call.getType());
  return record ? record->getElementType(index) : call.getType();
}

} // namespace

std::optional<Type> readType(llvm::StringRef text) {
  using Kind = Type::Kind;
  Type type;
  type.packed = text.consume_back("x2");
  if (text == "pred")
    return Type{Kind::Predicate, 1, false};
  if (text == "f16")
    return Type{Kind::Half, 16, type.packed};
  if (text == "bf16")
    return Type{Kind::BFloat, 16, type.packed};
  if (type.packed || text.size() < 2)
    return std::nullopt;
  unsigned bits = 0;
  if (text.drop_front().getAsInteger(10, bits) || !llvm::is_contained({8u, 16u, 32u, 64u, 128u}, bits))
    return std::nullopt;
  switch (text.front()) {
  case 'u':
    return Type{Kind::Unsigned, bits, false};
  case 's':
    return Type{Kind::Signed, bits, false};
  case 'b':
    return Type{Kind::Bits, bits, false};
  case 'f':
    if (bits == 32 || bits == 64)
      return Type{bits == 64 ? Kind::Double : Kind::Float, bits, false};
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

llvm::SmallVector<Type, 4> typesOf(const PtxInstruction &instruction) {
  llvm::SmallVector<Type, 4> types;
  for (const std::string &part : instruction.opcode)
    if (std::optional<Type> type = readType(part))
      types.push_back(*type);
  return types;
}

llvm::SmallVector<std::string, 4> elementsOf(llvm::StringRef text) {
  text = text.trim();
  llvm::SmallVector<std::string, 4> elements;
  if (!text.consume_front("{")) {
    elements.push_back(text.str());
    return elements;
  }
  text.consume_back("}");
  llvm::SmallVector<llvm::StringRef, 4> parts;
  text.split(parts, ',');
  for (llvm::StringRef part : parts)
    elements.push_back(part.trim().str());
  return elements;
}

Frame::Frame(LoweringState &state, llvm::CallInst &call, llvm::IRBuilder<> &builder)
    : state_(state), call_(call), builder_(builder) {
  const auto *assembly = llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
  llvm::InlineAsm::ConstraintInfoVector constraints = assembly->ParseConstraints();
  unsigned position = 0, argument = 0;
  for (const llvm::InlineAsm::ConstraintInfo &constraint : constraints) {
    if (constraint.Type == llvm::InlineAsm::isOutput)
      ++outputs_;
    if (constraint.Type == llvm::InlineAsm::isInput && argument < call.arg_size()) {
      llvm::Value *value = call.getArgOperand(argument++);
      if (value->getType()->isPointerTy())
        value = builder.CreatePtrToInt(value, builder.getInt64Ty());
      else if (!value->getType()->isIntegerTy())
        value = builder.CreateBitCast(value, builder.getIntNTy(value->getType()->getPrimitiveSizeInBits()));
      registers_["$" + std::to_string(position)] = value;
      // An input that is tied to an output gives the value it starts with.
      unsigned tied = 0;
      if (!constraint.Codes.empty() && !llvm::StringRef(constraint.Codes.front()).getAsInteger(10, tied))
        registers_["$" + std::to_string(tied)] = value;
    }
    if (constraint.Type != llvm::InlineAsm::isClobber)
      ++position;
  }
}

std::string Frame::nameOf(llvm::StringRef text) {
  text = text.trim();
  llvm::StringRef inner = text;
  unsigned slot = 0;
  if (inner.consume_front("$")) {
    inner.consume_front("{");
    if (!inner.consumeInteger(10, slot))
      return "$" + std::to_string(slot);
  }
  return text.str();
}

llvm::Value *Frame::literal(llvm::StringRef text, unsigned width) {
  llvm::Type *type = builder_.getIntNTy(width);
  text.consume_back("U");
  bool isFloat = text.starts_with("0f") || text.starts_with("0F");
  bool isDouble = text.starts_with("0d") || text.starts_with("0D");
  if ((isFloat && text.size() == 10) || (isDouble && text.size() == 18)) {
    uint64_t bits = 0;
    if (text.drop_front(2).getAsInteger(16, bits))
      return nullptr;
    if ((isFloat && width != 32) || (isDouble && width != 64))
      return nullptr;
    return llvm::ConstantInt::get(type, bits);
  }
  bool negative = text.consume_front("-");
  uint64_t value = 0;
  std::string lower = text.lower();
  if (llvm::StringRef(lower).getAsInteger(0, value))
    return nullptr;
  llvm::APInt bits = llvm::APInt(64, negative ? 0 - value : value).sextOrTrunc(width);
  return llvm::ConstantInt::get(type, bits);
}

llvm::Value *Frame::read(const PtxOperand &operand, unsigned width) {
  return operand.address ? nullptr : read(operand.text, width);
}

llvm::Value *Frame::read(llvm::StringRef text, unsigned width) {
  text = text.trim();
  llvm::Type *type = builder_.getIntNTy(width);
  if (text.starts_with("{")) {
    llvm::SmallVector<std::string, 4> elements = elementsOf(text);
    unsigned each = width / elements.size();
    llvm::Value *joined = nullptr;
    for (size_t i = 0; i < elements.size(); ++i) {
      llvm::Value *element = read(elements[i], each);
      if (!element)
        return nullptr;
      llvm::Value *placed = builder_.CreateShl(builder_.CreateZExt(element, type), i * each);
      joined = joined ? builder_.CreateOr(joined, placed) : placed;
    }
    return joined;
  }
  std::string name = nameOf(text);
  auto found = registers_.find(name);
  if (found != registers_.end())
    return found->second ? builder_.CreateZExtOrTrunc(found->second, type) : nullptr;
  if (text.starts_with("%") && state_.functions.contains(call_.getFunction()))
    return readRegister(state_, builder_, text.drop_front(), type);
  if (text == "WARP_SZ")
    return llvm::ConstantInt::get(type, 32);
  return literal(text, width);
}

llvm::Value *Frame::readPredicate(llvm::StringRef text) {
  bool negated = text.consume_front("!");
  llvm::Value *value = read(text, 1);
  return value && negated ? builder_.CreateNot(value) : value;
}

bool Frame::write(llvm::StringRef text, llvm::Value *bits, llvm::Value *guard) {
  llvm::SmallVector<std::string, 4> elements = elementsOf(text);
  if (elements.size() > 1) {
    unsigned each = bits->getType()->getIntegerBitWidth() / elements.size();
    for (size_t i = 0; i < elements.size(); ++i)
      if (!write(elements[i],
                 builder_.CreateTrunc(builder_.CreateLShr(bits, i * each), builder_.getIntNTy(each)), guard))
        return false;
    return true;
  }
  if (elements.front() == "_")
    return true;
  llvm::Value *&slot = registers_[nameOf(elements.front())];
  if (guard && slot)
    bits = builder_.CreateSelect(guard, bits, builder_.CreateZExtOrTrunc(slot, bits->getType()));
  slot = bits;
  return true;
}

llvm::Value *Frame::address(const PtxOperand &operand, unsigned addressSpace) {
  if (!operand.address)
    return nullptr;
  llvm::StringRef text = operand.text;
  text.consume_front("[");
  text.consume_back("]");
  llvm::StringRef base = text.split('+').first.trim();
  std::string name = nameOf(base);
  auto found = registers_.find(name);
  if (found == registers_.end() || !found->second)
    return nullptr;
  llvm::Value *value = found->second;
  if (operand.bytes)
    value = builder_.CreateAdd(value, llvm::ConstantInt::get(value->getType(), operand.bytes, true));
  return builder_.CreateIntToPtr(builder_.CreateZExt(value, builder_.getInt64Ty()),
                                 builder_.getPtrTy(addressSpace));
}

void Frame::merge(const Registers &held, llvm::BasicBlock *before, llvm::BasicBlock *inside) {
  for (auto &[name, value] : registers_) {
    auto old = held.find(name);
    llvm::Value *other = old == held.end() ? nullptr : old->second;
    if (!value || value == other)
      continue;
    if (!other)
      other = llvm::Constant::getNullValue(value->getType());
    if (other->getType() != value->getType()) {
      llvm::IRBuilder<> atEnd(before->getTerminator());
      other = atEnd.CreateZExtOrTrunc(other, value->getType());
    }
    llvm::PHINode *phi = builder_.CreatePHI(value->getType(), 2);
    phi->addIncoming(value, inside);
    phi->addIncoming(other, before);
    value = phi;
  }
}

llvm::Value *Frame::result() {
  if (call_.getType()->isVoidTy())
    return llvm::UndefValue::get(builder_.getInt32Ty());
  llvm::Value *joined = llvm::PoisonValue::get(call_.getType());
  for (unsigned i = 0; i < outputs_; ++i) {
    llvm::Type *type = returnElement(call_, i);
    llvm::Value *bits = registers_["$" + std::to_string(i)];
    if (!bits)
      return nullptr;
    llvm::Value *value = nullptr;
    if (type->isPointerTy())
      value = builder_.CreateIntToPtr(bits, type);
    else {
      llvm::Type *plain = builder_.getIntNTy(type->getPrimitiveSizeInBits());
      value = builder_.CreateBitCast(builder_.CreateZExtOrTrunc(bits, plain), type);
    }
    joined = call_.getType()->isStructTy() ? builder_.CreateInsertValue(joined, value, i) : value;
  }
  return joined;
}

} // namespace warpwright::vdevice::ptx
