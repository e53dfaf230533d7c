#pragma once

#include "analysis/ast/CanonicalLoops.h"
#include "rewriters/tiling/Coordinates.h"
#include "rewriters/tiling/Nest.h"

#include <clang/AST/Stmt.h>

#include <string>
#include <vector>

namespace warpwright {

/// Reads a kernel as a nest. The reader's symbol table must outlive the nest, whose expressions point into
/// it.
class NestReader {
public:
  NestReader(const RewriteContext &context, SymbolTable &table);

  /// On failure `whyNot` says what of the kernel does not fit.
  Nest read(std::string &whyNot);
  IntegerReader &integers() { return reader_; }
  /// Variables that ask for the thread in their initialiser and are no coordinates, with what they are.
  const std::vector<std::pair<const clang::VarDecl *, Expression>> &derived() const {
    return coordinates_.derived();
  }
  const std::map<std::string, Expression> &names() const { return coordinates_.names(); }

private:
  void fail(std::string why);
  void failAt(const clang::Stmt &statement, const std::string &why);
  void checkKernel();
  void walkBody(llvm::ArrayRef<const clang::Stmt *> statements);
  bool takeGuard(const clang::Stmt &statement, bool isLast);
  void takeDeclaration(const clang::DeclStmt &declaration);
  void readCoordinates();
  void readGuard(const Nest::Guard &guard);
  void tighten(NestCoordinate &coordinate, const Expression &atLeastZero);
  void completeBounds();
  void findAccumulators();
  std::vector<NestItem> readItems(llvm::ArrayRef<const clang::Stmt *> statements,
                                  std::optional<unsigned> loop);
  void readReads(llvm::ArrayRef<NestItem> items, const std::vector<unsigned> &loops,
                 const NestCondition &condition);
  NestItem readLoop(const clang::ForStmt &loop, std::optional<unsigned> parent);
  void bindOpaque();

  const RewriteContext &context_;
  const clang::ASTContext &ast_;
  SymbolTable &table_;
  IntegerReader reader_;
  CoordinateReader coordinates_;
  std::vector<CanonicalLoop> canonical_;
  std::string whyNot_;
  Nest nest_;
  bool isBehindNest_ = false;
};

/// The statements of a block, or the one statement.
std::vector<const clang::Stmt *> statementsOf(const clang::Stmt &statement);
/// The loop under `#pragma unroll` and the like; null where it is none.
const clang::ForStmt *loopUnder(const clang::Stmt &statement);

} // namespace warpwright
