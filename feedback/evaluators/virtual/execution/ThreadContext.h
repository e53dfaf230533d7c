#pragma once

#include <cstddef>
#include <cstdint>

namespace warpwright::vdevice {

inline constexpr uint32_t warpSize = 32;

class BlockRunner;
class Monitor;
class ShadowMemory;

/// Shadows of one collective: of the halves of a word, or of the word.
inline constexpr unsigned shadowSlots = 2;

/// What the code of a kernel knows of the thread that it runs as. Lowered code reads the members by their
/// offsets, so a member is only ever added here and in what reads it.
struct ThreadContext {
  uint32_t thread[3] = {0, 0, 0};
  uint32_t block[3] = {0, 0, 0};
  uint32_t blockExtent[3] = {1, 1, 1};
  uint32_t gridExtent[3] = {1, 1, 1};
  uint32_t linear = 0; ///< within the block
  uint32_t lane = 0;
  uint32_t warp = 0;
  uint32_t warps = 1; ///< of the block
  uint32_t dynamicSharedBytes = 0;
  uint32_t sharedBytes = 0; ///< static and dynamic
  uint8_t *shared = nullptr;
  uint8_t *local = nullptr;  ///< this thread's
  uint64_t localBytes = 0;   ///< from one thread to the next
  uint64_t recursionTop = 0; ///< bytes in use by the frames of functions that call themselves
  const uint8_t *parameters = nullptr;
  const uint64_t *variables = nullptr; ///< addresses by index
  uint64_t stepsLeft = 0;
  uint8_t *frames = nullptr; ///< of all threads of the block, for what they keep between regions
  Monitor *monitor = nullptr;
  BlockRunner *runner = nullptr;
  ShadowMemory *shadow = nullptr;      ///< null: code has no shadow
  double shadowSent[shadowSlots] = {}; ///< of the value that the thread gives to a shuffle
  double shadowGot[shadowSlots] = {};  ///< of the one that it gets
};

/// Bytes of shared memory before the user's that belong to the system, as on devices from sm_90 on. Offsets
/// in shared memory count them, so that none is null.
inline constexpr uint64_t systemShared = 1024;

/// Bytes of local memory that functions which call themselves may take together, for one thread.
inline constexpr uint64_t recursionStack = 16384;

/// Runs one thread, or, where threads are a loop, all of a block's, one after the other; the context is then
/// that of the first.
using KernelEntry = void (*)(ThreadContext *);

/// Starts a thread whose state lies in the frame; its first word continues it, and is null once it has ended.
/// Without a frame: returns how many bytes one takes.
using CoroutineEntry = void *(*)(ThreadContext *, void *frame);
using CoroutineResume = void (*)(void *frame);

} // namespace warpwright::vdevice
