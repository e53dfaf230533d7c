// Loads through the read-only cache, by __ldg, what nothing writes while the kernel runs.
//
// Legal where the kernel does not write the buffer and no buffer that it writes overlaps it: the annotation
// keeps them apart, or one of the pointers is restricted. A restricted pointer itself is left alone: the
// compiler loads that way by itself what it knows to be only read.

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/KernelProposer.h"
#include "rewriters/aliasing/FixedBuffers.h"
#include "rewriters/edits/LinkedEdits.h"
#include "rewriters/edits/Operands.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/StringSwitch.h>

namespace warpwright {
namespace {

constexpr const char *id = "read-only-path";

/// Types of which the toolkit has an __ldg: CUDA C++ Programming Guide, "Read-Only Data Cache Load Function".
bool hasReadOnlyLoad(clang::QualType type) {
  type = type.getCanonicalType().getUnqualifiedType();
  if (const auto *builtin = type->getAs<clang::BuiltinType>())
    switch (builtin->getKind()) {
    case clang::BuiltinType::Char_S:
    case clang::BuiltinType::SChar:
    case clang::BuiltinType::UChar:
    case clang::BuiltinType::Short:
    case clang::BuiltinType::UShort:
    case clang::BuiltinType::Int:
    case clang::BuiltinType::UInt:
    case clang::BuiltinType::Long:
    case clang::BuiltinType::ULong:
    case clang::BuiltinType::LongLong:
    case clang::BuiltinType::ULongLong:
    case clang::BuiltinType::Float:
    case clang::BuiltinType::Double:
      return true;
    default:
      return false;
    }
  const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
  return record &&
         llvm::StringSwitch<bool>(record->getName())
             .Cases({"char2", "char4", "uchar2", "uchar4", "short2", "short4", "ushort2", "ushort4"}, true)
             .Cases({"int2", "int4", "uint2", "uint4", "longlong2", "ulonglong2"}, true)
             .Cases({"float2", "float4", "double2", "__half", "__half2"}, true)
             .Default(false);
}

class Proposer : KernelProposer {
public:
  explicit Proposer(const RewriteContext &context)
      : KernelProposer(context, id), reader_(kernel_), edits_(kernel_, ast_), fixed_(context) {}

  llvm::Expected<Proposals> propose() {
    llvm::MapVector<const clang::VarDecl *, std::vector<PlaceUse>> loads;
    for (PlaceUse &use : reader_.usesOf(*kernel_.getBody()).places)
      if (use.kind == PlaceUse::Kind::Read && !use.isVolatile && use.spelled == use.place &&
          fixed_.isOnlyRead(use.root) && hasReadOnlyLoad(use.place->getType()) &&
          !llvm::isa<clang::CallExpr>(use.place))
        loads[use.root.variable].push_back(std::move(use));
    Candidate candidate;
    for (const auto &[buffer, uses] : loads)
      consider(*buffer, uses, candidate);
    candidate.edits = edits_.edits();
    if (candidate.edits.empty())
      return std::move(proposals_);
    candidate.claims.push_back({"read-only-loads", {}});
    llvm::sort(candidate.assumptions);
    candidate.assumptions.erase(llvm::unique(candidate.assumptions), candidate.assumptions.end());
    offer(std::move(candidate));
    return std::move(proposals_);
  }

private:
  void consider(const clang::VarDecl &buffer, llvm::ArrayRef<PlaceUse> loads, Candidate &candidate) {
    MemoryRoot root{&buffer, {}};
    if (std::string why = fixed_.whyNot(root); !why.empty())
      return decline(why);
    std::string name = "'" + root.name() + "'";
    edits_.begin(name + " is not written while the kernel runs",
                 "loads through the read-only cache, which no store invalidates", "none");
    const auto *body = llvm::cast<clang::CompoundStmt>(kernel_.getBody());
    CodeLines code;
    code.comment("Nothing writes " + name +
                 " while the kernel runs: it is loaded through the read-only cache.");
    bool whole = edits_.insertBefore(*body->body_front(), code);
    for (const PlaceUse &load : loads)
      whole &= rewrite(load);
    if (!whole) {
      edits_.drop();
      return decline(name + ": a load of it comes out of a macro or a header");
    }
    candidate.subject += (candidate.subject.empty() ? "" : ", ") + root.name();
    llvm::append_range(candidate.assumptions, fixed_.assumptionsOf(root));
  }

  bool rewrite(const PlaceUse &load) {
    const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(load.place);
    if (!unary)
      return edits_.wrap(load.place->getSourceRange(), "__ldg(&", ")");
    clang::SourceLocation star = unary->getOperatorLoc();
    return edits_.replace({star, star}, "") &&
           edits_.wrap(unary->getSubExpr()->getSourceRange(), "__ldg(", ")");
  }

  PlaceReader reader_;
  LinkedEdits edits_;
  FixedBuffers fixed_;
};

} // namespace

llvm::Expected<Proposals> proposeReadOnlyPath(const RewriteContext &context) {
  return Proposer(context).propose();
}

} // namespace warpwright
