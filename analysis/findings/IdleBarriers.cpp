#include "analysis/findings/IdleBarriers.h"

#include "analysis/ConstantBlock.h"
#include "analysis/findings/MainLaunch.h"
#include "analysis/ir/KernelView.h"
#include "analysis/ir/MathCalls.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <map>

namespace warpwright {
namespace {

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

Place userPlace(const llvm::Instruction &instruction) {
  const llvm::DILocation *location = instruction.getDebugLoc().get();
  while (location && location->getInlinedAt() && isToolkitFile(location->getFilename()))
    location = location->getInlinedAt();
  if (!location)
    return {};
  return {location->getFilename().str(), location->getLine(), location->getColumn()};
}

/// Places where threads of one block meet: what the annotation and the threads' own slots say against it.
class Meetings {
public:
  explicit Meetings(const KernelAnalysis &analysis) : analysis_(analysis), block_(constantBlock(analysis)) {}

  bool ordersNothing(const Region &before, const Region &after, std::vector<std::string> &assumptions) const {
    if (!before.known || !after.known)
      return false;
    for (const llvm::Instruction *left : before.accesses)
      for (const llvm::Instruction *right : after.accesses)
        if (mayMeet(*left, *right) && !areDistinct(*left, *right, assumptions) &&
            !staysWithinThreads(*left, *right, assumptions))
          return false;
    return true;
  }

private:
  static bool mayMeet(const llvm::Instruction &left, const llvm::Instruction &right) {
    if (!left.mayWriteToMemory() && !right.mayWriteToMemory())
      return false;
    unsigned leftSpace = pointerOf(left)->getType()->getPointerAddressSpace();
    unsigned rightSpace = pointerOf(right)->getType()->getPointerAddressSpace();
    // What the host passes to a kernel never leads to shared memory.
    auto isGlobal = [](const llvm::Instruction &access, unsigned space) {
      return space == Global || llvm::isa<llvm::Argument>(llvm::getUnderlyingObject(pointerOf(access)));
    };
    const llvm::GlobalVariable *leftVariable = sharedVariable(left), *rightVariable = sharedVariable(right);
    bool leftShared = leftSpace == Shared || leftVariable,
         rightShared = rightSpace == Shared || rightVariable;
    if ((leftShared && isGlobal(right, rightSpace)) || (isGlobal(left, leftSpace) && rightShared))
      return false;
    return !leftVariable || !rightVariable || leftVariable == rightVariable;
  }

  /// The annotation keeps the buffers of two pointer parameters apart.
  bool areDistinct(const llvm::Instruction &left, const llvm::Instruction &right,
                   std::vector<std::string> &assumptions) const {
    auto parameter = [&](const llvm::Instruction &access) -> const ParameterFacts * {
      const auto *argument = llvm::dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(pointerOf(access)));
      return argument && argument->getArgNo() < analysis_.facts.parameters.size()
                 ? &analysis_.facts.parameters[argument->getArgNo()]
                 : nullptr;
    };
    const ParameterFacts *one = parameter(left), *other = parameter(right);
    if (!one || !other || one == other)
      return false;
    if (one->restricted || other->restricted)
      return true;
    if (!analysis_.annotation || !analysis_.annotation->areDistinct(one->name, other->name))
      return false;
    add(assumptions, "buffers '" + std::min(one->name, other->name) + "' and '" +
                         std::max(one->name, other->name) +
                         "' do not overlap: both are annotated with extents");
    return true;
  }

  static void add(std::vector<std::string> &assumptions, std::string assumption) {
    if (!llvm::is_contained(assumptions, assumption))
      assumptions.push_back(std::move(assumption));
  }

  /// What a thread may touch of an object before and after: bytes that depend on the thread alone, moved by
  /// the same for all. Nothing where more than the thread's place in the block decides.
  struct Slots {
    MemoryObject object;
    std::vector<int64_t> first; ///< one a thread
    Expression uniform;         ///< what all threads of the block add alike
    unsigned bytes = 0;
  };

  std::optional<Slots> slotsOf(const llvm::Instruction &access, std::vector<std::string> &assumptions) const {
    const MemoryAccess *fact = factOf(access);
    if (!fact || !block_ || !fact->object.known() || !fact->offset.known())
      return std::nullopt;
    Slots slots{fact->object.value(), {}, fact->offset.value(), fact->bytes};
    Expression own = slots.uniform;
    bool known = !own.mentions([](const Symbol &symbol) {
      bool place = symbol.kind == SymbolKind::ThreadIndex;
      bool fixed = symbol.kind == SymbolKind::Parameter || symbol.kind == SymbolKind::BlockIndex ||
                   symbol.kind == SymbolKind::BlockExtent || symbol.kind == SymbolKind::GridExtent;
      return !place && !fixed;
    });
    if (!known)
      return std::nullopt;
    const uint64_t extents[3] = {block_->x, block_->y, block_->z};
    std::vector<const Symbol *> axes;
    own.forEachSymbol([&](const Symbol *symbol) {
      if (symbol->kind == SymbolKind::ThreadIndex && !llvm::is_contained(axes, symbol))
        axes.push_back(symbol);
    });
    std::array<int64_t, 3> factors = {0, 0, 0};
    for (const Symbol *axis : axes) {
      std::optional<Expression> factor = own.coefficient(axis);
      if (factor)
        factor = withBlock(*factor, extents);
      if (!factor || !factor->asConstant())
        return std::nullopt;
      factors[axis->index] = *factor->asConstant();
      slots.uniform = slots.uniform.without(axis);
    }
    for (uint64_t thread = 0; thread < block_->count(); ++thread) {
      uint64_t x = thread % extents[0], y = thread / extents[0] % extents[1],
               z = thread / extents[0] / extents[1];
      slots.first.push_back(factors[0] * int64_t(x) + factors[1] * int64_t(y) + factors[2] * int64_t(z));
    }
    if (!fact->offset.proved())
      add(assumptions, "what the index of the access at line " + std::to_string(fact->place.place.line) +
                           " means: " + fact->offset.reason());
    return slots;
  }

  static Expression withBlock(Expression expression, const uint64_t (&extents)[3]) {
    std::vector<const Symbol *> symbols;
    expression.forEachSymbol([&](const Symbol *symbol) { symbols.push_back(symbol); });
    for (const Symbol *symbol : symbols)
      if (symbol->kind == SymbolKind::BlockExtent)
        expression = expression.substitute(symbol, Expression(int64_t(extents[symbol->index])));
    return expression;
  }

  /// Facts know an access by its place: all that share it must be alike.
  const MemoryAccess *factOf(const llvm::Instruction &access) const {
    const MemoryAccess *found = nullptr;
    Place place = userPlace(access);
    for (const MemoryAccess &fact : analysis_.facts.accesses) {
      bool writes = fact.kind != AccessKind::Read;
      if (!samePlace(fact.place.place, place) || writes != access.mayWriteToMemory())
        continue;
      if (found)
        return nullptr;
      found = &fact;
    }
    return found;
  }

  /// Each thread finds again only what it left there itself.
  bool staysWithinThreads(const llvm::Instruction &left, const llvm::Instruction &right,
                          std::vector<std::string> &assumptions) const {
    std::vector<std::string> reasons = assumptions;
    std::optional<Slots> before = slotsOf(left, reasons), after = slotsOf(right, reasons);
    if (!before || !after || !(before->object == after->object) || !(before->uniform == after->uniform))
      return false;
    std::map<int64_t, size_t> owner;
    for (size_t thread = 0; thread < before->first.size(); ++thread)
      for (int64_t byte = 0; byte < int64_t(before->bytes); ++byte) {
        auto [entry, isNew] = owner.try_emplace(before->first[thread] + byte, thread);
        if (!isNew)
          return false; // two threads share a slot
      }
    for (size_t thread = 0; thread < after->first.size(); ++thread)
      for (int64_t byte = 0; byte < int64_t(after->bytes); ++byte) {
        auto found = owner.find(after->first[thread] + byte);
        if (found != owner.end() && found->second != thread)
          return false;
      }
    assumptions = std::move(reasons);
    return true;
  }

  const KernelAnalysis &analysis_;
  std::optional<Dim3> block_;
};

/// Two neighbours may each be redundant while the other stands: of such a pair only one is named.
bool touches(const Region &region, llvm::ArrayRef<const llvm::Instruction *> reported) {
  return llvm::any_of(reported,
                      [&](const llvm::Instruction *other) { return region.barriers.contains(other); });
}

std::vector<Place> placesOf(const Region &region, const Place &own) {
  std::vector<Place> places;
  for (const llvm::Instruction *barrier : region.barriers)
    if (Place other = userPlace(*barrier); other.known() && !samePlace(other, own))
      places.push_back(std::move(other));
  llvm::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

} // namespace

std::vector<IdleBarrier> findIdleBarriers(const KernelAnalysis &analysis) {
  std::vector<const llvm::Instruction *> barriers;
  if (!analysis.kernel.function)
    return {};
  for (const llvm::Instruction &instruction : llvm::instructions(*analysis.kernel.function))
    if (isPlainBarrier(instruction))
      barriers.push_back(&instruction);
  Meetings meetings(analysis);
  std::vector<IdleBarrier> found;
  std::vector<const llvm::Instruction *> listed;
  for (const llvm::Instruction *barrier : barriers) {
    Place place = userPlace(*barrier);
    // Copies of one barrier, of an unrolled loop or an inlined function, would all have to go at once.
    bool once = place.known() && llvm::count_if(barriers, [&](const llvm::Instruction *other) {
                                   return userPlace(*other) == place;
                                 }) == 1;
    if (!once)
      continue;
    Region before = regionBefore(*barrier), after = regionAfter(*barrier);
    IdleBarrier idle;
    if (touches(before, listed) || touches(after, listed) ||
        !meetings.ordersNothing(before, after, idle.assumptions))
      continue;
    listed.push_back(barrier);
    idle.barrier = barrier;
    idle.accessesBefore = before.accesses.size();
    idle.accessesAfter = after.accesses.size();
    idle.neighboursBefore = placesOf(before, place);
    idle.neighboursAfter = placesOf(after, place);
    // Facts spell the file as other findings do.
    for (const Synchronisation &fact : analysis.facts.synchronisations)
      if (samePlace(fact.place.place, place))
        place = fact.place.place;
    idle.place = place;
    found.push_back(std::move(idle));
  }
  return found;
}

} // namespace warpwright
