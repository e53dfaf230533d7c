#include "analysis/ast/BlockSlots.h"

namespace warpwright {
namespace {
constexpr unsigned warpSize = 32;
constexpr int severalOfWarp = -2;
constexpr int severalWarps = -3;
} // namespace

BlockSlots::Slot *BlockSlots::find(Key key, unsigned bytes) {
  Slot &slot = slots_[key];
  if (slot.bytes == 0) {
    slot.bytes = bytes;
    slot.value = LaneValue::ofNumber(nodes_->leaf(FoldNode::Kind::Slot, key.first, key.second, bytes * 8));
  }
  if (slot.bytes != bytes) {
    race_ = "shared memory is read as one type and written as another";
    return nullptr;
  }
  return &slot;
}

/// Whether the access of `thread` follows one of `other` without anything in between that orders the two.
void BlockSlots::meet(int other, int otherWarp, unsigned at, unsigned atWarp, unsigned thread,
                      bool isVolatile) {
  if (other == -1 || other == static_cast<int>(thread) || at != barriers_)
    return;
  bool sameWarp = other != severalWarps && otherWarp == static_cast<int>(thread / warpSize);
  if (sameWarp && atWarp != warpBarriers_)
    return;
  if (sameWarp && isVolatile) {
    warpSynchronous_ = true;
    return;
  }
  if (race_.empty())
    race_ = "threads meet in a shared slot without a barrier between them";
}

LaneValue BlockSlots::read(Key key, unsigned bytes, unsigned thread, bool isVolatile) {
  Slot *slot = find(key, bytes);
  if (!slot)
    return {};
  meet(slot->writer, slot->writer < 0 ? -1 : slot->writer / static_cast<int>(warpSize), slot->writtenAt,
       slot->writtenAtWarp, thread, isVolatile);
  int warp = static_cast<int>(thread / warpSize);
  bool before = slot->reader != -1 && slot->readAt == barriers_;
  if (!before || slot->reader == static_cast<int>(thread))
    slot->reader = static_cast<int>(thread);
  else
    slot->reader = slot->reader != severalWarps && slot->readerWarp == warp ? severalOfWarp : severalWarps;
  slot->readerWarp = warp;
  slot->readAt = barriers_;
  slot->readAtWarp = warpBarriers_;
  return slot->value;
}

void BlockSlots::write(Key key, unsigned bytes, LaneValue value, unsigned thread, bool isVolatile) {
  Slot *slot = find(key, bytes);
  if (!slot)
    return;
  if (slot->written)
    meet(slot->writer, slot->writer < 0 ? -1 : slot->writer / static_cast<int>(warpSize), slot->writtenAt,
         slot->writtenAtWarp, thread, isVolatile);
  meet(slot->reader, slot->readerWarp, slot->readAt, slot->readAtWarp, thread, isVolatile);
  slot->value = value;
  slot->written = true;
  slot->writer = static_cast<int>(thread);
  slot->writtenAt = barriers_;
  slot->writtenAtWarp = warpBarriers_;
}

} // namespace warpwright
