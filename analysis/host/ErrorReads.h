#pragma once

#include "analysis/host/HostCode.h"

#include <map>
#include <memory>

namespace clang {
class CFG;
} // namespace clang

namespace warpwright {

/// Whether anything that runs after a place in host code reads the error that came about there.
enum class ErrorRead {
  No,      ///< not until the program ends, as far as this file shows
  Callers, ///< not in the function, and who calls it is not known
  Unknown, ///< something is called that is not known
  Yes      ///< on some path
};

/// Follows the control flow of host functions and of their callers.
class ErrorReads {
public:
  explicit ErrorReads(const HostCode &code);
  ~ErrorReads();

  /// Of an error that cudaGetLastError() and cudaPeekAtLastError() alone return, as of a call whose result
  /// was dropped.
  ErrorRead lastErrorAfter(const HostFunction &function, const clang::Expr &call);
  /// Of a launch: what later calls return counts as well. (That of the launch itself, a configuration that
  /// the device does not have, is the last error alone; those of the run come with any call.)
  ErrorRead statusAfter(const HostFunction &function, const clang::Expr &call);

private:
  class Flow;
  enum class Kind { LastError, Status };

  ErrorRead after(const HostFunction &function, const clang::Expr &call, Kind kind);
  ErrorRead afterCallers(const HostFunction &function, Kind kind);
  ErrorRead readOf(const HostFunction &function, const clang::Stmt &statement, Kind kind);
  ErrorRead readInside(const clang::FunctionDecl *callee, Kind kind);
  ErrorRead readBody(const HostFunction &body, Kind kind);
  Flow &flowOf(const HostFunction &function);

  const HostCode &code_;
  llvm::DenseMap<const HostFunction *, std::unique_ptr<Flow>> flows_;
  llvm::DenseMap<const clang::CallExpr *, const ApiCall *> apiCalls_;
  llvm::DenseMap<const clang::FunctionDecl *,
                 std::vector<std::pair<const HostFunction *, const clang::Expr *>>>
      callers_;                                                             ///< by canonical declaration
  std::map<std::pair<const clang::FunctionDecl *, Kind>, ErrorRead> known_; ///< of whole callees
  llvm::DenseSet<const clang::FunctionDecl *> inside_;                      ///< callees that are being read
  bool metCycle_ = false;                        ///< what is read now leaves out a callee of inside_
  llvm::DenseSet<const HostFunction *> leaving_; ///< functions whose callers are being followed
};

} // namespace warpwright
