#pragma once

#include "analysis/ast/FoldNode.h"

#include <map>
#include <string>

namespace warpwright {

/// Shared memory as the threads of one block use it between barriers: contents, and whether two threads meet
/// in a slot without one.
class BlockSlots {
public:
  /// A slot by its variable and byte.
  using Key = std::pair<const clang::VarDecl *, int64_t>;
  struct Slot {
    LaneValue value;
    unsigned bytes = 0;
    bool written = false;                      ///< in the code that was run
    int writer = -1;                           ///< the thread that wrote it last
    unsigned writtenAt = 0, writtenAtWarp = 0; ///< counts of barriers before that
    int reader = -1;                           ///< likewise; -2: threads of one warp, -3: of several
    int readerWarp = -1;
    unsigned readAt = 0, readAtWarp = 0;
  };

  explicit BlockSlots(FoldNodes &nodes) : nodes_(&nodes) {}

  /// What the thread reads; unknown, with a reason, where it need not be what another has just written.
  LaneValue read(Key key, unsigned bytes, unsigned thread, bool isVolatile);
  void write(Key key, unsigned bytes, LaneValue value, unsigned thread, bool isVolatile);
  void barrier() { ++barriers_; }
  unsigned barriers() const { return barriers_; }
  void warpBarrier() { ++warpBarriers_; }

  const std::map<Key, Slot> &all() const { return slots_; }
  /// Two threads met in a slot without a barrier between them; empty where none did.
  const std::string &race() const { return race_; }
  /// Lanes of a warp hand each other values through volatile memory without a barrier.
  bool warpSynchronous() const { return warpSynchronous_; }

private:
  Slot *find(Key key, unsigned bytes);
  void meet(int other, int otherWarp, unsigned at, unsigned atWarp, unsigned thread, bool isVolatile);

  FoldNodes *nodes_;
  std::map<Key, Slot> slots_;
  unsigned barriers_ = 0;
  unsigned warpBarriers_ = 0;
  std::string race_;
  bool warpSynchronous_ = false;
};

} // namespace warpwright
