// A thread that walks a row becomes a group of lanes that walks it together: loops along the row are strided,
// what they add up is combined across the lanes, what others see is done by one lane.
//
// Legal where the rest of the kernel gives the same on every lane, the loops' iterations may run in any
// order, and no lane reads what another of its row wrote. The group is an axis of the block of its own, so
// that rows keep their numbers and no index grows.

#include "analysis/KernelAnalysis.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/KernelProposer.h"
#include "rewriters/edits/LaunchChange.h"
#include "rewriters/mapping/BlockShape.h"
#include "rewriters/mapping/CounterRoom.h"
#include "rewriters/mapping/RowCode.h"
#include "rewriters/mapping/RowRegisters.h"
#include "rewriters/mapping/RowWriter.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>

namespace warpwright {
namespace {

constexpr const char *id = "distribute-row-loop";

/// Groups of more than a warp have a block of their own, since they meet at barriers. Rows that fit into
/// registers are worth a block's lanes; short ones a few.
constexpr RowGroup groups[] = {{32, 4, 0},  {256, 1, 16},  {256, 1, 0}, {8, 16, 8},  {8, 16, 0},  {512, 1, 8},
                               {128, 1, 0}, {1024, 1, 16}, {32, 8, 0},  {512, 1, 0}, {1024, 1, 0}};

class Proposer : KernelProposer {
public:
  explicit Proposer(const RewriteContext &context) : KernelProposer(context, id), shape_(context) {}

  llvm::Expected<Proposals> propose() {
    std::string whyNot;
    RowCode code = readRowCode(context_, whyNot);
    if (whyNot.empty() && code.loops.empty())
      return std::move(proposals_); // it walks no row
    if (whyNot.empty())
      whyNot = whyBound();
    if (!whyNot.empty()) {
      decline(whyNot);
      return std::move(proposals_);
    }
    LaunchChange change(context_);
    if (!change.whyNot().empty()) {
      decline(change.whyNot());
      return std::move(proposals_);
    }
    const RowRegisters kept = findRowRegisters(context_, code);
    for (RowGroup group : groups)
      if (group.registers == 0 || kept.fits(group.lanes * group.registers))
        if (llvm::Error error = add(change, code, kept, group))
          return std::move(error);
    return std::move(proposals_);
  }

private:
  /// Why the block cannot take a second axis.
  std::string whyBound() {
    axes_ = annotatedAxes(analysis_);
    if (!axes_ || (*axes_)[0].things.empty())
      return "the annotation does not give one thread a row";
    if (analysis_.kernel.declaration->hasAttr<clang::CUDALaunchBoundsAttr>())
      return "its launch bounds name the block";
    for (const RegisterUse &use : shape_.uses().uses)
      if (use.axis != 0)
        return "its block has more than one axis";
    if ((*axes_)[1].block != 1 || (*axes_)[2].block != 1 || analysis_.annotation->grid->extents.size() != 1)
      return "its block has more than one axis";
    if (std::string why = shape_.whyFixed(0, 0, /*mayBeNumber=*/true); !why.empty())
      return why;
    for (const BlockShape::PlaceSum &place : shape_.placeSums(0, 0))
      if (place.isNumber) {
        if (!isSpelt(place))
          return shape_.whyFixed(0);
        numbers_.push_back(place.sum);
      }
    return {};
  }

  /// It is the place and nothing more, and all of it stands there.
  bool isSpelt(const BlockShape::PlaceSum &place) const {
    const clang::SourceManager &sources = context_.unit.ast().getSourceManager();
    auto inside = llvm::count_if(shape_.uses().uses, [&](const RegisterUse &use) {
      return use.axis == 0 &&
             sources.isPointWithin(use.range.getBegin(), place.sum->getBeginLoc(), place.sum->getEndLoc());
    });
    return place.factor.asConstant() == 1 && place.rest.isZero() && inside == 2;
  }

  llvm::Error add(const LaunchChange &change, const RowCode &code, const RowRegisters &kept, RowGroup group) {
    Candidate candidate;
    if (std::string why = whyNoRoom(code, group, candidate); !why.empty()) {
      if (why != noRoom_)
        decline(why);
      noRoom_ = why;
      return llvm::Error::success();
    }
    std::optional<std::vector<Edit>> edits =
        RowWriter(context_, code, kept, group).write(shape_.uses(), numbers_);
    if (!edits) {
      decline("its text comes out of a macro");
      return llvm::Error::success();
    }
    candidate.subject = "rows";
    candidate.parameters = {{"lanes", group.lanes}, {"rows", group.rows}};
    if (group.registers != 0)
      candidate.parameters["registers"] = group.registers;
    candidate.edits = std::move(*edits);
    candidate.claims.push_back({"fewer-sectors", {}, 0});
    NewLaunch launch;
    launch.grid = {"ceil_div(" + (*axes_)[0].things + ", " + std::to_string(group.rows) + ")"};
    if (group.rows == 1)
      launch.grid = {(*axes_)[0].things};
    launch.block = {std::to_string(group.lanes), std::to_string(group.rows)};
    if (llvm::Error error = change.apply(launch, candidate))
      return error;
    offer(std::move(candidate));
    return llvm::Error::success();
  }

  /// Whether every counter may run on by the lanes' stride; what that rests on goes into the candidate.
  std::string whyNoRoom(const RowCode &code, RowGroup group, Candidate &candidate) const {
    for (const RowCode::SharedLoop &loop : code.loops) {
      CounterRoom room = roomBeyond({loop.counter, loop.bound, !loop.isDown, loop.inclusive},
                                    group.lanes * static_cast<uint64_t>(loop.step), context_);
      if (!room.whyNot.empty())
        return "line " + std::to_string(lineOf(*loop.loop)) + " walks a row, but " + room.whyNot;
      candidate.assumptions.push_back(room.assumption);
      for (const RowReduction &reduction : loop.reductions)
        if (reduction.takesNaN)
          candidate.assumptions.push_back("nothing that '" + reduction.variable->getNameAsString() +
                                          "' is made of is NaN: what a comparison takes then depends on the "
                                          "order");
    }
    return {};
  }

  BlockShape shape_;
  std::optional<std::array<LaunchAxis, 3>> axes_;
  std::vector<const clang::BinaryOperator *> numbers_; ///< places that spell the block's extent as a number
  std::string noRoom_;                                 ///< said already
};

} // namespace

llvm::Expected<Proposals> proposeDistributeRowLoop(const RewriteContext &context) {
  if (!context.analysis.annotation)
    return Proposals();
  return Proposer(context).propose();
}

} // namespace warpwright
