#pragma once

#include "feedback/evaluators/virtual/verify/CheckShapes.h"
#include "feedback/evaluators/virtual/verify/PlanRun.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace warpwright::vdevice {

struct VerifyOptions {
  unsigned seeds = 5;   ///< a distribution, on the main shape
  unsigned orders = 3;  ///< of blocks and warps, beside the ascending one
  bool shadow = true;   ///< hold numbers against double precision where they need not be exact
  unsigned workers = 0; ///< runs at a time; 0: one a core. Verdicts do not depend on it.
  /// Accesses of one run of the original on the main shape, above which shapes are made smaller. A number and
  /// no time, so that verdicts do not depend on the machine.
  uint64_t accesses = 400'000;
  ShapeBudget shapes;
  uint64_t stepLimit = watchedStepLimit; ///< of each launch, see LaunchRequest
};

/// What one run is given.
struct InputCase {
  InputKind kind = InputKind::Declared;
  uint64_t seed = 0;
  bool misaligned = false; ///< pointers off by one element, or by what aligned() says
  bool checked = true;
  uint64_t order = 0;
  /// Two pointer parameters, by position among all pointers, that get one buffer.
  std::optional<std::pair<size_t, size_t>> alias = std::nullopt;

  bool operator==(const InputCase &) const = default;
};

/// A shape with all that its runs need.
struct PreparedShape {
  CheckShape shape;
  Launch launch;
  std::vector<uint64_t> extents; ///< of each pointer, in elements
  std::vector<InputCase> cases;
};

/// One run of the original.
struct OriginalRun {
  std::vector<RunBuffer> buffers; ///< what both sides are given
  RunResult result;
  /// What the numbers of each buffer would be in double precision; empty: the result is the reference.
  std::vector<std::vector<double>> references;
  std::string unshadowed; ///< why it is, where the other was wanted
  std::string outside;    ///< why these inputs are not in the domain; empty: they are
};

/// The kernel that candidates are held against: the shapes and inputs it is run on, and what it makes of
/// them. Runs are kept, so that many candidates cost them once, and may be asked for by several threads.
class OriginalKernel {
public:
  /// The subject holds the kernel, and both outlive this. Undecided reasons are values: see undecided().
  static llvm::Expected<std::unique_ptr<OriginalKernel>>
  prepare(const Subject &subject, const KernelAnalysis &kernel, const VerifyOptions &options);

  /// Adds shapes on which the guard of a plan turns; what is verified from then on is run there, too.
  llvm::Error addGuardEdges(const ScalarExpression &guard);

  const std::string &name() const { return kernel_.kernel.name; }
  const Annotation &annotation() const { return annotation_; }
  const AnnotationContext &signature() const { return signature_; }
  /// Why nothing can be said of any candidate; empty where something can.
  const std::string &undecided() const { return undecided_; }
  const std::vector<std::string> &notes() const { return notes_; }
  unsigned workers() const;
  uint64_t stepLimit() const { return options_.stepLimit; }
  const std::vector<PreparedShape> &shapes() const { return shapes_; }
  const std::vector<const AnnotationParameter *> &pointers() const { return pointers_; }
  /// Of what each of them points to.
  const ElementShape &element(size_t pointer) const { return elements_[pointer]; }
  /// "out aliases in, pointers off by one element"; empty where nothing is special.
  std::string circumstances(const InputCase &input) const;

  /// On shapes of several tiles without references, which are dear there.
  llvm::Expected<std::shared_ptr<const OriginalRun>> run(size_t shape, const InputCase &input);
  /// The same with references, where they are wanted and can be had.
  llvm::Expected<std::shared_ptr<const OriginalRun>> referencedRun(size_t shape, const InputCase &input);

private:
  OriginalKernel(const Subject &subject, const KernelAnalysis &kernel, const VerifyOptions &options)
      : subject_(subject), kernel_(kernel), options_(options), budget_(options.shapes) {}

  llvm::Error prepareAll();
  void completeAnnotation();
  ShapeFamily completeFamily();
  llvm::Expected<bool> prepareShapes(const ShapeFamily &family, bool takeLong);
  llvm::Expected<std::optional<PreparedShape>> prepareShape(const CheckShape &shape);
  llvm::Error inferExtents(PreparedShape &shape);
  llvm::Error addTileShapes(const std::vector<std::string> &sizes);
  llvm::Error addShapes(llvm::ArrayRef<CheckShape> shapes);
  std::vector<InputCase> casesFor(CheckShape::Role role, bool isMain) const;
  void addAliasCases(std::vector<InputCase> &cases) const;
  bool hasSpecialInputs() const;

  llvm::Expected<std::vector<RunBuffer>> makeBuffers(const PreparedShape &shape,
                                                     const InputCase &input) const;
  llvm::Expected<RunResult> launch(const PreparedShape &shape, RunRequest request);
  std::shared_ptr<const OriginalRun> keep(size_t shape, const InputCase &input, OriginalRun run);
  llvm::Expected<OriginalRun> runOnce(const PreparedShape &shape, const InputCase &input);
  bool wantsReferences() const;
  llvm::Error addReferences(OriginalRun &run, const PreparedShape &shape, const InputCase &input);
  void note(std::string text);

  const Subject &subject_;
  const KernelAnalysis &kernel_;
  VerifyOptions options_;
  ShapeBudget budget_;
  Annotation annotation_;
  AnnotationContext signature_;
  std::vector<const AnnotationParameter *> pointers_;
  std::vector<ElementShape> elements_; ///< of each pointer
  std::string undecided_;
  std::vector<std::string> notes_;
  std::vector<PreparedShape> shapes_;
  struct Kept {
    size_t shape;
    InputCase input;
    std::shared_ptr<const OriginalRun> run;
  };
  std::mutex mutex_; ///< of kept_
  std::vector<Kept> kept_;
};

} // namespace warpwright::vdevice
