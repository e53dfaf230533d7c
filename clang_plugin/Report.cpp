#include "clang_plugin/Report.h"

#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/SourceMgr.h>

namespace warpwright {
namespace {

/// Source files by name, read once.
class Sources {
public:
  /// Prints a message with its source line and a caret, or without where the file cannot be read.
  void print(llvm::raw_ostream &stream, const Place &place, llvm::SourceMgr::DiagKind kind,
             const std::string &text) {
    llvm::SMLoc location = locate(place);
    if (location.isValid()) {
      manager_.PrintMessage(stream, location, kind, text);
      return;
    }
    const char *word = kind == llvm::SourceMgr::DK_Warning  ? "warning"
                       : kind == llvm::SourceMgr::DK_Remark ? "remark"
                                                            : "note";
    stream << place.file << ':' << place.line << ':' << place.column << ": " << word << ": " << text << '\n';
  }

private:
  llvm::SMLoc locate(const Place &place) {
    if (!place.known())
      return {};
    auto [entry, isNew] = buffers_.try_emplace(place.file, 0);
    if (isNew)
      if (llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(place.file))
        entry->second = manager_.AddNewSourceBuffer(std::move(*buffer), {});
    if (entry->second == 0)
      return {};
    return manager_.FindLocForLineAndColumn(entry->second, place.line, std::max(place.column, 1u));
  }

  llvm::SourceMgr manager_;
  std::map<std::string, unsigned> buffers_;
};

} // namespace

void printFindings(const FileRecord &record, llvm::raw_ostream &stream) {
  Sources sources;
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
  Sources sources;
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

void printTimings(const FileOutcome &outcome, llvm::raw_ostream &stream) {
  double total = 0;
  for (const auto &[step, seconds] : outcome.seconds) {
    stream << llvm::formatv("{0}: {1,-12} {2,8:F3} s\n", outcome.record.file, step, seconds);
    total += seconds;
  }
  stream << llvm::formatv("{0}: {1,-12} {2,8:F3} s\n", outcome.record.file, "all steps", total);
}

} // namespace warpwright
