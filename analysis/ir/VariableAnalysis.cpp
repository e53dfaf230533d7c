#include "analysis/ir/VariableAnalysis.h"

#include "analysis/ir/MathCalls.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace warpwright {
namespace {

/// A call whose effect on the memory its arguments point to is in the facts.
bool isUnderstood(const llvm::CallBase &call, const llvm::DataLayout &layout) {
  if (call.isInlineAsm()) {
    bool known = true;
    assemblyAccesses(call, known);
    return known;
  }
  const auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call);
  return intrinsic && (intrinsic->isAssumeLikeIntrinsic() || llvm::isa<llvm::MemIntrinsic>(intrinsic) ||
                       !intrinsicAccesses(call, layout).empty() ||
                       (intrinsic->doesNotAccessMemory() && !call.getType()->isPointerTy()));
}

/// Whether what `value` points to may be reached in a way that no access fact shows.
bool escapes(const KernelView &view, const llvm::Value *value) {
  llvm::SmallPtrSet<const llvm::Value *, 16> seen{value};
  llvm::SmallVector<const llvm::Value *> work{value};
  while (!work.empty())
    for (const llvm::Use &use : work.pop_back_val()->uses()) {
      const llvm::User *user = use.getUser();
      const auto *instruction = llvm::dyn_cast<llvm::Instruction>(user);
      if (instruction && instruction->getFunction() != &view.function)
        continue; // another kernel's business; functions this one calls are seen at the call
      if (llvm::isa<llvm::GlobalVariable>(user))
        continue; // llvm.used and the like
      if (llvm::isa<llvm::StoreInst>(user)) {
        if (use.getOperandNo() == 0)
          return true;
        continue;
      }
      if (llvm::isa<llvm::LoadInst, llvm::CmpInst>(user))
        continue;
      if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(user)) {
        if (use.getOperandNo() != 0)
          return true;
        continue;
      }
      if (const auto *call = llvm::dyn_cast<llvm::CallBase>(user)) {
        bool forwards = llvm::isa<llvm::IntrinsicInst>(call) && call->getType()->isPointerTy();
        if (!forwards && !isUnderstood(*call, view.layout))
          return true;
        if (!forwards)
          continue;
      } else if (llvm::isa<llvm::ReturnInst, llvm::InsertValueInst, llvm::InsertElementInst>(user)) {
        return true;
      }
      if (seen.insert(user).second)
        work.push_back(user);
    }
  return false;
}

/// A variable that a function left as a call mentions may be used there in any way.
bool isUsedByCallee(const KernelView &view, const llvm::GlobalVariable &variable) {
  llvm::SmallVector<const llvm::User *> work(variable.users());
  llvm::SmallPtrSet<const llvm::User *, 16> seen;
  while (!work.empty()) {
    const llvm::User *user = work.pop_back_val();
    if (!seen.insert(user).second)
      continue;
    if (const auto *instruction = llvm::dyn_cast<llvm::Instruction>(user)) {
      const llvm::Function *owner = instruction->getFunction();
      if (owner != &view.function && owner->getCallingConv() != llvm::CallingConv::PTX_Kernel &&
          view.mayCall(owner))
        return true;
      continue;
    }
    work.append(user->user_begin(), user->user_end());
  }
  return false;
}

SharedVariable describeShared(const KernelView &view, const llvm::GlobalVariable &variable) {
  SharedVariable fact;
  fact.id = view.sharedIdOf(&variable);
  fact.name = variable.getName().str();
  llvm::Type *type = variable.getValueType();
  fact.bytes = view.layout.getTypeAllocSize(type).getFixedValue();
  fact.dynamic = fact.bytes == 0 || variable.isDeclaration();
  fact.bytes = fact.dynamic ? 0 : fact.bytes;
  fact.alignment = variable.getAlign().valueOrOne().value();
  while (auto *array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    if (!fact.dynamic)
      fact.extents.push_back(array->getNumElements());
    type = array->getElementType();
  }
  fact.elementType = typeText(type);
  fact.elementBytes = view.layout.getTypeAllocSize(type).getFixedValue();
  fact.escapes = escapes(view, &variable) || isUsedByCallee(view, variable);
  return fact;
}

LocalArray describeLocal(const KernelView &view, const llvm::AllocaInst &alloca, const KernelFacts &facts) {
  LocalArray fact;
  fact.id = view.localIdOf(&alloca);
  fact.name = sourceName(alloca);
  fact.type = typeText(alloca.getAllocatedType());
  if (std::optional<llvm::TypeSize> size = alloca.getAllocationSize(view.layout))
    fact.bytes = size->getFixedValue();
  fact.escapes = escapes(view, &alloca);
  fact.unrollable = true;
  for (const MemoryAccess &access : facts.accesses) {
    if (!access.object.known() || access.object.value().kind != MemoryObject::Kind::LocalArray ||
        access.object.value().position != fact.id)
      continue;
    if (!fact.place.place.known())
      fact.place = access.place;
    if (access.offset.known() && access.offset.value().asConstant())
      continue;
    fact.dynamicIndex = true;
    fact.unrollable &= access.offset.known() && !access.offset.value().mentions([&](const Symbol &symbol) {
      return symbol.kind != SymbolKind::LoopCounter || !facts.loops[symbol.index].tripCount.known() ||
             !facts.loops[symbol.index].tripCount.value().asConstant();
    });
  }
  fact.unrollable &= fact.dynamicIndex && !fact.escapes;
  return fact;
}

ParameterFacts describeParameter(const KernelView &view, const llvm::Argument &argument,
                                 const KernelFacts &facts) {
  ParameterFacts fact;
  fact.position = argument.getArgNo();
  fact.name = view.parameterName(fact.position);
  llvm::Type *type = argument.hasByValAttr() ? argument.getParamByValType() : argument.getType();
  fact.pointer = argument.getType()->isPointerTy() && !argument.hasByValAttr();
  fact.type = argument.hasByValAttr() ? "struct" : typeText(type);
  fact.bytes = view.layout.getTypeAllocSize(type).getFixedValue();
  fact.restricted = fact.pointer && argument.hasNoAliasAttr();
  fact.escapes = fact.pointer && escapes(view, &argument);
  for (const MemoryAccess &access : facts.accesses) {
    if (!access.object.known()) {
      bool mayBeThis = access.space == MemorySpace::Global || access.space == MemorySpace::Generic;
      fact.escapes |= fact.pointer && mayBeThis;
      continue;
    }
    const MemoryObject &object = access.object.value();
    if (object.kind != MemoryObject::Kind::Parameter || object.position != fact.position)
      continue;
    fact.read |= access.kind != AccessKind::Write;
    fact.written |= access.kind != AccessKind::Read;
  }
  return fact;
}

void addCall(SymbolicValues &values, const llvm::CallBase &call, KernelFacts &facts) {
  const KernelView &view = values.view();
  if (call.isInlineAsm()) {
    InlineAssembly fact;
    fact.place = view.placeOf(call);
    for (llvm::StringRef word :
         llvm::split(llvm::cast<llvm::InlineAsm>(call.getCalledOperand())->getAsmString(), '\n'))
      if (!word.trim().empty())
        fact.text += (fact.text.empty() ? "" : " ") + word.trim().str();
    assemblyAccesses(call, fact.known);
    fact.loop = view.loopAround(call.getParent());
    facts.assembly.push_back(std::move(fact));
    return;
  }
  if (llvm::isa<llvm::IntrinsicInst>(call))
    return;
  CallFacts fact;
  fact.place = view.placeOf(call);
  if (const llvm::Function *callee = call.getCalledFunction()) {
    fact.callee = callee->getName().str();
    fact.hasBody = !callee->isDeclaration();
  }
  fact.loop = view.loopAround(call.getParent());
  fact.knownMath = !mathName(call).empty();
  facts.calls.push_back(std::move(fact));
}

} // namespace

void analyseVariables(SymbolicValues &values, KernelFacts &facts) {
  const KernelView &view = values.view();
  for (const llvm::GlobalVariable *variable : view.variables()) {
    if (variable->getAddressSpace() == 3) {
      facts.sharedVariables.push_back(describeShared(view, *variable));
      continue;
    }
    facts.globalVariables.push_back({variable->getName().str(),
                                     view.layout.getTypeAllocSize(variable->getValueType()).getFixedValue(),
                                     variable->getAddressSpace() == 4});
  }
  for (const llvm::Instruction &instruction : llvm::instructions(view.function)) {
    if (const auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
      facts.localArrays.push_back(describeLocal(view, *alloca, facts));
    if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
      addCall(values, *call, facts);
  }
  for (const llvm::Argument &argument : view.function.args())
    facts.parameters.push_back(describeParameter(view, argument, facts));
}

} // namespace warpwright
