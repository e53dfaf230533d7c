#include "analysis/annotation/ClauseElements.h"

namespace warpwright {

/// Between two elements: steps over the comma, or fails. At the end of the clause there is nothing to step
/// over.
llvm::Error separate(TokenCursor &cursor) {
  if (cursor.atEnd())
    return llvm::Error::success();
  const AnnotationToken &token = cursor.peek();
  if (token.is("="))
    return makeMistake(Mistake::BadExpression, token.range, "'=' is not an operator of expressions",
                       "did you mean '=='?");
  if (!cursor.accept(","))
    return makeMistake(Mistake::BadExpression, token.range,
                       "expected an operator or ',', found " + describe(token));
  if (cursor.atEnd())
    return makeMistake(Mistake::BadArgument, cursor.previous(), "nothing follows the ','");
  return llvm::Error::success();
}

llvm::Error expectEnd(TokenCursor &cursor) {
  if (cursor.atEnd())
    return llvm::Error::success();
  if (cursor.peek().is(","))
    return makeMistake(Mistake::BadArgument, cursor.peek().range, "too many arguments");
  return separate(cursor);
}

llvm::Error expectPunctuation(TokenCursor &cursor, llvm::StringRef punctuation, llvm::StringRef why) {
  if (cursor.accept(punctuation))
    return llvm::Error::success();
  return makeMistake(Mistake::BadArgument, cursor.peek().range,
                     "expected '" + punctuation + "' " + why + ", found " + describe(cursor.peek()));
}

llvm::Expected<NameUse> readName(TokenCursor &cursor, llvm::StringRef what) {
  AnnotationToken first = cursor.next();
  if (first.kind != AnnotationToken::Name)
    return makeMistake(Mistake::BadArgument, first.range, "expected " + what + ", found " + describe(first));
  NameUse use{first.text.str(), first.range};
  while (cursor.accept(".")) {
    AnnotationToken member = cursor.next();
    if (member.kind != AnnotationToken::Name)
      return makeMistake(Mistake::BadArgument, member.range,
                         "expected a member after '.', found " + describe(member));
    use.name += ("." + member.text).str();
    use.range = TextRange::spanning(use.range, member.range);
  }
  return use;
}

llvm::Expected<double> readReal(TokenCursor &cursor) {
  bool negative = cursor.accept("-");
  if (!negative)
    cursor.accept("+");
  AnnotationToken number = cursor.next();
  if (number.kind != AnnotationToken::Number)
    return makeMistake(Mistake::BadArgument, number.range, "expected a number, found " + describe(number));
  llvm::Expected<double> value = parseRealLiteral(number);
  if (!value)
    return value.takeError();
  return negative ? -*value : *value;
}

llvm::Expected<int64_t> readConstant(TokenCursor &cursor) {
  llvm::Expected<ScalarExpression> expression = parseExpression(cursor);
  if (!expression)
    return expression.takeError();
  if (!expression->isConstant())
    return makeMistake(Mistake::BadValue, expression->range(), "a constant is needed here");
  return expression->evaluate({});
}

} // namespace warpwright
