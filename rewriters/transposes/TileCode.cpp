#include "rewriters/transposes/TileCode.h"

#include "analysis/KernelAnalysis.h"
#include "analysis/frontend/TranslationUnit.h"
#include "analysis/simt/HardwareRules.h"

#include <clang/AST/ASTContext.h>

namespace warpwright {
namespace {

constexpr uint64_t staticSharedLimit = 48 * 1024;

} // namespace

TileCode::TileCode(const RewriteContext &context, PointSpace &space, const PointBody &body,
                   const TransposePlan &plan, TileShape shape)
    : ast_(context.unit.ast()), kernel_(*context.analysis.kernel.declaration), space_(space), body_(body),
      plan_(plan), shape_(shape), edits_(ast_), names_(kernel_, ast_),
      indentation_(indentationAt(
          llvm::cast<clang::CompoundStmt>(kernel_.getBody())->body_front()->getBeginLoc(), kernel_, ast_)) {
  whyNot_ = choose();
}

std::string TileCode::choose() {
  if (std::string why = chooseTypes(); !why.empty())
    return why;
  if (sharedBytes() > staticSharedLimit)
    return "its tiles take more than 48 KB of shared memory";
  if (shape_.keepsLaunch) {
    thread_ = names_.take("thread");
    return {};
  }
  return chooseGrid();
}

std::string TileCode::chooseTypes() {
  size_t count = plan_.stagesValues() ? body_.stores.size() : plan_.staged.size();
  for (size_t i = 0; i < count; ++i) {
    clang::QualType type;
    if (!plan_.stagesValues())
      type = body_.loads[plan_.staged[i]].element;
    else if (body_.stores[i].operation == "=")
      type = body_.stores[i].target.element;
    else
      type = body_.stores[i].value->IgnoreParenImpCasts()->getType();
    if (type->isRecordType() && !type.isTrivialType(ast_))
      return "elements of type '" + type.getAsString() + "' cannot lie in shared memory as they are";
    Tile tile;
    tile.name = names_.take("tile");
    if (const auto *parameter = type->getAs<clang::SubstTemplateTypeParmType>())
      tile.type = parameter->getReplacedParameter()->getName().str();
    else
      tile.type = type.getUnqualifiedType().getAsString(clang::PrintingPolicy(ast_.getLangOpts()));
    tile.elementBytes = ast_.getTypeSizeInChars(type).getQuantity();
    tile.pad = padFor(tile.elementBytes);
    tiles_.push_back(std::move(tile));
  }
  type_ = "int";
  for (const PointSpace::Place &place : space_.places())
    if (ast_.getTypeSize(place.expression->getType()) > 32)
      type_ = "long long";
  return {};
}

uint64_t TileCode::sharedBytes() const {
  uint64_t bytes = 0;
  for (const Tile &tile : tiles_)
    bytes += shape_.down * (shape_.across + tile.pad) * tile.elementBytes;
  return bytes;
}

/// Passes through the banks that a warp takes to write its part of the tile and to read it.
uint64_t TileCode::passes(uint64_t elementBytes, int64_t pad) const {
  uint64_t sum = 0;
  for (bool reads : {true, false}) {
    simt::LaneAddresses addresses{};
    int64_t lanes = shape_.lanesAlong(reads);
    for (int64_t lane = 0; lane < 32; ++lane) {
      int64_t fast = lane % lanes, slow = lane / lanes;
      int64_t column = reads ? fast : slow, row = reads ? slow : fast;
      addresses[lane] = (row * (shape_.across + pad) + column) * elementBytes;
    }
    sum += simt::costOfShared(addresses, ~simt::LaneMask(0), elementBytes, /*isLoad=*/!reads).wavefronts;
  }
  return sum;
}

int64_t TileCode::padFor(uint64_t elementBytes) const {
  if (!llvm::isPowerOf2_64(elementBytes) || elementBytes > 16)
    return 1;
  int64_t best = 0;
  for (int64_t pad = 1; pad <= 8; ++pad)
    if (passes(elementBytes, pad) < passes(elementBytes, best))
      best = pad;
  return best;
}

std::optional<Edit> TileCode::edit() {
  CodeLines code;
  code.comment(
      "Read along '" + space_.coordinates()[plan_.reading].name + "' and written along '" +
      space_.coordinates()[plan_.writing].name +
      "': what is read goes through shared memory, so that neighbouring threads take neighbouring elements "
      "on both sides.");
  for (const Tile &tile : tiles_)
    code.line("__shared__ " + tile.type + " " + tile.name + "[" + std::to_string(shape_.down) + "][" +
              std::to_string(shape_.across) + (tile.pad ? " + " + std::to_string(tile.pad) : "") + "];");
  code.append(origins());
  std::optional<CodeLines> reads = phase(true);
  std::optional<CodeLines> writes = phase(false);
  if (!reads || !writes)
    return std::nullopt;
  code.append(*reads);
  code.line("__syncthreads();");
  code.append(*writes);
  const auto *body = llvm::cast<clang::CompoundStmt>(kernel_.getBody());
  bool isOneLine = ast_.getSourceManager().getExpansionLineNumber(body->getLBracLoc()) ==
                   ast_.getSourceManager().getExpansionLineNumber(body->body_front()->getBeginLoc());
  Indentation inside = indentation_;
  std::string outside = inside.base;
  if (isOneLine)
    inside.base += inside.step;
  else
    outside.resize(outside.size() - std::min(outside.size(), inside.step.size()));
  return edits_.replace(body->getSourceRange(), "{\n" + inside.base + code.str(inside) + "\n" + outside + "}",
                        "what is read in one direction and written in another goes through shared memory");
}

} // namespace warpwright
