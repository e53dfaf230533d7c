#pragma once

#include <cstddef>
#include <cstdint>

/// What of the CUDA driver's binary interface the runner uses, declared by ourselves so that it builds where
/// there is no toolkit. Layouts and numbers are those of cuda.h (13.0); a unit test compares them where it is
/// at hand. Every entry point is asked for under its versioned symbol, whose meaning never changes.
namespace warpwright::runner::cuda {

using Result = int;
using DeviceOrdinal = int;
using DevicePointer = uint64_t;
using Context = struct ContextObject *;
using Module = struct ModuleObject *;
using Function = struct FunctionObject *;
using Stream = struct StreamObject *;
using Event = struct EventObject *;

struct Uuid {
  unsigned char bytes[16];
};

// CUresult
inline constexpr Result success = 0;
inline constexpr Result errorInvalidValue = 1;
inline constexpr Result errorOutOfMemory = 2;
inline constexpr Result errorNoDevice = 100;
inline constexpr Result errorNotFound = 500;

// CUdevice_attribute
enum DeviceAttribute : int {
  attributeMaxThreadsPerBlock = 1,
  attributeMaxSharedPerBlock = 8,
  attributeWarpSize = 10,
  attributeMaxRegistersPerBlock = 12,
  attributeClockRate = 13,
  attributeMultiprocessors = 16,
  attributeEccEnabled = 32,
  attributeMemoryClockRate = 36,
  attributeMemoryBusWidth = 37,
  attributeL2Bytes = 38,
  attributeMaxThreadsPerMultiprocessor = 39,
  attributeMajor = 75,
  attributeMinor = 76,
  attributeMaxSharedPerMultiprocessor = 81,
  attributeMaxRegistersPerMultiprocessor = 82,
  attributeCooperativeLaunch = 95,
  attributeMaxSharedPerBlockOptin = 97,
  attributeMaxBlocksPerMultiprocessor = 106,
  attributeMaxPersistingL2Bytes = 108,
  attributeReservedSharedPerBlock = 111,
  attributeClusterLaunch = 120
};

// CUfunction_attribute
enum FunctionAttribute : int {
  functionMaxThreads = 0,
  functionSharedBytes = 1,
  functionLocalBytes = 3,
  functionRegisters = 4,
  functionMaxDynamicShared = 8,
  functionPreferredCarveout = 9,
  functionNonPortableCluster = 14
};

// CUctx_flags, CUevent_flags, CUstream_flags, CUmemhostalloc_flags, CUstreamWaitValue_flags
inline constexpr unsigned contextSpins = 1;
inline constexpr unsigned eventDefault = 0;
inline constexpr unsigned streamNonBlocking = 1;
inline constexpr unsigned hostAllocMapped = 2;
inline constexpr unsigned waitUntilAtLeast = 0;

// CUaccessProperty
enum AccessProperty : int { accessNormal = 0, accessStreaming = 1, accessPersisting = 2 };

struct AccessPolicyWindow {
  void *base;
  size_t bytes;
  float hitRatio;
  AccessProperty hit;
  AccessProperty miss;
};

// CUlaunchAttributeID
enum LaunchAttributeId : int {
  launchAccessPolicyWindow = 1,
  launchCooperative = 2,
  launchClusterDimension = 4,
  launchProgrammaticSerialization = 6
};

union LaunchAttributeValue {
  char padding[64];
  AccessPolicyWindow accessPolicyWindow;
  int cooperative;
  struct {
    unsigned x, y, z;
  } cluster;
  int programmaticSerialization;
};

struct LaunchAttribute {
  LaunchAttributeId id;
  char padding[8 - sizeof(LaunchAttributeId)];
  LaunchAttributeValue value;
};

struct LaunchConfiguration {
  unsigned gridX, gridY, gridZ;
  unsigned blockX, blockY, blockZ;
  unsigned sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};

} // namespace warpwright::runner::cuda
