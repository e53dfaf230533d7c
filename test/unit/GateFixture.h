#pragma once

#include "feedback/gate/Fingerprint.h"
#include "feedback/gate/Gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace warpwright {

/// Lines of files that do not exist, and kernels whose findings lie on them.
class GateProject {
public:
  std::map<std::string, std::vector<std::string>> lines; ///< of "/project/<file>"

  static CheckedFinding finding(const std::string &rule, const std::string &file, unsigned line,
                                const std::string &message = "load of 'a' is slow", double confidence = 0.9) {
    CheckedFinding checked;
    checked.finding.id = rule;
    checked.finding.place = {"/project/" + file, line, 3};
    checked.finding.message = message;
    checked.finding.advice = "do something else";
    checked.finding.confidence = confidence;
    return checked;
  }

  CheckedKernel kernel(const std::string &file, const std::string &name, unsigned line,
                       std::vector<CheckedFinding> findings = {}) const {
    CheckedKernel kernel;
    kernel.key = file + ":" + name + "(float *)";
    kernel.name = name;
    kernel.place = {"/project/" + file, line, 17};
    kernel.beginLine = line - 1;
    kernel.architecture = "sm_90";
    kernel.toolkit = "13.0.88";
    kernel.launch = "n = 32";
    kernel.body = "body of " + name;
    kernel.metrics[Metric::Registers] = 32;
    kernel.metrics[Metric::SpillBytes] = 0;
    kernel.metrics[Metric::ConflictDegree] = 1;
    kernel.findings = std::move(findings);
    fingerprintFindings(kernel, [&](const Place &place) { return line_(place); });
    return kernel;
  }

  static CheckedFile file(const std::string &name, std::vector<CheckedKernel> kernels) {
    CheckedFile file;
    file.file = "/project/" + name;
    file.kernels = std::move(kernels);
    return file;
  }

  static std::string relative(llvm::StringRef path) {
    path.consume_front("/project/");
    return path.str();
  }

  GateRequest request(std::vector<CheckedFile> files) const {
    GateRequest request;
    request.files = std::move(files);
    request.policy = &policy;
    request.policyFile = "/project/warpwright.json";
    request.baselineFile = "warpwright.baseline.json";
    request.today = "2026-11-29";
    request.relative = relative;
    request.exists = [](llvm::StringRef) { return true; };
    return request;
  }
  GateReport check(std::vector<CheckedFile> files) const { return judge(request(std::move(files))); }
  /// The second state against the first.
  GateReport compare(std::vector<CheckedFile> before, std::vector<CheckedFile> after) const {
    GateRequest now = request(std::move(after));
    now.baseline = baselineOf(before, relative);
    return judge(now);
  }

  GatePolicy policy;

private:
  llvm::StringRef line_(const Place &place) const {
    auto found = lines.find(place.file);
    return found == lines.end() || place.line > found->second.size() ? llvm::StringRef()
                                                                     : found->second[place.line - 1];
  }
};

} // namespace warpwright
