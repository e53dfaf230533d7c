#include "feedback/evaluators/virtual/execution/Arguments.h"

#include "analysis/simt/Math.h"

#include <cstring>
#include <set>

namespace warpwright::vdevice {
namespace {

using Kind = simt::ParameterMember::Kind;

class Binder {
public:
  Binder(const DeviceKernel &kernel, const LaunchRequest &request) : kernel_(kernel), request_(request) {}

  llvm::Expected<std::vector<uint8_t>> run() {
    bytes_.assign(kernel_.parameterBytes, 0);
    for (size_t i = 0; i < kernel_.parameters.size(); ++i)
      if (llvm::Error error = bind(kernel_.parameters[i], i))
        return std::move(error);
    for (const auto &[name, value] : request_.launch.arguments)
      if (!taken_.contains(name))
        return fail("argument '" + name + "' belongs to no parameter");
    for (const auto &[name, address] : request_.pointers)
      if (!taken_.contains(name))
        return fail("pointer '" + name + "' belongs to no parameter");
    return std::move(bytes_);
  }

private:
  llvm::Error fail(const llvm::Twine &message) const {
    return llvm::createStringError("launch of '" + request_.launch.kernel + "': " + message);
  }

  llvm::Error bind(const DeviceParameter &parameter, size_t index) {
    std::string title = parameter.name.empty() ? "#" + std::to_string(index) : "'" + parameter.name + "'";
    switch (parameter.kind) {
    case DeviceParameter::Kind::Struct:
      return bindStruct(parameter, title);
    case DeviceParameter::Kind::Pointer:
      return bindOne(parameter.name, "parameter " + title, Kind::Pointer, parameter.offset, parameter.bytes);
    case DeviceParameter::Kind::Integer:
      return bindOne(parameter.name, "parameter " + title, Kind::Integer, parameter.offset, parameter.bytes);
    case DeviceParameter::Kind::Floating:
      return bindOne(parameter.name, "parameter " + title, Kind::Float, parameter.offset, parameter.bytes);
    }
    return llvm::Error::success();
  }

  /// A struct that has no member with a value is as good as empty: an empty class, or one that is not read.
  llvm::Error bindStruct(const DeviceParameter &parameter, const std::string &title) {
    if (parameter.members.empty() && parameter.bytes > 1)
      return fail("parameter " + title + " is a type whose value cannot be stated");
    for (const simt::ParameterMember &member : parameter.members) {
      std::string name = parameter.name + "." + member.name;
      if (llvm::Error error = bindOne(name, "member '" + name + "'", member.kind,
                                      parameter.offset + member.offset, member.bytes))
        return error;
    }
    return llvm::Error::success();
  }

  llvm::Error bindOne(const std::string &name, const std::string &title, Kind kind, uint64_t offset,
                      uint64_t bytes) {
    auto pointer = request_.pointers.find(name);
    if (kind == Kind::Pointer && pointer != request_.pointers.end()) {
      taken_.insert(name);
      return write(pointer->second, offset, bytes);
    }
    auto scalar = request_.launch.arguments.find(name);
    if (name.empty() || scalar == request_.launch.arguments.end())
      return fail(title + " has no value");
    taken_.insert(name);
    return write(bitsOf(scalar->second, kind, bytes), offset, bytes);
  }

  static uint64_t bitsOf(const Scalar &value, Kind kind, uint64_t bytes) {
    if (kind != Kind::Float)
      return static_cast<uint64_t>(
          std::visit([](auto number) { return static_cast<int64_t>(number); }, value));
    double number = std::visit([](auto each) { return static_cast<double>(each); }, value);
    simt::ScalarKind scalar = bytes == 8   ? simt::ScalarKind::Double
                              : bytes == 4 ? simt::ScalarKind::Float
                                           : simt::ScalarKind::Half;
    return simt::fromDouble(number, scalar);
  }

  llvm::Error write(uint64_t bits, uint64_t offset, uint64_t bytes) {
    std::memcpy(bytes_.data() + offset, &bits, std::min<uint64_t>(bytes, sizeof(bits)));
    return llvm::Error::success();
  }

  const DeviceKernel &kernel_;
  const LaunchRequest &request_;
  std::vector<uint8_t> bytes_;
  std::set<std::string> taken_;
};

} // namespace

llvm::Expected<std::vector<uint8_t>> bindParameters(const DeviceKernel &kernel,
                                                    const LaunchRequest &request) {
  if (!request.parameters)
    return Binder(kernel, request).run();
  assert(request.parameters->size() == kernel.parameterBytes &&
         "a block laid out as the kernel's parameters");
  return *request.parameters;
}

} // namespace warpwright::vdevice
