#include "analysis/annotation/Shapes.h"

#include <limits>

namespace warpwright {
namespace {

/// Limits of every architecture since 3.0: CUDA C++ Programming Guide, "Compute Capabilities", technical
/// specifications per compute capability.
struct ExtentLimits {
  const char *what;
  int64_t largest[3];
};
constexpr ExtentLimits GridLimits = {"grid", {std::numeric_limits<int32_t>::max(), 65535, 65535}};
constexpr ExtentLimits BlockLimits = {"block", {1024, 1024, 64}};
constexpr uint64_t LargestBlock = 1024;

llvm::Expected<Dim3> evaluateDim3(const ExtentsClause &clause, const ExtentLimits &limits,
                                  const ScalarValues &values) {
  uint64_t extents[3] = {1, 1, 1};
  assert(clause.extents.size() <= 3 && "the parser takes at most three extents");
  for (size_t i = 0; i < clause.extents.size(); ++i) {
    llvm::Expected<int64_t> value = clause.extents[i].evaluate(values);
    if (!value)
      return value.takeError();
    const char axis = "xyz"[i];
    if (*value <= 0)
      return makeMistake(Mistake::BadLaunch, clause.extents[i].range(),
                         llvm::Twine("the ") + limits.what + "'s " + llvm::Twine(axis) + " is " +
                             llvm::Twine(*value) + ", not positive");
    if (*value > limits.largest[i])
      return makeMistake(Mistake::BadLaunch, clause.extents[i].range(),
                         llvm::Twine("the ") + limits.what + "'s " + llvm::Twine(axis) + " is " +
                             llvm::Twine(*value) + ", but at most " + llvm::Twine(limits.largest[i]));
    extents[i] = *value;
  }
  return Dim3{extents[0], extents[1], extents[2]};
}

/// The type of the parameter holds the value.
llvm::Error checkFits(const AnnotationParameter &parameter, int64_t value) {
  const ElementType &type = parameter.type;
  if (parameter.kind != ParameterKind::Integer || type.bytes == 0 || type.bytes >= 8)
    return llvm::Error::success();
  unsigned bits = type.bytes * 8;
  int64_t smallest = type.isSigned ? -(int64_t(1) << (bits - 1)) : 0;
  int64_t largest = type.isSigned ? (int64_t(1) << (bits - 1)) - 1 : (int64_t(1) << bits) - 1;
  if (value >= smallest && value <= largest)
    return llvm::Error::success();
  return llvm::createStringError(llvm::Twine(value) + " does not fit '" + parameter.name + "', which is '" +
                                 type.name + "'");
}

llvm::Error bindArguments(const Shape &shape, const AnnotationContext &context, Launch &launch) {
  for (const auto &[name, value] : shape.values) {
    const AnnotationParameter *parameter = context.find(name);
    if (!parameter)
      return llvm::createStringError("'" + name + "' is no parameter of the kernel");
    if (const auto *integer = std::get_if<int64_t>(&value)) {
      if (llvm::Error error = checkFits(*parameter, *integer))
        return error;
      if (parameter->kind == ParameterKind::Floating) {
        launch.arguments[name] = static_cast<double>(*integer);
        continue;
      }
    }
    launch.arguments[name] = value;
  }
  return llvm::Error::success();
}

} // namespace

ScalarValues valuesOf(const Shape &shape, const AnnotationContext &context) {
  ScalarValues values = context.constantValues();
  for (const auto &[name, value] : shape.values)
    if (const auto *integer = std::get_if<int64_t>(&value))
      values[name] = *integer;
  return values;
}

llvm::Expected<Launch> evaluateLaunch(const Annotation &annotation, const Shape &shape,
                                      const AnnotationContext &context) {
  if (!annotation.grid || !annotation.block)
    return llvm::createStringError(llvm::Twine("the annotation gives no ") +
                                   (annotation.grid ? "block" : "grid"));
  ScalarValues values = valuesOf(shape, context);
  Launch launch;
  launch.kernel = context.kernel;
  llvm::Expected<Dim3> grid = evaluateDim3(*annotation.grid, GridLimits, values);
  if (!grid)
    return grid.takeError();
  llvm::Expected<Dim3> block = evaluateDim3(*annotation.block, BlockLimits, values);
  if (!block)
    return block.takeError();
  if (block->count() > LargestBlock)
    return makeMistake(Mistake::BadLaunch, annotation.block->range,
                       "the block has " + llvm::Twine(block->count()) + " threads, but at most " +
                           llvm::Twine(LargestBlock));
  launch.grid = *grid;
  launch.block = *block;
  if (annotation.dynamicShared) {
    llvm::Expected<int64_t> bytes = annotation.dynamicShared->value.evaluate(values);
    if (!bytes)
      return bytes.takeError();
    if (*bytes < 0)
      return makeMistake(Mistake::BadLaunch, annotation.dynamicShared->value.range(),
                         "dynamic shared memory is " + llvm::Twine(*bytes) + " bytes");
    launch.dynamicSharedBytes = *bytes;
  }
  if (llvm::Error error = bindArguments(shape, context, launch))
    return std::move(error);
  return launch;
}

llvm::Expected<std::map<std::string, uint64_t>>
evaluateExtents(const Annotation &annotation, const Shape &shape, const AnnotationContext &context) {
  ScalarValues values = valuesOf(shape, context);
  std::map<std::string, uint64_t> extents;
  for (const BufferClause &buffer : annotation.buffers) {
    if (!buffer.extent)
      continue;
    llvm::Expected<int64_t> extent = buffer.extent->evaluate(values);
    if (!extent)
      return extent.takeError();
    if (*extent < 0)
      return makeMistake(Mistake::BadValue, buffer.extent->range(),
                         "'" + buffer.name + "' has " + llvm::Twine(*extent) + " elements");
    extents[buffer.name] = *extent;
  }
  return extents;
}

llvm::Expected<bool> fulfilsRequirements(const Annotation &annotation, const Shape &shape,
                                         const AnnotationContext &context) {
  ScalarValues values = valuesOf(shape, context);
  for (const ValueClause &requirement : annotation.requirements) {
    llvm::Expected<int64_t> value = requirement.value.evaluate(values);
    if (!value)
      return value.takeError();
    if (*value == 0)
      return false;
  }
  return true;
}

std::vector<std::string> unboundScalars(const Shape &shape, const AnnotationContext &context) {
  std::vector<std::string> unbound;
  for (const AnnotationParameter &parameter : context.parameters) {
    bool isScalar = parameter.kind == ParameterKind::Integer || parameter.kind == ParameterKind::Floating;
    if (isScalar && !shape.values.count(parameter.name))
      unbound.push_back(parameter.name);
  }
  return unbound;
}

Tolerance toleranceFor(const Annotation &annotation, ElementKind kind) {
  if (annotation.hasLost(ClauseKind::ToleranceOf))
    return {};
  if (const std::optional<ToleranceClause> &given = annotation.tolerance) {
    if (given->exact)
      return {};
    double relative = given->relative.value_or(0);
    return {false, relative, given->absolute.value_or(0), given->bias.value_or(relative / 10)};
  }
  bool rounds = annotation.allows(Permission::Reassociate) || annotation.allows(Permission::FastMath) ||
                annotation.allows(Permission::TensorCores);
  if (!rounds || !isFloating(kind))
    return {};
  double relative = kind == ElementKind::Double ? 1e-9 : kind == ElementKind::Float ? 1e-3 : 1e-2;
  return {false, relative, 0, relative / 10};
}

Initialiser initialiserFor(const Annotation &annotation, llvm::StringRef name, ElementKind kind) {
  if (const InitClause *clause = annotation.findInit(name))
    return clause->initialiser;
  Initialiser initialiser;
  if (isFloating(kind)) {
    initialiser.distribution = Distribution::Uniform;
    initialiser.first = -1;
    initialiser.second = 1;
    return initialiser;
  }
  initialiser.distribution = Distribution::Integers;
  initialiser.low = ScalarExpression::constant(0);
  initialiser.high = ScalarExpression::constant(255);
  return initialiser;
}

} // namespace warpwright
