#pragma once

#include <string>

namespace clang {
class Expr;
}

namespace warpwright {

/// Whether the expression's text may stand beside any operator without brackets: a name, a number, a member,
/// an element.
bool isOperand(const clang::Expr *expression);

/// The text of the expression, in brackets where a `+` beside it would tear it apart.
std::string asSummand(const clang::Expr *expression, const std::string &text);

} // namespace warpwright
