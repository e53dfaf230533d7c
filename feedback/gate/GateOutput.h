#pragma once

#include "feedback/gate/Gate.h"

#include <llvm/Support/raw_ostream.h>
#include <nlohmann/json_fwd.hpp>

namespace warpwright {

/// What outputs need beyond the report.
struct GateContext {
  std::string version; ///< of the tool
  std::string root;    ///< absolute; paths from the root start here
  std::function<std::string(const std::string &)>
      display; ///< a path, absolute or from the root, as a person reads it
  std::function<llvm::StringRef(llvm::StringRef)> pageOf; ///< of a rule; empty where it has none
  std::string docsUrl; ///< where the pages of docs/ are published; empty: nowhere
};

/// As Clang prints diagnostics: what is new and what could not be checked, then one line of sums.
void printGateText(const GateReport &report, const GateContext &context, llvm::raw_ostream &stream);

/// A `warpwright/check/1` document: everything, what was known before included.
nlohmann::ordered_json gateToJson(const GateReport &report);

/// SARIF 2.1.0 (OASIS): rules with their pages, fingerprints, fixes, suppressions of what was accepted.
nlohmann::ordered_json gateToSarif(const GateReport &report, const GateContext &context);

/// JUnit's XML: a suite a file, a case a kernel and architecture.
void printGateJunit(const GateReport &report, llvm::raw_ostream &stream);

/// A summary for a pull request.
void printGateMarkdown(const GateReport &report, llvm::raw_ostream &stream);

/// "'gemm' on sm_90 takes 72 registers a thread, 64 before; the limit is 64".
std::string describe(const GateChange &change);
/// "12 kernels of 3 files checked against 'warpwright.baseline.json': 1 new finding, 4 known".
std::string summarise(const GateReport &report);
/// The toolkit's drift in a sentence; empty where there is none.
std::string describeDrift(const GateReport &report);

} // namespace warpwright
