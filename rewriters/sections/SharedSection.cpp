#include "rewriters/sections/SharedSection.h"

#include "analysis/ast/BlockFolds.h"
#include "rewriters/edits/Operands.h"
#include "rewriters/edits/PatchedText.h"

#include <clang/AST/ASTContext.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {

SharedSection::SharedSection(const clang::FunctionDecl &kernel, const clang::ASTContext &ast,
                             const Dim3 &block, FreshNames &names,
                             std::function<bool(const clang::Stmt &, const clang::Stmt &)> conflict)
    : kernel_(kernel), ast_(ast), block_(block), names_(names), conflict_(std::move(conflict)),
      builder_(ast) {}

/// The block must wait before the loop, for what its one thread did since the last barrier.
bool SharedSection::needsBarrierBefore(const LoneSection &section) const {
  for (size_t i = section.position; i-- > 0;) {
    const clang::Stmt *statement = section.scope->body_begin()[i];
    if (isBlockBarrier(statement))
      return false;
    if (conflict_(*statement, *section.branch))
      return true;
  }
  return !section.outermost;
}

bool SharedSection::needsBarrierAfter(const LoneSection &section) const {
  for (size_t i = section.position + 1; i < section.scope->size(); ++i) {
    const clang::Stmt *statement = section.scope->body_begin()[i];
    if (isBlockBarrier(statement))
      return false;
    if (conflict_(*statement, *section.loop->statement))
      return true;
  }
  return !section.outermost;
}

std::optional<CodeLines> SharedSection::write(const LoneSection &section,
                                              llvm::ArrayRef<FoldedValue> values) {
  FoldCode fold;
  fold.threads = static_cast<unsigned>(block_.count());
  fold.thread = isFlat() ? "threadIdx.x" : names_.take("thread");
  fold.barrier = "__syncthreads();";
  fold.offset = names_.scoped("offset");
  fold.lanes = names_.scoped("lanes");
  fold.values.assign(values.begin(), values.end());
  const bool slots = !values.empty() && fold.warps() > 1;
  CodeLines code;
  code.comment("All threads of the block share the loop that one of them would run alone" +
               std::string(values.empty() ? "." : ", and fold what they gathered."));
  if (needsBarrierBefore(section))
    code.line(fold.barrier);
  const bool braces = !section.declarations.empty() || slots || !isFlat();
  if (braces)
    code.open("{");
  if (slots)
    for (const FoldedValue &value : values)
      code.line("__shared__ " + value.type + " " + value.slots + "[" + std::to_string(fold.warps()) + "];");
  if (!isFlat())
    code.line("const int " + fold.thread + " = " +
              (block_.z > 1 ? "(threadIdx.z * blockDim.y + threadIdx.y)" : "threadIdx.y") +
              " * blockDim.x + threadIdx.x;");
  for (const clang::DeclStmt *declaration : section.declarations)
    if (!move(*declaration, code))
      return std::nullopt;
  if (!writeLoop(*section.loop, fold.thread, code))
    return std::nullopt;
  if (!values.empty())
    fold.foldWarps(code);
  if (slots) {
    fold.storeWarps(code);
    code.line(fold.barrier);
    fold.foldSlots(code, /*store=*/false);
  }
  bool waits = slots; // what the loop read and wrote is behind the barrier of the fold
  if (!writeRest(section, fold.barrier, waits, code))
    return std::nullopt;
  if (braces)
    code.close();
  // What comes around again must not fill the slots while they are read.
  auto isBarrier = [](const clang::Stmt *statement) { return statement && isBlockBarrier(statement); };
  const bool repeats =
      !section.outermost && slots && !isBarrier(section.before()) && !isBarrier(section.after());
  if (repeats || (!waits && needsBarrierAfter(section)))
    code.line(fold.barrier);
  return code;
}

/// What the one thread still does alone behind the loop.
bool SharedSection::writeRest(const LoneSection &section, const std::string &barrier, bool &waits,
                              CodeLines &code) const {
  for (const clang::Stmt *statement : section.rest)
    if (!waits && conflict_(*statement, *section.loop->statement)) {
      code.line(barrier);
      waits = true;
    }
  if (section.rest.empty())
    return true;
  std::optional<std::string> condition = builder_.textOf(section.branch->getCond()->getSourceRange());
  if (!condition)
    return false;
  code.open("if (" + *condition + ") {");
  for (const clang::Stmt *statement : section.rest)
    if (!move(*statement, code))
      return false;
  code.close();
  return true;
}

bool SharedSection::move(const clang::Stmt &statement, CodeLines &code, PatchedText *patched) const {
  std::optional<Edit> whole = builder_.replaceStatements(statement, statement, "", "its place");
  if (!whole)
    return false;
  PatchedText plain(ast_);
  std::optional<std::string> text =
      (patched ? *patched : plain).between(whole->offset, whole->offset + whole->length);
  if (text)
    code.moved(*text, indentationAt(statement.getBeginLoc(), kernel_, ast_).base);
  return text.has_value();
}

bool SharedSection::writeLoop(const CanonicalLoop &loop, const std::string &thread, CodeLines &code) const {
  std::optional<std::string> init = builder_.textOf(loop.init->getSourceRange());
  std::optional<std::string> counter =
      builder_.textOf({loop.counter->getLocation(), loop.counter->getLocation()});
  if (!init || !counter)
    return false;
  const int64_t step = std::abs(*loop.constantStep);
  const std::string times = step == 1 ? "" : std::to_string(step) + " * ";
  const auto *literal = llvm::dyn_cast<clang::IntegerLiteral>(loop.init->IgnoreParenImpCasts());
  const bool zero = literal && literal->getValue() == 0;
  // Whoever counts down, or starts from a variable, may go below zero: then the thread's number must have a
  // sign, or a wider counter starts 2^32 too high.
  const bool isPlain = (zero && loop.upward) || !loop.counter->getType()->isSignedIntegerType() || !isFlat();
  const std::string number = isPlain ? thread : "int(" + thread + ")";
  const std::string first = (zero ? "" : asSummand(loop.init, *init) + (loop.upward ? " + " : " - ")) +
                            (zero && !loop.upward ? "-" : "") + times + number;
  const std::string stride = times + (isFlat() ? "blockDim.x" : std::to_string(block_.count()));
  PatchedText text(ast_);
  text.replace(loop.init->getSourceRange(), first);
  text.replace(llvm::cast<clang::ForStmt>(loop.statement)->getInc()->getSourceRange(),
               *counter + (loop.upward ? " += " : " -= ") + stride);
  return move(*loop.statement, code, &text);
}

} // namespace warpwright
