// The device of the CUDA runtime: one, with the limits that the virtual device keeps. Streams and events
// order nothing, as everything is done when the call returns.

#include "feedback/evaluators/virtual/runtime/LastError.h"
#include "feedback/evaluators/virtual/runtime/ProgramRuntime.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstring>

using warpwright::vdevice::ProgramRuntime;
using warpwright::vdevice::remember;

namespace {

thread_local cudaError_t lastError = cudaSuccess;

constexpr int multiprocessors = 4;
constexpr int mostThreads = 1024;
constexpr int mostThreadsOfAll = 2048; ///< of a multiprocessor
constexpr int sharedOfBlock = 49152;
constexpr int sharedOfBlockOptIn = 232448;
constexpr int registers = 65536;

using Clock = std::chrono::steady_clock;

int attributeOf(cudaDeviceAttr attribute) {
  switch (attribute) {
  case cudaDevAttrMaxThreadsPerBlock:
  case cudaDevAttrMaxBlockDimX:
  case cudaDevAttrMaxBlockDimY:
    return mostThreads;
  case cudaDevAttrMaxBlockDimZ:
    return 64;
  case cudaDevAttrMaxGridDimX:
    return 2147483647;
  case cudaDevAttrMaxGridDimY:
  case cudaDevAttrMaxGridDimZ:
    return 65535;
  case cudaDevAttrMaxSharedMemoryPerBlock:
    return sharedOfBlock;
  case cudaDevAttrMaxSharedMemoryPerBlockOptin:
  case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
    return sharedOfBlockOptIn;
  case cudaDevAttrWarpSize:
    return 32;
  case cudaDevAttrMultiProcessorCount:
    return multiprocessors;
  case cudaDevAttrMaxThreadsPerMultiProcessor:
    return mostThreadsOfAll;
  case cudaDevAttrMaxRegistersPerBlock:
  case cudaDevAttrMaxRegistersPerMultiprocessor:
    return registers;
  case cudaDevAttrComputeCapabilityMajor:
    return 9;
  case cudaDevAttrTotalConstantMemory:
    return 65536;
  case cudaDevAttrManagedMemory:
  case cudaDevAttrConcurrentManagedAccess:
  case cudaDevAttrUnifiedAddressing:
  case cudaDevAttrConcurrentKernels:
    return 1;
  default:
    return 0;
  }
}

/// A stream or an event is an address that is not null.
template <typename Handle> cudaError_t make(Handle *handle) {
  *handle = reinterpret_cast<Handle>(new Clock::time_point(Clock::now()));
  return cudaSuccess;
}

template <typename Handle> cudaError_t destroy(Handle handle) {
  delete reinterpret_cast<Clock::time_point *>(handle);
  return cudaSuccess;
}

} // namespace

cudaError_t warpwright::vdevice::remember(cudaError_t error) {
  if (error != cudaSuccess)
    lastError = error;
  return error;
}

extern "C" {

cudaError_t cudaGetLastError() {
  return std::exchange(lastError, cudaSuccess);
}
cudaError_t cudaPeekAtLastError() {
  return lastError;
}
const char *cudaGetErrorName(cudaError_t error) {
  return error == cudaSuccess ? "cudaSuccess" : "cudaError";
}
const char *cudaGetErrorString(cudaError_t error) {
  switch (error) {
  case cudaSuccess:
    return "no error";
  case cudaErrorInvalidConfiguration:
    return "invalid configuration argument";
  case cudaErrorLaunchFailure:
    return "the kernel is at fault";
  default:
    return "an error of the CUDA runtime";
  }
}

cudaError_t cudaGetDeviceCount(int *count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int *device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  return device == 0 ? cudaSuccess : remember(cudaErrorInvalidDevice);
}
cudaError_t cudaSetDeviceFlags(unsigned) {
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  return cudaSuccess;
}
cudaError_t cudaDeviceReset() {
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int) {
  *value = attributeOf(attribute);
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int) {
  *properties = cudaDeviceProp();
  std::strcpy(properties->name, "Warpwright virtual device");
  properties->totalGlobalMem = size_t(8) << 30;
  properties->sharedMemPerBlock = sharedOfBlock;
  properties->sharedMemPerBlockOptin = sharedOfBlockOptIn;
  properties->sharedMemPerMultiprocessor = sharedOfBlockOptIn;
  properties->regsPerBlock = registers;
  properties->regsPerMultiprocessor = registers;
  properties->warpSize = 32;
  properties->maxThreadsPerBlock = mostThreads;
  properties->maxThreadsPerMultiProcessor = mostThreadsOfAll;
  properties->maxBlocksPerMultiProcessor = 32;
  int extents[] = {mostThreads, mostThreads, 64};
  int grid[] = {2147483647, 65535, 65535};
  std::copy_n(extents, 3, properties->maxThreadsDim);
  std::copy_n(grid, 3, properties->maxGridSize);
  properties->totalConstMem = 65536;
  properties->major = 9;
  properties->multiProcessorCount = multiprocessors;
  properties->l2CacheSize = 4 << 20;
  properties->memoryBusWidth = 64;
  properties->canMapHostMemory = 1;
  properties->unifiedAddressing = 1;
  properties->managedMemory = 1;
  properties->concurrentManagedAccess = 1;
  properties->concurrentKernels = 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
  return cudaSuccess;
}
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) {
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  *least = *greatest = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int *can, int, int) {
  *can = 0;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int *version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int *version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaProfilerStart() {
  return cudaSuccess;
}
cudaError_t cudaProfilerStop() {
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute, int) {
  return cudaSuccess;
}
cudaError_t cudaFuncSetCacheConfig(const void *, cudaFuncCache) {
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *function) {
  const warpwright::vdevice::DeviceKernel *kernel = ProgramRuntime::instance().kernel(function);
  if (!kernel)
    return remember(cudaErrorInvalidDeviceFunction);
  *attributes = cudaFuncAttributes();
  attributes->sharedSizeBytes = kernel->staticSharedBytes;
  attributes->maxThreadsPerBlock = mostThreads;
  attributes->maxDynamicSharedSizeBytes = sharedOfBlock;
  attributes->numRegs = 32;
  attributes->binaryVersion = attributes->ptxVersion = 90;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *, int threads, size_t) {
  *blocks = std::clamp(mostThreadsOfAll / std::max(threads, 1), 1, 32);
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function,
                                                                   int threads, size_t shared, unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  return make(stream);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned) {
  return make(stream);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned, int) {
  return make(stream);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return destroy(stream);
}
cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) {
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t function, void *data) {
  function(data);
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  return make(event);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned) {
  return make(event);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return destroy(event);
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  *reinterpret_cast<Clock::time_point *>(event) = Clock::now();
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) {
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t) {
  return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  std::chrono::duration<float, std::milli> elapsed =
      *reinterpret_cast<Clock::time_point *>(end) - *reinterpret_cast<Clock::time_point *>(start);
  *milliseconds = elapsed.count();
  return cudaSuccess;
}
}
