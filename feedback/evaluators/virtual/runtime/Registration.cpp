// What compilers call for `<<<>>>` and for the device code in a program. Names and types are those of the
// toolkit's crt/host_runtime.h and of Clang's CUDA host code.

#include "feedback/evaluators/virtual/runtime/LastError.h"
#include "feedback/evaluators/virtual/runtime/ProgramRuntime.h"

#include <cuda_runtime_api.h>

#include <vector>

using warpwright::vdevice::DeviceImage;
using warpwright::vdevice::ProgramRuntime;

namespace {

struct FatBinaryWrapper {
  int magic;
  int version;
  const void *data;
  void *unused;
};

struct Configuration {
  dim3 grid;
  dim3 block;
  size_t dynamicShared;
  cudaStream_t stream;
};

/// Launches nest where an argument of one launches another.
std::vector<Configuration> &configurations() {
  thread_local std::vector<Configuration> pushed;
  return pushed;
}

warpwright::Dim3 extentOf(const dim3 &extent) {
  return {extent.x, extent.y, extent.z};
}

size_t indexOf(void **handle) {
  return reinterpret_cast<size_t>(handle) - 1;
}

} // namespace

extern "C" {

void **__cudaRegisterFatBinary(void *wrapper) {
  const auto *image = static_cast<const DeviceImage *>(static_cast<FatBinaryWrapper *>(wrapper)->data);
  return reinterpret_cast<void **>(ProgramRuntime::instance().addImage(*image) + 1);
}

void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {}

void __cudaRegisterFunction(void **handle, const char *host, char *, const char *symbol, int, uint3 *,
                            uint3 *, dim3 *, dim3 *, int *) {
  ProgramRuntime::instance().addKernel(indexOf(handle), host, symbol);
}

void __cudaRegisterVar(void **handle, char *host, char *, const char *symbol, int, size_t, int, int) {
  ProgramRuntime::instance().addVariable(indexOf(handle), host, symbol);
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t dynamicShared, CUstream_st *stream) {
  configurations().push_back({grid, block, dynamicShared, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *dynamicShared, void *stream) {
  if (configurations().empty())
    return cudaErrorMissingConfiguration;
  const Configuration &last = configurations().back();
  *grid = last.grid;
  *block = last.block;
  *dynamicShared = last.dynamicShared;
  *static_cast<cudaStream_t *>(stream) = last.stream;
  configurations().pop_back();
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                             size_t dynamicShared, cudaStream_t) {
  ProgramRuntime::Result result =
      ProgramRuntime::instance().launch(function, extentOf(grid), extentOf(block), arguments, dynamicShared);
  return warpwright::vdevice::remember(static_cast<cudaError_t>(result));
}

cudaError_t cudaLaunchCooperativeKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t) {
  ProgramRuntime::endUndecided("undecided: a cooperative launch");
}
}
