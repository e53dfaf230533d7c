#include "analysis/ir/SymbolicValues.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/IR/IntrinsicInst.h>

namespace warpwright {
namespace {

/// Below this nothing is spelled out any more.
constexpr unsigned deepest = 4;

const char *signOf(llvm::CmpInst::Predicate predicate) {
  using llvm::CmpInst;
  switch (predicate) {
  case CmpInst::ICMP_EQ:
  case CmpInst::FCMP_OEQ:
  case CmpInst::FCMP_UEQ:
    return " == ";
  case CmpInst::ICMP_NE:
  case CmpInst::FCMP_ONE:
  case CmpInst::FCMP_UNE:
    return " != ";
  case CmpInst::ICMP_UGT:
  case CmpInst::ICMP_SGT:
  case CmpInst::FCMP_OGT:
  case CmpInst::FCMP_UGT:
    return " > ";
  case CmpInst::ICMP_UGE:
  case CmpInst::ICMP_SGE:
  case CmpInst::FCMP_OGE:
  case CmpInst::FCMP_UGE:
    return " >= ";
  case CmpInst::ICMP_ULT:
  case CmpInst::ICMP_SLT:
  case CmpInst::FCMP_OLT:
  case CmpInst::FCMP_ULT:
    return " < ";
  case CmpInst::ICMP_ULE:
  case CmpInst::ICMP_SLE:
  case CmpInst::FCMP_OLE:
  case CmpInst::FCMP_ULE:
    return " <= ";
  default:
    return " ? ";
  }
}

/// Bit operations bind less tightly than comparisons.
std::string comparedText(const Expression &expression) {
  std::string text = expression.text();
  bool loose = llvm::StringRef(text).contains(" | ") || llvm::StringRef(text).contains(" & ") ||
               llvm::StringRef(text).contains(" ^ ");
  return loose ? "(" + text + ")" : text;
}

std::string constantText(const llvm::ConstantFP &constant) {
  llvm::SmallString<24> text;
  constant.getValueAPF().toString(text, /*FormatPrecision=*/9);
  return text.str().str();
}

} // namespace

std::string SymbolicValues::conditionText(const llvm::Value *condition, unsigned depth) {
  if (depth > deepest)
    return "...";
  if (const auto *constant = llvm::dyn_cast<llvm::ConstantInt>(condition))
    return constant->isZero() ? "false" : "true";
  if (const auto *compare = llvm::dyn_cast<llvm::ICmpInst>(condition)) {
    if (compare->getOperand(0)->getType()->isPointerTy())
      return "&" + indexText(address(compare->getOperand(0), *compare), 1) + signOf(compare->getPredicate()) +
             "&" + indexText(address(compare->getOperand(1), *compare), 1);
    if (!compare->getOperand(0)->getType()->isIntegerTy())
      return valueText(compare->getOperand(0), Reading::Signed, depth + 1) + signOf(compare->getPredicate()) +
             valueText(compare->getOperand(1), Reading::Signed, depth + 1);
    Reading reading = compare->isUnsigned() ? Reading::Unsigned : Reading::Signed;
    return comparedText(integer(compare->getOperand(0), reading).value) + signOf(compare->getPredicate()) +
           comparedText(integer(compare->getOperand(1), reading).value);
  }
  if (const auto *compare = llvm::dyn_cast<llvm::FCmpInst>(condition))
    return valueText(compare->getOperand(0), Reading::Signed, depth + 1) + signOf(compare->getPredicate()) +
           valueText(compare->getOperand(1), Reading::Signed, depth + 1);
  const auto *operation = llvm::dyn_cast<llvm::Operator>(condition);
  if (operation && operation->getOpcode() == llvm::Instruction::Freeze)
    return conditionText(operation->getOperand(0), depth);
  if (operation && operation->getOpcode() == llvm::Instruction::And)
    return conditionText(operation->getOperand(0), depth + 1) + " && " +
           conditionText(operation->getOperand(1), depth + 1);
  if (operation && operation->getOpcode() == llvm::Instruction::Or)
    return "(" + conditionText(operation->getOperand(0), depth + 1) + " || " +
           conditionText(operation->getOperand(1), depth + 1) + ")";
  if (operation && operation->getOpcode() == llvm::Instruction::Xor &&
      llvm::isa<llvm::ConstantInt>(operation->getOperand(1)))
    return "!(" + conditionText(operation->getOperand(0), depth + 1) + ")";
  const auto *select = llvm::dyn_cast<llvm::SelectInst>(condition);
  if (select && llvm::isa<llvm::ConstantInt>(select->getFalseValue()))
    return conditionText(select->getCondition(), depth + 1) + " && " +
           conditionText(select->getTrueValue(), depth + 1);
  if (select && llvm::isa<llvm::ConstantInt>(select->getTrueValue()))
    return "(" + conditionText(select->getCondition(), depth + 1) + " || " +
           conditionText(select->getFalseValue(), depth + 1) + ")";
  return valueText(condition, Reading::Unsigned, depth + 1);
}

std::string SymbolicValues::valueText(const llvm::Value *value, Reading reading, unsigned depth) {
  if (const auto *constant = llvm::dyn_cast<llvm::ConstantFP>(value))
    return constantText(*constant);
  if (llvm::isa<llvm::ConstantInt>(value))
    return integer(value, reading).value.text();
  if (const auto *argument = llvm::dyn_cast<llvm::Argument>(value))
    return view_.parameterName(argument->getArgNo());
  if (llvm::isa<llvm::ConstantPointerNull>(value))
    return "nullptr";
  std::string name = sourceName(*value);
  if (depth <= deepest) {
    if (llvm::isa<llvm::CmpInst>(value))
      return conditionText(value, depth + 1);
    if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(value)) {
      if (auto member = byValueMember(load->getPointerOperand()))
        return view_.memberName(member->first, member->second);
      return indexText(address(load->getPointerOperand(), *load),
                       view_.layout.getTypeStoreSize(load->getType()));
    }
    if (const auto *call = llvm::dyn_cast<llvm::CallBase>(value); call && call->getCalledFunction())
      return call->getCalledFunction()->getName().str() + "()";
  }
  return name.empty() ? "value" : name;
}

std::string SymbolicValues::indexText(const SymbolicAddress &address, uint64_t bytes) {
  std::string object = address.object.known() ? address.object.value().name : std::string("?");
  if (object.empty())
    object = "local" + std::to_string(address.object.value().position);
  if (!address.offset)
    return object + "[?]";
  if (std::optional<Expression> elements = address.offset->value.dividedBy(bytes))
    return object + "[" + elements->text() + "]";
  return object + "[bytes " + address.offset->value.text() + "]";
}

} // namespace warpwright
