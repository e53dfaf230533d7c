// Sends what a kernel reads along one direction and writes along another through a tile in shared memory, so
// that neighbouring threads take neighbouring elements on both sides.
//
// Legal where a kernel is a function of points that threads compute alone: nothing orders two points, so that
// all reads of a block's points may come before all of their writes. What one point reads, it still reads
// before it writes. Barriers stand outside of all conditions.

#include "analysis/KernelAnalysis.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/Rewriter.h"
#include "rewriters/transposes/TileCode.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>

namespace warpwright {
namespace {

constexpr const char *id = "transpose-through-shared";

class Proposer {
public:
  explicit Proposer(const RewriteContext &context)
      : context_(context), analysis_(context.analysis), space_(context) {}

  llvm::Expected<Proposals> propose() {
    if (!space_.whyNot().empty())
      return std::move(proposals_); // nothing says that it transposes
    std::string whyNot;
    std::optional<PointBody> body = readPointBody(context_, space_, whyNot);
    if (!body)
      return std::move(proposals_);
    std::optional<TransposePlan> plan = planTranspose(context_, space_, *body, whyNot);
    if (!plan) {
      if (!whyNot.empty())
        decline(whyNot);
      return std::move(proposals_);
    }
    bool keeps = false;
    if (std::optional<TileShape> shape = launchedShape(*plan)) {
      keeps = true;
      if (llvm::Error error = add(*body, *plan, *shape, nullptr))
        return std::move(error);
    }
    LaunchChange change(context_);
    if (!change.whyNot().empty()) {
      if (!keeps)
        decline(change.whyNot());
      return std::move(proposals_);
    }
    if (analysis_.kernel.declaration->hasAttr<clang::CUDALaunchBoundsAttr>()) {
      if (!keeps)
        decline("its launch bounds name the block");
      return std::move(proposals_);
    }
    for (const TileShape &shape : shapesFor(*plan))
      if (llvm::Error error = add(*body, *plan, shape, &change))
        return std::move(error);
    return std::move(proposals_);
  }

private:
  /// The points of a block as it is launched, where its rows lie along one side and its columns along the
  /// other.
  std::optional<TileShape> launchedShape(const TransposePlan &plan) const {
    const PointCoordinate &reading = space_.coordinates()[plan.reading];
    const PointCoordinate &writing = space_.coordinates()[plan.writing];
    bool isWhole = reading.isWholeAxis() && writing.isWholeAxis() && reading.axis != writing.axis;
    if (!isWhole || (reading.axis != 0 && writing.axis != 0))
      return std::nullopt;
    unsigned third = 3 - reading.axis - writing.axis;
    TileShape shape;
    shape.across = space_.block()[reading.axis];
    shape.down = space_.block()[writing.axis];
    shape.threads = shape.across * shape.down;
    shape.keepsLaunch = true;
    bool isOfUse = std::min(shape.across, shape.down) >= 4;
    return isOfUse && space_.block()[third] == 1 ? std::optional(shape) : std::nullopt;
  }

  /// How many values the coordinate takes in the main launch; many where that is not known.
  int64_t extentOf(unsigned coordinate) {
    const PointCoordinate &one = space_.coordinates()[coordinate];
    std::optional<std::string> text;
    if (one.extent) {
      text = space_.textOf(*one.extent);
    } else if (std::optional<std::string> weight = space_.textOf(one.weight)) {
      text = "(" + space_.extentOf(one.axis).things + ") / (" + *weight + ")";
    }
    if (!text || analysis_.launches.empty())
      return INT64_MAX;
    return space_.valueOf(*text, analysis_.launches.front().launch).value_or(INT64_MAX);
  }

  std::vector<TileShape> shapesFor(const TransposePlan &plan) {
    std::vector<TileShape> shapes;
    auto addShape = [&](int64_t across, int64_t down) { shapes.push_back({across, down, 256, false}); };
    auto roundedUp = [](int64_t extent) {
      int64_t power = 4;
      while (power < extent && power < 32)
        power *= 2;
      return power;
    };
    int64_t across = roundedUp(extentOf(plan.reading)), down = roundedUp(extentOf(plan.writing));
    if (across < 32 && down < 32) {
      addShape(across, std::max<int64_t>(down, 256 / across));
    } else if (across < 32) {
      addShape(across, 2048 / across);
      addShape(across, 1024 / across);
    } else if (down < 32) {
      addShape(2048 / down, down);
      addShape(1024 / down, down);
    } else {
      addShape(64, 64);
      addShape(32, 64);
      addShape(64, 32);
      addShape(32, 32);
    }
    return shapes;
  }

  llvm::Error add(const PointBody &body, const TransposePlan &plan, const TileShape &shape,
                  const LaunchChange *change) {
    TileCode code(context_, space_, body, plan, shape);
    std::optional<Edit> edit = code.whyNot().empty() ? code.edit() : std::nullopt;
    if (!edit) {
      declineOnce(code.whyNot().empty() ? "part of its text comes out of a macro or a header"
                                        : code.whyNot());
      return llvm::Error::success();
    }
    edit->expectedGain = "reads such as " + plan.example + " and what is written are both coalesced";
    edit->risk = std::to_string(code.sharedBytes()) + " bytes of shared memory a block, and a barrier";
    Candidate candidate;
    candidate.rewriter = id;
    candidate.kernelKey = analysis_.kernel.key;
    candidate.subject = "tile";
    candidate.parameters = {{"across", shape.across}, {"down", shape.down}, {"threads", shape.threads}};
    candidate.claims.push_back({"fewer-sectors", {}, 0});
    candidate.assumptions = plan.assumptions;
    candidate.edits.push_back(std::move(*edit));
    if (change)
      if (llvm::Error error = change->apply(code.launch(), candidate))
        return error;
    proposals_.candidates.push_back(std::move(candidate));
    return llvm::Error::success();
  }

  void declineOnce(std::string reason) {
    if (proposals_.declines.empty())
      decline(std::move(reason));
  }
  void decline(std::string reason) {
    proposals_.declines.push_back({id, analysis_.kernel.key, analysis_.kernel.place, std::move(reason)});
  }

  const RewriteContext &context_;
  const KernelAnalysis &analysis_;
  PointSpace space_;
  Proposals proposals_;
};

} // namespace

llvm::Expected<Proposals> proposeTransposeThroughShared(const RewriteContext &context) {
  if (!context.analysis.annotation || !context.analysis.annotation->grid ||
      !context.analysis.annotation->block)
    return Proposals();
  return Proposer(context).propose();
}

} // namespace warpwright
