#pragma once

namespace clang {
class VarDecl;
} // namespace clang

namespace warpwright {

class VariableChanges;

/// The parameter that the pointer is, or is counted from: through variables that `function`, the body that
/// they stand in, does not change. Null where that is not known.
const clang::VarDecl *parameterBehind(const clang::VarDecl *pointer, const VariableChanges &function);

} // namespace warpwright
