#include "analysis/simt/MovingComparison.h"

#include "analysis/simt/Integers.h"

namespace warpwright::simt {
namespace {

using Predicate = llvm::CmpInst::Predicate;

bool holds(Predicate predicate, __int128 a, __int128 b) {
  switch (predicate) {
  case Predicate::ICMP_EQ:
    return a == b;
  case Predicate::ICMP_NE:
    return a != b;
  case Predicate::ICMP_UGT:
  case Predicate::ICMP_SGT:
    return a > b;
  case Predicate::ICMP_UGE:
  case Predicate::ICMP_SGE:
    return a >= b;
  case Predicate::ICMP_ULT:
  case Predicate::ICMP_SLT:
    return a < b;
  default:
    return a <= b;
  }
}

bool inRange(__int128 value, unsigned bits, bool isSigned) {
  auto limit = static_cast<__int128>(isSigned ? maskOf(bits) >> 1 : maskOf(bits));
  return value <= limit && value >= (isSigned ? -limit - 1 : 0);
}

} // namespace

__int128 comparedNumber(uint64_t raw, unsigned bits, Predicate predicate) {
  if (llvm::CmpInst::isSigned(predicate))
    return asSigned(raw, bits);
  return raw & maskOf(bits);
}

bool MovingComparison::staysAt(int64_t steps) const {
  __int128 lastA = a + stepA * steps;
  __int128 lastB = b + stepB * steps;
  bool isSigned = llvm::CmpInst::isSigned(predicate);
  if (!inRange(lastA, bits, isSigned) || !inRange(lastB, bits, isSigned))
    return false;
  // A straight line that is on the same side at both ends was there all the time; being equal must last.
  if (llvm::CmpInst::isEquality(predicate))
    return a == b ? stepA == stepB : (a > b) == (lastA > lastB) && lastA != lastB;
  return holds(predicate, a, b) == holds(predicate, lastA, lastB);
}

uint64_t MovingComparison::stepsUnchanged(uint64_t most) const {
  if (stepA == 0 && stepB == 0)
    return most;
  uint64_t low = 0;
  uint64_t high = most;
  while (low < high) {
    uint64_t middle = low + (high - low + 1) / 2;
    if (staysAt(static_cast<int64_t>(middle)))
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

MovingComparison MovingComparison::withItsRange(bool isSigned, unsigned bits, __int128 value, __int128 step) {
  // Compared with the lower end of the range: that never changes, so that only leaving the range counts.
  __int128 lowest = isSigned ? -static_cast<__int128>(maskOf(bits) >> 1) - 1 : 0;
  return {isSigned ? Predicate::ICMP_SGE : Predicate::ICMP_UGE, bits, value, lowest, step, 0};
}

} // namespace warpwright::simt
