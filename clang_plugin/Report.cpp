#include "clang_plugin/Report.h"

#include "feedback/SourcePrinter.h"
#include "feedback/rules/ReadProfile.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FormatVariadic.h>

namespace warpwright {
void printFindings(const FileRecord &record, llvm::raw_ostream &stream) {
  SourcePrinter sources;
  for (const KernelRecord &kernel : record.kernels)
    for (const Finding &finding : kernel.findings) {
      sources.print(stream, finding.place, llvm::SourceMgr::DK_Warning,
                    finding.message + " [warpwright-" + finding.id + "]");
      for (const auto &[place, text] : finding.notes)
        sources.print(stream, place, llvm::SourceMgr::DK_Note, text);
      if (!finding.advice.empty())
        sources.print(stream, finding.place, llvm::SourceMgr::DK_Note, finding.advice);
    }
}

void printRemarks(const FileRecord &record, llvm::raw_ostream &stream) {
  SourcePrinter sources;
  for (const Remark &remark : record.remarks)
    sources.print(stream, remark.place.known() ? remark.place : Place{record.file, 1, 1},
                  llvm::SourceMgr::DK_Remark, remark.message + " [warpwright-" + remark.id + "]");
  for (const KernelRecord &kernel : record.kernels) {
    if (!kernel.annotated)
      continue;
    bool kept = kernel.choice == "original";
    sources.print(stream, kernel.place, llvm::SourceMgr::DK_Remark,
                  (kept ? "'" + kernel.name + "' stays as it is: "
                        : "'" + kernel.name + "' improved by " + kernel.choice + ": ") +
                      kernel.reason + (kept ? " [warpwright-missed]" : " [warpwright-passed]"));
  }
}

void printTuning(const FileRecord &record, llvm::raw_ostream &stream) {
  for (const Remark &remark : record.remarks)
    stream << record.file << ": " << remark.message << '\n';
  for (const KernelRecord &kernel : record.kernels) {
    if (!kernel.annotated)
      continue;
    for (const ReadProfileRecord &record : kernel.profiles)
      printReading(record.reading, stream);
    for (const Measurement &measurement : kernel.measurements)
      stream << toText(measurement);
    for (const ConditionalGain &gain : kernel.conditional)
      stream << kernel.name << ": " << gain.candidate << " under a condition: faster on "
             << llvm::join(gain.faster, "; ") << "; slower on " << llvm::join(gain.slower, "; ")
             << (gain.guard.empty() ? "" : "; guard " + gain.guard)
             << (gain.whyNot.empty() ? "" : "; not built: " + gain.whyNot) << '\n';
    stream << kernel.name << ": " << (kernel.choice == "original" ? "the original stays" : kernel.choice)
           << ": " << kernel.reason << '\n';
  }
}

void printTimings(const FileOutcome &outcome, llvm::raw_ostream &stream) {
  double total = 0;
  for (const auto &[step, seconds] : outcome.seconds) {
    stream << llvm::formatv("{0}: {1,-12} {2,8:F3} s\n", outcome.record.file, step, seconds);
    total += seconds;
  }
  stream << llvm::formatv("{0}: {1,-12} {2,8:F3} s\n", outcome.record.file, "all steps", total);
}

} // namespace warpwright
