#include "feedback/evaluators/cuda/runner/Device.h"

#include <algorithm>
#include <cstdio>

namespace warpwright::runner {

int Device::attribute(int which) const {
  int value = 0;
  return driver_->deviceGetAttribute(&value, which, ordinal_) == cuda::success ? value : 0;
}

Fallible<Device> Device::find(const Driver &driver, int ordinal) {
  Device device(driver);
  int count = 0;
  if (Problem problem = driver.check(driver->initialise(0), "starting the driver"))
    return *problem;
  if (Problem problem = driver.check(driver->deviceCount(&count), "counting devices"))
    return *problem;
  if (ordinal >= count)
    return Failure{"there is no device " + std::to_string(ordinal) + ": the driver has " +
                       std::to_string(count),
                   cuda::errorNoDevice};
  if (Problem problem = driver.check(driver->deviceGet(&device.ordinal_, ordinal), "finding the device"))
    return *problem;
  cuda::Uuid uuid = {};
  if (Problem problem = driver.check(driver->deviceGetUuid(&uuid, device.ordinal_), "naming the device"))
    return *problem;
  for (unsigned char byte : uuid.bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    device.uuid_ += digits;
  }
  device.multiprocessors_ = device.attribute(cuda::attributeMultiprocessors);
  device.l2Bytes_ = device.attribute(cuda::attributeL2Bytes);
  device.maxSharedBytes_ = device.attribute(cuda::attributeMaxSharedPerBlockOptin);
  return device;
}

Problem Device::open() {
  driver_->primarySetFlags(ordinal_, cuda::contextSpins); // refused where the context is already active
  if (Problem problem = driver_.check(driver_->primaryRetain(&context_, ordinal_), "making a context"))
    return problem;
  if (Problem problem = driver_.check(driver_->contextSetCurrent(context_), "making a context"))
    return problem;
  for (cuda::Stream &stream : streams_)
    if (Problem problem =
            driver_.check(driver_->streamCreate(&stream, cuda::streamNonBlocking), "making a stream"))
      return problem;
  return std::nullopt;
}

Fallible<cuda::DevicePointer> Device::allocate(uint64_t bytes) const {
  cuda::DevicePointer address = 0;
  std::string what = "allocating " + std::to_string(bytes) + " bytes";
  if (Problem problem = driver_.check(driver_->memoryAlloc(&address, bytes), what))
    return *problem;
  return address;
}

Fallible<uint64_t> Device::freeBytes() const {
  size_t available = 0, total = 0;
  if (Problem problem =
          driver_.check(driver_->contextGetMemory(&available, &total), "asking for free memory"))
    return *problem;
  return uint64_t(available);
}

Problem Device::copyIn(cuda::DevicePointer target, const void *source, uint64_t bytes) const {
  if (Problem problem =
          driver_.check(driver_->copyHostToDevice(target, source, bytes, stream()), "copying in"))
    return problem;
  return driver_.check(driver_->streamSynchronize(stream()), "copying in");
}

Problem Device::copyOut(void *target, cuda::DevicePointer source, uint64_t bytes) const {
  if (Problem problem =
          driver_.check(driver_->copyDeviceToHost(target, source, bytes, stream()), "copying out"))
    return problem;
  return driver_.check(driver_->streamSynchronize(stream()), "copying out");
}

Problem Device::copyWithin(cuda::DevicePointer target, cuda::DevicePointer source, uint64_t bytes) const {
  return driver_.check(driver_->copyDeviceToDevice(target, source, bytes, stream()), "copying on the device");
}

Problem Device::fill(cuda::DevicePointer address, uint32_t word, uint64_t bytes) const {
  // Words need a start that is a multiple of four: what comes before and after is filled bytewise.
  uint64_t done = 0;
  auto byteOf = [&](uint64_t position) { return static_cast<unsigned char>(word >> (position % 4 * 8)); };
  auto fillBytes = [&](uint64_t end) -> Problem {
    for (; done < end; ++done)
      if (Problem problem =
              driver_.check(driver_->fillBytes(address + done, byteOf(done), 1, stream()), "filling memory"))
        return problem;
    return std::nullopt;
  };
  uint64_t head = std::min<uint64_t>((4 - address % 4) % 4, bytes);
  if (Problem problem = fillBytes(head))
    return problem;
  uint32_t turned = head ? word >> (head * 8) | word << (32 - head * 8) : word;
  uint64_t words = (bytes - done) / 4;
  if (words)
    if (Problem problem =
            driver_.check(driver_->fillWords(address + done, turned, words, stream()), "filling memory"))
      return problem;
  done += words * 4;
  return fillBytes(bytes);
}

Problem Device::synchronize() const {
  return driver_.check(driver_->contextSynchronize(), "running");
}

std::string Device::name() const {
  char name[128] = "";
  driver_->deviceGetName(name, sizeof name, ordinal_);
  return name;
}

std::string Device::architecture() const {
  return "sm_" + std::to_string(attribute(cuda::attributeMajor)) +
         std::to_string(attribute(cuda::attributeMinor));
}

nlohmann::ordered_json Device::describe() const {
  size_t memory = 0;
  int version = 0;
  driver_->deviceMemory(&memory, ordinal_);
  driver_->driverVersion(&version);
  nlohmann::ordered_json document;
  document["device"] = name();
  document["uuid"] = uuid_;
  document["architecture"] = architecture();
  document["driver"] = std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  document["multiprocessors"] = multiprocessors_;
  document["memory_bytes"] = memory;
  document["l2_bytes"] = l2Bytes_;
  document["shared_bytes_per_block"] = attribute(cuda::attributeMaxSharedPerBlock);
  document["shared_bytes_per_block_optin"] = maxSharedBytes_;
  document["threads_per_block"] = attribute(cuda::attributeMaxThreadsPerBlock);
  for (auto [key, which] : {std::pair{"registers_per_block", cuda::attributeMaxRegistersPerBlock},
                            {"registers_per_multiprocessor", cuda::attributeMaxRegistersPerMultiprocessor},
                            {"threads_per_multiprocessor", cuda::attributeMaxThreadsPerMultiprocessor},
                            {"blocks_per_multiprocessor", cuda::attributeMaxBlocksPerMultiprocessor},
                            {"shared_bytes_per_multiprocessor", cuda::attributeMaxSharedPerMultiprocessor},
                            {"reserved_shared_bytes_per_block", cuda::attributeReservedSharedPerBlock},
                            {"persisting_l2_bytes", cuda::attributeMaxPersistingL2Bytes},
                            {"warp_size", cuda::attributeWarpSize}})
    document[key] = attribute(which);
  for (auto [key, which] : {std::pair{"cooperative_launch", cuda::attributeCooperativeLaunch},
                            {"cluster_launch", cuda::attributeClusterLaunch},
                            {"ecc", cuda::attributeEccEnabled}})
    document[key] = attribute(which) != 0;
  document["clock_khz"] = attribute(cuda::attributeClockRate);
  document["memory_clock_khz"] = attribute(cuda::attributeMemoryClockRate);
  document["memory_bus_bits"] = attribute(cuda::attributeMemoryBusWidth);
  return document;
}

Fallible<HostArray> HostArray::allocate(const Device &device, uint64_t bytes) {
  HostArray array;
  const Driver &driver = device.driver();
  std::string what = "allocating " + std::to_string(bytes) + " bytes of pinned memory";
  if (Problem problem = driver.check(driver->hostAlloc(&array.data_, bytes, cuda::hostAllocMapped), what))
    return *problem;
  array.free_ = driver->hostFree;
  array.bytes_ = bytes;
  return array;
}

} // namespace warpwright::runner
