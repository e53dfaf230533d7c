#pragma once

namespace clang {
class CallExpr;
class FunctionDecl;
} // namespace clang

namespace warpwright {

/// Whether the call computes on its arguments' values alone: it touches no memory, exchanges nothing with
/// other threads, and may run any number of times. Functions of the toolkit count by their parameters and
/// names, the user's by their bodies.
bool isPureCall(const clang::CallExpr &call);

/// `max`, `fminf` and their kin, from the toolkit.
bool isExtremum(const clang::FunctionDecl &function);

} // namespace warpwright
