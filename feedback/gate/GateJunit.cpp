#include "feedback/gate/AcceptComments.h"
#include "feedback/gate/GateOutput.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <map>

namespace warpwright {
namespace {

/// A text for an attribute or an element. What XML 1.0 has no character for is left out.
std::string escape(llvm::StringRef text) {
  std::string result;
  for (char c : text) {
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    case '\n':
      result += "&#10;";
      break;
    default:
      if (static_cast<unsigned char>(c) >= 0x20)
        result += c;
    }
  }
  return result;
}

struct Case {
  std::string name;
  std::vector<std::pair<std::string, std::string>> failures; ///< rule and message
  std::vector<std::string> errors;
};

/// The cases of each file, in the report's order.
class Suites {
public:
  explicit Suites(const GateReport &report) {
    for (const GateKernel &kernel : report.kernels)
      of(kernel.file, kernel.name + " on " + kernel.architecture);
    for (const GateFinding &finding : report.findings)
      if (finding.fails)
        add(finding);
    for (const GateChange &change : report.changes)
      if (change.fails)
        of(change.file, change.kernel + " on " + change.architecture)
            .failures.emplace_back(limitRule(change.metric), describe(change));
    for (const CheckProblem &problem : report.problems)
      of(problem.place.file, "could be checked").errors.push_back(problem.message);
  }

  const std::vector<std::pair<std::string, std::vector<Case>>> &suites() const { return suites_; }

private:
  void add(const GateFinding &finding) {
    const Finding &what = finding.checked.finding;
    for (const std::string &kernel : finding.kernels)
      for (const std::string &architecture : finding.architectures)
        of(finding.file, kernel + " on " + architecture)
            .failures.emplace_back(what.id, finding.file + ":" + std::to_string(what.place.line) + ":" +
                                                std::to_string(what.place.column) + ": " + what.message);
  }

  Case &of(const std::string &file, const std::string &name) {
    auto suite = llvm::find_if(suites_, [&](const auto &entry) { return entry.first == file; });
    if (suite == suites_.end())
      suite = suites_.insert(suites_.end(), {file, {}});
    auto found = llvm::find_if(suite->second, [&](const Case &entry) { return entry.name == name; });
    return found != suite->second.end() ? *found : suite->second.emplace_back(Case{name, {}, {}});
  }

  std::vector<std::pair<std::string, std::vector<Case>>> suites_;
};

void print(const std::string &file, const Case &entry, llvm::raw_ostream &stream) {
  stream << "    <testcase classname=\"" << escape(file) << "\" name=\"" << escape(entry.name) << '"';
  if (entry.failures.empty() && entry.errors.empty()) {
    stream << "/>\n";
    return;
  }
  stream << ">\n";
  // One failure a case is all that most readers show, so that they are put together.
  if (!entry.failures.empty()) {
    std::vector<std::string> texts;
    for (const auto &[rule, message] : entry.failures)
      texts.push_back(message + " [warpwright-" + rule + "]");
    stream << "      <failure type=\"" << escape(entry.failures.front().first) << "\" message=\""
           << escape(entry.failures.front().second) << "\">" << escape(llvm::join(texts, "\n"))
           << "</failure>\n";
  }
  if (!entry.errors.empty())
    stream << "      <error type=\"not-checked\" message=\"" << escape(entry.errors.front()) << "\">"
           << escape(llvm::join(entry.errors, "\n")) << "</error>\n";
  stream << "    </testcase>\n";
}

size_t countFailures(llvm::ArrayRef<Case> cases) {
  return llvm::count_if(cases, [](const Case &entry) { return !entry.failures.empty(); });
}

size_t countErrors(llvm::ArrayRef<Case> cases) {
  return llvm::count_if(cases, [](const Case &entry) { return !entry.errors.empty(); });
}

} // namespace

void printGateJunit(const GateReport &report, llvm::raw_ostream &stream) {
  Suites suites(report);
  stream << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"warpwright check\">\n";
  for (const auto &[file, cases] : suites.suites()) {
    stream << "  <testsuite name=\"" << escape(file) << "\" tests=\"" << cases.size() << "\" failures=\""
           << countFailures(cases) << "\" errors=\"" << countErrors(cases) << "\">\n";
    for (const Case &entry : cases)
      print(file, entry, stream);
    stream << "  </testsuite>\n";
  }
  stream << "</testsuites>\n";
}

} // namespace warpwright
