// REQUIRES: nvcc
// The runner declares the driver's types itself; here the toolkit's own header is at hand to compare.
// RUN: %nvcc -std=c++20 -I%source_dir -c %s -o %t.o
#include "feedback/evaluators/cuda/runner/DriverTypes.h"

#include <cuda.h>

namespace ours = warpwright::runner::cuda;

static_assert(sizeof(CUlaunchConfig) == sizeof(ours::LaunchConfiguration));
static_assert(offsetof(CUlaunchConfig, hStream) == offsetof(ours::LaunchConfiguration, stream));
static_assert(offsetof(CUlaunchConfig, attrs) == offsetof(ours::LaunchConfiguration, attributes));
static_assert(offsetof(CUlaunchConfig, numAttrs) == offsetof(ours::LaunchConfiguration, attributeCount));
static_assert(sizeof(CUlaunchAttribute) == sizeof(ours::LaunchAttribute));
static_assert(offsetof(CUlaunchAttribute, value) == offsetof(ours::LaunchAttribute, value));
static_assert(sizeof(CUaccessPolicyWindow) == sizeof(ours::AccessPolicyWindow));
static_assert(offsetof(CUaccessPolicyWindow, hitProp) == offsetof(ours::AccessPolicyWindow, hit));
static_assert(sizeof(CUuuid) == sizeof(ours::Uuid));
static_assert(int(CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW) == ours::launchAccessPolicyWindow);
static_assert(int(CU_LAUNCH_ATTRIBUTE_COOPERATIVE) == ours::launchCooperative);
static_assert(int(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) == ours::launchClusterDimension);
static_assert(int(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION) == ours::launchProgrammaticSerialization);
static_assert(int(CU_ACCESS_PROPERTY_PERSISTING) == ours::accessPersisting);
static_assert(int(CU_ACCESS_PROPERTY_STREAMING) == ours::accessStreaming);
static_assert(int(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK) == ours::attributeMaxThreadsPerBlock);
static_assert(int(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK) == ours::attributeMaxSharedPerBlock);
static_assert(int(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) == ours::attributeClockRate);
static_assert(int(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) == ours::attributeMultiprocessors);
static_assert(int(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) == ours::attributeMemoryClockRate);
static_assert(int(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) == ours::attributeMemoryBusWidth);
static_assert(int(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE) == ours::attributeL2Bytes);
static_assert(int(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) == ours::attributeMajor);
static_assert(int(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR) == ours::attributeMinor);
static_assert(int(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) == ours::attributeMaxSharedPerBlockOptin);
static_assert(int(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) == ours::functionMaxDynamicShared);
static_assert(int(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) == ours::functionPreferredCarveout);
static_assert(int(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) == ours::functionNonPortableCluster);
static_assert(CU_CTX_SCHED_SPIN == ours::contextSpins && CU_EVENT_DEFAULT == ours::eventDefault);
static_assert(CU_STREAM_NON_BLOCKING == ours::streamNonBlocking && CU_MEMHOSTALLOC_DEVICEMAP == ours::hostAllocMapped);
static_assert(CU_STREAM_WAIT_VALUE_GEQ == ours::waitUntilAtLeast);
static_assert(CUDA_ERROR_OUT_OF_MEMORY == ours::errorOutOfMemory && CUDA_ERROR_NO_DEVICE == ours::errorNoDevice);
