#include "feedback/evaluators/virtual/execution/Fibres.h"

#include <llvm/Support/MathExtras.h>

namespace warpwright::vdevice {
namespace {

/// Stacks start at different places of their pages: if all began at the same, the few sets of a cache that
/// the tops fall into would hold none of them.
constexpr size_t colours = 16;
constexpr size_t colourBytes = 256;

} // namespace

llvm::Expected<Fibres> Fibres::create(size_t count, size_t stackBytes, Function function) {
  Fibres fibres;
  size_t page = Arena::pageBytes();
  fibres.stride_ = page + llvm::alignTo(stackBytes + colours * colourBytes, page);
  fibres.function_ = function;
  llvm::Expected<Arena> stacks = Arena::create(count * fibres.stride_);
  if (!stacks)
    return stacks.takeError();
  fibres.stacks_ = std::move(*stacks);
  fibres.contexts_.resize(count);
  for (size_t i = 0; i < count; ++i) {
    fibres.stacks_.protect(i * fibres.stride_, page);
    fibres.restart(i);
  }
  return fibres;
}

void Fibres::restart(size_t fibre) {
  uint8_t *top = stacks_.data() + (fibre + 1) * stride_ - fibre % colours * colourBytes;
  contexts_[fibre] = boost::context::detail::make_fcontext(
      top, stride_ - Arena::pageBytes() - colours * colourBytes, function_);
}

} // namespace warpwright::vdevice
