#include "feedback/evaluators/cuda/runner/Driver.h"

#include <dlfcn.h>

namespace warpwright::runner {

Fallible<Driver> Driver::load(const std::string &path) {
  enum Need { Optional, Required };
  const char *name = path.empty() ? "libcuda.so.1" : path.c_str();
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return Failure{std::string("no CUDA driver: ") + dlerror()};
  Driver driver;
  const char *missing = nullptr;
  auto find = [&](auto &member, const char *symbol, Need need) {
    member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(dlsym(library, symbol));
    if (!member && need == Required && !missing)
      missing = symbol;
  };
#define WARPWRIGHT_DRIVER_FUNCTION(member, symbol, need, ...) find(driver.functions_.member, symbol, need);
#include "feedback/evaluators/cuda/runner/DriverFunctions.def"
  if (missing)
    return Failure{std::string(name) + " has no " + missing + ": the driver is too old"};
  return driver;
}

std::string Driver::errorName(cuda::Result result) const {
  const char *name = nullptr;
  if (functions_.errorName(result, &name) == cuda::success && name)
    return name;
  return "error " + std::to_string(result);
}

std::optional<Failure> Driver::check(cuda::Result result, std::string_view what) const {
  if (result == cuda::success)
    return std::nullopt;
  return Failure{std::string(what) + ": " + errorName(result), result};
}

} // namespace warpwright::runner
