#include "analysis/ir/AccessAnalysis.h"

#include <llvm/IR/IntrinsicInst.h>

namespace warpwright {
namespace {

Fact<Expression> coefficientFact(const SymbolicAddress &address, const Symbol *symbol,
                                 const std::string &reason,
                                 llvm::function_ref<bool(const Symbol &)> hiddenIn) {
  if (!address.offset)
    return Fact<Expression>::unknown(reason);
  const Expression &offset = address.offset->value;
  const Symbol *hider = nullptr;
  offset.forEachSymbol([&](const Symbol *other) {
    if (other != symbol && hiddenIn(*other))
      hider = other;
  });
  if (hider)
    return Fact<Expression>::unknown("not linear: " + hider->text);
  std::optional<Expression> coefficient = offset.coefficient(symbol);
  if (!coefficient)
    return Fact<Expression>::unknown("not linear in " + symbol->text);
  return gradeOf({std::move(*coefficient), address.offset->suppositions});
}

Fact<bool> uniformityOf(const KernelView &view, const RawAccess &raw, const MemoryAccess &access,
                        const SymbolicAddress &address) {
  const auto *use =
      llvm::find_if(raw.instruction->operands(), [&](const llvm::Use &u) { return u == raw.pointer; });
  if (use != raw.instruction->op_end() && !view.uniformity.isDivergentUse(*use))
    return Fact<bool>::proved(true);
  if (!address.offset)
    return Fact<bool>::unknown(address.reason);
  bool anyVaries =
      address.offset->value.mentions([](const Symbol &symbol) { return symbol.variesByThread(); });
  if (!anyVaries && address.offset->suppositions == 0)
    return Fact<bool>::proved(true);
  if (!anyVaries)
    return Fact<bool>::assumed(true, describeSuppositions(address.offset->suppositions));
  for (const Fact<Expression> &coefficient : access.threadCoefficient) {
    if (!coefficient.known() || coefficient.value().isZero())
      continue;
    bool constant = coefficient.value().asConstant().has_value();
    if (constant && coefficient.proved())
      return Fact<bool>::proved(false);
    return Fact<bool>::assumed(false,
                               constant ? coefficient.reason() : coefficient.value().text() + " is not zero");
  }
  return Fact<bool>::unknown("lanes may differ");
}

void describeThreads(SymbolicValues &values, const SymbolicAddress &address, MemoryAccess &access) {
  for (unsigned axis = 0; axis < 3; ++axis) {
    access.threadCoefficient[axis] =
        coefficientFact(address, values.threadIndex(axis), address.reason, [&](const Symbol &symbol) {
          return symbol.kind != SymbolKind::ThreadIndex && symbol.threadAxes[axis];
        });
    access.blockCoefficient[axis] =
        coefficientFact(address, values.blockIndex(axis), address.reason, [&](const Symbol &symbol) {
          return symbol.kind != SymbolKind::BlockIndex && symbol.blockAxes[axis];
        });
  }
}

void describeLoops(SymbolicValues &values, const SymbolicAddress &address,
                   const llvm::Instruction &instruction, MemoryAccess &access) {
  const KernelView &view = values.view();
  const llvm::Loop *loop = view.loopInfo.getLoopFor(instruction.getParent());
  access.loop = view.loopAround(instruction.getParent());
  for (; loop; loop = loop->getParentLoop()) {
    unsigned id = view.idOf(loop);
    Fact<Expression> bytes =
        coefficientFact(address, values.loopCounter(loop), address.reason, [&](const Symbol &symbol) {
          return symbol.kind != SymbolKind::LoopCounter && llvm::is_contained(symbol.loops, id);
        });
    access.loopCoefficients.push_back({id, std::move(bytes)});
  }
  if (access.loopCoefficients.empty() || !access.loopCoefficients.front().bytes.known())
    return;
  std::optional<int64_t> step = access.loopCoefficients.front().bytes.value().asConstant();
  access.invariantInLoop = step == 0;
  access.contiguousInLoop = step && access.bytes > 0 && std::abs(*step) == access.bytes;
}

MemoryAccess describe(SymbolicValues &values, const RawAccess &raw) {
  const KernelView &view = values.view();
  MemoryAccess access;
  access.place = view.placeOf(*raw.instruction);
  access.kind = raw.kind;
  access.combine = raw.combine;
  access.resultUsed = raw.resultUsed;
  access.bytes = raw.bytes;
  access.alignment = raw.alignment;
  access.elementType = raw.elementType;
  access.isVolatile = raw.isVolatile;
  access.cacheHint = raw.cacheHint;
  access.instruction = raw.name;
  access.divergentControl = view.underDivergentControl(raw.instruction->getParent());

  SymbolicAddress address = raw.pointerIsInteger ? values.addressOfInteger(raw.pointer, *raw.instruction)
                                                 : values.address(raw.pointer, *raw.instruction);
  if (address.offset)
    address.offset->value = address.offset->value + Expression(raw.displacement);
  access.space = raw.space == MemorySpace::Generic ? address.space : raw.space;
  access.object = address.object;
  access.offset = address.offset ? gradeOf(*address.offset) : Fact<Expression>::unknown(address.reason);
  access.index = values.indexText(address, std::max(raw.bytes, 1u));
  access.dataDependent =
      address.offset
          ? address.offset->value.mentions([](const Symbol &symbol) { return symbol.dataDependent; })
          : values.dependences(raw.pointer).dataDependent;
  access.dataDependent |=
      address.object.known() && address.object.value().kind == MemoryObject::Kind::LoadedPointer;
  describeThreads(values, address, access);
  access.uniform = uniformityOf(view, raw, access, address);
  describeLoops(values, address, *raw.instruction, access);
  return access;
}

/// A parameter read at a fixed place is a scalar in a constant bank.
bool isScalarParameter(const MemoryAccess &access) {
  return access.space == MemorySpace::Parameter && access.kind == AccessKind::Read && access.offset.known() &&
         access.offset.value().asConstant().has_value();
}

} // namespace

AccessList analyseAccesses(SymbolicValues &values) {
  AccessList list;
  for (const llvm::BasicBlock *block : values.view().blocks())
    for (const llvm::Instruction &instruction : *block)
      for (const RawAccess &raw : rawAccesses(instruction, values.view().layout)) {
        MemoryAccess access = describe(values, raw);
        if (isScalarParameter(access))
          continue;
        access.id = list.accesses.size();
        list.ofInstruction[&instruction].push_back(access.id);
        list.accesses.push_back(std::move(access));
      }
  return list;
}

} // namespace warpwright
