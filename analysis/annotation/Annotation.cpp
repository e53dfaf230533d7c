#include "analysis/annotation/Annotation.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {

llvm::ArrayRef<ClauseInfo> allClauses() {
  static constexpr ClauseInfo Clauses[] = {
#define WARPWRIGHT_CLAUSE(Enumerator, name, repeatable, Arguments, doc)                                      \
  {ClauseKind::Enumerator, name, repeatable, ArgumentShape::Arguments, doc},
#include "analysis/annotation/Clauses.def"
  };
  return Clauses;
}

llvm::StringRef toString(Permission permission) {
  switch (permission) {
#define WARPWRIGHT_PERMISSION(Enumerator, name, doc)                                                         \
  case Permission::Enumerator:                                                                               \
    return name;
#include "analysis/annotation/Permissions.def"
  }
  return "unknown";
}

llvm::StringRef toString(BufferDirection direction) {
  switch (direction) {
  case BufferDirection::In:
    return "in";
  case BufferDirection::Out:
    return "out";
  case BufferDirection::InOut:
    return "inout";
  }
  return "unknown";
}

llvm::StringRef toString(Distribution distribution) {
  switch (distribution) {
  case Distribution::Integers:
    return "integers";
  case Distribution::Normal:
    return "normal";
  case Distribution::Ones:
    return "ones";
  case Distribution::Permutation:
    return "permutation";
  case Distribution::Uniform:
    return "uniform";
  case Distribution::Zeros:
    return "zeros";
  }
  return "unknown";
}

bool Annotation::hasLost(ClauseKind kind) const {
  return llvm::is_contained(lost, kind);
}

bool Annotation::allows(Permission permission) const {
  return llvm::any_of(allowed, [&](const AllowClause &clause) { return clause.permission == permission; });
}

bool Annotation::forbids(llvm::StringRef rewriter) const {
  return hasLost(ClauseKind::Forbid) ||
         llvm::any_of(forbidden, [&](const ForbidClause &clause) { return clause.rewriter == rewriter; });
}

const BufferClause *Annotation::findBuffer(llvm::StringRef name) const {
  auto found = llvm::find_if(buffers, [&](const BufferClause &buffer) { return buffer.name == name; });
  return found == buffers.end() ? nullptr : &*found;
}

const InitClause *Annotation::findInit(llvm::StringRef name) const {
  auto found = llvm::find_if(inits, [&](const InitClause &init) { return init.name == name; });
  return found == inits.end() ? nullptr : &*found;
}

uint64_t Annotation::alignmentOf(llvm::StringRef name) const {
  uint64_t bytes = 0;
  for (const AlignedClause &clause : alignments)
    if (clause.name == name)
      bytes = std::max(bytes, clause.bytes);
  return bytes;
}

bool Annotation::mayAlias(llvm::StringRef first, llvm::StringRef second) const {
  return llvm::any_of(aliases, [&](const AliasClause &clause) {
    auto names = [&](llvm::StringRef name) {
      return llvm::any_of(clause.names, [&](const NameUse &use) { return use.name == name; });
    };
    return names(first) && names(second);
  });
}

bool Annotation::areDistinct(llvm::StringRef first, llvm::StringRef second) const {
  const BufferClause *a = findBuffer(first);
  const BufferClause *b = findBuffer(second);
  if (first == second || !a || !b || !a->extent || !b->extent)
    return false;
  return !hasLost(ClauseKind::MayAlias) && !mayAlias(first, second);
}

std::vector<const ScalarExpression *> Annotation::launchExpressions() const {
  std::vector<const ScalarExpression *> all;
  for (const std::optional<ExtentsClause> *clause : {&grid, &block})
    if (clause->has_value())
      for (const ScalarExpression &extent : (*clause)->extents)
        all.push_back(&extent);
  if (dynamicShared)
    all.push_back(&dynamicShared->value);
  for (const BufferClause &buffer : buffers)
    if (buffer.extent)
      all.push_back(&*buffer.extent);
  for (const ValueClause &requirement : requirements)
    all.push_back(&requirement.value);
  for (const InitClause &init : inits)
    for (const std::optional<ScalarExpression> *bound : {&init.initialiser.low, &init.initialiser.high})
      if (bound->has_value())
        all.push_back(&**bound);
  return all;
}

std::vector<NameUse> Annotation::usedNames() const {
  std::vector<NameUse> uses;
  for (const ScalarExpression *expression : launchExpressions())
    for (NameUse &use : expression->names())
      if (llvm::none_of(uses, [&](const NameUse &known) { return known.name == use.name; }))
        uses.push_back(std::move(use));
  return uses;
}

} // namespace warpwright
