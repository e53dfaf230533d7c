#include "feedback/evaluators/cuda/JobWriter.h"

#include "feedback/evaluators/cuda/PlanWriter.h"
#include "feedback/evaluators/virtual/verify/ElementShape.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;

constexpr unsigned fewestRuns = 11; ///< that a runner takes

std::string typeOf(const vdevice::ElementPart &part) {
  std::string bits = std::to_string(part.bytes * 8);
  switch (part.kind) {
  case ElementKind::BFloat16:
    return "bfloat16";
  case ElementKind::Half:
  case ElementKind::Float:
  case ElementKind::Double:
    return "float" + bits;
  default:
    return part.isBool ? "bool" : (part.isSigned ? "int" : "uint") + bits;
  }
}

/// Vectors are buffers of their members; elements of several types have no name in a job.
llvm::Expected<std::string> elementType(const vdevice::ElementShape &element, const std::string &name) {
  uint64_t covered = 0;
  for (const vdevice::ElementPart &part : element.parts) {
    if (typeOf(part) != typeOf(element.parts.front()) || part.offset != covered)
      return notMeasurable("the elements of '" + name + "' are not of one type");
    covered += part.bytes;
  }
  if (element.parts.empty() || covered != element.type.bytes)
    return notMeasurable("the elements of '" + name + "' are of a type that cannot be drawn");
  return typeOf(element.parts.front());
}

class JobWriter {
public:
  JobWriter(const MeasuredKernel &kernel, const MeasuredCode &original, const MeasuredCode &candidate,
            const LaunchPlan &plan)
      : kernel_(kernel), original_(original), candidate_(candidate), plan_(plan) {}

  llvm::Expected<Json> write(const MeasureRequest &request) const {
    Json job = {{"schema", "warpwright/job/1"},
                {"name", request.name},
                {"original", {{"cubin", original_.cubin}, {"sha256", original_.sha256}}},
                {"candidate", {{"cubin", candidate_.cubin}, {"sha256", candidate_.sha256}}}};
    job["shapes"] = Json::array();
    for (const MeasuredShape &shape : kernel_.shapes) {
      llvm::Expected<Json> value = shapeOf(shape);
      if (!value)
        return value.takeError();
      LaunchPlan same = LaunchPlan::same(kernel_.kernel->kernel.name);
      llvm::Expected<Json> original = planOf(shape, same, original_);
      if (!original)
        return original.takeError();
      llvm::Expected<Json> candidate = planOf(shape, plan_, candidate_);
      if (!candidate)
        return candidate.takeError();
      value->emplace("original", std::move(*original));
      value->emplace("candidate", std::move(*candidate));
      job["shapes"].push_back(std::move(*value));
    }
    job["seeds"] = request.firstLook ? std::vector{request.seeds.front()} : request.seeds;
    // Every buffer says its own.
    job["tolerance"] = {{"exact", true}};
    job["measure"] = {{"timing", request.timing}};
    if (request.firstLook)
      job["measure"].update({{"warm_ups", 3},
                             {"runs", fewestRuns},
                             {"fresh_runs", 0},
                             {"cold_runs", 0},
                             {"seconds_a_shape", 0.05},
                             {"repeat_seconds", 0},
                             {"check_after", false}});
    job["limits"] = {{"seconds", request.secondsALimit}, {"run_seconds", request.secondsARun}};
    return job;
  }

  /// The candidate's plan as the only one of the job.
  llvm::Expected<Json> writeProfile(const ProfileOrder &order) const {
    Json job = {{"schema", "warpwright/job/1"},
                {"name", order.name},
                {"original", {{"cubin", candidate_.cubin}, {"sha256", candidate_.sha256}}},
                {"shapes", Json::array()},
                {"seeds", {1}},
                {"tolerance", {{"exact", true}}},
                {"measure", {{"timing", false}}},
                {"profile", Json::object()},
                {"limits", {{"seconds", order.secondsALimit}, {"run_seconds", order.secondsARun}}}};
    for (size_t i = 0; i < kernel_.shapes.size(); ++i) {
      if (!order.shapes.empty() && !llvm::is_contained(order.shapes, i))
        continue;
      llvm::Expected<Json> value = shapeOf(kernel_.shapes[i]);
      if (!value)
        return value.takeError();
      llvm::Expected<Json> plan = planOf(kernel_.shapes[i], plan_, candidate_);
      if (!plan)
        return plan.takeError();
      value->emplace("original", std::move(*plan));
      job["shapes"].push_back(std::move(*value));
    }
    return job;
  }

private:
  /// The shape's name and buffers.
  llvm::Expected<Json> shapeOf(const MeasuredShape &shape) const {
    Json value = {{"name", shape.label}, {"buffers", Json::array()}};
    for (const AnnotationParameter &parameter : kernel_.signature.parameters) {
      if (parameter.kind != ParameterKind::Pointer)
        continue;
      llvm::Expected<Json> buffer = bufferOf(shape, parameter);
      if (!buffer)
        return buffer.takeError();
      value["buffers"].push_back(std::move(*buffer));
    }
    return value;
  }

  llvm::Expected<Json> planOf(const MeasuredShape &shape, const LaunchPlan &plan,
                              const MeasuredCode &code) const {
    llvm::Expected<std::optional<ConcretePlan>> concrete =
        evaluatePlan(plan, shape.launch, kernel_.signature, code.signatures);
    if (!concrete)
      return notMeasurable(llvm::toString(concrete.takeError()) + " (with " + shape.label + ")");
    if (*concrete)
      return writePlan(plan, **concrete, code);
    // The candidate's file holds the original, too, though only the copy of it was analysed there.
    MeasuredCode both = code;
    both.kernels = original_.kernels;
    both.signatures = original_.signatures;
    return planOf(shape, LaunchPlan::same(kernel_.kernel->kernel.name), both);
  }

  llvm::Expected<Json> bufferOf(const MeasuredShape &shape, const AnnotationParameter &parameter) const {
    vdevice::ElementShape element =
        vdevice::shapeOf(parameter.type, *kernel_.kernel->kernel.declaration, parameter.name);
    llvm::Expected<std::string> type = elementType(element, parameter.name);
    if (!type)
      return type.takeError();
    const BufferClause *clause = kernel_.annotation.findBuffer(parameter.name);
    BufferDirection direction = clause ? clause->direction : BufferDirection::InOut;
    Json buffer = {{"name", parameter.name},
                   {"type", *type},
                   {"count", shape.extents.at(parameter.name) * element.parts.size()},
                   {"role", toString(direction)}};
    if (direction != BufferDirection::Out) {
      llvm::Expected<Json> init = initOf(shape, parameter);
      if (!init)
        return init.takeError();
      buffer["init"] = std::move(*init);
    }
    buffer["tolerance"] = toleranceOf(parameter.type.kind);
    return buffer;
  }

  llvm::Expected<Json> initOf(const MeasuredShape &shape, const AnnotationParameter &parameter) const {
    Initialiser init = initialiserFor(kernel_.annotation, parameter.name, parameter.type.kind);
    Json value = {{"distribution", toString(init.distribution)}};
    if (init.distribution == Distribution::Uniform || init.distribution == Distribution::Normal) {
      value["first"] = init.first;
      value["second"] = init.second;
    }
    if (init.distribution != Distribution::Integers)
      return value;
    ScalarValues scalars = valuesOf(shape.shape, kernel_.signature);
    for (auto [key, bound] : {std::pair{"low", &init.low}, {"high", &init.high}}) {
      llvm::Expected<int64_t> number = (*bound)->evaluate(scalars);
      if (!number)
        return notMeasurable("init() of '" + parameter.name + "': " + llvm::toString(number.takeError()));
      value[key] = *number;
    }
    return value;
  }

  Json toleranceOf(ElementKind kind) const {
    Tolerance tolerance = toleranceFor(kernel_.annotation, kind);
    if (tolerance.exact)
      return {{"exact", true}};
    return {{"relative", tolerance.relative}, {"absolute", tolerance.absolute}, {"bias", tolerance.bias}};
  }

  const MeasuredKernel &kernel_;
  const MeasuredCode &original_;
  const MeasuredCode &candidate_;
  const LaunchPlan &plan_;
};

} // namespace

llvm::Expected<Json> writeJob(const MeasuredKernel &kernel, const MeasuredCode &original,
                              const MeasuredCode &candidate, const LaunchPlan &plan,
                              const MeasureRequest &request) {
  return JobWriter(kernel, original, candidate, plan).write(request);
}

llvm::Expected<Json> writeProfileJob(const MeasuredKernel &kernel, const MeasuredCode &original,
                                     const MeasuredCode &code, const LaunchPlan &plan,
                                     const ProfileOrder &order) {
  return JobWriter(kernel, original, code, plan).writeProfile(order);
}

} // namespace warpwright
