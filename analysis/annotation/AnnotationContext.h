#pragma once

#include "analysis/annotation/ScalarExpression.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// The element of a buffer, or the type of a scalar, as far as inputs and tolerances depend on it.
enum class ElementKind {
  Integer, ///< bool, characters and enumerations included
  Half,
  BFloat16,
  Float,
  Double,
  Other ///< structs, vectors of integers, void
};

/// True for everything that is rounded. Vector types such as float4 have the kind of their elements.
bool isFloating(ElementKind kind);

struct ElementType {
  ElementKind kind = ElementKind::Other;
  std::string name;     ///< as the source spells it
  uint64_t bytes = 0;   ///< 0 when incomplete or void
  bool isSigned = true; ///< of an integer
};

enum class ParameterKind {
  Integer, ///< bool and enumerations included
  Floating,
  Pointer,
  Struct, ///< by value; its members are parameters of their own: "p.n"
  Other   ///< by value, but nothing an annotation can speak of: references, arrays of unknown type
};

/// A parameter of a kernel, or a member of one that is passed by value.
struct AnnotationParameter {
  std::string name;
  ParameterKind kind = ParameterKind::Other;
  ElementType type;            ///< of a pointer: what it points to
  bool pointeeIsConst = false; ///< of a pointer
};

/// What an annotation is checked against: a kernel's signature and the constants that it can name.
struct AnnotationContext {
  std::string kernel; ///< as Launch names it
  std::vector<AnnotationParameter> parameters;
  /// Template parameters, constexpr variables, enumerators and sizeof(...) of dependent types, under the
  /// names the annotation uses. Nothing: the name exists, its value depends on the instantiation.
  std::map<std::string, std::optional<int64_t>> constants;
  /// The ids forbid() may name; nothing: any.
  std::optional<std::vector<std::string>> rewriters;

  const AnnotationParameter *find(llvm::StringRef name) const;
  /// Whether the name is an integer parameter or a constant.
  bool isInteger(llvm::StringRef name) const;
  /// Whether it is a constant without a value.
  bool isDependent(llvm::StringRef name) const;
  /// The constants that have a value.
  ScalarValues constantValues() const;
  /// Every name that could stand in an annotation, for suggestions.
  std::vector<llvm::StringRef> names() const;
};

} // namespace warpwright
