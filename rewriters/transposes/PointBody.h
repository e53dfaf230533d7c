#pragma once

#include "rewriters/transposes/PointSpace.h"

#include <clang/AST/Type.h>

#include <string>
#include <vector>

namespace clang {
class VarDecl;
} // namespace clang

namespace warpwright {

/// An element of memory behind a pointer parameter that a point's computation names.
struct PointAccess {
  const clang::Expr *expression = nullptr; ///< what yields it: `in[i]`, `__ldg(&in[i])`
  const clang::VarDecl *parameter = nullptr;
  clang::QualType element;
  std::optional<Expression> index; ///< in elements; nothing where it is not understood
  bool isAlways = false;           ///< it is touched once, wherever its statement is reached
};

/// A statement that writes one element.
struct PointStore {
  const clang::Expr *statement = nullptr;
  PointAccess target;
  const clang::Expr *value = nullptr;
  std::string operation; ///< "=", "+=", ...
};

/// One piece of a kernel's body, in order: code that only the point itself sees, a condition that leaves the
/// kernel, one around all that follows, or a store.
struct PointItem {
  enum class Kind { Code, Leave, Enter, Store };
  Kind kind = Kind::Code;
  const clang::Stmt *statement = nullptr; ///< of conditions the `if`
  unsigned store = 0;                     ///< position among the stores
};

/// A kernel's body as the computation of one point.
struct PointBody {
  std::vector<PointItem> items;
  std::vector<PointStore> stores;
  std::vector<PointAccess> loads; ///< those that lead to a parameter
};

/// Reads the body of a kernel whose threads work alone. On failure `whyNot` says what is in the way.
std::optional<PointBody> readPointBody(const RewriteContext &context, PointSpace &space, std::string &whyNot);

} // namespace warpwright
