#include "analysis/annotation/ClauseArguments.h"
#include "analysis/annotation/ClauseElements.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace warpwright {
namespace {

llvm::Error readToleranceElement(TokenCursor &cursor, ToleranceClause &clause) {
  AnnotationToken word = cursor.next();
  if (word.kind == AnnotationToken::Name && word.text == "exact") {
    clause.exact = true;
    return llvm::Error::success();
  }
  std::optional<double> *target = word.text == "rel"    ? &clause.relative
                                  : word.text == "abs"  ? &clause.absolute
                                  : word.text == "bias" ? &clause.bias
                                                        : nullptr;
  if (!target)
    return makeMistake(Mistake::UnknownWord, word.range, "unknown tolerance " + describe(word),
                       suggestion(word.text, {"abs", "bias", "exact", "rel"},
                                  "rel = x, abs = x, bias = x and exact are known"));
  if (*target)
    return makeMistake(Mistake::RepeatedName, word.range, "'" + word.text + "' is given twice");
  if (llvm::Error error = expectPunctuation(cursor, "=", "and a number"))
    return error;
  llvm::Expected<double> value = readReal(cursor);
  if (!value)
    return value.takeError();
  *target = *value;
  return llvm::Error::success();
}

} // namespace

llvm::Expected<ToleranceClause> readTolerances(TokenCursor &cursor) {
  ToleranceClause clause;
  TextRange start = cursor.peek().range;
  do {
    if (llvm::Error error = readToleranceElement(cursor, clause))
      return std::move(error);
    if (llvm::Error error = separate(cursor))
      return std::move(error);
  } while (!cursor.atEnd());
  if (clause.exact && (clause.relative || clause.absolute || clause.bias))
    return makeMistake(Mistake::BadTolerance, TextRange::spanning(start, cursor.previous()),
                       "'exact' stands alone: nothing may differ");
  return clause;
}

llvm::Expected<std::vector<AllowClause>> readPermissions(TokenCursor &cursor) {
  static constexpr std::pair<Permission, llvm::StringLiteral> Permissions[] = {
#define WARPWRIGHT_PERMISSION(Enumerator, name, doc) {Permission::Enumerator, name},
#include "analysis/annotation/Permissions.def"
  };
  static constexpr llvm::StringRef Names[] = {
#define WARPWRIGHT_PERMISSION(Enumerator, name, doc) name,
#include "analysis/annotation/Permissions.def"
  };
  std::vector<AllowClause> allowed;
  do {
    AnnotationToken word = cursor.next();
    const auto *found = llvm::find_if(Permissions, [&](const auto &row) { return row.second == word.text; });
    if (found == std::end(Permissions))
      return makeMistake(
          Mistake::UnknownWord, word.range, "unknown permission " + describe(word),
          suggestion(word.text, Names, llvm::join(std::begin(Names), std::end(Names), ", ") + " are known"));
    allowed.push_back({found->first, word.range});
    if (llvm::Error error = separate(cursor))
      return std::move(error);
  } while (!cursor.atEnd());
  return allowed;
}

llvm::Expected<std::vector<ForbidClause>> readRewriters(TokenCursor &cursor) {
  std::vector<ForbidClause> forbidden;
  do {
    AnnotationToken word = cursor.next();
    if (word.kind != AnnotationToken::Name)
      return makeMistake(Mistake::BadArgument, word.range,
                         "expected the id of a rewriter, found " + describe(word));
    ForbidClause clause{word.text.str(), word.range};
    while (cursor.accept("-")) {
      AnnotationToken part = cursor.next();
      if (part.kind != AnnotationToken::Name && part.kind != AnnotationToken::Number)
        return makeMistake(Mistake::BadArgument, part.range,
                           "expected the rest of an id, found " + describe(part));
      clause.rewriter += ("-" + part.text).str();
      clause.range = TextRange::spanning(clause.range, part.range);
    }
    forbidden.push_back(std::move(clause));
    if (llvm::Error error = separate(cursor))
      return std::move(error);
  } while (!cursor.atEnd());
  return forbidden;
}

llvm::Expected<GoalClause> readGoal(TokenCursor &cursor) {
  AnnotationToken word = cursor.next();
  bool latency = word.text == "latency";
  if (!latency && word.text != "throughput")
    return makeMistake(Mistake::UnknownWord, word.range, "unknown goal " + describe(word),
                       suggestion(word.text, {"latency", "throughput"}, "latency and throughput are known"));
  if (llvm::Error error = expectEnd(cursor))
    return std::move(error);
  return GoalClause{latency ? Goal::Latency : Goal::Throughput, {}};
}

llvm::Expected<ReferenceClause> readText(TokenCursor &cursor, llvm::StringRef annotation) {
  AnnotationToken first = cursor.next();
  if (first.kind == AnnotationToken::End)
    return makeMistake(Mistake::BadArgument, first.range, "expected the name of a library call");
  bool isQuoted = first.kind == AnnotationToken::Quoted && cursor.atEnd() && first.text.size() >= 2;
  if (isQuoted)
    return ReferenceClause{first.text.drop_front().drop_back().str(), {}};
  while (!cursor.atEnd())
    cursor.next();
  TextRange range = TextRange::spanning(first.range, cursor.previous());
  return ReferenceClause{annotation.substr(range.offset, range.length).str(), {}};
}

} // namespace warpwright
