#include "feedback/evaluators/virtual/verify/OriginalKernel.h"

#include "feedback/evaluators/virtual/verify/GuardEdges.h"
#include "feedback/evaluators/virtual/verify/ShapeFit.h"
#include "feedback/evaluators/virtual/verify/TileShapes.h"

#include <llvm/ADT/STLExtras.h>

#include <cmath>
#include <thread>

namespace warpwright::vdevice {
namespace {

/// Supposed for integers of which nothing is known; shrinking makes them small.
constexpr int64_t SupposedInteger = 1024;

ExtentsClause clauseOf(const Dim3 &extents) {
  ExtentsClause clause;
  for (uint64_t extent : {extents.x, extents.y, extents.z})
    clause.extents.push_back(ScalarExpression::constant(static_cast<int64_t>(extent)));
  return clause;
}

} // namespace

llvm::Expected<std::unique_ptr<OriginalKernel>>
OriginalKernel::prepare(const Subject &subject, const KernelAnalysis &kernel, const VerifyOptions &options) {
  std::unique_ptr<OriginalKernel> original(new OriginalKernel(subject, kernel, options));
  if (llvm::Error error = original->prepareAll())
    return std::move(error);
  return original;
}

llvm::Error OriginalKernel::prepareAll() {
  const AnnotationContext *signature = subject_.findSignature(kernel_.kernel.name);
  assert(signature && "the subject holds the kernel");
  signature_ = *signature;
  for (const AnnotationParameter &parameter : signature_.parameters)
    if (parameter.kind == ParameterKind::Pointer) {
      pointers_.push_back(&parameter);
      elements_.push_back(shapeOf(parameter.type, *kernel_.kernel.declaration, parameter.name));
    }
  completeAnnotation();
  if (!annotation_.grid || !annotation_.block) {
    undecided_ =
        "no launch is known: the annotation gives no grid or no block, and the file launches the kernel with "
        "none that is constant";
    return llvm::Error::success();
  }
  ShapeFamily family = completeFamily();
  // Smaller shapes until a run is short; where the next would be too small to be launched, the last ones are
  // taken.
  constexpr unsigned Attempts = 6;
  ShapeBudget last = budget_;
  for (unsigned attempt = 0; attempt < Attempts; ++attempt) {
    llvm::Expected<bool> isShort = prepareShapes(family, /*takeLong=*/attempt + 1 == Attempts);
    if (!isShort)
      return isShort.takeError();
    if (*isShort && !shapes_.empty())
      return llvm::Error::success();
    if (*isShort && attempt == 0)
      return llvm::Error::success(); // nothing can be launched at all
    if (*isShort)
      break;
    last = budget_;
    budget_.threads /= 4;
    budget_.elements /= 4;
  }
  budget_ = last;
  undecided_.clear();
  return prepareShapes(family, /*takeLong=*/true).takeError();
}

void OriginalKernel::completeAnnotation() {
  annotation_ = kernel_.annotation.value_or(Annotation());
  if (!annotation_.grid)
    if (std::optional<Dim3> grid = kernel_.launchSites.commonGrid()) {
      annotation_.grid = clauseOf(*grid);
      note("the grid is that of the launch in this file");
    }
  if (!annotation_.block)
    if (std::optional<Dim3> block = kernel_.launchSites.commonBlock()) {
      annotation_.block = clauseOf(*block);
      note("the block is that of the launch in this file");
    }
}

ShapeFamily OriginalKernel::completeFamily() {
  ShapeFamily family = completeShapes(annotation_, signature_);
  if (family.shapes.empty())
    family.shapes.emplace_back();
  std::vector<std::string> supposed;
  for (Shape &shape : family.shapes)
    for (const std::string &name : unboundScalars(shape, signature_)) {
      bool isFloating = signature_.find(name)->kind == ParameterKind::Floating;
      shape.values[name] = isFloating ? Scalar(1.0) : Scalar(SupposedInteger);
      if (!llvm::is_contained(supposed, name))
        supposed.push_back(name);
    }
  for (const std::string &name : supposed)
    note("no shape() gives a value for '" + name + "', so one was supposed");
  return family;
}

/// True when a run on the main shape is short enough.
llvm::Expected<bool> OriginalKernel::prepareShapes(const ShapeFamily &family, bool takeLong) {
  shapes_.clear();
  kept_.clear();
  CheckShapes chosen = chooseCheckShapes(family, annotation_, signature_, budget_);
  if (chosen.shapes.empty()) {
    undecided_ = chosen.note.empty() ? "no shape can be launched" : chosen.note;
    return true;
  }
  for (const CheckShape &shape : chosen.shapes) {
    llvm::Expected<std::optional<PreparedShape>> prepared = prepareShape(shape);
    if (!prepared)
      return prepared.takeError();
    if (!undecided_.empty())
      return true;
    if (!*prepared)
      continue;
    (*prepared)->cases = casesFor(shape.role, shapes_.empty());
    shapes_.push_back(std::move(**prepared));
    if (shapes_.size() > 1)
      continue;
    llvm::Expected<std::shared_ptr<const OriginalRun>> first = run(0, shapes_.front().cases.front());
    if (!first)
      return first.takeError();
    if ((*first)->result.state == LaunchOutcome::State::Undecided) {
      undecided_ = (*first)->result.reason; // no smaller shape would change that, so the shape stays
      return true;
    }
    if ((*first)->result.accesses > options_.accesses && !takeLong)
      return false;
  }
  if (shapes_.empty())
    undecided_ = "the original runs without a fault on no shape";
  else if (llvm::Error error = addTileShapes(integersOf(family.shapes.front(), /*sizes=*/true)))
    return std::move(error);
  if (!chosen.note.empty())
    note(chosen.note);
  return true;
}

/// How many accesses a run makes is taken for a product of powers of the sizes, each found by a run on twice
/// the size.
llvm::Error OriginalKernel::addTileShapes(const std::vector<std::string> &sizes) {
  if (sizes.empty())
    return llvm::Error::success();
  // Sizes of one or two behave unlike all others.
  auto smallest = [&](const PreparedShape &shape) {
    std::vector<int64_t> values;
    for (const std::string &name : sizes)
      values.push_back(std::get<int64_t>(shape.shape.shape.values.at(name)));
    return shape.shape.role == CheckShape::Role::Family ? *llvm::min_element(values) : 0;
  };
  Shape main = llvm::max_element(shapes_, [&](const PreparedShape &a, const PreparedShape &b) {
                 return smallest(a) < smallest(b);
               })->shape.shape;
  auto accessesOn = [&](const Shape &shape) -> llvm::Expected<double> {
    llvm::Expected<std::optional<PreparedShape>> prepared = prepareShape({shape, shape.str()});
    if (!prepared || !*prepared)
      return prepared ? llvm::Expected<double>(0) : prepared.takeError();
    llvm::Expected<OriginalRun> run =
        runOnce(**prepared, {InputKind::Declared, 0, /*misaligned=*/false, /*checked=*/false});
    return run ? llvm::Expected<double>(static_cast<double>(run->result.accesses)) : run.takeError();
  };
  llvm::Expected<double> before = accessesOn(main);
  if (!before)
    return before.takeError();
  std::vector<std::string> all = sizes;
  for (const std::string &name : integersOf(main, /*sizes=*/false))
    if (!llvm::is_contained(all, name))
      all.push_back(name);
  std::map<std::string, double> powers;
  for (const std::string &name : all) {
    Shape twice = main;
    *integerOf(twice, name) *= 2;
    powers[name] = 1;
    if (fitOf(twice, annotation_, signature_, TileBudget().fit) != Fit::Good)
      continue;
    llvm::Expected<double> after = accessesOn(twice);
    if (!after)
      return after.takeError();
    if (*after > *before && *before > 0)
      powers[name] = std::log2(*after / *before);
  }
  auto estimate = [&](const Shape &shape) {
    double accesses = *before;
    for (const std::string &name : all) {
      double ratio = static_cast<double>(std::get<int64_t>(shape.values.at(name))) /
                     static_cast<double>(std::max<int64_t>(1, std::get<int64_t>(main.values.at(name))));
      accesses *= std::pow(ratio, powers[name]);
    }
    return accesses;
  };
  return addShapes(chooseTileShapes(main, sizes, annotation_, signature_, {}, estimate));
}

llvm::Error OriginalKernel::addGuardEdges(const ScalarExpression &guard) {
  if (!undecided_.empty() || shapes_.empty())
    return llvm::Error::success();
  return addShapes(
      chooseGuardEdges(guard, shapes_.front().shape.shape, annotation_, signature_, TileBudget().fit));
}

llvm::Error OriginalKernel::addShapes(llvm::ArrayRef<CheckShape> shapes) {
  for (const CheckShape &shape : shapes) {
    if (llvm::any_of(shapes_, [&](const PreparedShape &known) {
          return known.shape.shape.values == shape.shape.values;
        }))
      continue;
    llvm::Expected<std::optional<PreparedShape>> prepared = prepareShape(shape);
    if (!prepared)
      return prepared.takeError();
    if (!*prepared)
      continue;
    (*prepared)->cases = casesFor(shape.role, /*isMain=*/false);
    shapes_.push_back(std::move(**prepared));
  }
  undecided_.clear(); // a shape that cannot be prepared is one fewer
  return llvm::Error::success();
}

llvm::Expected<std::optional<PreparedShape>> OriginalKernel::prepareShape(const CheckShape &shape) {
  PreparedShape prepared;
  prepared.shape = shape;
  llvm::Expected<Launch> launch = evaluateLaunch(annotation_, shape.shape, signature_);
  if (!launch)
    return launch.takeError();
  prepared.launch = std::move(*launch);
  if (llvm::Error error = inferExtents(prepared)) {
    // Inputs that cannot be drawn are no fault of the tool.
    undecided_ = llvm::toString(std::move(error));
    return std::nullopt;
  }
  return prepared;
}

unsigned OriginalKernel::workers() const {
  return options_.workers != 0 ? options_.workers : std::max(1u, std::thread::hardware_concurrency());
}

void OriginalKernel::note(std::string text) {
  if (!llvm::is_contained(notes_, text))
    notes_.push_back(std::move(text));
}

} // namespace warpwright::vdevice
