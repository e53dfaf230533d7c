#include "analysis/ir/ArithmeticAnalysis.h"

#include "analysis/ir/AccessAnalysis.h"
#include "analysis/ir/InlinePtx.h"
#include "analysis/ir/MathCalls.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace warpwright {
namespace {

const llvm::Type *elementOf(const llvm::Type *type) {
  return type->getScalarType();
}

unsigned lanesOf(const llvm::Type *type) {
  const auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector ? vector->getNumElements() : 1;
}

void countFloat(ArithmeticCounts &counts, const llvm::Type *type, unsigned operations) {
  operations *= lanesOf(type);
  const llvm::Type *element = elementOf(type);
  if (element->isHalfTy())
    counts.fp16 += operations;
  else if (element->isBFloatTy())
    counts.bf16 += operations;
  else if (element->isFloatTy())
    counts.fp32 += operations;
  else if (element->isDoubleTy())
    counts.fp64 += operations;
}

void countInteger(ArithmeticCounts &counts, const llvm::Type *type) {
  if (!elementOf(type)->isIntegerTy() || elementOf(type)->isIntegerTy(1))
    return;
  (elementOf(type)->getIntegerBitWidth() > 32 ? counts.int64 : counts.int32) += lanesOf(type);
}

/// One PTX instruction of an inline text, as `cuda_fp16.h` does all of its arithmetic.
void countPtx(ArithmeticCounts &counts, const PtxInstruction &instruction) {
  llvm::StringRef name = instruction.opcode.front();
  if (name == "mma" || name == "wgmma") {
    ++counts.tensor;
    return;
  }
  if (!isPtxArithmetic(instruction) || name == "mov" || name == "cvta")
    return;
  if (name == "cvt") {
    ++counts.conversions;
    return;
  }
  if (name == "ex2" || name == "lg2" || name == "rcp" || name == "rsqrt" || name == "sin" || name == "cos" ||
      name == "sqrt" || name == "tanh") {
    ++counts.special;
    return;
  }
  unsigned operations = name == "fma" || name == "mad" ? 2 : 1;
  llvm::StringRef type = instruction.opcode.back();
  if (type == "f16" || type == "f16x2")
    counts.fp16 += operations * (type == "f16x2" ? 2 : 1);
  else if (type == "bf16" || type == "bf16x2")
    counts.bf16 += operations * (type == "bf16x2" ? 2 : 1);
  else if (type == "f32")
    counts.fp32 += operations;
  else if (type == "f64")
    counts.fp64 += operations;
  else if (type.ends_with("64"))
    ++counts.int64;
  else
    ++counts.int32;
}

/// Counts by innermost loop, made on first use so that straight-line code comes first and loops follow in
/// order.
class Counter {
public:
  explicit Counter(SymbolicValues &values) : values_(values), counts_(values.view().loops().size() + 1) {
    for (size_t id = 0; id + 1 < counts_.size(); ++id) {
      counts_[id + 1].loop = id;
      counts_[id + 1].depth = values.view().loops()[id]->getLoopDepth();
    }
  }

  void count(const llvm::Instruction &instruction);
  Arithmetic finish();

private:
  ArithmeticCounts &countsAt(const llvm::Instruction &instruction) {
    std::optional<unsigned> loop = values_.view().loopAround(instruction.getParent());
    return counts_[loop ? *loop + 1 : 0];
  }
  void countBinary(const llvm::BinaryOperator &operation);
  void countDivision(const llvm::BinaryOperator &operation);
  void countCall(const llvm::CallBase &call);

  SymbolicValues &values_;
  std::vector<ArithmeticCounts> counts_;
  Arithmetic result_;
};

void Counter::countDivision(const llvm::BinaryOperator &operation) {
  const llvm::Value *divisor = operation.getOperand(1);
  const auto *constant = llvm::dyn_cast<llvm::ConstantInt>(divisor);
  if (constant && constant->getValue().abs().isPowerOf2()) {
    countInteger(countsAt(operation), operation.getType());
    return;
  }
  ++countsAt(operation).integerDivision;
  IntegerDivision fact;
  fact.place = values_.view().placeOf(operation);
  fact.loop = values_.view().loopAround(operation.getParent());
  unsigned opcode = operation.getOpcode();
  fact.remainder = opcode == llvm::Instruction::URem || opcode == llvm::Instruction::SRem;
  fact.isSigned = opcode == llvm::Instruction::SDiv || opcode == llvm::Instruction::SRem;
  fact.bits = elementOf(operation.getType())->getIntegerBitWidth();
  const llvm::Loop *loop = values_.view().loopInfo.getLoopFor(operation.getParent());
  fact.divisor = constant                                  ? IntegerDivision::Divisor::Constant
                 : !loop || loop->isLoopInvariant(divisor) ? IntegerDivision::Divisor::LoopInvariant
                                                           : IntegerDivision::Divisor::Varying;
  fact.divisorText = values_.valueText(divisor);
  if (elementOf(divisor->getType())->isIntegerTy() && !divisor->getType()->isVectorTy())
    fact.divisorText =
        values_.integerAt(divisor, fact.isSigned ? Reading::Signed : Reading::Unsigned, operation)
            .value.text();
  result_.divisions.push_back(std::move(fact));
}

void Counter::countBinary(const llvm::BinaryOperator &operation) {
  switch (operation.getOpcode()) {
  case llvm::Instruction::FDiv:
  case llvm::Instruction::FRem:
    ++countsAt(operation).fpDivision;
    return;
  case llvm::Instruction::UDiv:
  case llvm::Instruction::SDiv:
  case llvm::Instruction::URem:
  case llvm::Instruction::SRem:
    countDivision(operation);
    return;
  default:
    if (elementOf(operation.getType())->isFloatingPointTy())
      countFloat(countsAt(operation), operation.getType(), 1);
    else
      countInteger(countsAt(operation), operation.getType());
  }
}

void Counter::countCall(const llvm::CallBase &call) {
  ArithmeticCounts &counts = countsAt(call);
  if (call.isInlineAsm()) {
    for (const PtxInstruction &instruction :
         parsePtx(llvm::cast<llvm::InlineAsm>(call.getCalledOperand())->getAsmString()))
      countPtx(counts, instruction);
    return;
  }
  llvm::StringRef callee = call.getCalledFunction() ? call.getCalledFunction()->getName() : "";
  if (callee.contains(".mma.") || callee.contains(".wmma.") || callee.contains("wgmma.mma"))
    ++counts.tensor;
  std::string name = mathName(call);
  if (name.empty())
    return;
  if (isConversion(name)) {
    ++counts.conversions;
  } else if (isSpecialFunction(name)) {
    ++counts.special;
    SpecialFunction fact;
    fact.place = values_.view().placeOf(call);
    fact.loop = values_.view().loopAround(call.getParent());
    fact.approximate = isApproximate(name);
    fact.name = std::move(name);
    fact.type = typeText(call.getType());
    result_.specialFunctions.push_back(std::move(fact));
  } else if (elementOf(call.getType())->isFloatingPointTy()) {
    countFloat(counts, call.getType(), llvm::StringRef(name).starts_with("fma") || name == "fmuladd" ? 2 : 1);
  } else {
    countInteger(counts, call.getType());
  }
}

void Counter::count(const llvm::Instruction &instruction) {
  if (const auto *operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction))
    return countBinary(*operation);
  if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
    return countCall(*call);
  if (llvm::isa<llvm::UnaryOperator>(instruction))
    return countFloat(countsAt(instruction), instruction.getType(), 1);
  if (const auto *compare = llvm::dyn_cast<llvm::CmpInst>(&instruction)) {
    const llvm::Type *type = compare->getOperand(0)->getType();
    return elementOf(type)->isFloatingPointTy() ? countFloat(countsAt(instruction), type, 1)
                                                : countInteger(countsAt(instruction), type);
  }
  if (llvm::isa<llvm::FPTruncInst, llvm::FPExtInst, llvm::FPToSIInst, llvm::FPToUIInst, llvm::SIToFPInst,
                llvm::UIToFPInst>(instruction))
    ++countsAt(instruction).conversions;
  if (const auto *gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
      gep && !gep->hasAllConstantIndices())
    ++countsAt(instruction).int64;
}

Arithmetic Counter::finish() {
  result_.counts = std::move(counts_);
  return std::move(result_);
}

bool isDoubleOperation(const llvm::Instruction &instruction) {
  if (!elementOf(instruction.getType())->isDoubleTy())
    return false;
  if (llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator>(instruction))
    return true;
  const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call && !mathName(*call).empty();
}

llvm::SmallVector<const llvm::Value *> doubleOperands(const llvm::Instruction &instruction) {
  llvm::SmallVector<const llvm::Value *> operands;
  for (const llvm::Use &operand : instruction.operands())
    if (elementOf(operand->getType())->isDoubleTy())
      operands.push_back(operand);
  return operands;
}

/// A double that holds no more than float data: extended from float, a literal, or computed from such.
bool comesFromFloat(const llvm::Value *value, unsigned depth = 0) {
  constexpr unsigned furthest = 8;
  if (llvm::isa<llvm::ConstantFP>(value))
    return true;
  if (const auto *extension = llvm::dyn_cast<llvm::FPExtInst>(value))
    return !elementOf(extension->getSrcTy())->isDoubleTy();
  const auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
  return instruction && depth < furthest && isDoubleOperation(*instruction) &&
         llvm::all_of(
             doubleOperands(*instruction),
             [&](const llvm::Value *operand) { return comesFromFloat(operand, depth + 1); });
}

bool goesToFloat(const llvm::Instruction &instruction, unsigned depth = 0) {
  constexpr unsigned furthest = 8;
  return !instruction.use_empty() && depth < furthest &&
         llvm::all_of(
             instruction.users(),
             [&](const llvm::User *user) {
               if (llvm::isa<llvm::FPTruncInst>(user))
                 return true;
               const auto *next = llvm::dyn_cast<llvm::Instruction>(user);
               return next && isDoubleOperation(*next) && goesToFloat(*next, depth + 1);
             });
}

/// At least one float at the root: an expression of literals alone was the user's choice.
bool hasFloatRoot(const llvm::Value *value, unsigned depth = 0) {
  constexpr unsigned furthest = 8;
  if (llvm::isa<llvm::FPExtInst>(value))
    return true;
  const auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
  return instruction && depth < furthest && isDoubleOperation(*instruction) &&
         llvm::any_of(
             doubleOperands(*instruction),
             [&](const llvm::Value *operand) { return hasFloatRoot(operand, depth + 1); });
}

void addDoubleInFloat(SymbolicValues &values, const llvm::Instruction &instruction, Arithmetic &result) {
  if (!isDoubleOperation(instruction))
    return;
  DoubleInFloat fact;
  fact.operandsFromFloat = comesFromFloat(&instruction) && hasFloatRoot(&instruction);
  fact.resultToFloat = goesToFloat(instruction);
  if (!fact.operandsFromFloat && !fact.resultToFloat)
    return;
  fact.place = values.view().placeOf(instruction);
  fact.loop = values.view().loopAround(instruction.getParent());
  const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  fact.operation = call ? "call " + mathName(*call) : instruction.getOpcodeName();
  fact.literal = llvm::any_of(doubleOperands(instruction), [](const llvm::Value *operand) {
    return llvm::isa<llvm::ConstantFP>(operand);
  });
  result.doublesInFloat.push_back(std::move(fact));
}

} // namespace

Arithmetic analyseArithmetic(SymbolicValues &values) {
  Counter counter(values);
  for (const llvm::Instruction &instruction : llvm::instructions(values.view().function))
    counter.count(instruction);
  Arithmetic result = counter.finish();
  for (const llvm::Instruction &instruction : llvm::instructions(values.view().function))
    addDoubleInFloat(values, instruction, result);
  return result;
}

} // namespace warpwright
