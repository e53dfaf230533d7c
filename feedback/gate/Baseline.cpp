#include "feedback/gate/Baseline.h"

#include "feedback/Document.h"

#include <llvm/ADT/STLExtras.h>
#include <nlohmann/json.hpp>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;

constexpr llvm::StringLiteral schema = "warpwright/baseline/1";

auto orderOf(const BaselineKernel &kernel) {
  return std::tie(kernel.file, kernel.key);
}

auto orderOf(const BaselineTarget &target) {
  return std::tie(target.architecture, target.toolkit);
}

/// Each reads one object and answers what is wrong with it, or nothing.
std::string readMember(const Json &object, const char *name, std::string &text) {
  auto found = object.find(name);
  if (found == object.end() || !found->is_string())
    return std::string("lacks the text \"") + name + "\"";
  text = found->get<std::string>();
  return {};
}

std::string readFindings(const Json &list, BaselineTarget &target) {
  if (!list.is_array())
    return "\"findings\" is no array";
  for (const Json &row : list) {
    std::pair<std::string, std::string> &finding = target.findings.emplace_back();
    for (auto [name, text] : {std::pair("rule", &finding.first), std::pair("fingerprint", &finding.second)})
      if (std::string wrong = readMember(row, name, *text); !wrong.empty())
        return "a finding " + wrong;
  }
  llvm::sort(target.findings);
  return {};
}

std::string readTarget(const Json &row, BaselineTarget &target) {
  for (auto [name, text] : {std::pair("architecture", &target.architecture),
                            std::pair("toolkit", &target.toolkit), std::pair("launch", &target.launch)})
    if (std::string wrong = readMember(row, name, *text); !wrong.empty())
      return "a target " + wrong;
  auto numbers = row.find("metrics");
  if (numbers == row.end())
    return "a target lacks \"metrics\"";
  if (std::string wrong = readMetrics(*numbers, target.metrics); !wrong.empty())
    return "\"metrics\" " + wrong;
  auto findings = row.find("findings");
  return findings == row.end() ? "a target lacks \"findings\"" : readFindings(*findings, target);
}

std::string readKernel(const Json &row, BaselineKernel &kernel) {
  for (auto [name, text] :
       {std::pair("file", &kernel.file), std::pair("key", &kernel.key), std::pair("body", &kernel.body)})
    if (std::string wrong = readMember(row, name, *text); !wrong.empty())
      return "a kernel " + wrong;
  auto targets = row.find("targets");
  if (targets == row.end() || !targets->is_array())
    return "'" + kernel.key + "' lacks the array \"targets\"";
  for (const Json &target : *targets)
    if (std::string wrong = readTarget(target, kernel.targets.emplace_back()); !wrong.empty())
      return "'" + kernel.key + "': " + wrong;
  return {};
}

Json targetJson(const BaselineTarget &target) {
  Json findings = Json::array();
  for (const auto &[rule, fingerprint] : target.findings)
    findings.push_back({{"rule", rule}, {"fingerprint", fingerprint}});
  return {{"architecture", target.architecture},
          {"toolkit", target.toolkit},
          {"launch", target.launch},
          {"metrics", toJson(target.metrics)},
          {"findings", std::move(findings)}};
}

/// The worse of two numbers of one kernel that several files or commands compile, so that a check of some of
/// them is never worse than one of all.
void takeWorse(MetricValues &values, const MetricValues &other) {
  for (const MetricInfo &info : metrics()) {
    std::optional<double> &value = values[info.metric];
    const std::optional<double> &more = other[info.metric];
    if (more && (!value || info.isWorse(*value, *more)))
      value = more;
  }
}

BaselineTarget &targetIn(BaselineKernel &kernel, const std::string &architecture,
                         const std::string &toolkit) {
  for (BaselineTarget &target : kernel.targets)
    if (target.architecture == architecture && target.toolkit == toolkit)
      return target;
  return kernel.targets.emplace_back(BaselineTarget{architecture, toolkit, {}, {}, {}});
}

} // namespace

const BaselineKernel *Baseline::find(llvm::StringRef file, llvm::StringRef key) const {
  auto found = llvm::find_if(
      kernels, [&](const BaselineKernel &kernel) { return kernel.file == file && kernel.key == key; });
  return found == kernels.end() ? nullptr : &*found;
}

const BaselineTarget *Baseline::findTarget(const BaselineKernel &kernel, llvm::StringRef architecture,
                                           llvm::StringRef toolkit) {
  for (const BaselineTarget &target : kernel.targets)
    if (target.architecture == architecture && target.toolkit == toolkit)
      return &target;
  return nullptr;
}

bool BaselineKernel::isHost() const {
  return !targets.empty() && llvm::all_of(targets, [](const BaselineTarget &target) {
    return target.architecture == CheckedKernel::host;
  });
}

llvm::Expected<Baseline> readBaseline(llvm::StringRef path) {
  llvm::Expected<Json> document = readDocument(path, schema);
  if (!document)
    return document.takeError();
  auto kernels = document->find("kernels");
  if (kernels == document->end() || !kernels->is_array())
    return llvm::createStringError("'" + path + "' lacks the array \"kernels\"");
  Baseline baseline;
  for (const Json &row : *kernels)
    if (std::string wrong = readKernel(row, baseline.kernels.emplace_back()); !wrong.empty())
      return llvm::createStringError("'" + path + "': " + wrong);
  return baseline;
}

std::string printBaseline(const Baseline &baseline) {
  Json kernels = Json::array();
  for (const BaselineKernel &kernel : baseline.kernels) {
    Json targets = Json::array();
    for (const BaselineTarget &target : kernel.targets)
      targets.push_back(targetJson(target));
    kernels.push_back(
        {{"file", kernel.file}, {"key", kernel.key}, {"body", kernel.body}, {"targets", std::move(targets)}});
  }
  return Json{{"schema", schema.str()}, {"kernels", std::move(kernels)}}.dump(1) + "\n";
}

Baseline baselineOf(llvm::ArrayRef<CheckedFile> files,
                    llvm::function_ref<std::string(llvm::StringRef)> relative) {
  Baseline baseline;
  std::map<std::pair<std::string, std::string>, BaselineKernel> byKey;
  for (const CheckedFile &file : files)
    for (const CheckedKernel &kernel : file.kernels) {
      std::string path = relative(kernel.place.file);
      BaselineKernel &entry = byKey[{path, kernel.key}];
      entry.file = path;
      entry.key = kernel.key;
      entry.body = kernel.body;
      BaselineTarget &target = targetIn(entry, kernel.architecture, kernel.toolkit);
      target.launch = kernel.launch;
      takeWorse(target.metrics, kernel.metrics);
      for (const CheckedFinding &checked : kernel.findings) {
        std::pair row(checked.finding.id, checked.fingerprint);
        if (!llvm::is_contained(target.findings, row))
          target.findings.push_back(std::move(row));
      }
    }
  for (auto &[key, kernel] : byKey) {
    for (BaselineTarget &target : kernel.targets)
      llvm::sort(target.findings);
    llvm::sort(kernel.targets, [](auto &left, auto &right) { return orderOf(left) < orderOf(right); });
    baseline.kernels.push_back(std::move(kernel));
  }
  return baseline;
}

Baseline mergeBaselines(const Baseline &old, Baseline fresh, llvm::ArrayRef<std::string> checkedFiles) {
  for (const BaselineKernel &kernel : old.kernels) {
    auto known = llvm::find_if(fresh.kernels, [&](const BaselineKernel &entry) {
      return entry.file == kernel.file && entry.key == kernel.key;
    });
    if (known == fresh.kernels.end()) {
      if (!llvm::is_contained(checkedFiles, kernel.file))
        fresh.kernels.push_back(kernel);
      continue;
    }
    for (const BaselineTarget &target : kernel.targets)
      if (!Baseline::findTarget(*known, target.architecture, target.toolkit))
        known->targets.push_back(target);
    llvm::sort(known->targets, [](auto &left, auto &right) { return orderOf(left) < orderOf(right); });
  }
  llvm::sort(fresh.kernels, [](auto &left, auto &right) { return orderOf(left) < orderOf(right); });
  return fresh;
}

} // namespace warpwright
