#include "feedback/gate/Gate.h"

#include "feedback/gate/AcceptComments.h"
#include "feedback/gate/Exceptions.h"
#include "feedback/gate/Fingerprint.h"
#include "feedback/gate/KernelMatch.h"

#include <llvm/ADT/STLExtras.h>

#include <cmath>
#include <set>

namespace warpwright {
namespace {

/// The part of a baseline that a kernel is compared with.
struct Reference {
  const BaselineKernel *kernel = nullptr;
  const BaselineTarget *target = nullptr; ///< of this architecture
  bool drift = false;                     ///< of another toolkit
};

bool holds(const BaselineTarget &target, const CheckedFinding &checked) {
  return std::binary_search(target.findings.begin(), target.findings.end(),
                            std::pair(checked.finding.id, checked.fingerprint));
}

class Judge {
public:
  explicit Judge(const GateRequest &request)
      : request_(request), policy_(*request.policy), kernels_(uniteKernels(request.files)),
        match_(request, kernels_), exceptions_(request) {}

  GateReport judge() {
    report_.hasBaseline = request_.baseline.has_value();
    report_.baselineFile = request_.baselineFile;
    std::set<std::string> files; // one may have several commands
    for (const CheckedFile &file : request_.files)
      files.insert(file.file);
    report_.files = files.size();
    for (const CheckedKernel &kernel : kernels_)
      judgeKernel(kernel);
    for (const BaselineKernel *kernel : match_.gone())
      report_.gone.emplace_back(kernel->file, kernel->key);
    for (const CheckedFile &file : request_.files)
      for (const CheckProblem &problem : file.problems)
        add(problem);
    report_.unused = exceptions_.unused();
    for (GateUnused &unused : report_.unused)
      unused.place.file = request_.relative(unused.place.file);
    llvm::sort(report_.findings, [](const GateFinding &left, const GateFinding &right) {
      auto order = [](const GateFinding &entry) {
        const Finding &what = entry.checked.finding;
        return std::tie(what.place, what.id, entry.fingerprint, entry.state);
      };
      return order(left) < order(right);
    });
    llvm::sort(report_.changes, [](const GateChange &left, const GateChange &right) {
      auto order = [](const GateChange &change) {
        return std::tie(change.place, change.kernel, change.architecture, change.metric);
      };
      return order(left) < order(right);
    });
    return std::move(report_);
  }

private:
  Reference referenceOf(const CheckedKernel &kernel, const BaselineKernel *before) {
    Reference reference;
    reference.kernel = before;
    if (!before)
      return reference;
    reference.target = Baseline::findTarget(*before, kernel.architecture, kernel.toolkit);
    if (reference.target)
      return reference;
    for (const BaselineTarget &target : before->targets)
      if (target.architecture == kernel.architecture)
        reference.target = &target;
    reference.drift = reference.target != nullptr;
    if (reference.drift && !llvm::is_contained(report_.driftedFrom, reference.target->toolkit))
      report_.driftedFrom.push_back(reference.target->toolkit);
    return reference;
  }

  void judgeKernel(const CheckedKernel &kernel) {
    KernelMatch::Match match = match_.of(kernel);
    Reference reference = referenceOf(kernel, match.before);
    GateKernel entry;
    if (kernel.isHost()) {
      for (const CheckedFinding &checked : kernel.findings)
        judgeFinding(kernel, reference, checked, entry);
      return;
    }
    if (!llvm::is_contained(report_.toolkits, kernel.toolkit))
      report_.toolkits.push_back(kernel.toolkit);
    entry.origin = match.origin;
    if (match.before && match.origin != GateKernel::Origin::Same)
      entry.formerly = match.before->file + ": " + signatureOf(match.before->key).str();
    entry.file = request_.relative(kernel.place.file);
    entry.name = kernel.name;
    entry.architecture = kernel.architecture;
    entry.place = kernel.place;
    entry.drift = reference.drift;
    entry.after = kernel.metrics;
    if (reference.target) {
      entry.before = reference.target->metrics;
      entry.launchChanged = reference.target->launch != kernel.launch;
    }
    for (const CheckedFinding &checked : kernel.findings)
      judgeFinding(kernel, reference, checked, entry);
    for (const MetricInfo &info : metrics())
      judgeMetric(kernel, reference, info, entry);
    report_.kernels.push_back(std::move(entry));
  }

  GateState stateOf(const Reference &reference, const CheckedFinding &checked) const {
    if (!reference.kernel)
      return GateState::New;
    if (reference.target && holds(*reference.target, checked))
      return GateState::Known;
    if (reference.target)
      return reference.drift ? GateState::Drift : GateState::New;
    // The architecture is new: what the code had on another one is nothing that this change brought.
    return llvm::any_of(reference.kernel->targets,
                        [&](const BaselineTarget &target) { return holds(target, checked); })
               ? GateState::Known
               : GateState::New;
  }

  void judgeFinding(const CheckedKernel &kernel, const Reference &reference, const CheckedFinding &checked,
                    GateKernel &entry) {
    GateFinding finding;
    finding.severity = policy_.severityOf(checked.finding.id, checked.finding.confidence);
    if (finding.severity == Severity::Off)
      return;
    finding.state = stateOf(reference, checked);
    ++(finding.state == GateState::Known ? entry.knownFindings : entry.newFindings);
    if (std::optional<Exceptions::Use> use =
            exceptions_.accept(checked.finding.id, kernel, checked.finding.place)) {
      finding.state = GateState::Accepted;
      finding.acceptedBecause = use->reason;
      finding.acceptedInSource = use->inSource;
    }
    finding.fails = finding.state == GateState::New && finding.severity >= policy_.failOn;
    finding.checked = checked;
    finding.file = request_.relative(checked.finding.place.file);
    finding.fingerprint = globalFingerprint(kernel, checked);
    add(std::move(finding), kernel);
  }

  /// Once: one of a header comes from every file that includes it.
  void add(CheckProblem problem) {
    problem.place.file = request_.relative(problem.place.file);
    if (!llvm::is_contained(report_.problems, problem))
      report_.problems.push_back(std::move(problem));
  }

  /// One template makes many kernels, and one command code for many architectures: what they have in common
  /// is said once.
  void add(GateFinding finding, const CheckedKernel &kernel) {
    auto same = llvm::find_if(report_.findings, [&](const GateFinding &known) {
      return known.state == finding.state && known.checked.finding.id == finding.checked.finding.id &&
             known.checked.fingerprint == finding.checked.fingerprint &&
             known.checked.finding.place == finding.checked.finding.place;
    });
    if (same == report_.findings.end())
      same = report_.findings.insert(report_.findings.end(), std::move(finding));
    if (!llvm::is_contained(same->kernels, kernel.name))
      same->kernels.push_back(kernel.name);
    if (!llvm::is_contained(same->architectures, kernel.architecture))
      same->architectures.push_back(kernel.architecture);
  }

  bool isTooMuch(const MetricInfo &info, double before, double after) const {
    double change = std::abs(after - before);
    if (const std::optional<double> &allowed = policy_.allowedChange[info.metric])
      return change > *allowed;
    // A kernel that made no access before has nothing to be compared with.
    return change > info.tolerance * before && !(info.ofLaunch && before == 0);
  }

  void judgeMetric(const CheckedKernel &kernel, const Reference &reference, const MetricInfo &info,
                   const GateKernel &entry) {
    const std::optional<double> limit = policy_.limitsOf(kernel.name, entry.file)[info.metric];
    const std::optional<double> &after = kernel.metrics[info.metric];
    std::optional<double> before;
    if (entry.before && !(info.ofLaunch && entry.launchChanged))
      before = (*entry.before)[info.metric];
    if (!after) {
      // What was measured goes with the lock's entry; that it is stale is a finding.
      if ((limit || before) && info.metric != Metric::MeasuredMicroseconds)
        notKnown(kernel, info, limit.has_value());
      return;
    }
    bool worse = before && info.isWorse(*before, *after);
    bool over = limit && info.isWorse(*limit, *after);
    if (!over && (!before || *before == *after))
      return;
    GateChange change;
    change.metric = info.metric;
    change.kernel = kernel.name;
    change.architecture = kernel.architecture;
    change.place = kernel.place;
    change.file = entry.file;
    change.before = before;
    change.after = *after;
    bool newlyOver = over && (!before || worse);
    if (newlyOver)
      change.limit = limit;
    bool bad = newlyOver || (worse && isTooMuch(info, *before, *after));
    change.state = !bad ? GateState::Known : reference.drift ? GateState::Drift : GateState::New;
    if (reference.drift)
      change.state = GateState::Drift;
    judgeException(kernel, info, bad, change);
    change.fails = change.state == GateState::New;
    report_.changes.push_back(std::move(change));
  }

  void judgeException(const CheckedKernel &kernel, const MetricInfo &info, bool bad, GateChange &change) {
    if (!bad)
      return;
    if (std::optional<Exceptions::Use> use =
            exceptions_.accept(limitRule(info.metric), kernel, kernel.place)) {
      change.state = GateState::Accepted;
      change.acceptedBecause = use->reason;
      change.acceptedInSource = use->inSource;
    }
  }

  /// A number that a limit or the baseline speaks of and that cannot be had is no clean kernel.
  void notKnown(const CheckedKernel &kernel, const MetricInfo &info, bool limited) {
    std::string why = kernel.resourcesNote.empty() ? "no launch of it was counted" : kernel.resourcesNote;
    add({CheckProblem::Kind::NotChecked, kernel.place,
         "'" + kernel.name + "' on " + kernel.architecture + ": " + info.description.str() +
             " could not be checked against the " + (limited ? "limit" : "baseline") + ": " + why});
  }

  const GateRequest &request_;
  const GatePolicy &policy_;
  std::vector<CheckedKernel> kernels_;
  KernelMatch match_;
  Exceptions exceptions_;
  GateReport report_;
};

} // namespace

const char *toString(GateState state) {
  constexpr const char *names[] = {"new", "known", "accepted", "drift"};
  return names[static_cast<unsigned>(state)];
}

size_t GateReport::count(GateState state) const {
  return llvm::count_if(findings, [&](const GateFinding &finding) { return finding.state == state; });
}

bool GateReport::fails() const {
  return llvm::any_of(findings, [](const GateFinding &finding) { return finding.fails; }) ||
         llvm::any_of(changes, [](const GateChange &change) { return change.fails; });
}

GateReport judge(const GateRequest &request) {
  return Judge(request).judge();
}

} // namespace warpwright
