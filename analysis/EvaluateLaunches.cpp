#include "analysis/EvaluateLaunches.h"

#include "analysis/annotation/Shapes.h"
#include "analysis/simt/CountLaunch.h"

#include <llvm/IR/Function.h>
#include <llvm/Support/FormatVariadic.h>

namespace warpwright {
namespace {

/// Supposed for integers of which nothing is known: large enough that loops run and rows lie apart, a power
/// of two so that alignment does not depend on it.
constexpr int64_t supposedInteger = 1024;
constexpr uint64_t supposedThreads = 256;
constexpr uint64_t supposedBlocks = 8;

simt::ParameterDescription describe(const KernelParameter &parameter) {
  simt::ParameterDescription description;
  description.name = parameter.name;
  for (const KernelParameterMember &member : parameter.members) {
    using Kind = simt::ParameterMember::Kind;
    Kind kind = Kind::Integer;
    if (member.kind == KernelParameterMember::Kind::Floating)
      kind = Kind::Float;
    else if (member.kind == KernelParameterMember::Kind::Pointer)
      kind = Kind::Pointer;
    description.members.push_back({member.name, member.offset, static_cast<unsigned>(member.size), kind});
  }
  return description;
}

void suppose(Launch &launch, const std::string &name, bool isFloating) {
  if (launch.arguments.contains(name))
    return;
  if (isFloating)
    launch.arguments[name] = 1.0;
  else
    launch.arguments[name] = supposedInteger;
}

/// Gives every scalar that the launch leaves open its supposed value; true when there was one.
bool supposeScalars(Launch &launch, const Kernel &kernel) {
  size_t before = launch.arguments.size();
  for (const KernelParameter &parameter : kernel.parameters) {
    if (parameter.isInteger || parameter.isFloating)
      suppose(launch, parameter.name, parameter.isFloating);
    for (const KernelParameterMember &member : parameter.members)
      if (member.kind != KernelParameterMember::Kind::Pointer)
        suppose(launch, parameter.name + "." + member.name,
                member.kind == KernelParameterMember::Kind::Floating);
  }
  return launch.arguments.size() != before;
}

ExtentsClause constantClause(const Dim3 &extents) {
  ExtentsClause clause;
  for (uint64_t extent : {extents.x, extents.y, extents.z})
    clause.extents.push_back(ScalarExpression::constant(static_cast<int64_t>(extent)));
  return clause;
}

/// The annotated block where no scalar decides it.
std::optional<Dim3> blockOfAnnotation(const KernelAnalysis &analysis) {
  if (!analysis.annotation || !analysis.annotation->block)
    return std::nullopt;
  Annotation blockAlone;
  blockAlone.block = analysis.annotation->block;
  blockAlone.grid = constantClause({1, 1, 1});
  llvm::Expected<Launch> launch = evaluateLaunch(blockAlone, Shape(), analysis.context);
  if (launch)
    return launch->block;
  llvm::consumeError(launch.takeError());
  return std::nullopt;
}

Launch supposedLaunch(const KernelAnalysis &analysis) {
  Launch launch;
  launch.kernel = analysis.kernel.name;
  uint64_t threads = analysis.facts.maxThreads.value_or(supposedThreads);
  launch.block = analysis.launchSites.commonBlock().value_or(Dim3{std::min<uint64_t>(threads, 1024), 1, 1});
  if (std::optional<Dim3> annotated = blockOfAnnotation(analysis))
    launch.block = *annotated;
  launch.grid = analysis.launchSites.commonGrid().value_or(Dim3{supposedBlocks, 1, 1});
  supposeScalars(launch, analysis.kernel);
  return launch;
}

/// "m = 4096, n = 65", in the order of the parameters, as a reader of the kernel would list them.
std::string labelOf(const Shape &shape, const Kernel &kernel) {
  std::string label;
  for (const KernelParameter &parameter : kernel.parameters)
    for (const auto &[name, value] : shape.values) {
      llvm::StringRef rest = name;
      if (!rest.consume_front(parameter.name) || (!rest.empty() && rest.front() != '.'))
        continue;
      label += (label.empty() ? "" : ", ") + name + " = ";
      label += std::visit([](auto number) { return llvm::formatv("{0}", number).str(); }, value);
    }
  return label;
}

std::string print(const Dim3 &extents) {
  return "(" + std::to_string(extents.x) + ", " + std::to_string(extents.y) + ", " +
         std::to_string(extents.z) + ")";
}

void addNote(KernelAnalysis &analysis, const std::string &note) {
  if (!note.empty())
    analysis.launchNote += (analysis.launchNote.empty() ? "" : "; ") + note;
}

llvm::Expected<simt::LaunchCounters> count(const KernelAnalysis &analysis, const Launch &launch,
                                           uint64_t stepBudget) {
  simt::SimtOptions options;
  options.stepBudget = stepBudget;
  options.parameters = describeParameters(analysis.kernel);
  return simt::countLaunch(*analysis.kernel.function, launch, options);
}

/// Counts one launch into the analysis; a failure is noted.
void add(KernelAnalysis &analysis, LaunchEvaluation evaluation, uint64_t stepBudget) {
  llvm::Expected<simt::LaunchCounters> counters = count(analysis, evaluation.launch, stepBudget);
  if (!counters) {
    analysis.launchNote = llvm::toString(counters.takeError());
    return;
  }
  evaluation.counters = std::move(*counters);
  analysis.launches.push_back(std::move(evaluation));
}

void evaluateShapes(KernelAnalysis &analysis, const Annotation &annotation, uint64_t stepBudget) {
  ShapeFamily family = completeShapes(annotation, analysis.context);
  analysis.launchNote = family.note;
  for (const Shape &shape : family.shapes) {
    llvm::Expected<Launch> launch = evaluateLaunch(annotation, shape, analysis.context);
    if (!launch) {
      analysis.launchNote = llvm::toString(launch.takeError());
      continue;
    }
    bool assumed = supposeScalars(*launch, analysis.kernel);
    add(analysis, {std::move(*launch), labelOf(shape, analysis.kernel), assumed, {}}, stepBudget);
  }
}

} // namespace

Annotation completedByLaunches(const KernelAnalysis &analysis, std::string &note) {
  Annotation annotation = analysis.annotation.value_or(Annotation());
  auto complete = [&](std::optional<ExtentsClause> &clause, std::optional<Dim3> extents, const char *what) {
    if (clause || !extents)
      return;
    clause = constantClause(*extents);
    note += (note.empty() ? "" : ", ") + std::string(what) + " " + print(*extents);
  };
  complete(annotation.grid, analysis.launchSites.commonGrid(), "grid");
  complete(annotation.block, analysis.launchSites.commonBlock(), "block");
  if (!note.empty())
    note += " as launched at line " + std::to_string(analysis.launchSites.sites.front().place.line);
  return annotation;
}

std::vector<simt::ParameterDescription> describeParameters(const Kernel &kernel) {
  std::vector<simt::ParameterDescription> descriptions;
  for (const KernelParameter &parameter : kernel.parameters)
    descriptions.push_back(describe(parameter));
  return descriptions;
}

llvm::Expected<simt::LaunchCounters> countOne(const KernelAnalysis &analysis, const Launch &launch) {
  return count(analysis, launch, simt::SimtOptions().stepBudget);
}

uint64_t supposedStepBudget(size_t kernels) {
  constexpr uint64_t all = 16'000'000;
  constexpr uint64_t least = 100'000;
  return std::clamp<uint64_t>(all / std::max<size_t>(kernels, 1), least, simt::SimtOptions().stepBudget);
}

void evaluateLaunches(KernelAnalysis &analysis, uint64_t stepBudget) {
  std::string fromLaunches;
  Annotation annotation = completedByLaunches(analysis, fromLaunches);
  if (analysis.annotation && annotation.grid && annotation.block)
    evaluateShapes(analysis, annotation, stepBudget);
  if (analysis.launches.empty()) {
    add(analysis, {supposedLaunch(analysis), "supposed launch", /*assumed=*/true, {}}, stepBudget);
  }
  addNote(analysis, fromLaunches);
}

} // namespace warpwright
