#pragma once

#include "rewriters/edits/CodeLines.h"
#include "rewriters/edits/PatchedText.h"
#include "rewriters/staging/TileStores.h"

#include <map>
#include <optional>
#include <string>

namespace warpwright {

/// Writes a tile loop anew, with several tiles of which the next ones are loaded while one is worked on.
class AheadCode {
public:
  AheadCode(const clang::FunctionDecl &kernel, const clang::ASTContext &ast, const TileLoop &tiles,
            const TileStores &stores);

  /// With `stages` tiles, filled by copies that nobody waits for until they are needed.
  std::optional<CodeLines> withCopies(unsigned stages);
  /// With two tiles, the next one on its way through registers.
  std::optional<CodeLines> throughRegisters();
  /// What else declares a tile: that there are several.
  std::string count(unsigned stages) const { return "[" + std::to_string(stages) + "]"; }

private:
  enum class Mode { Copy, Fetch, Keep };

  bool write(const clang::Stmt &statement, Mode mode, CodeLines &code);
  bool writeChoice(const clang::IfStmt &choice, Mode mode, CodeLines &code);
  bool writeBlock(const clang::Stmt &statement, Mode mode, CodeLines &code);
  bool writeStore(const TileStore &store, Mode mode, CodeLines &code);
  bool writeCopy(const TileStore &store, CodeLines &code);
  bool writeAll(const std::vector<const clang::Stmt *> &statements, Mode mode, CodeLines &code);
  bool writeWork(CodeLines &code);
  bool writeTiles(unsigned stages, CodeLines &code);
  bool writeHead(CodeLines &code);
  void declareCopies(CodeLines &code) const;
  bool move(const clang::Stmt &statement, CodeLines &code);
  /// Comments and pragmas right before the statement, as they stand.
  void writeGap(const clang::Stmt &statement, bool hasComments, CodeLines &code) const;
  bool isDeclarationOfName(const clang::Stmt &statement) const;
  const clang::Stmt *storedIn(const clang::Stmt &choice) const;

  std::optional<std::string> textOf(const clang::Expr &expression) const;
  std::optional<std::string> addressOf(const clang::Expr &lvalue) const;
  /// The condition or the step of the loop, of the counters that run ahead.
  std::optional<std::string> ahead(const clang::Expr &expression) const;
  bool readHead();
  std::string parameters() const; ///< the counters, as a function takes them
  std::string arguments() const;  ///< those that run ahead
  void declareAhead(CodeLines &code) const;
  /// A function is called with what runs ahead, if there is more, and that moves on.
  void writeTurn(const std::string &condition, llvm::ArrayRef<std::string> calls, CodeLines &code) const;
  std::string registerOf(const TileStore &store);
  std::string typeName(clang::QualType type) const;

  const clang::FunctionDecl &kernel_;
  const clang::ASTContext &ast_;
  const TileLoop &tiles_;
  const TileStores &stores_;
  EditBuilder builder_;
  FreshNames names_;
  PatchedText text_; ///< with the tile of a buffer in the place of the tile
  std::string buffer_;
  std::vector<std::string> ahead_, inits_; ///< by counter
  std::string goesOn_, step_;
  std::map<int64_t, std::string> copies_; ///< the function that copies so many bytes
  std::map<const clang::Stmt *, std::string> registers_;
  CodeLines registerLines_;
};

} // namespace warpwright
