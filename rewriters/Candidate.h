#pragma once

#include "analysis/Place.h"
#include "rewriters/Claim.h"
#include "rewriters/LaunchPlan.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// One replacement in one file, revertible alone: the bytes [offset, offset + length) of the original become
/// `text`.
struct Edit {
  std::string file;
  unsigned offset = 0;
  unsigned length = 0;
  std::string text;
  Place place;              ///< of the first byte, for reports
  std::string reason;       ///< why this edit is made; never empty
  std::string expectedGain; ///< in the words of a report: "32-way bank conflict becomes 1-way"
  std::string risk;         ///< what could be wrong with it, or "none"
};

/// A copy of a kernel's definition that stands behind it under a name of its own, so that it can be launched
/// otherwise while every launch that is not known keeps the original. docs/architecture/rewriting.md.
struct KernelClone {
  std::string name;            ///< printed and qualified, with template arguments, as Launch names kernels
  unsigned begin = 0;          ///< of what is copied: annotation and template header are part of it
  unsigned end = 0;            ///< behind its closing brace
  unsigned at = 0;             ///< where the copy goes
  std::string original;        ///< the unqualified name of what is copied
  std::vector<Edit> identity;  ///< in the copy: its name, and the launch clauses of its annotation
  std::vector<Edit> redirects; ///< of launches in this file, from the original to the copy
};

/// One rewriter at one point of its parameter space.
struct RewriteStep {
  std::string rewriter;                      ///< kebab-case id
  std::string subject;                       ///< what it is about, for reports: a variable, a parameter
  std::map<std::string, int64_t> parameters; ///< for instance {"pad": 1}

  /// The rewriter with its parameters, for reports: "pad-shared-array pad=1".
  std::string name() const;
};

/// What one rewriter would do to one kernel at one point of its parameter space, or what a sequence of them
/// would: then it is named after the last, and `earlier` holds those before it.
struct Candidate : RewriteStep {
  std::vector<RewriteStep> earlier; ///< in their order; empty for a single step
  std::string kernelKey;
  /// What its reasons say of the result, to be checked there. A symbol is spelt as the device IR spells it.
  std::vector<Claim> claims;
  /// Disjoint, in order of file and offset, against the original file. Where there is a clone, those that lie
  /// in what it copies are made in the copy alone; fileEdits() says what becomes of the file.
  std::vector<Edit> edits;
  std::optional<KernelClone> clone; ///< where the launch changes
  /// What is launched in the place of the original; nothing: the original's own launch.
  std::optional<LaunchPlan> plan;
  std::vector<std::string> assumptions; ///< what its legality rests on beyond proved facts; empty when proved

  /// All steps, for reports: "swap-thread-axes + resize-block x=32 y=8".
  std::string name() const;
  /// All of them without parameters: "swap-thread-axes + resize-block".
  std::string rewriters() const;
  /// Whether both change the same thing in the same way at different parameters: then they are never parts of
  /// one set.
  bool isAlternativeTo(const Candidate &other) const;
};

/// A kernel a rewriter looked at and left alone, with the missing fact or the failed condition named.
struct Decline {
  std::string rewriter;
  std::string kernelKey;
  Place place;
  std::string reason;
};

} // namespace warpwright
