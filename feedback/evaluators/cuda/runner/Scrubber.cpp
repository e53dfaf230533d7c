#include "feedback/evaluators/cuda/runner/Scrubber.h"

namespace warpwright::runner {
namespace {

constexpr unsigned threads = 1024;
/// Blocks a multiprocessor: each takes all of its shared memory, so that they run one after the other, and a
/// multiprocessor that gets fewer than its share has still had one.
constexpr unsigned blocksEach = 4;

// Each thread stores `word` to every 1024th word of the block's dynamic shared memory.
constexpr char ptx[] = R"(.version 7.0
.target sm_75
.address_size 64
.extern .shared .align 16 .b8 arena[];
.visible .entry warpwright_scrub(.param .u32 word, .param .u32 words)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  ld.param.u32 %r1, [word];
  ld.param.u32 %r2, [words];
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, arena;
next:
  setp.ge.u32 %p1, %r3, %r2;
  @%p1 bra done;
  shl.b32 %r6, %r3, 2;
  add.u32 %r6, %r6, %r5;
  st.shared.u32 [%r6], %r1;
  add.u32 %r3, %r3, %r4;
  bra next;
done:
  ret;
}
)";

} // namespace

Scrubber::Scrubber(const Device &device) : device_(device) {
  const Driver &driver = device.driver();
  cuda::Function function = nullptr;
  if (driver->moduleLoad(&module_, ptx) != cuda::success ||
      driver->moduleGetFunction(&function, module_, "warpwright_scrub") != cuda::success)
    return;
  if (driver->functionSetAttribute(function, cuda::functionMaxDynamicShared,
                                   static_cast<int>(device.maxSharedBytes())) == cuda::success)
    function_ = function;
}

Scrubber::~Scrubber() {
  if (module_)
    device_.driver()->moduleUnload(module_);
}

Problem Scrubber::scrub(uint32_t word) const {
  if (!function_)
    return std::nullopt;
  uint32_t words = device_.maxSharedBytes() / 4;
  void *arguments[] = {&word, &words};
  cuda::LaunchConfiguration configuration = {device_.multiprocessors() * blocksEach,
                                             1,
                                             1,
                                             threads,
                                             1,
                                             1,
                                             device_.maxSharedBytes(),
                                             device_.stream(),
                                             nullptr,
                                             0};
  const Driver &driver = device_.driver();
  return driver.check(driver->launch(&configuration, function_, arguments, nullptr),
                      "scrubbing shared memory");
}

} // namespace warpwright::runner
