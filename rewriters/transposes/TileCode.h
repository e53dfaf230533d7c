#pragma once

#include "rewriters/edits/CodeLines.h"
#include "rewriters/edits/EditBuilder.h"
#include "rewriters/edits/LaunchChange.h"
#include "rewriters/edits/PatchedText.h"
#include "rewriters/transposes/TransposePlan.h"

#include <llvm/ADT/DenseSet.h>

#include <string>
#include <vector>

namespace warpwright {

/// Writes a kernel anew in two phases around a barrier: threads that lie along the reads put what they read,
/// or make of it, into shared tiles, and threads that lie along the writes take it from there. Everything is
/// borrowed.
class TileCode {
public:
  TileCode(const RewriteContext &context, PointSpace &space, const PointBody &body, const TransposePlan &plan,
           TileShape shape);

  /// Why it cannot be written; empty where it can.
  const std::string &whyNot() const { return whyNot_; }
  /// The body as one edit; nothing where a macro or a header is in the way.
  std::optional<Edit> edit();
  /// Where the launch changes.
  NewLaunch launch() const;
  uint64_t sharedBytes() const;
  /// The grid's axes are the kernel's.
  bool isNative() const { return isNative_; }

private:
  struct Tile {
    std::string name, type;
    uint64_t elementBytes = 0;
    int64_t pad = 0;
  };
  /// One of the two sides.
  struct Phase {
    Phase(bool isReading, const clang::ASTContext &ast) : reads(isReading), text(ast) {}
    bool reads;
    std::vector<std::string> coordinates; ///< code that yields each
    /// Of the slow one of the tiled, its parts: threads take rows of the tile, one turn after the other.
    std::string slowThread, slowTurn;
    int64_t slowThreads = 0;
    std::string row, column; ///< where the point stands in its tile
    PatchedText text;
    llvm::DenseSet<const clang::VarDecl *> needed;
  };

  std::string choose();
  std::string chooseTypes();
  std::string chooseGrid();
  int64_t padFor(uint64_t elementBytes) const;
  uint64_t passes(uint64_t elementBytes, int64_t pad) const;

  CodeLines origins();
  std::optional<CodeLines> phase(bool reads);
  void place(Phase &phase, std::string &slow, std::string &fast) const;
  bool patch(Phase &phase) const;
  std::string partText(const Phase &phase, const Expression &value) const;
  std::string askText(const Phase &phase, const PointSpace::Ask &ask) const;
  bool isMoved(const PointSpace::Place &place) const;
  std::vector<std::string> boundsOf(const Phase &phase) const;
  void findNeeded(Phase &phase) const;
  bool writeItems(Phase &phase, CodeLines &code) const;
  bool writeDeclaration(const Phase &phase, const clang::Stmt &statement, CodeLines &code) const;
  std::string negated(const Phase &phase, const clang::Expr &condition) const;
  std::string tileElement(const Phase &phase, unsigned tile) const;
  bool isTiled(unsigned coordinate) const {
    return coordinate == plan_.reading || coordinate == plan_.writing;
  }
  int64_t extentOf(unsigned coordinate) const;
  std::string blocksAlong(unsigned coordinate, bool inDeviceCode) const;

  const clang::ASTContext &ast_;
  const clang::FunctionDecl &kernel_;
  PointSpace &space_;
  const PointBody &body_;
  const TransposePlan &plan_;
  TileShape shape_;
  EditBuilder edits_;
  FreshNames names_;
  Indentation indentation_;
  std::vector<Tile> tiles_;
  std::string type_;                ///< of coordinates
  std::vector<std::string> origin_; ///< of the block's points, by coordinate; a name
  bool isNative_ = false;           ///< the grid's axes are the kernel's
  std::string thread_;              ///< name of the thread's number in the block, where the launch is kept
  std::string whyNot_;
};

} // namespace warpwright
