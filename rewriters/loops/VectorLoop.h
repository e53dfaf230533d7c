#pragma once

#include "analysis/ast/StridedLoops.h"
#include "rewriters/Rewriter.h"
#include "rewriters/edits/CodeLines.h"
#include "rewriters/edits/EditBuilder.h"

#include <clang/AST/Type.h>

#include <string>
#include <vector>

namespace clang {
class CompoundStmt;
}

namespace warpwright {

/// A loop over arrays that is to take several neighbouring elements at a time. Everything is borrowed.
class VectorLoop {
public:
  VectorLoop(const RewriteContext &context, const clang::FunctionDecl &kernel, const CanonicalLoop &loop,
             LoopSharing sharing, const VariableChanges &function);

  /// It walks no array of global memory in elements that could be taken together.
  bool isOfNoUse() const { return places_.empty(); }
  /// Why the loop cannot be taken so, apart from what becomes of the variables that it carries.
  std::string whyNot();
  /// Variables from outside that the loop changes: reductions, once whyNot() is empty.
  const std::vector<const clang::VarDecl *> &carried() const { return carried_; }
  /// What legality rests on beyond the code.
  const std::vector<std::string> &assumptions() const { return assumptions_; }
  /// How many elements at a time make accesses of 8 or 16 bytes.
  std::vector<unsigned> widths() const;
  /// `position` is that of the loop among those of the kernel. Nothing where a macro, a header or a pragma is
  /// in the way.
  std::optional<std::vector<Edit>> edits(unsigned width, unsigned position);

private:
  /// Elements that are at the same place in each iteration: one access for several.
  struct Place {
    const clang::VarDecl *base = nullptr;
    clang::QualType element;
    std::string pointer; ///< where the elements begin: "row", "y + blockIdx.x * cols"
    bool simple = false; ///< `pointer` is a name
    std::string modulus; ///< elements start again after so many; empty where they do not
    bool read = false, written = false;
    std::vector<const clang::ArraySubscriptExpr *> elements;
    std::string part; ///< name of the array that holds a step's elements
  };

  void findPlaces();
  void addElement(const CountedElement &element);
  bool isStoredAlways(const clang::ArraySubscriptExpr *element) const;
  std::string whyNotBody() const;
  std::string whyNotCarried();
  std::string whyNotDistinct();
  std::string whyNotMovable() const;
  unsigned bytesOf(const Place &place, unsigned width) const;
  std::string vectorType(const Place &place, unsigned width) const;
  std::string alignedCondition(unsigned width) const;
  CodeLines vectorBody(unsigned width, FreshNames &names, const std::string &step, const std::string &indent);
  std::string counterType() const;
  void declareCount(CodeLines &code, const std::string &start, const std::string &condition,
                    const std::string &whole, size_t indented) const;
  bool standsAlone() const;
  std::string lineOf(clang::SourceLocation location) const;

  const RewriteContext &context_;
  const clang::ASTContext &ast_;
  const clang::FunctionDecl &kernel_;
  const CanonicalLoop &loop_;
  LoopSharing sharing_;
  const VariableChanges &function_;
  EditBuilder builder_;
  std::vector<Place> places_;
  std::vector<const clang::VarDecl *> carried_;
  std::vector<std::string> assumptions_;
};

} // namespace warpwright
