#pragma once

#include "analysis/Place.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <string>
#include <utility>
#include <vector>

namespace warpwright {

struct KernelAnalysis;

/// A number that a finding rests on, with its unit in the name: {"sectors per request", 32}.
struct Evidence {
  std::string name;
  double value = 0;
};

/// A rule's reading of facts about one place of a kernel.
struct Finding {
  std::string id; ///< kebab-case, the row of Analyses.def
  Place place;
  std::string message;            ///< what is so and why it costs, one sentence without a full stop
  std::vector<Evidence> evidence; ///< what the message rests on
  double confidence = 0;          ///< 0 to 1: how sure the rule is that changing the place pays
  std::string advice;             ///< what would help
  std::vector<std::pair<Place, std::string>> notes; ///< other places a reader should see
};

/// A row of Analyses.def.
struct FindingRule {
  llvm::StringLiteral id;
  llvm::StringLiteral summary;
  std::vector<Finding> (*find)(const KernelAnalysis &);
};

/// Every rule, sorted by id.
llvm::ArrayRef<FindingRule> findingRules();

/// The rule of that id, or null.
const FindingRule *findFindingRule(llvm::StringRef id);

/// Watches the launches and asks every rule: all findings, by place and id.
std::vector<Finding> findAll(KernelAnalysis &analysis);

} // namespace warpwright
