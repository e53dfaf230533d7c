#pragma once

#include "analysis/KernelAnalysis.h"
#include "analysis/annotation/Shapes.h"
#include "feedback/Measurement.h"

#include <llvm/Support/Error.h>

#include <map>
#include <string>
#include <vector>

namespace warpwright {

/// One shape of the family at its full size.
struct MeasuredShape {
  std::string label;
  Shape shape;
  Launch launch;                           ///< of the original
  std::map<std::string, uint64_t> extents; ///< of every pointer, in elements
  ShapeWork work;
};

/// A kernel as a device measures it: on every shape of its family, in buffers whose extents are annotated.
struct MeasuredKernel {
  const KernelAnalysis *kernel = nullptr;
  Annotation annotation; ///< with grid and block of the file's launches where it gave none
  AnnotationContext signature;
  std::vector<MeasuredShape> shapes; ///< the main shape first
  std::vector<std::string> notes;    ///< what was taken from elsewhere, supposed or left out
};

/// Why a kernel cannot be measured: what its annotation would have to say, in words for the user.
class NotMeasurable : public llvm::ErrorInfo<NotMeasurable> {
public:
  static char ID;
  explicit NotMeasurable(std::string reason) : reason(std::move(reason)) {}

  void log(llvm::raw_ostream &stream) const override { stream << reason; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  std::string reason;
};

llvm::Error notMeasurable(const llvm::Twine &reason);

/// The kernel, whose declarations were read, with all that a device needs to know. `signature` is its own.
/// Fails with NotMeasurable where grid, block, an integer or the extent of a pointer is not known: on the CPU
/// such things can be found by trying; on a device a wrong guess is a wild access.
llvm::Expected<MeasuredKernel> prepareKernel(const KernelAnalysis &kernel,
                                             const AnnotationContext &signature);

} // namespace warpwright
