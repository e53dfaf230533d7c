#include "rewriters/mapping/RowWriter.h"

#include "analysis/KernelAnalysis.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/edits/CodeLines.h"
#include "rewriters/edits/PatchedText.h"

#include <clang/AST/ASTContext.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/StringExtras.h>

namespace warpwright {
namespace {

constexpr unsigned warpSize = 32;

std::string capital(std::string name) {
  name.front() = llvm::toUpper(name.front());
  return name;
}

} // namespace

RowWriter::RowWriter(const RewriteContext &context, const RowCode &code, const RowRegisters &kept,
                     RowGroup group)
    : ast_(context.unit.ast()), edits_(ast_), analysis_(context.analysis), code_(code), kept_(kept),
      group_(group), names_(*analysis_.kernel.declaration, ast_), offset_(names_.scoped("offset")),
      warp_(names_.scoped("warp")), k_(names_.scoped("k")) {
  for (const RowElement &element : kept_.elements)
    arrays_.push_back(edits_.freshName(element.base->getNameAsString() + "Row"));
}

std::optional<std::vector<Edit>> RowWriter::write(const RegisterUses &registers,
                                                  llvm::ArrayRef<const clang::BinaryOperator *> places) {
  uses_ = &registers;
  if (group_.lanes < warpSize)
    declareMask();
  const clang::SourceManager &sources = ast_.getSourceManager();
  for (const clang::BinaryOperator *place : places) {
    const std::string text = "blockIdx.x * blockDim.y + threadIdx.y";
    keep(edits_.replace(place->getSourceRange(),
                        place->getType()->isSignedIntegerType() ? "static_cast<int>(" + text + ")" : text,
                        "y counts the rows now"));
  }
  for (const RegisterUse &use : registers.uses) {
    bool isInPlace = llvm::any_of(places, [&](const clang::BinaryOperator *place) {
      return sources.isPointWithin(use.range.getBegin(), place->getBeginLoc(), place->getEndLoc());
    });
    if (!isInPlace && use.axis == 0 &&
        (use.kind == SymbolKind::ThreadIndex || use.kind == SymbolKind::BlockExtent))
      keep(edits_.replace(use.range, std::string(nameOfRegister(use.kind)) + ".y", "y counts the rows now"));
  }
  for (const RowCode::SharedLoop &loop : code_.loops)
    shareOut(loop);
  for (size_t i = 0; i < code_.single.size(); ++i)
    leaveToOne(*code_.single[i], code_.needsBraces[i]);
  if (failed_)
    return std::nullopt;
  llvm::sort(result_, [](const Edit &left, const Edit &right) { return left.offset < right.offset; });
  return std::move(result_);
}

void RowWriter::keep(std::optional<Edit> edit) {
  if (!edit) {
    failed_ = true;
    return;
  }
  edit->expectedGain = "neighbouring lanes touch neighbouring elements of a row";
  edit->risk = "another order of summation";
  result_.push_back(std::move(*edit));
}
/// The white space in front of a statement, where it begins its line.
std::optional<std::string> RowWriter::indentOf(clang::SourceLocation location) const {
  const clang::SourceManager &sources = ast_.getSourceManager();
  clang::FileIDAndOffset place = sources.getDecomposedLoc(location);
  llvm::StringRef text = sources.getBufferData(place.first).take_front(place.second);
  llvm::StringRef line = text.substr(text.rfind('\n') + 1);
  return line.trim().empty() ? std::optional(line.str()) : std::nullopt;
}
void RowWriter::declareMask() {
  const auto *body = llvm::cast<clang::CompoundStmt>(analysis_.kernel.declaration->getBody());
  mask_ = edits_.freshName("rowLanes");
  std::string bits = llvm::utohexstr((1u << group_.lanes) - 1, /*LowerCase=*/true);
  keep(edits_.insertAfter({body->getLBracLoc(), body->getLBracLoc()},
                          "\n  // The lanes of the warp that share this thread's row.\n  const unsigned " +
                              mask_ + " = 0x" + bits + "u << (threadIdx.y * " + number(group_.lanes) +
                              " % 32);",
                          "lanes of one row talk to each other alone"));
}

void RowWriter::shareOut(const RowCode::SharedLoop &loop) {
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
  const bool isKept = group_.registers != 0 && kept_.startOf(loop.loop);
  if (isKept)
    before += fromRegisters(loop, indent);
  else if (ownLine)
    before += "// The lanes walk the row side by side.\n" + indent;
  std::string reason = number(group_.lanes) + " lanes walk the row together";
  std::string after = combineAll(loop, indent);
  bool isBare = !loop.standsInBlock;
  if (isBare && (!after.empty() || !before.empty()))
    before = "{\n" + indent + before;
  if (!before.empty())
    keep(edits_.insertBefore(loop.loop->getSourceRange(), before, reason));
  std::string start = isKept ? "threadIdx.x + " + number(group_.lanes * group_.registers) : startOf(loop);
  keep(edits_.replace(loop.first->getSourceRange(), start, reason));
  std::string step = number(group_.lanes * static_cast<unsigned>(loop.step));
  keep(edits_.replace(loop.loop->getInc()->getSourceRange(),
                      loop.counter->getNameAsString() + (loop.isDown ? " -= " : " += ") + step, reason));
  if (isBare && !(after.empty() && before.empty()))
    after += "\n" + indent + "}";
  if (!after.empty())
    insertBehind(*loop.loop, after);
}

/// Text of the original as it stands in the new code: y counts the rows, and reads of kept elements have the
/// texts given.
std::optional<std::string> RowWriter::textOf(clang::SourceRange range,
                                             llvm::ArrayRef<const clang::Expr *> reads,
                                             llvm::ArrayRef<std::string> texts) const {
  const clang::SourceManager &sources = ast_.getSourceManager();
  PatchedText patched(ast_);
  for (size_t i = 0; i < reads.size(); ++i)
    patched.replace(reads[i]->getSourceRange(), texts[i]);
  for (const RegisterUse &use : uses_->uses) {
    bool isRow =
        use.axis == 0 && (use.kind == SymbolKind::ThreadIndex || use.kind == SymbolKind::BlockExtent);
    bool isInRead = llvm::any_of(reads, [&](const clang::Expr *read) {
      return sources.isPointWithin(use.range.getBegin(), read->getBeginLoc(), read->getEndLoc());
    });
    if (isRow && !isInRead)
      patched.replace(use.range, std::string(nameOfRegister(use.kind)) + ".y");
  }
  return patched.of(range);
}

/// The part of a loop over what the lanes keep; the loop itself goes on behind it.
std::string RowWriter::fromRegisters(const RowCode::SharedLoop &loop, const std::string &indent) {
  const std::string counter = loop.counter->getNameAsString();
  CodeLines derived;
  std::optional<std::string> body = keptBody(loop, derived);
  std::optional<std::string> end = textOf(kept_.end->getSourceRange());
  if (!body || !end) {
    failed_ = true;
    return {};
  }
  CodeLines code;
  if (loop.loop == kept_.loops.front())
    loadRow(loop, *end, code);
  code.comment("The lanes walk the row side by side, first what they keep of it.");
  openKept(loop, code);
  const int64_t start = *kept_.startOf(loop.loop);
  std::string condition = counter + " < " + *end;
  if (start > 0)
    condition = counter + " >= " + std::to_string(start) + " && " + condition;
  const bool isBlock = llvm::isa<clang::CompoundStmt>(loop.loop->getBody());
  if (derived.empty()) {
    code.moved("if (" + condition + ") " + *body + (isBlock ? "" : ";"), indent);
  } else {
    code.open("if (" + condition + ") {");
    code.append(derived);
    code.moved(*body + (isBlock ? "" : ";"), indent);
    code.close();
  }
  code.close();
  // What is left is seldom anything: unrolled, it would cost registers that the lanes keep the row in.
  code.line("#pragma unroll 1");
  return code.str({indent, "  "}) + "\n" + indent;
}

/// The loop's body on what the lanes keep; `derived` gets what takes the elements' place from here on.
std::optional<std::string> RowWriter::keptBody(const RowCode::SharedLoop &loop, CodeLines &derived) {
  std::vector<const clang::Expr *> uses;
  std::vector<std::string> texts;
  const clang::SourceManager &sources = ast_.getSourceManager();
  const clang::Stmt &body = *loop.loop->getBody();
  for (size_t i = 0; i < kept_.elements.size(); ++i) {
    const RowElement &element = kept_.elements[i];
    const std::string kept = arrays_[i] + "[" + k_ + "]";
    bool isDerived = element.derivedIn != loop.loop;
    for (size_t read = 0; read < element.reads.size(); ++read) {
      if (!sources.isPointWithin(element.reads[read]->getBeginLoc(), body.getBeginLoc(), body.getEndLoc()))
        continue;
      const clang::Expr *use = element.uses[read];
      if (!isDerived) {
        std::optional<std::string> value = textOf(use->getSourceRange(), {element.reads[read]}, {kept});
        failed_ |= !value;
        derived.line(kept + " = " + value.value_or("") + ";");
        isDerived = true;
      }
      uses.push_back(use);
      texts.push_back(kept);
    }
  }
  return textOf(body.getSourceRange(), uses, texts);
}

void RowWriter::openKept(const RowCode::SharedLoop &loop, CodeLines &code) const {
  code.line("#pragma unroll");
  code.open("for (int " + k_ + " = 0; " + k_ + " < " + number(group_.registers) + "; ++" + k_ + ") {");
  code.line("const " + typeOf(loop.counter) + " " + loop.counter->getNameAsString() + " = threadIdx.x + " +
            k_ + " * " + number(group_.lanes) + ";");
}

/// Loads what the lanes keep.
void RowWriter::loadRow(const RowCode::SharedLoop &loop, const std::string &end, CodeLines &code) {
  code.comment("A lane keeps " + number(group_.registers) +
               " elements of the row in registers, which every pass reads.");
  for (size_t i = 0; i < kept_.elements.size(); ++i)
    code.line(kept_.elements[i].type.getAsString(ast_.getPrintingPolicy()) + " " + arrays_[i] + "[" +
              number(group_.registers) + "];");
  openKept(loop, code);
  const bool isOne = kept_.elements.size() == 1;
  const std::string condition = "if (" + loop.counter->getNameAsString() + " < " + end + ")";
  if (!isOne)
    code.open(condition + " {");
  for (size_t i = 0; i < kept_.elements.size(); ++i) {
    std::optional<std::string> element = textOf(kept_.elements[i].reads.front()->getSourceRange());
    failed_ |= !element;
    code.line((isOne ? condition + " " : "") + arrays_[i] + "[" + k_ + "] = " + element.value_or("") + ";");
  }
  if (!isOne)
    code.close();
  code.close();
}

/// Behind a statement and its semicolon.
void RowWriter::insertBehind(const clang::Stmt &statement, const std::string &text) {
  const clang::SourceManager &sources = ast_.getSourceManager();
  clang::SourceLocation end = statement.getEndLoc();
  if (std::optional<clang::Token> next = clang::Lexer::findNextToken(end, sources, ast_.getLangOpts());
      next && next->is(clang::tok::semi) && !isBraceOrSemicolon(end))
    end = next->getLocation();
  keep(edits_.insertAfter({end, end}, text, "every lane gets what all of them made"));
}
bool RowWriter::isBraceOrSemicolon(clang::SourceLocation location) const {
  std::string text = edits_.textOf({location, location}).value_or("");
  return text == "}" || text == ";";
}
std::string RowWriter::startOf(const RowCode::SharedLoop &loop) const {
  std::string lane = "threadIdx.x";
  clang::QualType counter = loop.counter->getType(), first = loop.first->IgnoreImpCasts()->getType();
  bool widens = counter->isIntegerType() && first->isIntegerType() &&
                ast_.getTypeSize(counter) > ast_.getTypeSize(first);
  clang::Expr::EvalResult known;
  bool isZero = loop.first->EvaluateAsInt(known, ast_) && known.Val.getInt() == 0;
  // Below zero there is no unsigned number: a wider counter would start 2^32 too high.
  if (widens && (!isZero || loop.isDown))
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
std::string RowWriter::combineAll(const RowCode::SharedLoop &loop, const std::string &indent) {
  if (loop.reductions.empty())
    return {};
  std::string text =
      "\n" + indent + "// Every lane gets the " +
      llvm::join(llvm::map_range(loop.reductions,
                                 [](const RowReduction &reduction) { return std::string(reduction.name()); }),
                 ", the ") +
      " of the row.";
  bool isOne = loop.reductions.size() == 1 && !loop.reductions.front().place;
  unsigned width = std::min(group_.lanes, warpSize);
  std::string mask = mask_.empty() ? "0xffffffff" : mask_;
  text += "\n" + indent + "for (int " + offset_ + " = " + number(width / 2) + "; " + offset_ + " > 0; " +
          offset_ + " /= 2)" + (isOne ? "" : " {");
  for (const RowReduction &reduction : loop.reductions)
    text += exchange(reduction, mask, indent + "  ");
  text += isOne ? "" : "\n" + indent + "}";
  return group_.lanes > warpSize ? text + acrossWarps(loop, indent) : text;
}

/// As the source spells it, so that every instantiation of a template writes the same.
std::string RowWriter::typeOf(const clang::VarDecl *variable) const {
  std::string printed = variable->getType().getUnqualifiedType().getAsString(ast_.getPrintingPolicy());
  if (!isTemplate() || !variable->getTypeSourceInfo())
    return printed;
  clang::SourceRange written = variable->getTypeSourceInfo()->getTypeLoc().getSourceRange();
  std::string text = edits_.textOf(written).value_or(printed);
  return text == "auto" ? printed : text;
}
std::string RowWriter::identityOf(const RowReduction &reduction) const {
  if (!isTemplate())
    return reduction.identity();
  return typeOf(reduction.variable) + (reduction.kind == RowReduction::Kind::Product ? "(1)" : "(0)");
}
bool RowWriter::isTemplate() const {
  return analysis_.kernel.declaration->getTemplateInstantiationPattern() != nullptr;
}

std::string RowWriter::shuffle(const clang::VarDecl *variable, const std::string &mask) const {
  return "__shfl_xor_sync(" + mask + ", " + variable->getNameAsString() + ", " + offset_ + ")";
}

std::string RowWriter::exchange(const RowReduction &reduction, const std::string &mask,
                                const std::string &indent) const {
  if (!reduction.place)
    return "\n" + indent + reduction.combine(shuffle(reduction.variable, mask)) + ";";
  std::string value = reduction.variable->getNameAsString(), at = reduction.place->getNameAsString();
  std::string other = names_.scoped("other" + capital(value)), otherAt = names_.scoped("other" + capital(at));
  return "\n" + indent + "const auto " + other + " = " + shuffle(reduction.variable, mask) + ";\n" + indent +
         "const auto " + otherAt + " = " + shuffle(reduction.place, mask) + ";" +
         take(reduction, other, otherAt, indent);
}
/// Takes another lane's extremum where it is beyond this one's, or equal and first.
std::string RowWriter::take(const RowReduction &reduction, const std::string &other,
                            const std::string &otherAt, const std::string &indent) const {
  if (reduction.kind == RowReduction::Kind::Online)
    return takePair(reduction, other, otherAt, indent);
  std::string value = reduction.variable->getNameAsString(), at = reduction.place->getNameAsString();
  return "\n" + indent + "if (" + other + (reduction.isMaximum ? " > " : " < ") + value + " || (" + other +
         " == " + value + " && " + otherAt + (reduction.lastWins ? " > " : " < ") + at + ")) {\n" + indent +
         "  " + value + " = " + other + ";\n" + indent + "  " + at + " = " + otherAt + ";\n" + indent + "}";
}

/// Takes in another lane's sum, which is relative to that lane's maximum. Equal ones are not subtracted: they
/// may both be infinite, where a lane has seen nothing.
std::string RowWriter::takePair(const RowReduction &reduction, const std::string &other,
                                const std::string &otherLargest, const std::string &indent) const {
  const std::string sum = reduction.variable->getNameAsString(), largest = reduction.place->getNameAsString(),
                    line = "\n" + indent, exp = reduction.function;
  return line + "if (" + otherLargest + " > " + largest + ") {" + line + "  " + sum + " = " + sum + " * " +
         exp + "(" + largest + " - " + otherLargest + ") + " + other + ";" + line + "  " + largest + " = " +
         otherLargest + ";" + line + "} else {" + line + "  " + sum + " += " + otherLargest + " < " +
         largest + " ? " + other + " * " + exp + "(" + otherLargest + " - " + largest + ") : " + other + ";" +
         line + "}";
}

std::string RowWriter::acrossWarps(const RowCode::SharedLoop &loop, const std::string &indent) {
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
    return name + "[" + warp_ + "]";
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
                     reads + "\n" + indent + "for (int " + warp_ + " = 1; " + warp_ + " < " + number(warps) +
                     "; ++" + warp_ + ")" + (isOne ? "" : " {") + combines +
                     (isOne ? "" : "\n" + indent + "}");
  // The next time round, the slots are written again.
  return text + (loop.isRepeated ? "\n" + indent + "__syncthreads();" : "");
}

void RowWriter::leaveToOne(const clang::Stmt &statement, bool needsBraces) {
  std::optional<std::string> indent = indentOf(statement.getBeginLoc());
  std::string separator = indent ? "\n" + *indent + "  " : " ";
  std::string reason = "one lane speaks for the row";
  keep(edits_.insertBefore(statement.getSourceRange(),
                           (needsBraces ? "{ if (threadIdx.x == 0)" : "if (threadIdx.x == 0)") + separator,
                           reason));
  if (needsBraces)
    insertBehind(statement, " }");
}

} // namespace warpwright
