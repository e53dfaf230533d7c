#pragma once

#include "feedback/evaluators/virtual/execution/Arena.h"

#include <boost/context/detail/fcontext.hpp>

#include <vector>

namespace warpwright::vdevice {

/// A number of stacks on which code runs until it hands over to another. They are made once and used by
/// block after block; code that was given up in its middle leaves nothing behind but its stack, so it must
/// own nothing.
class Fibres {
public:
  using Function = void (*)(boost::context::detail::transfer_t);

  /// `stackBytes` each, with a page before it that nobody may touch.
  static llvm::Expected<Fibres> create(size_t count, size_t stackBytes, Function function);

  /// Runs the fibre until it hands over. Data is what `function` receives when it is entered.
  void resume(size_t fibre, void *data) {
    boost::context::detail::transfer_t back = boost::context::detail::jump_fcontext(contexts_[fibre], data);
    contexts_[fibre] = back.fctx;
  }

  /// Forgets what the fibre was doing: it starts from the beginning.
  void restart(size_t fibre);

  /// Whether the address lies on one of the stacks.
  bool holds(const uint8_t *address) const { return stacks_.holds(address); }

private:
  Arena stacks_;
  size_t stride_ = 0;
  Function function_ = nullptr;
  std::vector<boost::context::detail::fcontext_t> contexts_;
};

} // namespace warpwright::vdevice
