#pragma once

#include "feedback/evaluators/virtual/DeviceMemory.h"
#include "feedback/evaluators/virtual/Mapping.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

namespace warpwright::vdevice {

/// Which block, thread and site touched something: one word.
class BlockStamp {
public:
  BlockStamp() = default;
  BlockStamp(uint64_t block, uint32_t thread, uint32_t site)
      : bits_(block << 32 | uint64_t(thread) << 22 | (site & ((1u << 22) - 1))) {}
  explicit BlockStamp(uint64_t bits) : bits_(bits) {}
  uint32_t block() const { return static_cast<uint32_t>(bits_ >> 32); }
  uint32_t thread() const { return bits_ >> 22 & 1023; }
  uint32_t site() const { return bits_ & ((1u << 22) - 1); }
  uint64_t bits() const { return bits_; }

private:
  uint64_t bits_ = 0;
};

/// Finds bytes of global memory that one block of a launch writes and another touches.
///
/// Of each word of four bytes, and of each byte of words that are touched in parts, the first and the last
/// block in the order of their indices that read it and that wrote it are kept: enough to tell whether there
/// are two, and the same whatever the order in which blocks ran and on how many workers, as the smaller of
/// two and the larger of two are. Atomic operations and volatile accesses are meant to meet others: they
/// race with plain writes, and what they update with plain reads.
///
/// Blocks may be ordered by hand: one writes, fences, and then announces it by an atomic operation or a
/// volatile store; another sees that and reads. What a block does after such an operation is held against
/// what others did at once, in the order in which blocks run, and is no race where the other block had
/// announced anything before that. That may miss a race of two blocks that communicate, and invents none.
class BlockRaces {
public:
  struct Race {
    const MemoryRange *range = nullptr;
    uint64_t offset = 0;
    BlockStamp first;
    BlockStamp second; ///< a write if only one of them is
    bool firstWrites = false;
    bool secondWrites = false;
    bool sameValue = false; ///< both write, and so did all others, the same value
    bool updates = false;   ///< one reads plainly what the other updates, which is no harm by itself
  };

  struct Touch {
    uint64_t offset = 0;
    BlockStamp stamp;
    uint32_t range = 0; ///< index into the ranges
    uint32_t bytes = 0;
    bool writes = false;          ///< a store that is not volatile
    bool updates = false;         ///< atomic, or a volatile store
    bool isSynchronising = false; ///< atomic or volatile
    /// Of a store: the value it writes, in some 31 bits; none where nothing is known of it, so that it counts
    /// as different from all others.
    std::optional<uint32_t> value;
  };

  /// What one block has to do with hand-made synchronisation. Begins empty with each block.
  struct Synchronisation {
    bool hasFenced = false;
    uint64_t seen = 0; ///< when it last looked at what others announced; 0: never
  };

  BlockRaces(llvm::ArrayRef<MemoryRange> ranges, uint64_t blocks);

  /// Returns a race only with or after hand-made synchronisation; all others come from forEachRace().
  std::optional<Race> touch(const Touch &touch, Synchronisation &synchronisation);
  /// Brings near what touch() will need.
  void prefetch(const Touch &touch) const;
  void fence(Synchronisation &synchronisation) {
    synchronisation.hasFenced = true;
    if (!anyFence_.load(std::memory_order_relaxed))
      anyFence_.store(true, std::memory_order_relaxed);
  }

  /// After the launch, by address.
  void forEachRace(llvm::function_ref<void(const Race &)> report) const;

private:
  using Word = std::atomic<uint64_t>;
  /// First and last of those that touched a unit, as numbers that grow from zero. The last is kept only where
  /// it is another block than the first, and apart from it: mostly there is but one, and memory that nobody
  /// touches costs nothing.
  class Ends {
  public:
    void create(uint64_t units, bool withValues);
    void add(uint64_t unit, BlockStamp stamp);
    /// Remembers whether all values are the same; of ends with values.
    void addValue(uint64_t unit, uint32_t mine);

    bool isEmpty(uint64_t unit) const { return load(firstOf(unit)) == 0; }
    /// Whether another block than this one touched the unit.
    bool isOfAnother(uint64_t unit, uint32_t block) const {
      return !isEmpty(unit) && (load(lastOf(unit)) != 0 || firstStamp(unit).block() != block);
    }
    BlockStamp firstStamp(uint64_t unit) const { return BlockStamp(~load(firstOf(unit))); }
    BlockStamp lastStamp(uint64_t unit) const {
      uint64_t other = load(lastOf(unit));
      return other ? BlockStamp(other - 1) : firstStamp(unit);
    }
    uint32_t valueOf(uint64_t unit) const { return valueWord(unit).load(std::memory_order_relaxed); }
    void prefetch(uint64_t unit) const { __builtin_prefetch(&firstOf(unit), /*for writing*/ 1); }

  private:
    static uint64_t load(const Word &word) { return word.load(std::memory_order_relaxed); }
    Word &firstOf(uint64_t unit) const { return reinterpret_cast<Word *>(firsts_.data())[unit << doubled_]; }
    Word &lastOf(uint64_t unit) const { return reinterpret_cast<Word *>(lasts_.data())[unit]; }
    std::atomic<uint32_t> &valueWord(uint64_t unit) const {
      return reinterpret_cast<std::atomic<uint32_t> *>(&firstOf(unit))[2];
    }

    Mapping firsts_; ///< with values a word more each
    Mapping lasts_;
    unsigned doubled_ = 0;
  };
  /// The same kind of record for units of one size.
  struct Records {
    Ends reads;
    Ends writes;
    Ends looks;   ///< volatile loads
    Ends updates; ///< atomic operations, volatile stores
    void create(uint64_t units);
    void add(uint64_t unit, const Touch &touch);
    /// Whether no two blocks touched the unit.
    bool isOfOneBlock(uint64_t unit, uint8_t traits) const;
  };
  struct Shadow {
    const MemoryRange *range = nullptr;
    Records words;
    Records bytes;
    Mapping pages;        ///< for each page of words, what kinds of records there are
    Mapping orderedReads; ///< a stamp a word, plus one: what synchronised blocks did last
    Mapping orderedWrites;

    std::atomic<uint8_t> &traitsOf(uint64_t page) const {
      return reinterpret_cast<std::atomic<uint8_t> *>(pages.data())[page];
    }
    void note(uint64_t page, uint8_t traits);
  };

  void synchronise(const Touch &touch, Synchronisation &synchronisation);
  std::optional<Race> touchOrdered(Shadow &shadow, const Touch &touch, uint64_t seen);
  bool isAnnounced(uint32_t block, uint64_t seen) const;
  void reportPage(const Shadow &shadow, uint64_t page, llvm::function_ref<void(const Race &)> report) const;

  std::vector<Shadow> shadows_;
  std::atomic<bool> anyFence_ = false;
  std::atomic<bool> anyOrdered_ = false;
  std::atomic<uint64_t> time_ = 0;
  Mapping announced_; ///< a time a block: when it first announced something
};

} // namespace warpwright::vdevice
