#pragma once

#include "analysis/Finding.h"
#include "analysis/Launch.h"
#include "analysis/annotation/Annotation.h"
#include "analysis/annotation/AnnotationContext.h"
#include "analysis/arch/Occupancy.h"
#include "analysis/ast/IndexRange.h"
#include "analysis/ast/Kernel.h"
#include "analysis/ast/LaunchSites.h"
#include "analysis/ir/KernelFacts.h"
#include "analysis/ptxas/PtxasOutput.h"
#include "analysis/simt/Counters.h"
#include "analysis/simt/Hazard.h"

#include <llvm/ADT/StringRef.h>

#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// One launch of the kernel and what it costs by analysis.
struct LaunchEvaluation {
  Launch launch;
  std::string label;    ///< the shape, for reports: "m = 4096, n = 65"
  bool assumed = false; ///< grid, block or scalars were supposed, not annotated
  simt::LaunchCounters counters;
  std::vector<simt::Hazard> hazards = {}; ///< of its first and last block; filled by watchLaunches()
};

/// How badly accesses to one shared array collide, over the main launch.
struct ConflictDegree {
  uint64_t requests = 0;   ///< warp instructions
  uint64_t wavefronts = 0; ///< passes through the banks that they took
  uint64_t conflicts = 0;  ///< passes more than conflict-free accesses would take
};

/// Everything analysis knows of one kernel for one architecture.
struct KernelAnalysis {
  std::string architecture; ///< "sm_90"
  Kernel kernel;
  std::optional<Annotation> annotation;
  AnnotationContext context; ///< what names in the annotation mean
  KernelFacts facts;
  KernelLaunches launchSites;             ///< what this file does with the kernel
  std::vector<LaunchEvaluation> launches; ///< the main shape first; empty where none could be evaluated
  std::string launchNote;                 ///< why there is none, or what was supposed
  std::optional<KernelResources> resources;
  std::string resourcesNote;          ///< why there are none
  std::optional<Occupancy> occupancy; ///< of the main launch
  std::vector<Finding> findings;

  /// Conflicts of all accesses to the shared variable of that symbol in the main launch; nothing where no
  /// launch is known.
  std::optional<ConflictDegree> conflictsOf(llvm::StringRef sharedSymbol) const;
  /// Whether no access to the shared variable collides in any launch that was counted. False where none was.
  bool isConflictFree(llvm::StringRef sharedSymbol) const;
  /// Block extents that every launch of the annotation has in common.
  KnownBlock knownBlock() const;
};

} // namespace warpwright
