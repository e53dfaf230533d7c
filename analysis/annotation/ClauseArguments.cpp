#include "analysis/annotation/ClauseArguments.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MathExtras.h>

namespace warpwright {
namespace {

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

/// A parameter or a member of one: "p" or "p.n".
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

/// An expression that has a value without any name.
llvm::Expected<int64_t> readConstant(TokenCursor &cursor) {
  llvm::Expected<ScalarExpression> expression = parseExpression(cursor);
  if (!expression)
    return expression.takeError();
  if (!expression->isConstant())
    return makeMistake(Mistake::BadValue, expression->range(), "a constant is needed here");
  return expression->evaluate({});
}

llvm::Expected<Binding> readBinding(TokenCursor &cursor) {
  llvm::Expected<NameUse> name = readName(cursor, "the name of a scalar");
  if (!name)
    return name.takeError();
  if (llvm::Error error = expectPunctuation(cursor, "=", "and a value"))
    return std::move(error);
  TextRange start = cursor.peek().range;
  bool isSigned = cursor.peek().is("-") || cursor.peek().is("+");
  const AnnotationToken &number = isSigned ? cursor.peekNext() : cursor.peek();
  if (number.kind == AnnotationToken::Number && isFloatingLiteral(number.text)) {
    llvm::Expected<double> value = readReal(cursor);
    if (!value)
      return value.takeError();
    return Binding{name->name, name->range, *value, TextRange::spanning(start, cursor.previous())};
  }
  llvm::Expected<ScalarExpression> value = parseExpression(cursor);
  if (!value)
    return value.takeError();
  TextRange range = value->range();
  return Binding{name->name, name->range, std::move(*value), range};
}

llvm::Expected<BufferClause> readBuffer(TokenCursor &cursor, BufferDirection direction) {
  llvm::Expected<NameUse> name = readName(cursor, "the name of a pointer");
  if (!name)
    return name.takeError();
  BufferClause buffer{name->name, name->range, direction, std::nullopt, name->range};
  if (!cursor.accept("["))
    return buffer;
  llvm::Expected<ScalarExpression> extent = parseExpression(cursor);
  if (!extent)
    return extent.takeError();
  if (llvm::Error error = expectPunctuation(cursor, "]", "after the extent"))
    return std::move(error);
  if (cursor.peek().is("["))
    return makeMistake(Mistake::BadArgument, cursor.peek().range, "a buffer has one extent",
                       "multiply the extents: " + name->name + "[rows * columns]");
  buffer.extent = std::move(*extent);
  buffer.range = TextRange::spanning(name->range, cursor.previous());
  return buffer;
}

std::optional<Distribution> findDistribution(llvm::StringRef word) {
  for (Distribution distribution : {Distribution::Integers, Distribution::Normal, Distribution::Ones,
                                    Distribution::Permutation, Distribution::Uniform, Distribution::Zeros})
    if (toString(distribution) == word)
      return distribution;
  return std::nullopt;
}

/// The two arguments of integers(), normal() and uniform().
llvm::Error readDistributionArguments(TokenCursor &cursor, Initialiser &initialiser) {
  std::string name = (toString(initialiser.distribution) + "(a, b)").str();
  if (llvm::Error error = expectPunctuation(cursor, "(", "as in " + name))
    return error;
  for (unsigned i = 0; i < 2; ++i) {
    if (i == 1)
      if (llvm::Error error = expectPunctuation(cursor, ",", "as in " + name))
        return error;
    if (initialiser.distribution == Distribution::Integers) {
      llvm::Expected<ScalarExpression> bound = parseExpression(cursor);
      if (!bound)
        return bound.takeError();
      (i == 0 ? initialiser.low : initialiser.high) = std::move(*bound);
      continue;
    }
    llvm::Expected<double> value = readReal(cursor);
    if (!value)
      return value.takeError();
    (i == 0 ? initialiser.first : initialiser.second) = *value;
  }
  return expectPunctuation(cursor, ")", "as in " + name);
}

llvm::Expected<Initialiser> readInitialiser(TokenCursor &cursor) {
  AnnotationToken word = cursor.next();
  std::optional<Distribution> distribution = findDistribution(word.text);
  if (word.kind != AnnotationToken::Name || !distribution)
    return makeMistake(
        Mistake::UnknownWord, word.range, "unknown initialisation " + describe(word),
        suggestion(
            word.text, {"integers", "normal", "ones", "permutation", "uniform", "zeros"},
            "integers(a, b), normal(mean, deviation), ones, permutation, uniform(a, b) and zeros are known"));
  Initialiser initialiser;
  initialiser.distribution = *distribution;
  bool hasArguments = llvm::is_contained(
      {Distribution::Integers, Distribution::Normal, Distribution::Uniform}, *distribution);
  if (hasArguments)
    if (llvm::Error error = readDistributionArguments(cursor, initialiser))
      return std::move(error);
  return initialiser;
}

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

llvm::Expected<ExtentsClause> readExtents(TokenCursor &cursor) {
  ExtentsClause clause;
  do {
    llvm::Expected<ScalarExpression> extent = parseExpression(cursor);
    if (!extent)
      return extent.takeError();
    clause.extents.push_back(std::move(*extent));
    if (clause.extents.size() > 3)
      return makeMistake(Mistake::BadArgument, clause.extents.back().range(),
                         "there are at most three extents");
    if (llvm::Error error = separate(cursor))
      return std::move(error);
  } while (!cursor.atEnd());
  return clause;
}

llvm::Expected<ValueClause> readValue(TokenCursor &cursor) {
  llvm::Expected<ScalarExpression> value = parseExpression(cursor);
  if (!value)
    return value.takeError();
  if (llvm::Error error = expectEnd(cursor))
    return std::move(error);
  return ValueClause{std::move(*value), {}};
}

llvm::Expected<MaxRegistersClause> readMaxRegisters(TokenCursor &cursor) {
  TextRange start = cursor.peek().range;
  llvm::Expected<int64_t> count = readConstant(cursor);
  if (!count)
    return count.takeError();
  TextRange range = TextRange::spanning(start, cursor.previous());
  if (llvm::Error error = expectEnd(cursor))
    return std::move(error);
  // 255 is the largest number of registers a thread can address on every architecture since 3.5.
  if (*count < 1 || *count > 255)
    return makeMistake(Mistake::BadValue, range,
                       "a thread has 1 to 255 registers, not " + llvm::Twine(*count));
  return MaxRegistersClause{static_cast<unsigned>(*count), {}};
}

llvm::Expected<ShapeClause> readBindings(TokenCursor &cursor) {
  ShapeClause clause;
  do {
    llvm::Expected<Binding> binding = readBinding(cursor);
    if (!binding)
      return binding.takeError();
    if (llvm::any_of(clause.bindings, [&](const Binding &known) { return known.name == binding->name; }))
      return makeMistake(Mistake::RepeatedName, binding->nameRange, "'" + binding->name + "' is given twice");
    clause.bindings.push_back(std::move(*binding));
    if (llvm::Error error = separate(cursor))
      return std::move(error);
  } while (!cursor.atEnd());
  return clause;
}

llvm::Expected<std::vector<BufferClause>> readBuffers(TokenCursor &cursor, BufferDirection direction) {
  std::vector<BufferClause> buffers;
  do {
    llvm::Expected<BufferClause> buffer = readBuffer(cursor, direction);
    if (!buffer)
      return buffer.takeError();
    buffers.push_back(std::move(*buffer));
    if (llvm::Error error = separate(cursor))
      return std::move(error);
  } while (!cursor.atEnd());
  return buffers;
}

llvm::Expected<InitClause> readInitialisation(TokenCursor &cursor) {
  llvm::Expected<NameUse> name = readName(cursor, "the name of a pointer");
  if (!name)
    return name.takeError();
  if (llvm::Error error = expectPunctuation(cursor, ",", "and an initialisation"))
    return std::move(error);
  llvm::Expected<Initialiser> initialiser = readInitialiser(cursor);
  if (!initialiser)
    return initialiser.takeError();
  if (llvm::Error error = expectEnd(cursor))
    return std::move(error);
  return InitClause{name->name, name->range, std::move(*initialiser), {}};
}

llvm::Expected<AlignedClause> readAlignment(TokenCursor &cursor) {
  llvm::Expected<NameUse> name = readName(cursor, "the name of a pointer");
  if (!name)
    return name.takeError();
  if (llvm::Error error = expectPunctuation(cursor, ",", "and a number of bytes"))
    return std::move(error);
  TextRange start = cursor.peek().range;
  llvm::Expected<int64_t> bytes = readConstant(cursor);
  if (!bytes)
    return bytes.takeError();
  TextRange range = TextRange::spanning(start, cursor.previous());
  if (llvm::Error error = expectEnd(cursor))
    return std::move(error);
  if (*bytes <= 0 || !llvm::isPowerOf2_64(*bytes))
    return makeMistake(Mistake::BadAlignment, range,
                       "an alignment is a power of two, not " + llvm::Twine(*bytes));
  return AlignedClause{name->name, name->range, static_cast<uint64_t>(*bytes), {}};
}

llvm::Expected<AliasClause> readNames(TokenCursor &cursor) {
  AliasClause clause;
  TextRange start = cursor.peek().range;
  do {
    llvm::Expected<NameUse> name = readName(cursor, "the name of a pointer");
    if (!name)
      return name.takeError();
    if (llvm::any_of(clause.names, [&](const NameUse &known) { return known.name == name->name; }))
      return makeMistake(Mistake::BadAlias, name->range, "'" + name->name + "' is named twice");
    clause.names.push_back(std::move(*name));
    if (llvm::Error error = separate(cursor))
      return std::move(error);
  } while (!cursor.atEnd());
  if (clause.names.size() < 2)
    return makeMistake(Mistake::BadAlias, start, "may_alias takes at least two pointers");
  return clause;
}

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
