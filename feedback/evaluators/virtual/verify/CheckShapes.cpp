#include "feedback/evaluators/virtual/verify/CheckShapes.h"

#include "feedback/evaluators/virtual/verify/ShapeFit.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/bit.h>

#include <algorithm>

namespace warpwright::vdevice {
namespace {

/// What kernels are usually tiled by divides it.
constexpr int64_t Residues = 64;

int64_t shrinkSize(int64_t value, int64_t divisor) {
  if (llvm::has_single_bit(static_cast<uint64_t>(value)))
    return std::max<int64_t>(value / divisor, 1);
  int64_t target = std::max<int64_t>(value / divisor, 1);
  int64_t modulus = std::min<int64_t>(Residues, llvm::bit_floor(static_cast<uint64_t>(target)));
  int64_t below = target - ((target - value) % modulus + modulus) % modulus;
  int64_t nearest = target - below > modulus / 2 ? below + modulus : below;
  return nearest > 0 ? nearest : nearest + modulus;
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
    shapes_.push_back({std::move(shape), std::move(label), CheckShape::Role::Edge});
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
    result.shapes.push_back({std::move(*shrunk), std::move(label), CheckShape::Role::Family});
  }
  if (result.shapes.empty())
    return result;
  Shape main = result.shapes.front().shape;
  EdgeCollector(main, annotation, context, budget, result.shapes)
      .collect(integersOf(family.shapes.front(), true), integersOf(family.shapes.front(), false));
  return result;
}

} // namespace warpwright::vdevice
