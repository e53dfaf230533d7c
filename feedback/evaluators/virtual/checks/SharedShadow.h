#pragma once

#include "feedback/evaluators/virtual/checks/BlockClocks.h"

#include <cstdint>
#include <vector>

namespace warpwright::vdevice {

/// Who touched each byte of a block's shared memory: the last writer, and readers since. Words of four bytes
/// are kept as one until a part of one is touched; from then on each of its bytes has a record.
/// Of readers that nothing orders two are remembered, of different warps if there are such: a later writer is
/// one of them at most. A race with a third, whom something orders neither with them nor with the writer, can
/// be missed where parts of blocks synchronise.
class SharedShadow {
public:
  struct Request {
    uint64_t offset = 0;
    uint32_t bytes = 0;
    uint32_t unitBytes = 4; ///< see SiteRule
    uint32_t thread = 0;
    Stamp stamp;
    bool reads = false;
    bool writes = false;
  };
  struct Outcome {
    Stamp race; ///< another access that nothing orders before this one
    bool raceWithWrite = false;
    bool uninitialised = false; ///< some unit read was not written in this block
  };

  /// `bytes` of shared memory; forgets all.
  void reset(uint64_t bytes);
  Outcome access(const Request &request, const BlockClocks &clocks) {
    uint64_t word = request.offset / wordBytes;
    bool isWord = request.bytes == wordBytes && request.offset % wordBytes == 0;
    if (!isWord || isSplit_[word])
      return accessParts(request, clocks);
    Outcome outcome;
    bool written = touch(words_[word], request, clocks, outcome);
    outcome.uninitialised = request.reads && !written;
    return outcome;
  }

private:
  static constexpr uint64_t wordBytes = 4;

  struct Record {
    Stamp write;
    Stamp reads[2];
  };

  static bool touch(Record &record, const Request &request, const BlockClocks &clocks, Outcome &outcome);
  static void noteRead(Record &record, const Request &request, const BlockClocks &clocks);
  bool touchBytes(uint64_t word, uint64_t first, uint64_t last, const Request &request,
                  const BlockClocks &clocks, Outcome &outcome);
  void split(uint64_t word);
  Outcome accessParts(const Request &request, const BlockClocks &clocks);

  std::vector<Record> words_;
  std::vector<uint8_t> isSplit_;
  std::vector<Record> bytes_; ///< four a word; made when the first word is split
};

/// Returns whether the record was written in this block before.
inline bool SharedShadow::touch(Record &record, const Request &request, const BlockClocks &clocks,
                                Outcome &outcome) {
  bool written = clocks.isOfThisBlock(record.write);
  bool bothAtomic = record.write.atomic() && request.stamp.atomic();
  if (!bothAtomic && !clocks.isOrdered(record.write, request.thread) && !outcome.race) {
    outcome.race = record.write;
    outcome.raceWithWrite = true;
  }
  if (!request.writes) {
    noteRead(record, request, clocks);
    return written;
  }
  for (Stamp &read : record.reads) {
    if (!clocks.isOrdered(read, request.thread) && !outcome.race)
      outcome.race = read;
    read = Stamp();
  }
  record.write = request.stamp;
  return written;
}

/// A read that is ordered before this one is told of by it: whoever is ordered after this one is ordered
/// after that, too.
inline void SharedShadow::noteRead(Record &record, const Request &request, const BlockClocks &clocks) {
  for (Stamp &read : record.reads)
    if (clocks.isOrdered(read, request.thread)) {
      read = request.stamp;
      return;
    }
  auto warpOf = [](Stamp stamp) { return stamp.thread() / BlockClocks::warpSize; };
  if (warpOf(record.reads[0]) == warpOf(record.reads[1]) && warpOf(record.reads[0]) != warpOf(request.stamp))
    record.reads[1] = request.stamp;
}

} // namespace warpwright::vdevice
