#pragma once

#include "analysis/Launch.h"
#include "analysis/Place.h"

#include <llvm/ADT/DenseSet.h>

#include <optional>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class CUDAKernelCallExpr;
class Expr;
class FunctionDecl;
} // namespace clang

namespace warpwright {

/// One `kernel<<<grid, block, shared, stream>>>(...)` in code that may run: of templates, in an
/// instantiation.
struct LaunchSite {
  const clang::FunctionDecl *kernel = nullptr; ///< canonical; of a template, the specialisation
  const clang::CUDAKernelCallExpr *call = nullptr;
  const clang::Expr *grid = nullptr;
  const clang::Expr *block = nullptr;
  const clang::Expr *sharedBytes = nullptr; ///< a default argument where it is left out
  const clang::Expr *stream = nullptr;      ///< likewise
  Place place;
  /// The extents where they are constants, or local variables that hold constants and are never changed. No
  /// value: they depend on something, or on something this does not follow.
  std::optional<Dim3> constantGrid;
  std::optional<Dim3> constantBlock;
  std::optional<uint64_t> constantSharedBytes;
};

/// What the translation unit does with one kernel.
struct KernelLaunches {
  bool internalLinkage = false; ///< no other file can name it
  std::vector<LaunchSite> sites;
  /// The first use that is no `<<<>>>`: its address is taken (for cudaLaunchKernel and its kin, an occupancy
  /// query, a table), or its name stands in code that was not compiled here and is not understood.
  std::optional<Place> otherUse;

  /// Whether `sites` are all launches of the kernel that a program can hold.
  bool complete() const { return internalLinkage && !otherUse; }
  /// The extents that all sites have in common; nothing where there is no site or one of them is not
  /// constant.
  std::optional<Dim3> commonGrid() const;
  std::optional<Dim3> commonBlock() const;
};

/// All launches of a translation unit outside system headers.
class LaunchSites {
public:
  explicit LaunchSites(clang::ASTContext &ast);

  KernelLaunches of(const clang::FunctionDecl &kernel) const;
  const std::vector<LaunchSite> &all() const { return sites_; }

private:
  struct Use {
    const clang::FunctionDecl *kernel; ///< canonical
    Place place;
  };
  std::optional<Place> findStrayMention(const clang::FunctionDecl &kernel) const;

  clang::ASTContext &ast_;
  std::vector<LaunchSite> sites_;
  std::vector<Use> otherUses_;
  llvm::DenseSet<unsigned>
      accounted_; ///< offsets in the main file of names that declare functions or launch kernels
};

} // namespace warpwright
