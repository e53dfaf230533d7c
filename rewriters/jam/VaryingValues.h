#pragma once

#include "analysis/ast/PlaceUses.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SetVector.h>

#include <functional>
#include <string>
#include <vector>

namespace clang {
class Expr;
class Stmt;
class VarDecl;
} // namespace clang

namespace warpwright {

/// What differs between copies of a piece of code that run side by side, statement by statement: blocks with
/// different numbers, or iterations of a loop with different counters. A variable or an array that some copy
/// may fill otherwise than another varies, wherever it is read; each copy needs one of its own. All else is
/// computed once for all copies.
class VaryingValues {
public:
  /// `isSeed`: what differs by itself. The reader is of the function that the code belongs to; both are
  /// borrowed.
  VaryingValues(const clang::Stmt &code, const PlaceReader &reader,
                std::function<bool(const clang::Expr &)> isSeed);

  /// Why the copies cannot run side by side: some alone would wait, leave or jump, a pointer leads to what
  /// varies, or it is not known whose memory is written. Empty where they can.
  const std::string &whyNot() const { return whyNot_; }
  /// A variable of the code that each copy needs for itself.
  bool isVarying(const clang::VarDecl &variable) const { return variables_.contains(&variable); }
  const llvm::SetVector<const clang::VarDecl *> &variables() const { return variables_; }
  /// Arrays from outside the code in which copies write: whoever asks must know that they write elements of
  /// their own.
  const llvm::SetVector<const clang::VarDecl *> &outerArrays() const { return outerArrays_; }
  /// Whether the code mentions anything that varies.
  bool mentionsVarying(const clang::Stmt *code) const;
  /// Whether a statement that holds others runs alike in all copies, so that it stands once and only what is
  /// in it is copied.
  bool isShared(const clang::Stmt &statement) const;

private:
  void visit(const clang::Stmt *statement, bool control);
  void visitLoop(const clang::Stmt &loop, bool control);
  void visitPlain(const clang::Stmt &statement, bool control);
  void visitDeclarations(const clang::Stmt &statement, bool control);
  void markWrites(const clang::Stmt &code);
  void mark(const clang::VarDecl &variable);
  bool isInside(const clang::VarDecl &variable) const;
  void refuse(std::string why);
  void checkPointers();

  const clang::Stmt &code_;
  const PlaceReader &reader_;
  std::function<bool(const clang::Expr &)> isSeed_;
  llvm::SetVector<const clang::VarDecl *> variables_, outerArrays_;
  llvm::DenseSet<const clang::Stmt *>
      leftByBreak_;                        ///< loops that some copies may leave, or go on with, alone
  std::vector<const clang::Stmt *> loops_; ///< around what is visited
  std::string whyNot_;
  bool changed_ = false;
};

} // namespace warpwright
