#include "feedback/evaluators/virtual/LaunchBuffers.h"

#include "feedback/evaluators/values/Initialisation.h"

#include <vector>

namespace warpwright::vdevice {
namespace {

constexpr uint64_t defaultBytes = uint64_t(64) << 20;

std::vector<std::string> pointersOf(const DeviceKernel &kernel) {
  std::vector<std::string> names;
  for (const DeviceParameter &parameter : kernel.parameters) {
    if (parameter.kind == DeviceParameter::Kind::Pointer)
      names.push_back(parameter.name);
    for (const simt::ParameterMember &member : parameter.members)
      if (member.kind == simt::ParameterMember::Kind::Pointer)
        names.push_back(parameter.name + "." + member.name);
  }
  return names;
}

llvm::Expected<uint64_t> addDescribed(DeviceMemory &memory, const std::string &name,
                                      const LaunchBuffer &described, uint64_t seed) {
  std::optional<values::ElementType> type = values::parseElementType(described.type);
  if (!type)
    return llvm::createStringError("buffer '" + name + "': there is no element type '" + described.type +
                                   "'");
  bool isDrawn = described.init != "zeros" && described.init != "none";
  std::optional<values::Distribution> distribution = values::parseDistribution(described.init);
  if (isDrawn && !distribution)
    return llvm::createStringError("buffer '" + name + "': there is no initialisation '" + described.init +
                                   "'");
  BufferRequest request;
  request.name = name;
  request.elementBytes = static_cast<unsigned>(values::sizeOf(*type));
  // An extent that overflows is too large in any case.
  bool overflows = described.elements > ~uint64_t(0) / request.elementBytes;
  request.bytes = overflows ? ~uint64_t(0) : described.elements * request.elementBytes;
  request.misalignment = described.misalignment;
  request.initialised = described.init != "none";
  llvm::Expected<uint64_t> address = memory.addBuffer(request);
  if (!address || !isDrawn)
    return address;
  values::Initialisation initialisation;
  initialisation.distribution = *distribution;
  values::fillElements(initialisation, *type, values::streamKey(seed, name), 0, described.elements,
                       described.elements, reinterpret_cast<void *>(*address));
  return address;
}

} // namespace

llvm::Expected<std::map<std::string, uint64_t>>
addLaunchBuffers(DeviceMemory &memory, const DeviceKernel &kernel, const Launch &launch, uint64_t seed) {
  std::map<std::string, uint64_t> addresses;
  for (const std::string &name : pointersOf(kernel)) {
    // An integer in the place of a pointer is an address that the user answers for: null above all.
    if (launch.arguments.contains(name))
      continue;
    auto described = launch.buffers.find(name);
    llvm::Expected<uint64_t> address = described == launch.buffers.end()
                                           ? memory.addBuffer({.name = name, .bytes = defaultBytes})
                                           : addDescribed(memory, name, described->second, seed);
    if (!address)
      return address.takeError();
    addresses[name] = *address;
  }
  for (const auto &[name, buffer] : launch.buffers)
    if (!addresses.count(name))
      return llvm::createStringError("'" + launch.kernel + "' has no pointer parameter '" + name + "'");
  return addresses;
}

} // namespace warpwright::vdevice
