#include "feedback/evaluators/cuda/PlanWriter.h"

#include "analysis/StartNvcc.h"
#include "analysis/simt/Math.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <cstring>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;

/// A static or dynamic kernel may use this much without an attribute.
constexpr uint64_t sharedWithoutAttribute = 48 * 1024;
/// Clusters of more blocks are not portable between devices, and need an attribute.
constexpr uint64_t portableCluster = 8;

Json extentsOf(const Dim3 &extents) {
  return {extents.x, extents.y, extents.z};
}

/// One launch of one kernel of the code.
class LaunchWriter {
public:
  LaunchWriter(const ConcreteLaunch &launch, const KernelAnalysis &kernel, const AnnotationContext &signature)
      : launch_(launch), kernel_(kernel.kernel), signature_(signature) {}

  llvm::Expected<Json> arguments() {
    Json all = Json::array();
    for (const KernelParameter &parameter : kernel_.parameters) {
      llvm::Expected<Json> one = argument(parameter);
      if (!one)
        return one.takeError();
      all.push_back(std::move(*one));
    }
    return all;
  }

private:
  llvm::Expected<Json> argument(const KernelParameter &parameter) {
    if (parameter.name.empty())
      return notMeasurable("'" + kernel_.name + "' has a parameter without a name");
    Json value = {{"name", parameter.name}};
    const AnnotationParameter *known = signature_.find(parameter.name);
    if (parameter.isPointer) {
      value["buffer"] = launch_.buffers.at(parameter.name);
      return value;
    }
    if (known && (known->kind == ParameterKind::Integer || known->kind == ParameterKind::Floating))
      return scalar(std::move(value), *known);
    return object(std::move(value), parameter);
  }

  const Scalar *find(const std::string &name) const {
    auto found = launch_.launch.arguments.find(name);
    return found == launch_.launch.arguments.end() ? nullptr : &found->second;
  }

  llvm::Expected<Json> scalar(Json value, const AnnotationParameter &parameter) const {
    const Scalar *given = find(parameter.name);
    if (!given)
      return notMeasurable("parameter '" + parameter.name + "' has no value");
    if (parameter.kind == ParameterKind::Floating) {
      value["type"] = parameter.type.kind == ElementKind::BFloat16
                          ? std::string("bfloat16")
                          : "float" + std::to_string(parameter.type.bytes * 8);
      value["value"] = std::visit([](auto number) { return static_cast<double>(number); }, *given);
    } else {
      // The bits are the same for signed and unsigned.
      value["type"] = "int" + std::to_string(parameter.type.bytes * 8);
      value["value"] = std::visit([](auto number) { return static_cast<int64_t>(number); }, *given);
    }
    return value;
  }

  /// A struct by value: its bytes, and where addresses go into them.
  llvm::Expected<Json> object(Json value, const KernelParameter &parameter) const {
    if (parameter.members.empty() && parameter.size > 1)
      return notMeasurable("parameter '" + parameter.name + "' is a type whose value cannot be stated");
    std::string bytes(parameter.size, '\0');
    Json addresses = Json::array();
    for (const KernelParameterMember &member : parameter.members) {
      std::string name = parameter.name + "." + member.name;
      if (member.kind == KernelParameterMember::Kind::Pointer) {
        addresses.push_back({{"at", member.offset}, {"buffer", launch_.buffers.at(name)}});
        continue;
      }
      const Scalar *given = find(name);
      if (!given)
        return notMeasurable("member '" + name + "' has no value");
      uint64_t bits = bitsOf(*given, member);
      std::memcpy(bytes.data() + member.offset, &bits, std::min<uint64_t>(member.size, sizeof bits));
    }
    value["bytes"] = llvm::toHex(bytes, /*LowerCase=*/true);
    if (!addresses.empty())
      value["addresses"] = std::move(addresses);
    return value;
  }

  static uint64_t bitsOf(const Scalar &value, const KernelParameterMember &member) {
    if (member.kind != KernelParameterMember::Kind::Floating)
      return static_cast<uint64_t>(
          std::visit([](auto number) { return static_cast<int64_t>(number); }, value));
    double number = std::visit([](auto each) { return static_cast<double>(each); }, value);
    return simt::fromDouble(number, member.size == 8   ? simt::ScalarKind::Double
                                    : member.size == 4 ? simt::ScalarKind::Float
                                                       : simt::ScalarKind::Half);
  }

  const ConcreteLaunch &launch_;
  const Kernel &kernel_;
  const AnnotationContext &signature_;
};

Json attributesOf(const PlannedLaunch &planned, const ConcreteLaunch &launch) {
  Json attributes = Json::object();
  if (launch.launch.dynamicSharedBytes > sharedWithoutAttribute)
    attributes["max_dynamic_shared_bytes"] = launch.launch.dynamicSharedBytes;
  if (planned.sharedCarveout)
    attributes["shared_carveout"] = *planned.sharedCarveout;
  if (launch.cluster) {
    attributes["cluster"] = extentsOf(*launch.cluster);
    attributes["non_portable_cluster"] = launch.cluster->count() > portableCluster;
  }
  if (launch.cooperative)
    attributes["cooperative"] = true;
  return attributes;
}

llvm::Expected<Json> writeLaunch(const PlannedLaunch &planned, const ConcreteLaunch &launch,
                                 const MeasuredCode &code) {
  const auto *kernel = llvm::find_if(
      code.kernels, [&](const KernelAnalysis &known) { return known.kernel.name == planned.kernel; });
  if (kernel == code.kernels.end())
    return notMeasurable("there is no kernel '" + planned.kernel + "'");
  const KernelResources *compiled = findCompiled(code.report, kernel->kernel.symbol, code.architecture);
  if (!compiled)
    return notMeasurable("nvcc made no code of '" + planned.kernel + "'");
  llvm::Expected<Json> arguments =
      LaunchWriter(launch, *kernel, code.signatures[kernel - code.kernels.begin()]).arguments();
  if (!arguments)
    return arguments.takeError();
  Json value = {{"symbol", compiled->symbol},
                {"grid", extentsOf(launch.launch.grid)},
                {"block", extentsOf(launch.launch.block)},
                {"dynamic_shared_bytes", launch.launch.dynamicSharedBytes}};
  Json attributes = attributesOf(planned, launch);
  if (!attributes.empty())
    value["attributes"] = std::move(attributes);
  value["arguments"] = std::move(*arguments);
  return value;
}

} // namespace

llvm::Expected<Json> writePlan(const LaunchPlan &plan, const ConcretePlan &concrete,
                               const MeasuredCode &code) {
  Json value = Json::object();
  for (const ConcreteScratch &scratch : concrete.scratch)
    value["scratch"].push_back({{"name", scratch.name}, {"bytes", scratch.bytes}});
  value["steps"] = Json::array();
  for (size_t i = 0; i < concrete.steps.size(); ++i) {
    if (const auto *fill = std::get_if<ConcreteFill>(&concrete.steps[i])) {
      value["steps"].push_back(
          {{"fill", {{"buffer", fill->buffer}, {"bytes", fill->bytes}, {"value", fill->value}}}});
      continue;
    }
    llvm::Expected<Json> launch = writeLaunch(std::get<PlannedLaunch>(plan.steps[i]),
                                              std::get<ConcreteLaunch>(concrete.steps[i]), code);
    if (!launch)
      return launch.takeError();
    value["steps"].push_back({{"launch", std::move(*launch)}});
  }
  return value;
}

} // namespace warpwright
