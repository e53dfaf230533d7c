#include "feedback/gate/AcceptComments.h"
#include "feedback/gate/GateOutput.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace warpwright {
namespace {

/// A text in a cell or an item: nothing in it is markup.
std::string plain(llvm::StringRef text) {
  std::string result;
  for (char c : text) {
    if (llvm::StringRef("\\`*_{}[]<>|#").contains(c))
      result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

std::string code(llvm::StringRef text) {
  std::string inside = text.str();
  std::replace(inside.begin(), inside.end(), '`', '\'');
  std::replace(inside.begin(), inside.end(), '|', '!'); // no cell can hold one
  return "`" + inside + "`";
}

class MarkdownPrinter {
public:
  MarkdownPrinter(const GateReport &report, llvm::raw_ostream &stream) : report_(report), stream_(stream) {}

  void print() {
    const char *headline = !report_.problems.empty() ? "could not check everything"
                           : report_.fails()         ? "this change makes kernels worse"
                                                     : "nothing got worse";
    stream_ << "## Warpwright: " << headline << "\n\n" << plain(summarise(report_)) << ".\n\n";
    if (std::string drift = describeDrift(report_); !drift.empty())
      stream_ << "**Toolkit drift:** " << plain(drift) << ".\n\n";
    printProblems();
    printFindings();
    printTable();
    printGone();
    printUnused();
  }

private:
  void printProblems() {
    if (report_.problems.empty())
      return;
    stream_ << "### Not checked\n";
    for (const CheckProblem &problem : report_.problems)
      stream_ << "- " << code(problem.place.file) << ": " << plain(problem.message) << '\n';
    stream_ << '\n';
  }

  void printFindings() {
    if (report_.count(GateState::New) == 0)
      return;
    stream_ << "### New findings\n| place | kernel | finding |\n|---|---|---|\n";
    for (const GateFinding &finding : report_.findings) {
      if (finding.state != GateState::New)
        continue;
      const Finding &what = finding.checked.finding;
      std::string kernels = code(finding.kernels.front());
      if (finding.kernels.size() > 1)
        kernels += " and " + std::to_string(finding.kernels.size() - 1) + " more";
      stream_ << "| " << code(finding.file + ":" + std::to_string(what.place.line)) << " | " << kernels
              << " | **" << what.id << "** (" << toString(finding.severity)
              << (finding.fails ? "" : ", fails nothing") << "): " << plain(what.message) << ". "
              << plain(what.advice) << " |\n";
    }
    stream_ << '\n';
  }

  bool isTold(const GateKernel &kernel) const {
    return kernel.origin == GateKernel::Origin::New || kernel.origin == GateKernel::Origin::Renamed ||
           kernel.origin == GateKernel::Origin::Moved || (kernel.before && *kernel.before != kernel.after);
  }

  void printTable() {
    if (llvm::none_of(report_.kernels, [&](const GateKernel &kernel) { return isTold(kernel); }))
      return;
    stream_ << "### Kernels that changed\n| kernel | architecture |";
    for (const MetricInfo &info : metrics())
      stream_ << ' ' << llvm::join(llvm::split(info.name, '_'), " ") << " |";
    stream_ << "\n|---|---|";
    for (size_t i = 0; i < metrics().size(); ++i)
      stream_ << "---|";
    stream_ << '\n';
    for (const GateKernel &kernel : report_.kernels)
      if (isTold(kernel))
        printRow(kernel);
    stream_ << '\n';
  }

  void printRow(const GateKernel &kernel) {
    stream_ << "| " << code(kernel.name) << ' ';
    if (kernel.origin == GateKernel::Origin::New)
      stream_ << "(new) ";
    else if (!kernel.formerly.empty())
      stream_ << "(was " << code(kernel.formerly) << ") ";
    stream_ << "| " << kernel.architecture << (kernel.drift ? ", other toolkit" : "") << " |";
    for (const MetricInfo &info : metrics()) {
      const std::optional<double> &after = kernel.after[info.metric];
      std::optional<double> before;
      if (kernel.before && !(info.ofLaunch && kernel.launchChanged))
        before = (*kernel.before)[info.metric];
      stream_ << ' ' << cell(info, before, after) << " |";
    }
    stream_ << '\n';
  }

  static std::string cell(const MetricInfo &info, const std::optional<double> &before,
                          const std::optional<double> &after) {
    if (!after)
      return before ? printMetric(info.metric, *before) + " → ?" : "";
    std::string now = printMetric(info.metric, *after);
    if (!before || *before == *after)
      return now;
    return printMetric(info.metric, *before) + " → **" + now + "**" +
           (info.isWorse(*before, *after) ? " (worse)" : " (better)");
  }

  void printGone() {
    if (report_.gone.empty())
      return;
    stream_ << "### Kernels that are gone\n";
    for (const auto &[file, key] : report_.gone)
      stream_ << "- " << code(file + ": " + key) << '\n';
    stream_ << '\n';
  }

  void printUnused() {
    if (report_.unused.empty())
      return;
    stream_ << "### Exceptions of no use\n";
    for (const GateUnused &unused : report_.unused)
      stream_ << "- " << code(unused.place.file + ":" + std::to_string(unused.place.line)) << ": "
              << plain(unused.message) << '\n';
    stream_ << '\n';
  }

  const GateReport &report_;
  llvm::raw_ostream &stream_;
};

} // namespace

void printGateMarkdown(const GateReport &report, llvm::raw_ostream &stream) {
  MarkdownPrinter(report, stream).print();
}

} // namespace warpwright
