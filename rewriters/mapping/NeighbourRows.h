#pragma once

#include "analysis/ast/PlaceUses.h"
#include "rewriters/edits/CodeLines.h"
#include "rewriters/jam/VaryingValues.h"
#include "rewriters/mapping/BlockShape.h"
#include "rewriters/mapping/RepeatedBody.h"

#include <optional>
#include <string>
#include <vector>

namespace clang {
class IfStmt;
} // namespace clang

namespace warpwright {

/// A kernel's body written so that a thread takes several neighbouring places along an axis of the block.
/// Where the kernel is declarations and a guard around the rest that holds for all places between two for
/// which it holds, threads whose places are all inside ask for it once, and load what all of them need before
/// they store. Everything is borrowed.
class NeighbourRows {
public:
  NeighbourRows(const RewriteContext &context, BlockShape &shape, unsigned axis, unsigned gridAxis);

  /// The body for `factor` places a thread; nothing where `whyNot` says why.
  std::optional<Edit> edit(int64_t factor);
  const std::string &whyNot() const { return whyNot_; }
  /// What the order of loads and stores rests on beyond the code.
  const std::vector<std::string> &assumptions() const { return assumptions_; }

private:
  bool replacePlaces(RepeatedBody &body, int64_t factor, const std::string &k);
  const clang::IfStmt *guardOf(const clang::CompoundStmt &body) const;
  bool holdsBetween(const clang::Expr &condition, const VaryingValues &values) const;
  bool growsByOne(const clang::Expr &expression, const VaryingValues &values) const;
  bool isPlace(const clang::Expr &expression) const;
  bool appendInside(CodeLines &code, const RepeatedBody &body, const clang::IfStmt &guard,
                    const std::string &head);
  bool appendDeclarations(CodeLines &code, const RepeatedBody &body) const;
  bool appendLoop(CodeLines &code, const RepeatedBody &body, const std::string &head,
                  const clang::Stmt &last) const;
  bool mayLoadFirst(const clang::BinaryOperator &store);

  const RewriteContext &context_;
  const clang::FunctionDecl &kernel_;
  const clang::ASTContext &ast_;
  const clang::CompoundStmt &whole_;
  unsigned axis_, gridAxis_;
  std::vector<BlockShape::PlaceSum> sums_;
  PlaceReader reader_;
  EditBuilder builder_;
  FreshNames names_;
  std::vector<std::string> assumptions_;
  std::string whyNot_;
};

} // namespace warpwright
