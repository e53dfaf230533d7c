// A block barrier orders what threads did before it with what other threads do after it. Where no access
// before can meet one after, up to the neighbouring barriers on every way, it orders nothing. Everything that
// is not understood (unknown calls, inline PTX, fences, volatile and atomic accesses, asynchronous copies)
// counts as meeting all.

#include "analysis/findings/MainLaunch.h"
#include "analysis/ir/KernelView.h"
#include "analysis/ir/MathCalls.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace warpwright {
namespace {

constexpr const char *id = "redundant-barrier";

enum AddressSpace : unsigned {
  Generic = 0,
  Global = 1,
  Shared = 3,
  Constant = 4,
  Local = 5,
  Parameter = 101
};

bool isPlainBarrier(const llvm::Instruction &instruction) {
  const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || callee->getName() != "llvm.nvvm.barrier.cta.sync.aligned.all")
    return false;
  const auto *number = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(0));
  return number && number->isZero();
}

/// What an instruction may have to do with other threads of the block.
enum class Effect { None, Access, Unknown };

Effect effectOfCall(const llvm::CallBase &call) {
  if (call.isInlineAsm() || !call.getCalledFunction())
    return Effect::Unknown;
  llvm::StringRef name = call.getCalledFunction()->getName();
  if (!mathName(call).empty() || llvm::isa<llvm::DbgInfoIntrinsic, llvm::LifetimeIntrinsic>(call))
    return Effect::None;
  for (llvm::StringRef timing :
       {"clock", "timer", "nanosleep", "nvvm.bar", "fence", "membar", "cluster", "async"})
    if (name.contains(timing))
      return Effect::Unknown;
  bool innocent = call.doesNotAccessMemory() || call.onlyAccessesInaccessibleMemory();
  return llvm::isa<llvm::IntrinsicInst>(call) && innocent ? Effect::None : Effect::Unknown;
}

const llvm::Value *pointerOf(const llvm::Instruction &access) {
  return llvm::getLoadStorePointerOperand(&access);
}

/// Memory of one thread, or that no kernel writes.
bool isPrivate(const llvm::Value *pointer) {
  unsigned space = pointer->getType()->getPointerAddressSpace();
  if (space == Local || space == Constant || space == Parameter)
    return true;
  const llvm::Value *object = llvm::getUnderlyingObject(pointer);
  const auto *argument = llvm::dyn_cast<llvm::Argument>(object);
  return llvm::isa<llvm::AllocaInst>(object) || (argument && argument->hasByValAttr());
}

Effect effectOf(const llvm::Instruction &instruction) {
  if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
    return effectOfCall(*call);
  if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return !load->isSimple()                      ? Effect::Unknown
           : isPrivate(load->getPointerOperand()) ? Effect::None
                                                  : Effect::Access;
  if (const auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return !store->isSimple()                      ? Effect::Unknown
           : isPrivate(store->getPointerOperand()) ? Effect::None
                                                   : Effect::Access;
  return instruction.mayReadOrWriteMemory() ? Effect::Unknown : Effect::None;
}

/// What runs between a barrier and its neighbours on one side.
struct Region {
  std::vector<const llvm::Instruction *> accesses;
  llvm::SmallPtrSet<const llvm::Instruction *, 4> barriers;
  bool known = true;

  /// False at a barrier, where the region ends.
  bool add(const llvm::Instruction &instruction) {
    if (isPlainBarrier(instruction)) {
      barriers.insert(&instruction);
      return false;
    }
    Effect effect = effectOf(instruction);
    known &= effect != Effect::Unknown;
    if (effect == Effect::Access)
      accesses.push_back(&instruction);
    return true;
  }
};

template <typename Range> bool addAll(Region &region, const Range &instructions) {
  for (const llvm::Instruction &instruction : instructions)
    if (!region.add(instruction))
      return false;
  return true;
}

Region regionBefore(const llvm::Instruction &barrier) {
  Region region;
  llvm::SmallVector<const llvm::BasicBlock *> work;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> seen;
  auto reverse = [](auto from, auto to) { return llvm::make_range(from, to); };
  const llvm::BasicBlock *own = barrier.getParent();
  if (addAll(region, reverse(std::next(barrier.getReverseIterator()), own->rend())))
    llvm::append_range(work, llvm::predecessors(own));
  while (!work.empty()) {
    const llvm::BasicBlock *block = work.pop_back_val();
    if (seen.insert(block).second && addAll(region, reverse(block->rbegin(), block->rend())))
      llvm::append_range(work, llvm::predecessors(block));
  }
  return region;
}

Region regionAfter(const llvm::Instruction &barrier) {
  Region region;
  llvm::SmallVector<const llvm::BasicBlock *> work;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> seen;
  const llvm::BasicBlock *own = barrier.getParent();
  if (addAll(region, llvm::make_range(std::next(barrier.getIterator()), own->end())))
    llvm::append_range(work, llvm::successors(own));
  while (!work.empty()) {
    const llvm::BasicBlock *block = work.pop_back_val();
    if (seen.insert(block).second && addAll(region, *block))
      llvm::append_range(work, llvm::successors(block));
  }
  return region;
}

/// The shared variable that an access lies in for certain. Arrays of dynamic size all begin at one address.
const llvm::GlobalVariable *sharedVariable(const llvm::Instruction &access) {
  const auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(llvm::getUnderlyingObject(pointerOf(access)));
  return variable && variable->getAddressSpace() == Shared && !variable->isDeclaration() ? variable : nullptr;
}

bool mayMeet(const llvm::Instruction &left, const llvm::Instruction &right) {
  if (!left.mayWriteToMemory() && !right.mayWriteToMemory())
    return false;
  unsigned leftSpace = pointerOf(left)->getType()->getPointerAddressSpace();
  unsigned rightSpace = pointerOf(right)->getType()->getPointerAddressSpace();
  bool apart = (leftSpace == Shared && rightSpace == Global) || (leftSpace == Global && rightSpace == Shared);
  if (apart)
    return false;
  const llvm::GlobalVariable *leftVariable = sharedVariable(left), *rightVariable = sharedVariable(right);
  return !leftVariable || !rightVariable || leftVariable == rightVariable;
}

bool ordersNothing(const Region &before, const Region &after) {
  if (!before.known || !after.known)
    return false;
  for (const llvm::Instruction *left : before.accesses)
    for (const llvm::Instruction *right : after.accesses)
      if (mayMeet(*left, *right))
        return false;
  return true;
}

Place userPlace(const llvm::Instruction &instruction) {
  const llvm::DILocation *location = instruction.getDebugLoc().get();
  while (location && location->getInlinedAt() && isToolkitFile(location->getFilename()))
    location = location->getInlinedAt();
  if (!location)
    return {};
  return {location->getFilename().str(), location->getLine(), location->getColumn()};
}

/// Two neighbours may each be redundant while the other stands: of such a pair only one is named.
bool touches(const Region &region, llvm::ArrayRef<const llvm::Instruction *> reported) {
  return llvm::any_of(reported,
                      [&](const llvm::Instruction *other) { return region.barriers.contains(other); });
}

Finding describe(const Place &place, const Region &before, const Region &after) {
  Finding finding = findingAt(id, place,
                              "no access before this barrier can meet one of another thread after it, up to "
                              "the neighbouring barriers: it orders nothing");
  finding.evidence = {{"accesses before", double(before.accesses.size())},
                      {"accesses after", double(after.accesses.size())}};
  finding.confidence = 0.8;
  finding.advice = "leave it out; of several barriers that follow each other, one is enough";
  for (const Region *region : {&before, &after})
    for (const llvm::Instruction *barrier : region->barriers)
      if (Place other = userPlace(*barrier); other.known() && !samePlace(other, place))
        finding.notes.push_back(
            {other, region == &before ? "the barrier before it" : "the barrier after it"});
  llvm::sort(finding.notes);
  finding.notes.erase(std::unique(finding.notes.begin(), finding.notes.end()), finding.notes.end());
  return finding;
}

} // namespace

std::vector<Finding> findRedundantBarriers(const KernelAnalysis &analysis) {
  std::vector<const llvm::Instruction *> barriers;
  if (!analysis.kernel.function)
    return {};
  for (const llvm::Instruction &instruction : llvm::instructions(*analysis.kernel.function))
    if (isPlainBarrier(instruction))
      barriers.push_back(&instruction);
  std::vector<Finding> findings;
  std::vector<const llvm::Instruction *> reported;
  for (const llvm::Instruction *barrier : barriers) {
    Place place = userPlace(*barrier);
    // Copies of one barrier, of an unrolled loop or an inlined function, would all have to go at once.
    bool once = place.known() && llvm::count_if(barriers, [&](const llvm::Instruction *other) {
                                   return userPlace(*other) == place;
                                 }) == 1;
    if (!once)
      continue;
    Region before = regionBefore(*barrier), after = regionAfter(*barrier);
    if (!ordersNothing(before, after) || touches(before, reported) || touches(after, reported))
      continue;
    reported.push_back(barrier);
    // Facts spell the file as other findings do.
    for (const Synchronisation &fact : analysis.facts.synchronisations)
      if (samePlace(fact.place.place, place))
        place = fact.place.place;
    findings.push_back(describe(place, before, after));
  }
  return findings;
}

} // namespace warpwright
