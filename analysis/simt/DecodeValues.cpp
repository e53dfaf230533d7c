#include "analysis/simt/Decoder.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Operator.h>

#include <optional>

namespace warpwright::simt {
namespace {

using Opcode = llvm::Instruction;

std::optional<Op> binaryOp(unsigned opcode) {
  switch (opcode) {
  case Opcode::Add:
    return Op::Add;
  case Opcode::Sub:
    return Op::Sub;
  case Opcode::Mul:
    return Op::Mul;
  case Opcode::UDiv:
    return Op::UDiv;
  case Opcode::SDiv:
    return Op::SDiv;
  case Opcode::URem:
    return Op::URem;
  case Opcode::SRem:
    return Op::SRem;
  case Opcode::Shl:
    return Op::Shl;
  case Opcode::LShr:
    return Op::LShr;
  case Opcode::AShr:
    return Op::AShr;
  case Opcode::And:
    return Op::And;
  case Opcode::Or:
    return Op::Or;
  case Opcode::Xor:
    return Op::Xor;
  case Opcode::FAdd:
    return Op::FAdd;
  case Opcode::FSub:
    return Op::FSub;
  case Opcode::FMul:
    return Op::FMul;
  case Opcode::FDiv:
    return Op::FDiv;
  case Opcode::FRem:
    return Op::FRem;
  default:
    return std::nullopt;
  }
}

std::optional<Op> castOp(unsigned opcode) {
  switch (opcode) {
  case Opcode::Trunc:
    return Op::Trunc;
  case Opcode::ZExt:
    return Op::ZExt;
  case Opcode::SExt:
    return Op::SExt;
  case Opcode::FPToUI:
    return Op::FpToUi;
  case Opcode::FPToSI:
    return Op::FpToSi;
  case Opcode::UIToFP:
    return Op::UiToFp;
  case Opcode::SIToFP:
    return Op::SiToFp;
  case Opcode::FPTrunc:
  case Opcode::FPExt:
    return Op::FpConvert;
  case Opcode::AddrSpaceCast:
    return Op::SpaceCast;
  default:
    return std::nullopt;
  }
}

/// Bit operations that are sums in disguise, which later readers know how to follow: an or of numbers without
/// a common bit adds them, and the complement of x is -1 - x.
std::optional<Op> asSum(const llvm::Instruction &source) {
  if (const auto *either = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&source);
      either && either->isDisjoint())
    return Op::Add;
  const auto *constant =
      source.getOpcode() == Opcode::Xor ? llvm::dyn_cast<llvm::Constant>(source.getOperand(1)) : nullptr;
  if (constant && constant->isAllOnesValue())
    return Op::Sub;
  return std::nullopt;
}

InstructionClass classOfArithmetic(Op op, ScalarKind kind) {
  if (op == Op::UDiv || op == Op::SDiv || op == Op::URem || op == Op::SRem)
    return InstructionClass::IntegerDivision;
  if (kind == ScalarKind::Integer)
    return InstructionClass::Integer;
  if (op == Op::FRem || op == Op::FDiv)
    return InstructionClass::SpecialFunction;
  return kind == ScalarKind::Double ? InstructionClass::Float64 : InstructionClass::Float32;
}

} // namespace

void Decoder::decode(const llvm::Instruction &source) {
  if (source.isTerminator())
    return decodeTerminator(source);
  if (llvm::isa<llvm::PHINode>(source) || llvm::isa<llvm::FenceInst>(source))
    return; // phi nodes are copies on the edges
  if (!representable(source))
    return decodeOpaque(source, source.mayReadOrWriteMemory() ? "its type has no known form" : "");
  if (source.isBinaryOp() || llvm::isa<llvm::CmpInst>(source) || source.getOpcode() == Opcode::FNeg)
    return decodeBinary(source);
  if (const auto *cast = llvm::dyn_cast<llvm::CastInst>(&source))
    return decodeCast(*cast);
  if (const auto *gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&source))
    return decodeGep(*gep);
  if (const auto *select = llvm::dyn_cast<llvm::SelectInst>(&source))
    return decodeSelect(*select);
  if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&source))
    return decodeCall(*call);
  if (decodeMemory(source) || decodeElements(source))
    return;
  if (source.getOpcode() == Opcode::Freeze) {
    Scalars scalars;
    flatten(source.getType(), scalars);
    llvm::SmallVector<Operand, 4> slots;
    for (unsigned i = 0, count = slotsOf(scalars); i < count; ++i)
      slots.push_back(slotAt(operand(source.getOperand(0)), i));
    return decodeCopy(source, slots);
  }
  decodeOpaque(source, source.mayReadOrWriteMemory() ? "an instruction that is not understood" : "");
}

void Decoder::decodeOpaque(const llvm::Instruction &source, std::string unknown) {
  Instruction instruction = start(source, Op::Opaque, InstructionClass::None);
  Scalars scalars;
  // Slots, not scalars: every word of the result is unknown.
  instruction.count = flatten(source.getType(), scalars) ? static_cast<uint16_t>(slotsOf(scalars)) : 0;
  if (!unknown.empty()) {
    instruction.extra = static_cast<int32_t>(program_.unknown.size());
    program_.unknown.emplace_back(&source, std::move(unknown));
  }
  finish(instruction, {});
}

void Decoder::decodeBinary(const llvm::Instruction &source) {
  Scalars scalars;
  flatten(source.getOperand(0)->getType(), scalars);
  Op op = Op::FNeg;
  if (std::optional<Op> binary = binaryOp(source.getOpcode()))
    op = asSum(source).value_or(*binary);
  else if (source.getOpcode() == Opcode::ICmp)
    op = Op::ICmp;
  else if (source.getOpcode() == Opcode::FCmp)
    op = Op::FCmp;
  Instruction instruction = start(source, op, classOfArithmetic(op, scalars.front().kind));
  instruction.fromScalar = scalars.front().kind;
  instruction.fromBits = scalars.front().bits;
  if (const auto *compare = llvm::dyn_cast<llvm::CmpInst>(&source))
    instruction.detail = static_cast<uint8_t>(compare->getPredicate());
  llvm::SmallVector<Operand, 2> operands;
  for (const llvm::Value *value : source.operands())
    operands.push_back(operand(value));
  if (op == Op::Sub && source.getOpcode() == Opcode::Xor)
    std::swap(operands[0], operands[1]);
  finish(instruction, operands);
}

void Decoder::decodeCopy(const llvm::Instruction &source, llvm::ArrayRef<Operand> slots) {
  Instruction instruction = start(source, Op::Copy, InstructionClass::None);
  instruction.count = static_cast<uint16_t>(slots.size());
  finish(instruction, slots);
}

void Decoder::decodeRepack(const llvm::Instruction &source, const llvm::Value *from) {
  Scalars before;
  Scalars after;
  flatten(from->getType(), before);
  flatten(source.getType(), after);
  RepackForm form;
  for (const ScalarShape &scalar : before)
    form.from.push_back(scalar.bits);
  for (const ScalarShape &scalar : after)
    form.to.push_back(scalar.bits);
  Instruction instruction = start(source, Op::Repack, InstructionClass::None);
  instruction.extra = static_cast<int32_t>(code_.repacks.size());
  code_.repacks.push_back(std::move(form));
  finish(instruction, operand(from));
}

void Decoder::decodeCast(const llvm::CastInst &cast) {
  const llvm::Value *from = cast.getOperand(0);
  if (cast.getOpcode() == Opcode::BitCast)
    return decodeRepack(cast, from);
  Scalars scalars;
  flatten(from->getType(), scalars);
  // Pointers are integers of 64 bits: a cast between them and integers is a change of width.
  unsigned fromBits = scalars.front().bits;
  Instruction instruction = start(cast, Op::ZExt, InstructionClass::Integer);
  if (std::optional<Op> op = castOp(cast.getOpcode()))
    instruction.op = *op;
  else if (fromBits > instruction.bits)
    instruction.op = Op::Trunc;
  else if (fromBits == instruction.bits)
    instruction.kind = InstructionClass::None;
  instruction.fromScalar = scalars.front().kind;
  instruction.fromBits = static_cast<uint16_t>(fromBits);
  if (const auto *space = llvm::dyn_cast<llvm::AddrSpaceCastInst>(&cast)) {
    instruction.kind = InstructionClass::None;
    instruction.fromBits = static_cast<uint16_t>(space->getSrcAddressSpace());
    instruction.detail = static_cast<uint8_t>(space->getDestAddressSpace());
  }
  finish(instruction, operand(from));
}

void Decoder::decodeGep(const llvm::GetElementPtrInst &gep) {
  unsigned width = layout_.getIndexTypeSizeInBits(gep.getType());
  llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4> terms;
  llvm::APInt offset(width, 0);
  if (gep.getType()->isVectorTy() || width > 64 ||
      !llvm::cast<llvm::GEPOperator>(gep).collectOffset(layout_, width, terms, offset))
    return decodeOpaque(gep);
  AddressForm form;
  form.offset = offset.getSExtValue();
  for (const auto &[index, scale] : terms) {
    unsigned bits = index->getType()->getScalarSizeInBits();
    if (bits > 64)
      return decodeOpaque(gep);
    form.terms.push_back({operand(index), bits, scale.getSExtValue()});
  }
  Instruction instruction = start(gep, Op::Gep, InstructionClass::Integer);
  instruction.extra = static_cast<int32_t>(code_.addresses.size());
  code_.addresses.push_back(std::move(form));
  finish(instruction, operand(gep.getPointerOperand()));
}

void Decoder::decodeSelect(const llvm::SelectInst &select) {
  Scalars scalars;
  flatten(select.getType(), scalars);
  Instruction instruction = start(select, Op::Select, classOfArithmetic(Op::Add, ScalarKind::Integer));
  instruction.count = static_cast<uint16_t>(slotsOf(scalars));
  instruction.detail = select.getCondition()->getType()->isVectorTy();
  finish(instruction,
         {operand(select.getCondition()), operand(select.getTrueValue()), operand(select.getFalseValue())});
}

bool Decoder::decodeElements(const llvm::Instruction &source) {
  if (const auto *shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&source)) {
    decodeShuffleVector(*shuffle);
    return true;
  }
  if (llvm::isa<llvm::ExtractValueInst>(source) || llvm::isa<llvm::InsertValueInst>(source)) {
    decodeAggregate(source);
    return true;
  }
  bool extracts = llvm::isa<llvm::ExtractElementInst>(source);
  if (!extracts && !llvm::isa<llvm::InsertElementInst>(source))
    return false;
  Instruction instruction =
      start(source, extracts ? Op::ExtractDynamic : Op::InsertDynamic, InstructionClass::None);
  auto *vector = llvm::cast<llvm::FixedVectorType>(source.getOperand(0)->getType());
  instruction.count = static_cast<uint16_t>(vector->getNumElements());
  llvm::SmallVector<Operand, 3> operands;
  for (const llvm::Value *value : source.operands())
    operands.push_back(operand(value));
  finish(instruction, operands);
  return true;
}

void Decoder::decodeShuffleVector(const llvm::ShuffleVectorInst &shuffle) {
  Scalars scalars;
  flatten(shuffle.getOperand(0)->getType(), scalars);
  unsigned slotsEach = scalars.front().slots();
  int elements = static_cast<int>(scalars.size());
  Operand nothing = constant(llvm::PoisonValue::get(shuffle.getType()));
  llvm::SmallVector<Operand, 8> slots;
  for (int index : shuffle.getShuffleMask())
    for (unsigned i = 0; i < slotsEach; ++i) {
      if (index < 0)
        slots.push_back(nothing);
      else
        slots.push_back(
            slotAt(operand(shuffle.getOperand(index < elements ? 0 : 1)), index % elements * slotsEach + i));
    }
  decodeCopy(shuffle, slots);
}

/// Slots before the member that `indices` name, and its own.
static std::pair<unsigned, unsigned> slotsOfMember(llvm::Type *type, llvm::ArrayRef<unsigned> indices,
                                                   const llvm::DataLayout &layout) {
  auto slotsIn = [&](llvm::Type *inner) {
    Scalars scalars;
    flattenType(inner, layout, scalars);
    return slotsOf(scalars);
  };
  unsigned before = 0;
  for (unsigned index : indices) {
    for (unsigned i = 0; i < index; ++i)
      before += slotsIn(llvm::ExtractValueInst::getIndexedType(type, i));
    type = llvm::ExtractValueInst::getIndexedType(type, index);
  }
  return {before, slotsIn(type)};
}

void Decoder::decodeAggregate(const llvm::Instruction &source) {
  llvm::SmallVector<Operand, 8> slots;
  if (const auto *extract = llvm::dyn_cast<llvm::ExtractValueInst>(&source)) {
    llvm::Type *type = extract->getAggregateOperand()->getType();
    auto [before, count] = slotsOfMember(type, extract->getIndices(), layout_);
    for (unsigned i = 0; i < count; ++i)
      slots.push_back(slotAt(operand(extract->getAggregateOperand()), before + i));
    return decodeCopy(source, slots);
  }
  const auto &insert = llvm::cast<llvm::InsertValueInst>(source);
  auto [before, count] = slotsOfMember(insert.getType(), insert.getIndices(), layout_);
  Scalars scalars;
  flatten(insert.getType(), scalars);
  for (unsigned i = 0, all = slotsOf(scalars); i < all; ++i) {
    bool inserted = i >= before && i < before + count;
    slots.push_back(inserted ? slotAt(operand(insert.getInsertedValueOperand()), i - before)
                             : slotAt(operand(insert.getAggregateOperand()), i));
  }
  decodeCopy(source, slots);
}

} // namespace warpwright::simt
