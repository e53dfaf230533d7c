#pragma once

#include "analysis/Place.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/StringRef.h>

#include <string>
#include <vector>

namespace clang {
class ASTContext;
class CallExpr;
class CUDAKernelCallExpr;
class Expr;
class FunctionDecl;
class Stmt;
} // namespace clang

namespace warpwright {

/// What becomes of the value that a call returns.
enum class CallResult {
  Used,
  Dropped,   ///< nobody takes it
  NeverRead, ///< it is kept in a local variable that nobody reads
  CastAway   ///< cast to void, on purpose
};

/// A call of the CUDA runtime's or the driver's API that returns an error.
struct ApiCall {
  const clang::CallExpr *call = nullptr;
  std::string name; ///< without the version that a header's macro appends: "cudaMemcpy", "cuMemAlloc"
  CallResult result = CallResult::Used;
  std::string variable; ///< where the result is kept and never read
  /// A macro of the user's spells the call or is given it: what becomes of errors is decided there.
  bool inMacro = false;
  Place place;

  bool isDriver() const { return !llvm::StringRef(name).starts_with("cuda"); }
  /// cudaGetLastError() and cudaPeekAtLastError(): they return errors of calls and launches before them.
  bool readsLastError() const { return name == "cudaGetLastError" || name == "cudaPeekAtLastError"; }
};

/// A call of anything, the construction of an object, or a lambda, which may be called where it stands.
struct HostCall {
  const clang::Expr *call = nullptr;
  const clang::FunctionDecl *callee = nullptr; ///< null: through a pointer
};

/// A function that runs on the host, or the body of a lambda; of a template, an instantiation.
struct HostFunction {
  const clang::FunctionDecl *declaration = nullptr;
  size_t owner = 0; ///< index of the function that holds the lambda; its own for others
  std::string key;  ///< as of a kernel: functionKey()
  std::string name;
  Place place; ///< of the name
  std::vector<ApiCall> apiCalls;
  std::vector<const clang::CUDAKernelCallExpr *> launches;
  std::vector<HostCall> calls; ///< all of them, those of the API included
};

/// What the functions of the host do with CUDA, outside of system headers. The parse is one for the device:
/// code that `#ifndef __CUDA_ARCH__` hides from that is not seen.
class HostCode {
public:
  explicit HostCode(clang::ASTContext &ast);

  clang::ASTContext &ast() const { return ast_; }
  llvm::ArrayRef<HostFunction> functions() const { return functions_; }
  /// Null for what has no body here that was read.
  const HostFunction *of(const clang::FunctionDecl &function) const;
  /// Whether the user's code looks at the result of any call of the API.
  bool checksErrors() const;
  /// Whether the function's address is taken, so that callers may be anywhere.
  bool isAddressTaken(const clang::FunctionDecl &function) const;
  /// Host memory may be readable by a device: it is registered somewhere, or the code asks whether the device
  /// can read pageable memory.
  bool sharesHostMemory() const { return sharesHostMemory_; }

private:
  friend class HostCodeReader;

  clang::ASTContext &ast_;
  std::vector<HostFunction> functions_;
  llvm::DenseMap<const clang::FunctionDecl *, size_t> byDeclaration_; ///< canonical
  llvm::DenseSet<const clang::FunctionDecl *> addressTaken_;          ///< canonical
  bool sharesHostMemory_ = false;
};

} // namespace warpwright
