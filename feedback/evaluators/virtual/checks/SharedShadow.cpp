#include "feedback/evaluators/virtual/checks/SharedShadow.h"

#include <algorithm>

namespace warpwright::vdevice {

static constexpr uint64_t wordBytes = 4;

void SharedShadow::reset(uint64_t bytes) {
  uint64_t words = (bytes + wordBytes - 1) / wordBytes;
  words_.assign(words, {});
  isSplit_.assign(words, 0);
  bytes_.clear();
}

void SharedShadow::split(uint64_t word) {
  if (isSplit_[word])
    return;
  if (bytes_.empty())
    bytes_.resize(words_.size() * wordBytes);
  std::fill_n(bytes_.begin() + static_cast<std::ptrdiff_t>(word * wordBytes), wordBytes, words_[word]);
  isSplit_[word] = 1;
}

/// Returns whether the record was written in this block before.
bool SharedShadow::touch(Record &record, const Request &request, const BlockClocks &clocks,
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
void SharedShadow::noteRead(Record &record, const Request &request, const BlockClocks &clocks) {
  for (Stamp &read : record.reads)
    if (clocks.isOrdered(read, request.thread)) {
      read = request.stamp;
      return;
    }
  auto warpOf = [](Stamp stamp) { return stamp.thread() / BlockClocks::warpSize; };
  if (warpOf(record.reads[0]) == warpOf(record.reads[1]) && warpOf(record.reads[0]) != warpOf(request.stamp))
    record.reads[1] = request.stamp;
}

bool SharedShadow::touchBytes(uint64_t word, uint64_t first, uint64_t last, const Request &request,
                              const BlockClocks &clocks, Outcome &outcome) {
  split(word);
  bool written = false;
  for (uint64_t byte = first; byte <= last; ++byte)
    written |= touch(bytes_[word * wordBytes + byte], request, clocks, outcome);
  return written;
}

SharedShadow::Outcome SharedShadow::access(const Request &request, const BlockClocks &clocks) {
  Outcome outcome;
  uint64_t end = request.offset + request.bytes;
  uint64_t unitEnd = request.offset + request.unitBytes;
  bool unitWritten = false;
  for (uint64_t offset = request.offset; offset < end;) {
    uint64_t word = offset / wordBytes;
    uint64_t next = std::min(end, (word + 1) * wordBytes);
    bool whole = next - offset == wordBytes && !isSplit_[word];
    unitWritten |=
        whole ? touch(words_[word], request, clocks, outcome)
              : touchBytes(word, offset % wordBytes, (next - 1) % wordBytes, request, clocks, outcome);
    offset = next;
    if (offset < unitEnd && offset < end)
      continue;
    outcome.uninitialised |= request.reads && !unitWritten;
    unitWritten = false;
    unitEnd += request.unitBytes;
  }
  return outcome;
}

} // namespace warpwright::vdevice
