// Memory of the CUDA runtime: of the process, aligned as a device aligns it. Copies are made at once.

#include "feedback/evaluators/virtual/runtime/LastError.h"
#include "feedback/evaluators/virtual/runtime/ProgramRuntime.h"

#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>

using warpwright::vdevice::ProgramRuntime;
using warpwright::vdevice::remember;

namespace {

constexpr size_t alignment = 256;
/// Behind every buffer. A device does not notice a kernel that writes a little too far; nor shall the process
/// end.
constexpr size_t slack = size_t(64) << 10;

cudaError_t allocate(void **pointer, size_t bytes) {
  if (!pointer)
    return remember(cudaErrorInvalidValue);
  size_t rounded = (bytes + slack + alignment - 1) / alignment * alignment;
  if (rounded < bytes)
    return remember(cudaErrorMemoryAllocation);
  *pointer = bytes == 0 ? nullptr : std::aligned_alloc(alignment, rounded);
  if (bytes != 0 && !*pointer)
    return remember(cudaErrorMemoryAllocation);
  if (*pointer)
    ProgramRuntime::instance().addAllocation(*pointer, bytes);
  return cudaSuccess;
}

cudaError_t release(void *pointer) {
  ProgramRuntime::instance().removeAllocation(pointer);
  std::free(pointer);
  return cudaSuccess;
}

/// The bytes of a variable from an offset on, or null where they are not all there.
uint8_t *placeIn(const void *symbol, size_t offset, size_t count) {
  ProgramRuntime::Variable variable = ProgramRuntime::instance().variable(symbol);
  bool fits = variable.address && offset <= variable.bytes && count <= variable.bytes - offset;
  return fits ? variable.address + offset : nullptr;
}

} // namespace

extern "C" {

cudaError_t cudaMalloc(void **pointer, size_t bytes) {
  return allocate(pointer, bytes);
}
cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t) {
  return allocate(pointer, bytes);
}
cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned) {
  return allocate(pointer, bytes);
}
cudaError_t cudaMallocHost(void **pointer, size_t bytes) {
  return allocate(pointer, bytes);
}
cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned) {
  return allocate(pointer, bytes);
}
cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
  *pitch = (width + alignment - 1) / alignment * alignment;
  return allocate(pointer, *pitch * height);
}
cudaError_t cudaFree(void *pointer) {
  return release(pointer);
}
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t) {
  return release(pointer);
}
cudaError_t cudaFreeHost(void *pointer) {
  return release(pointer);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t count, cudaMemcpyKind) {
  if (count != 0 && (!to || !from))
    return remember(cudaErrorInvalidValue);
  if (count != 0)
    std::memmove(to, from, count);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t count, cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpy(to, from, count, kind);
}
cudaError_t cudaMemcpy2D(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                         size_t height, cudaMemcpyKind) {
  if (width > toPitch || width > fromPitch)
    return remember(cudaErrorInvalidPitchValue);
  for (size_t row = 0; row < height; ++row)
    std::memmove(static_cast<char *>(to) + row * toPitch, static_cast<const char *>(from) + row * fromPitch,
                 width);
  return cudaSuccess;
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpy2D(to, toPitch, from, fromPitch, width, height, kind);
}
cudaError_t cudaMemset(void *pointer, int value, size_t count) {
  if (count != 0)
    std::memset(pointer, value, count);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void *pointer, int value, size_t count, cudaStream_t) {
  return cudaMemset(pointer, value, count);
}
cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height) {
  for (size_t row = 0; row < height; ++row)
    std::memset(static_cast<char *>(pointer) + row * pitch, value, width);
  return cudaSuccess;
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t count, size_t offset,
                               cudaMemcpyKind kind) {
  uint8_t *to = placeIn(symbol, offset, count);
  return to ? cudaMemcpy(to, from, count, kind) : remember(cudaErrorInvalidSymbol);
}
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t count, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpyToSymbol(symbol, from, count, offset, kind);
}
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t count, size_t offset,
                                 cudaMemcpyKind kind) {
  const uint8_t *from = placeIn(symbol, offset, count);
  return from ? cudaMemcpy(to, from, count, kind) : remember(cudaErrorInvalidSymbol);
}
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t count, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpyFromSymbol(to, symbol, count, offset, kind);
}
cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol) {
  *pointer = placeIn(symbol, 0, 0);
  return *pointer ? cudaSuccess : remember(cudaErrorInvalidSymbol);
}
cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol) {
  *bytes = ProgramRuntime::instance().variable(symbol).bytes;
  return placeIn(symbol, 0, 0) ? cudaSuccess : remember(cudaErrorInvalidSymbol);
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned) {
  *device = host;
  return cudaSuccess;
}
cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned) {
  ProgramRuntime::instance().addAllocation(pointer, bytes);
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void *pointer) {
  ProgramRuntime::instance().removeAllocation(pointer);
  return cudaSuccess;
}
cudaError_t cudaMemPrefetchAsync(const void *, size_t, cudaMemLocation, unsigned, cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaMemAdvise(const void *, size_t, cudaMemoryAdvise, cudaMemLocation) {
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
  *total = size_t(8) << 30;
  *available = *total / 2;
  return cudaSuccess;
}
}
