// GPUs have no instruction for integer division: 32 bits take some 20 instructions, 64 bits a routine of
// about 100. Where the divisor is a constant, the compiler multiplies instead, and the rule is silent.

#include "analysis/findings/MainLaunch.h"

namespace warpwright {
namespace {

constexpr const char *id = "integer-division-in-loop";
/// Machine instructions that a kernel grows by when an addition becomes a division, counted in cubins of nvcc
/// 13.0 for sm_75 and sm_90: 17 (unsigned) to 23 (signed) of 32 bits, 98 to 115 of 64 bits, whose short way
/// for small operands is shorter.
constexpr unsigned instructions32 = 20;
constexpr unsigned instructions64 = 100;
constexpr double leastShareOfLoop = 0.1;
/// Outside of loops: divisions of one thread that together weigh as much as a short kernel.
constexpr unsigned leastStraight = 3 * instructions32;

/// Quotient and remainder of the same operands are one division.
struct Division {
  const IntegerDivision *first = nullptr;
  bool quotient = false;
  bool remainder = false;
};

bool isSame(const IntegerDivision &left, const IntegerDivision &right) {
  return left.loop == right.loop && left.bits == right.bits && left.isSigned == right.isSigned &&
         left.divisorText == right.divisorText && left.place.place.file == right.place.place.file &&
         left.remainder != right.remainder;
}

std::vector<Division> joinPairs(const KernelFacts &facts) {
  std::vector<Division> joined;
  for (const IntegerDivision &division : facts.divisions) {
    if (division.divisor == IntegerDivision::Divisor::Constant)
      continue;
    auto pair = llvm::find_if(joined, [&](const Division &other) {
      return isSame(*other.first, division) && other.quotient != !division.remainder &&
             (division.remainder ? !other.remainder : !other.quotient);
    });
    Division &entry = pair != joined.end() ? *pair : joined.emplace_back(Division{&division});
    (division.remainder ? entry.remainder : entry.quotient) = true;
  }
  return joined;
}

unsigned costOf(const IntegerDivision &division) {
  return division.bits > 32 ? instructions64 : instructions32;
}

std::string whatText(const Division &division) {
  std::string what = division.quotient && division.remainder ? "division and remainder"
                     : division.quotient                     ? "division"
                                                             : "remainder";
  return std::to_string(division.first->bits) + "-bit " + what + " by '" + division.first->divisorText + "'";
}

std::string adviceFor(const IntegerDivision &division) {
  std::string narrow = division.bits > 32 ? "; 32-bit operands, where values fit, cost a quarter" : "";
  if (division.divisor == IntegerDivision::Divisor::Varying)
    return "where the divisor is a power of two, shift and mask; else let the loop carry quotient and "
           "remainder along" +
           narrow;
  return "carry quotient and remainder along and wrap, give each axis an index of its own, or multiply with "
         "a "
         "reciprocal that the host has prepared" +
         narrow;
}

Finding describe(const Division &division, const std::string &where, double share) {
  const IntegerDivision &fact = *division.first;
  Finding finding = findingAt(id, fact.place.place,
                              whatText(division) + " takes about " + std::to_string(costOf(fact)) +
                                  " instructions " + where);
  finding.evidence = {{"bits", double(fact.bits)},
                      {"instructions of the division, about", double(costOf(fact))},
                      {"share of the loop's instructions, about", share}};
  finding.advice = adviceFor(fact);
  return finding;
}

std::optional<Finding> inLoop(const KernelFacts &facts, const Division &division) {
  const LoopFacts &loop = facts.loops[*division.first->loop];
  double cost = costOf(*division.first);
  double share = cost / (cost + loop.instructions);
  constexpr int64_t fewIterations = 3;
  bool isShort =
      loop.tripCount.known() && loop.tripCount.value().asConstant().value_or(fewIterations) < fewIterations;
  if (share < leastShareOfLoop || isShort)
    return std::nullopt;
  Finding finding = describe(division, "in every iteration", share);
  finding.confidence = division.first->bits > 32 ? 0.7 : 0.6;
  if (loop.place.place.known())
    finding.notes.push_back(
        {loop.place.place, "the loop, of " + counted(loop.instructions, "instruction") + " besides"});
  return finding;
}

} // namespace

std::vector<Finding> findIntegerDivisionsInLoops(const KernelAnalysis &analysis) {
  std::vector<Finding> findings;
  std::vector<Division> divisions = joinPairs(analysis.facts);
  unsigned straight = 0;
  for (const Division &division : divisions)
    straight += division.first->loop ? 0 : costOf(*division.first);
  for (const Division &division : divisions) {
    if (!division.first->place.place.known())
      continue;
    std::optional<Finding> finding;
    if (division.first->loop)
      finding = inLoop(analysis.facts, division);
    else if (straight >= leastStraight && analysis.facts.loops.empty()) {
      finding = describe(division, "in every thread", 0);
      finding->evidence.pop_back();
      finding->confidence = 0.4;
    }
    if (finding)
      findings.push_back(std::move(*finding));
  }
  return findings;
}

} // namespace warpwright
