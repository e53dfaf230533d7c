#include "rewriters/aliasing/FixedBuffers.h"

#include "rewriters/aliasing/AliasJudge.h"

#include <clang/AST/Decl.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {

FixedBuffers::FixedBuffers(const RewriteContext &context) : context_(context) {
  for (const KernelAnalysis *version : context.versions)
    uses_.emplace_back(version->facts);
}

bool FixedBuffers::isOnlyRead(const MemoryRoot &root) const {
  return root.isParameter() && !root.variable->getType().isRestrictQualified() &&
         llvm::all_of(uses_, [&](const ObjectUses &uses) {
           const ObjectUse *use = uses.find(root.name());
           return use ? !use->written : uses.hidden().empty();
         });
}

std::string FixedBuffers::whyNot(const MemoryRoot &root) {
  auto [entry, isNew] = known_.try_emplace(root.variable);
  auto &[why, assumptions] = entry->second;
  for (size_t i = 0; isNew && i < uses_.size() && why.empty(); ++i) {
    const ObjectUse *use = uses_[i].find(root.name());
    why = uses_[i].hidden();
    if (why.empty() && use)
      why = AliasJudge(*context_.versions[i], uses_[i]).whyNot(*use, assumptions);
    if (!why.empty())
      why = "'" + root.name() + "': " + why;
  }
  return why;
}

std::vector<std::string> FixedBuffers::assumptionsOf(const MemoryRoot &root) const {
  auto found = known_.find(root.variable);
  return found == known_.end() ? std::vector<std::string>() : found->second.second;
}

} // namespace warpwright
