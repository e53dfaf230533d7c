// Calls the fast hardware forms of exponentials, logarithms, sines and powers in float, where the annotation
// allows fast math.
//
// Legal where allow(fast_math) is given: results change in their last digits, and by more for large
// arguments. Each call is an edit of its own. Where the command compiles with -use_fast_math there is nothing
// left to do.

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/KernelProposer.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

constexpr const char *id = "use-fast-intrinsic";

/// Errors as the CUDA C++ Programming Guide gives them, in units in the last place (ulp) unless it says
/// otherwise.
struct FastForm {
  llvm::StringLiteral name;     ///< of the function in single precision
  llvm::StringLiteral overload; ///< that C++ gives it for a float; empty where there is none
  llvm::StringLiteral intrinsic;
  unsigned parameters;
  llvm::StringLiteral error;
};
constexpr FastForm forms[] = {
    {"cosf", "cos", "__cosf", 1, "2^-21.19 for arguments in [-pi, pi], more beyond"},
    {"exp10f", "", "__exp10f", 1, "2 + floor(|2.97 x|) ulp"},
    {"expf", "exp", "__expf", 1, "2 + floor(|1.173 x|) ulp"},
    {"log10f", "log10", "__log10f", 1, "2^-24 for arguments in [0.5, 2], 2 ulp elsewhere"},
    {"log2f", "log2", "__log2f", 1, "2^-22 for arguments in [0.5, 2], 2 ulp elsewhere"},
    {"logf", "log", "__logf", 1, "2^-21.41 for arguments in [0.5, 2], 3 ulp elsewhere"},
    {"powf", "pow", "__powf", 2, "that of exp2(y * __log2f(x))"},
    {"sinf", "sin", "__sinf", 1, "2^-21.41 for arguments in [-pi, pi], more beyond"},
    {"tanf", "tan", "__tanf", 1, "that of __sinf(x) / __cosf(x)"},
};

/// The fast form of the function, which is the toolkit's and takes floats.
const FastForm *fastFormOf(const clang::FunctionDecl &function) {
  if (!function.getDeclName().isIdentifier() ||
      !(function.getBuiltinID() != 0 ||
        function.getASTContext().getSourceManager().isInSystemHeader(function.getLocation())))
    return nullptr;
  const FastForm *form = llvm::find_if(forms, [&](const FastForm &known) {
    return function.getName() == known.name ||
           (!known.overload.empty() && function.getName() == known.overload);
  });
  if (form == std::end(forms) || function.getNumParams() != form->parameters)
    return nullptr;
  bool floats = llvm::all_of(function.parameters(), [](const clang::ParmVarDecl *parameter) {
    return parameter->getType()->isSpecificBuiltinType(clang::BuiltinType::Float);
  });
  return floats ? form : nullptr;
}

class CallFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  std::vector<std::pair<const clang::CallExpr *, const FastForm *>> calls;
  bool VisitCallExpr(const clang::CallExpr *call) override {
    if (const clang::FunctionDecl *callee = call->getDirectCallee())
      if (const FastForm *form = fastFormOf(*callee))
        calls.emplace_back(call, form);
    return true;
  }
};

class Proposer : KernelProposer {
public:
  explicit Proposer(const RewriteContext &context) : KernelProposer(context, id) {}

  llvm::Expected<Proposals> propose() {
    CallFinder finder;
    finder.TraverseStmt(kernel_.getBody());
    if (finder.calls.empty() || ast_.getLangOpts().GPUDeviceApproxTranscendentals)
      return std::move(proposals_);
    Place first = placeAt(finder.calls.front().first->getBeginLoc());
    if (!analysis_.annotation->allows(Permission::FastMath)) {
      decline(first, "functions that have a fast form are called " + std::to_string(finder.calls.size()) +
                         " times; using it needs allow(fast_math)");
      return std::move(proposals_);
    }
    Candidate candidate;
    candidate.subject = "functions of floats";
    for (const auto &[call, form] : finder.calls)
      add(*call, *form, candidate);
    if (!candidate.edits.empty()) {
      candidate.claims.push_back({"approximate-functions", {}});
      offer(std::move(candidate));
    }
    return std::move(proposals_);
  }

private:
  void add(const clang::CallExpr &call, const FastForm &form, Candidate &candidate) {
    std::string name = call.getDirectCallee()->getNameAsString();
    std::optional<Edit> edit = builder_.replace(call.getCallee()->getSourceRange(), form.intrinsic.str(),
                                                "'" + name + "' has a fast form, and fast math is allowed");
    if (!edit)
      return decline(call, "the call of '" + name + "' comes out of a macro or a header");
    edit->expectedGain = "one or two instructions of the special function unit instead of a polynomial";
    edit->risk = "errors up to " + form.error.str();
    candidate.edits.push_back(std::move(*edit));
    std::string assumption =
        "'" + form.intrinsic.str() + "' is accurate enough on the arguments that occur: " + form.error.str();
    if (!llvm::is_contained(candidate.assumptions, assumption))
      candidate.assumptions.push_back(std::move(assumption));
  }
};

} // namespace

llvm::Expected<Proposals> proposeUseFastIntrinsic(const RewriteContext &context) {
  return Proposer(context).propose();
}

} // namespace warpwright
