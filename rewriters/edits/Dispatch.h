#pragma once

#include "analysis/Place.h"
#include "rewriters/Rewriter.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// A part of a launch, by its place in the statement that the launch is.
struct LaunchPart {
  unsigned offset = 0;
  unsigned length = 0; ///< 0: nothing stands there, and what is written is added
};

/// A launch of the original that can be chosen on the host:
/// `if (m >= 1024) gemm_warpwright<<<...>>>(...); else gemm<<<...>>>(...);`.
struct DispatchedLaunch {
  Place place;
  unsigned begin = 0;       ///< of the statement in the file
  std::string statement;    ///< its text, with the semicolon
  std::string indent;       ///< of its line
  bool needsBraces = false; ///< another statement in its place might take part in what is around it
  LaunchPart callee;        ///< behind the kernel's name
  LaunchPart grid;
  LaunchPart block;
  LaunchPart shared; ///< where there is none, it is an argument more behind the block
  /// Host code of what the launch passes, by the names of the annotation, free of side effects.
  std::map<std::string, std::string> arguments;
  /// The same where it is an integer, with the value that the kernel sees.
  std::map<std::string, std::string> integers;
  std::string whyWhole; ///< why it cannot be chosen there; empty where it can
};

/// What a choice on the host between one kernel and a changed copy of it needs, whatever the change is.
struct Dispatch {
  std::string whyNot = "it was not asked for"; ///< empty where there can be one
  std::optional<Candidate> copy;               ///< the kernel under another name, not changed
  std::vector<DispatchedLaunch> launches;      ///< of this file that are proved to be the annotated one
};

/// Whether at least one launch of this file can be a choice; whether one is allowed is not asked here.
Dispatch dispatchOf(const RewriteContext &context);

/// The set as one candidate that is launched where the guard, a condition on the annotation's integers,
/// holds: its plan has the guard, and its redirected launches are choices on the host. Candidates that change
/// the kernel in place change a copy of it instead. `copy` numbers the copies of one kernel, so that several
/// can stand side by side. An error says why that cannot be: edits beyond the copy would change the original,
/// too; no launch can be split, or says what the guard depends on.
llvm::Expected<Candidate> guarded(llvm::ArrayRef<Candidate> set, const Dispatch &dispatch,
                                  const ScalarExpression &guard, unsigned copy = 0);

/// Makes one choice of several candidates that guarded() has made with different numbers: at each launch the
/// first whose guard holds is launched, the original where none does. The redirected launches are then those
/// of the first candidate. An error says why no launch can be split so.
llvm::Error chain(llvm::MutableArrayRef<Candidate> variants, const Dispatch &dispatch);

/// Why the launch cannot be a choice by that guard; empty where it can.
std::string whyNotChosenThere(const DispatchedLaunch &launch, const ScalarExpression &guard);

/// One of the kernels of a choice on the host.
struct LaunchedVariant {
  std::string suffix; ///< of its name, behind the original's
  PlannedLaunch planned;
  ScalarExpression guard = ScalarExpression::constant(1);
};

/// The statement in the place of the launch: the first variant whose guard holds is launched as it is
/// planned, and the launch as it was where none does. Behind a guard that always holds nothing is written.
/// What is as in `original`, the plan of the unchanged copy, stays as it is written.
llvm::Expected<std::string> chosenLaunch(const DispatchedLaunch &launch,
                                         llvm::ArrayRef<LaunchedVariant> variants,
                                         const PlannedLaunch &original);

} // namespace warpwright
