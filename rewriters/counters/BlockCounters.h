#pragma once

#include "analysis/ast/GlobalAtomics.h"
#include "rewriters/edits/BodyRewrite.h"
#include "rewriters/edits/CodeLines.h"
#include "rewriters/edits/EditBuilder.h"

#include <clang/AST/Type.h>

#include <cstdint>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class ParmVarDecl;
} // namespace clang

namespace warpwright {

/// One array of counters, or one counter.
struct Counters {
  const clang::ParmVarDecl *pointer = nullptr;
  clang::QualType type; ///< of one
  std::vector<AtomicCall> calls;
  uint64_t count = 0;        ///< how many there are at most
  bool boundAssumed = false; ///< by the annotation's extent
  bool single = false;       ///< all threads of the block use the same one
  std::string index;         ///< of a single one, where it is not the first
};

/// The value that changes nothing, of an integer type or for a sum; empty where there is none.
std::string neutralCounter(FoldOperation operation, clang::QualType type, const clang::ASTContext &ast);

/// The threads of a block, as code counts them.
struct BlockThreads {
  unsigned count = 0;      ///< 0 where it is not known
  std::string thread;      ///< the number of one in its block
  std::string threads;     ///< how many there are
  std::string declaration; ///< of `thread`, where it is a variable
};

/// Writes what a block counts by itself, before, within and behind a kernel's body. Everything is borrowed.
class BlockCounters {
public:
  BlockCounters(const clang::ASTContext &ast, BlockThreads threads, FreshNames &names, BodyRewrite &body)
      : ast_(ast), edits_(ast), threads_(std::move(threads)), names_(names), body_(body) {}

  /// An array in shared memory, in so many copies; what merges it goes behind the body.
  void writeArray(const Counters &counters, unsigned copies, CodeLines &behind) const;
  /// A register of each thread, folded by shuffles.
  void writeSingle(const Counters &counters, CodeLines &behind) const;

private:
  std::string typeText(const Counters &counters) const;
  std::string calleeOf(const AtomicCall &call) const;

  const clang::ASTContext &ast_;
  EditBuilder edits_;
  BlockThreads threads_;
  FreshNames &names_;
  BodyRewrite &body_;
};

} // namespace warpwright
