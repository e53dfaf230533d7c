#include "feedback/evaluators/virtual/verify/OriginalKernel.h"

#include <llvm/ADT/STLExtras.h>

#include <numeric>

namespace warpwright::vdevice {
namespace {

/// Supposed for integers of which nothing is known; shrinking makes them small.
constexpr int64_t SupposedInteger = 1024;
/// A dry run of a buffer whose extent is not known begins with this many elements.
constexpr uint64_t FirstExtent = uint64_t(1) << 16;
constexpr uint64_t LargestExtent = uint64_t(1) << 26;

ExtentsClause clauseOf(const Dim3 &extents) {
  ExtentsClause clause;
  for (uint64_t extent : {extents.x, extents.y, extents.z})
    clause.extents.push_back(ScalarExpression::constant(static_cast<int64_t>(extent)));
  return clause;
}

/// Faults after which contents mean nothing.
bool endsAll(FaultKind kind) {
  return kind != FaultKind::BlockRace && kind != FaultKind::SharedRace &&
         kind != FaultKind::UninitialisedRead;
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
    (*prepared)->cases = casesFor(shapes_.empty() && !shape.isEdge, shape.isEdge);
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
  if (!chosen.note.empty())
    note(chosen.note);
  return true;
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

/// Extents that the annotation gives; the others by dry runs in buffers that grow until nothing lies beyond
/// them.
llvm::Error OriginalKernel::inferExtents(PreparedShape &shape) {
  llvm::Expected<std::map<std::string, uint64_t>> given =
      evaluateExtents(annotation_, shape.shape.shape, signature_);
  if (!given)
    return given.takeError();
  std::vector<size_t> open;
  for (size_t i = 0; i < pointers_.size(); ++i) {
    auto found = given->find(pointers_[i]->name);
    shape.extents.push_back(found == given->end() ? FirstExtent : found->second);
    if (found != given->end())
      continue;
    open.push_back(i);
    note("the extent of '" + pointers_[i]->name + "' is what the original touches");
  }
  if (open.empty())
    return llvm::Error::success();
  std::vector<uint64_t> touched(pointers_.size());
  for (InputKind kind : {InputKind::Declared, InputKind::Wide, InputKind::Adversarial})
    while (true) {
      llvm::Expected<OriginalRun> dry = runOnce(shape, {kind, 1});
      if (!dry)
        return dry.takeError();
      if (dry->result.state == LaunchOutcome::State::Undecided)
        return llvm::createStringError(dry->result.reason);
      bool grew = false;
      for (size_t i : open) {
        uint64_t element = std::max<uint64_t>(pointers_[i]->type.bytes, 1);
        touched[i] = std::max(touched[i], (dry->result.touched[i] + element - 1) / element);
        bool isBeyond = llvm::any_of(dry->result.faults, [&](const Fault &fault) {
          return fault.kind == FaultKind::OutOfBounds && fault.memory &&
                 fault.memory->object == pointers_[i]->name && fault.memory->offset >= 0;
        });
        if (!isBeyond || shape.extents[i] >= LargestExtent)
          continue;
        shape.extents[i] *= 16;
        grew = true;
      }
      if (!grew)
        break;
    }
  for (size_t i : open)
    shape.extents[i] = touched[i];
  return llvm::Error::success();
}

bool OriginalKernel::hasSpecialInputs() const {
  return !annotation_.allows(Permission::FastMath) &&
         llvm::any_of(pointers_, [&](const AnnotationParameter *pointer) {
           const BufferClause *buffer = annotation_.findBuffer(pointer->name);
           bool isInput = !buffer || buffer->direction != BufferDirection::Out;
           return isInput && isFloating(pointer->type.kind) && !annotation_.findInit(pointer->name);
         });
}

std::vector<InputCase> OriginalKernel::casesFor(bool isMain, bool isEdge) const {
  constexpr InputKind Kinds[] = {InputKind::Declared, InputKind::Wide, InputKind::Adversarial};
  std::vector<InputCase> cases;
  if (isEdge) {
    for (uint64_t seed = 0; seed < 3; ++seed)
      cases.push_back({Kinds[seed], seed, seed == 2});
    if (hasSpecialInputs())
      cases.push_back({InputKind::Special, 0});
    return cases;
  }
  unsigned seeds = isMain ? options_.seeds : std::min(options_.seeds, 2u);
  for (InputKind kind : Kinds)
    for (uint64_t seed = 0; seed < seeds; ++seed)
      cases.push_back({kind, seed, /*misaligned=*/seed % 2 != 0, /*checked=*/seed < 2});
  if (hasSpecialInputs())
    for (uint64_t seed = 0; seed < std::min(seeds, 2u); ++seed)
      cases.push_back({InputKind::Special, seed, false, seed == 0});
  for (uint64_t order = 1; order <= (isMain ? options_.orders : 1); ++order) {
    cases.push_back({InputKind::Wide, 0, false, false, order});
    if (isMain)
      cases.push_back({InputKind::Declared, 0, false, false, order});
  }
  if (isMain)
    addAliasCases(cases);
  return cases;
}

void OriginalKernel::addAliasCases(std::vector<InputCase> &cases) const {
  for (size_t first = 0; first < pointers_.size(); ++first)
    for (size_t second = first + 1; second < pointers_.size(); ++second) {
      const AnnotationParameter &a = *pointers_[first], &b = *pointers_[second];
      if ((a.pointeeIsConst && b.pointeeIsConst) || a.type.bytes != b.type.bytes ||
          annotation_.areDistinct(a.name, b.name))
        continue;
      InputCase input{InputKind::Declared, 0};
      input.alias = {first, second};
      cases.push_back(input);
    }
}

std::string OriginalKernel::circumstances(const InputCase &input) const {
  std::string text;
  auto add = [&](const std::string &part) { text += (text.empty() ? "" : ", ") + part; };
  if (input.alias)
    add(pointers_[input.alias->second]->name + " aliases " + pointers_[input.alias->first]->name);
  if (input.misaligned)
    add("pointers off by one element");
  if (input.order != 0)
    add("blocks and warps in order " + std::to_string(input.order));
  return text;
}

llvm::Expected<std::vector<RunBuffer>> OriginalKernel::makeBuffers(const PreparedShape &shape,
                                                                   const InputCase &input) const {
  std::vector<RunBuffer> buffers;
  ScalarValues scalars = valuesOf(shape.shape.shape, signature_);
  for (size_t i = 0; i < pointers_.size(); ++i) {
    const AnnotationParameter &pointer = *pointers_[i];
    const BufferClause *clause = annotation_.findBuffer(pointer.name);
    bool isOutput = clause && clause->direction == BufferDirection::Out;
    bool sharesWithInput = input.alias && (input.alias->first == i || input.alias->second == i);
    RunBuffer buffer;
    buffer.name = pointer.name;
    buffer.elementBytes = static_cast<unsigned>(pointer.type.bytes);
    DrawRequest draw;
    draw.name = pointer.name;
    draw.element = elements_[i];
    draw.elements = shape.extents[i];
    if (input.alias && input.alias->first == i) // large enough for both
      draw.elements = std::max(draw.elements, shape.extents[input.alias->second]);
    draw.initialiser = initialiserFor(annotation_, pointer.name, pointer.type.kind);
    draw.isDeclared = annotation_.findInit(pointer.name) != nullptr;
    draw.scalars = scalars;
    draw.kind = input.kind == InputKind::Special && draw.isDeclared ? InputKind::Declared : input.kind;
    draw.seed = input.seed;
    draw.infinities = toleranceFor(annotation_, pointer.type.kind).exact;
    if (isOutput && !sharesWithInput) {
      buffer.contents.resize(draw.elements * pointer.type.bytes);
      poison(buffer.contents);
      buffer.initialised = false;
    } else {
      llvm::Expected<std::vector<uint8_t>> contents = drawBuffer(draw);
      if (!contents)
        return contents.takeError();
      buffer.contents = std::move(*contents);
    }
    if (input.alias && input.alias->second == i)
      buffer.alias = input.alias->first;
    if (input.misaligned) {
      uint64_t alignment = std::max<uint64_t>(annotation_.alignmentOf(pointer.name), 1);
      buffer.misalignment =
          static_cast<unsigned>(std::lcm(alignment, std::max<uint64_t>(pointer.type.bytes, 1)) % 256);
    }
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

llvm::Expected<OriginalRun> OriginalKernel::runOnce(const PreparedShape &shape, const InputCase &input) {
  OriginalRun run;
  llvm::Expected<std::vector<RunBuffer>> buffers = makeBuffers(shape, input);
  if (!buffers)
    return buffers.takeError();
  run.buffers = std::move(*buffers);
  llvm::Expected<std::optional<ConcretePlan>> plan =
      evaluatePlan(LaunchPlan::same(kernel_.kernel.name), shape.launch, signature_, subject_.signatures());
  if (!plan)
    return plan.takeError();
  RunRequest request;
  request.subject = &subject_;
  request.plan = &**plan;
  request.buffers = run.buffers;
  request.checked = input.checked;
  request.orderSeed = input.order;
  llvm::Expected<RunResult> result = runPlan(request);
  if (!result)
    return result.takeError();
  run.result = std::move(*result);
  for (const Fault &fault : run.result.faults)
    if (endsAll(fault.kind) || input.alias)
      run.outside = fault.message();
  return run;
}

llvm::Expected<std::shared_ptr<const OriginalRun>> OriginalKernel::run(size_t shape, const InputCase &input) {
  for (const Kept &kept : kept_)
    if (kept.shape == shape && kept.input == input)
      return kept.run;
  llvm::Expected<OriginalRun> made = runOnce(shapes_[shape], input);
  if (!made)
    return made.takeError();
  if (input.alias && made->outside.empty()) {
    // Where the order of blocks decides, buffers that overlap are not meant.
    InputCase reordered = input;
    reordered.order = 1;
    llvm::Expected<OriginalRun> other = runOnce(shapes_[shape], reordered);
    if (!other)
      return other.takeError();
    if (other->result.contents != made->result.contents)
      made->outside = "the result depends on the order of blocks";
  }
  auto kept = std::make_shared<const OriginalRun>(std::move(*made));
  kept_.push_back({shape, input, kept});
  return kept;
}

void OriginalKernel::note(std::string text) {
  if (!llvm::is_contained(notes_, text))
    notes_.push_back(std::move(text));
}

} // namespace warpwright::vdevice
