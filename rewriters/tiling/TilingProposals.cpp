#include "rewriters/tiling/TilingProposals.h"

#include "analysis/KernelAnalysis.h"
#include "analysis/arch/Architecture.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/edits/EditBuilder.h"
#include "rewriters/edits/LaunchChange.h"
#include "rewriters/mapping/Effects.h"
#include "rewriters/tiling/NestReads.h"
#include "rewriters/tiling/TileCode.h"
#include "rewriters/tiling/TileSpace.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

constexpr int64_t mostThreads = 1024;

class Proposer {
public:
  Proposer(const RewriteContext &context, llvm::StringRef id, TilingKind kind)
      : context_(context), analysis_(context.analysis), id_(id), kind_(kind), reader_(context, table_) {}

  llvm::Expected<Proposals> propose() {
    std::string whyNot;
    if (analysis_.kernel.declaration->hasAttr<clang::CUDALaunchBoundsAttr>())
      whyNot = "its launch bounds name the block";
    if (whyNot.empty())
      nest_ = reader_.read(whyNot);
    if (whyNot.empty() && nest_.reads.empty())
      return std::move(proposals_); // it reads nothing that could be shared
    if (!whyNot.empty()) {
      decline(whyNot);
      return std::move(proposals_);
    }
    LaunchChange change(context_);
    if (!change.whyNot().empty()) {
      decline(change.whyNot());
      return std::move(proposals_);
    }
    if (llvm::Error error = addAll(change))
      return std::move(error);
    if (proposals_.candidates.empty())
      decline(whyNone_.empty() ? "no tile fits" : whyNone_);
    return std::move(proposals_);
  }

private:
  llvm::Error addAll(const LaunchChange &change) {
    unsigned fastest = putOnFirstAxis(fastestCoordinate());
    std::optional<unsigned> strip = chooseStrip(nest_);
    BufferExtents extents = bufferExtents();
    TileSource source{context_, nest_, reader_, table_, strip, extents, fastest};
    TileRoles roles = rolesOf(nest_, fastest);
    roles.row = placesOf(nest_.coordinates[fastest]);
    // Measured: without shared memory, a thread with several outputs of a product is slower than with one.
    if (kind_ == TilingKind::Registers && roles.second) {
      whyNone_ = "its outputs share operands along two coordinates, which takes shared memory";
      return llvm::Error::success();
    }
    for (const TilePoint &point : tilePoints(nest_, roles, kind_, strip.has_value()))
      if (llvm::Error error = add(change, source, point))
        return error;
    return llvm::Error::success();
  }

  /// The coordinate along which neighbours are written.
  unsigned fastestCoordinate() {
    for (const clang::Stmt *statement : nest_.epilogue)
      for (const clang::Expr *store : effectsOf(*statement).stores)
        if (std::optional<Expression> index = indexOf(*store, reader_.integers()))
          for (unsigned i = 0; i < nest_.coordinates.size(); ++i)
            if (std::optional<Expression> factor = index->coefficient(nest_.coordinates[i].symbol);
                factor && *factor == Expression(1))
              return i;
    return 0;
  }

  /// Blocks that follow each other along the lanes' coordinate share lines of memory: where it is counted
  /// along another axis than x, its digits and those of x share x, which is the axis without a low limit.
  unsigned putOnFirstAxis(unsigned fastest) {
    std::vector<NestCoordinate> &all = nest_.coordinates;
    const unsigned axis = all[fastest].axis;
    const Symbol *symbol = all[fastest].symbol;
    bool usesX = llvm::any_of(all, [](const NestCoordinate &one) { return one.axis == 0; });
    if (axis == 0 || !usesX)
      return fastest;
    std::vector<NestCoordinate> ordered;
    for (bool isOwn : {true, false})
      llvm::copy_if(all, std::back_inserter(ordered),
                    [&](const NestCoordinate &one) { return (one.axis == axis) == isOwn; });
    all = std::move(ordered);
    nest_.freedAxis = axis;
    for (NestCoordinate &one : all)
      if (one.axis == axis)
        one.axis = 0;
    return llvm::find_if(all, [&](const NestCoordinate &one) { return one.symbol == symbol; }) - all.begin();
  }

  /// In the main shape; 0 where that is not known.
  int64_t placesOf(const NestCoordinate &coordinate) const {
    llvm::Expected<ScalarExpression> places = ScalarExpression::parse(coordinate.places);
    ScalarValues values = analysis_.context.constantValues();
    if (!analysis_.annotation->shapes.empty())
      for (const Binding &binding : analysis_.annotation->shapes.front().bindings) {
        const auto *expression = std::get_if<ScalarExpression>(&binding.value);
        llvm::Expected<int64_t> value =
            expression ? expression->evaluate(analysis_.context.constantValues()) : 0;
        if (value)
          values[binding.name] = *value;
        else
          llvm::consumeError(value.takeError());
      }
    llvm::Expected<int64_t> count = places ? places->evaluate(values) : places.takeError();
    if (!count) {
      llvm::consumeError(count.takeError());
      return 0;
    }
    return *count;
  }

  BufferExtents bufferExtents() {
    BufferExtents extents;
    for (const BufferClause &buffer : analysis_.annotation->buffers)
      if (buffer.extent)
        if (std::optional<Expression> value = reader_.integers().read(*buffer.extent, reader_.names()))
          extents.emplace(buffer.name, *value);
    return extents;
  }

  llvm::Error add(const LaunchChange &change, const TileSource &source, const TilePoint &point) {
    if (point.threads() > mostThreads)
      return llvm::Error::success();
    TiledBody code = writeTileCode(source, point);
    if (code.whyNot.empty() && code.sharedBytes > mostShared())
      code.whyNot = "a tile takes " + std::to_string(code.sharedBytes) + " bytes of shared memory";
    std::optional<Edit> edit = code.whyNot.empty() ? bodyEdit(code) : std::nullopt;
    if (!edit) {
      whyNone_ = code.whyNot.empty() ? "its text comes out of a macro" : code.whyNot;
      return llvm::Error::success();
    }
    Candidate candidate;
    candidate.rewriter = id_;
    candidate.kernelKey = analysis_.kernel.key;
    candidate.subject = "outputs";
    for (unsigned i = 0; i < nest_.coordinates.size(); ++i)
      if (point.shares[i].tile() > 1) {
        candidate.parameters[nest_.coordinates[i].name + ".threads"] = point.shares[i].threads;
        candidate.parameters[nest_.coordinates[i].name + ".outputs"] = point.shares[i].perThread;
      }
    if (point.strip != 0)
      candidate.parameters["strip"] = point.strip;
    if (point.stages > 1)
      candidate.parameters["stages"] = point.stages;
    std::optional<Edit> bounds = boundsEdit(point);
    if (!bounds) {
      whyNone_ = "its declaration comes out of a macro";
      return llvm::Error::success();
    }
    candidate.edits = {*bounds, *edit};
    candidate.claims.push_back({"fewer-global-requests", {}, 0});
    candidate.assumptions = code.assumptions;
    NewLaunch launch;
    launch.grid = code.grid;
    launch.block = {std::to_string(point.threads())};
    if (code.isDynamic)
      launch.dynamicShared = std::to_string(code.sharedBytes);
    if (llvm::Error error = change.apply(launch, candidate))
      return error;
    proposals_.candidates.push_back(std::move(candidate));
    return llvm::Error::success();
  }

  /// What a block may have on every architecture, 48 KiB where one is not known.
  int64_t mostShared() const {
    int64_t bytes = std::numeric_limits<int64_t>::max();
    for (const KernelAnalysis *version : context_.versions) {
      const Architecture *architecture = findArchitecture(version->architecture);
      bytes = std::min<int64_t>(bytes, architecture ? architecture->maxSharedPerBlock
                                                    : Architecture::maxStaticSharedPerBlock);
    }
    return bytes;
  }

  /// ptxas shares the registers out among as many threads as there are.
  std::optional<Edit> boundsEdit(const TilePoint &point) const {
    const clang::FunctionDecl *pattern = analysis_.kernel.declaration->getTemplateInstantiationPattern();
    clang::SourceLocation name = (pattern ? *pattern : *analysis_.kernel.declaration).getLocation();
    std::string blocks = point.minBlocks > 0 ? ", " + std::to_string(point.minBlocks) : "";
    std::optional<Edit> edit =
        EditBuilder(context_.unit.ast())
            .insertBefore({name, name},
                          "__launch_bounds__(" + std::to_string(point.threads()) + blocks + ") ",
                          "registers are shared out among the threads of a block");
    if (edit) {
      edit->expectedGain = "no spills, and as many blocks resident as their registers allow";
      edit->risk = "none";
    }
    return edit;
  }

  std::optional<Edit> bodyEdit(const TiledBody &code) const {
    const clang::FunctionDecl &kernel = *analysis_.kernel.declaration;
    const auto *body = llvm::cast<clang::CompoundStmt>(kernel.getBody());
    clang::ASTContext &ast = context_.unit.ast();
    Indentation indentation = indentationAt(body->body_front()->getBeginLoc(), kernel, ast);
    Indentation outer = indentationAt(body->getRBracLoc(), kernel, ast);
    std::optional<Edit> edit = EditBuilder(ast).replace(
        body->getSourceRange(),
        "{\n" + indentation.base + code.code.str(indentation) + "\n" + outer.base + "}",
        kind_ == TilingKind::Shared ? "a block reads together what its outputs have in common"
                                    : "a thread computes several outputs side by side");
    if (edit) {
      edit->expectedGain = "an element that was read for each output is read once for many";
      edit->risk = "registers and shared memory may leave fewer warps resident";
    }
    return edit;
  }

  void decline(std::string reason) {
    proposals_.declines.push_back(
        {id_.str(), analysis_.kernel.key, analysis_.kernel.place, std::move(reason)});
  }

  const RewriteContext &context_;
  const KernelAnalysis &analysis_;
  llvm::StringRef id_;
  TilingKind kind_;
  SymbolTable table_;
  NestReader reader_;
  Nest nest_;
  std::string whyNone_;
  Proposals proposals_;
};

} // namespace

llvm::Expected<Proposals> proposeTiling(const RewriteContext &context, llvm::StringRef id, TilingKind kind) {
  if (!context.analysis.annotation)
    return Proposals();
  return Proposer(context, id, kind).propose();
}

} // namespace warpwright
