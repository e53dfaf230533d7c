#include "feedback/evaluators/virtual/verify/RunJudge.h"

#include <llvm/ADT/STLExtras.h>

#include <cmath>
#include <cstdio>

namespace warpwright::vdevice {

RunJudge::RunJudge(OriginalKernel &original, Verification &result) : original_(original), result_(result) {
  for (const AnnotationParameter *pointer : original.pointers()) {
    result_.errors.push_back({pointer->name, {}, {}});
    tolerances_.push_back(toleranceFor(original.annotation(), pointer->type.kind));
  }
  moves_.resize(tolerances_.size());
}

void RunJudge::decide(Verdict::Kind kind, std::string code, std::string reason) {
  result_.verdict = {kind, "virtual device", std::move(reason)};
  result_.code = std::move(code);
}

void RunJudge::beginShape(size_t shape) {
  shape_ = shape;
  ascending_.clear();
}

llvm::Error RunJudge::judge(const InputCase &input, const OriginalRun &original, RunResult got,
                            const RunRequest &request) {
  noteReference(original);
  if (got.state == LaunchOutcome::State::Undecided) {
    llvm::StringRef reason = got.reason;
    reason.consume_front("undecided: ");
    decide(Verdict::Kind::Undecided, "not-covered", reason.str());
    return llvm::Error::success();
  }
  if (judgeFaults(input, original, got))
    return llvm::Error::success();
  if (input.order != 0)
    return compareReordered(input, original, got, request);
  if (llvm::Error error = compare(input, original, got, request))
    return error;
  ascending_.push_back({input, std::move(got)});
  return llvm::Error::success();
}

/// Once, of the first run that has none.
void RunJudge::noteReference(const OriginalRun &original) {
  if (original.unshadowed.empty() || hasNoReference_)
    return;
  hasNoReference_ = true;
  result_.notes.push_back("the original itself is the reference, and not double precision: " +
                          original.unshadowed);
}

Counterexample RunJudge::exampleOf(const InputCase &input) const {
  Counterexample example;
  example.shape = original_.shapes()[shape_].shape.label;
  example.inputs = (toString(input.kind) + ", seed " + std::to_string(input.seed)).str();
  example.circumstances = original_.circumstances(input);
  return example;
}

/// True when the candidate has faults that the original has not.
bool RunJudge::judgeFaults(const InputCase &input, const OriginalRun &original, const RunResult &got) {
  Counterexample example = exampleOf(input);
  for (const Fault &fault : got.faults)
    if (llvm::none_of(original.result.faults, [&](const Fault &known) { return known.kind == fault.kind; }))
      example.faults.push_back(fault);
  if (example.faults.empty() && got.state == LaunchOutcome::State::Done)
    return false;
  if (example.faults.empty())
    example.faults = got.faults;
  decline(toString(example.faults.front().kind), example.faults.front().message());
  result_.counterexample = std::move(example);
  return true;
}

BufferComparison RunJudge::compareBuffer(size_t i, const OriginalRun &original,
                                         llvm::ArrayRef<uint8_t> expected, llvm::ArrayRef<uint8_t> got,
                                         const Tolerance &tolerance) const {
  llvm::ArrayRef<double> reference;
  if (!original.references.empty())
    reference = original.references[i];
  return compareBuffers(
      {original_.element(i), original.buffers[i].contents, expected, got, reference, tolerance});
}

/// Where there is no reference yet and the original itself is too far off, with one.
llvm::Expected<BufferComparison> RunJudge::compareTwice(size_t i, const InputCase &input,
                                                        const OriginalRun &original, const RunResult &got) {
  BufferComparison comparison =
      compareBuffer(i, original, original.result.contents[i], got.contents[i], tolerances_[i]);
  if (comparison.difference != Difference::Error || !original.references.empty() ||
      !original.unshadowed.empty())
    return comparison;
  llvm::Expected<std::shared_ptr<const OriginalRun>> referenced = original_.referencedRun(shape_, input);
  if (!referenced)
    return referenced.takeError();
  noteReference(**referenced);
  return compareBuffer(i, **referenced, original.result.contents[i], got.contents[i], tolerances_[i]);
}

llvm::Error RunJudge::compare(const InputCase &input, const OriginalRun &original, const RunResult &got,
                              const RunRequest &request) {
  for (size_t i = 0; i < got.contents.size(); ++i) {
    if (original.buffers[i].alias)
      continue;
    llvm::Expected<BufferComparison> compared = compareTwice(i, input, original, got);
    if (!compared)
      return compared.takeError();
    BufferComparison &comparison = *compared;
    if (input.kind != InputKind::Special) {
      result_.errors[i].errors.append(comparison.errors);
      result_.errors[i].original.append(comparison.originalErrors);
    }
    if (comparison.difference != Difference::None)
      return differs(input, i, comparison, request);
  }
  compareVariables(input, original.result, got);
  return llvm::Error::success();
}

void RunJudge::compareVariables(const InputCase &input, const RunResult &original, const RunResult &got) {
  for (const auto &[name, expected] : original.variables)
    for (const auto &[other, contents] : got.variables) {
      if (name != other || expected == contents)
        continue;
      decline("wrong-output", "the variable '" + name + "' of the device ends with other contents");
      result_.counterexample = exampleOf(input);
      return;
    }
}

llvm::Error RunJudge::differs(const InputCase &input, size_t i, const BufferComparison &comparison,
                              const RunRequest &request) {
  Counterexample example = exampleOf(input);
  example.buffer = original_.pointers()[i]->name;
  example.element = comparison.firstBad;
  example.expected = comparison.expected;
  example.got = comparison.got;
  example.error = comparison.error;
  example.bad = comparison.bad;
  RunRequest watched = request;
  watched.checked = false;
  watched.watch = RunRequest::Watch{i, comparison.firstBadByte};
  llvm::Expected<RunResult> again = runPlan(watched);
  if (!again)
    return again.takeError();
  example.store = again->lastStore;
  std::string element = example.buffer + "[" + std::to_string(example.element) + "]";
  switch (comparison.difference) {
  case Difference::Unwritten:
    decline("unwritten-output", element + " is not written, the original writes " + comparison.expected);
    break;
  case Difference::WroteMore:
    decline("writes-more", element + " becomes " + comparison.got + ", the original leaves it alone");
    break;
  case Difference::NotANumber:
    decline("not-a-number", element + " is " + comparison.got + " instead of " + comparison.expected);
    break;
  case Difference::ZeroSign:
    decline("zero-sign", element + " is " + comparison.got + " instead of " + comparison.expected);
    break;
  default:
    decline("wrong-output", element + " is " + comparison.got + " instead of " + comparison.expected);
  }
  result_.counterexample = std::move(example);
  return llvm::Error::success();
}

/// Of the same inputs.
const RunResult *RunJudge::ascendingRun(const InputCase &input) const {
  for (const auto &[known, run] : ascending_)
    if (known.kind == input.kind && known.seed == input.seed && known.misaligned == input.misaligned &&
        !known.alias)
      return &run;
  return nullptr;
}

/// The same inputs with blocks and warps in another order: where results must be exact they may change no
/// more than the original's, elsewhere they may as long as they are right.
llvm::Error RunJudge::compareReordered(const InputCase &input, const OriginalRun &original,
                                       const RunResult &got, const RunRequest &request) {
  const RunResult *before = ascendingRun(input);
  InputCase checked = input;
  checked.order = 0;
  checked.checked = true;
  llvm::Expected<std::shared_ptr<const OriginalRun>> ascending = original_.run(shape_, checked);
  if (!ascending)
    return ascending.takeError();
  for (size_t i = 0; before && isOpen() && i < got.contents.size(); ++i) {
    bool originalMoves = (*ascending)->result.contents[i] != original.result.contents[i];
    llvm::Expected<BufferComparison> compared = compareTwice(i, input, original, got);
    if (!compared)
      return compared.takeError();
    BufferComparison &comparison = *compared;
    if (before->contents[i] != got.contents[i]) {
      moves_[i] = true;
      // Right bits that are not the same each time: another zero, another NaN.
      if (comparison.difference == Difference::None && tolerances_[i].exact && !originalMoves)
        comparison = compareBuffer(i, original, before->contents[i], got.contents[i], Tolerance());
      if (llvm::Error error = judgeMoved(input, i, comparison, originalMoves, request))
        return error;
    } else if (comparison.difference != Difference::None && !originalMoves) {
      return differs(input, i, comparison, request);
    } else if (comparison.difference != Difference::None) {
      decide(Verdict::Kind::Undecided, "order-dependent",
             "the original's own result depends on the order of blocks and warps, beyond its tolerance");
    }
  }
  return llvm::Error::success();
}

/// The candidate's result is another than in ascending order.
llvm::Error RunJudge::judgeMoved(const InputCase &input, size_t i, BufferComparison comparison,
                                 bool originalMoves, const RunRequest &request) {
  if (comparison.difference == Difference::None)
    return llvm::Error::success();
  if (originalMoves) {
    decide(Verdict::Kind::Undecided, "order-dependent",
           "the original's own result depends on the order of blocks and warps, beyond its tolerance");
    return llvm::Error::success();
  }
  if (llvm::Error error = differs(input, i, comparison, request))
    return error;
  decline("order-dependent",
          "the result depends on the order of blocks and warps: " + result_.verdict.reason);
  return llvm::Error::success();
}

void RunJudge::judgeWhole() {
  for (size_t i = 0; i < result_.errors.size(); ++i) {
    const Tolerance &tolerance = tolerances_[i];
    const values::ErrorDistribution &errors = result_.errors[i].errors;
    // What the original itself is off by is nobody else's fault.
    double limit = tolerance.bias + std::abs(result_.errors[i].original.bias());
    if (tolerance.exact || !(tolerance.bias > 0) || !errors.isBiased(limit))
      continue;
    char text[160];
    std::snprintf(text, sizeof(text), "'%s' is off by %.2g on average, %.2g is allowed",
                  result_.errors[i].buffer.c_str(), errors.bias(), tolerance.bias);
    return decline("biased", text);
  }
  for (size_t i = 0; i < moves_.size(); ++i)
    if (moves_[i])
      result_.notes.push_back("'" + original_.pointers()[i]->name +
                              "' is not the same in every order of blocks and warps, and within the "
                              "tolerance in all that were run");
}

} // namespace warpwright::vdevice
