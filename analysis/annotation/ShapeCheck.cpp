#include "analysis/annotation/ShapeCheck.h"
#include "analysis/annotation/Shapes.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace warpwright {
namespace {

class ShapeCheck {
public:
  ShapeCheck(ParsedAnnotation &parsed, const AnnotationContext &context)
      : annotation_(parsed.annotation), diagnostics_(parsed.diagnostics), context_(context),
        used_(annotation_.usedNames()) {}

  void run();

private:
  void report(Mistake id, TextRange where, const llvm::Twine &message, const llvm::Twine &note = {}) {
    diagnostics_.push_back(makeDiagnostic(id, where, message, note));
  }

  bool check(const ShapeClause &clause);
  bool checkBinding(const Binding &binding);
  bool checkValue(const Binding &binding, const AnnotationParameter &parameter);
  bool namesWhatIsUsed(const ShapeClause &clause);
  bool isDependent(const ShapeClause &clause) const;
  bool isInDomain(const ShapeClause &clause, const Shape &shape);
  bool canBeLaunched(const ShapeClause &clause, const Shape &shape);
  bool reportUnder(const ShapeClause &clause, const Shape &shape, llvm::Error error);
  void reportUnbound();

  Annotation &annotation_;
  std::vector<AnnotationDiagnostic> &diagnostics_;
  const AnnotationContext &context_;
  std::vector<NameUse> used_;
};

void ShapeCheck::run() {
  size_t dropped =
      std::erase_if(annotation_.shapes, [&](const ShapeClause &clause) { return !check(clause); });
  if (dropped && !annotation_.hasLost(ClauseKind::Shape))
    annotation_.lost.push_back(ClauseKind::Shape);
  reportUnbound();
}

bool ShapeCheck::check(const ShapeClause &clause) {
  bool right = true;
  for (const Binding &binding : clause.bindings)
    right &= checkBinding(binding);
  right &= namesWhatIsUsed(clause);
  if (!right || isDependent(clause))
    return right;
  llvm::Expected<Shape> shape = resolveShape(clause, context_);
  if (!shape) {
    collect(shape.takeError(), clause.range, diagnostics_);
    return false;
  }
  return isInDomain(clause, *shape) && canBeLaunched(clause, *shape);
}

bool ShapeCheck::checkBinding(const Binding &binding) {
  const AnnotationParameter *parameter = context_.find(binding.name);
  if (!parameter) {
    bool isConstant = context_.constants.count(binding.name) != 0;
    report(isConstant ? Mistake::NotAScalar : Mistake::UnknownName, binding.nameRange,
           "'" + binding.name + (isConstant ? "' is a constant" : "' is no parameter of the kernel"),
           isConstant ? "a shape gives values to scalar parameters"
                      : suggestion(binding.name, context_.names()));
    return false;
  }
  if (parameter->kind != ParameterKind::Integer && parameter->kind != ParameterKind::Floating) {
    report(Mistake::NotAScalar, binding.nameRange,
           "a shape gives values to scalars, but '" + binding.name + "' is '" + parameter->type.name +
               (parameter->kind == ParameterKind::Pointer ? " *'" : "'"));
    return false;
  }
  return checkValue(binding, *parameter);
}

bool ShapeCheck::checkValue(const Binding &binding, const AnnotationParameter &parameter) {
  const auto *expression = std::get_if<ScalarExpression>(&binding.value);
  if (!expression) {
    if (parameter.kind == ParameterKind::Floating)
      return true;
    report(Mistake::BadValue, binding.valueRange,
           "'" + binding.name + "' is '" + parameter.type.name + "', so its value is an integer");
    return false;
  }
  bool right = true;
  for (const NameUse &use : expression->names()) {
    if (!context_.find(use.name) && context_.constants.count(use.name))
      continue;
    report(Mistake::UnknownName, use.range,
           "'" + use.name + "' is no constant; the values of a shape are constant");
    right = false;
  }
  return right;
}

bool ShapeCheck::namesWhatIsUsed(const ShapeClause &clause) {
  std::vector<std::string> missing;
  for (const NameUse &use : used_) {
    bool given =
        llvm::any_of(clause.bindings, [&](const Binding &binding) { return binding.name == use.name; });
    if (!given && context_.find(use.name))
      missing.push_back("'" + use.name + "'");
  }
  if (missing.empty())
    return true;
  report(Mistake::ShapeMissesScalar, clause.range,
         "the shape gives no value to " + llvm::join(missing, " and ") + ", which other clauses use");
  return false;
}

bool ShapeCheck::isDependent(const ShapeClause &clause) const {
  auto depends = [&](const NameUse &use) { return context_.isDependent(use.name); };
  if (llvm::any_of(used_, depends))
    return true;
  return llvm::any_of(clause.bindings, [&](const Binding &binding) {
    const auto *expression = std::get_if<ScalarExpression>(&binding.value);
    return expression && llvm::any_of(expression->names(), depends);
  });
}

bool ShapeCheck::isInDomain(const ShapeClause &clause, const Shape &shape) {
  ScalarValues values = valuesOf(shape, context_);
  for (const ValueClause &requirement : annotation_.requirements) {
    llvm::Expected<int64_t> holds = requirement.value.evaluate(values);
    if (!holds)
      return reportUnder(clause, shape, holds.takeError());
    if (*holds != 0)
      continue;
    report(Mistake::ShapeBreaksRequire, clause.range,
           "the shape is outside the domain require(" + requirement.value.str() + ")",
           "the condition is false with " + shape.str());
    return false;
  }
  return true;
}

bool ShapeCheck::canBeLaunched(const ShapeClause &clause, const Shape &shape) {
  // A grid or block that the annotation does not give comes from the launch sites and is legal there.
  Annotation probe = annotation_;
  for (std::optional<ExtentsClause> *extents : {&probe.grid, &probe.block})
    if (!extents->has_value())
      *extents = ExtentsClause{{ScalarExpression::constant(1)}, {}};
  llvm::Expected<Launch> launch = evaluateLaunch(probe, shape, context_);
  if (!launch)
    return reportUnder(clause, shape, launch.takeError());
  llvm::Expected<std::map<std::string, uint64_t>> extents = evaluateExtents(annotation_, shape, context_);
  if (!extents)
    return reportUnder(clause, shape, extents.takeError());
  return true;
}

/// The fault shows in another clause, but it is the shape that brings it about: it is reported there.
bool ShapeCheck::reportUnder(const ShapeClause &clause, const Shape &shape, llvm::Error error) {
  std::vector<AnnotationDiagnostic> causes;
  collect(std::move(error), clause.range, causes);
  for (const AnnotationDiagnostic &cause : causes) {
    std::string inClause;
    if (cause.offset != clause.range.offset)
      inClause = " in '" + annotation_.text.substr(cause.offset, cause.length) + "'";
    report(cause.id, clause.range, cause.message + inClause + " with this shape", "it gives " + shape.str());
  }
  return false;
}

void ShapeCheck::reportUnbound() {
  if (annotation_.shapes.empty())
    return;
  const ShapeClause &main = annotation_.shapes.front();
  Shape names;
  for (const Binding &binding : main.bindings)
    names.values[binding.name] = int64_t(0);
  std::vector<std::string> unbound = unboundScalars(names, context_);
  if (unbound.empty())
    return;
  report(Mistake::ShapeIncomplete, main.range,
         "the main shape gives no value to '" + llvm::join(unbound, "', '") + "'",
         "without it the launch cannot be run, only analysed");
}

} // namespace

void checkShapes(ParsedAnnotation &parsed, const AnnotationContext &context) {
  ShapeCheck(parsed, context).run();
}

} // namespace warpwright
