#include "rewriters/folds/FoldCode.h"

#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/MathExtras.h>

namespace warpwright {
namespace {

constexpr unsigned warpSize = 32;

std::string hexadecimal(unsigned lanes) {
  uint64_t mask = lanes >= warpSize ? 0xffffffffu : (uint64_t(1) << lanes) - 1;
  return llvm::formatv("{0:x-}", mask).str().insert(0, "0x");
}

const char *operatorOf(FoldOperation operation) {
  switch (operation) {
  case FoldOperation::Sum:
    return "+=";
  case FoldOperation::Product:
    return "*=";
  case FoldOperation::BitAnd:
    return "&=";
  case FoldOperation::BitOr:
    return "|=";
  case FoldOperation::BitXor:
    return "^=";
  default:
    return nullptr;
  }
}

/// Whether the other operand is read more than once, or not always.
bool needsVariable(const FoldedValue &value) {
  return value.function.empty() && !operatorOf(value.operation);
}

} // namespace

std::string combineText(const FoldedValue &value, const std::string &other) {
  if (!value.function.empty())
    return value.name + " = " + value.function + "(" + value.name + ", " + other + ");";
  if (const char *op = operatorOf(value.operation))
    return value.name + " " + op + " " + other + ";";
  switch (value.operation) {
  case FoldOperation::LogicalAnd:
    return value.name + " = " + value.name + " && " + other + ";";
  case FoldOperation::LogicalOr:
    return value.name + " = " + value.name + " || " + other + ";";
  case FoldOperation::Maximum:
    return "if (" + value.name + " < " + other + ") " + value.name + " = " + other + ";";
  default:
    return "if (" + other + " < " + value.name + ") " + value.name + " = " + other + ";";
  }
}

void FoldCode::foldLanes(CodeLines &code, const std::string &mask, unsigned start, unsigned count, bool exist,
                         unsigned width) const {
  code.open(llvm::formatv("for (int {0} = {1}; {0} > 0; {0} /= 2) {{", offset, start).str());
  for (const FoldedValue &value : values) {
    const std::string guard = thread + " + " + offset + " < " + std::to_string(count);
    const std::string widthText = width == warpSize ? "" : ", " + std::to_string(width);
    std::string shuffle = "__shfl_down_sync(" + mask + ", " + value.name + ", " + offset + widthText + ")";
    if (count != 0 && !exist)
      shuffle = "__shfl_sync(" + mask + ", " + value.name + ", " + guard + " ? " + thread + " + " + offset +
                " : " + thread + ")";
    if (count == 0 && !needsVariable(value)) {
      code.line(combineText(value, shuffle));
      continue;
    }
    code.line(value.type + " " + value.other + " = " + shuffle + ";");
    std::string taken = combineText(value, value.other);
    if (count == 0)
      code.line(taken);
    else if (llvm::StringRef(taken).starts_with("if ("))
      code.line("if (" + guard + " && " + taken.substr(4));
    else
      code.line("if (" + guard + ") " + taken);
  }
  code.close();
}

void FoldCode::foldWarps(CodeLines &code) const {
  unsigned last = threads % warpSize; // lanes of the last warp, where it is not full
  if (last == 0 || threads < warpSize) {
    unsigned count = std::min(threads, warpSize);
    bool power = llvm::isPowerOf2_32(count);
    unsigned start = static_cast<unsigned>(llvm::PowerOf2Ceil(count)) / 2;
    foldLanes(code, hexadecimal(count), start, power ? 0 : count, false, power ? count : warpSize);
    return;
  }
  code.line(llvm::formatv("unsigned {0} = {1} < {2} ? 0xffffffff : {3};", lanes, thread, threads - last,
                          hexadecimal(last))
                .str());
  foldLanes(code, lanes, warpSize / 2, threads, false, warpSize);
}

void FoldCode::storeWarps(CodeLines &code) const {
  std::string condition = "if (" + thread + " % 32 == 0)";
  auto store = [&](const FoldedValue &value) {
    return value.slots + "[" + thread + " / 32] = " + value.name + ";";
  };
  if (values.size() == 1) {
    code.line(condition + " " + store(values.front()));
    return;
  }
  code.open(condition + " {");
  for (const FoldedValue &value : values)
    code.line(store(value));
  code.close();
}

void FoldCode::foldSlots(CodeLines &code, bool store) const {
  auto storeAll = [&] {
    if (!store)
      return;
    if (values.size() == 1) {
      code.line("if (" + thread + " == 0) " + values.front().slots + "[0] = " + values.front().name + ";");
      return;
    }
    code.open("if (" + thread + " == 0) {");
    for (const FoldedValue &value : values)
      code.line(value.slots + "[0] = " + value.name + ";");
    code.close();
  };
  if (warps() == 1)
    return storeAll();
  // Where their number is no power of two, the whole of the first warp takes part: its lanes are all there.
  bool power = llvm::isPowerOf2_32(warps());
  const std::string count = std::to_string(warps());
  code.open("if (" + thread + " < " + (power ? count : "32") + ") {");
  for (const FoldedValue &value : values)
    code.line(value.name + " = " + value.slots + "[" +
              (power ? thread : thread + " < " + count + " ? " + thread + " : 0") + "];");
  foldLanes(code, power ? hexadecimal(warps()) : "0xffffffff",
            static_cast<unsigned>(llvm::PowerOf2Ceil(warps())) / 2, power ? 0 : warps(), true,
            power ? warps() : warpSize);
  storeAll();
  code.close();
}

} // namespace warpwright
