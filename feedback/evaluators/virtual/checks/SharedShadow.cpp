#include "feedback/evaluators/virtual/checks/SharedShadow.h"

#include <algorithm>

namespace warpwright::vdevice {

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

bool SharedShadow::touchBytes(uint64_t word, uint64_t first, uint64_t last, const Request &request,
                              const BlockClocks &clocks, Outcome &outcome) {
  split(word);
  bool written = false;
  for (uint64_t byte = first; byte <= last; ++byte)
    written |= touch(bytes_[word * wordBytes + byte], request, clocks, outcome);
  return written;
}

SharedShadow::Outcome SharedShadow::accessParts(const Request &request, const BlockClocks &clocks) {
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
