#pragma once

#include "analysis/Finding.h"
#include "rewriters/Candidate.h"

#include <optional>
#include <string>
#include <vector>

namespace clang {
class Expr;
class Stmt;
} // namespace clang

namespace warpwright {

class HostCode;

/// A change that answers a finding of correctness. It is no candidate: what the program computes changes with
/// it, as it was wrong.
struct Remedy {
  std::string description;
  std::vector<Edit> edits;
};

/// Wraps a call, or asks for the error of a launch, as the file does elsewhere: `CHECK(cudaMalloc(...))`.
/// Nothing where it has no macro or function of one argument for that above the place.
std::optional<Remedy> remedyOf(const Finding &finding, const HostCode &code);

/// Widens the operand that an index begins with, or makes threadIdx and its kin signed where they are
/// compared or turned into floating-point numbers. Nothing for other findings, and where the text is a
/// macro's.
std::optional<Remedy> remedyOf(const Finding &finding, const KernelAnalysis &analysis);

/// The nodes from the root to the first one, in the order of the text, that `accepts`, both included; empty
/// where there is none.
std::vector<const clang::Stmt *> pathTo(const clang::Stmt &root,
                                        bool (*accepts)(const clang::Stmt &, const void *), const void *data);

} // namespace warpwright
