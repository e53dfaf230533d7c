#pragma once

#include "analysis/ast/BlockFolds.h"
#include "rewriters/edits/CodeLines.h"

#include <string>
#include <vector>

namespace warpwright {

/// One number a thread that a block folds, as code speaks of it.
struct FoldedValue {
  std::string name;    ///< of the variable that holds the thread's number, and thread 0's the fold in the end
  std::string type;    ///< of that variable
  std::string initial; ///< what it is declared with; empty where it is there already
  std::string slots;   ///< the array or pointer to shared slots
  FoldOperation operation = FoldOperation::Sum;
  bool byComparison = false;
  std::string other;    ///< a free name for another thread's number
  std::string function; ///< of two numbers, where it is called; empty where an operator does it
};

/// The statement that takes `other` into the value's variable.
std::string combineText(const FoldedValue &value, const std::string &other);

/// The lines that fold numbers over a block by shuffles.
struct FoldCode {
  unsigned threads = 0;      ///< of the block
  std::string thread;        ///< the number of the thread in the block, an expression that needs no brackets
  std::string barrier;       ///< the statement that makes the block wait
  std::string offset, lanes; ///< names that are free
  std::vector<FoldedValue> values;

  unsigned warps() const { return (threads + 31) / 32; }
  /// Every warp folds its lanes' numbers into its first lane.
  void foldWarps(CodeLines &code) const;
  /// The first lanes of the warps leave theirs in a slot a warp.
  void storeWarps(CodeLines &code) const;
  /// The first warp folds the slots of all and, if asked, leaves the fold in slot 0.
  void foldSlots(CodeLines &code, bool store = true) const;

private:
  /// `count` is how many threads hold a number that counts where that is no power of two, else 0; `exist`
  /// says that the lanes beyond are there and may be read.
  void foldLanes(CodeLines &code, const std::string &mask, unsigned start, unsigned count, bool exist,
                 unsigned width) const;
};

} // namespace warpwright
