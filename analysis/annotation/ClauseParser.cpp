#include "analysis/annotation/Annotation.h"
#include "analysis/annotation/ClauseArguments.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

/// Takes the text apart into clauses, and hands what stands between the parentheses of each to its reader. As
/// a reader sees nothing but its own clause, a mistake cannot spread.
class ClauseParser {
public:
  ClauseParser(llvm::StringRef text, ParsedAnnotation &result)
      : text_(text), tokens_(tokenizeAnnotation(text)), cursor_(tokens_, text.size()), result_(result) {}

  void parse();

private:
  void parseClause();
  /// After a clause: its comma, or whatever stands there instead.
  void parseSeparator();
  /// To the next comma between clauses, or to what looks like the start of one.
  void skipToClause();
  void store(const ClauseInfo &info, llvm::ArrayRef<AnnotationToken> arguments, TextRange range);
  bool isRepeated(const ClauseInfo &info, TextRange range);
  void lose(ClauseKind kind);

  void report(Mistake id, TextRange where, const llvm::Twine &message, const llvm::Twine &note = {}) {
    result_.diagnostics.push_back(makeDiagnostic(id, where, message, note));
  }
  void reportUnknown(const AnnotationToken &name);

  template <typename T>
  void assign(const ClauseInfo &info, TextRange range, llvm::Expected<T> value, std::optional<T> &target);
  template <typename T>
  void append(const ClauseInfo &info, TextRange range, llvm::Expected<T> value, std::vector<T> &target);
  template <typename T>
  void appendAll(const ClauseInfo &info, TextRange range, llvm::Expected<std::vector<T>> values,
                 std::vector<T> &target);

  llvm::StringRef text_;
  std::vector<AnnotationToken> tokens_;
  TokenCursor cursor_;
  ParsedAnnotation &result_;
  std::vector<ClauseKind> seen_;
};

const ClauseInfo *findClause(llvm::StringRef name) {
  const auto *found = llvm::find_if(allClauses(), [&](const ClauseInfo &info) { return info.name == name; });
  return found == allClauses().end() ? nullptr : found;
}

void ClauseParser::parse() {
  while (!cursor_.atEnd()) {
    parseClause();
    parseSeparator();
  }
}

void ClauseParser::parseClause() {
  AnnotationToken name = cursor_.peek();
  if (name.kind != AnnotationToken::Name) {
    report(Mistake::UnknownClause, name.range, "expected a clause, found " + describe(name));
    skipToClause();
    return;
  }
  cursor_.next();
  const ClauseInfo *info = findClause(name.text);
  if (!info)
    reportUnknown(name);
  if (!cursor_.accept("(")) {
    if (info) {
      report(Mistake::BadArgument, name.range, "'" + name.text + "' needs arguments in parentheses");
      lose(info->kind);
    }
    return;
  }
  llvm::ArrayRef<AnnotationToken> arguments = cursor_.takeToClosingParenthesis();
  if (!cursor_.accept(")")) {
    report(Mistake::BadArgument, name.range, "the '(' of '" + name.text + "' is never closed");
    if (info)
      lose(info->kind);
    return;
  }
  if (info)
    store(*info, arguments, TextRange::spanning(name.range, cursor_.previous()));
}

void ClauseParser::parseSeparator() {
  if (cursor_.atEnd() || cursor_.accept(","))
    return;
  const AnnotationToken &token = cursor_.peek();
  if (token.kind == AnnotationToken::Name) {
    report(Mistake::MissingComma, token.range, "expected ',' before '" + token.text + "'");
    return;
  }
  report(Mistake::UnknownClause, token.range, "expected ',' or a clause, found " + describe(token));
  skipToClause();
  cursor_.accept(",");
}

void ClauseParser::skipToClause() {
  // A comma that is nested in parentheses or a name that opens none does not start a clause.
  while (!cursor_.atEnd() && !cursor_.peek().is(",")) {
    if (cursor_.peek().kind == AnnotationToken::Name && cursor_.peekNext().is("("))
      return;
    if (cursor_.accept("("))
      (void)cursor_.takeToClosingParenthesis();
    else
      cursor_.next();
  }
}

void ClauseParser::reportUnknown(const AnnotationToken &name) {
  std::vector<llvm::StringRef> names;
  for (const ClauseInfo &info : allClauses())
    names.push_back(info.name);
  report(Mistake::UnknownClause, name.range, "unknown clause '" + name.text + "'",
         suggestion(name.text, names));
  // A misspelt restriction must restrict all the same.
  if (const ClauseInfo *meant = findClause(nearestTo(name.text, names)))
    lose(meant->kind);
}

void ClauseParser::lose(ClauseKind kind) {
  std::vector<ClauseKind> &lost = result_.annotation.lost;
  if (!llvm::is_contained(lost, kind))
    lost.push_back(kind);
}

bool ClauseParser::isRepeated(const ClauseInfo &info, TextRange range) {
  if (!llvm::is_contained(seen_, info.kind)) {
    seen_.push_back(info.kind);
    return false;
  }
  if (info.repeatable)
    return false;
  report(Mistake::RepeatedClause, range, "'" + info.name + "' is given twice", "the first one counts");
  return true;
}

template <typename T>
void ClauseParser::assign(const ClauseInfo &info, TextRange range, llvm::Expected<T> value,
                          std::optional<T> &target) {
  if (!value) {
    lose(info.kind);
    return collect(value.takeError(), range, result_.diagnostics);
  }
  value->range = range;
  target = std::move(*value);
}

template <typename T>
void ClauseParser::append(const ClauseInfo &info, TextRange range, llvm::Expected<T> value,
                          std::vector<T> &target) {
  if (!value) {
    lose(info.kind);
    return collect(value.takeError(), range, result_.diagnostics);
  }
  value->range = range;
  target.push_back(std::move(*value));
}

template <typename T>
void ClauseParser::appendAll(const ClauseInfo &info, TextRange range, llvm::Expected<std::vector<T>> values,
                             std::vector<T> &target) {
  if (!values) {
    lose(info.kind);
    return collect(values.takeError(), range, result_.diagnostics);
  }
  for (T &value : *values)
    target.push_back(std::move(value));
}

void ClauseParser::store(const ClauseInfo &info, llvm::ArrayRef<AnnotationToken> arguments, TextRange range) {
  if (isRepeated(info, range))
    return;
  TokenCursor cursor(arguments, range.end() - 1);
  Annotation &annotation = result_.annotation;
  switch (info.kind) {
  case ClauseKind::Aligned:
    return append(info, range, readAlignment(cursor), annotation.alignments);
  case ClauseKind::Allow:
    return appendAll(info, range, readPermissions(cursor), annotation.allowed);
  case ClauseKind::Block:
    return assign(info, range, readExtents(cursor), annotation.block);
  case ClauseKind::DynamicShared:
    return assign(info, range, readValue(cursor), annotation.dynamicShared);
  case ClauseKind::Forbid:
    return appendAll(info, range, readRewriters(cursor), annotation.forbidden);
  case ClauseKind::GoalOf:
    return assign(info, range, readGoal(cursor), annotation.goal);
  case ClauseKind::Grid:
    return assign(info, range, readExtents(cursor), annotation.grid);
  case ClauseKind::In:
    return appendAll(info, range, readBuffers(cursor, BufferDirection::In), annotation.buffers);
  case ClauseKind::Init:
    return append(info, range, readInitialisation(cursor), annotation.inits);
  case ClauseKind::InOut:
    return appendAll(info, range, readBuffers(cursor, BufferDirection::InOut), annotation.buffers);
  case ClauseKind::MaxRegisters:
    return assign(info, range, readMaxRegisters(cursor), annotation.maxRegisters);
  case ClauseKind::MayAlias:
    return append(info, range, readNames(cursor), annotation.aliases);
  case ClauseKind::Out:
    return appendAll(info, range, readBuffers(cursor, BufferDirection::Out), annotation.buffers);
  case ClauseKind::Reference:
    return assign(info, range, readText(cursor, text_), annotation.reference);
  case ClauseKind::Require:
    return append(info, range, readValue(cursor), annotation.requirements);
  case ClauseKind::Shape:
    return append(info, range, readBindings(cursor), annotation.shapes);
  case ClauseKind::ToleranceOf:
    return assign(info, range, readTolerances(cursor), annotation.tolerance);
  }
}

} // namespace

ParsedAnnotation parseAnnotation(llvm::StringRef text) {
  ParsedAnnotation result;
  result.annotation.text = text.str();
  ClauseParser(text, result).parse();
  return result;
}

} // namespace warpwright
