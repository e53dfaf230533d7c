#include "analysis/simt/LoopJump.h"

#include <algorithm>

namespace warpwright::simt {
namespace {

/// Loops of fewer rounds are not worth the trouble.
constexpr unsigned firstRound = 3;
/// A loop that did not move evenly, or had hardly a round left to go, that often is left alone.
constexpr unsigned patience = 3;

/// tally += (tally - before) * times, but for the steps, which were not taken.
void repeat(Tally &tally, const Tally &before, uint64_t times) {
  for (size_t i = 0; i < tally.sites.size(); ++i)
    tally.sites[i] += (tally.sites[i] - before.sites[i]) * times;
  for (size_t i = 0; i < tally.branches.size(); ++i)
    tally.branches[i] += (tally.branches[i] - before.branches[i]) * times;
  for (unsigned i = 0; i < instructionClasses; ++i) {
    tally.instructions.warp[i] += (tally.instructions.warp[i] - before.instructions.warp[i]) * times;
    tally.instructions.thread[i] += (tally.instructions.thread[i] - before.instructions.thread[i]) * times;
  }
}

} // namespace

void LoopJump::observe(int32_t block, const Slot *registers, const std::vector<Slot> &constants) {
  for (Watch &watch : watches_)
    if (watch.steps)
      watch.steps->observe(block, registers, constants);
}

bool LoopJump::follow(const Edge &edge, const Place &place, Tally &tally) {
  if (edge.loop < 0)
    return false;
  const LoopForm &loop = place.code.loops[edge.loop];
  auto found = watches_.begin();
  while (found != watches_.end() && found->loop != &loop)
    ++found;
  if (!edge.goesBack || !loop.fits || (loop.hasBarrier && !place.alone) ||
      (found != watches_.end() && found->mask != place.mask)) {
    watches_.erase(found, watches_.end());
    return false;
  }
  if (found == watches_.end()) {
    while (!watches_.empty() && watches_.back().loop->depth >= loop.depth)
      watches_.pop_back(); // loops inside that were over before this one was watched
    watches_.push_back({&loop, place.mask, 0, 0, {}, std::nullopt, {}});
    found = watches_.end() - 1;
  }
  watches_.erase(found + 1, watches_.end()); // loops inside are over
  return goAround(*found, place, tally);
}

bool LoopJump::goAround(Watch &watch, const Place &place, Tally &tally) {
  ++watch.rounds;
  if (watch.rounds == watch.deadline)
    return jump(watch, place, tally);
  if (watch.rounds < firstRound || watch.deadline != 0)
    return false;
  if (watch.rounds == firstRound + 1 && failures_.lookup(watch.loop) < patience) {
    watch.steps = LoopSteps::derive(place.code, *watch.loop,
                                    {place.registers, place.constants, watch.phis, place.mask});
    if (watch.steps) {
      watch.deadline = watch.rounds + watch.steps->period();
      watch.before = tally;
    } else {
      ++failures_[watch.loop];
    }
  }
  if (watch.rounds == firstRound) {
    watch.phis.clear();
    for (const LoopForm::Phi &phi : watch.loop->phis)
      watch.phis.push_back(place.registers[phi.slot]);
  }
  return false;
}

bool LoopJump::jump(Watch &watch, const Place &place, Tally &tally) {
  uint64_t periods = watch.steps->periodsUnchanged(place.registers, place.constants);
  // A loop around this one that watches what its values do must see the last of the rounds: see LoopLimits.
  bool isWatched =
      std::any_of(watches_.data(), &watch, [](const Watch &outer) { return outer.steps.has_value(); });
  if (periods > 0 && isWatched)
    --periods;
  bool jumps = periods != 0;
  constexpr uint64_t worthwhile = 4;
  if (periods < worthwhile)
    ++failures_[watch.loop];
  if (jumps) {
    repeat(tally, watch.before, periods);
    watch.steps->advance(place.registers, periods);
    watch.rounds = 0; // a guard may have ended it rather than the loop: what follows is watched anew
  }
  watch.deadline = 0;
  watch.steps.reset();
  return jumps;
}

} // namespace warpwright::simt
