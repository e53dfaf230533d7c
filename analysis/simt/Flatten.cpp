#include "analysis/simt/Flatten.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Operator.h>

#include <optional>

namespace warpwright::simt {
namespace {

std::optional<ScalarKind> floatKind(llvm::Type *type) {
  if (type->isHalfTy())
    return ScalarKind::Half;
  if (type->isBFloatTy())
    return ScalarKind::BFloat;
  if (type->isFloatTy())
    return ScalarKind::Float;
  if (type->isDoubleTy())
    return ScalarKind::Double;
  return std::nullopt;
}

bool flattenElements(llvm::Type *element, uint64_t count, const llvm::DataLayout &layout,
                     llvm::SmallVectorImpl<ScalarShape> &scalars, uint32_t offset, uint64_t stride) {
  // Larger values than this are never in registers; the limit keeps a strange type from costing memory.
  constexpr uint64_t mostElements = 4096;
  if (count > mostElements)
    return false;
  for (uint64_t i = 0; i < count; ++i)
    if (!flattenType(element, layout, scalars, static_cast<uint32_t>(offset + i * stride)))
      return false;
  return true;
}

Slot uniformSlot(uint64_t value) {
  Slot slot;
  slot.lane.fill(value);
  return slot;
}

Slot unknownSlot() {
  Slot slot;
  slot.taint = allLanes;
  return slot;
}

void appendInteger(const llvm::APInt &value, std::vector<Slot> &slots) {
  slots.push_back(uniformSlot(value.extractBitsAsZExtValue(std::min(64u, value.getBitWidth()), 0)));
  if (value.getBitWidth() > 64)
    slots.push_back(uniformSlot(value.extractBitsAsZExtValue(std::min(64u, value.getBitWidth() - 64), 64)));
}

/// The number a pointer constant stands for in the address space of its type, if it is a variable plus an
/// offset.
std::optional<uint64_t> addressOf(const llvm::Constant *constant, const llvm::DataLayout &layout,
                                  const MemoryMap &map) {
  if (constant->isNullValue())
    return 0;
  if (const auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(constant)) {
    auto found = map.variables.find(variable);
    if (found == map.variables.end())
      return std::nullopt;
    return found->second;
  }
  const auto *expression = llvm::dyn_cast<llvm::ConstantExpr>(constant);
  if (!expression)
    return std::nullopt;
  std::optional<uint64_t> base = addressOf(expression->getOperand(0), layout, map);
  if (!base)
    return std::nullopt;
  if (expression->getOpcode() == llvm::Instruction::AddrSpaceCast) {
    unsigned from = expression->getOperand(0)->getType()->getPointerAddressSpace();
    unsigned to = expression->getType()->getPointerAddressSpace();
    return castAddress(*base, from, to);
  }
  if (const auto *gep = llvm::dyn_cast<llvm::GEPOperator>(expression)) {
    llvm::APInt offset(layout.getIndexTypeSizeInBits(gep->getType()), 0);
    if (!gep->accumulateConstantOffset(layout, offset))
      return std::nullopt;
    return *base + static_cast<uint64_t>(offset.getSExtValue());
  }
  if (expression->getOpcode() == llvm::Instruction::PtrToInt)
    return base;
  return std::nullopt;
}

} // namespace

bool flattenType(llvm::Type *type, const llvm::DataLayout &layout,
                 llvm::SmallVectorImpl<ScalarShape> &scalars, uint32_t offset) {
  if (type->isVoidTy())
    return true;
  if (const auto *integer = llvm::dyn_cast<llvm::IntegerType>(type)) {
    if (integer->getBitWidth() > 128)
      return false;
    scalars.push_back({ScalarKind::Integer, static_cast<uint16_t>(integer->getBitWidth()), offset});
    return true;
  }
  if (type->isPointerTy()) {
    scalars.push_back({ScalarKind::Integer, 64, offset});
    return true;
  }
  if (std::optional<ScalarKind> kind = floatKind(type)) {
    scalars.push_back({*kind, static_cast<uint16_t>(type->getPrimitiveSizeInBits().getFixedValue()), offset});
    return true;
  }
  if (const auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    // A vector of i1 keeps its elements in bits; it is fine in registers, and memory accesses to it are
    // refused by the caller.
    uint64_t bits = layout.getTypeSizeInBits(vector->getElementType()).getFixedValue();
    return flattenElements(vector->getElementType(), vector->getNumElements(), layout, scalars, offset,
                           bits / 8);
  }
  if (const auto *array = llvm::dyn_cast<llvm::ArrayType>(type))
    return flattenElements(array->getElementType(), array->getNumElements(), layout, scalars, offset,
                           layout.getTypeAllocSize(array->getElementType()).getFixedValue());
  auto *structure = llvm::dyn_cast<llvm::StructType>(type);
  if (!structure || structure->isOpaque())
    return false;
  const llvm::StructLayout *fields = layout.getStructLayout(structure);
  for (unsigned i = 0; i < structure->getNumElements(); ++i)
    if (!flattenType(structure->getElementType(i), layout, scalars,
                     offset + static_cast<uint32_t>(fields->getElementOffset(i).getFixedValue())))
      return false;
  return true;
}

unsigned slotsOf(llvm::ArrayRef<ScalarShape> scalars) {
  unsigned slots = 0;
  for (const ScalarShape &scalar : scalars)
    slots += scalar.slots();
  return slots;
}

void appendConstant(const llvm::Constant *constant, const llvm::DataLayout &layout, const MemoryMap &map,
                    std::vector<Slot> &slots) {
  if (const auto *integer = llvm::dyn_cast<llvm::ConstantInt>(constant);
      integer && !integer->getType()->isVectorTy())
    return appendInteger(integer->getValue(), slots);
  if (const auto *real = llvm::dyn_cast<llvm::ConstantFP>(constant); real && !real->getType()->isVectorTy())
    return appendInteger(real->getValueAPF().bitcastToAPInt(), slots);
  if (constant->getType()->isPointerTy() || llvm::isa<llvm::ConstantExpr>(constant)) {
    std::optional<uint64_t> address = addressOf(constant, layout, map);
    slots.push_back(address ? uniformSlot(*address) : unknownSlot());
    return;
  }
  if (constant->getType()->isVectorTy() || constant->getType()->isAggregateType()) {
    unsigned elements = 0;
    for (; const llvm::Constant *element = constant->getAggregateElement(elements); ++elements)
      appendConstant(element, layout, map, slots);
    if (elements)
      return;
  }
  llvm::SmallVector<ScalarShape> scalars;
  flattenType(constant->getType(), layout, scalars);
  for (unsigned i = 0, count = slotsOf(scalars); i < count; ++i)
    slots.push_back(constant->isNullValue() ? Slot() : unknownSlot());
}

} // namespace warpwright::simt
