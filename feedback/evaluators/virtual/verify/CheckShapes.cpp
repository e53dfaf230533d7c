#include "feedback/evaluators/virtual/verify/CheckShapes.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/bit.h>

#include <algorithm>

namespace warpwright::vdevice {
namespace {

/// What kernels are usually tiled by divides it.
constexpr int64_t Residues = 64;

enum class Fit { Good, TooLarge, Illegal };

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

int64_t shrinkSize(int64_t value, int64_t divisor) {
  if (llvm::has_single_bit(static_cast<uint64_t>(value)))
    return std::max<int64_t>(value / divisor, 1);
  int64_t target = std::max<int64_t>(value / divisor, 1);
  int64_t modulus = std::min<int64_t>(Residues, llvm::bit_floor(static_cast<uint64_t>(target)));
  int64_t below = target - ((target - value) % modulus + modulus) % modulus;
  int64_t nearest = target - below > modulus / 2 ? below + modulus : below;
  return nearest > 0 ? nearest : nearest + modulus;
}

/// The shape with one size moved to the nearest value that makes it legal.
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

/// Collects edges until there are enough.
class EdgeCollector {
public:
  EdgeCollector(const Shape &main, const Annotation &annotation, const AnnotationContext &context,
                const ShapeBudget &budget, std::vector<CheckShape> &shapes)
      : main_(main), annotation_(annotation), context_(context), budget_(budget), shapes_(shapes) {}

  /// `sizes` and `counts` are the integers of the main shape before it was shrunk.
  void collect(const std::vector<std::string> &sizes, const std::vector<std::string> &counts) {
    setAll(sizes, {1, 1, 1, 1});
    setAll(sizes, {37, 29, 43, 31});
    int64_t threads = threadsOfBlock();
    for (int64_t value :
         {int64_t(0), threads + 1, threads - 1, int64_t(1), int64_t(-1), int64_t(2), int64_t(127)})
      for (const std::string &name : sizes)
        setOne(name, value);
    for (const std::string &name : counts)
      for (int64_t value : {int64_t(0), int64_t(1), std::get<int64_t>(main_.values.at(name)) + 1})
        setOne(name, value);
    for (const auto &[name, value] : main_.values)
      if (std::holds_alternative<double>(value))
        for (double edge : {0.0, 1.0, -1.0})
          setReal(name, edge);
  }

private:
  int64_t threadsOfBlock() const {
    llvm::Expected<Launch> launch = evaluateLaunch(annotation_, main_, context_);
    if (launch)
      return static_cast<int64_t>(launch->block.x);
    llvm::consumeError(launch.takeError());
    return 32;
  }

  void setOne(const std::string &name, int64_t value) {
    Shape shape = main_;
    shape.values[name] = value;
    add(std::move(shape));
  }
  void setReal(const std::string &name, double value) {
    Shape shape = main_;
    shape.values[name] = value;
    add(std::move(shape));
  }
  void setAll(const std::vector<std::string> &names, std::array<int64_t, 4> values) {
    Shape shape = main_;
    for (size_t i = 0; i < names.size(); ++i)
      shape.values[names[i]] = values[i % values.size()];
    add(std::move(shape));
  }

  void add(Shape shape) {
    if (count_ == budget_.edges ||
        llvm::any_of(shapes_, [&](const CheckShape &known) { return known.shape.values == shape.values; }) ||
        fitOf(shape, annotation_, context_, budget_) != Fit::Good)
      return;
    std::string label = shape.str();
    shapes_.push_back({std::move(shape), std::move(label), true});
    ++count_;
  }

  const Shape &main_;
  const Annotation &annotation_;
  const AnnotationContext &context_;
  const ShapeBudget &budget_;
  std::vector<CheckShape> &shapes_;
  unsigned count_ = 0;
};

} // namespace

std::optional<Shape> shrinkShape(const Shape &shape, const Annotation &annotation,
                                 const AnnotationContext &context, const ShapeBudget &budget) {
  std::vector<std::string> sizes = integersOf(shape, true);
  constexpr int64_t LargestDivisor = int64_t(1) << 40;
  for (int64_t divisor = 1; divisor <= LargestDivisor; divisor *= 2) {
    Shape smaller = shape;
    for (const std::string &name : sizes)
      *integerOf(smaller, name) = shrinkSize(*integerOf(smaller, name), divisor);
    Fit fit = fitOf(smaller, annotation, context, budget);
    if (fit == Fit::Good)
      return smaller;
    if (fit == Fit::Illegal)
      if (std::optional<Shape> mended = mend(smaller, sizes, annotation, context, budget))
        return mended;
    bool isSmallest =
        llvm::all_of(sizes, [&](const std::string &name) { return *integerOf(smaller, name) <= Residues; });
    if (isSmallest && fit == Fit::Illegal)
      return std::nullopt;
  }
  return std::nullopt;
}

CheckShapes chooseCheckShapes(const ShapeFamily &family, const Annotation &annotation,
                              const AnnotationContext &context, const ShapeBudget &budget) {
  CheckShapes result;
  for (const Shape &shape : family.shapes) {
    std::optional<Shape> shrunk = shrinkShape(shape, annotation, context, budget);
    if (!shrunk) {
      result.note +=
          (result.note.empty() ? "" : "; ") + ("no small shape like '" + shape.str() + "' can be launched");
      continue;
    }
    if (llvm::any_of(result.shapes,
                     [&](const CheckShape &known) { return known.shape.values == shrunk->values; }))
      continue;
    std::string label = shrunk->str();
    result.shapes.push_back({std::move(*shrunk), std::move(label), false});
  }
  if (result.shapes.empty())
    return result;
  Shape main = result.shapes.front().shape;
  EdgeCollector(main, annotation, context, budget, result.shapes)
      .collect(integersOf(family.shapes.front(), true), integersOf(family.shapes.front(), false));
  return result;
}

} // namespace warpwright::vdevice
