#include "feedback/evaluators/virtual/verify/ShapeFit.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright::vdevice {

Fit fitOf(const Shape &shape, const Annotation &annotation, const AnnotationContext &context,
          const ShapeBudget &budget) {
  llvm::Expected<bool> admitted = fulfilsRequirements(annotation, shape, context);
  if (!admitted) {
    llvm::consumeError(admitted.takeError());
    return Fit::Illegal;
  }
  llvm::Expected<Launch> launch = evaluateLaunch(annotation, shape, context);
  if (!launch) {
    llvm::consumeError(launch.takeError());
    return Fit::Illegal;
  }
  llvm::Expected<std::map<std::string, uint64_t>> extents = evaluateExtents(annotation, shape, context);
  if (!extents) {
    llvm::consumeError(extents.takeError());
    return Fit::Illegal;
  }
  if (!*admitted)
    return Fit::Illegal;
  bool isLarge = launch->grid.count() * launch->block.count() > budget.threads ||
                 llvm::any_of(*extents, [&](const auto &entry) { return entry.second > budget.elements; });
  return isLarge ? Fit::TooLarge : Fit::Good;
}

int64_t *integerOf(Shape &shape, const std::string &name) {
  return std::get_if<int64_t>(&shape.values[name]);
}

std::vector<std::string> integersOf(const Shape &shape, bool sizes) {
  std::vector<std::string> names;
  for (const auto &[name, value] : shape.values)
    if (const auto *integer = std::get_if<int64_t>(&value))
      if ((*integer > SmallCount) == sizes)
        names.push_back(name);
  return names;
}

std::optional<Shape> mend(const Shape &shape, const std::vector<std::string> &sizes,
                          const Annotation &annotation, const AnnotationContext &context,
                          const ShapeBudget &budget) {
  constexpr int64_t Window = 256;
  for (int64_t distance = 1; distance <= Window; ++distance)
    for (int64_t step : {distance, -distance}) {
      for (const std::string &name : sizes) {
        Shape moved = shape;
        *integerOf(moved, name) += step;
        if (*integerOf(moved, name) > 0 && fitOf(moved, annotation, context, budget) == Fit::Good)
          return moved;
      }
      Shape all = shape;
      for (const std::string &name : sizes)
        *integerOf(all, name) += step;
      if (llvm::all_of(sizes, [&](const std::string &name) { return *integerOf(all, name) > 0; }) &&
          fitOf(all, annotation, context, budget) == Fit::Good)
        return all;
    }
  return std::nullopt;
}

} // namespace warpwright::vdevice
