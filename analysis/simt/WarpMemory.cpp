#include "analysis/simt/Math.h"
#include "analysis/simt/Warp.h"

#include <llvm/IR/Instructions.h>

#include <algorithm>

namespace warpwright::simt {

LaneAddresses Warp::genericAddresses(const MemoryForm &form, const Slot &base) const {
  LaneAddresses addresses;
  uint64_t window = castAddress(0, form.addressSpace, GenericSpace);
  for (unsigned lane = 0; lane < warpSize; ++lane)
    addresses[lane] = base.lane[lane] + window;
  return addresses;
}

void Warp::countPiece(const MemoryForm &form, uint32_t site, unsigned bytes, const LaneAddresses &addresses,
                      LaneMask mask, bool onData) {
  // A generic pointer may lead some lanes to one memory and others to another; each is served by itself.
  while (mask) {
    auto [space, here] = DeviceMemory::lanesInOneSpace(addresses, mask);
    uint32_t number = site + static_cast<uint32_t>(space);
    AccessTally &tally = context_.tally.sites[number];
    context_.costs.costOf(number, space, form.access, bytes, addresses, here).addTo(tally, here, bytes);
    if (onData)
      context_.doubts.dataSites.set(number);
    mask &= ~here;
  }
}

void Warp::countAccess(const MemoryForm &form, const LaneAddresses &addresses, bool onData) {
  LaneMask mask = mask_ & form.addressLanes;
  for (size_t i = 0; i < form.pieces.size(); ++i) {
    const MemoryScalar &piece = form.pieces[i];
    uint32_t site = form.site + static_cast<uint32_t>(i) * accessSpaces;
    if (piece.offset == 0) {
      countPiece(form, site, piece.bytes, addresses, mask, onData);
      continue;
    }
    LaneAddresses shifted;
    for (unsigned lane = 0; lane < warpSize; ++lane)
      shifted[lane] = addresses[lane] + static_cast<int64_t>(static_cast<int32_t>(piece.offset));
    countPiece(form, site, piece.bytes, shifted, mask, onData);
  }
}

void Warp::accessMemory(const Instruction &instruction) {
  const MemoryForm &form = code_->memory[instruction.extra];
  const Slot &base = read(operandOf(instruction, 0));
  LaneAddresses addresses = genericAddresses(form, base);
  LaneMask addressTaint = base.taint & mask_;
  countAccess(form, addresses, onData_ || addressTaint);
  if (context_.watcher)
    context_.watcher->atAccess(warpIndex_, instruction, form, addresses, mask_, onData_ || addressTaint);
  if (form.scalars.empty())
    return; // nothing depends on the value, or it is not followed
  switch (instruction.op) {
  case Op::Load:
    return load(instruction, form, addresses, addressTaint);
  case Op::Store:
    return store(instruction, form, addresses);
  default:
    return atomic(instruction, form, addresses, addressTaint);
  }
}

bool Warp::readMemory(uint64_t address, unsigned lane, unsigned bytes, uint64_t &value) const {
  if (DeviceMemory::spaceOf(address) == AccessSpace::Local)
    return local_.read(lane, address - MemoryMap::localWindow, bytes, value);
  return context_.memory.read(address, bytes, value);
}

void Warp::writeMemory(uint64_t address, unsigned lane, unsigned bytes, uint64_t value, bool known) {
  if (DeviceMemory::spaceOf(address) == AccessSpace::Local)
    return local_.write(lane, address - MemoryMap::localWindow, bytes, value, known);
  context_.memory.write(address, bytes, value, known);
}

void Warp::load(const Instruction &instruction, const MemoryForm &form, const LaneAddresses &addresses,
                LaneMask addressTaint) {
  for (size_t i = 0; i < form.scalars.size(); ++i) {
    const MemoryScalar &scalar = form.scalars[i];
    Slot &dest = write(slotAt(instruction.dest, static_cast<unsigned>(i)));
    LaneMask taint = addressTaint;
    forEachLane(mask_, [&](unsigned lane) {
      bool known = readMemory(addresses[lane] + scalar.offset, lane, scalar.bytes, dest.lane[lane]);
      taint |= LaneMask(!known) << lane;
    });
    // A bool in memory is a byte, of which only the lowest bit is the value.
    if (instruction.bits == 1)
      forEachLane(mask_, [&](unsigned lane) { dest.lane[lane] &= 1; });
    setTaint(dest, mask_, taint);
  }
}

void Warp::store(const Instruction &instruction, const MemoryForm &form, const LaneAddresses &addresses) {
  for (size_t i = 0; i < form.scalars.size(); ++i) {
    const MemoryScalar &scalar = form.scalars[i];
    const Slot &value = read(slotAt(operandOf(instruction, 1), static_cast<unsigned>(i)));
    forEachLane(mask_, [&](unsigned lane) {
      bool known = !onData_ && !(value.taint >> lane & 1);
      writeMemory(addresses[lane] + scalar.offset, lane, scalar.bytes, value.lane[lane], known);
    });
  }
}

/// What memory holds after an atomic operation on `old` with `value`.
static uint64_t combineAtomic(const Instruction &instruction, uint64_t old, uint64_t value) {
  using Operation = llvm::AtomicRMWInst::BinOp;
  unsigned unused = 64 - instruction.bits;
  auto asSigned = [&](uint64_t bits) { return static_cast<int64_t>(bits << unused) >> unused; };
  double oldNumber = toDouble(old, instruction.scalar);
  double number = toDouble(value, instruction.scalar);
  switch (static_cast<Operation>(instruction.detail)) {
  case Operation::Xchg:
    return value;
  case Operation::Add:
    return old + value;
  case Operation::Sub:
    return old - value;
  case Operation::And:
    return old & value;
  case Operation::Nand:
    return ~(old & value);
  case Operation::Or:
    return old | value;
  case Operation::Xor:
    return old ^ value;
  case Operation::Max:
    return asSigned(old) > asSigned(value) ? old : value;
  case Operation::Min:
    return asSigned(old) < asSigned(value) ? old : value;
  case Operation::UMax:
    return std::max(old, value);
  case Operation::UMin:
    return std::min(old, value);
  case Operation::FAdd:
    return fromDouble(oldNumber + number, instruction.scalar);
  case Operation::FSub:
    return fromDouble(oldNumber - number, instruction.scalar);
  case Operation::FMax:
    return fromDouble(std::max(oldNumber, number), instruction.scalar);
  case Operation::FMin:
    return fromDouble(std::min(oldNumber, number), instruction.scalar);
  case Operation::UIncWrap:
    return old >= value ? 0 : old + 1;
  case Operation::UDecWrap:
    return old == 0 || old > value ? value : old - 1;
  default:
    return old;
  }
}

/// Lanes one after the other. In which order they, their warps and blocks come is the device's choice, so
/// that what an atomic operation on shared or global memory returns is never certain.
void Warp::atomic(const Instruction &instruction, const MemoryForm &form, const LaneAddresses &addresses,
                  LaneMask addressTaint) {
  const MemoryScalar &scalar = form.scalars.front();
  bool compares = instruction.op == Op::CompareExchange;
  const Slot &value = read(operandOf(instruction, compares ? 2 : 1));
  const Slot &expected = read(operandOf(instruction, 1));
  uint64_t limit = scalar.bytes >= 8 ? ~uint64_t(0) : (uint64_t(1) << (8 * scalar.bytes)) - 1;
  Slot &dest = write(instruction.dest);
  LaneMask swapped = 0;
  forEachLane(mask_, [&](unsigned lane) {
    uint64_t address = addresses[lane] + scalar.offset;
    uint64_t old = 0;
    bool known = readMemory(address, lane, scalar.bytes, old);
    bool equal = old == expected.lane[lane];
    swapped |= LaneMask(equal) << lane;
    uint64_t next = !compares ? combineAtomic(instruction, old, value.lane[lane])
                    : equal   ? value.lane[lane]
                              : old;
    known &= !onData_ && !(value.taint >> lane & 1) && !(addressTaint >> lane & 1) && !compares;
    writeMemory(address, lane, scalar.bytes, next & limit, known);
    dest.lane[lane] = old;
  });
  setTaint(dest, mask_, allLanes);
  if (!compares)
    return;
  Slot &flag = write(slotAt(instruction.dest, 1));
  forEachLane(mask_, [&](unsigned lane) { flag.lane[lane] = swapped >> lane & 1; });
  setTaint(flag, mask_, allLanes);
}

void Warp::moveBlock(const Instruction &instruction) {
  const MemoryForm &stores = code_->memory[instruction.extra];
  const Slot &to = read(operandOf(instruction, 0));
  const Slot &from = read(operandOf(instruction, 1));
  LaneAddresses targets = genericAddresses(stores, to);
  bool copies = instruction.op == Op::CopyMemory;
  LaneAddresses sources{};
  if (copies) {
    const MemoryForm &loads = code_->memory[instruction.extra + 1];
    sources = genericAddresses(loads, from);
    countAccess(loads, sources, onData_ || (from.taint & mask_));
  }
  countAccess(stores, targets, onData_ || (to.taint & mask_));
  // A whole block is read before any of it is written: that is right for overlapping moves, too.
  forEachLane(mask_, [&](unsigned lane) {
    std::vector<std::pair<uint64_t, bool>> values;
    for (const MemoryScalar &piece : stores.pieces)
      for (unsigned byte = 0; byte < piece.bytes; ++byte) {
        uint64_t value = from.lane[lane] & 0xff;
        bool known = copies ? readMemory(sources[lane] + piece.offset + byte, lane, 1, value)
                            : !(from.taint >> lane & 1);
        values.push_back({value, known && !onData_});
      }
    size_t next = 0;
    for (const MemoryScalar &piece : stores.pieces)
      for (unsigned byte = 0; byte < piece.bytes; ++byte, ++next)
        writeMemory(targets[lane] + piece.offset + byte, lane, 1, values[next].first, values[next].second);
  });
}

void Warp::allocate(const Instruction &instruction) {
  const Slot &count = read(operandOf(instruction, 0));
  uint64_t elements = 0;
  forEachLane(mask_, [&](unsigned lane) { elements = std::max(elements, count.lane[lane]); });
  uint64_t bytes = elements * static_cast<uint64_t>(code_->addresses[instruction.extra].offset);
  uint64_t address = local_.allocate(bytes, uint64_t(1) << instruction.detail);
  Slot &dest = write(instruction.dest);
  uint64_t pointer = castAddress(address, LocalSpace, instruction.fromBits);
  forEachLane(mask_, [&](unsigned lane) { dest.lane[lane] = pointer; });
  setTaint(dest, mask_, 0);
}

} // namespace warpwright::simt
