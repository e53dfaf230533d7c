#pragma once

#include <string>

namespace clang {
class FunctionDecl;
}

namespace warpwright {

/// The kernel as the compiler has it after preprocessing, annotation included, and every declaration outside
/// the toolkit and the system that it leads to: device functions it calls, types, constants and variables. In
/// the order in which they are met. Layout, comments and macro names leave no trace, so that two texts are
/// equal where the same tokens are compiled; a name or type that moved to another file is the same, too.
std::string kernelTokens(const clang::FunctionDecl &kernel);

} // namespace warpwright
