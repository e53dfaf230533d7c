#include "feedback/evaluators/cuda/runner/Cupti.h"

#include <dlfcn.h>

#include <string>
#include <vector>

namespace warpwright::runner {
namespace {

/// CUPTI opens the libraries it needs by name alone: beside itself it finds them only if they are loaded.
void *openWithCompanions(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash != std::string::npos)
    for (const char *companion : {"libnvperf_target.so", "libnvperf_host.so"})
      dlopen((path.substr(0, slash + 1) + companion).c_str(), RTLD_NOW | RTLD_GLOBAL);
  return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
}

void *openLibrary(const std::string &path) {
  if (!path.empty())
    return openWithCompanions(path);
  std::vector<std::string> places = {"libcupti.so.13", "/usr/local/cuda/lib64/libcupti.so.13",
                                     "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13"};
#ifdef WARPWRIGHT_CUPTI_LIBRARY
  places.insert(places.begin() + 1, WARPWRIGHT_CUPTI_LIBRARY);
#endif
  for (const std::string &place : places)
    if (void *library = openWithCompanions(place))
      return library;
  return nullptr;
}

} // namespace

Fallible<Cupti> Cupti::load(const std::string &path) {
  void *library = openLibrary(path);
  if (!library)
    return Failure{std::string("no CUPTI: ") + dlerror()};
  Cupti cupti;
  const char *missing = nullptr;
  auto find = [&](auto &member, const char *symbol) {
    member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(dlsym(library, symbol));
    if (!member && !missing)
      missing = symbol;
  };
#define WARPWRIGHT_CUPTI_FUNCTION(member, function) find(cupti.functions_.member, #function);
#include "feedback/evaluators/cuda/runner/CuptiFunctions.def"
  if (missing)
    return Failure{std::string("CUPTI has no ") + missing + ": version 13 is needed"};
  return cupti;
}

Problem Cupti::check(CUptiResult result, std::string_view what) const {
  if (result == CUPTI_SUCCESS)
    return std::nullopt;
  const char *name = nullptr;
  if (functions_.resultName(result, &name) != CUPTI_SUCCESS || !name)
    name = "an unknown error";
  return Failure{std::string(name) + ", " + std::string(what), result};
}

} // namespace warpwright::runner
