#include "analysis/simt/InlineAsm.h"

#include "analysis/simt/Code.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSwitch.h>

#include <optional>

namespace warpwright::simt {
namespace {

using Parts = llvm::SmallVector<llvm::StringRef, 8>;

bool has(const Parts &parts, llvm::StringRef wanted) {
  return llvm::is_contained(parts, wanted);
}

unsigned addressSpaceOf(const Parts &parts) {
  for (llvm::StringRef part : parts) {
    llvm::StringRef name = part.split(':').first;
    if (name == "global")
      return GlobalSpace;
    if (name == "shared")
      return SharedSpace;
    if (name == "local")
      return LocalSpace;
    if (name == "const" || name == "param")
      return ConstantSpace;
  }
  return GenericSpace;
}

/// Bytes of a type such as "u32", "f16x2" or "b128" times the vector's length; 0 when no part is a type.
unsigned bytesOf(const Parts &parts) {
  unsigned elements = 1;
  unsigned bits = 0;
  for (llvm::StringRef part : parts) {
    unsigned number = 0;
    if (part.size() == 2 && part[0] == 'v' && !part.drop_front().getAsInteger(10, number)) {
      elements = number;
      continue;
    }
    bool packed = part.consume_back("x2");
    part.consume_front("b"); // "bf16" and "b32" alike
    if (!part.empty() && llvm::StringRef("usf").contains(part[0]))
      part = part.drop_front();
    if (!part.getAsInteger(10, number) && number >= 8 && number <= 128)
      bits = packed ? 2 * number : number;
  }
  return bits / 8 * elements;
}

/// The operand and offset of the `index`-th "[...]"; nothing if its base is no operand.
bool readAddress(llvm::StringRef statement, unsigned index, AsmAccess &access) {
  for (;; --index) {
    auto [before, rest] = statement.split('[');
    if (rest.empty())
      return false;
    statement = rest;
    if (index == 0)
      break;
  }
  llvm::StringRef text = statement.take_until([](char c) { return c == ']'; }).trim();
  if (!text.consume_front("$"))
    return false;
  text.consume_front("{");
  if (text.consumeInteger(10, access.operand))
    return false;
  text = text.drop_until([](char c) { return c == '}' || c == '+' || c == '-' || c == ' '; });
  text.consume_front("}");
  text = text.trim();
  bool plus = text.consume_front("+");
  text = text.trim();
  if (text.empty())
    return !plus;
  return !text.getAsInteger(0, access.offset);
}

std::optional<unsigned> sizeOfAsyncCopy(llvm::StringRef statement) {
  llvm::SmallVector<llvm::StringRef> operands;
  statement.split(operands, ',');
  unsigned bytes = 0;
  if (operands.size() < 3 || operands[2].trim().getAsInteger(0, bytes))
    return std::nullopt;
  return bytes;
}

void readAsyncCopy(llvm::StringRef statement, const Parts &parts, AsmEffects &effects) {
  if (has(parts, "commit_group") || has(parts, "wait_group") || has(parts, "wait_all") ||
      has(parts, "mbarrier"))
    return;
  std::optional<unsigned> bytes = sizeOfAsyncCopy(statement);
  AsmAccess from;
  AsmAccess to;
  if (!bytes || has(parts, "bulk") || !readAddress(statement, 0, to) || !readAddress(statement, 1, from)) {
    effects.unknown = "inline PTX copies memory in a form that is not read: cp.async";
    return;
  }
  from.kind = to.kind = AccessKind::AsyncCopy;
  from.bytes = to.bytes = *bytes;
  from.addressSpace = GlobalSpace;
  to.addressSpace = SharedSpace;
  effects.accesses.push_back(from);
  effects.accesses.push_back(to);
}

void readMatrixAccess(llvm::StringRef statement, const Parts &parts, AsmEffects &effects) {
  AsmAccess access;
  access.kind = parts.front() == "ldmatrix" ? AccessKind::Load : AccessKind::Store;
  access.addressSpace = SharedSpace;
  access.bytes = 16;
  access.addressLanes = has(parts, "x4") ? 32 : has(parts, "x2") ? 16 : 8;
  if (readAddress(statement, 0, access))
    effects.accesses.push_back(access);
  else
    effects.unknown = "inline PTX " + parts.front().str() + " has an address that is no operand";
}

void readPlainAccess(llvm::StringRef statement, const Parts &parts, AsmEffects &effects) {
  AsmAccess access;
  access.kind = llvm::StringSwitch<AccessKind>(parts.front())
                    .Case("st", AccessKind::Store)
                    .Cases({"atom", "red"}, AccessKind::Atomic)
                    .Default(AccessKind::Load);
  access.addressSpace = addressSpaceOf(parts);
  access.bytes = bytesOf(parts);
  if (access.addressSpace == ConstantSpace)
    return;
  if (access.bytes && readAddress(statement, 0, access))
    effects.accesses.push_back(access);
  else
    effects.unknown = "inline PTX " + parts.front().str() + " has an address that is no operand";
}

void readStatement(llvm::StringRef statement, GuardedAccesses guarded, AsmEffects &effects) {
  statement = statement.trim(" \t\r\n{}");
  bool predicated = statement.starts_with("@");
  if (predicated)
    statement = statement.drop_until([](char c) { return c == ' ' || c == '\t'; }).trim();
  llvm::StringRef opcode = statement.take_until([](char c) { return c == ' ' || c == '\t' || c == '\n'; });
  Parts parts;
  opcode.split(parts, '.');
  llvm::StringRef base = parts.front();
  size_t known = effects.accesses.size();
  if (base == "ldmatrix" || base == "stmatrix")
    readMatrixAccess(statement, parts, effects);
  else if (base == "cp" && has(parts, "async"))
    readAsyncCopy(statement, parts, effects);
  else if (base == "ld" || base == "ldu" || base == "st" || base == "atom" || base == "red")
    readPlainAccess(statement, parts, effects);
  else if (base == "bar" || base == "barrier")
    effects.isBarrier |= !has(parts, "warp");
  else if (base == "mbarrier")
    effects.yieldsTrue = true;
  else if (base == "cvta" && has(parts, "to"))
    effects.castsToShared |= addressSpaceOf(parts) == SharedSpace;
  else if (base == "cp" || base == "multimem" || base == "tcgen05" || base == "tex" || base == "suld" ||
           base == "sust" || base == "surd" || base == "isspacep" || base == "call")
    effects.unknown = "inline PTX " + opcode.str() + " is not understood";
  if (predicated && guarded == GuardedAccesses::Unknown && effects.accesses.size() > known) {
    effects.accesses.resize(known);
    effects.unknown = "inline PTX " + opcode.str() + " is predicated inside the string";
  }
}

} // namespace

AsmEffects readInlineAsm(llvm::StringRef text, GuardedAccesses guarded) {
  AsmEffects effects;
  llvm::SmallVector<llvm::StringRef> statements;
  text.split(statements, ';', -1, false);
  for (llvm::StringRef statement : statements)
    readStatement(statement, guarded, effects);
  return effects;
}

} // namespace warpwright::simt
