// A CUDA driver without a device, for the runner's tests: device memory is the host's, time is counted
// instead of measured, and "cubins" are lines of text, "kernel NAME LIE MICROSECONDS[,N,MICROSECONDS]": the
// second time is for N elements and more. A real cubin may carry such lines behind its end, where the name
// "*" is every kernel's. STUB_DEVICES gives the number of devices.
#include "feedback/evaluators/cuda/runner/DriverTypes.h"
#include "test/tools/stub-driver/StubKernels.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include <unistd.h>

namespace {
using namespace warpwright::runner::cuda;

struct StubFunction {
  std::string name;
  stub::Kernel kernel;
};
struct StubModule {
  std::map<std::string, StubFunction> functions;
};

stub::Machine &machine() {
  static stub::Machine machine;
  return machine;
}

const char *nameOf(int code) {
  switch (code) {
  case 0:
    return "CUDA_SUCCESS";
  case 1:
    return "CUDA_ERROR_INVALID_VALUE";
  case 2:
    return "CUDA_ERROR_OUT_OF_MEMORY";
  case 200:
    return "CUDA_ERROR_INVALID_IMAGE";
  case 500:
    return "CUDA_ERROR_NOT_FOUND";
  case 719:
    return "CUDA_ERROR_LAUNCH_FAILED";
  default:
    return nullptr;
  }
}

int finish() {
  while (machine().hangs)
    pause();
  return machine().sticky;
}

template <typename T> T fieldOf(const char *image, size_t offset) {
  T value;
  std::memcpy(&value, image + offset, sizeof value);
  return value;
}

/// What stands behind an ELF file of 64 bits: it ends with its table of sections or of segments.
const char *behindElf(const char *image) {
  size_t segments = fieldOf<uint64_t>(image, 0x20) +
                    size_t(fieldOf<uint16_t>(image, 0x36)) * fieldOf<uint16_t>(image, 0x38);
  size_t sections = fieldOf<uint64_t>(image, 0x28) +
                    size_t(fieldOf<uint16_t>(image, 0x3a)) * fieldOf<uint16_t>(image, 0x3c);
  return image + (segments > sections ? segments : sections);
}

void readTimes(const std::string &text, stub::Kernel &kernel) {
  char comma = 0;
  std::istringstream(text) >> kernel.microseconds >> comma >> kernel.threshold >> comma >> kernel.beyond;
}

void *at(DevicePointer address) {
  return reinterpret_cast<void *>(address);
}

} // namespace

extern "C" {

int cuInit(unsigned) {
  return 0;
}
int cuDriverGetVersion(int *version) {
  return *version = 13000, 0;
}
int cuDeviceGetCount(int *count) {
  const char *text = std::getenv("STUB_DEVICES");
  return *count = text ? std::atoi(text) : 1, 0;
}
int cuDeviceGet(DeviceOrdinal *device, int ordinal) {
  return *device = ordinal, 0;
}
int cuDeviceGetName(char *name, int size, DeviceOrdinal) {
  return std::snprintf(name, size, "Stub"), 0;
}
int cuDeviceGetUuid_v2(Uuid *uuid, DeviceOrdinal) {
  return std::memset(uuid, 0x5b, sizeof *uuid), 0;
}
int cuDeviceTotalMem_v2(size_t *bytes, DeviceOrdinal) {
  return *bytes = size_t(1) << 32, 0;
}
int cuDeviceGetAttribute(int *value, int attribute, DeviceOrdinal) {
  switch (attribute) {
  case attributeMultiprocessors:
    return *value = 4, 0;
  case attributeL2Bytes:
    return *value = 1 << 20, 0;
  case attributeMajor:
    return *value = 9, 0;
  case attributeMaxSharedPerBlockOptin:
    return *value = 65536, 0;
  default:
    return *value = 0, 0;
  }
}
int cuDevicePrimaryCtxSetFlags_v2(DeviceOrdinal, unsigned) {
  return 0;
}
int cuDevicePrimaryCtxRetain(Context *context, DeviceOrdinal) {
  return *context = reinterpret_cast<Context>(&machine()), 0;
}
int cuCtxSetCurrent(Context) {
  return 0;
}
int cuCtxSynchronize() {
  if (machine().lateSeconds > 0)
    usleep(static_cast<useconds_t>(machine().lateSeconds * 1e6));
  machine().lateSeconds = 0;
  return finish();
}
int cuCtxResetPersistingL2Cache() {
  return machine().sticky;
}
int cuGetErrorName(int code, const char **name) {
  return *name = nameOf(code), *name ? 0 : 1;
}
int cuMemGetInfo_v2(size_t *available, size_t *total) {
  return *available = *total = size_t(1) << 32, 0;
}

int cuMemAlloc_v2(DevicePointer *address, size_t bytes) {
  void *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  *address = reinterpret_cast<DevicePointer>(memory);
  return memory ? 0 : 2;
}
int cuMemFree_v2(DevicePointer address) {
  return std::free(at(address)), 0;
}
int cuMemHostAlloc(void **memory, size_t bytes, unsigned) {
  return *memory = std::malloc(bytes), *memory ? 0 : 2;
}
int cuMemFreeHost(void *memory) {
  return std::free(memory), 0;
}
int cuMemHostGetDevicePointer_v2(DevicePointer *address, void *memory, unsigned) {
  return *address = reinterpret_cast<DevicePointer>(memory), 0;
}
int cuMemcpyDtoDAsync_v2(DevicePointer target, DevicePointer source, size_t bytes, Stream) {
  return std::memmove(at(target), at(source), bytes), machine().sticky;
}
int cuMemcpyDtoHAsync_v2(void *target, DevicePointer source, size_t bytes, Stream) {
  return std::memcpy(target, at(source), bytes), machine().sticky;
}
int cuMemcpyHtoDAsync_v2(DevicePointer target, const void *source, size_t bytes, Stream) {
  return std::memcpy(at(target), source, bytes), machine().sticky;
}
int cuMemsetD8Async(DevicePointer address, unsigned char value, size_t bytes, Stream) {
  return std::memset(at(address), value, bytes), machine().sticky;
}
int cuMemsetD32Async(DevicePointer address, unsigned value, size_t words, Stream) {
  machine().filled += words * 4;
  for (size_t i = 0; i < words; ++i)
    std::memcpy(static_cast<char *>(at(address)) + i * 4, &value, 4);
  return machine().sticky;
}

int cuModuleLoadData(Module *module, const void *image) {
  const char *text = static_cast<const char *>(image);
  bool isElf = std::strncmp(text, "\177ELF", 4) == 0;
  std::istringstream lines(isElf ? behindElf(text) : text);
  auto *loaded = new StubModule;
  *module = reinterpret_cast<Module>(loaded);
  std::string line, word;
  std::getline(lines, line);
  if (line.starts_with(".version")) {
    loaded->functions["warpwright_scrub"].name = "warpwright_scrub";
    return 0;
  }
  if (line != "stub")
    return 200;
  while (lines >> word) {
    StubFunction function;
    std::string times;
    lines >> function.name >> function.kernel.does >> times;
    readTimes(times, function.kernel);
    loaded->functions[function.name] = function;
  }
  return 0;
}
int cuModuleUnload(Module module) {
  return delete reinterpret_cast<StubModule *>(module), 0;
}
int cuModuleGetFunction(Function *function, Module module, const char *name) {
  auto &functions = reinterpret_cast<StubModule *>(module)->functions;
  auto found = functions.find(functions.contains("*") ? "*" : name);
  if (found == functions.end())
    return 500;
  return *function = reinterpret_cast<Function>(&found->second), 0;
}
int cuFuncGetAttribute(int *value, int, Function) {
  return *value = 0, 0;
}
int cuFuncSetAttribute(Function, int, int) {
  return 0;
}
int cuFuncGetParamInfo(Function, size_t index, size_t *offset, size_t *bytes) {
  constexpr size_t sizes[] = {8, 8, 4};
  if (index >= 3)
    return 1;
  return *offset = index * 8, *bytes = sizes[index], 0;
}

int cuLaunchKernelEx(const LaunchConfiguration *, Function handle, void **arguments, void **) {
  if (machine().sticky)
    return machine().sticky;
  auto *function = reinterpret_cast<StubFunction *>(handle);
  if (function->name == "warpwright_scrub") {
    machine().shared = *static_cast<uint32_t *>(arguments[0]);
    return 0;
  }
  return stub::launch(machine(), function->kernel, *static_cast<float **>(arguments[0]),
                      *static_cast<float **>(arguments[1]), *static_cast<int *>(arguments[2]));
}

int cuStreamCreate(Stream *stream, unsigned) {
  return *stream = nullptr, 0;
}
int cuStreamSynchronize(Stream) {
  return finish();
}
int cuStreamWaitValue32_v2(Stream, DevicePointer, uint32_t, unsigned) {
  return machine().sticky;
}
int cuEventCreate(Event *event, unsigned) {
  return *event = reinterpret_cast<Event>(new double(0)), 0;
}
int cuEventRecord(Event event, Stream) {
  return *reinterpret_cast<double *>(event) = machine().now, machine().sticky;
}
int cuEventSynchronize(Event) {
  return finish();
}
int cuEventElapsedTime(float *milliseconds, Event begin, Event end) {
  double elapsed = *reinterpret_cast<double *>(end) - *reinterpret_cast<double *>(begin);
  return *milliseconds = static_cast<float>(elapsed / 1000), machine().sticky;
}

} // extern "C"
