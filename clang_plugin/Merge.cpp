// `warpwright merge`: takes the results of a bundle, chooses, and writes the choices into the lock.

#include "clang_plugin/CommandLine.h"
#include "clang_plugin/ExitTally.h"
#include "clang_plugin/Jobs.h"
#include "clang_plugin/OutputFile.h"
#include "feedback/evaluators/cuda/BundleFolder.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <nlohmann/json.hpp>

namespace warpwright {
namespace {

class MergeVerb : private ExitTally {
public:
  explicit MergeVerb(const Options &options) : options_(options) {}

  ExitCode run() {
    if (options_.operands.empty() || options_.operands.size() > 2)
      return fail(ExitCode::BadUsage, "merge needs a bundle, and may get the folder with its results");
    if (options_.lock.empty())
      return fail(ExitCode::BadUsage, "merge needs --lock");
    llvm::Expected<Lock> lock = Lock::readOrEmpty(options_.lock);
    if (!lock)
      return fail(ExitCode::BadUsage, llvm::toString(lock.takeError()));
    llvm::Expected<MergedBundle> bundle =
        readBundle(options_.operands[0], options_.operands.size() == 2 ? options_.operands[1] : "");
    if (!bundle)
      return fail(ExitCode::BadUsage, llvm::toString(bundle.takeError()));
    if (bundle->results == 0)
      return fail(ExitCode::Undecided,
                  "'" + options_.operands[0] + "' holds no results; its run.sh makes them");
    for (const TunedKernel &kernel : bundle->kernels)
      choose(kernel, *lock);
    if (llvm::Error error = writeFile(options_.lock, lock->text()))
      return fail(ExitCode::BadUsage, llvm::toString(std::move(error)));
    if (llvm::Error error = writeOutput(options_, text_))
      return fail(ExitCode::BadUsage, llvm::toString(std::move(error)));
    return worst_;
  }

private:
  /// A kernel whose proposals did not all come back keeps the entry that it has.
  void choose(const TunedKernel &kernel, Lock &lock) {
    const std::string &name = kernel.conditions.kernel;
    for (const auto &[set, measurement] : kernel.measured.measured)
      text_ += toText(measurement);
    MeasuredChoice choice = chooseByMeasurement(kernel.measured);
    bool lacksProposal = llvm::any_of(choice.needed, [&](const UnitSet &set) {
      return llvm::is_contained(kernel.measured.candidates, set);
    });
    if (lacksProposal) {
      note(ExitCode::Undecided);
      text_ +=
          name + ": not decided: " + std::to_string(choice.needed.size()) + " proposals were not measured\n";
      return;
    }
    for (const UnitSet &set : choice.needed)
      text_ += name + ": note: '" + kernel.nameOf(set) + "' was not measured, and may be better still\n";
    for (const ConditionalOffer &offer : choice.conditional)
      text_ += name + ": " + kernel.nameOf(offer.set) + " under a condition: faster on " +
               llvm::join(offer.faster, "; ") + "; slower on " + llvm::join(offer.slower, "; ") +
               (offer.guard.empty() ? "" : "; guard " + offer.guard) +
               (offer.whyNot.empty() ? "" : "; not built: " + offer.whyNot) + "\n";
    text_ +=
        name + ": " +
        (choice.set.empty() ? "the original stays" : kernel.nameOf(GuardedSet{choice.set, choice.guard})) +
        ": " + choice.reason + "\n";
    lock.update(entryOf(kernel, choice));
  }

  const Options &options_;
  std::string text_;
};

} // namespace

ExitCode runMerge(const Options &options) {
  return MergeVerb(options).run();
}

} // namespace warpwright
