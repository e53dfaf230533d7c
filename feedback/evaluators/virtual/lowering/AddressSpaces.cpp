#include "feedback/evaluators/virtual/lowering/AddressSpaces.h"

#include "feedback/evaluators/virtual/execution/ThreadContext.h"

#include <llvm/Analysis/Utils/Local.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/ReplaceConstant.h>

namespace warpwright::vdevice {
namespace {

constexpr unsigned sharedSpace = 3;

class Resolver {
public:
  explicit Resolver(LoweringState &state) : state_(state) {}

  void run() {
    dropInitialValues();
    expandConstants();
    for (llvm::Function *function : state_.functions)
      for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(*function)))
        if (auto *pointer = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction))
          wrapOffset(*pointer);
    // Before a variable becomes a pointer of the host, as its address space says what its integer is.
    for (llvm::Function &function : state_.module)
      for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function)))
        resolveIntegers(instruction);
    resolveVariables();
    for (llvm::Function &function : state_.module)
      for (llvm::Instruction &instruction : llvm::instructions(function))
        retype(instruction);
    for (llvm::Function &function : state_.module)
      for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function)))
        renew(instruction);
    moveLocals();
    for (llvm::GlobalVariable &variable : llvm::make_early_inc_range(state_.module.globals()))
      if (variable.use_empty())
        variable.eraseFromParent();
  }

private:
  /// Variables live in the device's memory, which has been given their values.
  void dropInitialValues() {
    auto drop = [](llvm::GlobalVariable &variable) {
      variable.setInitializer(nullptr);
      variable.setLinkage(llvm::GlobalValue::ExternalLinkage);
    };
    for (auto [variable, offset] : state_.sharedOffsets)
      drop(*variable);
    for (auto [variable, position] : state_.variables)
      drop(*variable);
  }

  /// Expressions of variables become instructions, so that each can be resolved where it is used.
  void expandConstants() {
    llvm::SmallVector<llvm::Constant *> variables;
    for (llvm::GlobalVariable &variable : state_.module.globals())
      variables.push_back(&variable);
    llvm::convertUsersOfConstantsToInstructions(variables, nullptr, /*RemoveDeadConstants=*/true,
                                                /*IncludeSelf=*/false);
  }

  /// Addresses of shared memory have 32 bits, so that distances in it wrap (PTX, "Addresses as operands"):
  /// `array[~i]` of an unsigned i is what lies before the array.
  void wrapOffset(llvm::GetElementPtrInst &pointer) {
    constexpr unsigned bits = 32;
    if (pointer.getPointerAddressSpace() != sharedSpace || pointer.getType()->isVectorTy())
      return;
    const llvm::DataLayout &layout = state_.module.getDataLayout();
    bool fits = llvm::all_of(pointer.indices(), [&](const llvm::Use &index) {
      return llvm::ComputeMaxSignificantBits(index, layout) <= bits;
    });
    if (fits)
      return;
    llvm::IRBuilder<> builder(&pointer);
    llvm::Value *offset = llvm::emitGEPOffset(&builder, layout, &pointer);
    llvm::Value *wrapped =
        builder.CreateSExt(builder.CreateTrunc(offset, builder.getIntNTy(bits)), offset->getType());
    pointer.replaceAllUsesWith(builder.CreateGEP(builder.getInt8Ty(), pointer.getPointerOperand(), wrapped));
    pointer.eraseFromParent();
  }

  void resolveVariables() {
    for (llvm::GlobalVariable &variable : llvm::make_early_inc_range(state_.module.globals())) {
      variable.removeDeadConstantUsers();
      if (state_.sharedOffsets.contains(&variable) || state_.variables.contains(&variable))
        resolveVariable(variable);
      else if (variable.getAddressSpace() != 0 && !variable.use_empty())
        moveToHost(variable);
    }
  }

  /// A table of the device library, which no user can name: it lives beside the code.
  void moveToHost(llvm::GlobalVariable &variable) {
    if (!variable.hasInitializer())
      return state_.notCovered("the variable " + variable.getName() + ", which is defined elsewhere");
    auto *copy = new llvm::GlobalVariable(state_.module, variable.getValueType(), variable.isConstant(),
                                          llvm::GlobalValue::InternalLinkage, variable.getInitializer(), "");
    copy->setAlignment(variable.getAlign());
    for (llvm::Use &use : llvm::make_early_inc_range(variable.uses()))
      use.set(copy);
  }

  void resolveVariable(llvm::GlobalVariable &variable) {
    llvm::DenseMap<llvm::Function *, llvm::Value *> addresses;
    for (llvm::Use &use : llvm::make_early_inc_range(variable.uses())) {
      auto *user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
      if (!user)
        continue;
      llvm::Value *&address = addresses[user->getFunction()];
      if (!address)
        address = addressOf(variable, *user->getFunction());
      use.set(address);
    }
  }

  llvm::Value *addressOf(llvm::GlobalVariable &variable, llvm::Function &function) {
    llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
    llvm::Type *pointer = builder.getPtrTy();
    auto shared = state_.sharedOffsets.find(&variable);
    if (shared != state_.sharedOffsets.end())
      return builder.CreateConstInBoundsGEP1_64(
          builder.getInt8Ty(), state_.readContext(builder, offsetof(ThreadContext, shared), pointer),
          shared->second, variable.getName());
    auto unreadable = llvm::find_if(state_.index.unreadable, [&](const auto &entry) {
      return state_.index.variableOf.lookup(entry.first) == state_.variables.lookup(&variable);
    });
    if (unreadable != state_.index.unreadable.end())
      state_.notCovered(unreadable->second);
    llvm::Value *table = state_.readContext(builder, offsetof(ThreadContext, variables), pointer);
    return builder.CreateLoad(
        pointer,
        builder.CreateConstInBoundsGEP1_64(builder.getInt64Ty(), table, state_.variables.lookup(&variable)),
        variable.getName());
  }

  llvm::Value *sharedBase(llvm::IRBuilder<> &builder) {
    llvm::Value *base = state_.readContext(builder, offsetof(ThreadContext, shared), builder.getPtrTy());
    return builder.CreateSub(builder.CreatePtrToInt(base, builder.getInt64Ty()),
                             builder.getInt64(systemShared));
  }

  void resolveIntegers(llvm::Instruction &instruction) {
    bool isPlain = !state_.functions.contains(instruction.getFunction());
    llvm::IRBuilder<> builder(&instruction);
    if (auto *cast = llvm::dyn_cast<llvm::PtrToIntInst>(&instruction)) {
      if (cast->getPointerAddressSpace() != sharedSpace || isPlain || cast->getType()->isVectorTy())
        return;
      auto *address = builder.Insert(new llvm::PtrToIntInst(cast->getPointerOperand(), builder.getInt64Ty()));
      cast->replaceAllUsesWith(
          builder.CreateZExtOrTrunc(builder.CreateSub(address, sharedBase(builder)), cast->getType()));
      cast->eraseFromParent();
    } else if (auto *back = llvm::dyn_cast<llvm::IntToPtrInst>(&instruction)) {
      if (back->getAddressSpace() != sharedSpace || isPlain || back->getType()->isVectorTy())
        return;
      llvm::Value *offset = builder.CreateZExtOrTrunc(back->getOperand(0), builder.getInt64Ty());
      back->replaceAllUsesWith(
          builder.CreateIntToPtr(builder.CreateAdd(offset, sharedBase(builder)), back->getType()));
      back->eraseFromParent();
    }
  }

  static llvm::Constant *retyped(llvm::Constant &constant) {
    llvm::Type *type = withoutAddressSpaces(constant.getType());
    if (type == constant.getType())
      return nullptr;
    if (llvm::isa<llvm::PoisonValue>(constant))
      return llvm::PoisonValue::get(type);
    if (llvm::isa<llvm::UndefValue>(constant))
      return llvm::UndefValue::get(type);
    // A null pointer of one space is null in all: that is what the host's pointers are compared with.
    auto *cast = llvm::dyn_cast<llvm::ConstantExpr>(&constant);
    bool isNull = constant.isNullValue() || (cast && cast->getOpcode() == llvm::Instruction::AddrSpaceCast &&
                                             cast->getOperand(0)->isNullValue());
    return isNull ? llvm::Constant::getNullValue(type) : nullptr;
  }

  void retype(llvm::Instruction &instruction) {
    for (llvm::Use &operand : instruction.operands())
      if (auto *constant = llvm::dyn_cast<llvm::Constant>(operand.get()))
        if (llvm::Constant *changed = retyped(*constant))
          operand.set(changed);
    instruction.mutateType(withoutAddressSpaces(instruction.getType()));
  }

  /// Casts between address spaces go; intrinsics are declared for the pointers that they now take.
  void renew(llvm::Instruction &instruction) {
    if (auto *cast = llvm::dyn_cast<llvm::AddrSpaceCastInst>(&instruction)) {
      cast->replaceAllUsesWith(cast->getPointerOperand());
      cast->eraseFromParent();
      return;
    }
    auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!call)
      return;
    llvm::SmallVector<llvm::Type *> parameters;
    for (llvm::Type *parameter : call->getFunctionType()->params())
      parameters.push_back(withoutAddressSpaces(parameter));
    auto *type = llvm::FunctionType::get(call->getType(), parameters, false);
    if (type == call->getFunctionType())
      return;
    llvm::SmallVector<llvm::Type *, 4> overloads;
    if (!llvm::Intrinsic::getIntrinsicSignature(call->getIntrinsicID(), type, overloads))
      return state_.notCovered(call->getCalledFunction()->getName());
    call->setCalledFunction(
        llvm::Intrinsic::getOrInsertDeclaration(&state_.module, call->getIntrinsicID(), overloads));
  }

  void moveLocals() {
    for (llvm::Function *function : state_.functions) {
      for (llvm::Instruction &instruction : llvm::instructions(*function)) {
        auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
        if (alloca && !alloca->isStaticAlloca())
          state_.notCovered("alloca of a size that is not constant");
      }
    }
    if (!state_.isWatched())
      return;
    for (llvm::Function *function : state_.functions)
      moveLocalsOf(*function);
  }

  void moveLocalsOf(llvm::Function &function) {
    llvm::SmallVector<llvm::AllocaInst *> locals;
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
        if (state_.localOffsets.contains(alloca))
          locals.push_back(alloca);
    if (locals.empty())
      return;
    // Before a place to insert at is chosen, as it might be one of them.
    for (llvm::AllocaInst *local : locals)
      for (llvm::User *user : llvm::make_early_inc_range(local->users()))
        if (auto *lifetime = llvm::dyn_cast<llvm::LifetimeIntrinsic>(user))
          lifetime->eraseFromParent();
    auto recursive = state_.recursiveFrames.find(&function);
    llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    llvm::Value *base = recursive == state_.recursiveFrames.end()
                            ? state_.readContext(builder, offsetof(ThreadContext, local), builder.getPtrTy())
                            : enterFrame(function, builder, recursive->second);
    for (llvm::AllocaInst *local : locals) {
      uint64_t offset = state_.localOffsets.lookup(local);
      local->replaceAllUsesWith(
          builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, offset, local->getName()));
      local->eraseFromParent();
    }
  }

  /// Takes a frame for this call, and gives it back where the function returns.
  llvm::Value *enterFrame(llvm::Function &function, llvm::IRBuilder<> &builder, uint64_t bytes) {
    llvm::Value *frame = state_.callRuntime(
        builder, "warpwright.enter_frame", builder.getPtrTy(),
        {function.getArg(0), builder.getInt64(state_.kernelIndex.recursionOffset), builder.getInt64(bytes)});
    for (llvm::BasicBlock &block : function)
      if (auto *end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator())) {
        llvm::IRBuilder<> atEnd(end);
        llvm::Value *top = state_.contextMember(atEnd, offsetof(ThreadContext, recursionTop));
        atEnd.CreateStore(atEnd.CreateSub(atEnd.CreateLoad(atEnd.getInt64Ty(), top), atEnd.getInt64(bytes)),
                          top);
      }
    return frame;
  }

  LoweringState &state_;
};

} // namespace

llvm::Type *withoutAddressSpaces(llvm::Type *type) {
  if (auto *pointer = llvm::dyn_cast<llvm::PointerType>(type))
    return llvm::PointerType::get(pointer->getContext(), 0);
  if (auto *vector = llvm::dyn_cast<llvm::VectorType>(type))
    return llvm::VectorType::get(withoutAddressSpaces(vector->getElementType()), vector->getElementCount());
  if (auto *array = llvm::dyn_cast<llvm::ArrayType>(type))
    return llvm::ArrayType::get(withoutAddressSpaces(array->getElementType()), array->getNumElements());
  auto *record = llvm::dyn_cast<llvm::StructType>(type);
  if (!record)
    return type;
  llvm::SmallVector<llvm::Type *> elements;
  for (llvm::Type *element : record->elements())
    elements.push_back(withoutAddressSpaces(element));
  if (llvm::ArrayRef<llvm::Type *>(elements) == record->elements())
    return type;
  return llvm::StructType::get(type->getContext(), elements, record->isPacked());
}

void resolveAddressSpaces(LoweringState &state) {
  Resolver(state).run();
}

} // namespace warpwright::vdevice
