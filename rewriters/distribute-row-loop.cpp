// A thread that walks a row becomes a group of lanes that walks it together: loops along the row are strided,
// what they add up is combined across the lanes, what others see is done by one lane.
//
// Legal where the rest of the kernel gives the same on every lane, the loops' iterations may run in any
// order, and no lane reads what another of its row wrote. The group is an axis of the block of its own, so
// that rows keep their numbers and no index grows.

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/Rewriter.h"
#include "rewriters/edits/LaunchChange.h"
#include "rewriters/mapping/BlockShape.h"
#include "rewriters/mapping/RowCode.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/StringExtras.h>

namespace warpwright {
namespace {

constexpr const char *id = "distribute-row-loop";
constexpr unsigned warpSize = 32;

/// Lanes that share a row, and rows of a block.
struct Group {
  unsigned lanes;
  unsigned rows;
};
/// Groups of more than a warp have a block of their own, since they meet at barriers.
constexpr Group groups[] = {{32, 4}, {256, 1}, {8, 16}, {128, 1}, {32, 8}, {512, 1}, {1024, 1}};

/// Writes what changes, for one group.
class Writer {
public:
  Writer(const RewriteContext &context, const RowCode &code, Group group)
      : ast_(context.unit.ast()), edits_(ast_), analysis_(context.analysis), code_(code), group_(group) {}

  /// Nothing where some text comes out of a macro.
  std::optional<std::vector<Edit>> write(const RegisterUses &registers) {
    if (group_.lanes < warpSize)
      declareMask();
    for (const RegisterUse &use : registers.uses)
      if (use.axis == 0 && (use.kind == SymbolKind::ThreadIndex || use.kind == SymbolKind::BlockExtent))
        keep(
            edits_.replace(use.range, std::string(nameOfRegister(use.kind)) + ".y", "y counts the rows now"));
    for (const RowCode::SharedLoop &loop : code_.loops)
      shareOut(loop);
    for (size_t i = 0; i < code_.single.size(); ++i)
      leaveToOne(*code_.single[i], code_.needsBraces[i]);
    if (failed_)
      return std::nullopt;
    llvm::sort(result_, [](const Edit &left, const Edit &right) { return left.offset < right.offset; });
    return std::move(result_);
  }

private:
  std::string number(unsigned value) const { return std::to_string(value); }
  void keep(std::optional<Edit> edit) {
    if (!edit) {
      failed_ = true;
      return;
    }
    edit->expectedGain = "neighbouring lanes touch neighbouring elements of a row";
    edit->risk = "another order of summation";
    result_.push_back(std::move(*edit));
  }
  /// The white space in front of a statement, where it begins its line.
  std::optional<std::string> indentOf(clang::SourceLocation location) const {
    const clang::SourceManager &sources = ast_.getSourceManager();
    clang::FileIDAndOffset place = sources.getDecomposedLoc(location);
    llvm::StringRef text = sources.getBufferData(place.first).take_front(place.second);
    llvm::StringRef line = text.substr(text.rfind('\n') + 1);
    return line.trim().empty() ? std::optional(line.str()) : std::nullopt;
  }
  void declareMask() {
    const auto *body = llvm::cast<clang::CompoundStmt>(analysis_.kernel.declaration->getBody());
    mask_ = edits_.freshName("rowLanes");
    std::string bits = llvm::utohexstr((1u << group_.lanes) - 1, /*LowerCase=*/true);
    keep(edits_.insertAfter({body->getLBracLoc(), body->getLBracLoc()},
                            "\n  // The lanes of the warp that share this thread's row.\n  const unsigned " +
                                mask_ + " = 0x" + bits + "u << (threadIdx.y * " + number(group_.lanes) +
                                " % 32);",
                            "lanes of one row talk to each other alone"));
  }

  void shareOut(const RowCode::SharedLoop &loop) {
    std::string indent = indentOf(loop.loop->getBeginLoc()).value_or("");
    bool ownLine = indentOf(loop.loop->getBeginLoc()).has_value();
    std::string before;
    for (size_t i = 0; i < loop.reductions.size(); ++i) {
      const RowReduction &reduction = loop.reductions[i];
      if (reduction.isIdempotent() || loop.startsEmpty[i])
        continue;
      before += "// What '" + reduction.variable->getNameAsString() + "' holds already counts once.\n" +
                indent + "if (threadIdx.x != 0)\n" + indent + "  " + reduction.variable->getNameAsString() +
                " = " + identityOf(reduction) + ";\n" + indent;
    }
    if (ownLine)
      before += "// The lanes walk the row side by side.\n" + indent;
    std::string reason = number(group_.lanes) + " lanes walk the row together";
    std::string after = combineAll(loop, indent);
    bool isBare = !loop.standsInBlock;
    if (isBare && (!after.empty() || !before.empty()))
      before = "{\n" + indent + before;
    if (!before.empty())
      keep(edits_.insertBefore(loop.loop->getSourceRange(), before, reason));
    keep(edits_.replace(loop.first->getSourceRange(), startOf(loop), reason));
    std::string step = number(group_.lanes * static_cast<unsigned>(loop.step));
    keep(edits_.replace(loop.loop->getInc()->getSourceRange(),
                        loop.counter->getNameAsString() + (loop.isDown ? " -= " : " += ") + step, reason));
    if (isBare && !(after.empty() && before.empty()))
      after += "\n" + indent + "}";
    if (!after.empty())
      insertBehind(*loop.loop, after);
  }

  /// Behind a statement and its semicolon.
  void insertBehind(const clang::Stmt &statement, const std::string &text) {
    const clang::SourceManager &sources = ast_.getSourceManager();
    clang::SourceLocation end = statement.getEndLoc();
    if (std::optional<clang::Token> next = clang::Lexer::findNextToken(end, sources, ast_.getLangOpts());
        next && next->is(clang::tok::semi) && !isBraceOrSemicolon(end))
      end = next->getLocation();
    keep(edits_.insertAfter({end, end}, text, "every lane gets what all of them made"));
  }
  bool isBraceOrSemicolon(clang::SourceLocation location) const {
    std::string text = edits_.textOf({location, location}).value_or("");
    return text == "}" || text == ";";
  }
  std::string startOf(const RowCode::SharedLoop &loop) const {
    std::string lane = "threadIdx.x";
    clang::QualType counter = loop.counter->getType(), first = loop.first->IgnoreImpCasts()->getType();
    bool widens = counter->isIntegerType() && first->isIntegerType() &&
                  ast_.getTypeSize(counter) > ast_.getTypeSize(first);
    clang::Expr::EvalResult known;
    bool isZero = loop.first->EvaluateAsInt(known, ast_) && known.Val.getInt() == 0;
    if (widens && !isZero)
      lane = "static_cast<int>(threadIdx.x)";
    if (loop.step != 1)
      lane += " * " + std::to_string(loop.step);
    if (isZero && !loop.isDown)
      return lane;
    std::string text = edits_.textOf(loop.first->getSourceRange()).value_or("");
    const clang::Expr *inner = loop.first->IgnoreImpCasts();
    const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(inner);
    bool isSimple = llvm::isa<clang::DeclRefExpr, clang::IntegerLiteral, clang::ParenExpr, clang::CallExpr,
                              clang::MemberExpr, clang::ArraySubscriptExpr, clang::CStyleCastExpr>(inner) ||
                    (binary && (binary->isAdditiveOp() || binary->isMultiplicativeOp()));
    return (isSimple ? text : "(" + text + ")") + (loop.isDown ? " - " : " + ") + lane;
  }

  /// All reductions of a loop, each to every lane.
  std::string combineAll(const RowCode::SharedLoop &loop, const std::string &indent) {
    if (loop.reductions.empty())
      return {};
    std::string text = "\n" + indent + "// Every lane gets the " +
                       llvm::join(llvm::map_range(loop.reductions,
                                                  [](const RowReduction &reduction) {
                                                    return std::string(reduction.name());
                                                  }),
                                  ", the ") +
                       " of the row.";
    bool isOne = loop.reductions.size() == 1 && !loop.reductions.front().place;
    unsigned width = std::min(group_.lanes, warpSize);
    std::string mask = mask_.empty() ? "0xffffffff" : mask_;
    text += "\n" + indent + "for (int offset = " + number(width / 2) + "; offset > 0; offset /= 2)" +
            (isOne ? "" : " {");
    for (const RowReduction &reduction : loop.reductions)
      text += exchange(reduction, mask, indent + "  ");
    text += isOne ? "" : "\n" + indent + "}";
    return group_.lanes > warpSize ? text + acrossWarps(loop, indent) : text;
  }

  /// As the source spells it, so that every instantiation of a template writes the same.
  std::string typeOf(const clang::VarDecl *variable) const {
    std::string printed = variable->getType().getUnqualifiedType().getAsString(ast_.getPrintingPolicy());
    if (!isTemplate() || !variable->getTypeSourceInfo())
      return printed;
    clang::SourceRange written = variable->getTypeSourceInfo()->getTypeLoc().getSourceRange();
    std::string text = edits_.textOf(written).value_or(printed);
    return text == "auto" ? printed : text;
  }
  std::string identityOf(const RowReduction &reduction) const {
    if (!isTemplate())
      return reduction.identity();
    return typeOf(reduction.variable) + (reduction.kind == RowReduction::Kind::Product ? "(1)" : "(0)");
  }
  bool isTemplate() const {
    return analysis_.kernel.declaration->getTemplateInstantiationPattern() != nullptr;
  }

  std::string shuffle(const clang::VarDecl *variable, const std::string &mask) const {
    return "__shfl_xor_sync(" + mask + ", " + variable->getNameAsString() + ", offset)";
  }

  std::string exchange(const RowReduction &reduction, const std::string &mask,
                       const std::string &indent) const {
    if (!reduction.place)
      return "\n" + indent + reduction.combine(shuffle(reduction.variable, mask)) + ";";
    std::string value = reduction.variable->getNameAsString(), at = reduction.place->getNameAsString();
    std::string other = "other" + capital(value), otherAt = "other" + capital(at);
    return "\n" + indent + "const auto " + other + " = " + shuffle(reduction.variable, mask) + ";\n" +
           indent + "const auto " + otherAt + " = " + shuffle(reduction.place, mask) + ";" +
           take(reduction, other, otherAt, indent);
  }
  static std::string capital(std::string name) {
    name.front() = llvm::toUpper(name.front());
    return name;
  }
  /// Takes another lane's extremum where it is beyond this one's, or equal and first.
  std::string take(const RowReduction &reduction, const std::string &other, const std::string &otherAt,
                   const std::string &indent) const {
    std::string value = reduction.variable->getNameAsString(), at = reduction.place->getNameAsString();
    return "\n" + indent + "if (" + other + (reduction.isMaximum ? " > " : " < ") + value + " || (" + other +
           " == " + value + " && " + otherAt + (reduction.lastWins ? " > " : " < ") + at + ")) {\n" + indent +
           "  " + value + " = " + other + ";\n" + indent + "  " + at + " = " + otherAt + ";\n" + indent + "}";
  }

  std::string acrossWarps(const RowCode::SharedLoop &loop, const std::string &indent) {
    unsigned warps = group_.lanes / warpSize;
    std::string declarations, writes, reads, combines;
    auto slot = [&](const clang::VarDecl *variable) {
      unsigned count = ++slots_[variable];
      std::string name =
          edits_.freshName(variable->getNameAsString() + "OfWarp" + (count == 1 ? "" : number(count)));
      std::string type = typeOf(variable);
      declarations += "\n" + indent + "__shared__ " + type + " " + name + "[" + number(warps) + "];";
      writes += "\n" + indent + "  " + name + "[threadIdx.x / 32] = " + variable->getNameAsString() + ";";
      reads += "\n" + indent + variable->getNameAsString() + " = " + name + "[0];";
      return name + "[warp]";
    };
    for (const RowReduction &reduction : loop.reductions) {
      std::string other = slot(reduction.variable);
      if (reduction.place)
        combines += take(reduction, other, slot(reduction.place), indent + "  ");
      else
        combines += "\n" + indent + "  " + reduction.combine(other) + ";";
    }
    bool isOne = loop.reductions.size() == 1 && !loop.reductions.front().place;
    std::string text = declarations + "\n" + indent + "if (threadIdx.x % 32 == 0)" + (isOne ? "" : " {") +
                       writes + (isOne ? "" : "\n" + indent + "}") + "\n" + indent + "__syncthreads();" +
                       reads + "\n" + indent + "for (int warp = 1; warp < " + number(warps) + "; ++warp)" +
                       (isOne ? "" : " {") + combines + (isOne ? "" : "\n" + indent + "}");
    // The next time round, the slots are written again.
    return text + (loop.isRepeated ? "\n" + indent + "__syncthreads();" : "");
  }

  void leaveToOne(const clang::Stmt &statement, bool needsBraces) {
    std::optional<std::string> indent = indentOf(statement.getBeginLoc());
    std::string separator = indent ? "\n" + *indent + "  " : " ";
    std::string reason = "one lane speaks for the row";
    keep(edits_.insertBefore(statement.getSourceRange(),
                             (needsBraces ? "{ if (threadIdx.x == 0)" : "if (threadIdx.x == 0)") + separator,
                             reason));
    if (needsBraces)
      insertBehind(statement, " }");
  }

  clang::ASTContext &ast_;
  EditBuilder edits_;
  const KernelAnalysis &analysis_;
  const RowCode &code_;
  Group group_;
  std::string mask_;                                 ///< its name, of groups smaller than a warp
  std::map<const clang::VarDecl *, unsigned> slots_; ///< of each variable, so far
  bool failed_ = false;
  std::vector<Edit> result_;
};

class Proposer {
public:
  explicit Proposer(const RewriteContext &context)
      : context_(context), analysis_(context.analysis), shape_(context) {}

  llvm::Expected<Proposals> propose() {
    std::string whyNot;
    RowCode code = readRowCode(context_, whyNot);
    if (whyNot.empty() && code.loops.empty())
      return std::move(proposals_); // it walks no row
    if (whyNot.empty())
      whyNot = whyBound();
    if (!whyNot.empty()) {
      decline(whyNot);
      return std::move(proposals_);
    }
    LaunchChange change(context_);
    if (!change.whyNot().empty()) {
      decline(change.whyNot());
      return std::move(proposals_);
    }
    for (Group group : groups)
      if (llvm::Error error = add(change, code, group))
        return std::move(error);
    return std::move(proposals_);
  }

private:
  /// Why the block cannot take a second axis.
  std::string whyBound() {
    axes_ = annotatedAxes(analysis_);
    if (!axes_ || (*axes_)[0].things.empty())
      return "the annotation does not give one thread a row";
    if (analysis_.kernel.declaration->hasAttr<clang::CUDALaunchBoundsAttr>())
      return "its launch bounds name the block";
    for (const RegisterUse &use : shape_.uses().uses)
      if (use.axis != 0)
        return "its block has more than one axis";
    if ((*axes_)[1].block != 1 || (*axes_)[2].block != 1 || analysis_.annotation->grid->extents.size() != 1)
      return "its block has more than one axis";
    return shape_.whyFixed(0);
  }

  llvm::Error add(const LaunchChange &change, const RowCode &code, Group group) {
    std::optional<std::vector<Edit>> edits = Writer(context_, code, group).write(shape_.uses());
    if (!edits) {
      decline("its text comes out of a macro");
      return llvm::Error::success();
    }
    Candidate candidate;
    candidate.rewriter = id;
    candidate.kernelKey = analysis_.kernel.key;
    candidate.subject = "rows";
    candidate.parameters = {{"lanes", group.lanes}, {"rows", group.rows}};
    candidate.edits = std::move(*edits);
    candidate.claims.push_back({"fewer-sectors", {}, 0});
    candidate.assumptions = assumptions(code, group);
    NewLaunch launch;
    launch.grid = {"ceil_div(" + (*axes_)[0].things + ", " + std::to_string(group.rows) + ")"};
    if (group.rows == 1)
      launch.grid = {(*axes_)[0].things};
    launch.block = {std::to_string(group.lanes), std::to_string(group.rows)};
    if (llvm::Error error = change.apply(launch, candidate))
      return error;
    proposals_.candidates.push_back(std::move(candidate));
    return llvm::Error::success();
  }

  std::vector<std::string> assumptions(const RowCode &code, Group group) const {
    std::vector<std::string> assumed;
    for (const RowCode::SharedLoop &loop : code.loops) {
      clang::QualType type = loop.counter->getType();
      std::string text = "'" + loop.counter->getNameAsString() + "' holds " +
                         std::to_string(group.lanes * loop.step) + " more than the last element's place";
      bool isNarrow = type->isIntegerType() && context_.unit.ast().getTypeSize(type) <= 32;
      if (isNarrow && !llvm::is_contained(assumed, text))
        assumed.push_back(text);
    }
    return assumed;
  }

  void decline(std::string reason) {
    proposals_.declines.push_back({id, analysis_.kernel.key, analysis_.kernel.place, std::move(reason)});
  }

  const RewriteContext &context_;
  const KernelAnalysis &analysis_;
  BlockShape shape_;
  std::optional<std::array<LaunchAxis, 3>> axes_;
  Proposals proposals_;
};

} // namespace

llvm::Expected<Proposals> proposeDistributeRowLoop(const RewriteContext &context) {
  if (!context.analysis.annotation)
    return Proposals();
  return Proposer(context).propose();
}

} // namespace warpwright
