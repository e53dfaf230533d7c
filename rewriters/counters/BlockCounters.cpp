#include "rewriters/counters/BlockCounters.h"

#include "rewriters/folds/FoldCode.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/TypeLoc.h>
#include <llvm/ADT/StringExtras.h>

namespace warpwright {
namespace {

constexpr unsigned warpSize = 32;

std::string capitalised(llvm::StringRef name) {
  std::string text = name.str();
  text[0] = llvm::toUpper(text[0]);
  return text;
}

} // namespace

std::string neutralCounter(FoldOperation operation, clang::QualType type, const clang::ASTContext &ast) {
  if (type->isRealFloatingType())
    return operation != FoldOperation::Sum ? "" : ast.getTypeSize(type) == 32 ? "0.0f" : "0.0";
  if (!type->isIntegerType())
    return {};
  bool isSigned = type->isSignedIntegerType(), wide = ast.getTypeSize(type) == 64;
  switch (operation) {
  case FoldOperation::Sum:
  case FoldOperation::BitOr:
  case FoldOperation::BitXor:
    return "0";
  case FoldOperation::BitAnd:
    return wide ? "~0ull" : "~0u";
  case FoldOperation::Minimum:
    return isSigned ? (wide ? "0x7fffffffffffffffll" : "0x7fffffff") : (wide ? "~0ull" : "~0u");
  case FoldOperation::Maximum:
    return isSigned ? (wide ? "-0x7fffffffffffffffll - 1" : "-0x7fffffff - 1") : "0";
  default:
    return {};
  }
}

std::string BlockCounters::typeText(const Counters &counters) const {
  if (const clang::TypeSourceInfo *info = counters.pointer->getTypeSourceInfo())
    if (auto pointer = info->getTypeLoc().getAsAdjusted<clang::PointerTypeLoc>())
      if (std::optional<std::string> text =
              edits_.textOf(pointer.getPointeeLoc().getUnqualifiedLoc().getSourceRange());
          text && !text->empty())
        return *text;
  return counters.type.getAsString(clang::PrintingPolicy(ast_.getLangOpts()));
}

/// What merges the counters. A subtraction has made its counter negative already: what is merged is a sum.
std::string BlockCounters::calleeOf(const AtomicCall &call) const {
  if (call.operation == FoldOperation::Sum)
    return "atomicAdd";
  return edits_.textOf(call.call->getCallee()->getSourceRange()).value_or("");
}

void BlockCounters::writeArray(const Counters &counters, unsigned copies, CodeLines &behind) const {
  const std::string type = typeText(counters), name = counters.pointer->getNameAsString();
  const FoldOperation operation = counters.calls.front().operation;
  const std::string zero = neutralCounter(operation, counters.type, ast_),
                    count = std::to_string(counters.count);
  const std::string block = names_.take("block" + capitalised(name)), slot = names_.scoped("slot");
  std::string target = block;
  const std::string extent = copies == 1 ? count : std::to_string(copies) + " * " + count;
  const std::string loop = "for (int " + slot + " = " + threads_.thread + "; " + slot + " < ";
  body_.before()
      .comment(copies == 1 ? "The block counts in shared memory and adds to '" + name + "' once, at its end."
                           : "The block counts in shared memory, in " + std::to_string(copies) +
                                 " copies so that fewer warps meet in one, and adds to '" + name +
                                 "' once, at its end.")
      .line("__shared__ " + type + " " + block + "[" + extent + "];")
      .line(loop + extent + "; " + slot + " += " + threads_.threads + ") " + block + "[" + slot +
            "] = " + zero + ";");
  if (copies > 1) {
    target = names_.take("warp" + capitalised(name));
    bool all = copies * warpSize >= threads_.count;
    std::string warp = threads_.thread + " / 32" + (all ? "" : " % " + std::to_string(copies));
    body_.before().line(type + " *" + target + " = " + block + " + " + warp + " * " + count + ";");
  }
  for (const AtomicCall &call : counters.calls) {
    std::string index = call.index ? edits_.textOf(call.index->getSourceRange()).value_or("") : "0";
    body_.replace(call.call->getArg(0)->getSourceRange(), "&" + target + "[" + index + "]");
  }
  const std::string callee = calleeOf(counters.calls.front());
  behind.open(loop + count + "; " + slot + " += " + threads_.threads + ") {");
  std::string total = block + "[" + slot + "]";
  if (copies > 1) {
    FoldedValue value;
    value.name = names_.scoped("total");
    value.operation = operation;
    if (operation == FoldOperation::Minimum || operation == FoldOperation::Maximum)
      value.function = operation == FoldOperation::Minimum ? "min" : "max";
    const std::string copy = names_.scoped("copy");
    behind.line(type + " " + value.name + " = " + total + ";")
        .line("for (int " + copy + " = 1; " + copy + " < " + std::to_string(copies) + "; ++" + copy + ") " +
              combineText(value, block + "[" + copy + " * " + count + " + " + slot + "]"));
    total = value.name;
  }
  behind
      .line("if (" + total + " != " + zero + ") " + callee + "(&" + name + "[" + slot + "], " + total + ");")
      .close();
}

void BlockCounters::writeSingle(const Counters &counters, CodeLines &behind) const {
  const std::string name = counters.pointer->getNameAsString();
  const AtomicCall &first = counters.calls.front();
  FoldCode code;
  code.threads = static_cast<unsigned>(threads_.count);
  code.thread = threads_.thread;
  code.barrier = "__syncthreads();";
  code.offset = names_.scoped("offset");
  code.lanes = names_.take("lanes");
  FoldedValue value;
  value.type = typeText(counters);
  value.name = names_.take("thread" + capitalised(name));
  value.other = names_.scoped("other");
  value.slots = names_.take("warp" + capitalised(name));
  value.operation = first.operation;
  if (value.operation == FoldOperation::Minimum || value.operation == FoldOperation::Maximum)
    value.function = value.operation == FoldOperation::Minimum ? "min" : "max";
  code.values.push_back(value);
  const std::string zero = neutralCounter(first.operation, counters.type, ast_);
  body_.before()
      .comment("Each thread keeps its part of '" + name + "'; the block adds them up before one atomic.")
      .line(value.type + " " + value.name + " = " + zero + ";");
  for (const AtomicCall &call : counters.calls) {
    std::string text = edits_.textOf(call.value->getSourceRange()).value_or("");
    std::string statement = call.subtracts ? value.name + " -= " + text : combineText(value, text);
    body_.replace(call.call->getSourceRange(), llvm::StringRef(statement).rtrim(";").str());
  }
  code.foldWarps(behind);
  if (code.warps() > 1) {
    behind.line("__shared__ " + value.type + " " + value.slots + "[" + std::to_string(code.warps()) + "];");
    code.storeWarps(behind);
    behind.line(code.barrier);
    code.foldSlots(behind, /*store=*/false);
  }
  const std::string callee = calleeOf(first);
  std::string target = counters.index.empty() ? name : "&" + name + "[" + counters.index + "]";
  behind.line("if (" + threads_.thread + " == 0 && " + value.name + " != " + zero + ") " + callee + "(" +
              target + ", " + value.name + ");");
}

} // namespace warpwright
