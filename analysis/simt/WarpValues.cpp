#include "analysis/simt/Arithmetic.h"
#include "analysis/simt/Decode.h"
#include "analysis/simt/Math.h"
#include "analysis/simt/Warp.h"

#include <llvm/ADT/SmallVector.h>

namespace warpwright::simt {

void Warp::compute(const Instruction &instruction) {
  switch (instruction.op) {
  case Op::Copy:
    return copy(instruction);
  case Op::Repack:
    return repack(instruction);
  case Op::Select:
    return select(instruction);
  case Op::Gep:
    return address(instruction);
  case Op::ExtractDynamic:
    return extractElement(instruction);
  case Op::InsertDynamic:
    return insertElement(instruction);
  case Op::Alloca:
    return allocate(instruction);
  case Op::Load:
  case Op::Store:
  case Op::AtomicRmw:
  case Op::CompareExchange:
    return accessMemory(instruction);
  case Op::CopyMemory:
  case Op::SetMemory:
    return moveBlock(instruction);
  case Op::Math:
    return math(instruction);
  case Op::SpecialRegister:
    return readSpecialRegister(instruction);
  case Op::LaneExchange:
    return exchange(instruction);
  case Op::Opaque:
    return opaque(instruction);
  case Op::Nothing:
    return;
  default:
    return computeElements(instruction);
  }
}

void Warp::computeElements(const Instruction &instruction) {
  bool wideFrom = instruction.fromBits > 64 && instruction.op != Op::SpaceCast;
  bool wideTo = instruction.bits > 64;
  bool isCompare = instruction.op == Op::ICmp || instruction.op == Op::FCmp;
  bool isBinary = instruction.op < Op::FNeg;
  for (unsigned i = 0; i < instruction.count; ++i) {
    Slot &dest = write(slotAt(instruction.dest, i * (wideTo ? 2 : 1)));
    const Slot &left = read(slotAt(operandOf(instruction, 0), i * (wideFrom ? 2 : 1)));
    if (!isCompare && !isBinary) {
      if (context_.watcher && !onData_ && (instruction.op == Op::ZExt || instruction.op == Op::UiToFp))
        context_.watcher->atWidening(warpIndex_, instruction, left, mask_);
      if (wideFrom || wideTo)
        executeWideConversion(instruction, &left, &dest, mask_);
      else
        executeConversion(instruction, left, dest, mask_);
      continue;
    }
    const Slot &right = read(slotAt(operandOf(instruction, 1), i * (wideFrom ? 2 : 1)));
    bool mayOverflow = instruction.op == Op::Add || instruction.op == Op::Sub || instruction.op == Op::Mul ||
                       instruction.op == Op::Shl;
    if (context_.watcher && !onData_ && mayOverflow)
      context_.watcher->atArithmetic(warpIndex_, instruction, left, right, mask_);
    if (isCompare && wideFrom)
      executeWideCompare(instruction, &left, &right, dest, mask_);
    else if (isCompare)
      executeCompare(instruction, left, right, dest, mask_);
    else if (wideTo)
      executeWideBinary(instruction, &left, &right, &dest, mask_);
    else
      executeBinary(instruction, left, right, dest, mask_);
  }
}

void Warp::copy(const Instruction &instruction) {
  for (unsigned i = 0; i < instruction.count; ++i) {
    const Slot &from = read(operandOf(instruction, i));
    Slot &dest = write(slotAt(instruction.dest, i));
    forEachLane(mask_, [&](unsigned lane) { dest.lane[lane] = from.lane[lane]; });
    setTaint(dest, mask_, from.taint);
  }
}

/// Cuts the bits of a value anew. Every new scalar is unknown where any old one is.
void Warp::repack(const Instruction &instruction) {
  const RepackForm &form = code_->repacks[instruction.extra];
  Operand from = operandOf(instruction, 0);
  LaneMask taint = 0;
  llvm::SmallVector<Slot, 4> results;
  unsigned slots = 0;
  for (uint16_t bits : form.to)
    slots += bits > 64 ? 2 : 1;
  results.resize(slots);
  forEachLane(mask_, [&](unsigned lane) {
    llvm::SmallVector<uint8_t, 64> bytes; // one a bit: rare, and never hot
    unsigned slot = 0;
    for (uint16_t bits : form.from)
      for (unsigned done = 0; done < bits; done += 64) {
        const Slot &source = read(slotAt(from, slot++));
        taint |= source.taint;
        for (unsigned bit = 0; bit < std::min(64u, bits - done); ++bit)
          bytes.push_back(source.lane[lane] >> bit & 1);
      }
    slot = 0;
    size_t next = 0;
    for (uint16_t bits : form.to)
      for (unsigned done = 0; done < bits; done += 64) {
        uint64_t value = 0;
        for (unsigned bit = 0; bit < std::min(64u, bits - done) && next < bytes.size(); ++bit)
          value |= uint64_t(bytes[next++]) << bit;
        results[slot++].lane[lane] = value;
      }
  });
  for (unsigned i = 0; i < slots; ++i) {
    Slot &dest = write(slotAt(instruction.dest, i));
    forEachLane(mask_, [&](unsigned lane) { dest.lane[lane] = results[i].lane[lane]; });
    setTaint(dest, mask_, taint);
  }
}

void Warp::address(const Instruction &instruction) {
  const AddressForm &form = code_->addresses[instruction.extra];
  const Slot &base = read(operandOf(instruction, 0));
  Slot &dest = write(instruction.dest);
  LaneMask taint = base.taint;
  uint64_t offset = static_cast<uint64_t>(form.offset);
  forEachLane(mask_, [&](unsigned lane) { dest.lane[lane] = base.lane[lane] + offset; });
  for (const AddressForm::Term &term : form.terms) {
    const Slot &index = read(term.index);
    taint |= index.taint;
    unsigned unused = 64 - term.bits;
    forEachLane(mask_, [&](unsigned lane) {
      int64_t value = static_cast<int64_t>(index.lane[lane] << unused) >> unused;
      dest.lane[lane] += static_cast<uint64_t>(value) * static_cast<uint64_t>(term.scale);
    });
  }
  setTaint(dest, mask_, taint);
}

void Warp::select(const Instruction &instruction) {
  for (unsigned i = 0; i < instruction.count; ++i) {
    const Slot &condition = read(slotAt(operandOf(instruction, 0), instruction.detail ? i : 0));
    const Slot &yes = read(slotAt(operandOf(instruction, 1), i));
    const Slot &no = read(slotAt(operandOf(instruction, 2), i));
    Slot &dest = write(slotAt(instruction.dest, i));
    LaneMask chosen = 0;
    forEachLane(mask_, [&](unsigned lane) {
      bool first = condition.lane[lane] & 1;
      chosen |= LaneMask(first) << lane;
      dest.lane[lane] = first ? yes.lane[lane] : no.lane[lane];
    });
    setTaint(dest, mask_, condition.taint | (chosen & yes.taint) | (~chosen & no.taint));
  }
}

void Warp::extractElement(const Instruction &instruction) {
  unsigned slotsEach = instruction.bits > 64 ? 2 : 1;
  const Slot &index = read(operandOf(instruction, 1));
  for (unsigned word = 0; word < slotsEach; ++word) {
    Slot &dest = write(slotAt(instruction.dest, word));
    LaneMask taint = index.taint;
    forEachLane(mask_, [&](unsigned lane) {
      bool inside = index.lane[lane] < instruction.count;
      const Slot &from =
          read(slotAt(operandOf(instruction, 0),
                      static_cast<unsigned>(inside ? index.lane[lane] : 0) * slotsEach + word));
      dest.lane[lane] = from.lane[lane];
      taint |= (inside ? from.taint : allLanes) & (LaneMask(1) << lane);
    });
    setTaint(dest, mask_, taint);
  }
}

void Warp::insertElement(const Instruction &instruction) {
  unsigned slotsEach = instruction.bits > 64 ? 2 : 1;
  const Slot &index = read(operandOf(instruction, 2));
  for (unsigned i = 0; i < unsigned(instruction.count) * slotsEach; ++i) {
    const Slot &old = read(slotAt(operandOf(instruction, 0), i));
    const Slot &inserted = read(slotAt(operandOf(instruction, 1), i % slotsEach));
    Slot &dest = write(slotAt(instruction.dest, i));
    LaneMask here = 0;
    forEachLane(mask_, [&](unsigned lane) {
      bool replaced = index.lane[lane] == i / slotsEach;
      here |= LaneMask(replaced) << lane;
      dest.lane[lane] = replaced ? inserted.lane[lane] : old.lane[lane];
    });
    setTaint(dest, mask_, index.taint | (here & inserted.taint) | (~here & old.taint));
  }
}

void Warp::math(const Instruction &instruction) {
  bool overflows = instruction.source->getType()->isStructTy();
  unsigned elements = overflows ? 1 : instruction.count;
  for (unsigned i = 0; i < elements; ++i) {
    llvm::SmallVector<const Slot *, 3> slots;
    LaneMask taint = 0;
    for (unsigned k = 0; k < instruction.operandCount; ++k) {
      bool isVector = instruction.extra >> k & 1;
      slots.push_back(&read(slotAt(operandOf(instruction, k), isVector ? i : 0)));
      taint |= slots.back()->taint;
    }
    Slot &dest = write(slotAt(instruction.dest, i));
    Slot *flag = overflows ? &write(slotAt(instruction.dest, 1)) : nullptr;
    // Lanes mostly agree where data decides, and the host's functions are slow: equal operands are evaluated
    // once.
    std::array<uint64_t, 3> values{};
    bool fresh = true;
    uint64_t result = 0;
    bool overflow = false;
    forEachLane(mask_, [&](unsigned lane) {
      for (size_t k = 0; k < slots.size(); ++k) {
        fresh |= values[k] != slots[k]->lane[lane];
        values[k] = slots[k]->lane[lane];
      }
      if (fresh) {
        llvm::ArrayRef<uint64_t> operands(values.data(), slots.size());
        result = evaluateMath(instruction, operands);
        overflow = flag && mathOverflows(instruction, operands);
        fresh = false;
      }
      dest.lane[lane] = result;
      if (flag)
        flag->lane[lane] = overflow;
    });
    setTaint(dest, mask_, taint);
    if (flag)
      setTaint(*flag, mask_, taint);
  }
}

void Warp::opaque(const Instruction &instruction) {
  if (instruction.extra >= 0)
    context_.doubts.seenUnknown.set(instruction.extra);
  for (unsigned i = 0; i < instruction.count; ++i) {
    Slot &dest = write(slotAt(instruction.dest, i));
    forEachLane(mask_, [&](unsigned lane) { dest.lane[lane] = instruction.detail; });
    setTaint(dest, mask_, allLanes);
  }
}

uint64_t Warp::specialRegister(uint8_t which, unsigned lane) const {
  using R = SpecialRegister;
  const auto &block = context_.block;
  uint64_t thread = uint64_t(warpIndex_) * warpSize + lane;
  uint64_t warps = (block[0] * block[1] * block[2] + warpSize - 1) / warpSize;
  LaneMask self = LaneMask(1) << lane;
  switch (static_cast<R>(which)) {
  case R::TidX:
    return thread % block[0];
  case R::TidY:
    return thread / block[0] % block[1];
  case R::TidZ:
    return thread / block[0] / block[1];
  case R::NTidX:
    return block[0];
  case R::NTidY:
    return block[1];
  case R::NTidZ:
    return block[2];
  case R::CtaIdX:
    return blockIndex_[0];
  case R::CtaIdY:
    return blockIndex_[1];
  case R::CtaIdZ:
    return blockIndex_[2];
  case R::NCtaIdX:
    return context_.grid[0];
  case R::NCtaIdY:
    return context_.grid[1];
  case R::NCtaIdZ:
    return context_.grid[2];
  case R::LaneId:
    return lane;
  case R::WarpId:
    return warpIndex_;
  case R::NWarpId:
    return warps;
  case R::WarpSize:
    return warpSize;
  case R::DynamicSharedSize:
    return context_.dynamicSharedBytes;
  case R::TotalSharedSize:
    return context_.dynamicSharedBytes + context_.program.map.sharedEnd - MemoryMap::sharedStart;
  case R::LaneMaskEq:
    return self;
  case R::LaneMaskLt:
    return self - 1;
  case R::LaneMaskLe:
    return self | (self - 1);
  case R::LaneMaskGt:
    return static_cast<LaneMask>(~(self | (self - 1)));
  case R::LaneMaskGe:
    return static_cast<LaneMask>(~(self - 1));
  case R::One:
    return 1;
  case R::Zero:
  case R::Unpredictable:
    return 0;
  }
  return 0;
}

void Warp::readSpecialRegister(const Instruction &instruction) {
  Slot &dest = write(instruction.dest);
  forEachLane(mask_, [&](unsigned lane) { dest.lane[lane] = specialRegister(instruction.detail, lane); });
  bool unpredictable = static_cast<SpecialRegister>(instruction.detail) == SpecialRegister::Unpredictable;
  setTaint(dest, mask_, unpredictable ? allLanes : 0);
}

} // namespace warpwright::simt
