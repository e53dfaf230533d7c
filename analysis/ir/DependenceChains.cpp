#include "analysis/ir/DependenceChains.h"

#include "analysis/ir/MathCalls.h"

namespace warpwright {
namespace {

std::string loadName(const llvm::LoadInst &load) {
  switch (load.getPointerAddressSpace()) {
  case 1:
    return "load.global";
  case 3:
    return "load.shared";
  case 4:
    return "load.constant";
  case 5:
    return "load.local";
  default:
    return "load";
  }
}

/// What tells an operation from the one on float or int of the same name.
std::string widthOf(const llvm::Instruction &instruction) {
  const llvm::Type *type = instruction.getType()->getScalarType();
  if (type->isDoubleTy())
    return ".f64";
  return type->isIntegerTy(64) ? ".i64" : "";
}

/// The longest way round the loop in operations, from the carried value to its next version. Values that are
/// carried in each other's place (`t = x; x = y; y = t + x`) make circles of their own; no circle is followed
/// twice.
class LongestWay {
public:
  LongestWay(const llvm::PHINode &phi, const CycleMembers &members) : phi_(phi), members_(members) {}

  std::vector<std::string> operations(const llvm::Instruction *last) {
    std::vector<std::string> names;
    for (const llvm::Instruction *step = last; step && step != &phi_; step = before_.lookup(step))
      if (std::string name = operationName(*step); !name.empty())
        names.push_back(std::move(name));
    std::reverse(names.begin(), names.end());
    return names;
  }

  unsigned lengthTo(const llvm::Instruction *member) {
    if (member == &phi_)
      return 0;
    auto [entry, isNew] = length_.try_emplace(member, 0);
    if (!isNew)
      return entry->second;
    open_.insert(member);
    unsigned longest = 0;
    const llvm::Instruction *best = nullptr;
    for (const llvm::Use &operand : member->operands())
      if (const auto *before = llvm::dyn_cast<llvm::Instruction>(operand);
          before && members_.contains(before) && !open_.contains(before)) {
        unsigned length = lengthTo(before);
        if (!best || length > longest) {
          longest = length;
          best = before;
        }
      }
    open_.erase(member);
    before_[member] = best;
    return length_[member] = longest + !operationName(*member).empty();
  }

private:
  /// What runs for this instruction; empty for merges, casts and address arithmetic, which take next to no
  /// time.
  static std::string operationName(const llvm::Instruction &instruction) {
    if (llvm::isa<llvm::PHINode, llvm::CastInst, llvm::GetElementPtrInst, llvm::FreezeInst, llvm::SelectInst,
                  llvm::CmpInst, llvm::ExtractValueInst>(instruction))
      return {};
    if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
      if (call->isInlineAsm())
        return "asm";
      std::string math = mathName(*call);
      if (!math.empty())
        return math + widthOf(instruction);
      llvm::StringRef name = call->getCalledFunction() ? call->getCalledFunction()->getName() : "call";
      name.consume_front("llvm.");
      return name.split(".sync").first.str();
    }
    if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
      return loadName(*load);
    return instruction.getOpcodeName() + widthOf(instruction);
  }

  const llvm::PHINode &phi_;
  const CycleMembers &members_;
  llvm::DenseSet<const llvm::Instruction *> open_; ///< on the way that is being followed
  llvm::DenseMap<const llvm::Instruction *, unsigned> length_;
  llvm::DenseMap<const llvm::Instruction *, const llvm::Instruction *> before_;
};

} // namespace

std::optional<DependenceChain> chainThrough(const KernelView &view, const llvm::PHINode &phi,
                                            const llvm::Loop &loop, const CycleMembers &members) {
  const llvm::BasicBlock *latch = loop.getLoopLatch();
  const auto *last = latch ? llvm::dyn_cast<llvm::Instruction>(phi.getIncomingValueForBlock(latch)) : nullptr;
  if (!last || !members.contains(last))
    return std::nullopt;
  LongestWay way(phi, members);
  if (way.lengthTo(last) == 0)
    return std::nullopt;
  DependenceChain fact;
  fact.loop = view.idOf(&loop);
  fact.place = view.placeOf(*last);
  fact.operations = way.operations(last);
  fact.throughMemory =
      llvm::any_of(members, [](const auto *member) { return llvm::isa<llvm::LoadInst>(member); });
  return fact;
}

} // namespace warpwright
