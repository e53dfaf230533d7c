#include "analysis/annotation/Shapes.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/bit.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>

namespace warpwright {
namespace {

constexpr uint64_t MostElements = uint64_t(1) << 26; ///< 256 MiB of floats
constexpr size_t WantedShapes = 3;

using Assignment = std::vector<std::pair<std::string, int64_t>>;

/// Chooses values for scalars near a wish, inside the domain.
class ShapeCompletion {
public:
  ShapeCompletion(const Annotation &annotation, const AnnotationContext &context, const Shape *main);

  /// A legal shape near the wish, one value a scalar in the order of scalars().
  std::optional<Shape> near(const std::vector<int64_t> &wish, ShapeOrigin origin);
  const std::vector<std::string> &scalars() const { return scalars_; }
  int64_t mainValue(llvm::StringRef name) const;
  /// Whether any expression has no value before its template is instantiated.
  bool dependent() const;
  /// The largest power of two that, given to all scalars at once, keeps every buffer within `elements`.
  int64_t largestFor(uint64_t elements);

private:
  Shape shapeOf(const std::vector<int64_t> &values, ShapeOrigin origin) const;
  bool isLegal(const Shape &shape, uint64_t elements) const;
  /// The value nearest to the wish that fulfils every require() about this scalar alone.
  int64_t adjust(const std::string &name, int64_t wish, bool indivisible) const;
  bool fulfilsAlone(const std::string &name, int64_t value) const;

  const Annotation &annotation_;
  const AnnotationContext &context_;
  const Shape *main_;
  std::vector<std::string> scalars_;
  uint64_t limit_ = MostElements;
};

uint64_t largestExtent(const Annotation &annotation, const Shape &shape, const AnnotationContext &context) {
  llvm::Expected<std::map<std::string, uint64_t>> extents = evaluateExtents(annotation, shape, context);
  if (!extents) {
    llvm::consumeError(extents.takeError());
    return UINT64_MAX;
  }
  uint64_t largest = 0;
  for (const auto &[name, elements] : *extents)
    largest = std::max(largest, elements);
  return largest;
}

ShapeCompletion::ShapeCompletion(const Annotation &annotation, const AnnotationContext &context,
                                 const Shape *main)
    : annotation_(annotation), context_(context), main_(main) {
  auto add = [&](llvm::StringRef name) {
    const AnnotationParameter *parameter = context.find(name);
    if (parameter && parameter->kind == ParameterKind::Integer && !llvm::is_contained(scalars_, name))
      scalars_.push_back(name.str());
  };
  if (main)
    for (const auto &[name, value] : main->values)
      add(name);
  for (const NameUse &use : annotation.usedNames())
    add(use.name);
  if (main)
    limit_ = std::max(limit_, largestExtent(annotation, *main, context));
}

int64_t ShapeCompletion::mainValue(llvm::StringRef name) const {
  assert(main_ && "only of a family with a main shape");
  auto found = main_->values.find(name.str());
  if (found == main_->values.end())
    return 1;
  const auto *integer = std::get_if<int64_t>(&found->second);
  return integer ? *integer : 1;
}

bool ShapeCompletion::dependent() const {
  return llvm::any_of(annotation_.usedNames(),
                      [&](const NameUse &use) { return context_.isDependent(use.name); });
}

Shape ShapeCompletion::shapeOf(const std::vector<int64_t> &values, ShapeOrigin origin) const {
  Shape shape;
  shape.origin = origin;
  // Floating scalars are no sizes: they stay as the main shape has them.
  if (main_)
    shape.values = main_->values;
  for (size_t i = 0; i < scalars_.size(); ++i)
    shape.values[scalars_[i]] = values[i];
  return shape;
}

bool ShapeCompletion::isLegal(const Shape &shape, uint64_t elements) const {
  llvm::Expected<bool> fulfilled = fulfilsRequirements(annotation_, shape, context_);
  if (!fulfilled) {
    llvm::consumeError(fulfilled.takeError());
    return false;
  }
  if (!*fulfilled || largestExtent(annotation_, shape, context_) > elements)
    return false;
  if (!annotation_.grid || !annotation_.block)
    return true;
  llvm::Expected<Launch> launch = evaluateLaunch(annotation_, shape, context_);
  if (launch)
    return true;
  llvm::consumeError(launch.takeError());
  return false;
}

bool ShapeCompletion::fulfilsAlone(const std::string &name, int64_t value) const {
  ScalarValues values = context_.constantValues();
  values[name] = value;
  for (const ValueClause &requirement : annotation_.requirements) {
    std::vector<NameUse> names = requirement.value.names();
    bool alone = llvm::all_of(names, [&](const NameUse &use) { return values.count(use.name) != 0; });
    if (!alone)
      continue;
    llvm::Expected<int64_t> holds = requirement.value.evaluate(values);
    if (holds && *holds != 0)
      continue;
    if (!holds)
      llvm::consumeError(holds.takeError());
    return false;
  }
  return true;
}

int64_t ShapeCompletion::adjust(const std::string &name, int64_t wish, bool indivisible) const {
  if (fulfilsAlone(name, wish))
    return wish;
  // Steps of 32 once around find multiples of what kernels are usually tiled by; the window is small enough
  // to try whole. Where nothing may divide, the value with the fewest factors of two wins, the nearest of
  // those.
  constexpr int64_t Window = 1024;
  std::optional<int64_t> best;
  auto isBetter = [&](int64_t value) {
    if (!best)
      return true;
    return indivisible &&
           llvm::countr_zero(static_cast<uint64_t>(value)) < llvm::countr_zero(static_cast<uint64_t>(*best));
  };
  for (int64_t distance = 1; distance <= Window; ++distance)
    for (int64_t value : {wish - distance, wish + distance})
      if (value > 0 && fulfilsAlone(name, value) && isBetter(value))
        best = value;
  for (int64_t value = 1; !best && value <= (int64_t(1) << 40); value *= 2)
    if (fulfilsAlone(name, value))
      best = value;
  return best.value_or(wish);
}

std::optional<Shape> ShapeCompletion::near(const std::vector<int64_t> &wish, ShapeOrigin origin) {
  bool indivisible = origin == ShapeOrigin::Indivisible;
  std::vector<int64_t> values;
  for (size_t i = 0; i < scalars_.size(); ++i)
    values.push_back(adjust(scalars_[i], wish[i], indivisible));
  Shape shape = shapeOf(values, origin);
  if (isLegal(shape, limit_))
    return shape;
  // Conditions that tie scalars together are mostly met by equal values, or by changing one scalar of the
  // main shape.
  for (int64_t value : values) {
    Shape equal = shapeOf(std::vector<int64_t>(values.size(), value), origin);
    if (isLegal(equal, limit_))
      return equal;
  }
  for (size_t i = 0; main_ && i < values.size(); ++i) {
    std::vector<int64_t> one;
    for (size_t j = 0; j < values.size(); ++j)
      one.push_back(i == j ? values[j] : mainValue(scalars_[j]));
    Shape changed = shapeOf(one, origin);
    if (isLegal(changed, limit_))
      return changed;
  }
  return std::nullopt;
}

int64_t ShapeCompletion::largestFor(uint64_t elements) {
  for (int64_t value = int64_t(1) << 26; value > 1; value /= 2) {
    std::vector<int64_t> values;
    for (const std::string &name : scalars_)
      values.push_back(adjust(name, value, false));
    if (isLegal(shapeOf(values, ShapeOrigin::Long), elements))
      return value;
  }
  return 1;
}

/// Primes, so that no tile divides them, and different ones, so that no two scalars share a factor.
int64_t primeNear(int64_t wish, size_t position) {
  auto isPrime = [](int64_t value) {
    for (int64_t factor = 2; factor * factor <= value; ++factor)
      if (value % factor == 0)
        return false;
    return value > 1;
  };
  // Larger ones would take too long to find.
  int64_t value = std::clamp<int64_t>(wish, 3, int64_t(1) << 31);
  for (size_t skipped = 0;; --value) {
    if (value <= 3)
      return 3;
    if (isPrime(value) && skipped++ == position)
      return value;
  }
}

std::vector<int64_t> wishFor(const ShapeCompletion &completion, ShapeOrigin origin, bool hasMain,
                             int64_t longest, int64_t scale) {
  std::vector<int64_t> wish;
  for (size_t i = 0; i < completion.scalars().size(); ++i) {
    int64_t base = hasMain ? completion.mainValue(completion.scalars()[i]) : longest;
    // What is small in the main shape is no size but a count of few things; it stays.
    if (hasMain && base <= 16) {
      wish.push_back(base);
      continue;
    }
    if (base <= (int64_t(1) << 40))
      base *= scale;
    int64_t value = origin == ShapeOrigin::Long     ? base
                    : origin == ShapeOrigin::Middle ? base / 4
                    : origin == ShapeOrigin::Short  ? base / 16
                                                    : primeNear(base / 8 + 1, i);
    wish.push_back(std::max<int64_t>(value, 1));
  }
  return wish;
}

/// Adds what is new and legal of the four completed shapes.
void addShapes(ShapeCompletion &completion, bool hasMain, int64_t longest, int64_t scale,
               ShapeFamily &family) {
  for (ShapeOrigin origin :
       {ShapeOrigin::Long, ShapeOrigin::Middle, ShapeOrigin::Short, ShapeOrigin::Indivisible}) {
    std::optional<Shape> shape =
        completion.near(wishFor(completion, origin, hasMain, longest, scale), origin);
    bool isNew = shape && llvm::none_of(family.shapes,
                                        [&](const Shape &known) { return known.values == shape->values; });
    if (isNew)
      family.shapes.push_back(std::move(*shape));
  }
}

} // namespace

llvm::StringRef toString(ShapeOrigin origin) {
  switch (origin) {
  case ShapeOrigin::Given:
    return "given";
  case ShapeOrigin::Short:
    return "short";
  case ShapeOrigin::Middle:
    return "middle";
  case ShapeOrigin::Long:
    return "long";
  case ShapeOrigin::Indivisible:
    return "indivisible";
  }
  return "unknown";
}

std::string Shape::str() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::ListSeparator comma;
  for (const auto &[name, value] : values) {
    stream << comma << name << " = ";
    if (const auto *integer = std::get_if<int64_t>(&value))
      stream << *integer;
    else
      stream << llvm::format("%g", std::get<double>(value));
  }
  return text;
}

llvm::Expected<Shape> resolveShape(const ShapeClause &clause, const AnnotationContext &context) {
  Shape shape;
  ScalarValues constants = context.constantValues();
  for (const Binding &binding : clause.bindings) {
    if (const auto *real = std::get_if<double>(&binding.value)) {
      shape.values[binding.name] = *real;
      continue;
    }
    llvm::Expected<int64_t> value = std::get<ScalarExpression>(binding.value).evaluate(constants);
    if (!value)
      return value.takeError();
    shape.values[binding.name] = *value;
  }
  return shape;
}

ShapeFamily completeShapes(const Annotation &annotation, const AnnotationContext &context) {
  ShapeFamily family;
  for (const ShapeClause &clause : annotation.shapes) {
    llvm::Expected<Shape> shape = resolveShape(clause, context);
    if (shape)
      family.shapes.push_back(std::move(*shape));
    else
      family.note += llvm::toString(shape.takeError()) + "; ";
  }
  if (family.shapes.size() >= WantedShapes)
    return family;
  std::optional<Shape> main;
  if (!family.shapes.empty())
    main = family.shapes.front();
  ShapeCompletion completion(annotation, context, main ? &*main : nullptr);
  if (completion.scalars().empty() || completion.dependent()) {
    family.note += completion.dependent() ? "a constant depends on the instantiation"
                                          : "the annotation uses no integer parameter that could vary";
    return family;
  }
  int64_t longest = main ? 0 : completion.largestFor(MostElements);
  addShapes(completion, main.has_value(), longest, 1, family);
  // Around a small main shape the smaller ones coincide; then larger ones join.
  constexpr int64_t Enlarged = 8;
  if (family.shapes.size() < WantedShapes)
    addShapes(completion, main.has_value(), longest, Enlarged, family);
  if (family.shapes.size() < WantedShapes)
    family.note += "fewer than three different shapes were found that fulfil require() and can be launched";
  return family;
}

} // namespace warpwright
