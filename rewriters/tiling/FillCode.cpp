#include "rewriters/tiling/Polynomials.h"
#include "rewriters/tiling/TileFill.h"

#include <clang/AST/Type.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

std::string zeroOf(clang::QualType type) {
  if (type->isSpecificBuiltinType(clang::BuiltinType::Float))
    return "0.0f";
  if (type->isSpecificBuiltinType(clang::BuiltinType::Double))
    return "0.0";
  return type->isIntegerType() ? "0" : type.getUnqualifiedType().getAsString() + "{}";
}

} // namespace

void TileFill::declare(CodeLines &code, const std::string &memory, int64_t offset) const {
  std::string text = isBuffered() ? "[" + std::to_string(point_.stages) + "]" : "";
  for (unsigned dimension : storage_)
    text += "[" + axes_[dimension].extent +
            (dimension == storage_.back() && padding_ > 0 ? " + " + std::to_string(padding_) : "") + "]";
  const std::string type = tile_.type.getUnqualifiedType().getAsString();
  if (memory.empty())
    code.line("__shared__ __align__(16) " + type + " " + array_ + text + ";");
  else
    code.line("auto &" + array_ + " = *reinterpret_cast<" + type + " (*)" + text + ">(" + memory +
              (offset == 0 ? "" : " + " + std::to_string(offset)) + ");");
  if (!isExact())
    code.line("constexpr int " + elements_ + " = " + elementCount_ + ";");
  if (vector_ > 1)
    code.line("const bool " + aligned_ + " = " + isAligned_ + ";");
}

int64_t TileFill::turns() const {
  int64_t atOnce = point_.threads() * vector_;
  return (tile_.elements() + atOnce - 1) / atOnce;
}

bool TileFill::isExact() const {
  return tile_.elements() % (point_.threads() * vector_) == 0;
}

/// The loop over the elements that a thread brings, and which these are.
void TileFill::openTurns(CodeLines &code) const {
  std::string element = "threadIdx.x";
  if (turns() > 1) {
    code.line("#pragma unroll").open("for (int turn = 0; turn < " + std::to_string(turns()) + "; ++turn) {");
    element = "turn * " + std::to_string(point_.threads()) + " + threadIdx.x";
  } else {
    code.open("{");
  }
  if (vector_ > 1)
    element = (turns() > 1 ? "(" + element + ")" : element) + " * " + std::to_string(vector_);
  code.line("const int element = " + element + ";");
  if (!isExact())
    code.open("if (element < " + elements_ + ") {");
}

void TileFill::closeTurns(CodeLines &code) const {
  if (!isExact())
    code.close();
  code.close();
}

/// Reads the element, or as many as go together, into a variable.
void TileFill::load(const std::string &target, bool isDeclared, CodeLines &code) const {
  const std::string counterType = tile_.isWide ? "long long" : "int";
  for (const Axis &axis : axes_)
    if (axis.value != axis.base)
      code.line("const " + counterType + " " + axis.value + " = " + axis.base +
                (axis.decoded.empty() ? "" : " + " + axis.decoded) + ";");
  std::string condition = predicate(), place = index();
  std::string type = vector_ > 1 ? vectorType(vector_) : tile_.type.getUnqualifiedType().getAsString();
  std::string declared = isDeclared ? target : type + " " + target;
  if (!condition.empty())
    code.line("const bool isInside = " + condition + ";");
  if (vector_ == 1) {
    std::string read = tile_.base + "[" + place + "]";
    code.line((isDeclared ? "" : "const ") + declared + " = " +
              (condition.empty() ? read : "isInside ? " + read + " : " + zeroOf(tile_.type)) + ";");
    return;
  }
  code.line(isDeclared ? target + " = {};" : declared + " = {};");
  code.open(condition.empty() ? "if (" + aligned_ + ") {" : "if (isInside && " + aligned_ + ") {");
  code.line(target + " = *reinterpret_cast<const " + type + " *>(&" + tile_.base + "[" + place + "]);");
  code.close();
  code.open(condition.empty() ? "if (!" + aligned_ + ") {" : "if (isInside && !" + aligned_ + ") {");
  const TileDimension &dense = tile_.dimensions.back();
  for (int64_t i = 0; i < vector_; ++i) {
    std::string guard;
    for (const Expression &end : dense.ends)
      if (i > 0 && !isSure(dense, end, false))
        guard += (guard.empty() ? "" : " && ") + axes_.back().value + " + " + std::to_string(i) + " < " +
                 toFactor(end).value_or("");
    std::string line = target + "." + "xyzw"[i] + " = " + tile_.base + "[" + place +
                       (i == 0 ? "" : " + " + std::to_string(i)) + "];";
    if (!guard.empty())
      code.line("if (" + guard + ")");
    code.line(guard.empty() ? line : "  " + line);
  }
  code.close();
}

/// Puts what was read where it belongs.
void TileFill::store(const std::string &array, const std::string &value, CodeLines &code) const {
  unsigned dense = axes_.back().dimension;
  bool isTogether = vector_ > 1 && storage_.back() == dense;
  for (int64_t i = 0; i < (isTogether ? 1 : vector_); ++i) {
    std::string target = array;
    for (unsigned dimension : storage_) {
      std::string place = axes_[dimension].decoded;
      if (place.empty())
        place = "0";
      target += "[" + place + (dimension == dense && i > 0 ? " + " + std::to_string(i) : "") + "]";
    }
    if (isTogether)
      code.line("*reinterpret_cast<" + vectorType(vector_) + " *>(&" + target + ") = " + value + ";");
    else
      code.line(target + " = " + value + (vector_ > 1 ? std::string(".") + "xyzw"[i] : "") + ";");
  }
}

void TileFill::fill(CodeLines &code) const {
  openTurns(code);
  load("value", /*isDeclared=*/false, code);
  store(array_, "value", code);
  if (!oddity_.empty()) {
    std::string finite;
    for (int64_t i = 0; i < vector_; ++i)
      finite += (i == 0 ? "isfinite(value" : " && isfinite(value") +
                (vector_ > 1 ? std::string(".") + "xyzw"[i] : "") + ")";
    code.line("if (!" + (vector_ > 1 ? "(" + finite + ")" : finite) + ")");
    code.line("  atomicOr(&" + oddity_ + ", 1);");
  }
  closeTurns(code);
}

bool TileFill::mayBeWatched() const {
  return tile_.type->isSpecificBuiltinType(clang::BuiltinType::Float) ||
         tile_.type->isSpecificBuiltinType(clang::BuiltinType::Double);
}

void TileFill::declareNext(CodeLines &code) const {
  code.line((vector_ > 1 ? vectorType(vector_) : tile_.type.getUnqualifiedType().getAsString()) + " " +
            next_ + (turns() > 1 ? "[" + std::to_string(turns()) + "]" : "") + ";");
}

void TileFill::fetch(CodeLines &code) const {
  openTurns(code);
  load(turns() > 1 ? next_ + "[turn]" : next_, /*isDeclared=*/true, code);
  closeTurns(code);
}

void TileFill::keep(const std::string &buffer, CodeLines &code) const {
  openTurns(code);
  store(array_ + "[" + buffer + "]", turns() > 1 ? next_ + "[turn]" : next_, code);
  closeTurns(code);
}

} // namespace warpwright
