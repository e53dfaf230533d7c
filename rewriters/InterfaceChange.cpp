#include "rewriters/InterfaceChange.h"

#include "analysis/KernelAnalysis.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace warpwright {
namespace {

/// The annotation's text without white space and without the clauses of the launch.
std::string withoutLaunch(const Annotation &annotation) {
  std::string text = annotation.text;
  auto blank = [&](const auto &clause) {
    if (clause)
      std::fill_n(text.begin() + clause->range.offset, clause->range.length, ' ');
  };
  blank(annotation.grid);
  blank(annotation.block);
  blank(annotation.dynamicShared);
  llvm::erase_if(text, llvm::isSpace);
  // Commas around a clause that is gone.
  std::string result;
  for (char character : text)
    if (character != ',' || (!result.empty() && result.back() != ','))
      result += character;
  while (!result.empty() && result.back() == ',')
    result.pop_back();
  return result;
}

std::string withoutSpace(std::string text) {
  llvm::erase_if(text, llvm::isSpace);
  return text;
}

/// A qualifier of the pointer itself, such as __restrict__, is no part of what a caller passes.
std::string passedType(const KernelParameter &parameter) {
  llvm::StringRef type = parameter.type;
  for (llvm::StringRef qualifier : {"__restrict__", "__restrict", "const"})
    if (parameter.isPointer && type.ends_with(qualifier))
      type = type.drop_back(qualifier.size()).rtrim();
  return type.str();
}

} // namespace

std::optional<InterfaceChange> findInterfaceChange(const KernelAnalysis &original,
                                                   const KernelAnalysis &candidate, bool launchMayChange) {
  const std::vector<KernelParameter> &before = original.kernel.parameters,
                                     &after = candidate.kernel.parameters;
  if (before.size() != after.size())
    return InterfaceChange{"signature", "it has " + std::to_string(after.size()) + " parameters instead of " +
                                            std::to_string(before.size())};
  for (size_t i = 0; i < before.size(); ++i)
    if (before[i].name != after[i].name || passedType(before[i]) != passedType(after[i]))
      return InterfaceChange{"signature", "parameter " + std::to_string(i + 1) + " is '" + after[i].type +
                                              " " + after[i].name + "' instead of '" + before[i].type + " " +
                                              before[i].name + "'"};
  if (!original.annotation)
    return std::nullopt;
  if (!candidate.annotation)
    return InterfaceChange{"annotation", "its annotation is gone"};
  if (withoutSpace(original.annotation->text) == withoutSpace(candidate.annotation->text))
    return std::nullopt;
  if (withoutLaunch(*original.annotation) != withoutLaunch(*candidate.annotation))
    return InterfaceChange{"annotation",
                           "a clause of its annotation changed that is not grid, block or dynamic_shared"};
  if (!launchMayChange)
    return InterfaceChange{"annotation",
                           "its grid, block or dynamic_shared changed, which allow(launch_change) would have "
                           "to admit"};
  return std::nullopt;
}

std::string cloneSuffixOf(unsigned copy) {
  return CloneSuffix.str() + (copy == 0 ? "" : "_" + std::to_string(copy + 1));
}

std::string cloneNameOf(llvm::StringRef kernel, unsigned copy) {
  // Template arguments may hold any name; the kernel's own ends where the first of them opens.
  auto [name, arguments] = kernel.split('<');
  return (name + cloneSuffixOf(copy) + (arguments.empty() ? "" : "<") + arguments).str();
}

LaunchPlan planOf(const KernelAnalysis &original, const KernelAnalysis &candidate) {
  LaunchPlan plan = LaunchPlan::same(original.kernel.name);
  auto &launch = std::get<PlannedLaunch>(plan.steps.front());
  launch.kernel = candidate.kernel.name;
  if (!candidate.annotation || !original.annotation ||
      withoutSpace(original.annotation->text) == withoutSpace(candidate.annotation->text))
    return plan;
  launch.grid = candidate.annotation->grid;
  launch.block = candidate.annotation->block;
  launch.dynamicShared = candidate.annotation->dynamicShared;
  return plan;
}

} // namespace warpwright
