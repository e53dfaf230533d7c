#include "rewriters/transposes/TransposePlan.h"

#include "analysis/KernelAnalysis.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/edits/EditBuilder.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <algorithm>
#include <map>

namespace warpwright {
namespace {

/// The coordinate along which neighbours lie in memory.
std::optional<unsigned> directionOf(const PointAccess &access, const PointSpace &space) {
  if (!access.index)
    return std::nullopt;
  const std::vector<PointCoordinate> &coordinates = space.coordinates();
  for (unsigned i = 0; i < coordinates.size(); ++i) {
    std::optional<Expression> step = access.index->coefficient(coordinates[i].symbol);
    if (step && step->asConstant() == 1 &&
        !PointSpace::mayDependOn(access.index->without(coordinates[i].symbol), coordinates[i]))
      return i;
  }
  return std::nullopt;
}

/// What a thread reads after it has stored must not be what it stored: the read would come first now.
std::string whyNotDistinct(const RewriteContext &context, const PointSpace &space, const PointBody &body,
                           TransposePlan &plan) {
  if (body.stores.size() < 2 && !space.loop())
    return {};
  if (space.loop())
    plan.assumptions.push_back("turns of the loop over '" + space.loop()->counter->getNameAsString() +
                               "' store to places of their own");
  for (const PointStore &store : body.stores)
    for (const PointAccess &load : body.loads) {
      const clang::VarDecl *written = store.target.parameter, *read = load.parameter;
      if (written->getType().isRestrictQualified() || read->getType().isRestrictQualified())
        continue;
      if (written == read || !context.analysis.annotation->areDistinct(written->getName(), read->getName()))
        return "nothing says that '" + written->getNameAsString() + "' and '" + read->getNameAsString() +
               "' do not overlap";
      std::string assumption = "buffers '" + read->getNameAsString() + "' and '" +
                               written->getNameAsString() +
                               "' do not overlap: both are annotated with extents";
      if (!llvm::is_contained(plan.assumptions, assumption))
        plan.assumptions.push_back(std::move(assumption));
    }
  return {};
}

} // namespace

int64_t TileShape::lanesAlong(bool reads) const {
  int64_t fast = reads ? across : down, slow = reads ? down : across;
  if (keepsLaunch)
    return fast;
  return std::max(std::min<int64_t>(fast, 32), threads / slow);
}

std::optional<TransposePlan> planTranspose(const RewriteContext &context, const PointSpace &space,
                                           const PointBody &body, std::string &whyNot) {
  std::optional<unsigned> writing;
  for (const PointStore &store : body.stores) {
    std::optional<unsigned> direction = directionOf(store.target, space);
    if (!direction) {
      whyNot = "no coordinate was found along which its stores are contiguous";
      return std::nullopt;
    }
    if (writing && *writing != *direction) {
      whyNot = "its stores are contiguous along different coordinates";
      return std::nullopt;
    }
    writing = direction;
  }
  std::map<unsigned, std::vector<unsigned>> byDirection;
  for (unsigned i = 0; i < body.loads.size(); ++i)
    if (std::optional<unsigned> direction = directionOf(body.loads[i], space))
      byDirection[*direction].push_back(i);
  bool readsAlongWrites = byDirection.erase(*writing) != 0;
  if (byDirection.empty())
    return std::nullopt; // everything runs the same way
  auto most =
      std::max_element(byDirection.begin(), byDirection.end(), [](const auto &left, const auto &right) {
        return left.second.size() < right.second.size();
      });
  TransposePlan plan;
  plan.writing = *writing;
  plan.reading = most->first;
  EditBuilder edits(context.unit.ast());
  plan.example = edits.textOf(body.loads[most->second.front()].expression->getSourceRange()).value_or("");
  if (readsAlongWrites) {
    plan.staged = most->second;
    for (unsigned i : plan.staged)
      if (!body.loads[i].isAlways) {
        whyNot = "'" + plan.example + "' is read in some threads only, or in a loop";
        return std::nullopt;
      }
  }
  if (whyNot = whyNotDistinct(context, space, body, plan); !whyNot.empty())
    return std::nullopt;
  return plan;
}

} // namespace warpwright
