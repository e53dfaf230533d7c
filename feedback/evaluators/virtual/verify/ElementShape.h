#pragma once

#include "analysis/annotation/AnnotationContext.h"

#include <llvm/ADT/StringRef.h>

#include <vector>

namespace clang {
class FunctionDecl;
}

namespace warpwright::vdevice {

/// A number in a buffer's element: one for float, four for float4, one for each member of a struct.
struct ElementPart {
  ElementKind kind = ElementKind::Integer;
  unsigned offset = 0; ///< bytes from the start of the element
  unsigned bytes = 0;
  bool isSigned = true;
  bool isBool = false; ///< holds 0 or 1 and nothing else
};

/// The element of a buffer with its numbers.
struct ElementShape {
  ElementType type;
  /// In order of their offsets. Empty where the type is not understood: void, a union, a bit-field, a pointer
  /// in a struct.
  std::vector<ElementPart> parts;
};

/// The numbers of a plain number, or of a vector of equal ones; what is compound needs the declaration.
ElementShape shapeOf(const ElementType &type);

/// What the pointer parameter, or the member "p.data" of a by-value struct, points to.
ElementShape shapeOf(const ElementType &type, const clang::FunctionDecl &kernel, llvm::StringRef pointer);

} // namespace warpwright::vdevice
