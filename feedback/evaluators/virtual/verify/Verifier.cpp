#include "feedback/evaluators/virtual/verify/Verifier.h"

#include "feedback/evaluators/virtual/verify/RunJudge.h"

#include <llvm/ADT/STLExtras.h>

#include <thread>

namespace warpwright::vdevice {
namespace {

class PlanVerifier {
public:
  PlanVerifier(OriginalKernel &original, const Subject &candidate, const LaunchPlan &plan)
      : original_(original), candidate_(candidate), plan_(plan), judge_(original, result_) {
    result_.kernel = original.name();
    result_.candidate = plan.label();
    result_.verdict = {Verdict::Kind::Accepted, "virtual device", {}};
  }

  llvm::Expected<Verification> verify() {
    if (!original_.undecided().empty())
      return undecided(original_.undecided());
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
  bool isOpen() const { return judge_.isOpen(); }

  /// Nothing was run of either.
  Verification undecided(llvm::StringRef reason) {
    bool isLacking = reason.consume_front("undecided: "); // a word of the virtual device
    judge_.decide(Verdict::Kind::Undecided, isLacking ? "not-covered" : "not-run", reason.str());
    result_.errors.clear();
    result_.notes = original_.notes();
    return std::move(result_);
  }

  llvm::Error verifyShape(size_t index) {
    shape_ = index;
    const PreparedShape &shape = original_.shapes()[index];
    llvm::Expected<std::optional<ConcretePlan>> plan =
        evaluatePlan(plan_, shape.launch, original_.signature(), candidate_.signatures());
    if (!plan) {
      judge_.decline("launch", llvm::toString(plan.takeError()) + " (with " + shape.shape.label + ")");
      return llvm::Error::success();
    }
    if (!*plan) {
      guarded_ = true;
      return llvm::Error::success();
    }
    concrete_ = std::move(**plan);
    result_.shapes.push_back(shape.shape.label);
    judge_.beginShape(index);
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
    request.stepLimit = original_.stepLimit();
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
    ++result_.runs;
    if (!run.got) {
      judge_.decline("launch", run.unlaunched);
      return llvm::Error::success();
    }
    return judge_.judge(input, original, std::move(*run.got), requestFor(input, original));
  }

  /// After all runs: whether anything was run at all, and what they say together.
  void judgeWhole() {
    if (result_.runs == 0) {
      if (guarded_)
        judge_.decide(Verdict::Kind::Undecided, "not-run", "its guard holds for no shape that was run");
      else
        judge_.decide(Verdict::Kind::Undecided, "not-run",
                      "the original itself is at fault on every input: " + firstOutside_);
      return;
    }
    judge_.judgeWhole();
    if (!isOpen())
      return;
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
  RunJudge judge_; ///< writes into the result
  size_t shape_ = 0;
  ConcretePlan concrete_;
  bool guarded_ = false;
  std::string firstOutside_;
};

} // namespace

llvm::Expected<Verification> verifyPlan(OriginalKernel &original, const Subject &candidate,
                                        const LaunchPlan &plan) {
  return PlanVerifier(original, candidate, plan).verify();
}

} // namespace warpwright::vdevice
