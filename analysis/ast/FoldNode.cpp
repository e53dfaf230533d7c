#include "analysis/ast/FoldNode.h"

namespace warpwright {

std::optional<Fold> flatten(const FoldNode &root) {
  if (root.kind != FoldNode::Kind::Combination)
    return std::nullopt;
  Fold fold;
  fold.operation = root.operation;
  fold.spelling = root.spelling;
  llvm::SmallVector<const FoldNode *> open = {&root};
  while (!open.empty()) {
    const FoldNode *node = open.pop_back_val();
    if (node->kind != FoldNode::Kind::Combination) {
      fold.leaves.push_back(node);
      continue;
    }
    if (node->operation != fold.operation)
      return std::nullopt;
    fold.byComparison |= node->byComparison;
    open.push_back(node->right);
    open.push_back(node->left);
  }
  return fold;
}

} // namespace warpwright
