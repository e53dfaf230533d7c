#include "feedback/SourcePrinter.h"
#include "feedback/gate/AcceptComments.h"
#include "feedback/gate/GateOutput.h"

#include <llvm/ADT/StringExtras.h>

namespace warpwright {
namespace {

using Kind = llvm::SourceMgr::DiagKind;

class TextPrinter {
public:
  TextPrinter(const GateReport &report, const GateContext &context, llvm::raw_ostream &stream)
      : report_(report), context_(context), stream_(stream) {}

  void print() {
    for (const CheckProblem &problem : report_.problems)
      say(problem.place, llvm::SourceMgr::DK_Error, problem.message);
    for (const GateFinding &finding : report_.findings)
      if (finding.state == GateState::New)
        print(finding);
    for (const GateChange &change : report_.changes)
      if (change.fails)
        say(change.place, llvm::SourceMgr::DK_Error,
            describe(change) + " [warpwright-" + limitRule(change.metric) + "]");
    for (const GateUnused &unused : report_.unused)
      say(unused.place, llvm::SourceMgr::DK_Warning, unused.message + " [warpwright-unused-exception]");
    printDrift();
    stream_ << summarise(report_) << '\n';
  }

private:
  static Kind kindOf(Severity severity) {
    switch (severity) {
    case Severity::Error:
      return llvm::SourceMgr::DK_Error;
    case Severity::Warning:
      return llvm::SourceMgr::DK_Warning;
    default:
      return llvm::SourceMgr::DK_Remark;
    }
  }

  void say(const Place &place, Kind kind, const std::string &text) {
    Place shown = place;
    shown.file = context_.display(place.file);
    if (!place.known()) {
      const char *word = kind == llvm::SourceMgr::DK_Error ? ": error: " : ": warning: ";
      stream_ << shown.file << word << text << '\n';
      return;
    }
    sources_.print(stream_, shown, kind, text);
  }

  /// Which of several kernels and architectures have it; nothing where it is all of one.
  std::string where(const GateFinding &finding) const {
    std::string text;
    if (finding.kernels.size() > 1)
      text += ", in " + std::to_string(finding.kernels.size()) +
              (finding.architectures.front() == CheckedKernel::host ? " functions" : " kernels");
    if (finding.architectures.size() > 1)
      text += ", on " + llvm::join(finding.architectures, " and ");
    return text;
  }

  void print(const GateFinding &finding) {
    const Finding &what = finding.checked.finding;
    say(what.place, kindOf(finding.severity),
        what.message + where(finding) + " [warpwright-" + what.id + "]");
    for (const auto &[place, text] : what.notes)
      say(place, llvm::SourceMgr::DK_Note, text);
    if (!what.advice.empty())
      say(what.place, llvm::SourceMgr::DK_Note, what.advice);
  }

  void printDrift() {
    std::string drift = describeDrift(report_);
    if (drift.empty())
      return;
    stream_ << "toolkit drift: " << drift << '\n';
    for (const GateFinding &finding : report_.findings)
      if (finding.state == GateState::Drift)
        stream_ << "  " << finding.file << ':' << finding.checked.finding.place.line << ": "
                << finding.checked.finding.message << " [warpwright-" << finding.checked.finding.id << "]\n";
    for (const GateChange &change : report_.changes)
      if (change.state == GateState::Drift)
        stream_ << "  " << change.file << ':' << change.place.line << ": " << describe(change) << '\n';
  }

  const GateReport &report_;
  const GateContext &context_;
  llvm::raw_ostream &stream_;
  SourcePrinter sources_;
};

} // namespace

void printGateText(const GateReport &report, const GateContext &context, llvm::raw_ostream &stream) {
  TextPrinter(report, context, stream).print();
}

} // namespace warpwright
