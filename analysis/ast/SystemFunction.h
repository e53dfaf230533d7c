#pragma once

namespace clang {
class FunctionDecl;
}

namespace warpwright {

/// Declared by the toolkit, the compiler or the system, not by the user.
bool isSystemFunction(const clang::FunctionDecl &function);

} // namespace warpwright
