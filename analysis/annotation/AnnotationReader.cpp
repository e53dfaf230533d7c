#include "analysis/annotation/AnnotationReader.h"

#include "analysis/annotation/AnnotationCheck.h"
#include "analysis/annotation/KernelContext.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Expr.h>

namespace warpwright {
namespace {

using Attributes = std::vector<const clang::AnnotateAttr *>;

Attributes annotationsOf(const clang::Decl &declaration) {
  Attributes found;
  for (const auto *attribute : declaration.specific_attrs<clang::AnnotateAttr>())
    if (attribute->getAnnotation() == "warpwright::kernel_optimize")
      found.push_back(attribute);
  return found;
}

Attributes annotationsOfKernel(const clang::FunctionDecl &kernel) {
  Attributes found = annotationsOf(kernel);
  const clang::FunctionDecl *pattern = kernel.getTemplateInstantiationPattern();
  return found.empty() && pattern ? annotationsOf(*pattern) : found;
}

std::string textOf(const clang::AnnotateAttr &attribute) {
  for (const clang::Expr *argument : attribute.args()) {
    argument = argument->IgnoreParenImpCasts();
    if (const auto *constant = llvm::dyn_cast<clang::ConstantExpr>(argument))
      argument = constant->getSubExpr()->IgnoreParenImpCasts();
    if (const auto *literal = llvm::dyn_cast<clang::StringLiteral>(argument))
      return literal->getString().str();
  }
  return {};
}

/// The declaration whose attributes a person would look at: of a template, the function that it is a template
/// of.
const clang::Decl &annotated(const clang::Decl &declaration) {
  if (const auto *generic = llvm::dyn_cast<clang::RedeclarableTemplateDecl>(&declaration))
    if (const clang::NamedDecl *inner = generic->getTemplatedDecl())
      return *inner;
  return declaration;
}

} // namespace

void AnnotationReader::report(clang::CharSourceRange range, const AnnotationDiagnostic &diagnostic) {
  if (!reported_.insert({range.getBegin(), diagnostic.message}).second)
    return;
  clang::DiagnosticsEngine &engine = ast_.getDiagnostics();
  unsigned warning = engine.getCustomDiagID(clang::DiagnosticsEngine::Warning, "%0 [warpwright-annotation]");
  engine.Report(range.getBegin(), warning) << diagnostic.message << range;
  if (diagnostic.note.empty())
    return;
  unsigned note = engine.getCustomDiagID(clang::DiagnosticsEngine::Note, "%0");
  engine.Report(range.getBegin(), note) << diagnostic.note;
}

void AnnotationReader::reportWhole(const clang::AnnotateAttr &attribute, Mistake id,
                                   const llvm::Twine &message, const llvm::Twine &note) {
  clang::SourceLocation begin = AnnotationSource(attribute, textOf(attribute), ast_).begin();
  report(clang::CharSourceRange::getTokenRange(begin, begin), makeDiagnostic(id, {}, message, note));
}

AnnotationContext AnnotationReader::makeContext(const clang::FunctionDecl &kernel,
                                                const Annotation &annotation) const {
  AnnotationContext context = describeKernel(kernel);
  context.rewriters = options_.rewriters;
  std::vector<NameUse> uses = annotation.usedNames();
  for (const ShapeClause &shape : annotation.shapes)
    for (const Binding &binding : shape.bindings) {
      uses.push_back({binding.name, binding.nameRange});
      if (const auto *value = std::get_if<ScalarExpression>(&binding.value))
        llvm::append_range(uses, value->names());
    }
  ConstantLookup constants(kernel, options_.preprocessor);
  for (const NameUse &use : uses)
    if (!context.find(use.name))
      if (auto found = constants.find(use.name))
        context.constants[use.name] = *found;
  return context;
}

std::optional<KernelAnnotation> AnnotationReader::read(const clang::FunctionDecl &kernel) {
  Attributes attributes = annotationsOfKernel(kernel);
  if (attributes.empty())
    return std::nullopt;
  std::string text = textOf(*attributes.front());
  AnnotationSource source(*attributes.front(), text, ast_);
  ParsedAnnotation parsed = parseAnnotation(text);
  AnnotationContext context;
  if (kernel.isDependentContext()) {
    context.kernel = kernel.getQualifiedNameAsString();
  } else {
    context = makeContext(kernel, parsed.annotation);
    parsed = checkAnnotation(std::move(parsed), context);
  }
  for (const AnnotationDiagnostic &diagnostic : parsed.diagnostics)
    report(source.rangeOf({diagnostic.offset, diagnostic.length}), diagnostic);
  for (const clang::AnnotateAttr *second : llvm::drop_begin(attributes))
    reportWhole(*second, Mistake::RepeatedClause, "the kernel is annotated twice",
                "the first annotation counts");
  return KernelAnnotation{std::move(parsed.annotation), std::move(context), std::move(source),
                          std::move(parsed.diagnostics)};
}

void AnnotationReader::reportMisplaced() {
  reportMisplacedIn(*ast_.getTranslationUnitDecl());
}

void AnnotationReader::reportMisplacedIn(const clang::DeclContext &scope) {
  // What a precompiled header holds was parsed elsewhere; loading all of it would cost more than the parse.
  for (const clang::Decl *declaration : scope.noload_decls()) {
    const clang::Decl &inner = annotated(*declaration);
    reportMisplaced(inner);
    const auto *nested = llvm::dyn_cast<clang::DeclContext>(&inner);
    if (nested && !llvm::isa<clang::FunctionDecl>(inner))
      reportMisplacedIn(*nested);
  }
}

void AnnotationReader::reportMisplaced(const clang::Decl &declaration) {
  Attributes attributes = annotationsOf(declaration);
  // An inherited attribute is reported where it was written.
  if (attributes.empty() || attributes.front()->isInherited())
    return;
  const clang::AnnotateAttr &attribute = *attributes.front();
  const auto *function = llvm::dyn_cast<clang::FunctionDecl>(&declaration);
  const auto *named = llvm::dyn_cast<clang::NamedDecl>(&declaration);
  std::string name = named ? named->getNameAsString() : "";
  if (!function || !function->hasAttr<clang::CUDAGlobalAttr>())
    return reportWhole(attribute, Mistake::NotAKernel, "'" + name + "' is annotated, but it is no kernel",
                       "the annotation stands before a function with __global__");
  if (!function->isDefined())
    return reportWhole(attribute, Mistake::NoBody,
                       "the kernel '" + name + "' is annotated, but has no body in this translation unit",
                       "annotate the definition");
  const clang::SourceManager &sources = ast_.getSourceManager();
  const clang::FunctionTemplateDecl *generic = function->getDescribedFunctionTemplate();
  bool inMainFile = sources.isInMainFile(sources.getExpansionLoc(attribute.getLocation()));
  if (generic && inMainFile && generic->specializations().empty())
    reportWhole(attribute, Mistake::NeverInstantiated,
                "the kernel template '" + name +
                    "' is annotated, but never instantiated in this translation unit");
}

} // namespace warpwright
