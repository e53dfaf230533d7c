#include "analysis/annotation/ClauseArguments.h"
#include "analysis/annotation/ClauseElements.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MathExtras.h>

namespace warpwright {
namespace {

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

} // namespace warpwright
