#pragma once

#include "analysis/ast/PlaceUses.h"
#include "rewriters/Rewriter.h"
#include "rewriters/aliasing/ObjectUses.h"

#include <map>
#include <string>
#include <vector>

namespace warpwright {

/// Which buffers of a kernel nobody writes while it runs, on all architectures. The context is borrowed.
class FixedBuffers {
public:
  explicit FixedBuffers(const RewriteContext &context);

  /// What a pointer parameter leads to, that the kernel reads and does not write. A restricted pointer is
  /// left out: the compiler knows all this of it.
  bool isOnlyRead(const MemoryRoot &root) const;
  /// Why it may be written all the same: through another pointer, or by what is not understood. Empty where
  /// it is not.
  std::string whyNot(const MemoryRoot &root);
  /// What whyNot() rests on beyond the code.
  std::vector<std::string> assumptionsOf(const MemoryRoot &root) const;

private:
  const RewriteContext &context_;
  std::vector<ObjectUses> uses_; ///< one an architecture, as RewriteContext::versions
  std::map<const clang::VarDecl *, std::pair<std::string, std::vector<std::string>>> known_;
};

} // namespace warpwright
