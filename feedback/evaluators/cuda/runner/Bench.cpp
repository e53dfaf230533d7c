#include "feedback/evaluators/cuda/runner/Bench.h"

namespace warpwright::runner {

uint32_t plausiblePoison(uint64_t number) {
  constexpr uint32_t one = 0x3f803c00; // 1.0 in the exponent of a float, and of the half in the lower part
  auto bits = static_cast<uint32_t>(values::bitsAt(values::streamKey(0, "poison"), number));
  return one | (bits & 0x007f03ff);
}

Problem Bench::prepare(const Circumstances &circumstances) const {
  if (Problem problem = workspace_.load(circumstances.slot, /*onlyInPlace=*/false))
    return problem;
  if (Problem problem = workspace_.poison(circumstances.poison))
    return problem;
  if (Problem problem = workspace_.writeGuards(circumstances.guards))
    return problem;
  return scrubber_.scrub(circumstances.shared);
}

Fault Bench::fault(FaultKind kind, const Variant &variant, const std::string &detail) const {
  return {kind, variant.blame, shape().name, detail};
}

Stop Bench::deviceFault(const Variant &variant, const Failure &failure) const {
  bool memory = failure.code == cuda::errorOutOfMemory;
  return Stop::of(fault(memory ? FaultKind::OutOfMemory : FaultKind::DeviceFault, variant, failure.text));
}

Ended Bench::run(const Variant &variant, const Circumstances &circumstances, const std::string &what) const {
  Problem problem = prepare(circumstances);
  if (!problem)
    problem = device_.synchronize();
  if (problem)
    return Stop::of(*problem);
  messages_.begin(shape().name + ": " + variant.name + ", " + what, variant.blame, job_.limits.runSeconds);
  if (Problem refused = variant.plan->enqueue())
    return Stop::of(fault(FaultKind::LaunchFailed, variant, refused->text));
  if (Problem stopped = device_.synchronize())
    return deviceFault(variant, *stopped);
  messages_.own(shape().name + ": " + what);
  return std::nullopt;
}

Problem Bench::fetch(Outputs &outputs) const {
  const std::vector<Buffer> &buffers = shape().buffers;
  outputs.resize(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].role != Role::In)
      if (Problem problem = workspace_.download(i, outputs[i]))
        return problem;
  return std::nullopt;
}

Ended Bench::runAndFetch(const Variant &variant, const Circumstances &circumstances, const std::string &what,
                         Outputs &outputs) {
  if (Ended ended = run(variant, circumstances, what))
    return ended;
  Fallible<std::optional<std::string>> broken = workspace_.brokenGuard(circumstances.guards);
  if (!broken)
    return Stop::of(broken.failure());
  if (*broken)
    return Stop::of(fault(FaultKind::WritesOutside, variant, **broken + " was written, " + what));
  if (Problem problem = fetch(outputs))
    return Stop::of(*problem);
  return std::nullopt;
}

} // namespace warpwright::runner
