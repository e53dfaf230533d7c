#include "feedback/evaluators/cuda/MeasuredKernel.h"

#include "analysis/EvaluateLaunches.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {

char NotMeasurable::ID = 0;

llvm::Error notMeasurable(const llvm::Twine &reason) {
  return llvm::make_error<NotMeasurable>(reason.str());
}

namespace {

/// Floating scalars scale what a kernel computes and seldom what it does, so that 1 will do; integers decide.
llvm::Error completeScalars(Shape &shape, MeasuredKernel &kernel) {
  for (const std::string &name : unboundScalars(shape, kernel.signature)) {
    if (kernel.signature.find(name)->kind != ParameterKind::Floating)
      return notMeasurable("no shape() gives a value for '" + name + "'");
    shape.values[name] = 1.0;
    std::string note = "'" + name + "' is supposed to be 1";
    if (!llvm::is_contained(kernel.notes, note))
      kernel.notes.push_back(note);
  }
  return llvm::Error::success();
}

/// Each annotated buffer is read or written once at least; one that is written in place, both.
uint64_t leastBytes(const MeasuredKernel &kernel, const std::map<std::string, uint64_t> &extents) {
  uint64_t bytes = 0;
  for (const auto &[name, elements] : extents) {
    const BufferClause *buffer = kernel.annotation.findBuffer(name);
    bool inPlace = buffer && buffer->direction == BufferDirection::InOut;
    bytes += elements * kernel.signature.find(name)->type.bytes * (inPlace ? 2 : 1);
  }
  return bytes;
}

void addOperations(const KernelAnalysis &kernel, const Launch &launch, ShapeWork &work) {
  for (const LaunchEvaluation &known : kernel.launches) {
    const Launch &other = known.launch;
    if (other.grid != launch.grid || other.block != launch.block || other.arguments != launch.arguments ||
        known.counters.grade == simt::CountGrade::Unknown)
      continue;
    const auto &threads = known.counters.instructions.thread;
    work.doubleOperations = threads[static_cast<unsigned>(simt::InstructionClass::Float64)];
    work.operations = threads[static_cast<unsigned>(simt::InstructionClass::Float32)] + work.doubleOperations;
    return;
  }
}

llvm::Expected<MeasuredShape> prepareShape(Shape shape, MeasuredKernel &kernel) {
  if (llvm::Error error = completeScalars(shape, kernel))
    return std::move(error);
  MeasuredShape prepared;
  llvm::Expected<Launch> launch = evaluateLaunch(kernel.annotation, shape, kernel.signature);
  if (!launch)
    return notMeasurable(llvm::toString(launch.takeError()));
  prepared.launch = std::move(*launch);
  llvm::Expected<std::map<std::string, uint64_t>> extents =
      evaluateExtents(kernel.annotation, shape, kernel.signature);
  if (!extents)
    return notMeasurable(llvm::toString(extents.takeError()));
  for (const AnnotationParameter &parameter : kernel.signature.parameters)
    if (parameter.kind == ParameterKind::Pointer && !extents->contains(parameter.name))
      return notMeasurable("the annotation gives no extent for '" + parameter.name +
                           "', which a device has to know");
  prepared.extents = std::move(*extents);
  prepared.work.bytes = leastBytes(kernel, prepared.extents);
  addOperations(*kernel.kernel, prepared.launch, prepared.work);
  prepared.label = shape.str();
  prepared.shape = std::move(shape);
  return prepared;
}

bool hasEmptyBuffer(const MeasuredShape &shape) {
  return llvm::any_of(shape.extents, [](const auto &extent) { return extent.second == 0; });
}

} // namespace

llvm::Expected<MeasuredKernel> prepareKernel(const KernelAnalysis &analysis,
                                             const AnnotationContext &signature) {
  MeasuredKernel kernel;
  kernel.kernel = &analysis;
  kernel.signature = signature;
  std::string fromLaunches;
  kernel.annotation = completedByLaunches(analysis, fromLaunches);
  if (!fromLaunches.empty())
    kernel.notes.push_back(fromLaunches);
  if (!kernel.annotation.grid || !kernel.annotation.block)
    return notMeasurable(
        "no launch is known: the annotation gives no grid or no block, and the file launches "
        "the kernel with none that is constant");
  ShapeFamily family = completeShapes(kernel.annotation, signature);
  if (!family.note.empty())
    kernel.notes.push_back(family.note);
  if (family.shapes.empty())
    family.shapes.emplace_back();
  for (Shape &shape : family.shapes) {
    llvm::Expected<MeasuredShape> prepared = prepareShape(std::move(shape), kernel);
    if (!prepared)
      return prepared.takeError();
    if (hasEmptyBuffer(*prepared))
      kernel.notes.push_back("'" + prepared->label + "' has an empty buffer and is left out");
    else
      kernel.shapes.push_back(std::move(*prepared));
  }
  if (kernel.shapes.empty())
    return notMeasurable("every shape has an empty buffer");
  return kernel;
}

} // namespace warpwright
