#include "feedback/evaluators/virtual/lowering/ModuleIndex.h"

#include "analysis/simt/Bind.h"
#include "feedback/evaluators/virtual/execution/ThreadContext.h"
#include "feedback/evaluators/virtual/lowering/Accesses.h"
#include "feedback/evaluators/virtual/lowering/Collectives.h"
#include "feedback/evaluators/virtual/lowering/Convergence.h"
#include "feedback/evaluators/virtual/lowering/InitialValue.h"
#include "feedback/evaluators/virtual/lowering/UserPlace.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

namespace warpwright::vdevice {
namespace {

/// Distance of neighbouring variables in shared and local memory; a multiple of the row of banks.
constexpr uint64_t gap = 128;

enum : unsigned { SharedSpace = 3, ConstantSpace = 4 };

/// "tile" of "_ZZ9transposePKfPfiE4tile": the last name of a mangled one, which is all there is without full
/// debug information.
std::string sourceName(llvm::StringRef symbol) {
  llvm::StringRef rest = symbol;
  if (!rest.consume_front("_Z"))
    return symbol.split('.').first.str();
  std::string last;
  for (size_t i = 0; i < rest.size(); ++i) {
    unsigned length = 0;
    llvm::StringRef tail = rest.drop_front(i);
    if (tail.consumeInteger(10, length) || length == 0 || length > tail.size())
      continue;
    last = tail.take_front(length).str();
    i = rest.size() - tail.size() + length - 1;
  }
  return last.empty() ? symbol.str() : last;
}

void numberSites(const llvm::Module &module, ModuleIndex &index) {
  for (const llvm::Function &function : module)
    for (const llvm::Instruction &instruction : llvm::instructions(function)) {
      llvm::SmallVector<InstructionAccess, 2> accesses = accessesOf(instruction);
      if (accesses.empty())
        continue;
      index.firstSite[&instruction] = static_cast<uint32_t>(index.sites.size());
      for (const InstructionAccess &access : accesses)
        index.sites.push_back(
            {&instruction, userPlaceOf(instruction), access.kind, access.addressSpace, access.bytes});
    }
}

void listVariables(const llvm::Module &module, ModuleIndex &index) {
  const llvm::DataLayout &layout = module.getDataLayout();
  for (const llvm::GlobalVariable &variable : module.globals()) {
    if (variable.getAddressSpace() == SharedSpace || variable.getName().starts_with("llvm."))
      continue;
    index.variableOf[&variable] = static_cast<uint32_t>(index.variables.size());
    DeviceVariable description;
    description.symbol = variable.getName().str();
    description.name = sourceName(description.symbol);
    description.bytes = layout.getTypeAllocSize(variable.getValueType()).getFixedValue();
    description.alignment =
        variable.getAlign().value_or(layout.getABITypeAlign(variable.getValueType())).value();
    description.constant = variable.isConstant();
    index.variables.push_back(std::move(description));
  }
  for (auto [variable, position] : index.variableOf)
    if (llvm::Error error = readInitialValue(*variable, index.variableOf, index.variables[position]))
      index.unreadable[variable] = llvm::toString(std::move(error));
}

/// Functions that `function` mentions: those it calls, and those whose address it takes.
void addMentioned(const llvm::Function &function, llvm::SetVector<const llvm::Function *> &reached) {
  for (const llvm::Instruction &instruction : llvm::instructions(function)) {
    llvm::SmallVector<const llvm::Value *, 8> work(instruction.operand_values());
    while (!work.empty()) {
      const llvm::Value *value = work.pop_back_val();
      if (const auto *callee = llvm::dyn_cast<llvm::Function>(value); callee && !callee->isDeclaration())
        reached.insert(callee);
      else if (const auto *constant = llvm::dyn_cast<llvm::ConstantExpr>(value))
        work.append(constant->value_op_begin(), constant->value_op_end());
    }
  }
}

llvm::SetVector<const llvm::Function *> reachableFrom(const llvm::Function &function) {
  llvm::SetVector<const llvm::Function *> reached;
  addMentioned(function, reached);
  for (size_t i = 0; i < reached.size(); ++i)
    addMentioned(*reached[i], reached);
  return reached;
}

/// Whether some loop reads what others may change, and so may wait for them.
bool waitsInLoop(const llvm::Function &function) {
  llvm::DominatorTree dominators(const_cast<llvm::Function &>(function));
  llvm::LoopInfo loops(dominators);
  for (const llvm::Instruction &instruction : llvm::instructions(function)) {
    bool reads = llvm::isa<llvm::AtomicCmpXchgInst>(instruction) ||
                 (llvm::isa<llvm::AtomicRMWInst>(instruction) && !instruction.use_empty());
    if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
      reads = load->isVolatile() || load->isAtomic();
    if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction); call && call->isInlineAsm())
      reads = llvm::any_of(accessesOf(instruction), [](const InstructionAccess &access) {
        return access.kind == simt::AccessKind::Load || access.kind == simt::AccessKind::Atomic;
      });
    if (reads && loops.getLoopFor(instruction.getParent()))
      return true;
  }
  return false;
}

class KernelIndexer {
public:
  KernelIndexer(const llvm::Function &function, const ProgramOptions &options)
      : function_(function), options_(options), layout_(function.getParent()->getDataLayout()) {}

  KernelIndex run() {
    result_.function = &function_;
    result_.kernel.symbol = function_.getName().str();
    llvm::SetVector<const llvm::Function *> reached = reachableFrom(function_);
    reached.insert(&function_);
    for (const llvm::Function &function : *function_.getParent())
      if (reached.contains(&function))
        result_.functions.insert(&function);
    for (const llvm::Function *function : result_.functions) {
      result_.kernel.synchronises |= synchronises(*function);
      result_.spins |= waitsInLoop(*function);
    }
    result_.usesFibres = result_.kernel.synchronises || result_.spins;
    layOutParameters();
    layOutShared();
    layOutLocals();
    return std::move(result_);
  }

private:
  static uint64_t place(StorageLayout &layout, StorageVariable variable) {
    variable.offset = layout.bytes;
    layout.bytes = llvm::alignTo(layout.bytes + variable.bytes + gap, gap);
    layout.variables.push_back(variable);
    return variable.offset;
  }

  void layOutParameters() {
    simt::SimtOptions naming;
    for (const auto &[symbol, parameters] : options_.parameters)
      if (symbol == result_.kernel.symbol)
        naming.parameters = parameters;
    std::vector<std::string> names = simt::parameterNames(function_, naming);
    DeviceKernel &kernel = result_.kernel;
    for (const llvm::Argument &argument : function_.args()) {
      DeviceParameter parameter;
      parameter.name = names[argument.getArgNo()];
      llvm::Type *type = argument.hasByValAttr() ? argument.getParamByValType() : argument.getType();
      using Kind = DeviceParameter::Kind;
      parameter.kind = argument.hasByValAttr()     ? Kind::Struct
                       : type->isPointerTy()       ? Kind::Pointer
                       : type->isFloatingPointTy() ? Kind::Floating
                       : type->isIntegerTy()       ? Kind::Integer
                                                   : Kind::Struct;
      if (argument.getArgNo() < naming.parameters.size())
        parameter.members = naming.parameters[argument.getArgNo()].members;
      constexpr uint64_t parameterAlignment = 16;
      parameter.bytes = layout_.getTypeAllocSize(type).getFixedValue();
      parameter.offset = llvm::alignTo(kernel.parameterBytes, parameterAlignment);
      kernel.parameterBytes = parameter.offset + parameter.bytes;
      kernel.parameters.push_back(std::move(parameter));
    }
  }

  /// Arrays of dynamic size all start where the static ones end.
  void layOutShared() {
    DeviceKernel &kernel = result_.kernel;
    llvm::SmallVector<const llvm::GlobalVariable *> dynamic;
    for (const llvm::GlobalVariable &variable : function_.getParent()->globals()) {
      if (variable.getAddressSpace() != SharedSpace || !isUsed(variable))
        continue;
      uint64_t bytes = layout_.getTypeAllocSize(variable.getValueType()).getFixedValue();
      if (variable.isDeclaration() || bytes == 0) {
        dynamic.push_back(&variable);
        continue;
      }
      kernel.staticSharedBytes =
          llvm::alignTo(kernel.staticSharedBytes, variable.getAlign().valueOrOne()) + bytes;
      result_.sharedOffsets[&variable] =
          place(kernel.shared, {sourceName(variable.getName()), {}, 0, bytes, false});
    }
    for (const llvm::GlobalVariable *variable : dynamic)
      result_.sharedOffsets[variable] = kernel.shared.bytes;
    kernel.shared.variables.push_back(
        {dynamic.empty() ? "" : sourceName(dynamic.front()->getName()), {}, kernel.shared.bytes, 0, false});
  }

  /// Whether some function of the kernel mentions the variable.
  bool isUsed(const llvm::Value &value) const {
    for (const llvm::User *user : value.users()) {
      if (const auto *instruction = llvm::dyn_cast<llvm::Instruction>(user)) {
        if (result_.functions.contains(instruction->getFunction()))
          return true;
      } else if (llvm::isa<llvm::ConstantExpr>(user) && isUsed(*user)) {
        return true;
      }
    }
    return false;
  }

  void layOutLocals() {
    StorageLayout &local = result_.kernel.local;
    for (const llvm::Function *function : result_.functions) {
      bool recursive = reachableFrom(*function).contains(function);
      uint64_t frame = 0;
      auto add = [&](const llvm::Value &value, std::string name, uint64_t bytes, bool initialised) {
        if (recursive) {
          result_.localOffsets[&value] = frame;
          frame = llvm::alignTo(frame + bytes, 16);
          return;
        }
        result_.localOffsets[&value] = place(local, {std::move(name), {}, 0, bytes, initialised});
      };
      for (const llvm::Argument &argument : function->args())
        if (argument.hasByValAttr())
          add(argument, argument.getName().str(),
              layout_.getTypeAllocSize(argument.getParamByValType()).getFixedValue(), true);
      for (const llvm::Instruction &instruction : llvm::instructions(function))
        if (const auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
          if (std::optional<llvm::TypeSize> bytes = alloca->getAllocationSize(layout_))
            add(*alloca, alloca->getName().str(), bytes->getFixedValue(), false);
      if (recursive)
        result_.recursiveFrames[function] = frame;
    }
    if (!result_.recursiveFrames.empty())
      result_.recursionOffset =
          place(local, {"frames of functions that call themselves", {}, 0, recursionStack, true});
  }

  const llvm::Function &function_;
  const ProgramOptions &options_;
  const llvm::DataLayout &layout_;
  KernelIndex result_;
};

} // namespace

ModuleIndex indexModule(const llvm::Module &module, const ProgramOptions &options) {
  ModuleIndex index;
  numberSites(module, index);
  indexConvergence(module, index);
  listVariables(module, index);
  for (const llvm::Function &function : module)
    if (!function.isDeclaration() && function.getCallingConv() == llvm::CallingConv::PTX_Kernel)
      index.kernels.emplace(function.getName().str(), KernelIndexer(function, options).run());
  return index;
}

} // namespace warpwright::vdevice
