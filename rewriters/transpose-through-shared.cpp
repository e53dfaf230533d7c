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
  explicit Proposer(const RewriteContext &context) : context_(context), analysis_(context.analysis) {}

  llvm::Expected<Proposals> propose() {
    std::vector<std::optional<PointLoop>> ways = {std::nullopt};
    for (PointLoop &loop : findPointLoops(context_))
      ways.push_back(loop);
    std::string whyNot;
    for (std::optional<PointLoop> &loop : ways) {
      space_.emplace(context_, loop);
      if (!space_->whyNot().empty())
        continue; // nothing says that it transposes
      std::string unread;
      std::optional<PointBody> body = readPointBody(context_, *space_, unread);
      std::optional<TransposePlan> plan =
          body ? planTranspose(context_, *space_, *body, whyNot) : std::nullopt;
      if (!plan)
        continue;
      if (llvm::Error error = addAll(*body, *plan))
        return std::move(error);
      return std::move(proposals_);
    }
    if (!whyNot.empty())
      decline(whyNot);
    return std::move(proposals_);
  }

private:
  llvm::Error addAll(const PointBody &body, const TransposePlan &plan) {
    if (std::optional<TileShape> shape = launchedShape(plan))
      if (llvm::Error error = add(body, plan, *shape, nullptr))
        return error;
    bool keeps = !proposals_.candidates.empty();
    LaunchChange change(context_);
    std::string why = change.whyNot();
    if (why.empty() && analysis_.kernel.declaration->hasAttr<clang::CUDALaunchBoundsAttr>())
      why = "its launch bounds name the block";
    if (!why.empty()) {
      if (!keeps)
        declineOnce(why);
      return llvm::Error::success();
    }
    for (const TileShape &shape : shapesFor(plan))
      if (isNew(shape))
        if (llvm::Error error = add(body, plan, shape, &change))
          return error;
    return llvm::Error::success();
  }

  /// The points of a block as it is launched, where its rows lie along one side and its columns along the
  /// other.
  std::optional<TileShape> launchedShape(const TransposePlan &plan) const {
    const PointCoordinate &reading = space_->coordinates()[plan.reading];
    const PointCoordinate &writing = space_->coordinates()[plan.writing];
    bool isWhole = reading.isWholeAxis() && writing.isWholeAxis() && reading.axis != writing.axis;
    if (!isWhole || (reading.axis != 0 && writing.axis != 0))
      return std::nullopt;
    unsigned third = 3 - reading.axis - writing.axis;
    TileShape shape;
    shape.across = space_->block()[reading.axis];
    shape.down = space_->block()[writing.axis];
    bool isOfUse = std::min(shape.across, shape.down) >= 4 && space_->block()[third] == 1;
    const std::array<int64_t, 3> &threads = space_->threads();
    shape.threads = threads[0] * threads[1] * threads[2];
    shape.keepsLaunch = true;
    if (space_->loop()) {
      // The loop's rows are those of the new code, in blocks whose rows are warps.
      isOfUse &= !space_->loop()->overGrid && shape.isPlane() && threads[0] == 32 && threads[2] == 1;
      shape.keepsLaunch = false;
      shape.keepsGrid = true;
    }
    return isOfUse ? std::optional(shape) : std::nullopt;
  }

  /// How many values the coordinate takes in the main launch; many where that is not known.
  int64_t extentOf(unsigned coordinate) {
    const PointCoordinate &one = space_->coordinates()[coordinate];
    std::optional<std::string> text;
    if (one.extent) {
      text = space_->textOf(*one.extent);
    } else if (std::optional<std::string> weight = space_->textOf(one.weight)) {
      text = "(" + space_->extentOf(one.axis).things + ") / (" + *weight + ")";
    }
    if (!text || analysis_.launches.empty())
      return INT64_MAX;
    return space_->valueOf(*text, analysis_.launches.front().launch).value_or(INT64_MAX);
  }

  std::vector<TileShape> shapesFor(const TransposePlan &plan) {
    std::vector<TileShape> shapes;
    auto addShape = [&](int64_t across, int64_t down) { shapes.push_back({across, down, 256}); };
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
    TileCode code(context_, *space_, body, plan, shape);
    if (shape.keepsGrid && !code.isNative())
      return llvm::Error::success();
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
    candidate.parameters = parametersOf(shape);
    candidate.claims.push_back({"fewer-sectors", {}, 0});
    candidate.assumptions = plan.assumptions;
    candidate.edits.push_back(std::move(*edit));
    if (change)
      if (llvm::Error error = change->apply(code.launch(), candidate))
        return error;
    proposals_.candidates.push_back(std::move(candidate));
    return llvm::Error::success();
  }

  bool isNew(const TileShape &shape) const {
    return llvm::none_of(proposals_.candidates,
                         [&](const Candidate &other) { return other.parameters == parametersOf(shape); });
  }
  static std::map<std::string, int64_t> parametersOf(const TileShape &shape) {
    return {{"across", shape.across}, {"down", shape.down}, {"threads", shape.threads}};
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
  std::optional<PointSpace> space_;
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
