#include "feedback/evaluators/virtual/checks/BlockRaces.h"

#include <algorithm>

namespace warpwright::vdevice {
namespace {

constexpr uint64_t wordBytes = 4;
constexpr uint64_t wordsAPage = 1024;
constexpr uint8_t hasReads = 1;
constexpr uint8_t hasWrites = 2;
constexpr uint8_t hasParts = 4; ///< of words: there are records of bytes
constexpr uint8_t hasUpdates = 8;
constexpr uint8_t hasLooks = 16;
constexpr uint32_t noValue = 0;
constexpr uint32_t differentValues = 1;
constexpr auto relaxed = std::memory_order_relaxed;

uint32_t blockOf(uint64_t bits) {
  return static_cast<uint32_t>(bits >> 32);
}

/// Makes the word as large as `bits` at least.
void raise(std::atomic<uint64_t> &word, uint64_t bits) {
  uint64_t old = word.load(relaxed);
  while (old < bits && !word.compare_exchange_weak(old, bits, relaxed)) {
  }
}

/// As many as there are words that an access touches in whole or in part.
uint64_t lastWord(uint64_t offset, uint64_t bytes) {
  return (offset + bytes - 1) / wordBytes;
}

} // namespace

void BlockRaces::Ends::create(uint64_t units, bool withValues) {
  doubled_ = withValues;
  firsts_ = Mapping::zeroed((units << doubled_) * sizeof(Word));
  lasts_ = Mapping::zeroed(units * sizeof(Word));
}

/// Of the accesses of one block the first stays, which keeps this cheap, and is the same each time. Whoever
/// is not the first, or is no longer, may be the last.
void BlockRaces::Ends::add(uint64_t unit, BlockStamp stamp) {
  Word &first = firstOf(unit);
  uint64_t inverse = ~stamp.bits();
  uint64_t old = first.load(relaxed);
  while (blockOf(old) < blockOf(inverse) || old == 0) {
    if (!first.compare_exchange_weak(old, inverse, relaxed))
      continue;
    if (old != 0)
      raise(lastOf(unit), ~old + 1);
    return;
  }
  if (blockOf(old) == blockOf(inverse))
    return;
  Word &last = lastOf(unit);
  if (blockOf(last.load(relaxed) - 1) + 1 < stamp.block() + 1)
    raise(last, stamp.bits() + 1);
}

void BlockRaces::Ends::addValue(uint64_t unit, uint32_t mine) {
  std::atomic<uint32_t> &value = valueWord(unit);
  uint32_t old = value.load(relaxed);
  while (old != mine && old != differentValues &&
         !value.compare_exchange_weak(old, old == noValue ? mine : differentValues, relaxed)) {
  }
}

void BlockRaces::Records::create(uint64_t units) {
  reads.create(units, false);
  writes.create(units, true);
  looks.create(units, false);
  updates.create(units, false);
}

void BlockRaces::Records::add(uint64_t unit, const Touch &touch) {
  if (touch.updates)
    return updates.add(unit, touch.stamp);
  if (!touch.writes)
    return (touch.isSynchronising ? looks : reads).add(unit, touch.stamp);
  writes.add(unit, touch.stamp);
  writes.addValue(unit, touch.value ? *touch.value | 2 : differentValues);
}

bool BlockRaces::Records::isOfOneBlock(uint64_t unit, uint8_t traits) const {
  std::optional<uint32_t> block;
  auto isAnother = [&](const Ends &ends, uint8_t trait) {
    if (!(traits & trait) || ends.isEmpty(unit))
      return false;
    if (!block)
      block = ends.firstStamp(unit).block();
    return ends.isOfAnother(unit, *block);
  };
  return !isAnother(writes, hasWrites) && !isAnother(reads, hasReads) && !isAnother(looks, hasLooks) &&
         !isAnother(updates, hasUpdates);
}

void BlockRaces::Shadow::note(uint64_t page, uint8_t traits) {
  std::atomic<uint8_t> &noted = traitsOf(page);
  if ((noted.load(relaxed) & traits) != traits)
    noted.fetch_or(traits, relaxed);
}

BlockRaces::BlockRaces(llvm::ArrayRef<MemoryRange> ranges, uint64_t blocks) : shadows_(ranges.size()) {
  announced_ = Mapping::zeroed(std::max<uint64_t>(1, blocks) * sizeof(uint64_t));
  for (size_t i = 0; i < ranges.size(); ++i) {
    shadows_[i].range = &ranges[i];
    if (ranges[i].bytes == 0)
      continue;
    uint64_t words = lastWord(0, ranges[i].bytes) + 1;
    shadows_[i].words.create(words);
    shadows_[i].bytes.create(words * wordBytes);
    shadows_[i].pages = Mapping::zeroed(words / wordsAPage + 1);
    shadows_[i].orderedReads = Mapping::zeroed(words * sizeof(uint64_t));
    shadows_[i].orderedWrites = Mapping::zeroed(words * sizeof(uint64_t));
  }
}

/// An atomic or volatile access after a fence announces what the block did before it, and each looks at what
/// others have announced.
void BlockRaces::synchronise(const Touch &touch, Synchronisation &synchronisation) {
  uint64_t now = time_.fetch_add(1, relaxed) + 1;
  if (synchronisation.hasFenced) {
    auto &announced = reinterpret_cast<Word *>(announced_.data())[touch.stamp.block()];
    if (announced.load(relaxed) == 0)
      announced.store(now, relaxed);
  }
  synchronisation.seen = now;
}

bool BlockRaces::isAnnounced(uint32_t block, uint64_t seen) const {
  uint64_t when = reinterpret_cast<const Word *>(announced_.data())[block].load(relaxed);
  return when != 0 && when < seen;
}

void BlockRaces::prefetch(const Touch &touch) const {
  const Records &words = shadows_[touch.range].words;
  uint64_t word = touch.offset / wordBytes;
  (touch.writes ? words.writes : words.reads).prefetch(word);
}

std::optional<BlockRaces::Race> BlockRaces::touch(const Touch &touch, Synchronisation &synchronisation) {
  Shadow &shadow = shadows_[touch.range];
  uint64_t first = touch.offset / wordBytes;
  uint64_t last = lastWord(touch.offset, touch.bytes);
  std::optional<Race> race;
  bool wasOrdered = synchronisation.seen != 0;
  if (touch.isSynchronising && anyFence_.load(relaxed))
    synchronise(touch, synchronisation);
  if (wasOrdered || (synchronisation.seen == 0 && anyOrdered_.load(relaxed)))
    race = touchOrdered(shadow, touch, synchronisation.seen);
  if (wasOrdered)
    return race;
  uint8_t traits = touch.writes            ? hasWrites
                   : touch.updates         ? hasUpdates
                   : touch.isSynchronising ? hasLooks
                                           : hasReads;
  if ((touch.offset | touch.bytes) % wordBytes)
    traits |= hasParts;
  for (uint64_t page = first / wordsAPage; page <= last / wordsAPage; ++page)
    shadow.note(page, traits);
  for (uint64_t word = first; word <= last; ++word) {
    uint64_t begin = std::max(touch.offset, word * wordBytes);
    uint64_t end = std::min(touch.offset + touch.bytes, (word + 1) * wordBytes);
    if (end - begin == wordBytes) {
      shadow.words.add(word, touch);
      continue;
    }
    for (uint64_t byte = begin; byte < end; ++byte)
      shadow.bytes.add(byte, touch);
  }
  return race;
}

/// Holds the access against what others did up to now, of which at least one side came after a synchronising
/// operation of its block. Words that are touched in parts are left alone: their other bytes may be others'.
std::optional<BlockRaces::Race> BlockRaces::touchOrdered(Shadow &shadow, const Touch &touch, uint64_t seen) {
  if (touch.offset % wordBytes || touch.bytes % wordBytes)
    return std::nullopt;
  std::optional<Race> race;
  auto consider = [&](uint64_t word, BlockStamp other, bool otherWrites) {
    if (race || other.block() == touch.stamp.block() || isAnnounced(other.block(), seen))
      return;
    race = Race{shadow.range, word * wordBytes, other, touch.stamp, otherWrites, touch.writes, false};
  };
  auto considerEnds = [&](uint64_t word, const Ends &ends, bool otherWrites) {
    if (ends.isEmpty(word))
      return;
    consider(word, ends.firstStamp(word), otherWrites);
    consider(word, ends.lastStamp(word), otherWrites);
  };
  auto considerOrdered = [&](uint64_t word, const Mapping &stamps, bool otherWrites) {
    uint64_t bits = reinterpret_cast<const Word *>(stamps.data())[word].load(relaxed);
    if (bits)
      consider(word, BlockStamp(bits - 1), otherWrites);
  };
  if (touch.isSynchronising)
    return std::nullopt;
  if (seen)
    anyOrdered_.store(true, relaxed);
  for (uint64_t word = touch.offset / wordBytes; word <= lastWord(touch.offset, touch.bytes); ++word) {
    considerOrdered(word, shadow.orderedWrites, true);
    if (touch.writes)
      considerOrdered(word, shadow.orderedReads, false);
    if (!seen)
      continue;
    considerEnds(word, shadow.words.writes, true);
    if (touch.writes) {
      considerEnds(word, shadow.words.reads, false);
      considerEnds(word, shadow.words.looks, false);
      considerEnds(word, shadow.words.updates, false);
    }
    const Mapping &mine = touch.writes ? shadow.orderedWrites : shadow.orderedReads;
    reinterpret_cast<Word *>(mine.data())[word].store(touch.stamp.bits() + 1, relaxed);
  }
  return race;
}

void BlockRaces::forEachRace(llvm::function_ref<void(const Race &)> report) const {
  for (const Shadow &shadow : shadows_) {
    if (!shadow.pages)
      continue;
    for (uint64_t page = 0; page <= lastWord(0, shadow.range->bytes) / wordsAPage; ++page)
      if (uint8_t traits = shadow.traitsOf(page).load(relaxed);
          (traits & hasWrites) || (traits & (hasReads | hasUpdates)) == (hasReads | hasUpdates))
        reportPage(shadow, page, report);
  }
}

namespace {

/// The first and last blocks that touched one byte or word, from all records that speak of it.
struct Extremes {
  BlockStamp first;
  BlockStamp last;
  bool any = false;

  void add(BlockStamp begin, BlockStamp end) {
    if (!any || begin.block() < first.block())
      first = begin;
    if (!any || end.block() > last.block())
      last = end;
    any = true;
  }
  void add(const Extremes &other) {
    if (other.any)
      add(other.first, other.last);
  }
};

struct Touches {
  Extremes writes;
  Extremes reads;
  Extremes looks;
  Extremes updates;

  bool isEmpty() const { return !writes.any && !reads.any && !looks.any && !updates.any; }
  void add(const Touches &other) {
    writes.add(other.writes);
    reads.add(other.reads);
    looks.add(other.looks);
    updates.add(other.updates);
  }
};

} // namespace

void BlockRaces::reportPage(const Shadow &shadow, uint64_t page,
                            llvm::function_ref<void(const Race &)> report) const {
  auto add = [](Extremes &extremes, const Ends &ends, uint64_t unit) {
    if (!ends.isEmpty(unit))
      extremes.add(ends.firstStamp(unit), ends.lastStamp(unit));
  };
  auto reportPair = [&](uint64_t offset, const Extremes &writes, const Extremes &reads, bool areUpdates) {
    if (!writes.any || !reads.any)
      return;
    if (reads.first.block() != writes.last.block())
      report({shadow.range, offset, reads.first, writes.last, false, !areUpdates, false, areUpdates});
    else if (reads.last.block() != writes.first.block())
      report({shadow.range, offset, reads.last, writes.first, false, !areUpdates, false, areUpdates});
  };
  auto reportUnit = [&](uint64_t offset, const Touches &all, bool sameValue) {
    if (all.writes.any && all.writes.first.block() != all.writes.last.block())
      report({shadow.range, offset, all.writes.first, all.writes.last, true, true, sameValue});
    Extremes others = all.reads;
    others.add(all.looks);
    others.add(all.updates);
    reportPair(offset, all.writes, others, false);
    reportPair(offset, all.updates, all.reads, true);
  };
  auto addRecords = [&](Touches &all, const Records &records, uint64_t unit, uint8_t traits) {
    add(all.writes, records.writes, unit);
    if (traits & hasReads)
      add(all.reads, records.reads, unit);
    if (traits & hasLooks)
      add(all.looks, records.looks, unit);
    if (traits & hasUpdates)
      add(all.updates, records.updates, unit);
  };
  uint8_t traits = shadow.traitsOf(page).load(relaxed);
  uint64_t words = lastWord(0, shadow.range->bytes) + 1;
  for (uint64_t word = page * wordsAPage; word < std::min(words, (page + 1) * wordsAPage); ++word) {
    if (!(traits & hasParts) && shadow.words.isOfOneBlock(word, traits))
      continue;
    Touches whole;
    addRecords(whole, shadow.words, word, traits);
    uint32_t wholeValue = shadow.words.writes.valueOf(word);
    bool parts = false;
    for (uint64_t byte = word * wordBytes; (traits & hasParts) && byte < (word + 1) * wordBytes; ++byte) {
      Touches here;
      addRecords(here, shadow.bytes, byte, traits);
      if (here.isEmpty())
        continue;
      parts = true;
      uint32_t value = shadow.bytes.writes.valueOf(byte);
      bool same = !whole.writes.any && value != differentValues;
      here.add(whole);
      reportUnit(byte, here, same);
    }
    if (!parts)
      reportUnit(word * wordBytes, whole, wholeValue != differentValues);
  }
}

} // namespace warpwright::vdevice
