#include "rewriters/Rewriter.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {

#define WARPWRIGHT_REWRITER(id, function, summary)                                                           \
  llvm::Expected<Proposals> function(const RewriteContext &context);
#include "rewriters/Rewriters.def"

namespace {

constexpr RewriterInfo table[] = {
#define WARPWRIGHT_REWRITER(id, function, summary) {id, summary, function},
#include "rewriters/Rewriters.def"
};

} // namespace

llvm::ArrayRef<RewriterInfo> rewriters() {
  return table;
}

const RewriterInfo *findRewriter(llvm::StringRef id) {
  const RewriterInfo *found = llvm::find_if(table, [&](const RewriterInfo &info) { return info.id == id; });
  return found == std::end(table) ? nullptr : found;
}

} // namespace warpwright
