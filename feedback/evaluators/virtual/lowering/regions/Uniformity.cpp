#include "feedback/evaluators/virtual/lowering/regions/Uniformity.h"

#include "feedback/evaluators/virtual/execution/ThreadContext.h"
#include "feedback/evaluators/virtual/lowering/Waiting.h"

#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace warpwright::vdevice {
namespace {

bool isWithin(uint64_t offset, size_t begin, size_t bytes) {
  return offset - begin < bytes;
}

#define WARPWRIGHT_IS_MEMBER(name)                                                                           \
  isWithin(offset, offsetof(ThreadContext, name), sizeof(ThreadContext::name))

/// Members of the context that change while a thread runs.
bool changes(uint64_t offset) {
  return WARPWRIGHT_IS_MEMBER(recursionTop) || WARPWRIGHT_IS_MEMBER(stepsLeft);
}

/// Those that differ between the threads of a block.
bool isOfThread(uint64_t offset) {
  return WARPWRIGHT_IS_MEMBER(thread) || WARPWRIGHT_IS_MEMBER(linear) || WARPWRIGHT_IS_MEMBER(lane) ||
         WARPWRIGHT_IS_MEMBER(warp) || WARPWRIGHT_IS_MEMBER(local);
}

#undef WARPWRIGHT_IS_MEMBER

/// What the pointer is, up to a constant offset.
const llvm::Value *baseOf(const llvm::Value *pointer, const llvm::DataLayout &layout, llvm::APInt &offset) {
  offset = llvm::APInt(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  return pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
}

/// What an instruction makes on its own, whatever its operands are.
bool isSource(const llvm::Instruction &instruction) {
  if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return !readsConstant(*load);
  if (llvm::isa<llvm::AllocaInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst, llvm::VAArgInst>(instruction))
    return true;
  const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call && !call->doesNotAccessMemory() && runtimeName(*call) != "barrier";
}

bool dependsOnOperands(const llvm::Instruction &instruction) {
  return !llvm::isa<llvm::LoadInst>(instruction) && runtimeName(instruction) != "barrier";
}

} // namespace

std::optional<uint64_t> contextOffset(const llvm::LoadInst &load) {
  llvm::APInt offset;
  const llvm::Value *base = baseOf(load.getPointerOperand(), load.getModule()->getDataLayout(), offset);
  return base == load.getFunction()->getArg(0) ? std::optional(offset.getZExtValue()) : std::nullopt;
}

bool readsFixed(const llvm::LoadInst &load) {
  if (std::optional<uint64_t> offset = contextOffset(load))
    return !changes(*offset);
  llvm::APInt offset;
  const auto *table = llvm::dyn_cast<llvm::LoadInst>(
      baseOf(load.getPointerOperand(), load.getModule()->getDataLayout(), offset));
  std::optional<uint64_t> member = table ? contextOffset(*table) : std::nullopt;
  return member &&
         (*member == offsetof(ThreadContext, parameters) || *member == offsetof(ThreadContext, variables));
}

bool readsConstant(const llvm::LoadInst &load) {
  std::optional<uint64_t> offset = contextOffset(load);
  return readsFixed(load) && !(offset && isOfThread(*offset));
}

Controllers::Controllers(llvm::Function &function) {
  llvm::PostDominatorTree tree(function);
  for (llvm::BasicBlock &block : function) {
    if (block.getTerminator()->getNumSuccessors() < 2)
      continue;
    const llvm::DomTreeNode *node = tree.getNode(&block);
    const llvm::DomTreeNode *stop = node ? node->getIDom() : nullptr;
    for (llvm::BasicBlock *successor : llvm::successors(&block))
      for (const llvm::DomTreeNode *runner = tree.getNode(successor);
           runner && runner != stop && runner->getBlock(); runner = runner->getIDom())
        direct_[runner->getBlock()].insert(&block);
  }
}

const Controllers::Blocks &Controllers::of(const llvm::BasicBlock &block) const {
  static const Blocks none;
  auto found = direct_.find(&block);
  return found == direct_.end() ? none : found->second;
}

Controllers::Blocks Controllers::allOf(llvm::BasicBlock &block) const {
  Blocks all;
  all.insert(of(block).begin(), of(block).end());
  for (size_t i = 0; i < all.size(); ++i) {
    const Blocks &more = of(*all[i]);
    all.insert(more.begin(), more.end());
  }
  return all;
}

Uniformity::Uniformity(llvm::Function &function, const Controllers &controllers)
    : function_(function), controllers_(controllers) {
  markDivergent(*function.getArg(0));
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (isSource(instruction))
      markDivergent(instruction);
  while (!work_.empty())
    spread(*work_.pop_back_val());
}

bool Uniformity::isUniform(const llvm::Value &value) const {
  return !divergent_.contains(&value);
}

void Uniformity::markDivergent(llvm::Value &value) {
  if (divergent_.insert(&value).second)
    work_.push_back(&value);
}

void Uniformity::spread(llvm::Value &value) {
  for (llvm::User *user : value.users()) {
    auto *instruction = llvm::dyn_cast<llvm::Instruction>(user);
    if (!instruction || !dependsOnOperands(*instruction))
      continue;
    if (instruction->isTerminator())
      spreadThroughBranch(*instruction->getParent());
    markDivergent(*instruction);
  }
}

/// Where threads go different ways, they bring different values to where these meet. A loop that some leave
/// earlier than others is a case of that: whether its header runs again is decided in it.
void Uniformity::spreadThroughBranch(llvm::BasicBlock &block) {
  for (llvm::BasicBlock &join : function_) {
    if (join.phis().empty())
      continue;
    bool depends = llvm::any_of(llvm::predecessors(&join), [&](llvm::BasicBlock *from) {
      return from == &block || controllers_.allOf(*from).contains(&block);
    });
    if (!depends)
      continue;
    for (llvm::PHINode &phi : join.phis())
      if (!phi.hasConstantValue())
        markDivergent(phi);
  }
}

} // namespace warpwright::vdevice
