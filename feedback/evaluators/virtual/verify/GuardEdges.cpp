#include "feedback/evaluators/virtual/verify/GuardEdges.h"

#include "feedback/evaluators/virtual/verify/ShapeFit.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>

namespace warpwright::vdevice {
namespace {

/// Odd, so that no tile divides it.
constexpr int64_t SmallSize = 37;

/// The number that a guard compares with, or divides by: the first in it.
std::optional<int64_t> numberIn(const std::string &guard) {
  llvm::StringRef text = guard;
  size_t at = 0; // digits within a name are none
  while (at < text.size()) {
    auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; };
    llvm::StringRef word = text.substr(at).take_while(isWord);
    int64_t number = 0;
    if (!word.empty() && !word.getAsInteger(10, number) && number > 0)
      return number;
    at += std::max<size_t>(word.size(), 1);
  }
  return std::nullopt;
}

} // namespace

std::vector<CheckShape> chooseGuardEdges(const ScalarExpression &guard, const Shape &main,
                                         const Annotation &annotation, const AnnotationContext &context,
                                         const ShapeBudget &budget) {
  std::vector<CheckShape> edges;
  std::optional<int64_t> number = numberIn(guard.str());
  if (!number || guard.names().empty())
    return edges;
  Shape small = main;
  for (const std::string &size : integersOf(main, /*sizes=*/true))
    *integerOf(small, size) = std::min(*integerOf(small, size), SmallSize);
  const std::string turned = guard.names().front().name;
  int64_t others = 1;
  for (const NameUse &use : guard.names()) {
    const int64_t *value = small.values.contains(use.name) ? integerOf(small, use.name) : nullptr;
    if (!value || *value <= 0)
      return edges;
    if (use.name != turned && llvm::MulOverflow(others, *value, others))
      return edges;
  }
  const int64_t turn = *number / others + (*number % others != 0);
  for (int64_t value : {turn - 1, turn, turn + 1}) {
    Shape shape = small;
    *integerOf(shape, turned) = value;
    if (fitOf(shape, annotation, context, budget) != Fit::Good)
      continue;
    std::string label = shape.str();
    edges.push_back({std::move(shape), std::move(label), CheckShape::Role::Ragged});
  }
  return edges;
}

} // namespace warpwright::vdevice
