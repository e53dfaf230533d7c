#pragma once

#include <string>

namespace clang {
class FunctionDecl;
}

namespace warpwright {

/// The printed qualified name with all template arguments: "ns::gemm<float, 16>".
std::string functionName(const clang::FunctionDecl &function);

/// File, printed name and signature, which stay the same between builds: "gemm.cu:gemm(float *, int)". The
/// parameters' own qualifiers (`const`, `__restrict__`) are no part of a function's type.
std::string functionKey(const clang::FunctionDecl &function);

} // namespace warpwright
