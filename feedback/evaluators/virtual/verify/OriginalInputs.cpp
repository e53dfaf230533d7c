// What the original, and with it every candidate, is run on.

#include "feedback/evaluators/virtual/verify/OriginalKernel.h"

#include <llvm/ADT/STLExtras.h>

#include <numeric>

namespace warpwright::vdevice {

bool OriginalKernel::hasSpecialInputs() const {
  return !annotation_.allows(Permission::FastMath) &&
         llvm::any_of(pointers_, [&](const AnnotationParameter *pointer) {
           const BufferClause *buffer = annotation_.findBuffer(pointer->name);
           bool isInput = !buffer || buffer->direction != BufferDirection::Out;
           return isInput && isFloating(pointer->type.kind) && !annotation_.findInit(pointer->name);
         });
}

std::vector<InputCase> OriginalKernel::casesFor(CheckShape::Role role, bool isMain) const {
  constexpr InputKind Kinds[] = {InputKind::Declared, InputKind::Wide, InputKind::Adversarial};
  std::vector<InputCase> cases;
  // Where tiles are, arithmetic is known to be right. The order of blocks is, with few blocks, not.
  if (role == CheckShape::Role::Ragged)
    return {{InputKind::Declared, 0},
            {InputKind::Wide, 1, /*misaligned=*/true, /*checked=*/false},
            {InputKind::Declared, 0, /*misaligned=*/false, /*checked=*/false, /*order=*/1}};
  if (role == CheckShape::Role::Whole)
    return {{InputKind::Declared, 0}};
  if (role == CheckShape::Role::Edge) {
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

} // namespace warpwright::vdevice
