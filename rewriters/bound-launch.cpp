// Adds `__launch_bounds__` to a kernel whose block is the same in every launch, so that ptxas knows how many
// threads share the registers; with a number of blocks, it is also told how many should be resident at once.
//
// Legal where no launch has a larger block: the annotation states the block and no scalar changes it, or no
// other file can launch the kernel and every launch in this one has a constant block. A larger block would
// fail to launch.

#include "analysis/KernelAnalysis.h"
#include "analysis/arch/Architecture.h"
#include "analysis/arch/Occupancy.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/KernelProposer.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>

#include <algorithm>

namespace warpwright {
namespace {

constexpr const char *id = "bound-launch";
constexpr uint64_t largestBlock = 1024;

/// The block's threads, or why they are not known.
struct Threads {
  uint64_t count = 0;
  std::string source; ///< where they are known from
  std::string whyNot;
};

Threads annotatedThreads(const KernelAnalysis &analysis) {
  Threads threads;
  threads.count = 1;
  threads.source = "the annotation's block";
  for (const ScalarExpression &extent : analysis.annotation->block->extents) {
    llvm::Expected<int64_t> value = extent.evaluate(analysis.context.constantValues());
    if (!value || *value <= 0) {
      if (!value)
        llvm::consumeError(value.takeError());
      threads.whyNot = "the block '" + extent.str() + "' is no constant";
      return threads;
    }
    threads.count *= static_cast<uint64_t>(*value);
  }
  return threads;
}

/// From the launches, where these are all there can be.
Threads launchedThreads(const KernelLaunches &launches) {
  Threads threads;
  threads.source = "every launch in this file";
  if (!launches.internalLinkage)
    threads.whyNot = "the annotation gives no block, and other files may launch the kernel";
  else if (launches.sites.empty())
    threads.whyNot = "the annotation gives no block, and nothing launches the kernel";
  for (const LaunchSite &site : launches.sites) {
    if (!site.constantBlock && threads.whyNot.empty())
      threads.whyNot =
          "the block of the launch at line " + std::to_string(site.place.line) + " is no constant";
    if (site.constantBlock)
      threads.count = std::max(threads.count, site.constantBlock->count());
  }
  return threads;
}

class Proposer : KernelProposer {
public:
  explicit Proposer(const RewriteContext &context) : KernelProposer(context, id) {}

  llvm::Expected<Proposals> propose() {
    Threads threads;
    threads.whyNot = whyNotOurs();
    if (threads.whyNot.empty())
      threads = knownThreads();
    if (threads.whyNot.empty())
      threads.whyNot = whyNot(threads);
    if (!threads.whyNot.empty()) {
      decline(threads.whyNot);
      return std::move(proposals_);
    }
    add(threads, 0);
    for (unsigned blocks : worthwhileBlocks())
      add(threads, blocks);
    return std::move(proposals_);
  }

private:
  Threads knownThreads() const {
    if (analysis_.annotation->hasLost(ClauseKind::Block))
      return {0, {}, "the annotation's block could not be read"};
    if (analysis_.annotation->block)
      return annotatedThreads(analysis_);
    return launchedThreads(analysis_.launchSites);
  }

  /// Bounds that are set already, or uses that may launch any block.
  std::string whyNotOurs() const {
    if (isBounded())
      return "it has launch bounds already";
    if (analysis_.launchSites.otherUse)
      return "it is used at line " + std::to_string(analysis_.launchSites.otherUse->line) +
             " other than by '<<<>>>', so that its block may be another";
    return {};
  }

  std::string whyNot(const Threads &threads) const {
    if (threads.count > largestBlock)
      return "a block of " + std::to_string(threads.count) + " threads cannot be launched";
    for (const LaunchSite &site : analysis_.launchSites.sites)
      if (site.constantBlock && site.constantBlock->count() > threads.count)
        return "the launch at line " + std::to_string(site.place.line) + " has " +
               std::to_string(site.constantBlock->count()) + " threads a block, " + threads.source + " " +
               std::to_string(threads.count);
    return {};
  }

  bool isBounded() const {
    return llvm::any_of(definition().redecls(),
                        [](const clang::FunctionDecl *declaration) {
                          return declaration->hasAttr<clang::CUDALaunchBoundsAttr>();
                        }) ||
           analysis_.kernel.declaration->hasAttr<clang::CUDALaunchBoundsAttr>();
  }

  /// Of a template, the text is that of the pattern.
  const clang::FunctionDecl &definition() const {
    const clang::FunctionDecl *pattern = analysis_.kernel.declaration->getTemplateInstantiationPattern();
    return pattern ? *pattern : *analysis_.kernel.declaration;
  }

  /// Numbers of blocks to ask for: one more than now, and all that the other limits leave, where registers
  /// are what keeps more from being resident.
  std::vector<unsigned> worthwhileBlocks() const {
    const Architecture *architecture = findArchitecture(analysis_.architecture);
    if (!architecture || !analysis_.occupancy || !analysis_.resources)
      return {};
    const Launch &launch = analysis_.launches.front().launch;
    unsigned now = analysis_.occupancy->residentBlocks;
    unsigned most = computeOccupancy(*architecture, launch.block.count(), /*registersPerThread=*/1,
                                     analysis_.resources->staticSharedBytes + launch.dynamicSharedBytes,
                                     analysis_.resources->barriers)
                        .residentBlocks;
    if (now == 0 || now >= most)
      return {};
    std::vector<unsigned> blocks = {now + 1};
    if (most > blocks.front())
      blocks.push_back(most);
    return blocks;
  }

  void add(const Threads &threads, unsigned blocks) {
    std::string bounds = std::to_string(threads.count) + (blocks ? ", " + std::to_string(blocks) : "");
    std::string reason =
        threads.source + " has " + std::to_string(threads.count) + " threads" +
        (blocks ? "; " + std::to_string(blocks) + " blocks shall share a multiprocessor" : "");
    clang::SourceLocation name = definition().getLocation();
    if (clang::NestedNameSpecifierLoc qualifier = definition().getQualifierLoc())
      name = qualifier.getBeginLoc();
    std::optional<Edit> edit =
        builder_.insertBefore({name, name}, "__launch_bounds__(" + bounds + ") ", reason);
    if (!edit) {
      if (blocks == 0)
        decline("its declaration comes out of a macro");
      return;
    }
    edit->expectedGain = blocks ? "more resident warps, where ptxas can do with fewer registers"
                                : "registers allotted for the block that is launched";
    edit->risk = blocks ? "spilled registers" : "none";
    Candidate candidate;
    candidate.subject = "launch bounds";
    if (blocks)
      candidate.parameters["min_blocks"] = blocks;
    candidate.parameters["threads"] = static_cast<int64_t>(threads.count);
    candidate.claims.push_back({"launch-bound", {}, static_cast<int64_t>(threads.count)});
    if (blocks)
      candidate.claims.push_back({"resident-blocks", {}, blocks});
    if (analysis_.annotation->block)
      candidate.assumptions.push_back("the kernel is launched with the annotation's block alone");
    candidate.edits.push_back(std::move(*edit));
    offer(std::move(candidate));
  }
};

} // namespace

llvm::Expected<Proposals> proposeBoundLaunch(const RewriteContext &context) {
  return Proposer(context).propose();
}

} // namespace warpwright
