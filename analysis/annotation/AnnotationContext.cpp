#include "analysis/annotation/AnnotationContext.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {

bool isFloating(ElementKind kind) {
  return kind != ElementKind::Integer && kind != ElementKind::Other;
}

const AnnotationParameter *AnnotationContext::find(llvm::StringRef name) const {
  auto found =
      llvm::find_if(parameters, [&](const AnnotationParameter &parameter) { return parameter.name == name; });
  return found == parameters.end() ? nullptr : &*found;
}

bool AnnotationContext::isInteger(llvm::StringRef name) const {
  // A parameter hides a constant of its name, as in the kernel.
  if (const AnnotationParameter *parameter = find(name))
    return parameter->kind == ParameterKind::Integer;
  return constants.count(name.str()) != 0;
}

bool AnnotationContext::isDependent(llvm::StringRef name) const {
  if (find(name))
    return false;
  auto found = constants.find(name.str());
  return found != constants.end() && !found->second;
}

ScalarValues AnnotationContext::constantValues() const {
  ScalarValues values;
  for (const auto &[name, value] : constants)
    if (value && !find(name))
      values[name] = *value;
  return values;
}

std::vector<llvm::StringRef> AnnotationContext::names() const {
  std::vector<llvm::StringRef> all;
  for (const AnnotationParameter &parameter : parameters)
    all.push_back(parameter.name);
  for (const auto &[name, value] : constants)
    all.push_back(name);
  return all;
}

} // namespace warpwright
