#pragma once

#include "analysis/FileAnalysis.h"
#include "feedback/evaluators/cuda/JobWriter.h"

#include <llvm/ADT/StringRef.h>

namespace warpwright {

/// Which of the command's images runs on a device of that architecture ("sm_90"): its machine code, else that
/// of an earlier minor of the same major, else what the newest PTX that it takes would be made into. Fails
/// with NotMeasurable where there is none, and for separate compilation, whose kernels are not whole before
/// they are linked.
llvm::Expected<NvccTarget> targetFor(const NvccInvocation &invocation, llvm::StringRef architecture);

/// nvcc's flags that bear on device code, and the image that they make, in the order written. Include folders
/// are left out, since what they lead to is in the source's tokens or belongs to the toolkit; so is what goes
/// to the host compiler.
std::vector<std::string> deviceFlags(const NvccInvocation &invocation, const NvccTarget &target);

/// "13.0.88", as `nvcc --version` says.
llvm::Expected<std::string> toolkitRelease(const Toolkit &toolkit);

/// A compile of one source to a cubin, under way beside whatever else this process does.
class DeviceCompile {
public:
  /// nvcc with the request's own command, on its text or file, for its target. `folder` gets the cubin, under
  /// the name of its checksum.
  static llvm::Expected<DeviceCompile> start(const FileRequest &request, llvm::StringRef folder);

  /// Once only. `file` is the parse of the same text, and outlives the code. Fails with NotMeasurable where
  /// nvcc refuses.
  llvm::Expected<MeasuredCode> finish(const FileAnalysis &file);

private:
  DeviceCompile(ResourceCompile compile, std::optional<TemporaryFolder> text, TemporaryFolder output,
                std::string folder, std::string architecture)
      : text_(std::move(text)), output_(std::move(output)), folder_(std::move(folder)),
        architecture_(std::move(architecture)), compile_(std::move(compile)) {}

  std::optional<TemporaryFolder> text_;
  TemporaryFolder output_;
  std::string folder_;
  std::string architecture_;
  ResourceCompile compile_; ///< the last: it ends before its folders go
};

} // namespace warpwright
