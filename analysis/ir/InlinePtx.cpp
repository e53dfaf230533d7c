#include "analysis/ir/InlinePtx.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace warpwright {
namespace {

/// `$3` or `${3:x}`: the number; none for any other text.
std::optional<unsigned> slotOf(llvm::StringRef text) {
  text = text.trim();
  if (!text.consume_front("$"))
    return std::nullopt;
  text.consume_front("{");
  unsigned slot = 0;
  if (text.consumeInteger(10, slot))
    return std::nullopt;
  if (!text.empty() && text.front() != ':' && text.front() != '}')
    return std::nullopt;
  return slot;
}

PtxOperand parseOperand(llvm::StringRef text) {
  PtxOperand operand;
  text = text.trim();
  operand.text = text.str();
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') {
    operand.slot = slotOf(text);
    return operand;
  }
  operand.address = true;
  auto [base, displacement] = text.drop_front().drop_back().split('+');
  operand.slot = slotOf(base);
  if (!displacement.empty() && displacement.trim().getAsInteger(0, operand.bytes))
    operand.slot.reset();
  return operand;
}

/// Splits at commas outside of brackets and braces.
std::vector<PtxOperand> parseOperands(llvm::StringRef text) {
  std::vector<PtxOperand> operands;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && (text[i] == '{' || text[i] == '['))
      ++depth;
    if (i < text.size() && (text[i] == '}' || text[i] == ']'))
      --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0))
      continue;
    llvm::StringRef part = text.slice(start, i).trim();
    if (!part.empty())
      operands.push_back(parseOperand(part));
    start = i + 1;
  }
  return operands;
}

/// Removes comments of both kinds; what is left is one line.
std::string withoutComments(llvm::StringRef text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("//")) {
      i = std::min(text.find('\n', i), text.size());
      result += ' ';
    } else if (text.substr(i).starts_with("/*")) {
      i = std::min(text.find("*/", i), text.size() - 1) + 1;
      result += ' ';
    } else {
      result += text[i] == '\n' || text[i] == '\t' || text[i] == '\r' ? ' ' : text[i];
    }
  }
  return result;
}

std::optional<PtxInstruction> parseStatement(llvm::StringRef text) {
  PtxInstruction instruction;
  text = text.trim();
  size_t colon = text.find(':');
  if (colon != llvm::StringRef::npos && text.take_front(colon).find_first_of(" .$[") == llvm::StringRef::npos)
    text = text.drop_front(colon + 1).trim();
  if (text.empty() || text.starts_with(".reg") || text.starts_with(".loc") || text.starts_with(".pragma"))
    return std::nullopt;
  if (text.consume_front("@")) {
    auto [guard, rest] = text.split(' ');
    instruction.guard = guard.str();
    text = rest.trim();
  }
  size_t end = text.find_first_of(" \t{[$");
  llvm::SmallVector<llvm::StringRef> parts;
  text.take_front(end).split(parts, '.', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts)
    instruction.opcode.push_back(part.str());
  if (end != llvm::StringRef::npos)
    instruction.operands = parseOperands(text.drop_front(end));
  if (instruction.opcode.empty())
    return std::nullopt;
  return instruction;
}

} // namespace

bool PtxInstruction::has(llvm::StringRef modifier) const {
  return llvm::is_contained(opcode, modifier);
}

std::string PtxInstruction::name() const {
  return llvm::join(opcode, ".");
}

std::vector<PtxInstruction> parsePtx(llvm::StringRef text) {
  std::string plain = withoutComments(text);
  llvm::SmallVector<llvm::StringRef> statements;
  llvm::StringRef(plain).split(statements, ';', -1, /*KeepEmpty=*/false);
  std::vector<PtxInstruction> instructions;
  for (llvm::StringRef statement : statements) {
    // A closing brace that belongs to a vector operand must stay: only the unbalanced ones are scopes.
    llvm::StringRef trimmed = statement.trim();
    while (trimmed.starts_with("{") || trimmed.starts_with("}"))
      trimmed = trimmed.drop_front().ltrim();
    if (trimmed.count('}') > trimmed.count('{'))
      trimmed = trimmed.rtrim(" }");
    if (std::optional<PtxInstruction> instruction = parseStatement(trimmed))
      instructions.push_back(std::move(*instruction));
  }
  return instructions;
}

unsigned ptxBytes(const PtxInstruction &instruction) {
  unsigned count = 1, bits = 0;
  for (llvm::StringRef part : instruction.opcode) {
    if (part == "v2" || part == "v4" || part == "v8")
      count = part[1] - '0';
    else if (part.size() > 1 && llvm::StringRef("bfsu").contains(part.front()))
      part.drop_front().getAsInteger(10, bits);
    if (part == "f16x2" || part == "bf16x2")
      bits = 32;
    if (part == "bf16")
      bits = 16;
  }
  return count * bits / 8;
}

bool isPtxArithmetic(const PtxInstruction &instruction) {
  static constexpr llvm::StringLiteral names[] = {
      "abs",      "add",      "addc",      "and",       "bfe",   "bfi",   "bfind", "brev",   "clz",
      "cnot",     "copysign", "cos",       "cvt",       "cvta",  "div",   "dp2a",  "dp4a",   "ex2",
      "fma",      "fns",      "lg2",       "lop3",      "mad",   "mad24", "madc",  "max",    "min",
      "mov",      "mul",      "mul24",     "neg",       "not",   "or",    "popc",  "prmt",   "rcp",
      "rem",      "rsqrt",    "sad",       "selp",      "set",   "setp",  "shf",   "shl",    "shr",
      "sin",      "slct",     "sqrt",      "sub",       "subc",  "szext", "tanh",  "testp",  "xor",
      "isspacep", "vabsdiff", "vabsdiff2", "vabsdiff4", "vadd",  "vadd2", "vadd4", "vavrg2", "vavrg4",
      "vmax",     "vmax2",    "vmax4",     "vmin",      "vmin2", "vmin4", "vset",  "vset2",  "vset4",
      "vshl",     "vshr",     "vsub",      "vsub2",     "vsub4"};
  return llvm::is_contained(names, llvm::StringRef(instruction.opcode.front()));
}

bool isPtxSynchronisation(const PtxInstruction &instruction) {
  static constexpr llvm::StringLiteral names[] = {
      "activemask", "bar",    "barrier",   "elect", "fence",      "griddepcontrol", "match",
      "mbarrier",   "membar", "nanosleep", "redux", "setmaxnreg", "shfl",           "vote"};
  llvm::StringRef first = instruction.opcode.front();
  if (llvm::is_contained(names, first))
    return true;
  bool group =
      instruction.has("commit_group") || instruction.has("wait_group") || instruction.has("wait_all");
  return (first == "cp" || first == "wgmma") && (group || instruction.has("fence"));
}

} // namespace warpwright
