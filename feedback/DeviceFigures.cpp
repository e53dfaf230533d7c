#include "feedback/DeviceFigures.h"

#include <nlohmann/json.hpp>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;

/// A number above 0 of that name, or what stands in for it.
double positive(const Json &object, const char *key, double otherwise) {
  auto found = object.find(key);
  return found != object.end() && found->is_number() && found->get<double>() > 0 ? found->get<double>()
                                                                                 : otherwise;
}

/// Empty where there is no such object.
Json objectAt(const Json &object, const char *key) {
  auto found = object.find(key);
  return found != object.end() && found->is_object() ? *found : Json::object();
}

} // namespace

DeviceFigures DeviceFigures::typicalOf(const Architecture &architecture) {
  DeviceFigures figures;
  figures.fp32 = architecture.fp32;
  figures.fp64 = architecture.fp64;
  figures.special = architecture.special.value_or(16);
  return figures;
}

llvm::Expected<DeviceFigures> readDeviceFigures(const Json &document) {
  if (!document.is_object() || document.value("schema", std::string()) != "warpwright/device/1")
    return llvm::createStringError("the description of the device is not warpwright/device/1");
  const std::string name = document.value("architecture", std::string());
  const Architecture *architecture = findArchitecture(name);
  if (!architecture)
    return llvm::createStringError("the device's architecture '" + name + "' is not known");
  DeviceFigures figures = DeviceFigures::typicalOf(*architecture);
  figures.device = document.value("device", std::string());
  figures.multiprocessors = positive(document, "multiprocessors", figures.multiprocessors);
  const Json measured = objectAt(document, "measured");
  figures.clockHertz =
      positive(measured, "clock_hertz", positive(document, "clock_khz", figures.clockHertz / 1e3) * 1e3);
  const double cycles = figures.clockHertz * figures.multiprocessors;
  const Json bandwidth = objectAt(measured, "bandwidth_bytes_per_second");
  figures.sharedBytes = positive(bandwidth, "shared_read", figures.sharedBytes * cycles) / cycles;
  figures.l1Bytes = positive(bandwidth, "l1_read", figures.l1Bytes * cycles) / cycles;
  figures.l2Bytes = positive(bandwidth, "l2_read", figures.l2Bytes * cycles) / cycles;
  figures.dramBytes = positive(bandwidth, "dram_read", figures.dramBytes * cycles) / cycles;
  const Json latency = objectAt(measured, "latency_cycles");
  figures.sharedLatency = positive(latency, "shared", figures.sharedLatency);
  figures.l1Latency = positive(latency, "l1", figures.l1Latency);
  figures.l2Latency = positive(latency, "l2", figures.l2Latency);
  figures.dramLatency = positive(latency, "dram", figures.dramLatency);
  figures.launchMicroseconds = positive(measured, "launch_us", figures.launchMicroseconds);
  const Json operations = objectAt(measured, "operations_per_second");
  constexpr double ofAMultiplyAdd = 2;
  figures.fp32 =
      positive(operations, "fp32", figures.fp32 * cycles * ofAMultiplyAdd) / ofAMultiplyAdd / cycles;
  figures.fp64 =
      positive(operations, "fp64", figures.fp64 * cycles * ofAMultiplyAdd) / ofAMultiplyAdd / cycles;
  figures.special = positive(operations, "special", figures.special * cycles) / cycles;
  return figures;
}

} // namespace warpwright
