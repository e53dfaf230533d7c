#pragma once

#include "rewriters/edits/CodeLines.h"
#include "rewriters/tiling/Footprint.h"
#include "rewriters/tiling/TileFrame.h"

#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// One tile in words of code: its array in shared memory, how a block fills it, how a thread reads it.
class TileFill {
public:
  struct Strip {
    unsigned loop;
    std::string begin;  ///< the variable with the strip's first value
    std::string step;   ///< the counter within it
    std::string length; ///< the constant
    std::string buffer; ///< which of several tiles is read; empty where there is one
  };
  TileFill(const Nest &nest, const TilePoint &point, const StagedTile &tile, const TileFrame &frame,
           std::optional<Strip> strip, SymbolTable &table, FreshNames &names);

  const StagedTile &tile() const { return tile_; }
  /// As an array of its own, or so many bytes into the dynamic shared memory of that name.
  void declare(CodeLines &code, const std::string &memory = {}, int64_t offset = 0) const;
  /// Loads the tile of the strip that begins at the strip's variable.
  void fill(CodeLines &code) const;
  /// The same in two steps: from memory into registers, which declareNext() declares, and from there into the
  /// tile of that number.
  void declareNext(CodeLines &code) const;
  void fetch(CodeLines &code) const;
  void keep(const std::string &buffer, CodeLines &code) const;
  /// The element that a thread's read takes: "aTile[iStep][rowInTile + rowStep]".
  std::string element(const TileRead &read) const;
  int64_t bytes() const;
  /// Why it cannot be written; empty where it can.
  const std::string &whyNot() const { return whyNot_; }
  /// From now on the shared variable of that name is set where an element is not finite.
  void watch(const std::string &oddity) { oddity_ = oddity; }
  bool mayBeWatched() const;
  /// Whether it holds zero beyond the end of the strip-mined loop.
  bool isZeroBeyondStrip() const;

private:
  struct Axis {
    unsigned dimension;
    std::string extent;       ///< code
    std::string value;        ///< the variable that counts it in memory
    std::string base;         ///< code of its first value
    std::string decoded = ""; ///< how far the element is from there; empty where there is one
  };
  std::string extentCode(const TileDimension &dimension) const;
  Expression baseOf(const TileDimension &dimension) const;
  std::string nameOf(const TileDimension &dimension) const;
  bool isBuffered() const { return strip_ && !strip_->buffer.empty(); }
  void decode();
  void chooseVector();
  std::string vectorType(int64_t width) const;
  int64_t turns() const;
  bool isExact() const; ///< all threads bring as many elements
  void openTurns(CodeLines &code) const;
  void closeTurns(CodeLines &code) const;
  void load(const std::string &target, bool isDeclared, CodeLines &code) const;
  void store(const std::string &array, const std::string &value, CodeLines &code) const;
  std::string predicate() const;
  std::string index() const;
  bool isSure(const TileDimension &dimension, const Expression &bound, bool isLower) const;
  Expression named(const std::string &name) const;

  const Nest &nest_;
  const TilePoint &point_;
  const StagedTile &tile_;
  const TileFrame &frame_;
  std::optional<Strip> strip_;
  SymbolTable &table_;
  std::string array_, elements_, next_, aligned_; ///< names
  std::string oddity_;
  std::string elementCount_;      ///< code
  int64_t vector_ = 1;            ///< elements read at a time where `isAligned_` holds
  std::string isAligned_;         ///< code
  std::vector<Axis> axes_;        ///< by dimension
  std::vector<unsigned> storage_; ///< dimensions as they lie in shared memory, the slowest first
  int64_t padding_ = 0;
  std::string whyNot_;
};

} // namespace warpwright
