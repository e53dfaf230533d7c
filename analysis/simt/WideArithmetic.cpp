#include "analysis/simt/Arithmetic.h"

#include <llvm/IR/InstrTypes.h>

namespace warpwright::simt {
namespace {

using UnsignedWide = unsigned __int128;
using Wide = __int128;
using Predicate = llvm::CmpInst::Predicate;

UnsignedWide truncate(UnsignedWide value, unsigned bits) {
  return bits >= 128 ? value : value & ((UnsignedWide(1) << bits) - 1);
}

Wide asSignedWide(UnsignedWide value, unsigned bits) {
  unsigned unused = 128 - bits;
  return static_cast<Wide>(value << unused) >> unused;
}

UnsignedWide read(const Slot *slots, unsigned bits, unsigned lane) {
  UnsignedWide value = slots[0].lane[lane];
  return bits > 64 ? value | static_cast<UnsignedWide>(slots[1].lane[lane]) << 64 : value;
}

LaneMask taintOf(const Slot *slots, unsigned bits) {
  return slots[0].taint | (bits > 64 ? slots[1].taint : 0);
}

void write(Slot *slots, unsigned bits, unsigned lane, UnsignedWide value) {
  value = truncate(value, bits);
  slots[0].lane[lane] = static_cast<uint64_t>(value);
  if (bits > 64)
    slots[1].lane[lane] = static_cast<uint64_t>(value >> 64);
}

void writeTaint(Slot *slots, unsigned bits, LaneMask mask, LaneMask taint) {
  setTaint(slots[0], mask, taint);
  if (bits > 64)
    setTaint(slots[1], mask, taint);
}

/// False where the operation is undefined in the IR.
bool evaluate(Op op, unsigned bits, UnsignedWide a, UnsignedWide b, UnsignedWide &result) {
  bool undefined = false;
  switch (op) {
  case Op::Add:
    result = a + b;
    break;
  case Op::Sub:
    result = a - b;
    break;
  case Op::Mul:
    result = a * b;
    break;
  case Op::And:
    result = a & b;
    break;
  case Op::Or:
    result = a | b;
    break;
  case Op::Xor:
    result = a ^ b;
    break;
  case Op::Shl:
  case Op::LShr:
  case Op::AShr:
    undefined = b >= bits;
    if (!undefined)
      result = op == Op::Shl ? a << static_cast<unsigned>(b)
               : op == Op::LShr
                   ? a >> static_cast<unsigned>(b)
                   : static_cast<UnsignedWide>(asSignedWide(a, bits) >> static_cast<unsigned>(b));
    break;
  case Op::UDiv:
  case Op::URem:
    undefined = b == 0;
    if (!undefined)
      result = op == Op::UDiv ? a / b : a % b;
    break;
  default:
    // The smallest number by minus one overflows in the host's arithmetic, too.
    undefined = b == 0 || asSignedWide(b, bits) == -1;
    if (!undefined)
      result = static_cast<UnsignedWide>(op == Op::SDiv ? asSignedWide(a, bits) / asSignedWide(b, bits)
                                                        : asSignedWide(a, bits) % asSignedWide(b, bits));
    else if (b != 0)
      result = op == Op::SDiv ? -a : 0, undefined = false;
    break;
  }
  if (undefined)
    result = 0;
  return !undefined;
}

bool compare(Predicate predicate, UnsignedWide a, UnsignedWide b, Wide sa, Wide sb) {
  switch (predicate) {
  case Predicate::ICMP_EQ:
    return a == b;
  case Predicate::ICMP_NE:
    return a != b;
  case Predicate::ICMP_UGT:
    return a > b;
  case Predicate::ICMP_UGE:
    return a >= b;
  case Predicate::ICMP_ULT:
    return a < b;
  case Predicate::ICMP_ULE:
    return a <= b;
  case Predicate::ICMP_SGT:
    return sa > sb;
  case Predicate::ICMP_SGE:
    return sa >= sb;
  case Predicate::ICMP_SLT:
    return sa < sb;
  default:
    return sa <= sb;
  }
}

} // namespace

void executeWideBinary(const Instruction &instruction, const Slot *left, const Slot *right, Slot *result,
                       LaneMask mask) {
  unsigned bits = instruction.bits;
  LaneMask taint = taintOf(left, bits) | taintOf(right, bits);
  forEachLane(mask, [&](unsigned lane) {
    UnsignedWide value = 0;
    if (!evaluate(instruction.op, bits, read(left, bits, lane), read(right, bits, lane), value))
      taint |= LaneMask(1) << lane;
    write(result, bits, lane, value);
  });
  writeTaint(result, bits, mask, taint);
}

void executeWideCompare(const Instruction &instruction, const Slot *left, const Slot *right, Slot &result,
                        LaneMask mask) {
  unsigned bits = instruction.fromBits;
  LaneMask taint = taintOf(left, bits) | taintOf(right, bits);
  forEachLane(mask, [&](unsigned lane) {
    UnsignedWide a = read(left, bits, lane);
    UnsignedWide b = read(right, bits, lane);
    result.lane[lane] = compare(static_cast<Predicate>(instruction.detail), a, b, asSignedWide(a, bits),
                                asSignedWide(b, bits));
  });
  setTaint(result, mask, taint);
}

void executeWideConversion(const Instruction &instruction, const Slot *operand, Slot *result, LaneMask mask) {
  unsigned from = instruction.fromBits;
  LaneMask taint = taintOf(operand, from);
  // Floating values of so wide integers decide no address; they are not worth an exact conversion.
  bool known = instruction.op == Op::Trunc || instruction.op == Op::ZExt || instruction.op == Op::SExt ||
               instruction.op == Op::Copy;
  forEachLane(mask, [&](unsigned lane) {
    UnsignedWide value = read(operand, from, lane);
    if (instruction.op == Op::SExt)
      value = static_cast<UnsignedWide>(asSignedWide(value, from));
    write(result, instruction.bits, lane, known ? value : 0);
  });
  writeTaint(result, instruction.bits, mask, known ? taint : allLanes);
}

} // namespace warpwright::simt
