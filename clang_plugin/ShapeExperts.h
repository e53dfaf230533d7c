#pragma once

#include "clang_plugin/TuningSubject.h"
#include "feedback/loop/Proposer.h"

namespace warpwright {

/// Proposes for single shapes what should be the fastest there, where variants can be launched by shape: the
/// mean over a family hides what a shape of its own kind asks for.
class ShapeExperts : public loop::Proposer {
public:
  /// Borrowed.
  explicit ShapeExperts(const TuningSubject &subject) : subject_(subject) {}

  bool isStructural() const override { return false; }
  std::vector<loop::Proposal> propose(const loop::LoopView &view, size_t most) override;

private:
  const TuningSubject &subject_;
};

} // namespace warpwright
