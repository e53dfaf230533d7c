#include "analysis/simt/Decode.h"

#include "analysis/simt/Decoder.h"
#include "analysis/simt/LoopForms.h"
#include "analysis/simt/Slice.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopIterator.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

namespace warpwright::simt {

uint64_t castAddress(uint64_t address, unsigned from, unsigned to) {
  auto windowOf = [](unsigned space) {
    return space == SharedSpace ? MemoryMap::sharedWindow : space == LocalSpace ? MemoryMap::localWindow : 0;
  };
  return address + windowOf(from) - windowOf(to);
}

namespace {

/// Every variable that a function and its callees name.
class VariableCollector {
public:
  void visit(const llvm::Function &function) {
    if (!seen_.insert(&function).second)
      return;
    for (const llvm::Instruction &instruction : llvm::instructions(function))
      for (const llvm::Value *operand : instruction.operands())
        if (const auto *constant = llvm::dyn_cast<llvm::Constant>(operand))
          visit(*constant);
  }
  bool found(const llvm::GlobalVariable &variable) const { return seen_.contains(&variable); }

private:
  void visit(const llvm::Constant &constant) {
    if (const auto *function = llvm::dyn_cast<llvm::Function>(&constant))
      return visit(*function);
    if (!seen_.insert(&constant).second || llvm::isa<llvm::GlobalVariable>(constant))
      return;
    for (const llvm::Value *operand : constant.operands())
      if (const auto *inner = llvm::dyn_cast<llvm::Constant>(operand))
        visit(*inner);
  }

  llvm::SmallPtrSet<const llvm::Constant *, 32> seen_;
};

/// Gives each variable its place. Shared arrays keep the module's order; those without a size (dynamic shared
/// memory) all begin where the others end.
void layOutVariables(const llvm::Function &kernel, MemoryMap &map) {
  VariableCollector collector;
  collector.visit(kernel);
  const llvm::DataLayout &layout = kernel.getParent()->getDataLayout();
  constexpr uint64_t dynamicAlignment = 16;
  std::vector<const llvm::GlobalVariable *> dynamic;
  for (const llvm::GlobalVariable &variable : kernel.getParent()->globals()) {
    if (!collector.found(variable))
      continue;
    uint64_t size = layout.getTypeAllocSize(variable.getValueType()).getFixedValue();
    uint64_t alignment = variable.getAlign().value_or(layout.getPreferredAlign(&variable)).value();
    auto place = [&](uint64_t base, uint64_t &end) {
      uint64_t offset = llvm::alignTo(end, alignment);
      end = offset + size;
      map.variables[&variable] = base + offset;
    };
    if (variable.getAddressSpace() == SharedSpace && size == 0)
      dynamic.push_back(&variable);
    else if (variable.getAddressSpace() == SharedSpace)
      place(0, map.sharedEnd);
    else if (variable.getAddressSpace() == ConstantSpace)
      place(MemoryMap::constantWindow, map.constantBytes);
    else
      place(MemoryMap::variableWindow, map.variableBytes);
  }
  map.sharedEnd = llvm::alignTo(map.sharedEnd, dynamicAlignment);
  for (const llvm::GlobalVariable *variable : dynamic) {
    map.sharedEnd = llvm::alignTo(map.sharedEnd, variable->getAlign().valueOrOne().value());
    map.variables[variable] = map.sharedEnd;
  }
}

} // namespace

const FunctionCode *codeOf(Program &program, const llvm::Function &function) {
  if (function.isDeclaration())
    return nullptr;
  std::unique_ptr<FunctionCode> &code = program.functions[&function];
  if (!code) {
    code = std::make_unique<FunctionCode>();
    FunctionCode *decoded = code.get(); // the map may grow meanwhile
    Decoder(program, function, *decoded).run();
    return decoded;
  }
  return code.get();
}

std::unique_ptr<Program> decodeProgram(const llvm::Function &kernel, bool forWatch) {
  auto program = std::make_unique<Program>();
  layOutVariables(kernel, program->map);
  program->kernel = codeOf(*program, kernel);
  dropUncountedValues(*program, forWatch);
  describeLoops(*program);
  return program;
}

Decoder::Decoder(Program &program, const llvm::Function &function, FunctionCode &code)
    : program_(program), function_(function), code_(code), layout_(function.getParent()->getDataLayout()) {}

void Decoder::run() {
  assignRegisters();
  computeJoins();
  findLoops();
  for (const llvm::BasicBlock &block : function_) {
    Block &decoded = code_.blocks[blockNumbers_[&block]];
    decoded.first = code_.instructions.size();
    for (const llvm::Instruction &instruction : block)
      decode(instruction);
    decoded.last = code_.instructions.size() - 1;
  }
  markPredicated();
}

bool Decoder::flatten(llvm::Type *type, Scalars &scalars) const {
  return flattenType(type, layout_, scalars);
}

bool Decoder::representable(const llvm::Instruction &source) const {
  Scalars scalars;
  if (!flatten(source.getType(), scalars))
    return false;
  for (const llvm::Value *value : source.operands()) {
    llvm::Type *type = value->getType();
    if (type->isLabelTy() || type->isMetadataTy() || type->isFunctionTy())
      continue;
    if (!flatten(type, scalars))
      return false;
  }
  return true;
}

void Decoder::assignRegisters() {
  auto assign = [&](const llvm::Value &value) {
    Scalars scalars;
    if (!flatten(value.getType(), scalars))
      return;
    registers_[&value] = static_cast<Operand>(code_.slots);
    code_.slots += slotsOf(scalars);
    code_.valueOf.resize(code_.slots, registers_[&value]);
    for (const ScalarShape &scalar : scalars)
      code_.bitsOf.resize(code_.bitsOf.size() + scalar.slots(), std::min<uint16_t>(scalar.bits, 64));
  };
  for (const llvm::Argument &argument : function_.args()) {
    assign(argument);
    code_.parameters.push_back(registers_.lookup(&argument));
  }
  code_.parameterSlots = code_.slots;
  for (const llvm::BasicBlock &block : function_) {
    blockNumbers_[&block] = static_cast<int32_t>(blockNumbers_.size());
    for (const llvm::Instruction &instruction : block)
      assign(instruction);
  }
  code_.blocks.resize(blockNumbers_.size());
}

void Decoder::computeJoins() {
  llvm::PostDominatorTree tree(const_cast<llvm::Function &>(function_)); // only read
  for (const llvm::BasicBlock &block : function_) {
    const auto *node = tree.getNode(&block);
    const auto *join = node ? node->getIDom() : nullptr;
    code_.blocks[blockNumbers_[&block]].join =
        join && join->getBlock() ? blockNumbers_[join->getBlock()] : -1;
  }
}

void Decoder::findLoops() {
  llvm::DominatorTree dominators(const_cast<llvm::Function &>(function_)); // only read
  loopInfo_.analyze(dominators);
  for (const llvm::Loop *loop : loopInfo_.getLoopsInPreorder()) {
    loopNumbers_[loop->getHeader()] = static_cast<int32_t>(code_.loops.size());
    LoopForm &form = code_.loops.emplace_back();
    form.header = blockNumbers_[loop->getHeader()];
    form.depth = loop->getLoopDepth();
    llvm::LoopBlocksRPO order(const_cast<llvm::Loop *>(loop));
    order.perform(&loopInfo_);
    for (llvm::BasicBlock *block : order)
      form.blocks.push_back({blockNumbers_[block], loopInfo_.getLoopFor(block) == loop});
  }
}

Operand Decoder::constant(const llvm::Constant *value) {
  auto [found, isNew] = constants_.try_emplace(value, ~static_cast<Operand>(program_.constants.size()));
  if (isNew)
    appendConstant(value, layout_, program_.map, program_.constants);
  return found->second;
}

Operand Decoder::operand(const llvm::Value *value) {
  if (const auto *known = llvm::dyn_cast<llvm::Constant>(value))
    return constant(known);
  return registers_.lookup(value);
}

Instruction Decoder::start(const llvm::Instruction &source, Op op, InstructionClass kind) const {
  Instruction instruction;
  instruction.op = op;
  instruction.kind = kind;
  instruction.source = &source;
  instruction.dest = registers_.lookup(&source);
  Scalars scalars;
  if (flatten(source.getType(), scalars) && !scalars.empty()) {
    instruction.scalar = scalars.front().kind;
    instruction.bits = scalars.front().bits;
    instruction.count = static_cast<uint16_t>(scalars.size());
  }
  return instruction;
}

void Decoder::finish(Instruction &instruction, llvm::ArrayRef<Operand> operands) {
  instruction.firstOperand = code_.operands.size();
  instruction.operandCount = static_cast<uint16_t>(operands.size());
  code_.operands.insert(code_.operands.end(), operands.begin(), operands.end());
  code_.instructions.push_back(instruction);
}

void Decoder::addEdge(const llvm::BasicBlock *from, const llvm::BasicBlock *to) {
  Edge edge;
  edge.target = blockNumbers_[to];
  if (auto header = loopNumbers_.find(to); header != loopNumbers_.end()) {
    edge.loop = header->second;
    edge.goesBack = loopInfo_.getLoopFor(to)->contains(from);
  }
  edge.firstCopy = code_.copies.size();
  for (const llvm::PHINode &phi : to->phis()) {
    Scalars scalars;
    if (!flatten(phi.getType(), scalars))
      continue;
    Operand source = operand(phi.getIncomingValueForBlock(from));
    Operand dest = registers_.lookup(&phi);
    for (unsigned i = 0, slots = slotsOf(scalars); i < slots; ++i)
      code_.copies.push_back({slotAt(dest, i), slotAt(source, i)});
  }
  edge.copies = code_.copies.size() - edge.firstCopy;
  for (uint32_t i = 0; i < edge.copies; ++i)
    for (uint32_t j = i + 1; j < edge.copies; ++j)
      edge.overlapping |= code_.copies[edge.firstCopy + j].source == code_.copies[edge.firstCopy + i].dest;
  code_.edges.push_back(edge);
}

void Decoder::decodeSwitch(const llvm::SwitchInst &source) {
  Instruction instruction = start(source, Op::Switch, InstructionClass::Control);
  SwitchForm form;
  form.firstEdge = code_.edges.size();
  addEdge(source.getParent(), source.getDefaultDest());
  for (const auto &entry : source.cases()) {
    form.values.push_back(entry.getCaseValue()->getZExtValue());
    addEdge(source.getParent(), entry.getCaseSuccessor());
  }
  instruction.extra = static_cast<int32_t>(code_.switches.size());
  code_.switches.push_back(std::move(form));
  finish(instruction, operand(source.getCondition()));
}

void Decoder::decodeTerminator(const llvm::Instruction &source) {
  const auto *choice = llvm::dyn_cast<llvm::SwitchInst>(&source);
  if (choice && choice->getCondition()->getType()->getIntegerBitWidth() <= 64)
    return decodeSwitch(*choice);
  if (const auto *result = llvm::dyn_cast<llvm::ReturnInst>(&source)) {
    Instruction instruction = start(source, Op::Return, InstructionClass::Control);
    llvm::SmallVector<Operand, 4> slots;
    Scalars scalars;
    if (result->getReturnValue() && flatten(result->getReturnValue()->getType(), scalars))
      for (unsigned i = 0, count = slotsOf(scalars); i < count; ++i)
        slots.push_back(slotAt(operand(result->getReturnValue()), i));
    return finish(instruction, slots);
  }
  if (const auto *branch = llvm::dyn_cast<llvm::BranchInst>(&source)) {
    bool conditional = branch->isConditional();
    Instruction instruction =
        start(source, conditional ? Op::ConditionalBranch : Op::Branch, InstructionClass::Control);
    instruction.extra = static_cast<int32_t>(code_.edges.size());
    if (conditional) {
      instruction.dest = static_cast<Operand>(program_.branches.size());
      program_.branches.push_back(&source);
    }
    for (unsigned i = 0; i < branch->getNumSuccessors(); ++i)
      addEdge(source.getParent(), branch->getSuccessor(i));
    return conditional ? finish(instruction, operand(branch->getCondition())) : finish(instruction, {});
  }
  // unreachable ends the lanes as a trap does; computed jumps are not followed.
  if (!llvm::isa<llvm::UnreachableInst>(source))
    decodeOpaque(source, "a jump that is not followed");
  Instruction instruction = start(source, Op::Exit, InstructionClass::Control);
  finish(instruction, {});
}

} // namespace warpwright::simt
