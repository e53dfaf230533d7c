#pragma once

#include "analysis/Launch.h"
#include "analysis/annotation/Annotation.h"
#include "analysis/annotation/AnnotationContext.h"

#include <nlohmann/json_fwd.hpp>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace warpwright {

// What replaces one launch of a kernel. It lies beside Candidate because a candidate holds one, and
// everything that runs, checks, measures or emits a candidate reads it; it depends on annotations and
// launches alone.
//
// Expressions are those of annotations, in signed 64-bit integers, over
//  - the original launch's integer arguments ("n", "p.n") and the constants that its kernel can name;
//  - "grid.x" ... "block.z" and "dynamic_shared": what the original would have been launched with. An
//  argument of the
//    same name hides them.

/// Device memory of its own for the time of the plan. Its contents are indeterminate until written.
struct ScratchBuffer {
  std::string name; ///< differs from every pointer parameter of the original
  ScalarExpression bytes = ScalarExpression::constant(0);
};

/// cudaMemsetAsync of the first bytes of a buffer.
struct PlannedFill {
  std::string buffer; ///< a scratch or a pointer parameter of the original
  uint8_t value = 0;
  ScalarExpression bytes = ScalarExpression::constant(0);
};

/// What a parameter of a launched kernel gets: an expression, of which a single name may also be a floating
/// argument of the original, or a buffer; or a number.
using PlannedArgument = std::variant<ScalarExpression, double>;

struct PlannedLaunch {
  std::string kernel;                       ///< printed name with template arguments
  std::optional<ExtentsClause> grid;        ///< nothing: as the original's launch
  std::optional<ExtentsClause> block;       ///< likewise
  std::optional<ValueClause> dynamicShared; ///< bytes; likewise
  std::optional<ExtentsClause> cluster;     ///< blocks of a cluster; nothing: no clusters
  bool cooperative = false;                 ///< cudaLaunchCooperativeKernel: the grid may synchronise
  std::optional<unsigned> sharedCarveout;   ///< preferred share of shared memory, in percent
  /// By parameter name; a member of a by-value struct is "p.n". What is not named gets the original's
  /// argument of the same name.
  std::map<std::string, PlannedArgument> arguments;
};

using PlanStep = std::variant<PlannedLaunch, PlannedFill>;

/// The ordered steps on one stream that replace one launch of `kernel`.
struct LaunchPlan {
  std::string kernel; ///< the original, as Launch names it
  std::string name;   ///< for reports; empty: that of the launched kernels
  /// Where it is zero the original is launched instead. Nothing: it always applies.
  std::optional<ScalarExpression> guard;
  std::vector<ScratchBuffer> scratch;
  std::vector<PlanStep> steps; ///< never empty

  /// The plan that launches the same kernel as before.
  static LaunchPlan same(std::string kernel);
  /// `name`, or the names of the kernels that it launches.
  std::string label() const;
  /// Whether it launches `kernel` once, with the original's extents and arguments, and does nothing else.
  bool isSame() const;
};

/// Reads one plan, {"kernel": "sum", "steps": [{"launch": "sum_blocks", "grid": ["grid.x"], "arguments":
/// {...}}]}, an array of them, or an object whose `plans` is one. docs/schema/launch-plan-1.json describes
/// the form. Errors name the plan, the step and the key; an unknown key is one.
llvm::Expected<std::vector<LaunchPlan>> parseLaunchPlans(const nlohmann::ordered_json &document);

/// One `warpwright/launch-plan/1` document of all plans.
nlohmann::ordered_json toJson(llvm::ArrayRef<LaunchPlan> plans);

// The same with every number known.

struct ConcreteScratch {
  std::string name;
  uint64_t bytes = 0;
};
struct ConcreteFill {
  std::string buffer;
  uint8_t value = 0;
  uint64_t bytes = 0;
};
struct ConcreteLaunch {
  Launch launch; ///< its arguments are the scalars
  std::map<std::string, std::string>
      buffers; ///< from pointer parameter to scratch or pointer parameter of the original
  std::optional<Dim3> cluster;
  bool cooperative = false;
};
using ConcreteStep = std::variant<ConcreteLaunch, ConcreteFill>;
struct ConcretePlan {
  std::vector<ConcreteScratch> scratch;
  std::vector<ConcreteStep> steps;
};

/// The plan in the place of `original`, a launch of a kernel with the signature and constants of `context`.
/// `kernels` are the signatures of those that it may launch. Nothing where the guard does not hold. Errors: a
/// kernel that is not there, a parameter without a value, a buffer for a scalar or the other way round,
/// extents CUDA cannot launch, an expression without a value.
llvm::Expected<std::optional<ConcretePlan>> evaluatePlan(const LaunchPlan &plan, const Launch &original,
                                                         const AnnotationContext &context,
                                                         llvm::ArrayRef<AnnotationContext> kernels);

} // namespace warpwright
