#pragma once

#include "analysis/simt/LoopSteps.h"
#include "analysis/simt/Tally.h"

#include <llvm/ADT/DenseMap.h>

namespace warpwright::simt {

/// Watches the loops that a warp is in, inner ones included, and leaves out iterations that provably count
/// what the last ones did (see LoopSteps). What is counted stays exact.
class LoopJump {
public:
  /// Where the warp is: the frame's registers, and the lanes that go round.
  struct Place {
    const FunctionCode &code;
    Slot *registers;
    const std::vector<Slot> &constants;
    LaneMask mask;
    bool alone; ///< no other warp counts into the tally while this one waits at a barrier
  };

  /// `block` has run for all lanes that go round; the phi nodes at its end are not yet set.
  void observe(int32_t block, const Slot *registers, const std::vector<Slot> &constants);

  /// Every lane of the mask took `edge`, decided by no data, and the phi nodes are set. True where iterations
  /// were left out: `tally` and the phi nodes are as if they had run.
  bool follow(const Edge &edge, const Place &place, Tally &tally);

  /// Lanes part, data decides, or the function changes: what was seen is over.
  void forget() { watches_.clear(); }

private:
  struct Watch {
    const LoopForm *loop;
    LaneMask mask;
    unsigned rounds = 0;   ///< iterations seen
    unsigned deadline = 0; ///< the round that ends the period; 0 before steps are known
    std::vector<Slot> phis;
    std::optional<LoopSteps> steps;
    Tally before;
  };

  bool goAround(Watch &watch, const Place &place, Tally &tally);
  bool jump(Watch &watch, const Place &place, Tally &tally);

  std::vector<Watch> watches_; ///< outer loops first
  llvm::DenseMap<const LoopForm *, unsigned> failures_;
};

} // namespace warpwright::simt
