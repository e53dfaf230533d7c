// Double arithmetic that nobody asked for: `0.5 * x` and `sqrt`-like calls of double functions turn float
// expressions into double ones, whose result is rounded back to float. Only operations that begin and end in
// float count, in a line with a literal or a call that explains them: a cast or a double variable is the
// author's choice.

#include "analysis/arch/Architecture.h"
#include "analysis/findings/MainLaunch.h"

#include <map>

namespace warpwright {
namespace {

constexpr const char *id = "double-in-float-code";

struct Line {
  std::vector<const DoubleInFloat *> operations;
  bool literal = false;
  std::string call; ///< of a double function, the first
};

std::map<std::pair<std::string, unsigned>, Line> byLine(const KernelFacts &facts) {
  std::map<std::pair<std::string, unsigned>, Line> lines;
  for (const DoubleInFloat &operation : facts.doublesInFloat) {
    if (!operation.operandsFromFloat || !operation.resultToFloat || !operation.place.place.known())
      continue;
    Line &line = lines[{operation.place.place.file, operation.place.place.line}];
    line.operations.push_back(&operation);
    line.literal |= operation.literal;
    llvm::StringRef name = operation.operation;
    if (line.call.empty() && name.consume_front("call "))
      line.call = name.str();
  }
  return lines;
}

std::string causeOf(const Line &line) {
  std::string call = line.call.empty() ? "" : "a call of double '" + line.call + "'";
  if (!line.literal)
    return call;
  return "a double literal" + (call.empty() ? "" : " and " + call);
}

std::string adviceFor(const Line &line) {
  std::string advice = line.literal ? "write literals as float: 0.5f for 0.5" : "";
  if (!line.call.empty())
    advice += (advice.empty() ? "" : "; ") + ("call '" + line.call + "f' for '" + line.call + "'");
  return advice + "; results change within float's rounding";
}

Finding describe(const KernelAnalysis &analysis, const Line &line, const Architecture &architecture) {
  unsigned ratio = architecture.fp64Ratio();
  bool inLoop = llvm::any_of(line.operations,
                             [](const DoubleInFloat *operation) { return operation->loop.has_value(); });
  Finding finding =
      findingAt(id, line.operations.front()->place.place,
                causeOf(line) + (line.literal && !line.call.empty() ? " make " : " makes ") +
                    counted(line.operations.size(), "operation") + " on float data double, which " +
                    architecture.name.str() + " does at 1/" + std::to_string(ratio) + " of float's rate");
  finding.evidence = {{"double operations", double(line.operations.size())},
                      {"float operations a double one costs", double(ratio)},
                      {"in a loop", double(inLoop)}};
  if (const LaunchEvaluation *launch = mainLaunch(analysis)) {
    auto kind = static_cast<unsigned>(simt::InstructionClass::Float64);
    finding.evidence.push_back(
        {"double instructions of warps in the launch", double(launch->counters.instructions.warp[kind])});
  }
  constexpr unsigned scarce = 16; // from here on, double units are there for compatibility
  finding.confidence = ratio >= scarce ? 0.9 : inLoop || !line.call.empty() ? 0.7 : 0.5;
  finding.advice = adviceFor(line);
  return finding;
}

} // namespace

std::vector<Finding> findDoubleInFloatCode(const KernelAnalysis &analysis) {
  std::vector<Finding> findings;
  const Architecture *architecture = findArchitecture(analysis.architecture);
  if (!architecture)
    return findings;
  for (const auto &[place, line] : byLine(analysis.facts))
    if (line.literal || !line.call.empty())
      findings.push_back(describe(analysis, line, *architecture));
  return findings;
}

} // namespace warpwright
