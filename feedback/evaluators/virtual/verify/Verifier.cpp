#include "feedback/evaluators/virtual/verify/Verifier.h"

#include <llvm/ADT/STLExtras.h>

#include <cmath>
#include <thread>

namespace warpwright::vdevice {
namespace {

class PlanVerifier {
public:
  PlanVerifier(OriginalKernel &original, const Subject &candidate, const LaunchPlan &plan)
      : original_(original), candidate_(candidate), plan_(plan) {
    result_.kernel = original.name();
    result_.candidate = plan.label();
    result_.verdict = {Verdict::Kind::Accepted, "virtual device", {}};
    for (const AnnotationParameter *pointer : original.pointers()) {
      result_.errors.push_back({pointer->name, {}, {}});
      tolerances_.push_back(toleranceFor(original.annotation(), pointer->type.kind));
    }
  }

  llvm::Expected<Verification> verify() {
    if (!original_.undecided().empty())
      return undecided("not-run", original_.undecided());
    for (size_t shape = 0; shape < original_.shapes().size() && isOpen(); ++shape)
      if (llvm::Error error = verifyShape(shape))
        return std::move(error);
    if (isOpen())
      judgeWhole();
    std::vector<std::string> notes = original_.notes();
    result_.notes.insert(result_.notes.begin(), notes.begin(), notes.end());
    // What is compared bit by bit has no errors worth showing.
    llvm::erase_if(result_.errors, [](const BufferErrors &errors) { return errors.errors.count() == 0; });
    return std::move(result_);
  }

private:
  bool isOpen() const { return result_.verdict.kind == Verdict::Kind::Accepted; }

  Verification undecided(std::string code, std::string reason) {
    result_.verdict = {Verdict::Kind::Undecided, "virtual device", std::move(reason)};
    result_.code = std::move(code);
    result_.notes = original_.notes();
    return std::move(result_);
  }
  void decide(Verdict::Kind kind, std::string code, std::string reason) {
    result_.verdict = {kind, "virtual device", std::move(reason)};
    result_.code = std::move(code);
  }
  void decline(std::string code, std::string reason) {
    decide(Verdict::Kind::Declined, std::move(code), std::move(reason));
  }

  llvm::Error verifyShape(size_t index) {
    shape_ = index;
    const PreparedShape &shape = original_.shapes()[index];
    llvm::Expected<std::optional<ConcretePlan>> plan =
        evaluatePlan(plan_, shape.launch, original_.signature(), candidate_.signatures());
    if (!plan) {
      decline("launch", llvm::toString(plan.takeError()) + " (with " + shape.shape.label + ")");
      return llvm::Error::success();
    }
    if (!*plan) {
      guarded_ = true;
      return llvm::Error::success();
    }
    concrete_ = std::move(**plan);
    result_.shapes.push_back(shape.shape.label);
    ascending_.clear();
    // As many runs at a time as there are cores, judged in their order: what is found first does not depend
    // on who was fastest.
    llvm::ArrayRef<InputCase> cases = shape.cases;
    while (!cases.empty() && isOpen()) {
      llvm::ArrayRef<InputCase> some = cases.take_front(original_.workers());
      cases = cases.drop_front(some.size());
      std::vector<CaseRun> runs = runAll(some);
      for (size_t i = 0; i < some.size(); ++i) {
        llvm::Error error = isOpen() ? verifyCase(some[i], runs[i]) : llvm::Error::success();
        if (error)
          return error;
      }
    }
    return llvm::Error::success();
  }

  /// What both sides make of one case.
  struct CaseRun {
    std::shared_ptr<const OriginalRun> original;
    std::optional<RunResult> got;
    std::string fault;      ///< of the tool
    std::string unlaunched; ///< why the candidate could not be launched
  };

  std::vector<CaseRun> runAll(llvm::ArrayRef<InputCase> cases) {
    std::vector<CaseRun> runs(cases.size());
    std::vector<std::thread> threads;
    for (size_t i = 1; i < cases.size(); ++i)
      threads.emplace_back([&, i] { runs[i] = runCase(cases[i]); });
    runs[0] = runCase(cases[0]);
    for (std::thread &thread : threads)
      thread.join();
    return runs;
  }

  RunRequest requestFor(const InputCase &input, const OriginalRun &original) const {
    RunRequest request;
    request.subject = &candidate_;
    request.plan = &concrete_;
    request.buffers = original.buffers;
    request.checked = input.checked;
    request.orderSeed = input.order;
    return request;
  }

  CaseRun runCase(const InputCase &input) const {
    CaseRun run;
    llvm::Expected<std::shared_ptr<const OriginalRun>> original = original_.run(shape_, input);
    if (!original) {
      run.fault = llvm::toString(original.takeError());
      return run;
    }
    run.original = std::move(*original);
    if (!run.original->outside.empty())
      return run;
    llvm::Expected<RunResult> got = runPlan(requestFor(input, *run.original));
    if (got)
      run.got = std::move(*got);
    else
      run.unlaunched = llvm::toString(got.takeError());
    return run;
  }

  llvm::Error verifyCase(const InputCase &input, CaseRun &run) {
    if (!run.fault.empty())
      return llvm::createStringError(run.fault);
    const OriginalRun &original = *run.original;
    if (!original.outside.empty()) {
      firstOutside_ = firstOutside_.empty() ? original.outside : firstOutside_;
      return llvm::Error::success();
    }
    noteReference(original);
    RunRequest request = requestFor(input, original);
    std::optional<RunResult> &got = run.got;
    ++result_.runs;
    if (!got) {
      decline("launch", run.unlaunched);
      return llvm::Error::success();
    }
    if (got->state == LaunchOutcome::State::Undecided) {
      decide(Verdict::Kind::Undecided, "not-covered", got->reason);
      return llvm::Error::success();
    }
    if (judgeFaults(input, original, *got))
      return llvm::Error::success();
    if (llvm::Error error = input.order == 0 ? compare(input, original, *got, request)
                                             : compareReordered(input, original, *got, request))
      return error;
    if (input.order == 0)
      ascending_.push_back({input, std::move(*got)});
    return llvm::Error::success();
  }

  /// Once, of the first run that has none.
  void noteReference(const OriginalRun &original) {
    if (original.unshadowed.empty() || hasNoReference_)
      return;
    hasNoReference_ = true;
    result_.notes.push_back("the original itself is the reference, and not double precision: " +
                            original.unshadowed);
  }

  Counterexample exampleOf(const InputCase &input) const {
    Counterexample example;
    example.shape = original_.shapes()[shape_].shape.label;
    example.inputs = (toString(input.kind) + ", seed " + std::to_string(input.seed)).str();
    example.circumstances = original_.circumstances(input);
    return example;
  }

  /// True when the candidate has faults that the original has not.
  bool judgeFaults(const InputCase &input, const OriginalRun &original, const RunResult &got) {
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

  BufferComparison compareBuffer(size_t i, const OriginalRun &original, llvm::ArrayRef<uint8_t> expected,
                                 llvm::ArrayRef<uint8_t> got, const Tolerance &tolerance) const {
    llvm::ArrayRef<double> reference;
    if (!original.references.empty())
      reference = original.references[i];
    return compareBuffers(
        {original_.element(i), original.buffers[i].contents, expected, got, reference, tolerance});
  }

  llvm::Error compare(const InputCase &input, const OriginalRun &original, const RunResult &got,
                      const RunRequest &request) {
    for (size_t i = 0; i < got.contents.size(); ++i) {
      if (original.buffers[i].alias)
        continue;
      BufferComparison comparison =
          compareBuffer(i, original, original.result.contents[i], got.contents[i], tolerances_[i]);
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

  void compareVariables(const InputCase &input, const RunResult &original, const RunResult &got) {
    for (const auto &[name, expected] : original.variables)
      for (const auto &[other, contents] : got.variables) {
        if (name != other || expected == contents)
          continue;
        decline("wrong-output", "the variable '" + name + "' of the device ends with other contents");
        result_.counterexample = exampleOf(input);
        return;
      }
  }

  llvm::Error differs(const InputCase &input, size_t i, const BufferComparison &comparison,
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

  /// The same inputs with blocks and warps in another order: the result may change no more than the
  /// original's.
  llvm::Error compareReordered(const InputCase &input, const OriginalRun &original, const RunResult &got,
                               const RunRequest &request) {
    InputCase plain = input;
    plain.order = 0;
    const RunResult *before = nullptr;
    for (const auto &[known, run] : ascending_)
      if (known.kind == plain.kind && known.seed == plain.seed && known.misaligned == plain.misaligned &&
          !known.alias)
        before = &run;
    InputCase checked = plain;
    checked.checked = true;
    llvm::Expected<std::shared_ptr<const OriginalRun>> ascending = original_.run(shape_, checked);
    if (!ascending)
      return ascending.takeError();
    for (size_t i = 0; before && i < got.contents.size(); ++i) {
      bool originalMoves = (*ascending)->result.contents[i] != original.result.contents[i];
      bool candidateMoves = before->contents[i] != got.contents[i];
      BufferComparison comparison =
          compareBuffer(i, original, original.result.contents[i], got.contents[i], tolerances_[i]);
      if (candidateMoves && !originalMoves) {
        if (comparison.difference == Difference::None) // within the tolerance, and yet not the same each time
          comparison = compareBuffer(i, original, before->contents[i], got.contents[i], Tolerance());
        if (llvm::Error error = differs(input, i, comparison, request))
          return error;
        decline("order-dependent",
                "the result depends on the order of blocks and warps: " + result_.verdict.reason);
        return llvm::Error::success();
      }
      if (comparison.difference == Difference::None)
        continue;
      if (!originalMoves)
        return differs(input, i, comparison, request);
      decide(Verdict::Kind::Undecided, "order-dependent",
             "the original's own result depends on the order of blocks and warps, beyond its tolerance");
      return llvm::Error::success();
    }
    return llvm::Error::success();
  }

  /// After all runs: errors that point one way, and whether anything was run at all.
  void judgeWhole() {
    if (result_.runs == 0) {
      if (guarded_)
        decide(Verdict::Kind::Undecided, "not-run", "its guard holds for no shape that was run");
      else
        decide(Verdict::Kind::Undecided, "not-run",
               "the original itself is at fault on every input: " + firstOutside_);
      return;
    }
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
      decline("biased", text);
      return;
    }
    if (!firstOutside_.empty())
      result_.notes.push_back("inputs on which the original itself is at fault were left out: " +
                              firstOutside_);
    if (guarded_)
      result_.notes.push_back("shapes on which its guard does not hold were left out");
  }

  OriginalKernel &original_;
  const Subject &candidate_;
  const LaunchPlan &plan_;
  Verification result_;
  std::vector<Tolerance> tolerances_; ///< by pointer
  size_t shape_ = 0;
  ConcretePlan concrete_;
  std::vector<std::pair<InputCase, RunResult>> ascending_; ///< the candidate's runs on this shape
  bool guarded_ = false;
  bool hasNoReference_ = false;
  std::string firstOutside_;
};

} // namespace

llvm::Expected<Verification> verifyPlan(OriginalKernel &original, const Subject &candidate,
                                        const LaunchPlan &plan) {
  return PlanVerifier(original, candidate, plan).verify();
}

} // namespace warpwright::vdevice
