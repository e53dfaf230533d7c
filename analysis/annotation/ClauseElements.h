#pragma once

#include "analysis/annotation/ScalarExpression.h"

namespace warpwright {

// What the readers of ClauseArguments.h are put together from. The cursor covers one clause's arguments.

/// Between two elements: steps over the comma, or fails. At the end of the clause there is nothing to step
/// over.
llvm::Error separate(TokenCursor &cursor);
/// Fails when anything is left.
llvm::Error expectEnd(TokenCursor &cursor);
/// Steps over an operator or bracket; `why` goes on after "expected 'x'".
llvm::Error expectPunctuation(TokenCursor &cursor, llvm::StringRef punctuation, llvm::StringRef why);
/// A parameter or a member of one: "p" or "p.n". `what` names it in the error.
llvm::Expected<NameUse> readName(TokenCursor &cursor, llvm::StringRef what);
/// An integer or floating literal with an optional sign.
llvm::Expected<double> readReal(TokenCursor &cursor);
/// An expression that has a value without any name.
llvm::Expected<int64_t> readConstant(TokenCursor &cursor);

} // namespace warpwright
