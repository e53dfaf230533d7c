#include "rewriters/LaunchPlan.h"

#include "analysis/annotation/Shapes.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

/// What expressions of a plan may name.
ScalarValues namesOf(const Launch &original, const AnnotationContext &context) {
  ScalarValues values = {{"grid.x", original.grid.x},
                         {"grid.y", original.grid.y},
                         {"grid.z", original.grid.z},
                         {"block.x", original.block.x},
                         {"block.y", original.block.y},
                         {"block.z", original.block.z},
                         {"dynamic_shared", original.dynamicSharedBytes}};
  for (const auto &[name, value] : context.constantValues())
    values[name] = value;
  for (const auto &[name, value] : original.arguments)
    if (const auto *integer = std::get_if<int64_t>(&value))
      values[name] = *integer;
  return values;
}

/// The error's words, without the offset into an expression that stands alone.
std::string messageOf(llvm::Error error) {
  std::string message;
  error = llvm::handleErrors(std::move(error),
                             [&](const AnnotationError &mistake) { message = mistake.diagnostic().message; });
  return error ? llvm::toString(std::move(error)) : message;
}

/// The name that the expression consists of; empty where it is anything else.
std::string singleName(const ScalarExpression &expression) {
  std::vector<NameUse> names = expression.names();
  return names.size() == 1 && names.front().name == expression.str() ? names.front().name : std::string();
}

class PlanEvaluator {
public:
  PlanEvaluator(const LaunchPlan &plan, const Launch &original, const AnnotationContext &context,
                llvm::ArrayRef<AnnotationContext> kernels)
      : plan_(plan), original_(original), context_(context), kernels_(kernels),
        values_(namesOf(original, context)) {}

  llvm::Expected<std::optional<ConcretePlan>> evaluate() {
    if (plan_.guard) {
      llvm::Expected<int64_t> holds = plan_.guard->evaluate(values_);
      if (!holds)
        return fail("guard", holds.takeError());
      if (*holds == 0)
        return std::nullopt;
    }
    ConcretePlan result;
    for (const ScratchBuffer &scratch : plan_.scratch) {
      if (isPointer(scratch.name))
        return fail("scratch '" + scratch.name + "' has the name of a parameter");
      llvm::Expected<uint64_t> bytes = evaluateBytes(scratch.bytes);
      if (!bytes)
        return fail("scratch '" + scratch.name + "'", bytes.takeError());
      result.scratch.push_back({scratch.name, *bytes});
    }
    for (const PlanStep &step : plan_.steps) {
      llvm::Expected<ConcreteStep> concrete =
          std::visit([&](const auto &one) { return evaluate(one); }, step);
      if (!concrete)
        return concrete.takeError();
      result.steps.push_back(std::move(*concrete));
    }
    return result;
  }

private:
  llvm::Error fail(const llvm::Twine &message) const {
    return llvm::createStringError("plan for '" + plan_.kernel + "': " + message);
  }
  llvm::Error fail(const llvm::Twine &where, llvm::Error error) const {
    return fail(where + ": " + messageOf(std::move(error)));
  }

  llvm::Expected<uint64_t> evaluateBytes(const ScalarExpression &expression) const {
    llvm::Expected<int64_t> bytes = expression.evaluate(values_);
    if (!bytes)
      return bytes.takeError();
    if (*bytes < 0)
      return llvm::createStringError(llvm::Twine(*bytes) + " bytes");
    return static_cast<uint64_t>(*bytes);
  }

  bool isPointer(llvm::StringRef name) const {
    const AnnotationParameter *parameter = context_.find(name);
    return parameter && parameter->kind == ParameterKind::Pointer;
  }
  bool isBuffer(llvm::StringRef name) const {
    return isPointer(name) ||
           llvm::any_of(plan_.scratch, [&](const ScratchBuffer &scratch) { return scratch.name == name; });
  }

  llvm::Expected<ConcreteStep> evaluate(const PlannedFill &fill) const {
    if (!isBuffer(fill.buffer))
      return fail("memset of '" + fill.buffer + "', which is no buffer");
    llvm::Expected<uint64_t> bytes = evaluateBytes(fill.bytes);
    if (!bytes)
      return fail("memset of '" + fill.buffer + "'", bytes.takeError());
    return ConcreteFill{fill.buffer, fill.value, *bytes};
  }

  llvm::Expected<ConcreteStep> evaluate(const PlannedLaunch &planned) const {
    const auto *kernel = llvm::find_if(
        kernels_, [&](const AnnotationContext &known) { return known.kernel == planned.kernel; });
    if (kernel == kernels_.end())
      return fail("there is no kernel '" + planned.kernel + "'");
    ConcreteLaunch result;
    if (llvm::Error error = evaluateExtents(planned, result))
      return fail("launch of '" + planned.kernel + "'", std::move(error));
    result.launch.kernel = planned.kernel;
    result.cooperative = planned.cooperative;
    for (const auto &[name, argument] : planned.arguments)
      if (!kernel->find(name))
        return fail("'" + planned.kernel + "' has no parameter '" + name + "'");
    for (const AnnotationParameter &parameter : kernel->parameters)
      if (llvm::Error error = bind(planned, parameter, result))
        return fail("launch of '" + planned.kernel + "'", std::move(error));
    return result;
  }

  /// The annotation's own evaluation knows CUDA's limits; the names of a plan are constants to it.
  llvm::Error evaluateExtents(const PlannedLaunch &planned, ConcreteLaunch &result) const {
    AnnotationContext names;
    for (const auto &[name, value] : values_)
      names.constants[name] = value;
    Annotation annotation;
    annotation.grid = planned.grid ? planned.grid : clauseOf(original_.grid);
    annotation.block = planned.block ? planned.block : clauseOf(original_.block);
    annotation.dynamicShared = planned.dynamicShared;
    llvm::Expected<Launch> launch = evaluateLaunch(annotation, Shape(), names);
    if (!launch)
      return launch.takeError();
    result.launch = std::move(*launch);
    if (!planned.dynamicShared)
      result.launch.dynamicSharedBytes = original_.dynamicSharedBytes;
    if (!planned.cluster)
      return llvm::Error::success();
    annotation.block = planned.cluster;
    llvm::Expected<Launch> cluster = evaluateLaunch(annotation, Shape(), names);
    if (!cluster)
      return cluster.takeError();
    result.cluster = cluster->block;
    return llvm::Error::success();
  }

  static ExtentsClause clauseOf(const Dim3 &extents) {
    ExtentsClause clause;
    for (uint64_t extent : {extents.x, extents.y, extents.z})
      clause.extents.push_back(ScalarExpression::constant(static_cast<int64_t>(extent)));
    return clause;
  }

  llvm::Error bind(const PlannedLaunch &planned, const AnnotationParameter &parameter,
                   ConcreteLaunch &result) const {
    auto given = planned.arguments.find(parameter.name);
    bool isGiven = given != planned.arguments.end();
    if (parameter.kind == ParameterKind::Struct && !isGiven)
      return llvm::Error::success(); // its members are parameters of their own
    if (parameter.kind == ParameterKind::Pointer) {
      std::string buffer = parameter.name;
      if (isGiven) {
        const auto *expression = std::get_if<ScalarExpression>(&given->second);
        buffer = expression ? singleName(*expression) : std::string();
      }
      if (!isBuffer(buffer))
        return llvm::createStringError("pointer '" + parameter.name + "' gets no buffer");
      result.buffers[parameter.name] = buffer;
      return llvm::Error::success();
    }
    if (!isGiven)
      return pass(parameter.name, parameter.name, result);
    if (const auto *number = std::get_if<double>(&given->second)) {
      result.launch.arguments[parameter.name] = *number;
      return llvm::Error::success();
    }
    const auto &expression = std::get<ScalarExpression>(given->second);
    if (original_.arguments.contains(singleName(expression)))
      return pass(parameter.name, singleName(expression), result);
    llvm::Expected<int64_t> value = expression.evaluate(values_);
    if (!value)
      return value.takeError();
    if (parameter.kind == ParameterKind::Floating)
      result.launch.arguments[parameter.name] = static_cast<double>(*value);
    else
      result.launch.arguments[parameter.name] = *value;
    return llvm::Error::success();
  }

  llvm::Error pass(const std::string &parameter, const std::string &from, ConcreteLaunch &result) const {
    auto found = original_.arguments.find(from);
    if (found == original_.arguments.end())
      return llvm::createStringError("parameter '" + parameter + "' has no value");
    result.launch.arguments[parameter] = found->second;
    return llvm::Error::success();
  }

  const LaunchPlan &plan_;
  const Launch &original_;
  const AnnotationContext &context_;
  llvm::ArrayRef<AnnotationContext> kernels_;
  ScalarValues values_;
};

} // namespace

LaunchPlan LaunchPlan::same(std::string kernel) {
  LaunchPlan plan;
  plan.kernel = kernel;
  PlannedLaunch launch;
  launch.kernel = std::move(kernel);
  plan.steps.push_back(std::move(launch));
  return plan;
}

std::string LaunchPlan::label() const {
  if (!name.empty())
    return name;
  std::string label;
  for (const PlanStep &step : steps)
    if (const auto *launch = std::get_if<PlannedLaunch>(&step))
      label += (label.empty() ? "" : ", ") + launch->kernel;
  return label;
}

bool LaunchPlan::isSame() const {
  if (guard || !scratch.empty() || steps.size() != 1)
    return false;
  const auto *launch = std::get_if<PlannedLaunch>(&steps.front());
  return launch && launch->kernel == kernel && !launch->grid && !launch->block && !launch->dynamicShared &&
         !launch->cluster && !launch->cooperative && !launch->sharedCarveout && launch->arguments.empty();
}

llvm::Expected<std::optional<ConcretePlan>> evaluatePlan(const LaunchPlan &plan, const Launch &original,
                                                         const AnnotationContext &context,
                                                         llvm::ArrayRef<AnnotationContext> kernels) {
  return PlanEvaluator(plan, original, context, kernels).evaluate();
}

} // namespace warpwright
