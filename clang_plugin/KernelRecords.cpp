#include "clang_plugin/KernelRecords.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

KernelRecord recordOf(const KernelAnalysis &kernel, const FileVersions &versions) {
  KernelRecord record;
  record.key = kernel.kernel.key;
  record.name = kernel.kernel.name;
  record.place = kernel.kernel.place;
  record.annotated = kernel.annotation.has_value();
  record.launchNote = kernel.launchNote;
  record.findings = kernel.findings;
  record.choice = "original";
  for (const KernelAnalysis *version : versions.of(record.key))
    record.before.push_back(predict(*version));
  record.after = record.before;
  return record;
}

} // namespace

std::vector<KernelRecord> recordKernels(const FileVersions &versions) {
  std::vector<KernelRecord> records;
  for (const FileAnalysis &file : versions.files)
    for (const KernelAnalysis &kernel : file.kernels)
      if (llvm::none_of(records, [&](const KernelRecord &known) { return known.key == kernel.kernel.key; }))
        records.push_back(recordOf(kernel, versions));
  return records;
}

} // namespace warpwright
