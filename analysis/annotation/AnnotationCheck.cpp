#include "analysis/annotation/AnnotationCheck.h"
#include "analysis/annotation/ShapeCheck.h"
#include "analysis/annotation/Shapes.h"

#include <llvm/ADT/STLExtras.h>

#include <map>
#include <set>
#include <tuple>

namespace warpwright {
namespace {

/// Each check* says whether the element is right and reports what is not; the caller drops the wrong ones.
class SignatureCheck {
public:
  SignatureCheck(ParsedAnnotation &parsed, const AnnotationContext &context)
      : annotation_(parsed.annotation), diagnostics_(parsed.diagnostics), context_(context) {}

  void run();

private:
  void report(Mistake id, TextRange where, const llvm::Twine &message, const llvm::Twine &note = {}) {
    diagnostics_.push_back(makeDiagnostic(id, where, message, note));
  }
  void lose(ClauseKind kind) {
    if (!annotation_.hasLost(kind))
      annotation_.lost.push_back(kind);
  }
  template <typename T, typename Check> void keepIf(std::vector<T> &clauses, ClauseKind kind, Check check);
  template <typename T, typename Check> void keepIf(std::optional<T> &clause, ClauseKind kind, Check check);

  bool checkExpression(const ScalarExpression &expression);
  bool checkExtents(const ExtentsClause &clause, bool isBlock);
  const AnnotationParameter *checkPointer(llvm::StringRef name, TextRange where, llvm::StringRef clause);
  bool checkBuffer(const BufferClause &buffer);
  void dropRepeatedBuffers();
  bool checkInit(const InitClause &init, std::set<std::string> &seen);
  bool checkNumbers(const InitClause &init);
  bool checkIntegers(const Initialiser &initialiser, TextRange where);
  bool checkAlias(const AliasClause &clause);
  bool checkTolerance(const ToleranceClause &clause);
  bool checkRewriter(const ForbidClause &clause);

  Annotation &annotation_;
  std::vector<AnnotationDiagnostic> &diagnostics_;
  const AnnotationContext &context_;
};

template <typename T, typename Check>
void SignatureCheck::keepIf(std::vector<T> &clauses, ClauseKind kind, Check check) {
  size_t dropped = std::erase_if(clauses, [&](const T &clause) { return !check(clause); });
  if (dropped)
    lose(kind);
}

template <typename T, typename Check>
void SignatureCheck::keepIf(std::optional<T> &clause, ClauseKind kind, Check check) {
  if (!clause || check(*clause))
    return;
  clause.reset();
  lose(kind);
}

void SignatureCheck::run() {
  auto value = [&](const ValueClause &clause) { return checkExpression(clause.value); };
  keepIf(annotation_.grid, ClauseKind::Grid,
         [&](const ExtentsClause &clause) { return checkExtents(clause, /*isBlock=*/false); });
  keepIf(annotation_.block, ClauseKind::Block,
         [&](const ExtentsClause &clause) { return checkExtents(clause, /*isBlock=*/true); });
  keepIf(annotation_.dynamicShared, ClauseKind::DynamicShared, value);
  keepIf(annotation_.requirements, ClauseKind::Require, value);
  dropRepeatedBuffers();
  std::erase_if(annotation_.buffers, [&](const BufferClause &buffer) { return !checkBuffer(buffer); });
  std::set<std::string> initialised;
  keepIf(annotation_.inits, ClauseKind::Init,
         [&](const InitClause &init) { return checkInit(init, initialised); });
  keepIf(annotation_.alignments, ClauseKind::Aligned, [&](const AlignedClause &clause) {
    return checkPointer(clause.name, clause.nameRange, "aligned") != nullptr;
  });
  keepIf(annotation_.aliases, ClauseKind::MayAlias,
         [&](const AliasClause &clause) { return checkAlias(clause); });
  keepIf(annotation_.tolerance, ClauseKind::ToleranceOf,
         [&](const ToleranceClause &clause) { return checkTolerance(clause); });
  // An id that no rewriter has forbids nothing, so leaving it out loses no restriction.
  std::erase_if(annotation_.forbidden, [&](const ForbidClause &clause) { return !checkRewriter(clause); });
}

bool SignatureCheck::checkExpression(const ScalarExpression &expression) {
  bool right = true;
  for (const NameUse &use : expression.names()) {
    if (context_.isInteger(use.name))
      continue;
    right = false;
    if (const AnnotationParameter *parameter = context_.find(use.name)) {
      llvm::StringRef what = parameter->kind == ParameterKind::Pointer    ? "a pointer"
                             : parameter->kind == ParameterKind::Floating ? "a floating number"
                             : parameter->kind == ParameterKind::Struct
                                 ? "a struct"
                                 : "of a type that has no integer value";
      llvm::StringRef note = parameter->kind == ParameterKind::Struct ? "name one of its members" : "";
      report(Mistake::NotAScalar, use.range, "'" + use.name + "' is " + what + ", not an integer", note);
      continue;
    }
    report(Mistake::UnknownName, use.range,
           "'" + use.name + "' is no parameter of the kernel and no constant that it can see",
           suggestion(use.name, context_.names()));
  }
  return right;
}

bool SignatureCheck::checkExtents(const ExtentsClause &clause, bool isBlock) {
  bool right = true;
  bool constant = true;
  for (const ScalarExpression &extent : clause.extents) {
    right &= checkExpression(extent);
    constant &= llvm::all_of(extent.names(), [&](const NameUse &use) {
      return !context_.find(use.name) && !context_.isDependent(use.name);
    });
  }
  if (!right || !constant)
    return right;
  // What depends on no scalar is wrong in itself; everything else is checked shape by shape.
  Annotation probe;
  ExtentsClause one{{ScalarExpression::constant(1)}, {}};
  probe.grid = isBlock ? one : clause;
  probe.block = isBlock ? clause : one;
  llvm::Expected<Launch> launch = evaluateLaunch(probe, {}, context_);
  if (launch)
    return true;
  collect(launch.takeError(), clause.range, diagnostics_);
  return false;
}

const AnnotationParameter *SignatureCheck::checkPointer(llvm::StringRef name, TextRange where,
                                                        llvm::StringRef clause) {
  const AnnotationParameter *parameter = context_.find(name);
  if (!parameter) {
    report(Mistake::UnknownName, where, "'" + name + "' is no parameter of the kernel",
           suggestion(name, context_.names()));
    return nullptr;
  }
  if (parameter->kind == ParameterKind::Pointer)
    return parameter;
  report(Mistake::NotAPointer, where,
         clause + "() takes a pointer, but '" + name + "' is '" + parameter->type.name + "'");
  return nullptr;
}

bool SignatureCheck::checkBuffer(const BufferClause &buffer) {
  const AnnotationParameter *parameter =
      checkPointer(buffer.name, buffer.nameRange, toString(buffer.direction));
  bool right = parameter != nullptr;
  if (parameter && parameter->pointeeIsConst && buffer.direction != BufferDirection::In) {
    report(Mistake::ConstOutput, buffer.nameRange,
           toString(buffer.direction) + "() is written, but '" + buffer.name + "' points to const '" +
               parameter->type.name + "'");
    right = false;
  }
  if (buffer.extent)
    right &= checkExpression(*buffer.extent);
  return right;
}

/// Of two clauses in one direction the first counts. Of two that contradict each other neither does: to
/// believe the wrong one would be worse than to know nothing.
void SignatureCheck::dropRepeatedBuffers() {
  std::map<std::string, BufferDirection> first;
  std::set<std::string> contradicted;
  std::erase_if(annotation_.buffers, [&](const BufferClause &buffer) {
    auto [known, isNew] = first.try_emplace(buffer.name, buffer.direction);
    if (isNew)
      return false;
    if (known->second == buffer.direction) {
      report(Mistake::RepeatedName, buffer.nameRange, "'" + buffer.name + "' is named twice");
      return true;
    }
    report(Mistake::ConflictingDirection, buffer.nameRange,
           "'" + buffer.name + "' is named by " + toString(known->second) + "() already",
           "a buffer that is read and written is inout(" + buffer.name + "[...])");
    contradicted.insert(buffer.name);
    return true;
  });
  std::erase_if(annotation_.buffers,
                [&](const BufferClause &buffer) { return contradicted.count(buffer.name) != 0; });
}

bool SignatureCheck::checkInit(const InitClause &init, std::set<std::string> &seen) {
  if (!seen.insert(init.name).second) {
    report(Mistake::RepeatedName, init.nameRange, "'" + init.name + "' is initialised twice");
    return false;
  }
  const AnnotationParameter *parameter = checkPointer(init.name, init.nameRange, "init");
  if (!parameter)
    return false;
  const BufferClause *buffer = annotation_.findBuffer(init.name);
  if (buffer && buffer->direction == BufferDirection::Out)
    report(Mistake::UselessInit, init.nameRange,
           "'" + init.name + "' is only written, so its init() has no effect",
           "a buffer whose old values matter is inout(" + init.name + "[...])");
  bool isReal = init.initialiser.distribution == Distribution::Uniform ||
                init.initialiser.distribution == Distribution::Normal;
  if (isReal && parameter->type.kind == ElementKind::Integer) {
    report(Mistake::BadInit, init.range,
           toString(init.initialiser.distribution) + "() draws real numbers, but '" + init.name +
               "' points to '" + parameter->type.name + "'",
           "integers(a, b) draws integers");
    return false;
  }
  return isReal ? checkNumbers(init) : checkIntegers(init.initialiser, init.range);
}

bool SignatureCheck::checkNumbers(const InitClause &init) {
  const Initialiser &initialiser = init.initialiser;
  if (initialiser.distribution == Distribution::Normal && initialiser.second < 0) {
    report(Mistake::BadInit, init.range, "the standard deviation of normal() is negative");
    return false;
  }
  if (initialiser.distribution == Distribution::Uniform && initialiser.first > initialiser.second) {
    report(Mistake::BadInit, init.range, "the lower bound of uniform() is above the upper one");
    return false;
  }
  return true;
}

bool SignatureCheck::checkIntegers(const Initialiser &initialiser, TextRange where) {
  if (initialiser.distribution != Distribution::Integers)
    return true;
  bool right = checkExpression(*initialiser.low);
  right &= checkExpression(*initialiser.high);
  if (!right || !initialiser.low->isConstant() || !initialiser.high->isConstant())
    return right;
  llvm::Expected<int64_t> low = initialiser.low->evaluate({});
  llvm::Expected<int64_t> high = initialiser.high->evaluate({});
  if (low && high && *low <= *high)
    return true;
  if (low && high)
    report(Mistake::BadInit, where, "the lower bound of integers() is above the upper one");
  for (llvm::Expected<int64_t> *bound : {&low, &high})
    if (llvm::Error error = bound->takeError())
      collect(std::move(error), where, diagnostics_);
  return false;
}

bool SignatureCheck::checkAlias(const AliasClause &clause) {
  bool right = true;
  for (const NameUse &use : clause.names)
    right &= checkPointer(use.name, use.range, "may_alias") != nullptr;
  return right;
}

bool SignatureCheck::checkTolerance(const ToleranceClause &clause) {
  bool right = true;
  auto check = [&](const char *name, const std::optional<double> &value, bool isRelative) {
    if (!value)
      return;
    if (*value <= 0)
      report(Mistake::BadTolerance, clause.range, llvm::Twine("the tolerance '") + name + "' is not positive",
             "tolerance(exact) admits no difference");
    else if (isRelative && *value >= 1)
      report(Mistake::BadTolerance, clause.range,
             llvm::Twine("with '") + name + "' at 1 or more every result is accepted");
    else
      return;
    right = false;
  };
  check("rel", clause.relative, true);
  check("abs", clause.absolute, false);
  check("bias", clause.bias, true);
  return right;
}

bool SignatureCheck::checkRewriter(const ForbidClause &clause) {
  if (!context_.rewriters || llvm::is_contained(*context_.rewriters, clause.rewriter))
    return true;
  std::vector<llvm::StringRef> ids(context_.rewriters->begin(), context_.rewriters->end());
  report(Mistake::UnknownRewriter, clause.range, "no rewriter is called '" + clause.rewriter + "'",
         suggestion(clause.rewriter, ids));
  return false;
}

} // namespace

ParsedAnnotation checkAnnotation(ParsedAnnotation parsed, const AnnotationContext &context) {
  SignatureCheck(parsed, context).run();
  checkShapes(parsed, context);
  llvm::sort(parsed.diagnostics, [](const AnnotationDiagnostic &a, const AnnotationDiagnostic &b) {
    return std::tie(a.offset, a.id, a.message) < std::tie(b.offset, b.id, b.message);
  });
  return parsed;
}

} // namespace warpwright
