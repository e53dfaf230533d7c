#include "analysis/simt/Warp.h"

#include <llvm/ADT/SmallVector.h>

namespace warpwright::simt {

Warp::Warp(WarpContext &context, std::array<uint64_t, 3> blockIndex, unsigned warpIndex,
           llvm::ArrayRef<Slot> parameters)
    : context_(context), blockIndex_(blockIndex), warpIndex_(warpIndex) {
  uint64_t threads = context.block[0] * context.block[1] * context.block[2];
  uint64_t first = uint64_t(warpIndex) * warpSize;
  LaneMask mask = threads - first >= warpSize ? allLanes : (LaneMask(1) << (threads - first)) - 1;
  enter(*context.program.kernel, mask, false, 0);
  std::copy(parameters.begin(), parameters.end(), registers_.begin());
}

Warp::State Warp::run() {
  while (!frames_.empty()) {
    if (context_.tally.steps >= context_.stepLimit) {
      context_.doubts.outOfSteps = true;
      frames_.clear();
      break;
    }
    if (runPath() == Next::Barrier)
      return State::AtBarrier;
  }
  return State::Done;
}

void Warp::enter(const FunctionCode &code, LaneMask mask, bool onData, Operand result) {
  uint32_t base = frames_.empty() ? 0 : frames_.back().base + frames_.back().code->slots;
  if (registers_.size() < base + code.slots)
    registers_.resize(base + code.slots);
  frames_.push_back({&code, base, code.blocks.front().first, {{0, -1, mask, onData}}, result, local_.top()});
}

/// Runs instructions of the innermost frame's last path until control moves.
Warp::Next Warp::runPath() {
  Frame &frame = frames_.back();
  if (frame.paths.empty()) {
    local_.release(frame.localTop);
    frames_.pop_back();
    return Next::Frame;
  }
  const Path &path = frame.paths.back();
  if (path.mask == 0 || path.block == path.join) {
    frame.paths.pop_back();
    if (!frame.paths.empty() && frame.paths.back().block >= 0)
      goTo(frame, frame.paths.back().block);
    return Next::Frame;
  }
  code_ = frame.code;
  base_ = frame.base;
  mask_ = path.mask;
  onData_ = path.onData;
  for (;;) {
    const Instruction &instruction = code_->instructions[frame.pc++];
    count(instruction);
    Next next = step(frame, instruction);
    if (next != Next::Instruction)
      return next;
  }
}

void Warp::count(const Instruction &instruction) {
  ++context_.tally.steps;
  if (instruction.kind == InstructionClass::None)
    return;
  unsigned kind = static_cast<unsigned>(instruction.kind);
  bool perScalar = instruction.kind < InstructionClass::Control;
  uint64_t times = perScalar && instruction.count ? instruction.count : 1;
  context_.tally.instructions.warp[kind] += times;
  context_.tally.instructions.thread[kind] += times * std::popcount(mask_);
}

Warp::Next Warp::step(Frame &frame, const Instruction &instruction) {
  switch (instruction.op) {
  case Op::Branch:
  case Op::ConditionalBranch:
    branch(frame, instruction);
    return Next::Frame;
  case Op::Switch:
    switchTo(frame, instruction);
    return Next::Frame;
  case Op::Return:
    returnFrom(frame, instruction);
    return Next::Frame;
  case Op::Exit:
    endLanes(frame, mask_, true);
    return Next::Frame;
  case Op::Call:
    call(frame, instruction);
    return Next::Frame;
  case Op::Barrier:
    if (context_.watcher)
      context_.watcher->atBarrier(warpIndex_, instruction, mask_, liveLanes(), onData_);
    return Next::Barrier;
  default:
    compute(instruction);
    return Next::Instruction;
  }
}

/// Those that have not ended: every lane is on some path of the outermost frame until then. One that waits
/// where there is nothing left but the return has ended.
LaneMask Warp::liveLanes() const {
  const Frame &frame = frames_.front();
  LaneMask live = 0;
  for (const Path &path : frame.paths) {
    const Block *block = path.block >= 0 ? &frame.code->blocks[path.block] : nullptr;
    bool ends =
        !block || (block->first == block->last && frame.code->instructions[block->last].op == Op::Return);
    if (!ends || &path == &frame.paths.back())
      live |= path.mask;
  }
  return live;
}

void Warp::goTo(Frame &frame, int32_t block) {
  frame.pc = frame.code->blocks[block].first;
}

/// Hands the values of an edge to the phi nodes at its end. Which edge was taken is part of what they depend
/// on.
void Warp::take(Frame &frame, const Edge &edge, LaneMask mask, bool onData) {
  auto assign = [&](Operand dest, const Slot &source) {
    Slot &slot = write(dest);
    LaneMask taint = onData ? allLanes : source.taint;
    forEachLane(mask, [&](unsigned lane) { slot.lane[lane] = source.lane[lane]; });
    setTaint(slot, mask, taint);
  };
  const EdgeCopy *copies = frame.code->copies.data() + edge.firstCopy;
  if (!edge.overlapping) {
    for (uint32_t i = 0; i < edge.copies; ++i)
      assign(copies[i].dest, read(copies[i].source));
    return;
  }
  llvm::SmallVector<Slot, 8> values;
  for (uint32_t i = 0; i < edge.copies; ++i)
    values.push_back(read(copies[i].source));
  for (uint32_t i = 0; i < edge.copies; ++i)
    assign(copies[i].dest, values[i]);
}

void Warp::branch(Frame &frame, const Instruction &instruction) {
  const Edge *edges = frame.code->edges.data() + instruction.extra;
  if (instruction.op == Op::Branch)
    return followAlone(frame, edges[0]);
  const Slot &condition = read(operandOf(instruction, 0));
  LaneMask taken = 0;
  forEachLane(mask_, [&](unsigned lane) { taken |= LaneMask(condition.lane[lane] & 1) << lane; });
  bool onData = (condition.taint & mask_) != 0;
  countBranch(instruction, taken, onData || onData_);
  if (onData && context_.doubts.dataBranches.insert(&instruction).second) {
    int32_t join = frame.code->blocks[frame.paths.back().block].join;
    doubtRegion(*frame.code, edges[0].target, join);
    doubtRegion(*frame.code, edges[1].target, join);
  }
  if (taken == mask_ || taken == 0) {
    const Edge &way = edges[taken == 0];
    issuePredicatedOff(*frame.code, frame.code->blocks[edges[taken != 0].target]);
    if (!onData)
      return followAlone(frame, way);
    forgetLoops();
    return split(frame, {{&way, mask_}}, onData);
  }
  forgetLoops();
  split(frame, {{&edges[0], taken}, {&edges[1], mask_ & ~taken}}, onData);
}

/// All lanes take `edge`, and no data says so: a way round a loop may stand for others.
void Warp::followAlone(Frame &frame, const Edge &edge) {
  if (context_.watcher)
    return split(frame, {{&edge, mask_}}, false);
  int32_t block = frame.paths.back().block;
  bool again = edge.target == block;
  loopJump_.observe(block, &registers_[base_], context_.program.constants);
  split(frame, {{&edge, mask_}}, false);
  bool jumped = loopJump_.follow(
      edge, {*frame.code, &registers_[base_], context_.program.constants, mask_, context_.alone},
      context_.tally);
  if (!again || jumped)
    return loopSkip_.forget();
  context_.doubts.skippedIterations += loopSkip_.goAround(*frame.code, edge.target, mask_, &registers_[base_],
                                                          context_.program.constants, context_.tally);
}

void Warp::forgetLoops() {
  loopJump_.forget();
  loopSkip_.forget();
}

void Warp::countBranch(const Instruction &instruction, LaneMask taken, bool onData) {
  BranchTally &tally = context_.tally.branches[instruction.dest];
  LaneMask notTaken = mask_ & ~taken;
  ++tally.executions;
  tally.diverged += taken != 0 && notTaken != 0;
  tally.onData += onData;
  tally.lanes += std::popcount(mask_);
  tally.takenWarps += taken != 0;
  tally.takenLanes += std::popcount(taken);
  tally.notTakenWarps += notTaken != 0;
  tally.notTakenLanes += std::popcount(notTaken);
}

void Warp::switchTo(Frame &frame, const Instruction &instruction) {
  const SwitchForm &form = frame.code->switches[instruction.extra];
  const Slot &value = read(operandOf(instruction, 0));
  llvm::SmallVector<LaneMask, 8> masks(form.values.size() + 1, 0);
  forEachLane(mask_, [&](unsigned lane) {
    size_t way = 0;
    for (size_t i = 0; i < form.values.size() && !way; ++i)
      way = form.values[i] == value.lane[lane] ? i + 1 : 0;
    masks[way] |= LaneMask(1) << lane;
  });
  bool onData = (value.taint & mask_) != 0;
  const Edge *edges = frame.code->edges.data() + form.firstEdge;
  if (onData && context_.doubts.dataBranches.insert(&instruction).second)
    for (size_t i = 0; i < masks.size(); ++i)
      doubtRegion(*frame.code, edges[i].target, frame.code->blocks[frame.paths.back().block].join);
  llvm::SmallVector<std::pair<const Edge *, LaneMask>, 8> ways;
  for (size_t i = 0; i < masks.size(); ++i)
    if (masks[i])
      ways.push_back({&edges[i], masks[i]});
  split(frame, ways, onData);
}

/// Sends the lanes of the last path their ways. They meet at the branch's post-dominator; a path that would
/// only wait there for a wider path that waits at the same place is dropped, so that a loop does not pile
/// paths up.
void Warp::split(Frame &frame, llvm::ArrayRef<std::pair<const Edge *, LaneMask>> ways, bool onData) {
  Path &path = frame.paths.back();
  bool doubted = onData || path.onData;
  for (const auto &[edge, mask] : ways)
    take(frame, *edge, mask, doubted);
  if (ways.size() == 1 && doubted == path.onData) {
    path.block = ways.front().first->target;
    return goTo(frame, path.block);
  }
  int32_t join = frame.code->blocks[path.block].join;
  if (join != path.join)
    path.block = join;
  else
    frame.paths.pop_back();
  for (size_t i = ways.size(); i-- > 0;)
    if (ways[i].first->target != join)
      frame.paths.push_back({ways[i].first->target, join, ways[i].second, doubted});
  if (!frame.paths.empty() && frame.paths.back().block >= 0)
    goTo(frame, frame.paths.back().block);
}

/// Lanes of the mask leave the function, or the kernel.
void Warp::endLanes(Frame &frame, LaneMask mask, bool wholeThread) {
  for (Path &path : frame.paths)
    path.mask &= ~mask;
  if (!wholeThread)
    return;
  for (Frame &outer : frames_)
    for (Path &path : outer.paths)
      path.mask &= ~mask;
}

void Warp::call(Frame &frame, const Instruction &instruction) {
  forgetLoops();
  const FunctionCode &callee = *frame.code->callees[instruction.extra];
  llvm::SmallVector<Slot, 8> arguments;
  for (unsigned i = 0; i < instruction.operandCount; ++i)
    arguments.push_back(read(operandOf(instruction, i)));
  // Device recursion this deep overflows the device's stack as well.
  constexpr size_t deepest = 256;
  if (frames_.size() >= deepest || base_ + frame.code->slots + callee.slots > context_.registerLimit) {
    context_.doubts.outOfSteps = true;
    return endLanes(frame, mask_, true);
  }
  Operand result = static_cast<Operand>(base_) + instruction.dest;
  enter(callee, mask_, onData_, result);
  uint32_t base = frames_.back().base;
  for (size_t i = 0; i < arguments.size() && i < callee.parameterSlots; ++i)
    registers_[base + i] = arguments[i];
}

void Warp::returnFrom(Frame &frame, const Instruction &instruction) {
  forgetLoops();
  bool hasCaller = frames_.size() > 1;
  for (unsigned i = 0; hasCaller && i < instruction.operandCount; ++i) {
    const Slot &value = read(operandOf(instruction, i));
    Slot &slot = registers_[frame.result + i];
    forEachLane(mask_, [&](unsigned lane) { slot.lane[lane] = value.lane[lane]; });
    setTaint(slot, mask_, onData_ ? allLanes : value.taint);
  }
  endLanes(frame, mask_, false);
}

/// Shared-memory instructions of a block that runs under a predicate are issued, and counted by the hardware,
/// even where every lane is off. They make no request.
void Warp::issuePredicatedOff(const FunctionCode &code, const Block &block) {
  if (!block.predicated)
    return;
  for (uint32_t i = block.first; i < block.last; ++i) {
    const Instruction &instruction = code.instructions[i];
    if (instruction.op != Op::Load && instruction.op != Op::Store)
      continue;
    const MemoryForm &memory = code.memory[instruction.extra];
    if (memory.addressSpace != SharedSpace)
      continue;
    for (size_t piece = 0; piece < memory.pieces.size(); ++piece)
      context_.tally.sites[memory.site + piece * accessSpaces + static_cast<size_t>(AccessSpace::Shared)]
          .instructions += 1;
  }
}

void Warp::doubtSites(const FunctionCode &code, const Block &block) {
  for (uint32_t i = block.first; i <= block.last; ++i) {
    const Instruction &instruction = code.instructions[i];
    bool twoForms = instruction.op == Op::CopyMemory;
    bool isMemory = twoForms || instruction.op == Op::Load || instruction.op == Op::Store ||
                    instruction.op == Op::AtomicRmw || instruction.op == Op::CompareExchange ||
                    instruction.op == Op::SetMemory;
    for (int32_t form = 0; isMemory && form < 1 + twoForms; ++form) {
      const MemoryForm &memory = code.memory[instruction.extra + form];
      unsigned sites = memory.pieces.size() * accessSpaces;
      context_.doubts.dataSites.set(memory.site, memory.site + sites);
    }
  }
}

/// Every access between a branch on data and its join may or may not run: also those that zero-filled buffers
/// skip.
void Warp::doubtRegion(const FunctionCode &code, int32_t from, int32_t join) {
  llvm::SmallVector<int32_t, 16> work = {from};
  llvm::BitVector seen(code.blocks.size());
  while (!work.empty()) {
    int32_t number = work.pop_back_val();
    if (number == join || seen.test(number))
      continue;
    seen.set(number);
    const Block &block = code.blocks[number];
    doubtSites(code, block);
    const Instruction &last = code.instructions[block.last];
    if (last.op == Op::Switch) {
      const SwitchForm &form = code.switches[last.extra];
      for (size_t i = 0; i <= form.values.size(); ++i)
        work.push_back(code.edges[form.firstEdge + i].target);
    } else if (last.op == Op::Branch || last.op == Op::ConditionalBranch) {
      for (int i = 0; i <= (last.op == Op::ConditionalBranch); ++i)
        work.push_back(code.edges[last.extra + i].target);
    }
  }
}

void runBlock(WarpContext &context, std::array<uint64_t, 3> blockIndex, uint64_t count,
              llvm::ArrayRef<Slot> parameters) {
  context.memory.startBlock();
  std::vector<Warp> warps;
  warps.reserve(count);
  for (uint64_t i = 0; i < count; ++i)
    warps.emplace_back(context, blockIndex, static_cast<unsigned>(i), parameters);
  for (bool waiting = true; waiting;) {
    waiting = false;
    for (Warp &warp : warps)
      waiting |= warp.run() == Warp::State::AtBarrier;
    if (waiting && context.watcher)
      context.watcher->startInterval();
  }
}

} // namespace warpwright::simt
