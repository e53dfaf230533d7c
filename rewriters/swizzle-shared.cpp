// Permutes the elements within each row of a shared array by an exclusive or with the row's number, so that
// the elements of a column lie in different banks. Unlike padding it takes no memory, and rows stay where
// they were.
//
// Legal where every use of the array subscripts it down to an element within its own extents, and a row has a
// power of two of elements: then each row is permuted in itself, by every access in the same way.

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/frontend/TranslationUnit.h"
#include "analysis/simt/HardwareRules.h"
#include "rewriters/Rewriter.h"
#include "rewriters/edits/EditBuilder.h"
#include "rewriters/edits/Operands.h"
#include "rewriters/layout/SharedArrays.h"
#include "rewriters/mapping/Effects.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Mangle.h>
#include <llvm/ADT/SmallPtrSet.h>

namespace warpwright {
namespace {

constexpr const char *id = "swizzle-shared";
constexpr unsigned mostShifts = 2;

/// The last two dimensions of an array: rows of elements.
struct Rows {
  int64_t count = 0;
  int64_t length = 0;
  int64_t elementBytes = 0;
};

Rows rowsOf(const clang::VarDecl &array, const clang::ASTContext &ast) {
  Rows rows;
  clang::QualType type = array.getType();
  while (const clang::ConstantArrayType *dimension = ast.getAsConstantArrayType(type)) {
    rows.count = rows.length;
    rows.length = dimension->getSize().getZExtValue();
    type = dimension->getElementType();
  }
  rows.elementBytes = ast.getTypeSizeInChars(type).getQuantity();
  return rows;
}

/// Passes through the banks that a warp takes for a column, with the row's number shifted right before it is
/// mixed in.
unsigned passesOfColumn(const Rows &rows, unsigned shift) {
  simt::LaneAddresses addresses{};
  for (int64_t lane = 0; lane < 32; ++lane) {
    int64_t row = lane % rows.count;
    addresses[lane] = (row * rows.length + ((row >> shift) & (rows.length - 1))) * rows.elementBytes;
  }
  return simt::costOfShared(addresses, ~simt::LaneMask(0), rows.elementBytes, /*isLoad=*/true).wavefronts;
}

bool hasEffect(const clang::Expr &expression) {
  Effects effects = effectsOf(expression);
  return effects.seenByOthers() || !effects.variables.empty();
}

class Proposer {
public:
  explicit Proposer(const RewriteContext &context)
      : context_(context), ast_(context.unit.ast()), edits_(ast_) {}

  Proposals propose() {
    for (const clang::VarDecl *array : findSharedArrays(*context_.analysis.kernel.declaration))
      consider(*array);
    return std::move(proposals_);
  }

private:
  void consider(const clang::VarDecl &array) {
    std::string symbol = clang::ASTNameGenerator(context_.unit.ast()).getName(&array);
    std::optional<ConflictDegree> before = context_.analysis.conflictsOf(symbol);
    if (!before)
      return decline(array, "no launch is known, so the conflicts cannot be counted");
    if (before->conflicts == 0)
      return; // nothing to gain, nothing to say
    SharedArrayUse use =
        findSharedArrayUse(*context_.analysis.kernel.declaration, array, context_.analysis.knownBlock());
    Rows rows = rowsOf(array, ast_);
    if (std::string why = whyNot(use, rows); !why.empty())
      return decline(array, why);
    // What leaves a column the fewest passes comes first; what all accesses take together is counted on the
    // result.
    std::vector<unsigned> shifts;
    for (unsigned shift = 0; (rows.count - 1) >> shift > 0; ++shift)
      shifts.push_back(shift);
    llvm::sort(shifts, [&](unsigned left, unsigned right) {
      return std::pair(passesOfColumn(rows, left), left) < std::pair(passesOfColumn(rows, right), right);
    });
    for (unsigned shift : llvm::ArrayRef(shifts).take_front(mostShifts))
      if (!add(use, rows, shift, symbol, *before))
        return decline(array, "a subscript comes out of a macro or a header");
  }

  std::string whyNot(const SharedArrayUse &use, const Rows &rows) const {
    if (use.escape)
      return "its address escapes at line " + lineOf(use.escape->getBeginLoc());
    if (use.unbounded)
      return "the subscript '" + edits_.textOf(use.unbounded->getSourceRange()).value_or("?") + "' at line " +
             lineOf(use.unbounded->getBeginLoc()) + " was not proved to stay within its extent";
    if (!llvm::isPowerOf2_64(rows.length) || rows.length < 2)
      return "a row has " + std::to_string(rows.length) + " elements, no power of two";
    if (!llvm::isPowerOf2_64(rows.elementBytes) || rows.elementBytes > 16)
      return "its elements are no words of the banks";
    for (const std::vector<const clang::ArraySubscriptExpr *> &access : use.accesses)
      if (access.size() < 2 || hasEffect(*access[1]->getIdx()))
        return "the row's number at line " + lineOf(access.front()->getBeginLoc()) +
               " cannot be computed twice";
    return {};
  }

  bool add(const SharedArrayUse &use, const Rows &rows, unsigned shift, const std::string &symbol,
           const ConflictDegree &before) {
    Candidate candidate;
    candidate.rewriter = id;
    candidate.kernelKey = context_.analysis.kernel.key;
    candidate.subject = use.array->getNameAsString();
    candidate.parameters["shift"] = shift;
    candidate.claims.push_back({"fewer-shared-passes", symbol, 0});
    for (const std::vector<const clang::ArraySubscriptExpr *> &access : use.accesses) {
      const clang::Expr *column = access[0]->getIdx();
      std::optional<std::string> text = edits_.textOf(column->getSourceRange());
      std::optional<std::string> row = mixedRow(*access[1]->getIdx(), rows, shift);
      std::optional<Edit> edit;
      if (text && row)
        edit = edits_.replace(column->getSourceRange(),
                              (isOperand(column) ? *text : "(" + *text + ")") + " ^ " + *row,
                              "elements of '" + candidate.subject +
                                  "' are mixed within each row, so that a column spreads over the banks");
      if (!edit)
        return false;
      edit->expectedGain = "fewer than " + std::to_string(before.conflicts) + " bank conflicts in " +
                           std::to_string(before.requests) + " requests";
      edit->risk = "an operation or two an access";
      candidate.edits.push_back(std::move(*edit));
    }
    llvm::sort(candidate.edits,
               [](const Edit &left, const Edit &right) { return left.offset < right.offset; });
    proposals_.candidates.push_back(std::move(candidate));
    return true;
  }

  /// What is mixed into the column: below the length of a row.
  std::optional<std::string> mixedRow(const clang::Expr &row, const Rows &rows, unsigned shift) const {
    std::optional<std::string> text = edits_.textOf(row.getSourceRange());
    if (!text)
      return std::nullopt;
    std::string mixed = isOperand(&row) ? *text : "(" + *text + ")";
    int64_t largest = (rows.count - 1) >> shift;
    if (shift != 0)
      mixed = "(" + mixed + " >> " + std::to_string(shift) + ")";
    if (largest >= rows.length)
      mixed = "(" + mixed + " & " + std::to_string(rows.length - 1) + ")";
    return mixed;
  }

  std::string lineOf(clang::SourceLocation location) const {
    return std::to_string(placeOf(location, ast_.getSourceManager()).line);
  }
  void decline(const clang::VarDecl &array, std::string reason) {
    proposals_.declines.push_back({id, context_.analysis.kernel.key,
                                   placeOf(array.getLocation(), ast_.getSourceManager()),
                                   "'" + array.getNameAsString() + "': " + std::move(reason)});
  }

  const RewriteContext &context_;
  const clang::ASTContext &ast_;
  EditBuilder edits_;
  Proposals proposals_;
};

} // namespace

llvm::Expected<Proposals> proposeSwizzleShared(const RewriteContext &context) {
  return Proposer(context).propose();
}

} // namespace warpwright
