#pragma once

#include "analysis/FileAnalysis.h"
#include "feedback/evaluators/virtual/DeviceProgram.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <memory>
#include <vector>

namespace warpwright::vdevice {

/// One side of a comparison: the kernels of one file for one architecture, ready for the host. The file
/// outlives it.
class Subject {
public:
  /// Errors as of DeviceProgram::create.
  static llvm::Expected<std::unique_ptr<Subject>> create(const FileAnalysis &file,
                                                         const FileRequest &request);

  DeviceProgram &program() const { return *program_; }
  /// The signature of every kernel, in the order of the file.
  llvm::ArrayRef<AnnotationContext> signatures() const { return signatures_; }
  /// By printed name, or null.
  const KernelAnalysis *find(llvm::StringRef kernel) const;
  const DeviceKernel *findDeviceKernel(llvm::StringRef kernel) const;
  const AnnotationContext *findSignature(llvm::StringRef kernel) const;
  /// Whether the other file, for another architecture, compiled to the same code.
  bool hasCodeOf(const Subject &other) const;

private:
  explicit Subject(const FileAnalysis &file) : file_(file) {}

  const FileAnalysis &file_;
  std::unique_ptr<DeviceProgram> program_;
  std::vector<AnnotationContext> signatures_;
};

} // namespace warpwright::vdevice
