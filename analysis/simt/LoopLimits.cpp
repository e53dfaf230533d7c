#include "analysis/simt/LoopLimits.h"

#include "analysis/simt/MovingComparison.h"

#include <algorithm>

namespace warpwright::simt {
namespace {

using Predicate = llvm::CmpInst::Predicate;

constexpr uint64_t unlimited = uint64_t(1) << 40;

/// Lowers `periods` to what the comparison allows; zero where it changed within the last period.
void limit(const MovingComparison &moving, unsigned period, uint64_t &periods) {
  if (!moving.staysAt(1 - static_cast<int64_t>(period)))
    periods = 0;
  else if (!moving.staysAt(static_cast<int64_t>(periods * period)))
    periods = std::min(periods, moving.stepsUnchanged(periods * period) / period);
}

int64_t numberOf(uint64_t raw, unsigned bits, bool isSigned) {
  return static_cast<int64_t>(
      comparedNumber(raw, bits, isSigned ? Predicate::ICMP_SGE : Predicate::ICMP_UGE));
}

} // namespace

void LoopLimits::keepOutcome(const Instruction &comparison, Operand a, const Step &stepA, Operand b,
                             const Step &stepB) {
  comparisons_.push_back({&comparison, a, b, stepA, stepB});
}

void LoopLimits::keepInRange(Operand number, const Step &step, unsigned bits, bool isSigned) {
  keepInRange(number, step, bits, isSigned, -1);
}

void LoopLimits::keepInRange(Operand number, const Step &step, unsigned bits, bool isSigned, int32_t block) {
  assert(bits < 64 && "only what is widened can wrap");
  numbers_.push_back({number, step, bits, isSigned, block});
}

void LoopLimits::observe(int32_t block, const Slot *registers, const std::vector<Slot> &constants,
                         LaneMask mask) {
  for (Number &number : numbers_) {
    if (number.block != block)
      continue;
    const Slot &slot = slotOf(number.operand, registers, constants);
    number.unknown |= (slot.taint & mask) != 0;
    forEachLane(mask, [&](unsigned lane) {
      int64_t value = numberOf(slot.lane[lane], number.bits, number.isSigned);
      number.least[lane] = number.seen ? std::min(number.least[lane], value) : value;
      number.most[lane] = number.seen ? std::max(number.most[lane], value) : value;
    });
    number.seen = true;
  }
}

uint64_t LoopLimits::periodsLeft(const Slot *registers, const std::vector<Slot> &constants, LaneMask mask,
                                 unsigned period) const {
  uint64_t periods = unlimited;
  for (const Comparison &comparison : comparisons_) {
    const Slot &a = slotOf(comparison.a, registers, constants);
    const Slot &b = slotOf(comparison.b, registers, constants);
    if ((a.taint | b.taint) & mask)
      return 0;
    auto predicate = static_cast<Predicate>(comparison.instruction->detail);
    unsigned bits = comparison.instruction->fromBits;
    forEachLane(mask, [&](unsigned lane) {
      limit({predicate, bits, comparedNumber(a.lane[lane], bits, predicate),
             comparedNumber(b.lane[lane], bits, predicate), comparison.stepA[lane], comparison.stepB[lane]},
            period, periods);
    });
  }
  for (const Number &number : numbers_) {
    bool inside = number.block >= 0;
    if (inside && !number.seen)
      continue; // nor will it be
    const Slot &slot = slotOf(number.operand, registers, constants);
    if (inside ? number.unknown : (slot.taint & mask) != 0)
      return 0;
    auto limitBy = [&](int64_t value, unsigned lane, unsigned steps) {
      limit(MovingComparison::withItsRange(number.isSigned, number.bits, value, number.step[lane]), steps,
            periods);
    };
    forEachLane(mask, [&](unsigned lane) {
      if (!inside)
        return limitBy(numberOf(slot.lane[lane], number.bits, number.isSigned), lane, period);
      limitBy(number.least[lane], lane, period);
      limitBy(number.most[lane], lane, period);
    });
  }
  // A loop that nothing ends is not understood.
  return periods == unlimited ? 0 : periods;
}

} // namespace warpwright::simt
