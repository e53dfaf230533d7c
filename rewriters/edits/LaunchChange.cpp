#include "rewriters/edits/LaunchChange.h"

#include "analysis/KernelAnalysis.h"
#include "analysis/annotation/AnnotationReader.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/InterfaceChange.h"
#include "rewriters/edits/LaunchStatement.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/StringExtras.h>

namespace warpwright {
namespace {

class MentionFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  explicit MentionFinder(const clang::VarDecl *variable) : variable_(variable) {}
  bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
    if (reference->getDecl() == variable_)
      found.push_back(reference->getLocation());
    return true;
  }
  std::vector<clang::SourceLocation> found;

private:
  const clang::VarDecl *variable_;
};

llvm::Expected<std::vector<ScalarExpression>> parseAll(llvm::ArrayRef<std::string> texts) {
  std::vector<ScalarExpression> expressions;
  for (const std::string &text : texts) {
    llvm::Expected<ScalarExpression> expression = ScalarExpression::parse(text);
    if (!expression)
      return expression.takeError();
    expressions.push_back(std::move(*expression));
  }
  return expressions;
}

std::string lineOf(const Place &place) {
  return std::to_string(place.line);
}

} // namespace

LaunchChange::LaunchChange(const RewriteContext &context)
    : context_(context), ast_(context.unit.ast()), edits_(ast_) {
  const Annotation &annotation = *context.analysis.annotation;
  if (!context.launchMayChange)
    whyNot_ = "it would change the launch, which allow(launch_change) does not admit";
  else if (!annotation.grid || !annotation.block || annotation.hasLost(ClauseKind::Grid) ||
           annotation.hasLost(ClauseKind::Block))
    whyNot_ = "the launch is not known: the annotation gives no grid and block";
  if (whyNot_.empty())
    whyNot_ = findText();
  if (whyNot_.empty())
    whyNot_ = findSites();
}

const clang::FunctionDecl &LaunchChange::pattern() const {
  const clang::FunctionDecl &kernel = *context_.analysis.kernel.declaration;
  const clang::FunctionDecl *pattern = kernel.getTemplateInstantiationPattern();
  return pattern ? *pattern : kernel;
}

/// Where the definition's text lies, and that a copy of it means the same.
std::string LaunchChange::findText() {
  const clang::FunctionDecl &function = pattern();
  const clang::SourceManager &sources = ast_.getSourceManager();
  if (context_.analysis.kernel.declaration->getTemplateSpecializationKind() ==
      clang::TSK_ExplicitSpecialization)
    return "it is an explicit specialisation, which cannot be copied under another name";
  if (function.getQualifierLoc())
    return "it is defined outside of its namespace, where a copy would have no declaration";
  std::string copy = function.getNameAsString() + CloneSuffix.str();
  if (!context_.relaunched && ast_.Idents.find(copy) != ast_.Idents.end())
    return "the name '" + copy + "' is taken";
  name_ = edits_.insertAfter({function.getLocation(), function.getLocation()}, CloneSuffix.str(),
                             "the name of the copy");
  if (!name_)
    return "its name comes out of a macro";
  clang::SourceLocation begin = function.getOuterLocStart();
  if (const clang::FunctionTemplateDecl *described = function.getDescribedFunctionTemplate())
    begin = described->getBeginLoc();
  if (const auto *linkage = llvm::dyn_cast<clang::LinkageSpecDecl>(function.getLexicalDeclContext()))
    if (!linkage->hasBraces())
      begin = linkage->getBeginLoc();
  clang::FileIDAndOffset first = sources.getDecomposedExpansionLoc(begin);
  clang::FileIDAndOffset last = sources.getDecomposedExpansionLoc(function.getEndLoc());
  if (first.first != sources.getMainFileID() || last.first != first.first || function.getEndLoc().isMacroID())
    return "its definition comes out of a macro or a header";
  auto reader = AnnotationReader(context_.unit.ast(), {}).read(*context_.analysis.kernel.declaration);
  if (!reader || !reader->source.exact())
    return "its annotation comes out of a macro";
  source_ = reader->source;
  unsigned annotated = sources.getFileOffset(source_->begin());
  begin_ = std::min(first.second, annotated);
  end_ = last.second + 1;
  llvm::StringRef text = sources.getBufferData(sources.getMainFileID());
  // On the lines after it where nothing else stands on its last one.
  size_t newline = text.find('\n', end_);
  bool isLast = newline != llvm::StringRef::npos && text.slice(end_, newline).trim().empty();
  at_ = isLast ? newline + 1 : end_;
  return {};
}

/// The launches of this file that are the annotated one.
std::string LaunchChange::findSites() {
  const KernelLaunches &launches = context_.analysis.launchSites;
  std::string first;
  for (const LaunchSite &site : launches.sites) {
    std::string why = matchSite(site);
    if (!why.empty() && first.empty())
      first = "the launch at line " + lineOf(site.place) + " " + why;
  }
  if (launches.sites.empty())
    return "no launch in this file could be redirected: there is none";
  if (sites_.empty())
    return "no launch in this file can be redirected: " + first;
  // A copy has no other launches than those that were redirected, and changing its launch changes them all.
  if (context_.relaunched && !first.empty())
    return first;
  return {};
}

/// Whether a launch is the annotated one, in all its extents: empty where it is, and then it is kept.
std::string LaunchChange::matchSite(const LaunchSite &site) {
  const auto *callee = llvm::dyn_cast<clang::DeclRefExpr>(site.call->getCallee()->IgnoreParenImpCasts());
  clang::SourceRange name = callee ? clang::SourceRange(callee->getLocation()) : clang::SourceRange();
  if (!callee || !edits_.textOf(name) || !edits_.insertAfter(name, " ", "name"))
    return "is no direct one, or comes out of a macro";
  const clang::FunctionDecl *function = enclosingFunction(*site.call, context_.unit.ast());
  if (!function || !function->getBody() || !site.grid || !site.block)
    return "does not stand in a function";
  SymbolTable table;
  IntegerReader reader(ast_, *function->getBody(), table, IntegerReader::Moment::OneExpression);
  std::map<std::string, Expression> values;
  Site matched{&site, function, {}};
  const clang::FunctionDecl &kernel = *context_.analysis.kernel.declaration;
  for (unsigned i = 0; i < kernel.getNumParams() && i < site.call->getNumArgs(); ++i) {
    const clang::Expr &argument = *site.call->getArg(i);
    std::string parameter = kernel.getParamDecl(i)->getNameAsString();
    std::string text = edits_.textOf(argument.getSourceRange()).value_or("");
    if (argument.HasSideEffects(ast_) || text.empty())
      continue;
    matched.arguments[parameter] = text;
    if (std::optional<Expression> value = reader.read(argument))
      values[parameter] = *value;
    const clang::VarDecl *variable = copiedVariable(argument);
    if (!variable || !variable->getType()->isRecordType())
      continue;
    for (const AnnotationParameter &member : context_.analysis.context.parameters)
      if (llvm::StringRef(member.name).starts_with(parameter + ".")) {
        std::string path = member.name.substr(parameter.size());
        matched.arguments[member.name] = text + path;
        values[member.name] =
            reader.named(variable->getNameAsString() + "@" + std::to_string(variable->getID()) + path);
      }
  }
  for (const auto &[constant, value] : context_.analysis.context.constantValues()) {
    values[constant] = Expression(value);
    matched.arguments[constant] = std::to_string(value);
  }
  const Annotation &annotation = *context_.analysis.annotation;
  auto agrees = [&](const clang::Expr &written, const std::vector<ScalarExpression> &annotated) {
    std::optional<std::array<Expression, 3>> extents = reader.readExtents(written);
    if (!extents)
      return false;
    for (unsigned axis = 0; axis < 3; ++axis) {
      std::optional<Expression> expected = Expression(1);
      if (axis < annotated.size())
        expected = reader.read(annotated[axis], values);
      if (!expected || !((*extents)[axis] == *expected))
        return false;
    }
    return true;
  };
  if (!agrees(*site.grid, annotation.grid->extents))
    return "was not proved to have the annotation's grid";
  if (!agrees(*site.block, annotation.block->extents))
    return "was not proved to have the annotation's block";
  std::optional<Expression> shared =
      annotation.dynamicShared ? reader.read(annotation.dynamicShared->value, values) : Expression();
  std::optional<Expression> given = site.sharedBytes ? reader.read(*site.sharedBytes) : Expression();
  if (!shared || !given || !(*shared == *given))
    return "was not proved to have the annotation's dynamic shared memory";
  sites_.push_back(std::move(matched));
  return {};
}

/// Replaces a clause, or adds it behind the last one.
std::optional<Edit> LaunchChange::editClause(const std::optional<TextRange> &range, const char *name,
                                             const std::string &text, const std::string &reason) const {
  const clang::SourceManager &sources = ast_.getSourceManager();
  Edit edit = *name_;
  edit.reason = reason;
  edit.text = std::string(name) + "(" + text + ")";
  if (range) {
    clang::CharSourceRange place = source_->rangeOf(*range);
    edit.offset = sources.getFileOffset(place.getBegin());
    edit.length = sources.getFileOffset(place.getEnd()) - edit.offset;
    return edit;
  }
  clang::CharSourceRange block = source_->rangeOf(context_.analysis.annotation->block->range);
  edit.offset = sources.getFileOffset(block.getEnd());
  edit.length = 0;
  edit.text = ", " + edit.text;
  return edit;
}

llvm::Error LaunchChange::editAnnotation(const NewLaunch &launch, std::vector<Edit> &edits) const {
  const Annotation &annotation = *context_.analysis.annotation;
  std::string reason = "the launch of the copy";
  if (!launch.grid.empty())
    edits.push_back(*editClause(annotation.grid->range, "grid", llvm::join(launch.grid, ", "), reason));
  if (!launch.block.empty())
    edits.push_back(*editClause(annotation.block->range, "block", llvm::join(launch.block, ", "), reason));
  if (launch.dynamicShared) {
    std::optional<TextRange> range;
    if (annotation.dynamicShared)
      range = annotation.dynamicShared->range;
    edits.push_back(*editClause(range, "dynamic_shared", *launch.dynamicShared, reason));
  }
  return llvm::Error::success();
}

/// Where an extent is a variable that nothing but this launch uses, its initialiser: a variable that is left
/// over would be a warning that the user's build did not have. Null otherwise.
const clang::Expr *LaunchChange::initialiserToEdit(const Site &site, const clang::Expr &extent) const {
  auto initialiserOf = [&](const clang::Expr &expression) -> const clang::VarDecl * {
    const clang::Expr *inner = expression.IgnoreImplicit();
    while (inner != inner->IgnoreParenCasts()->IgnoreImplicit())
      inner = inner->IgnoreParenCasts()->IgnoreImplicit();
    if (const auto *construct = llvm::dyn_cast<clang::CXXConstructExpr>(inner))
      if (construct->getNumArgs() != 0)
        inner = construct->getArg(0)->IgnoreParenImpCasts();
    const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(inner);
    const auto *variable = reference ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
    bool isPlain = variable && variable->isLocalVarDecl() && variable->getType()->isIntegerType() &&
                   variable->getInitStyle() == clang::VarDecl::CInit && variable->getInit();
    return isPlain ? variable : nullptr;
  };
  const clang::VarDecl *variable = initialiserOf(extent);
  if (!variable)
    return nullptr;
  std::vector<clang::SourceRange> own = {site.site->grid->getSourceRange(),
                                         site.site->block->getSourceRange()};
  for (const clang::Expr *one : {site.site->grid, site.site->block})
    if (const clang::VarDecl *other = initialiserOf(*one))
      own.push_back(other->getInit()->getSourceRange());
  MentionFinder mentions(variable);
  mentions.TraverseStmt(site.function->getBody());
  const clang::SourceManager &sources = ast_.getSourceManager();
  bool isOwn = llvm::all_of(mentions.found, [&](clang::SourceLocation mention) {
    return llvm::any_of(own, [&](clang::SourceRange range) {
      return sources.isPointWithin(mention, range.getBegin(), range.getEnd());
    });
  });
  return isOwn ? variable->getInit()->IgnoreImpCasts() : nullptr;
}

llvm::Error LaunchChange::redirect(const Site &site, const NewLaunch &launch,
                                   std::vector<Edit> &edits) const {
  const auto *callee = llvm::cast<clang::DeclRefExpr>(site.site->call->getCallee()->IgnoreParenImpCasts());
  std::string reason = "the copy is launched in the place of the original";
  if (!context_.relaunched)
    edits.push_back(
        *edits_.insertAfter(clang::SourceRange(callee->getLocation()), CloneSuffix.str(), reason));
  auto extents = [&](llvm::ArrayRef<std::string> texts) -> llvm::Expected<std::string> {
    llvm::Expected<std::vector<ScalarExpression>> expressions = parseAll(texts);
    if (!expressions)
      return expressions.takeError();
    std::vector<std::string> code;
    for (const ScalarExpression &expression : *expressions)
      code.push_back(toHostCode(expression, site.arguments));
    return code.size() == 1 ? code.front() : "dim3(" + llvm::join(code, ", ") + ")";
  };
  auto replace = [&](const clang::Expr &old, llvm::ArrayRef<std::string> texts) -> llvm::Error {
    if (texts.empty())
      return llvm::Error::success();
    llvm::Expected<std::string> text = extents(texts);
    if (!text)
      return text.takeError();
    const clang::Expr *initialiser = texts.size() == 1 ? initialiserToEdit(site, old) : nullptr;
    const clang::Expr &replaced = initialiser ? *initialiser : old;
    std::optional<Edit> edit = edits_.replace(replaced.getSourceRange(), *text, reason);
    if (!edit)
      return llvm::createStringError("a launch's extents come out of a macro");
    edits.push_back(std::move(*edit));
    return llvm::Error::success();
  };
  if (llvm::Error error = replace(*site.site->grid, launch.grid))
    return error;
  if (llvm::Error error = replace(*site.site->block, launch.block))
    return error;
  if (!launch.dynamicShared)
    return llvm::Error::success();
  llvm::Expected<std::string> bytes = extents({*launch.dynamicShared});
  if (!bytes)
    return bytes.takeError();
  if (llvm::Error error = request(site, *launch.dynamicShared, edits))
    return error;
  if (!llvm::isa<clang::CXXDefaultArgExpr>(site.site->sharedBytes))
    return replace(*site.site->sharedBytes, {*launch.dynamicShared});
  std::optional<Edit> edit = edits_.insertAfter(site.site->block->getSourceRange(), ", " + *bytes, reason);
  if (!edit)
    return llvm::createStringError("a launch's extents come out of a macro");
  edits.push_back(std::move(*edit));
  return llvm::Error::success();
}

/// Asks for the launch's shared memory right before it.
llvm::Error LaunchChange::request(const Site &site, const std::string &bytes,
                                  std::vector<Edit> &edits) const {
  const clang::SourceRange callee = site.site->call->getCallee()->getSourceRange();
  llvm::Expected<ScalarExpression> number = ScalarExpression::parse(bytes);
  if (!number)
    return number.takeError();
  std::string name = edits_.textOf(callee).value_or("");
  if (!context_.relaunched) {
    size_t arguments = std::min(name.find('<'), name.size());
    name.insert(llvm::StringRef(name).take_front(arguments).rtrim().size(), CloneSuffix.str());
  }
  const std::string before = requestForShared(name, *number),
                    reason = "a block gets no more than 48 KiB of shared memory unasked";
  if (before.empty())
    return llvm::Error::success();
  std::optional<Edit> front = edits_.insertBefore(callee, before, reason);
  std::optional<Edit> back = edits_.insertAfter(site.site->call->getSourceRange(), ")", reason);
  if (!front || !back)
    return llvm::createStringError("a launch comes out of a macro");
  edits.push_back(std::move(*front));
  edits.push_back(std::move(*back));
  return llvm::Error::success();
}

llvm::Error LaunchChange::apply(const NewLaunch &launch, Candidate &candidate) const {
  const std::string &original = context_.analysis.kernel.name;
  KernelClone clone;
  clone.name = context_.relaunched ? original : cloneNameOf(original);
  clone.begin = begin_;
  clone.end = end_;
  clone.at = at_;
  if (!context_.relaunched)
    clone.identity.push_back(*name_);
  if (llvm::Error error = editAnnotation(launch, clone.identity))
    return error;
  for (const Site &site : sites_)
    if (llvm::Error error = redirect(site, launch, clone.redirects))
      return error;
  clone.original = pattern().getNameAsString();

  LaunchPlan plan = LaunchPlan::same(original);
  auto &planned = std::get<PlannedLaunch>(plan.steps.front());
  planned.kernel = clone.name;
  const Annotation &annotation = *context_.analysis.annotation;
  planned.grid = annotation.grid;
  planned.block = annotation.block;
  planned.dynamicShared = annotation.dynamicShared;
  auto set = [](llvm::ArrayRef<std::string> texts, std::optional<ExtentsClause> &extents) -> llvm::Error {
    if (texts.empty())
      return llvm::Error::success();
    llvm::Expected<std::vector<ScalarExpression>> expressions = parseAll(texts);
    if (!expressions)
      return expressions.takeError();
    extents = ExtentsClause{std::move(*expressions), {}};
    return llvm::Error::success();
  };
  if (llvm::Error error = set(launch.grid, planned.grid))
    return error;
  if (llvm::Error error = set(launch.block, planned.block))
    return error;
  if (launch.dynamicShared) {
    llvm::Expected<ScalarExpression> bytes = ScalarExpression::parse(*launch.dynamicShared);
    if (!bytes)
      return bytes.takeError();
    planned.dynamicShared = ValueClause{std::move(*bytes), {}};
  }
  candidate.clone = std::move(clone);
  candidate.plan = std::move(plan);
  return llvm::Error::success();
}

} // namespace warpwright
