#pragma once

#include "analysis/ast/SpecialRegisters.h"

#include <optional>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class Expr;
class FunctionDecl;
class Stmt;
class VarDecl;
} // namespace clang

namespace warpwright {

/// A kernel whose every thread works on the one element that bears its number in the grid, where there is
/// one: `int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { ... }`, or the same with a return.
struct ElementKernel {
  const clang::Stmt *declaration = nullptr; ///< of the element's number
  const clang::VarDecl *element = nullptr;
  std::string type;                         ///< of the number, without const
  const clang::Expr *bound = nullptr;       ///< how many elements there are; the same for all threads
  std::vector<const clang::Stmt *> between; ///< what stands between the declaration and the guard
  std::vector<const clang::Stmt *> work;    ///< what is done with the element
  const clang::Stmt *last = nullptr;        ///< the body's last statement
};

/// Nothing where the kernel is of another form, or asks in another way where a thread stands along x. `block`
/// is blockDim.x where it is known.
std::optional<ElementKernel> findElementKernel(const clang::FunctionDecl &kernel,
                                               const clang::ASTContext &ast, const RegisterUses &registers,
                                               std::optional<int64_t> block);

} // namespace warpwright
