#pragma once

#include "analysis/FileAnalysis.h"
#include "analysis/host/HostFindings.h"

#include <llvm/Support/raw_ostream.h>
#include <nlohmann/json_fwd.hpp>

namespace warpwright {

/// The `warpwright/facts/1` document of one file and architecture.
nlohmann::ordered_json factsToJson(const std::string &file, const FileAnalysis &analysis,
                                   llvm::ArrayRef<HostFindings> host);

/// An array of findings, each with the numbers it rests on.
nlohmann::ordered_json findingsToJson(llvm::ArrayRef<Finding> findings);

/// A line a kernel: launch, sectors, wavefronts, registers and occupancy.
void printFacts(const FileAnalysis &analysis, llvm::raw_ostream &stream);

/// The `counters` object of one launch: the hardware's counters by analysis, registers from ptxas and
/// occupancy limits.
nlohmann::ordered_json countersOf(const KernelAnalysis &kernel, const Launch &launch,
                                  const simt::LaunchCounters &counters);

} // namespace warpwright
