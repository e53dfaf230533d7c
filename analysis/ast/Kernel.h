#pragma once

#include "analysis/Place.h"

#include <optional>
#include <string>
#include <vector>

namespace clang {
class FunctionDecl;
}
namespace llvm {
class Function;
}

namespace warpwright {

class TranslationUnit;

/// A scalar or pointer inside a struct that is passed by value: "grid.n" at byte 8.
struct KernelParameterMember {
  enum class Kind { Integer, Floating, Pointer };
  std::string name; ///< without the parameter's own name
  Kind kind = Kind::Integer;
  uint64_t offset = 0; ///< bytes from the start of the parameter
  uint64_t size = 0;   ///< bytes
};

/// A parameter of a kernel as the source declares it.
struct KernelParameter {
  std::string name; ///< empty where the source names none
  std::string type; ///< printed, for instance "const float *__restrict"
  bool isPointer = false;
  bool pointeeIsConst = false;
  bool isRestrict = false;
  bool isFloating = false;
  bool isInteger = false;                     ///< bool and enumerations included
  uint64_t size = 0;                          ///< bytes, on the device
  std::vector<KernelParameterMember> members; ///< of a struct; bit-fields and unions are left out
};

/// One kernel of a translation unit: a function, or one instantiation of a template.
struct Kernel {
  std::string key;    ///< file, printed name with template arguments, and signature: stable between builds
  std::string name;   ///< printed qualified name with template arguments
  std::string symbol; ///< in the device IR and in nvcc's cubin
  std::vector<KernelParameter> parameters;
  const clang::FunctionDecl *declaration = nullptr; ///< the definition; of a template, the instantiation's
  llvm::Function *function = nullptr;
  Place place;             ///< of the name in the source
  bool inMainFile = false; ///< kernels defined in headers are analysed, not rewritten
};

/// The kernels with a body, in the order in which the source defines them.
std::vector<Kernel> listKernels(TranslationUnit &unit);

} // namespace warpwright
