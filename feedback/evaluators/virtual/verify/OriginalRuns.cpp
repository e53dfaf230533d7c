// Runs of the original: for their results, for what they touch, and for what they would be in double
// precision.

#include "feedback/evaluators/virtual/verify/OriginalKernel.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright::vdevice {
namespace {

/// A dry run of a buffer whose extent is not known begins with this many elements.
constexpr uint64_t FirstExtent = uint64_t(1) << 16;
constexpr uint64_t LargestExtent = uint64_t(1) << 26;

/// Faults after which contents mean nothing.
bool endsAll(FaultKind kind) {
  return kind != FaultKind::BlockRace && kind != FaultKind::SharedRace &&
         kind != FaultKind::UninitialisedRead;
}

} // namespace

/// Extents that the annotation gives; the others by dry runs in buffers that grow until nothing lies beyond
/// them.
llvm::Error OriginalKernel::inferExtents(PreparedShape &shape) {
  llvm::Expected<std::map<std::string, uint64_t>> given =
      evaluateExtents(annotation_, shape.shape.shape, signature_);
  if (!given)
    return given.takeError();
  std::vector<size_t> open;
  for (size_t i = 0; i < pointers_.size(); ++i) {
    auto found = given->find(pointers_[i]->name);
    shape.extents.push_back(found == given->end() ? FirstExtent : found->second);
    if (found != given->end())
      continue;
    open.push_back(i);
    note("the extent of '" + pointers_[i]->name + "' is what the original touches");
  }
  if (open.empty())
    return llvm::Error::success();
  std::vector<uint64_t> touched(pointers_.size());
  for (InputKind kind : {InputKind::Declared, InputKind::Wide, InputKind::Adversarial})
    while (true) {
      llvm::Expected<OriginalRun> dry = runOnce(shape, {kind, 1});
      if (!dry)
        return dry.takeError();
      if (dry->result.state == LaunchOutcome::State::Undecided)
        return llvm::createStringError(dry->result.reason);
      bool grew = false;
      for (size_t i : open) {
        uint64_t element = std::max<uint64_t>(pointers_[i]->type.bytes, 1);
        touched[i] = std::max(touched[i], (dry->result.touched[i] + element - 1) / element);
        bool isBeyond = llvm::any_of(dry->result.faults, [&](const Fault &fault) {
          return fault.kind == FaultKind::OutOfBounds && fault.memory &&
                 fault.memory->object == pointers_[i]->name && fault.memory->offset >= 0;
        });
        if (!isBeyond || shape.extents[i] >= LargestExtent)
          continue;
        shape.extents[i] *= 16;
        grew = true;
      }
      if (!grew)
        break;
    }
  for (size_t i : open)
    shape.extents[i] = touched[i];
  return llvm::Error::success();
}

llvm::Expected<RunResult> OriginalKernel::launch(const PreparedShape &shape, RunRequest request) {
  llvm::Expected<std::optional<ConcretePlan>> plan =
      evaluatePlan(LaunchPlan::same(kernel_.kernel.name), shape.launch, signature_, subject_.signatures());
  if (!plan)
    return plan.takeError();
  request.subject = &subject_;
  request.plan = &**plan;
  request.stepLimit = options_.stepLimit;
  return runPlan(request);
}

llvm::Expected<OriginalRun> OriginalKernel::runOnce(const PreparedShape &shape, const InputCase &input) {
  OriginalRun run;
  llvm::Expected<std::vector<RunBuffer>> buffers = makeBuffers(shape, input);
  if (!buffers)
    return buffers.takeError();
  run.buffers = std::move(*buffers);
  RunRequest request;
  request.buffers = run.buffers;
  request.checked = input.checked;
  request.orderSeed = input.order;
  llvm::Expected<RunResult> result = launch(shape, request);
  if (!result)
    return result.takeError();
  run.result = std::move(*result);
  for (const Fault &fault : run.result.faults)
    if (endsAll(fault.kind) || input.alias)
      run.outside = fault.message();
  return run;
}

llvm::Expected<std::shared_ptr<const OriginalRun>> OriginalKernel::run(size_t shape, const InputCase &input) {
  {
    std::scoped_lock lock(mutex_);
    for (const Kept &kept : kept_)
      if (kept.shape == shape && kept.input == input)
        return kept.run;
  }
  llvm::Expected<OriginalRun> made = runOnce(shapes_[shape], input);
  if (!made)
    return made.takeError();
  if (input.alias && made->outside.empty()) {
    // Where the order of blocks decides, buffers that overlap are not meant.
    InputCase reordered = input;
    reordered.order = 1;
    llvm::Expected<OriginalRun> other = runOnce(shapes_[shape], reordered);
    if (!other)
      return other.takeError();
    if (other->result.contents != made->result.contents)
      made->outside = "the result depends on the order of blocks";
  }
  CheckShape::Role role = shapes_[shape].shape.role;
  if (role == CheckShape::Role::Family || role == CheckShape::Role::Edge)
    if (llvm::Error error = addReferences(*made, shapes_[shape], input))
      return std::move(error);
  return keep(shape, input, std::move(*made));
}

std::shared_ptr<const OriginalRun> OriginalKernel::keep(size_t shape, const InputCase &input,
                                                        OriginalRun run) {
  auto kept = std::make_shared<const OriginalRun>(std::move(run));
  std::scoped_lock lock(mutex_);
  llvm::erase_if(kept_, [&](const Kept &old) { return old.shape == shape && old.input == input; });
  kept_.push_back({shape, input, kept});
  return kept;
}

llvm::Expected<std::shared_ptr<const OriginalRun>> OriginalKernel::referencedRun(size_t shape,
                                                                                 const InputCase &input) {
  llvm::Expected<std::shared_ptr<const OriginalRun>> plain = run(shape, input);
  if (!plain || !(*plain)->references.empty() || !(*plain)->unshadowed.empty())
    return plain;
  OriginalRun referenced = **plain;
  if (llvm::Error error = addReferences(referenced, shapes_[shape], input))
    return std::move(error);
  return keep(shape, input, std::move(referenced));
}

bool OriginalKernel::wantsReferences() const {
  return options_.shadow && llvm::any_of(pointers_, [&](const AnnotationParameter *pointer) {
           return !pointer->pointeeIsConst && !toleranceFor(annotation_, pointer->type.kind).exact;
         });
}

/// Runs once more with every number shadowed. What that run makes must be what the other made, bit by bit.
llvm::Error OriginalKernel::addReferences(OriginalRun &run, const PreparedShape &shape,
                                          const InputCase &input) {
  bool isUsable = run.outside.empty() && run.result.state == LaunchOutcome::State::Done;
  if (!isUsable || input.kind == InputKind::Special || !wantsReferences())
    return llvm::Error::success();
  RunRequest request;
  request.buffers = run.buffers;
  request.checked = false;
  request.orderSeed = input.order;
  request.shadowed = elements_;
  llvm::Expected<RunResult> shadowed = launch(shape, request);
  if (!shadowed)
    return shadowed.takeError();
  std::string reason = shadowed->unshadowed;
  if (shadowed->state == LaunchOutcome::State::Undecided)
    reason = shadowed->reason;
  else if (shadowed->contents != run.result.contents)
    reason = "the kernel's result changes from run to run";
  if (reason.empty())
    run.references = std::move(shadowed->references);
  else
    run.unshadowed = std::move(reason);
  return llvm::Error::success();
}

} // namespace warpwright::vdevice
