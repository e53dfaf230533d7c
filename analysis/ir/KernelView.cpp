#include "analysis/ir/KernelView.h"

#include "analysis/ir/CollectFacts.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/Path.h>

namespace warpwright {
namespace {

std::string pathOf(const llvm::DILocation &location) {
  llvm::StringRef file = location.getFilename();
  if (llvm::sys::path::is_absolute(file) || location.getDirectory().empty())
    return file.str();
  llvm::SmallString<128> path(location.getDirectory());
  llvm::sys::path::append(path, file);
  return path.str().str();
}

Place placeAt(const llvm::DILocation &location, std::string path) {
  return Place{std::move(path), location.getLine(), location.getColumn()};
}

/// The address space of CUDA's `__shared__` in NVPTX.
constexpr unsigned sharedAddressSpace = 3;

/// Visits every global variable that the operands of `function` mention, through constant expressions.
void forEachVariable(llvm::Function &function, llvm::function_ref<void(const llvm::GlobalVariable *)> visit) {
  llvm::SmallPtrSet<const llvm::Constant *, 16> seen;
  llvm::SmallVector<const llvm::Constant *> work;
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    for (const llvm::Use &operand : instruction.operands())
      if (const auto *constant = llvm::dyn_cast<llvm::Constant>(operand.get()))
        work.push_back(constant);
    while (!work.empty()) {
      const llvm::Constant *constant = work.pop_back_val();
      if (!seen.insert(constant).second || llvm::isa<llvm::Function>(constant))
        continue;
      if (const auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(constant)) {
        visit(variable);
        continue;
      }
      for (const llvm::Use &operand : constant->operands())
        if (const auto *inner = llvm::dyn_cast<llvm::Constant>(operand.get()))
          work.push_back(inner);
    }
  }
}

/// The kernel and every function with a body that it calls, directly or not.
llvm::SmallSetVector<llvm::Function *, 8> reachableFunctions(llvm::Function &kernel) {
  llvm::SmallSetVector<llvm::Function *, 8> reached;
  reached.insert(&kernel);
  for (size_t i = 0; i < reached.size(); ++i)
    for (llvm::Instruction &instruction : llvm::instructions(*reached[i]))
      if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        if (llvm::Function *callee = call->getCalledFunction(); callee && !callee->isDeclaration())
          reached.insert(callee);
  return reached;
}

/// A successor that only ends in a trap decides nothing: an assertion would otherwise make all code after it
/// divergent.
bool isDeadEnd(const llvm::BasicBlock *block) {
  return llvm::isa<llvm::UnreachableInst>(block->getTerminator());
}

} // namespace

bool isToolkitFile(llvm::StringRef path) {
  return path.contains("/lib/clang/") || path.contains("/usr/lib/gcc/") ||
         path.starts_with("/usr/include/") || path.contains("__clang_cuda_") || path.contains("/cccl/") ||
         (path.contains("cuda") && (path.contains("/targets/") || path.contains("/include/cuda_") ||
                                    path.contains("/include/crt/") || path.contains("/include/sm_"))) ||
         path.starts_with("/usr/local/include/");
}

std::string sourceName(const llvm::Value &value) {
  llvm::StringRef name = value.getName().split('.').first;
  if (name == "indvars" || name.starts_with("spec") || name.starts_with("iv"))
    return {};
  return name.str();
}

KernelView::KernelView(llvm::Function &kernel, llvm::FunctionAnalysisManager &analyses,
                       const CollectOptions &options)
    : function(kernel), layout(kernel.getParent()->getDataLayout()),
      loopInfo(analyses.getResult<llvm::LoopAnalysis>(kernel)),
      evolution(analyses.getResult<llvm::ScalarEvolutionAnalysis>(kernel)),
      dominators(analyses.getResult<llvm::DominatorTreeAnalysis>(kernel)),
      postDominators(analyses.getResult<llvm::PostDominatorTreeAnalysis>(kernel)),
      uniformity(kernel, dominators, loopInfo),
      isSystemFile_(options.isSystemFile ? options.isSystemFile : isToolkitFile),
      memberName_(options.memberName) {
  orderBlocks();
  numberLoops();
  numberVariables();
  markDivergentBlocks();
  nameParameters(options);
}

/// Reverse post-order where each block's ways out of its loop are walked before the ways on inside.
void KernelView::orderBlocks() {
  llvm::SmallPtrSet<const llvm::BasicBlock *, 32> seen;
  llvm::SmallVector<std::pair<llvm::BasicBlock *, llvm::SmallVector<llvm::BasicBlock *, 2>>> path;
  auto enter = [&](llvm::BasicBlock *block) {
    if (!seen.insert(block).second)
      return;
    const llvm::Loop *loop = loopInfo.getLoopFor(block);
    llvm::SmallVector<llvm::BasicBlock *, 2> inside,
        ways; // taken from the back, the last side of a branch first
    for (llvm::BasicBlock *next : llvm::successors(block))
      (loop && !loop->contains(next) ? ways : inside).push_back(next);
    inside.append(ways);
    path.emplace_back(block, std::move(inside));
  };
  enter(&function.getEntryBlock());
  while (!path.empty()) {
    if (path.back().second.empty()) {
      blocks_.push_back(path.pop_back_val().first);
      continue;
    }
    enter(path.back().second.pop_back_val());
  }
  std::reverse(blocks_.begin(), blocks_.end());
}

void KernelView::numberLoops() {
  for (llvm::BasicBlock *block : blocks_) {
    const llvm::Loop *loop = loopInfo.getLoopFor(block);
    llvm::SmallVector<const llvm::Loop *> unseen;
    for (; loop && !loopIds_.contains(loop); loop = loop->getParentLoop())
      unseen.push_back(loop);
    for (const llvm::Loop *outer : llvm::reverse(unseen)) {
      loopIds_[outer] = loops_.size();
      loops_.push_back(outer);
    }
  }
}

void KernelView::numberVariables() {
  for (llvm::Function *reached : reachableFunctions(function)) {
    reachable_.insert(reached);
    forEachVariable(*reached, [&](const llvm::GlobalVariable *variable) {
      if (llvm::is_contained(variables_, variable))
        return;
      variables_.push_back(variable);
      if (variable->getAddressSpace() == sharedAddressSpace)
        sharedIds_.try_emplace(variable, sharedIds_.size());
    });
  }
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (const auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
      localIds_.try_emplace(alloca, localIds_.size());
}

std::optional<unsigned> KernelView::loopAround(const llvm::BasicBlock *block) const {
  const llvm::Loop *loop = loopInfo.getLoopFor(block);
  return loop ? std::optional(idOf(loop)) : std::nullopt;
}

/// A block is divergent when it is control dependent on a divergent branch, or on any branch of a divergent
/// block.
void KernelView::markDivergentBlocks() {
  llvm::DenseMap<const llvm::BasicBlock *, llvm::SmallVector<const llvm::BasicBlock *, 4>> dependents;
  llvm::SmallVector<const llvm::BasicBlock *> work;
  for (llvm::BasicBlock &block : function) {
    if (llvm::count_if(llvm::successors(&block), [](auto *next) { return !isDeadEnd(next); }) < 2)
      continue;
    const llvm::DomTreeNodeBase<llvm::BasicBlock> *own = postDominators.getNode(&block);
    const llvm::DomTreeNodeBase<llvm::BasicBlock> *stop = own ? own->getIDom() : nullptr;
    for (llvm::BasicBlock *next : llvm::successors(&block))
      for (auto *node = postDominators.getNode(next); node && node != stop && node->getBlock();
           node = node->getIDom())
        dependents[&block].push_back(node->getBlock());
    if (uniformity.hasDivergentTerminator(block))
      work.push_back(&block);
  }
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> done;
  while (!work.empty()) {
    const llvm::BasicBlock *block = work.pop_back_val();
    if (!done.insert(block).second)
      continue;
    for (const llvm::BasicBlock *dependent : dependents.lookup(block))
      if (divergentBlocks_.insert(dependent).second)
        work.push_back(dependent);
  }
}

void KernelView::nameParameters(const CollectOptions &options) {
  for (const llvm::Argument &argument : function.args()) {
    unsigned position = argument.getArgNo();
    if (position < options.parameterNames.size() && !options.parameterNames[position].empty())
      parameterNames_.push_back(options.parameterNames[position]);
    else if (argument.hasName())
      parameterNames_.push_back(argument.getName().str());
    else
      parameterNames_.push_back("arg" + std::to_string(position));
  }
}

std::string KernelView::memberName(unsigned position, uint64_t byte) const {
  std::string member = memberName_ ? memberName_(position, byte) : std::string();
  if (member.empty())
    member = "at" + std::to_string(byte);
  return parameterName(position) + "." + member;
}

SourcePlace KernelView::placeOf(const llvm::Instruction &instruction) const {
  return placeOf(instruction.getDebugLoc().get());
}

/// The innermost frame that is not in a system file; where all are, the outermost.
SourcePlace KernelView::placeOf(const llvm::DILocation *location) const {
  SourcePlace result;
  while (location && location->getInlinedAt() && isSystemFile_(pathOf(*location)))
    location = location->getInlinedAt();
  if (!location)
    return result;
  result.place = placeAt(*location, pathOf(*location));
  if (const llvm::DISubprogram *subprogram = location->getScope()->getSubprogram())
    result.function = subprogram->getName().str();
  for (location = location->getInlinedAt(); location; location = location->getInlinedAt())
    result.inlinedAt.push_back(placeAt(*location, pathOf(*location)));
  return result;
}

} // namespace warpwright
