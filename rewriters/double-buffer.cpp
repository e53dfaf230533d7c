// Loads the next tile into shared memory while this one is worked on: through registers, or by copies that
// nobody waits for until they are needed.
//
// Legal where what brings a tile and what works on it have nothing in common but the tile and the loop's
// counter: what is loaded is not written while the kernel runs, each iteration writes the same elements, and
// they are read between the loop's two barriers alone. Then a tile may be loaded iterations early, into a
// place of its own. Whoever reached the barriers before reaches those that remain.

#include "analysis/KernelAnalysis.h"
#include "analysis/arch/Architecture.h"
#include "rewriters/KernelProposer.h"
#include "rewriters/edits/LinkedEdits.h"
#include "rewriters/staging/AheadCode.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

constexpr const char *id = "double-buffer";
/// Static shared memory of a block.
constexpr uint64_t mostStatic = 48 * 1024;
/// The first generation with copies that go by themselves.
constexpr unsigned firstWithCopies = 8;

struct Point {
  bool copies;
  unsigned stages;
};
constexpr Point points[] = {{true, 3}, {false, 2}, {true, 2}, {true, 4}};

class Proposer : KernelProposer {
public:
  explicit Proposer(const RewriteContext &context)
      : KernelProposer(context, id), reader_(kernel_),
        loops_(findCanonicalLoops(kernel_, ast_, analysis_.facts)) {}

  llvm::Expected<Proposals> propose() {
    for (const TileLoop &tiles : readTileLoops(context_, reader_))
      consider(tiles);
    return std::move(proposals_);
  }

private:
  void consider(const TileLoop &tiles) {
    const clang::SourceLocation at = tiles.statement->getForLoc();
    if (!tiles.whyNot.empty())
      return declineLoop(at, tiles.whyNot);
    TileStores stores = readTileStores(tiles, reader_, loops_, kernel_, ast_, analysis_.knownBlock());
    if (!stores.whyNot.empty())
      return declineLoop(at, stores.whyNot);
    std::string whyNotCopies = stores.whyNotCopies;
    if (whyNotCopies.empty() && !hasCopies())
      whyNotCopies = "there are no copies that go by themselves before sm_80";
    for (const Point &point : points) {
      std::string why = point.copies ? whyNotCopies : stores.whyNotRegisters;
      if (why.empty())
        why = add(tiles, stores, point);
      if (!why.empty() && !llvm::is_contained(told_, why)) {
        told_.push_back(why);
        declineLoop(at, (point.copies ? "by copies: " : "through registers: ") + why);
      }
    }
  }

  bool hasCopies() const {
    return llvm::all_of(context_.versions, [](const KernelAnalysis *version) {
      const Architecture *architecture = findArchitecture(version->architecture);
      return architecture && architecture->major >= firstWithCopies;
    });
  }

  /// Of all tiles, as many as there are stages.
  uint64_t sharedBytes(const TileLoop &tiles, unsigned stages) const {
    uint64_t bytes = 0;
    for (const SharedVariable &variable : analysis_.facts.sharedVariables)
      bytes += variable.bytes;
    for (const clang::VarDecl *tile : tiles.tiles)
      bytes += (stages - 1) * ast_.getTypeSizeInChars(tile->getType()).getQuantity();
    return bytes;
  }

  /// Why the point is none; empty where it is.
  std::string add(const TileLoop &tiles, const TileStores &stores, const Point &point) {
    if (uint64_t bytes = sharedBytes(tiles, point.stages); bytes > mostStatic)
      return std::to_string(point.stages) + " tiles would take " + std::to_string(bytes) +
             " bytes of shared memory";
    AheadCode writer(kernel_, ast_, tiles, stores);
    std::optional<CodeLines> code =
        point.copies ? writer.withCopies(point.stages) : writer.throughRegisters();
    const std::string inTheWay = "part of it comes out of a macro or a header";
    if (!code)
      return inTheWay;
    LinkedEdits edits(kernel_, ast_);
    edits.begin("the next tile is loaded while this one is worked on",
                "arithmetic does not wait for memory, and warps wait at one barrier an iteration",
                "more shared memory a block" + std::string(point.copies ? "" : ", and registers"));
    for (const clang::VarDecl *tile : tiles.tiles)
      if (!isDeclaredWithin(*tile, tiles) &&
          !edits.replace(tile->getLocation(), tile->getNameAsString() + writer.count(point.stages)))
        return inTheWay;
    if (!edits.replaceStatement(*tiles.statement, *code))
      return inTheWay;
    Candidate candidate;
    candidate.subject = "the loop at line " + std::to_string(lineOf(tiles.statement->getForLoc()));
    candidate.parameters["copies"] = point.copies;
    candidate.parameters["stages"] = point.stages;
    candidate.edits = edits.edits();
    candidate.assumptions = tiles.assumptions;
    candidate.claims.push_back({"fewer-barriers", {}, 0});
    if (point.copies)
      candidate.claims.push_back({"asynchronous-copies", {}, 0});
    offer(std::move(candidate));
    return {};
  }

  static bool isDeclaredWithin(const clang::VarDecl &tile, const TileLoop &tiles) {
    return llvm::any_of(tiles.declarations, [&](const clang::DeclStmt *declaration) {
      return llvm::is_contained(declaration->decls(), &tile);
    });
  }

  PlaceReader reader_;
  std::vector<CanonicalLoop> loops_;
  std::vector<std::string> told_;
};

} // namespace

llvm::Expected<Proposals> proposeDoubleBuffer(const RewriteContext &context) {
  if (!context.analysis.annotation || context.analysis.facts.sharedVariables.empty())
    return Proposals();
  return Proposer(context).propose();
}

} // namespace warpwright
