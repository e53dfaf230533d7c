// How VectorLoop writes what it has found.

#include "analysis/KernelAnalysis.h"
#include "rewriters/edits/Operands.h"
#include "rewriters/edits/PatchedText.h"
#include "rewriters/loops/VectorLoop.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/AST/TypeLoc.h>
#include <llvm/ADT/STLExtras.h>

#include <functional>

namespace warpwright {
namespace {

using clang::ArraySubscriptExpr;

constexpr unsigned widest = 16; ///< bytes of one access

} // namespace

unsigned VectorLoop::bytesOf(const Place &place, unsigned width) const {
  return width * static_cast<unsigned>(ast_.getTypeSizeInChars(place.element).getQuantity());
}

std::vector<unsigned> VectorLoop::widths() const {
  std::vector<unsigned> result;
  for (unsigned width : {8u, 4u, 2u}) {
    unsigned largest = 0, smallest = widest;
    for (const Place &place : places_) {
      largest = std::max(largest, bytesOf(place, width));
      smallest = std::min(smallest, bytesOf(place, width));
    }
    if (largest >= 8 && largest <= widest && smallest >= 4)
      result.push_back(width);
  }
  return result;
}

std::string VectorLoop::vectorType(const Place &place, unsigned width) const {
  unsigned bytes = bytesOf(place, width);
  if (bytes == 4)
    return "unsigned";
  const bool isSigned = place.element->isSignedIntegerType();
  if (ast_.getTypeSize(place.element) == 64)
    return place.element->isRealFloatingType() ? "double2" : isSigned ? "longlong2" : "ulonglong2";
  const std::string base = ast_.getTypeSize(place.element) == 16 ? "uint"
                           : place.element->isRealFloatingType() ? "float"
                           : isSigned                            ? "int"
                                                                 : "uint";
  return base + std::to_string(bytes / 4);
}

/// The check that all places begin where such an access may; empty where that is known.
std::string VectorLoop::alignedCondition(unsigned width) const {
  std::string pointers;
  unsigned count = 0, bytes = 0;
  for (const Place &place : places_) {
    unsigned own = bytesOf(place, width);
    bytes = std::max(bytes, own);
    if (place.simple && llvm::isa<clang::ParmVarDecl>(place.base) &&
        context_.analysis.annotation->alignmentOf(place.base->getName()) % own == 0 &&
        context_.analysis.annotation->alignmentOf(place.base->getName()) != 0)
      continue;
    pointers += (count++ ? " | " : "") + std::string("reinterpret_cast<size_t>(") + place.pointer + ")";
  }
  std::string result;
  if (count != 0)
    result = (count == 1 ? pointers : "(" + pointers + ")") + " % " + std::to_string(bytes) + " == 0";
  llvm::SmallVector<std::string> seen;
  for (const Place &place : places_)
    if (!place.modulus.empty() && !llvm::is_contained(seen, place.modulus)) {
      seen.push_back(place.modulus);
      result += (result.empty() ? "" : " && ") + place.modulus + " % " + std::to_string(width) + " == 0";
    }
  return result;
}

CodeLines VectorLoop::vectorBody(unsigned width, FreshNames &names, const std::string &step,
                                 const std::string &indent) {
  CodeLines code;
  const std::string k = names.scoped("k");
  PatchedText body(ast_);
  clang::PrintingPolicy policy(ast_.getLangOpts());
  for (Place &place : places_) {
    place.part = names.scoped(place.base->getNameAsString() + "Part");
    code.line("alignas(" + std::to_string(bytesOf(place, width)) + ") " + place.element.getAsString(policy) +
              " " + place.part + "[" + std::to_string(width) + "];");
    for (const ArraySubscriptExpr *element : place.elements)
      body.replace(element->getSourceRange(), place.part + "[" + k + "]");
  }
  auto part = [&](const Place &place) {
    return "*reinterpret_cast<" + vectorType(place, width) + " *>(" + place.part + ")";
  };
  auto memory = [&](const Place &place, const char *qualifier) {
    const std::string n = std::to_string(width);
    const std::string index =
        place.modulus.empty() ? step : n + " * " + step + " % " + place.modulus + " / " + n;
    return std::string("reinterpret_cast<") + qualifier + vectorType(place, width) + " *>(" + place.pointer +
           ")[" + index + "]";
  };
  for (const Place &place : places_)
    if (place.read)
      code.line(part(place) + " = " + memory(place, "const ") + ";");
  code.line("#pragma unroll");
  code.open("for (int " + k + " = 0; " + k + " < " + std::to_string(width) + "; ++" + k + ") {");
  unsigned taken = 0;
  for (const Place &place : places_)
    for (const ArraySubscriptExpr *element : place.elements)
      taken += VariableChanges(*element->getIdx()).mentionsOf(loop_.counter);
  if (loop_.changes.mentionsOf(loop_.counter) > taken)
    code.line(counterType() + " " + loop_.counter->getNameAsString() + " = " + std::to_string(width) + " * " +
              step + " + " + k + ";");
  const auto *compound = llvm::dyn_cast<clang::CompoundStmt>(loop_.body);
  if (!compound) {
    code.moved(body.of(loop_.body->getSourceRange()).value_or("") + ";", indent);
  } else {
    for (const clang::Stmt *statement : compound->body()) {
      std::optional<Edit> whole = builder_.replaceStatements(*statement, *statement, "", "its place");
      std::optional<std::string> text =
          whole ? body.between(whole->offset, whole->offset + whole->length) : std::nullopt;
      code.moved(text.value_or(""), indentationAt(statement->getBeginLoc(), kernel_, ast_).base);
    }
  }
  code.close();
  for (const Place &place : places_)
    if (place.written)
      code.line(memory(place, "") + " = " + part(place) + ";");
  return code;
}

std::string VectorLoop::counterType() const {
  if (const clang::TypeSourceInfo *info = loop_.counter->getTypeSourceInfo())
    if (std::optional<std::string> text =
            builder_.textOf(info->getTypeLoc().getUnqualifiedLoc().getSourceRange());
        text && !text->empty() && *text != "auto")
      return *text;
  return loop_.counter->getType().getUnqualifiedType().getAsString(clang::PrintingPolicy(ast_.getLangOpts()));
}

/// How many steps there are, on several lines where there is much to check.
void VectorLoop::declareCount(CodeLines &code, const std::string &start, const std::string &condition,
                              const std::string &whole, size_t indented) const {
  const std::string line = start + (condition.empty() ? whole : condition + " ? " + whole + " : 0") + ";";
  if (indented + line.size() <= 110) {
    code.line(line);
    return;
  }
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(condition).split(parts, " | ");
  for (size_t i = 0; i < parts.size(); ++i)
    code.line((i == 0 ? start : std::string(4, ' ')) + parts[i].str() + (i + 1 < parts.size() ? " |" : ""));
  code.line("    ? " + whole + " : 0;");
}

/// Whether a statement may be put before the loop: it is one of a block's, and no pragma belongs to it.
bool VectorLoop::standsAlone() const {
  std::function<bool(const clang::Stmt *)> find = [&](const clang::Stmt *statement) {
    if (!statement)
      return false;
    if (const auto *compound = llvm::dyn_cast<clang::CompoundStmt>(statement))
      if (llvm::is_contained(compound->body(), loop_.statement))
        return true;
    return llvm::any_of(statement->children(), find);
  };
  return find(kernel_.getBody());
}

std::optional<std::vector<Edit>> VectorLoop::edits(unsigned width, unsigned position) {
  std::optional<std::string> init = builder_.textOf(loop_.init->getSourceRange()),
                             bound = builder_.textOf(loop_.bound->getSourceRange()),
                             step = loop_.step ? builder_.textOf(loop_.step->getSourceRange())
                                               : std::optional(std::string());
  if (!init || !bound || !step)
    return std::nullopt;
  FreshNames names(kernel_, ast_);
  // Loops of one kernel are written anew independently of each other, in one scope.
  std::string vectors;
  for (unsigned i = 0; i <= position; ++i)
    vectors = names.take("vectors");
  const std::string type = counterType(), v = names.scoped("v");
  const std::string count = std::to_string(width), condition = alignedCondition(width);
  Indentation indentation = indentationAt(loop_.statement->getBeginLoc(), kernel_, ast_);
  CodeLines code;
  code.comment((width == 2   ? "Two"
                : width == 4 ? "Four"
                             : "Eight") +
               std::string(" neighbouring elements a step") +
               (condition.empty() ? "" : " where all are aligned") + "; what is left, one by one.");
  std::string whole = (isOperand(loop_.bound) ? *bound : "(" + *bound + ")") + " / " + count;
  declareCount(code, type + " " + vectors + " = ", condition, whole, indentation.base.size());
  const bool own = sharing_ == LoopSharing::Own;
  code.open("for (" + type + " " + v + " = " + (own ? "0" : *init) + "; " + v + " < " + vectors + "; " +
            (own ? "++" + v : v + " += " + *step) + ") {");
  code.append(vectorBody(width, names, v, indentation.base));
  code.close();
  const std::string reason = "neighbouring elements travel by " +
                             std::to_string(bytesOf(places_.front(), width)) + " bytes at a time";
  // The loop stays for what is left; a macro before it (`#pragma unroll`) stays with it.
  if (!standsAlone())
    return std::nullopt;
  std::optional<Edit> before = builder_.insertBefore(loop_.statement->getSourceRange(), "", reason);
  std::optional<Edit> start =
      builder_.replace(loop_.init->getSourceRange(),
                       count + " * " + vectors + (own ? "" : " + " + asSummand(loop_.init, *init)),
                       "it goes on where the vectors end");
  if (!before || !start || before->offset == start->offset)
    return std::nullopt;
  before->text = code.str(indentation) + "\n" + indentation.base;
  before->expectedGain = "a " + count + "th of the requests to global memory";
  before->risk =
      sharing_ == LoopSharing::Own || carried_.empty() ? "more registers" : "sums are taken in another order";
  start->expectedGain = "none of its own";
  start->risk = "none";
  return std::vector<Edit>{std::move(*before), std::move(*start)};
}

} // namespace warpwright
