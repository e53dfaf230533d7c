#include "analysis/ir/SymbolicValues.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

namespace warpwright {
namespace {

MemorySpace spaceOf(const llvm::Value *pointer) {
  switch (pointer->getType()->getPointerAddressSpace()) {
  case 1:
    return MemorySpace::Global;
  case 3:
    return MemorySpace::Shared;
  case 4:
    return MemorySpace::Constant;
  case 5:
    return MemorySpace::Local;
  case 7:
    return MemorySpace::ClusterShared;
  case 101:
    return MemorySpace::Parameter;
  default:
    return MemorySpace::Generic;
  }
}

SymbolicAddress unknownAddress(MemorySpace space, std::string reason) {
  SymbolicAddress address;
  address.object = Fact<MemoryObject>::unknown(reason);
  address.space = space;
  address.reason = std::move(reason);
  return address;
}

SymbolicAddress startOf(MemoryObject object, MemorySpace space) {
  SymbolicAddress address;
  address.object = Fact<MemoryObject>::proved(std::move(object));
  address.space = space;
  address.offset = SymbolicInteger{};
  return address;
}

/// Casts that keep the address: between spaces, and the wrappers code generation puts around parameters.
const llvm::Value *throughCast(const llvm::Value *pointer) {
  if (const auto *operation = llvm::dyn_cast<llvm::Operator>(pointer)) {
    unsigned opcode = operation->getOpcode();
    if (opcode == llvm::Instruction::AddrSpaceCast || opcode == llvm::Instruction::BitCast ||
        opcode == llvm::Instruction::Freeze)
      return operation->getOperand(0);
  }
  const auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(pointer);
  if (!call)
    return nullptr;
  switch (call->getIntrinsicID()) {
  case llvm::Intrinsic::nvvm_internal_addrspace_wrap:
  case llvm::Intrinsic::launder_invariant_group:
  case llvm::Intrinsic::strip_invariant_group:
  case llvm::Intrinsic::ptr_annotation:
    return call->getArgOperand(0);
  default:
    return nullptr;
  }
}

} // namespace

/// The by-value parameter and the byte within it that `pointer` points to, when both are fixed.
std::optional<std::pair<unsigned, uint64_t>> SymbolicValues::byValueMember(const llvm::Value *pointer) const {
  llvm::APInt offset(64, 0);
  for (;;) {
    if (const llvm::Value *inner = throughCast(pointer)) {
      pointer = inner;
    } else if (const auto *gep = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
      llvm::APInt part(view_.layout.getIndexTypeSizeInBits(gep->getType()), 0);
      if (!gep->accumulateConstantOffset(view_.layout, part))
        return std::nullopt;
      offset += part.sextOrTrunc(64);
      pointer = gep->getPointerOperand();
    } else {
      break;
    }
  }
  const auto *argument = llvm::dyn_cast<llvm::Argument>(pointer);
  if (!argument || !argument->hasByValAttr())
    return std::nullopt;
  return std::pair(argument->getArgNo(), offset.getZExtValue());
}

SymbolicAddress SymbolicValues::address(const llvm::Value *pointer, const llvm::Instruction &user) {
  SymbolicAddress result;
  MemorySpace space = spaceOf(pointer);
  if (const llvm::Value *inner = throughCast(pointer)) {
    result = address(inner, user);
  } else if (const auto *gep = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
    result = address(gep->getPointerOperand(), user);
    for (auto index = llvm::gep_type_begin(gep); result.offset && index != llvm::gep_type_end(gep); ++index) {
      SymbolicInteger step;
      if (llvm::StructType *record = index.getStructTypeOrNull()) {
        unsigned field = llvm::cast<llvm::ConstantInt>(index.getOperand())->getZExtValue();
        step.value =
            Expression(view_.layout.getStructLayout(record)->getElementOffset(field).getFixedValue());
      } else {
        step = integerAt(index.getOperand(), Reading::Signed, user);
        step.value = step.value * Expression(index.getSequentialElementStride(view_.layout).getFixedValue());
      }
      result.offset->value = result.offset->value + step.value;
      result.offset->suppositions |= step.suppositions;
    }
  } else if (const auto *phi = llvm::dyn_cast<llvm::PHINode>(pointer)) {
    result = pointerPhi(phi, user);
  } else {
    result = base(pointer, user);
  }
  if (space != MemorySpace::Generic)
    result.space = space;
  return result;
}

SymbolicAddress SymbolicValues::base(const llvm::Value *pointer, const llvm::Instruction &user) {
  MemorySpace space = spaceOf(pointer);
  if (const auto *argument = llvm::dyn_cast<llvm::Argument>(pointer)) {
    bool byValue = argument->hasByValAttr();
    unsigned position = argument->getArgNo();
    // A kernel's pointer arguments cannot point to shared or local memory: the host made them.
    return startOf({byValue ? MemoryObject::Kind::ParameterMember : MemoryObject::Kind::Parameter,
                    view_.parameterName(position), position},
                   byValue ? MemorySpace::Parameter : MemorySpace::Global);
  }
  if (const auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(pointer)) {
    if (space == MemorySpace::Shared)
      return startOf(
          {MemoryObject::Kind::SharedVariable, variable->getName().str(), view_.sharedIdOf(variable)}, space);
    return startOf({MemoryObject::Kind::GlobalVariable, variable->getName().str(), 0},
                   space == MemorySpace::Generic ? MemorySpace::Global : space);
  }
  if (const auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(pointer))
    return startOf({MemoryObject::Kind::LocalArray, sourceName(*alloca), view_.localIdOf(alloca)},
                   MemorySpace::Local);
  if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(pointer)) {
    if (auto member = byValueMember(load->getPointerOperand()))
      return startOf({MemoryObject::Kind::ParameterMember, view_.memberName(member->first, member->second),
                      member->first},
                     MemorySpace::Global);
    return startOf({MemoryObject::Kind::LoadedPointer, valueText(load), 0}, space);
  }
  if (const auto *select = llvm::dyn_cast<llvm::SelectInst>(pointer)) {
    SymbolicAddress a = address(select->getTrueValue(), user), b = address(select->getFalseValue(), user);
    SymbolicAddress result =
        unknownAddress(a.space == b.space ? a.space : MemorySpace::Generic, "one of two places");
    if (a.object.known() && b.object.known() && a.object.value() == b.object.value())
      result.object = a.object;
    return result;
  }
  if (const auto *operation = llvm::dyn_cast<llvm::Operator>(pointer);
      operation && operation->getOpcode() == llvm::Instruction::IntToPtr)
    return addressOfInteger(operation->getOperand(0), user);
  if (llvm::isa<llvm::CallBase>(pointer))
    return unknownAddress(space, "the address comes out of a call");
  return unknownAddress(space, "the address is made in a way that is not followed");
}

/// A pointer that walks, `p += stride`, is its start and the iterations; one that is merged keeps its object
/// where all agree on it.
SymbolicAddress SymbolicValues::pointerPhi(const llvm::PHINode *phi, const llvm::Instruction &user) {
  const llvm::Loop *loop = view_.loopInfo.getLoopFor(phi->getParent());
  llvm::ScalarEvolution &evolution = view_.evolution;
  if (loop && loop->getHeader() == phi->getParent() && loop->getLoopPredecessor()) {
    const auto *recurrence =
        llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(const_cast<llvm::PHINode *>(phi)));
    std::optional<SymbolicInteger> step =
        recurrence && recurrence->isAffine() && recurrence->getLoop() == loop
            ? fromEvolution(recurrence->getStepRecurrence(evolution))
            : std::nullopt;
    if (step) {
      SymbolicAddress result = address(phi->getIncomingValueForBlock(loop->getLoopPredecessor()), user);
      if (!result.offset)
        return result;
      SymbolicInteger walked{step->value * Expression(loopCounter(loop)), step->suppositions};
      walked = leaveLoops(std::move(walked), user);
      result.offset->value = result.offset->value + walked.value;
      result.offset->suppositions |= walked.suppositions;
      return result;
    }
  }
  SymbolicAddress result = unknownAddress(spaceOf(phi), "the pointer differs by the path that leads here");
  if (!pointersBeingRead_.insert(phi).second)
    return result;
  std::optional<SymbolicAddress> first;
  bool same = true;
  for (const llvm::Use &incoming : phi->incoming_values()) {
    const llvm::Value *stripped = incoming->stripInBoundsOffsets();
    if (stripped == phi || llvm::isa<llvm::UndefValue>(stripped))
      continue;
    SymbolicAddress next = address(incoming, user);
    same = next.object.known() && (!first || next.object.value() == first->object.value());
    if (!same)
      break;
    if (!first)
      first = std::move(next);
  }
  pointersBeingRead_.erase(phi);
  if (!first || !same)
    return result;
  result.object = first->object;
  result.space = first->space;
  return result;
}

SymbolicAddress SymbolicValues::addressOfInteger(const llvm::Value *value, const llvm::Instruction &user) {
  SymbolicInteger whole = integerAt(value, Reading::Unsigned, user);
  const Symbol *pointer = nullptr;
  unsigned pointers = 0;
  whole.value.forEachSymbol([&](const Symbol *symbol) {
    if (!pointerOfSymbol_.contains(symbol))
      return;
    pointer = symbol;
    ++pointers;
  });
  std::optional<Expression> factor = pointer ? whole.value.coefficient(pointer) : std::nullopt;
  if (pointers != 1 || !factor || factor->asConstant() != 1)
    return unknownAddress(MemorySpace::Generic, "the address is an integer that is no pointer plus bytes");
  SymbolicAddress result = address(pointerOfSymbol_.lookup(pointer), user);
  if (!result.offset)
    return result;
  result.offset->value = result.offset->value + whole.value.without(pointer);
  // Truncating a shared address to 32 bits loses nothing: the window is smaller than that.
  result.offset->suppositions |=
      whole.suppositions & ~(SymbolicInteger::FitsNarrow | SymbolicInteger::NotNegative);
  return result;
}

} // namespace warpwright
