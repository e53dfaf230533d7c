#include "rewriters/edits/Dispatch.h"

#include "analysis/KernelAnalysis.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/InterfaceChange.h"
#include "rewriters/edits/ApplyEdits.h"
#include "rewriters/edits/EditBuilder.h"
#include "rewriters/edits/LaunchChange.h"
#include "rewriters/edits/LaunchStatement.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace warpwright {
namespace {

/// Whether every value of the one integer type is the same in the other.
bool keepsValues(const clang::ASTContext &ast, clang::QualType from, clang::QualType to) {
  bool fromSigned = from->isSignedIntegerOrEnumerationType(),
       toSigned = to->isSignedIntegerOrEnumerationType();
  uint64_t fromBits = ast.getIntWidth(from), toBits = ast.getIntWidth(to);
  return fromSigned == toSigned ? fromBits <= toBits : toSigned && fromBits < toBits;
}

/// Host code of an integer argument with the value that the parameter gets; nothing where it is none.
std::optional<std::string> passedInteger(const clang::ASTContext &ast, const clang::Expr &argument,
                                         clang::QualType parameter, const std::string &text) {
  clang::QualType type = argument.IgnoreImpCasts()->getType().getCanonicalType().getUnqualifiedType();
  clang::QualType wanted = parameter.getCanonicalType().getUnqualifiedType();
  if (!type->isIntegralOrEnumerationType() || !wanted->isIntegerType())
    return std::nullopt;
  if (keepsValues(ast, type, wanted))
    return text;
  return "static_cast<" + wanted.getAsString(ast.getPrintingPolicy()) + ">(" + text + ")";
}

/// Takes launches apart.
class LaunchReader {
public:
  explicit LaunchReader(const RewriteContext &context)
      : context_(context), ast_(context.unit.ast()), edits_(ast_) {}

  /// The launch whose kernel's name ends there; nothing where it is another's.
  std::optional<DispatchedLaunch> read(const LaunchSite &site, unsigned behindName) const {
    const auto *callee = llvm::dyn_cast<clang::DeclRefExpr>(site.call->getCallee()->IgnoreParenImpCasts());
    std::optional<Edit> name;
    if (callee)
      name = edits_.insertAfter(clang::SourceRange(callee->getLocation()), CloneSuffix.str(), "name");
    const clang::FunctionDecl *function = enclosingFunction(*site.call, context_.unit.ast());
    if (!name || name->offset != behindName || !function || !site.grid || !site.block || !site.sharedBytes)
      return std::nullopt;
    DispatchedLaunch launch;
    launch.place = site.place;
    readArguments(site, launch);
    LaunchStatement statement = findLaunchStatement(*site.call, *function, ast_);
    launch.whyWhole = statement.whyWhole;
    launch.needsBraces = statement.needsBraces;
    if (launch.whyWhole.empty())
      readText(site, statement, behindName, launch);
    return launch;
  }

private:
  void readText(const LaunchSite &site, const LaunchStatement &statement, unsigned behindName,
                DispatchedLaunch &launch) const {
    const clang::SourceManager &sources = ast_.getSourceManager();
    llvm::StringRef text = sources.getBufferData(sources.getMainFileID());
    launch.begin = statement.begin;
    launch.statement = text.slice(statement.begin, statement.end).str();
    llvm::StringRef before = text.take_front(statement.begin);
    launch.indent =
        before.substr(before.rfind('\n') + 1).take_while([](char c) { return c == ' ' || c == '\t'; }).str();
    launch.callee.offset = behindName - launch.begin;
    auto set = [&](const std::optional<Edit> &place, LaunchPart &part) {
      if (!place || place->offset < statement.begin || place->offset + place->length > statement.end) {
        launch.whyWhole = "its extents come out of a macro";
        return;
      }
      part = {place->offset - launch.begin, place->length};
    };
    clang::SourceRange block = site.block->getSourceRange();
    bool hasShared = !llvm::isa<clang::CXXDefaultArgExpr>(site.sharedBytes);
    set(edits_.replace(site.grid->getSourceRange(), "grid", "grid"), launch.grid);
    set(edits_.replace(block, "block", "block"), launch.block);
    set(hasShared ? edits_.replace(site.sharedBytes->getSourceRange(), "bytes", "bytes")
                  : edits_.insertAfter(block, "bytes", "bytes"),
        launch.shared);
  }

  void readArguments(const LaunchSite &site, DispatchedLaunch &launch) const {
    const clang::FunctionDecl &kernel = *context_.analysis.kernel.declaration;
    for (unsigned i = 0; i < kernel.getNumParams() && i < site.call->getNumArgs(); ++i) {
      const clang::Expr &argument = *site.call->getArg(i);
      std::string text = edits_.textOf(argument.getSourceRange()).value_or("");
      if (argument.HasSideEffects(ast_) || text.empty())
        continue;
      const clang::ParmVarDecl &parameter = *kernel.getParamDecl(i);
      std::string name = parameter.getNameAsString();
      launch.arguments[name] = text;
      if (auto integer = passedInteger(ast_, argument, parameter.getType(), text))
        launch.integers[name] = std::move(*integer);
      const clang::VarDecl *variable = copiedVariable(argument);
      if (!variable || !variable->getType()->isRecordType())
        continue;
      for (const AnnotationParameter &member : context_.analysis.context.parameters)
        if (llvm::StringRef(member.name).starts_with(name + "."))
          launch.arguments[member.name] = launch.integers[member.name] =
              text + member.name.substr(name.size());
    }
    for (const auto &[constant, value] : context_.analysis.context.constantValues())
      launch.arguments[constant] = launch.integers[constant] = std::to_string(value);
  }

  const RewriteContext &context_;
  const clang::ASTContext &ast_;
  EditBuilder edits_;
};

/// The first reason for which no launch can be a choice by that guard; empty where one can.
std::string whyNowhere(llvm::ArrayRef<DispatchedLaunch> launches, const ScalarExpression &guard) {
  std::string first;
  for (const DispatchedLaunch &launch : launches) {
    std::string why = whyNotChosenThere(launch, guard);
    if (why.empty())
      return {};
    if (first.empty())
      first = "the launch at line " + std::to_string(launch.place.line) + " keeps the original: " + why;
  }
  return first.empty() ? "there is no launch to choose at" : first;
}

/// The candidates of the set, which change the kernel in place, in one copy.
llvm::Expected<Candidate> inCopy(llvm::ArrayRef<Candidate> set, const Candidate &copy) {
  Candidate all;
  static_cast<RewriteStep &>(all) = set.back();
  all.kernelKey = set.back().kernelKey;
  all.clone = copy.clone;
  all.plan = copy.plan;
  for (const Candidate &candidate : set) {
    if (candidate.clone || candidate.plan)
      return llvm::createStringError("two candidates change the launch");
    llvm::append_range(all.earlier, candidate.earlier);
    if (&candidate != &set.back())
      all.earlier.push_back(candidate);
    llvm::append_range(all.claims, candidate.claims);
    for (const std::string &assumption : candidate.assumptions)
      if (!llvm::is_contained(all.assumptions, assumption))
        all.assumptions.push_back(assumption);
    for (const Edit &edit : candidate.edits) {
      if (edit.offset < copy.clone->begin || edit.offset + edit.length > copy.clone->end)
        return llvm::createStringError("'" + candidate.name() + "' edits more than the kernel, at line " +
                                       std::to_string(edit.place.line) +
                                       ", which would change the original, too");
      all.edits.push_back(edit);
    }
  }
  llvm::sort(all.edits, [](const Edit &a, const Edit &b) { return a.offset < b.offset; });
  return all;
}

/// What a plan launches, where that is one kernel in the place of the original.
const PlannedLaunch *onlyLaunch(const LaunchPlan &plan) {
  if (plan.guard || !plan.scratch.empty() || plan.steps.size() != 1)
    return nullptr;
  const auto *launch = std::get_if<PlannedLaunch>(&plan.steps.front());
  bool isPlain = launch && !launch->cluster && !launch->cooperative && launch->arguments.empty();
  return isPlain ? launch : nullptr;
}

/// Writes the launches that the variants' guards and plans come to; those that cannot be split stay.
llvm::Expected<std::vector<Edit>> chosenLaunches(llvm::ArrayRef<LaunchedVariant> variants,
                                                 const Dispatch &dispatch, Edit edit) {
  const PlannedLaunch *original = onlyLaunch(*dispatch.copy->plan);
  if (!original)
    return llvm::createStringError("its plan is more than one plain launch");
  std::vector<Edit> edits;
  for (const DispatchedLaunch &launch : dispatch.launches) {
    if (llvm::any_of(variants, [&](const LaunchedVariant &variant) {
          return !whyNotChosenThere(launch, variant.guard).empty();
        }))
      continue;
    llvm::Expected<std::string> text = chosenLaunch(launch, variants, *original);
    if (!text)
      return text.takeError();
    edit.offset = launch.begin;
    edit.length = launch.statement.size();
    edit.text = std::move(*text);
    edit.place = launch.place;
    std::vector<std::string> guards;
    for (const LaunchedVariant &variant : variants)
      guards.push_back(variant.guard.str());
    edit.reason = (guards.size() == 1 ? "the copy is launched where " : "copies are launched where ") +
                  llvm::join(guards, ", else where ") + ", the original elsewhere";
    edits.push_back(edit);
  }
  return edits;
}

/// Gives the candidate's copy the name of that number.
llvm::Error numberCopy(Candidate &candidate, unsigned copy) {
  if (copy == 0)
    return llvm::Error::success();
  std::string name = cloneNameOf(candidate.plan->kernel, copy);
  std::vector<Edit *> names;
  for (Edit &edit : candidate.clone->identity)
    if (edit.length == 0 && edit.text == CloneSuffix)
      names.push_back(&edit);
  if (names.size() != 1)
    return llvm::createStringError("its copy cannot take the name '" + name + "'");
  names.front()->text = cloneSuffixOf(copy);
  candidate.clone->name = name;
  std::get<PlannedLaunch>(candidate.plan->steps.front()).kernel = name;
  return llvm::Error::success();
}

/// What of its name stands behind the original's.
std::string suffixOf(const Candidate &candidate) {
  for (const Edit &edit : candidate.clone->identity)
    if (edit.length == 0 && llvm::StringRef(edit.text).starts_with(CloneSuffix))
      return edit.text;
  return CloneSuffix.str();
}

} // namespace

Dispatch dispatchOf(const RewriteContext &context) {
  Dispatch dispatch;
  RewriteContext admitted = context;
  admitted.launchMayChange = true; // the copy of what does not change it is launched alike
  LaunchChange change(admitted);
  dispatch.whyNot = change.whyNot();
  if (!dispatch.whyNot.empty())
    return dispatch;
  Candidate copy;
  copy.rewriter = "dispatch-by-shape";
  copy.subject = "launches";
  copy.kernelKey = context.analysis.kernel.key;
  if (llvm::Error error = change.apply({}, copy)) {
    dispatch.whyNot = llvm::toString(std::move(error));
    return dispatch;
  }
  LaunchReader reader(context);
  for (const Edit &redirect : copy.clone->redirects)
    for (const LaunchSite &site : context.analysis.launchSites.sites)
      if (std::optional<DispatchedLaunch> launch = reader.read(site, redirect.offset)) {
        dispatch.launches.push_back(std::move(*launch));
        break; // instantiations of a function share its text
      }
  dispatch.whyNot = whyNowhere(dispatch.launches, ScalarExpression::constant(1));
  dispatch.copy = std::move(copy);
  return dispatch;
}

std::string whyNotChosenThere(const DispatchedLaunch &launch, const ScalarExpression &guard) {
  if (!launch.whyWhole.empty())
    return launch.whyWhole;
  for (const NameUse &use : guard.names())
    if (!launch.integers.contains(use.name))
      return "its argument for '" + use.name + "' may have side effects, or is no integer";
  return {};
}

llvm::Expected<Candidate> guarded(llvm::ArrayRef<Candidate> set, const Dispatch &dispatch,
                                  const ScalarExpression &guard, unsigned copy) {
  if (set.empty())
    return llvm::createStringError("there is nothing to choose");
  if (!dispatch.whyNot.empty())
    return llvm::createStringError(dispatch.whyNot);
  bool isCopy = set.size() == 1 && set.front().clone && set.front().plan;
  llvm::Expected<Candidate> candidate =
      isCopy ? llvm::Expected<Candidate>(set.front()) : inCopy(set, *dispatch.copy);
  if (!candidate)
    return candidate.takeError();
  if (!onlyLaunch(*candidate->plan))
    return llvm::createStringError("its plan is more than one plain launch");
  if (std::string why = whyNowhere(dispatch.launches, guard); !why.empty())
    return llvm::createStringError(why);
  candidate->plan->guard = guard;
  if (llvm::Error error = numberCopy(*candidate, copy))
    return std::move(error);
  if (llvm::Error error = chain(*candidate, dispatch))
    return std::move(error);
  return candidate;
}

llvm::Error chain(llvm::MutableArrayRef<Candidate> variants, const Dispatch &dispatch) {
  std::vector<LaunchedVariant> launched;
  Edit edit = variants.front().clone->redirects.front();
  for (Candidate &variant : variants) {
    launched.push_back(
        {suffixOf(variant), std::get<PlannedLaunch>(variant.plan->steps.front()), *variant.plan->guard});
    variant.clone->redirects.clear();
  }
  llvm::Expected<std::vector<Edit>> redirects = chosenLaunches(launched, dispatch, std::move(edit));
  if (!redirects)
    return redirects.takeError();
  if (redirects->empty())
    return llvm::createStringError("no launch says what all guards depend on");
  variants.front().clone->redirects = std::move(*redirects);
  return llvm::Error::success();
}

} // namespace warpwright
