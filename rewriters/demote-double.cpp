// Computes in float what is double only because a literal lacks its suffix, a function is called by its
// double name or a cast says so, and what goes back to float at once.
//
// Legal where no output has to be exact: the values change by roundings to 24 bits instead of 53. Everything
// else about the expression (what it reads, which user functions it calls, what observes its type) is the
// analysis' part.

#include "analysis/KernelAnalysis.h"
#include "analysis/annotation/Shapes.h"
#include "analysis/ast/DoubleExpressions.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/KernelProposer.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <llvm/ADT/MapVector.h>

namespace warpwright {
namespace {

constexpr const char *id = "demote-double";

/// Declines of one reason, reported as one: a kernel that truly computes in double would fill pages
/// otherwise.
struct DeclinedPlaces {
  Place first;
  std::vector<unsigned> lines;
};

class Proposer : KernelProposer {
public:
  explicit Proposer(const RewriteContext &context) : KernelProposer(context, id) {}

  llvm::Expected<Proposals> propose() {
    IndexRanges ranges(ast_, kernel_, analysis_.knownBlock());
    std::vector<const DoubleExpression *> demotable;
    std::vector<DoubleExpression> found = findDoubleExpressions(kernel_, ast_, ranges);
    for (const DoubleExpression &expression : found)
      if (!expression.obstacle.empty())
        note(placeAt(expression.range.getBegin()), expression.obstacle);
      else if (remainsInCode(expression))
        demotable.push_back(&expression);
    declineCallees();
    if (demotable.empty())
      return finish();
    if (std::string reason = whyExact(); !reason.empty())
      note(placeAt(demotable.front()->range.getBegin()), reason);
    else if (instantiations(kernel_) > 1)
      note(placeAt(demotable.front()->range.getBegin()),
           "the template has several instantiations, which share its text");
    else
      add(demotable);
    return finish();
  }

private:
  /// Whether double operations reach the code. A single operation on values that float holds the compiler
  /// narrows by itself, for instance a comparison with 4.0; then there is none on the expression's lines.
  /// More than one it never narrows, but it may have merged them with equal ones of another line.
  bool remainsInCode(const DoubleExpression &expression) const {
    const std::vector<DoubleInFloat> &facts = analysis_.facts.doublesInFloat;
    bool narrowed =
        expression.operations <= 1 && llvm::all_of(expression.spellings, [](const DoubleSpelling &spelling) {
          return spelling.exact || spelling.kind == DoubleSpelling::Kind::Cast;
        });
    if (!narrowed)
      return !facts.empty();
    Place begin = placeAt(expression.range.getBegin());
    Place end = placeAt(expression.range.getEnd());
    return llvm::any_of(facts, [&](const DoubleInFloat &fact) {
      return begin.line <= fact.place.place.line && fact.place.place.line <= end.line;
    });
  }

  /// Double operations on float data that no expression of the kernel's own holds come out of the functions
  /// it calls.
  void declineCallees() {
    for (const DoubleInFloat &fact : analysis_.facts.doublesInFloat)
      if (fact.operandsFromFloat && fact.resultToFloat && !fact.place.inlinedAt.empty() &&
          fact.place.function != kernel_.getNameAsString())
        note(fact.place.place,
             "'" + fact.place.function + "' computes in double, and other kernels may call it");
  }

  /// The output that has to be exact; empty where none has to.
  std::string whyExact() const {
    const Annotation &annotation = *analysis_.annotation;
    const char *advice = ": tolerance(rel = ...) or allow(reassociate) would let it round";
    if (toleranceFor(annotation, ElementKind::Float).exact)
      return std::string("the results have to be exact") + advice;
    for (const AnnotationParameter &parameter : analysis_.context.parameters) {
      if (parameter.kind != ParameterKind::Pointer)
        continue;
      const BufferClause *buffer = annotation.findBuffer(parameter.name);
      bool written = buffer ? buffer->direction != BufferDirection::In : !parameter.pointeeIsConst;
      if (!written)
        continue;
      Tolerance tolerance = toleranceFor(annotation, parameter.type.kind);
      if (tolerance.exact)
        return "'" + parameter.name + "' has to be exact" + advice;
      // A rounding moves an integer by one or not at all.
      if (parameter.type.kind == ElementKind::Integer && tolerance.absolute < 1)
        return "'" + parameter.name + "' holds integers, which tolerance(abs = 1) would let change by one";
    }
    return {};
  }

  static unsigned instantiations(const clang::FunctionDecl &kernel) {
    const clang::FunctionTemplateDecl *primary = kernel.getPrimaryTemplate();
    if (!primary)
      return 1;
    return llvm::count_if(primary->specializations(), [&](const clang::FunctionDecl *other) {
      return other->isThisDeclarationADefinition() &&
             other->getTemplateInstantiationPattern() == kernel.getTemplateInstantiationPattern();
    });
  }

  void add(llvm::ArrayRef<const DoubleExpression *> expressions) {
    Candidate candidate;
    candidate.subject =
        std::to_string(expressions.size()) + (expressions.size() == 1 ? " expression" : " expressions");
    for (const DoubleExpression *expression : expressions) {
      std::vector<Edit> edits;
      for (const DoubleSpelling &spelling : expression->spellings)
        if (std::optional<Edit> edit = demote(*expression, spelling))
          edits.push_back(std::move(*edit));
      // A half-demoted expression is as double as before.
      if (edits.size() == expression->spellings.size())
        llvm::append_range(candidate.edits, edits);
      else
        note(placeAt(expression->range.getBegin()), "a literal is spelled in a way that is not followed");
    }
    candidate.claims.push_back({"fewer-double-operations", {}});
    candidate.assumptions = {
        "no intermediate value of these expressions leaves the range of float",
        "no difference of nearly equal values in them magnifies roundings beyond the tolerance"};
    if (!candidate.edits.empty())
      offer(std::move(candidate));
  }

  std::optional<Edit> demote(const DoubleExpression &expression, const DoubleSpelling &spelling) const {
    std::optional<std::string> text = builder_.textOf(spelling.tokens);
    if (!text)
      return std::nullopt;
    std::optional<Edit> edit;
    switch (spelling.kind) {
    case DoubleSpelling::Kind::Literal:
      if (text->empty() || !(llvm::isHexDigit(text->back()) || text->back() == '.'))
        return std::nullopt;
      edit = builder_.replace(spelling.tokens, *text + "f",
                              "without a suffix, " + *text + " turns a float expression into a double one");
      break;
    case DoubleSpelling::Kind::Constant:
      edit =
          builder_.replace(spelling.tokens, "float(" + *text + ")",
                           "the double constant '" + *text + "' turns a float expression into a double one");
      break;
    case DoubleSpelling::Kind::Call:
      edit = builder_.replace(spelling.tokens, spelling.singleForm,
                              "'" + *text + "' computes in double what comes from float and goes back to it");
      break;
    case DoubleSpelling::Kind::Cast:
      edit = builder_.replace(spelling.tokens, "float",
                              "the cast widens what comes from float and goes back to it");
      break;
    }
    if (!edit)
      return std::nullopt;
    edit->expectedGain = "part of " + std::to_string(expression.operations) + " double operation" +
                         (expression.operations == 1 ? "" : "s") + " in one expression";
    edit->risk = riskOf(spelling);
    return edit;
  }

  static std::string riskOf(const DoubleSpelling &spelling) {
    const std::string rounding =
        "intermediate values are rounded to 24 bits and must stay within 1.2e-38 .. 3.4e38";
    switch (spelling.kind) {
    case DoubleSpelling::Kind::Literal:
    case DoubleSpelling::Kind::Constant:
      return (spelling.exact ? "" : "the constant itself is rounded, by up to 6e-8 of its value; ") +
             rounding;
    case DoubleSpelling::Kind::Call:
      return "'" + spelling.singleForm + "' is off by a few units in the last place of float; " + rounding;
    case DoubleSpelling::Kind::Cast:
      break;
    }
    return rounding;
  }

  void note(const Place &place, const std::string &reason) {
    DeclinedPlaces &places = declined_[reason];
    if (places.lines.empty())
      places.first = place;
    if (!llvm::is_contained(places.lines, place.line))
      places.lines.push_back(place.line);
  }

  Proposals finish() {
    constexpr size_t listed = 4;
    for (const auto &[reason, places] : declined_) {
      std::string where = places.lines.size() == 1 ? "line " : "lines ";
      for (size_t i = 0; i < std::min(listed, places.lines.size()); ++i)
        where += (i == 0 ? "" : ", ") + std::to_string(places.lines[i]);
      if (places.lines.size() > listed)
        where += " and " + std::to_string(places.lines.size() - listed) + " more";
      decline(places.first, where + ": " + reason);
    }
    return std::move(proposals_);
  }

  llvm::MapVector<std::string, DeclinedPlaces, std::map<std::string, unsigned>> declined_;
};

} // namespace

llvm::Expected<Proposals> proposeDemoteDouble(const RewriteContext &context) {
  return Proposer(context).propose();
}

} // namespace warpwright
