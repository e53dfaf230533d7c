#include "analysis/ir/SymbolicValues.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

namespace warpwright {
namespace {

constexpr const char *axisNames[] = {"x", "y", "z"};
/// Texts longer than this say no more to a person than the name of the value would.
constexpr size_t longestText = 96;

Symbol axisSymbol(SymbolKind kind, unsigned axis, const char *prefix) {
  Symbol symbol;
  symbol.kind = kind;
  symbol.index = axis;
  symbol.text = std::string(prefix) + "." + axisNames[axis];
  symbol.mayBeNegative = false;
  symbol.threadAxes[axis] = kind == SymbolKind::ThreadIndex;
  symbol.blockAxes[axis] = kind == SymbolKind::BlockIndex;
  return symbol;
}

void addTraits(Symbol &to, const Symbol &from) {
  for (unsigned axis = 0; axis < 3; ++axis) {
    to.threadAxes[axis] |= from.threadAxes[axis];
    to.blockAxes[axis] |= from.blockAxes[axis];
  }
  to.dataDependent |= from.dataDependent;
  if (from.kind == SymbolKind::LoopCounter && !llvm::is_contained(to.loops, from.index))
    to.loops.push_back(from.index);
  for (unsigned loop : from.loops)
    if (!llvm::is_contained(to.loops, loop))
      to.loops.push_back(loop);
}

void setAllThreadAxes(Symbol &symbol) {
  std::fill(std::begin(symbol.threadAxes), std::end(symbol.threadAxes), true);
}
void setAllBlockAxes(Symbol &symbol) {
  std::fill(std::begin(symbol.blockAxes), std::end(symbol.blockAxes), true);
}

/// Which axis a special-register intrinsic reads, and of what.
std::optional<std::pair<SymbolKind, unsigned>> specialRegister(llvm::Intrinsic::ID id) {
  using namespace llvm;
  switch (id) {
  case Intrinsic::nvvm_read_ptx_sreg_tid_x:
    return {{SymbolKind::ThreadIndex, 0}};
  case Intrinsic::nvvm_read_ptx_sreg_tid_y:
    return {{SymbolKind::ThreadIndex, 1}};
  case Intrinsic::nvvm_read_ptx_sreg_tid_z:
    return {{SymbolKind::ThreadIndex, 2}};
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
    return {{SymbolKind::BlockIndex, 0}};
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
    return {{SymbolKind::BlockIndex, 1}};
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
    return {{SymbolKind::BlockIndex, 2}};
  case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
    return {{SymbolKind::BlockExtent, 0}};
  case Intrinsic::nvvm_read_ptx_sreg_ntid_y:
    return {{SymbolKind::BlockExtent, 1}};
  case Intrinsic::nvvm_read_ptx_sreg_ntid_z:
    return {{SymbolKind::BlockExtent, 2}};
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
    return {{SymbolKind::GridExtent, 0}};
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
    return {{SymbolKind::GridExtent, 1}};
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
    return {{SymbolKind::GridExtent, 2}};
  default:
    return std::nullopt;
  }
}

SymbolicInteger combine(const SymbolicInteger &left, const SymbolicInteger &right, Expression value) {
  return {std::move(value), left.suppositions | right.suppositions};
}

} // namespace

std::string describeSuppositions(unsigned suppositions) {
  std::string text;
  auto append = [&](unsigned bit, const char *words) {
    if (suppositions & bit)
      text += (text.empty() ? "" : ", ") + std::string(words);
  };
  append(SymbolicInteger::NoWrap, "index arithmetic does not wrap");
  append(SymbolicInteger::CounterFits, "the loop counter does not wrap");
  append(SymbolicInteger::FitsNarrow, "the index fits its narrower type");
  append(SymbolicInteger::NotNegative, "the unsigned index is not negative as a signed one");
  return text;
}

Fact<Expression> gradeOf(SymbolicInteger value) {
  if (!value.value.valid())
    return Fact<Expression>::unknown("a coefficient does not fit 64 bits");
  if (value.suppositions == 0)
    return Fact<Expression>::proved(std::move(value.value));
  return Fact<Expression>::assumed(std::move(value.value), describeSuppositions(value.suppositions));
}

bool isUniform(const KernelView &view, const llvm::Value *value) {
  return view.uniformity.isUniform(value);
}

const Symbol *SymbolicValues::threadIndex(unsigned axis) {
  return table_.intern(axisSymbol(SymbolKind::ThreadIndex, axis, "threadIdx"));
}
const Symbol *SymbolicValues::blockIndex(unsigned axis) {
  return table_.intern(axisSymbol(SymbolKind::BlockIndex, axis, "blockIdx"));
}
const Symbol *SymbolicValues::blockExtent(unsigned axis) {
  return table_.intern(axisSymbol(SymbolKind::BlockExtent, axis, "blockDim"));
}
const Symbol *SymbolicValues::gridExtent(unsigned axis) {
  return table_.intern(axisSymbol(SymbolKind::GridExtent, axis, "gridDim"));
}

/// Named after the loop's variable: `i` where that counts 0, 1, 2, ..., `iter(i)` where it does not.
const Symbol *SymbolicValues::loopCounter(const llvm::Loop *loop) {
  unsigned id = view_.idOf(loop);
  if (const Symbol *known = table_.find(SymbolKind::LoopCounter, id))
    return known;
  Symbol symbol;
  symbol.kind = SymbolKind::LoopCounter;
  symbol.index = id;
  symbol.mayBeNegative = false;
  symbol.text = "iter(" + std::to_string(id) + ")";
  for (const llvm::PHINode &phi : loop->getHeader()->phis()) {
    if (!view_.evolution.isSCEVable(phi.getType()))
      continue;
    const auto *recurrence =
        llvm::dyn_cast<llvm::SCEVAddRecExpr>(view_.evolution.getSCEV(const_cast<llvm::PHINode *>(&phi)));
    std::string name = sourceName(phi);
    if (!recurrence || recurrence->getLoop() != loop || name.empty())
      continue;
    bool plain = recurrence->getStart()->isZero() && recurrence->getStepRecurrence(view_.evolution)->isOne();
    symbol.text = plain ? name : "iter(" + name + ")";
    break;
  }
  return table_.intern(std::move(symbol));
}

const Symbol *SymbolicValues::makeOpaque(std::string text, std::string key, const Symbol &traits) {
  if (auto found = opaqueByKey_.find(key); found != opaqueByKey_.end())
    return found->second;
  Symbol symbol = traits;
  symbol.kind = SymbolKind::Opaque;
  symbol.index = opaqueByKey_.size();
  symbol.text = text.size() <= longestText ? std::move(text) : "value" + std::to_string(symbol.index);
  symbol.compound &= text.size() <= longestText;
  const Symbol *made = table_.make(std::move(symbol));
  opaqueByKey_.emplace(std::move(key), made);
  return made;
}

/// Serialises an expression by symbol identity, which its text is not.
static std::string keyOf(const Expression &expression) {
  std::string key;
  for (const auto &[monomial, coefficient] : expression.terms()) {
    key += std::to_string(coefficient);
    for (const Symbol *symbol : monomial)
      key += "*" + std::to_string(symbol->order);
    key += "+";
  }
  return key;
}

const Symbol *SymbolicValues::derived(std::string text, std::initializer_list<Expression> operands,
                                      bool mayBeNegative) {
  Symbol traits;
  traits.mayBeNegative = mayBeNegative;
  std::string key = text + "|";
  for (const Expression &operand : operands) {
    operand.forEachSymbol([&](const Symbol *symbol) { addTraits(traits, *symbol); });
    key += keyOf(operand) + "|";
  }
  return makeOpaque(std::move(text), std::move(key), traits);
}

/// A symbol for an operation without side effects; the same operation on equal operands gives the same
/// symbol.
SymbolicInteger SymbolicValues::pureSymbol(const llvm::Value *value, llvm::Twine text,
                                           llvm::ArrayRef<SymbolicInteger> operands, bool mayBeNegative,
                                           std::optional<int64_t> maximum) {
  Symbol traits;
  traits.maximum = maximum;
  traits.mayBeNegative = mayBeNegative;
  traits.compound = !llvm::isa<llvm::CallInst>(value);
  std::string words = text.str();
  std::string key = words + "|";
  unsigned suppositions = 0;
  for (const SymbolicInteger &operand : operands) {
    operand.value.forEachSymbol([&](const Symbol *symbol) { addTraits(traits, *symbol); });
    key += keyOf(operand.value) + "|";
    suppositions |= operand.suppositions;
  }
  if (isUniform(view_, value))
    std::fill(std::begin(traits.threadAxes), std::end(traits.threadAxes), false);
  return {Expression(makeOpaque(std::move(words), std::move(key), traits)), suppositions};
}

/// Follows operands up to a limit; what is too much to follow counts as depending on everything.
Symbol SymbolicValues::dependences(const llvm::Value *value) const {
  constexpr unsigned furthest = 64;
  Symbol traits;
  llvm::SmallVector<const llvm::Value *> work{value};
  llvm::SmallPtrSet<const llvm::Value *, 32> seen;
  while (!work.empty() && seen.size() <= furthest) {
    const auto *instruction = llvm::dyn_cast<llvm::Instruction>(work.pop_back_val());
    if (!instruction || !seen.insert(instruction).second)
      continue;
    const auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(instruction);
    if (auto special = intrinsic ? specialRegister(intrinsic->getIntrinsicID()) : std::nullopt) {
      traits.threadAxes[special->second] |= special->first == SymbolKind::ThreadIndex;
      traits.blockAxes[special->second] |= special->first == SymbolKind::BlockIndex;
      continue;
    }
    traits.dataDependent |= instruction->mayReadOrWriteMemory() && !isByValueLoad(instruction);
    work.append(instruction->value_op_begin(), instruction->value_op_end());
  }
  bool lost = !work.empty();
  traits.dataDependent |= lost;
  if (isUniform(view_, value))
    std::fill(std::begin(traits.threadAxes), std::end(traits.threadAxes), false);
  else if (lost || !traits.variesByThread())
    setAllThreadAxes(traits);
  if (traits.dataDependent)
    setAllBlockAxes(traits);
  return traits;
}

bool SymbolicValues::isByValueLoad(const llvm::Instruction *instruction) const {
  const auto *load = llvm::dyn_cast<llvm::LoadInst>(instruction);
  return load && byValueMember(load->getPointerOperand());
}

/// A symbol for a value that nothing more is known of.
SymbolicInteger SymbolicValues::opaque(const llvm::Value *value) {
  Symbol traits = dependences(value);
  if (const auto *instruction = llvm::dyn_cast<llvm::Instruction>(value))
    for (const llvm::Loop *loop = view_.loopInfo.getLoopFor(instruction->getParent()); loop;
         loop = loop->getParentLoop())
      traits.loops.push_back(view_.idOf(loop));
  std::string key = "%" + std::to_string(reinterpret_cast<uintptr_t>(value));
  return {Expression(makeOpaque(valueText(value), std::move(key), traits))};
}

SymbolicInteger SymbolicValues::integer(const llvm::Value *value, Reading reading) {
  auto key = std::pair(value, static_cast<unsigned>(reading));
  if (auto found = cache_.find(key); found != cache_.end())
    return found->second;
  SymbolicInteger result = compute(value, reading);
  if (!result.value.valid())
    result = opaque(value);
  cache_[key] = result;
  return result;
}

SymbolicInteger SymbolicValues::compute(const llvm::Value *value, Reading reading) {
  if (!value->getType()->isIntegerTy() || value->getType()->getIntegerBitWidth() > 64)
    return opaque(value);
  if (const auto *constant = llvm::dyn_cast<llvm::ConstantInt>(value))
    return {Expression(reading == Reading::Signed ? constant->getSExtValue()
                                                  : static_cast<int64_t>(constant->getZExtValue()))};
  if (const auto *argument = llvm::dyn_cast<llvm::Argument>(value)) {
    Symbol symbol;
    symbol.kind = SymbolKind::Parameter;
    symbol.index = argument->getArgNo();
    symbol.text = view_.parameterName(argument->getArgNo());
    return {Expression(table_.intern(std::move(symbol)))};
  }
  if (const auto *phi = llvm::dyn_cast<llvm::PHINode>(value))
    return computePhi(phi, reading);
  if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(value))
    return computeLoad(load, reading);
  if (const auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(value))
    return computeIntrinsic(call, reading);
  if (const auto *freeze = llvm::dyn_cast<llvm::FreezeInst>(value))
    return integer(freeze->getOperand(0), reading);
  if (const auto *operation = llvm::dyn_cast<llvm::Operator>(value))
    return computeOperator(operation, reading);
  return opaque(value);
}

SymbolicInteger SymbolicValues::computeOperator(const llvm::Operator *operation, Reading reading) {
  switch (operation->getOpcode()) {
  case llvm::Instruction::Add:
  case llvm::Instruction::Sub:
  case llvm::Instruction::Mul:
  case llvm::Instruction::Shl:
    return computeSum(llvm::cast<llvm::OverflowingBinaryOperator>(operation), reading);
  case llvm::Instruction::SExt:
  case llvm::Instruction::ZExt:
  case llvm::Instruction::Trunc:
  case llvm::Instruction::PtrToInt:
    return computeCast(operation, reading);
  case llvm::Instruction::And:
  case llvm::Instruction::Or:
  case llvm::Instruction::Xor:
  case llvm::Instruction::LShr:
  case llvm::Instruction::AShr:
    return computeBits(operation, reading);
  case llvm::Instruction::UDiv:
  case llvm::Instruction::SDiv:
  case llvm::Instruction::URem:
  case llvm::Instruction::SRem:
    return computeDivision(operation, reading);
  case llvm::Instruction::ICmp:
  case llvm::Instruction::FCmp: {
    SymbolicInteger bit = opaque(operation);
    return reading == Reading::Signed ? SymbolicInteger{Expression() - bit.value} : bit;
  }
  default:
    return opaque(operation);
  }
}

/// Exact where the flag for this reading is set or ScalarEvolution proves it. Read as unsigned without that
/// flag, the signed reading is taken: a sum with a negative constant is small, not near 2^32.
SymbolicInteger SymbolicValues::computeSum(const llvm::OverflowingBinaryOperator *operation,
                                           Reading reading) {
  unsigned width = operation->getType()->getIntegerBitWidth();
  const llvm::Value *left = operation->getOperand(0), *right = operation->getOperand(1);
  bool exact = reading == Reading::Signed ? operation->hasNoSignedWrap() : operation->hasNoUnsignedWrap();
  llvm::ScalarEvolution &evolution = view_.evolution;
  if (reading == Reading::Unsigned && !exact && width < 64) {
    SymbolicInteger value = integer(operation, Reading::Signed);
    if (!evolution.isKnownNonNegative(
            evolution.getSCEV(const_cast<llvm::Operator *>(static_cast<const llvm::Operator *>(operation)))))
      value.suppositions |= SymbolicInteger::NotNegative;
    return value;
  }
  if (!exact && width < 64 && operation->getOpcode() != llvm::Instruction::Shl)
    exact = evolution.willNotOverflow(static_cast<llvm::Instruction::BinaryOps>(operation->getOpcode()), true,
                                      evolution.getSCEV(const_cast<llvm::Value *>(left)),
                                      evolution.getSCEV(const_cast<llvm::Value *>(right)));
  unsigned supposition = exact || width == 64 ? 0u : static_cast<unsigned>(SymbolicInteger::NoWrap);
  SymbolicInteger a = integer(left, reading);
  if (operation->getOpcode() == llvm::Instruction::Shl) {
    const auto *amount = llvm::dyn_cast<llvm::ConstantInt>(right);
    if (!amount || amount->getZExtValue() >= 63) {
      SymbolicInteger b = integer(right, Reading::Unsigned);
      return pureSymbol(operation, a.value.factorText() + " << " + b.value.factorText(), {a, b}, true);
    }
    return {a.value * Expression(int64_t(1) << amount->getZExtValue()), a.suppositions | supposition};
  }
  SymbolicInteger b = integer(right, reading);
  Expression value = operation->getOpcode() == llvm::Instruction::Add   ? a.value + b.value
                     : operation->getOpcode() == llvm::Instruction::Sub ? a.value - b.value
                                                                        : a.value * b.value;
  return {std::move(value), a.suppositions | b.suppositions | supposition};
}

SymbolicInteger SymbolicValues::computeCast(const llvm::Operator *operation, Reading reading) {
  const llvm::Value *source = operation->getOperand(0);
  switch (operation->getOpcode()) {
  case llvm::Instruction::SExt:
    return integer(source, Reading::Signed);
  case llvm::Instruction::ZExt: {
    const auto *extension = llvm::dyn_cast<llvm::PossiblyNonNegInst>(operation);
    bool nonNegative = extension && extension->hasNonNeg();
    return integer(source, nonNegative ? Reading::Signed : Reading::Unsigned);
  }
  case llvm::Instruction::Trunc: {
    const auto *truncation = llvm::dyn_cast<llvm::TruncInst>(operation);
    bool exact = truncation && (reading == Reading::Signed ? truncation->hasNoSignedWrap()
                                                           : truncation->hasNoUnsignedWrap());
    SymbolicInteger value = integer(source, reading);
    bool wide = source->getType()->getIntegerBitWidth() > 64;
    if (!exact && !wide && operation->getType()->getIntegerBitWidth() > 1)
      value.suppositions |= SymbolicInteger::FitsNarrow;
    return operation->getType()->getIntegerBitWidth() > 1 ? value : opaque(operation);
  }
  default: {
    SymbolicInteger address = opaque(operation);
    pointerOfSymbol_[address.value.terms().front().first.front()] = source;
    return address;
  }
  }
}

SymbolicInteger SymbolicValues::computeBits(const llvm::Operator *operation, Reading reading) {
  unsigned opcode = operation->getOpcode();
  const llvm::Value *right = operation->getOperand(1);
  const auto *constant = llvm::dyn_cast<llvm::ConstantInt>(right);
  if (operation->getType()->isIntegerTy(1))
    return opaque(operation);
  if (const auto *disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(operation);
      disjoint && disjoint->isDisjoint()) {
    SymbolicInteger a = integer(operation->getOperand(0), reading), b = integer(right, reading);
    return combine(a, b, a.value + b.value);
  }
  if (opcode == llvm::Instruction::Xor && constant && constant->isMinusOne()) {
    SymbolicInteger a = integer(operation->getOperand(0), Reading::Signed);
    if (reading == Reading::Unsigned)
      a.suppositions |= SymbolicInteger::NotNegative;
    a.value = Expression(-1) - a.value;
    return a;
  }
  bool isSigned = opcode == llvm::Instruction::AShr;
  SymbolicInteger a = integer(operation->getOperand(0), isSigned ? Reading::Signed : Reading::Unsigned);
  bool isShift = opcode == llvm::Instruction::LShr || opcode == llvm::Instruction::AShr;
  if (isShift && constant && constant->getZExtValue() < 63) {
    int64_t divisor = int64_t(1) << constant->getZExtValue();
    if (std::optional<Expression> quotient = a.value.dividedBy(divisor))
      return {*quotient, a.suppositions};
    return pureSymbol(operation, a.value.factorText() + " / " + std::to_string(divisor), {a}, isSigned);
  }
  if (opcode == llvm::Instruction::And && constant && constant->getValue().isMask())
    return pureSymbol(operation, a.value.factorText() + " % " + std::to_string(constant->getZExtValue() + 1),
                      {a}, false, constant->getZExtValue());
  if (opcode == llvm::Instruction::And && constant && constant->getValue().isNegatedPowerOf2()) {
    int64_t unit = -constant->getSExtValue();
    SymbolicInteger part = pureSymbol(operation, a.value.factorText() + " / " + std::to_string(unit), {a},
                                      reading == Reading::Signed);
    part.value = part.value * Expression(unit);
    return part;
  }
  SymbolicInteger b = integer(right, Reading::Unsigned);
  const char *sign = opcode == llvm::Instruction::And   ? " & "
                     : opcode == llvm::Instruction::Or  ? " | "
                     : opcode == llvm::Instruction::Xor ? " ^ "
                                                        : " >> ";
  return pureSymbol(operation, a.value.factorText() + sign + b.value.factorText(), {a, b}, true);
}

SymbolicInteger SymbolicValues::computeDivision(const llvm::Operator *operation, Reading reading) {
  unsigned opcode = operation->getOpcode();
  bool isSigned = opcode == llvm::Instruction::SDiv || opcode == llvm::Instruction::SRem;
  bool remainder = opcode == llvm::Instruction::URem || opcode == llvm::Instruction::SRem;
  Reading operandReading = isSigned ? Reading::Signed : Reading::Unsigned;
  SymbolicInteger a = integer(operation->getOperand(0), operandReading);
  SymbolicInteger b = integer(operation->getOperand(1), operandReading);
  std::optional<int64_t> divisor = b.value.asConstant();
  if (std::optional<Expression> quotient = divisor ? a.value.dividedBy(*divisor) : std::nullopt)
    return {remainder ? Expression() : *quotient, a.suppositions};
  return pureSymbol(
      operation, a.value.factorText() + (remainder ? " % " : " / ") + b.value.factorText(), {a, b}, isSigned,
      remainder && !isSigned && divisor && *divisor > 0 ? std::optional(*divisor - 1) : std::nullopt);
}

SymbolicInteger SymbolicValues::computeIntrinsic(const llvm::IntrinsicInst *call, Reading reading) {
  llvm::Intrinsic::ID id = call->getIntrinsicID();
  if (auto special = specialRegister(id)) {
    auto [kind, axis] = *special;
    return {Expression(kind == SymbolKind::ThreadIndex   ? threadIndex(axis)
                       : kind == SymbolKind::BlockIndex  ? blockIndex(axis)
                       : kind == SymbolKind::BlockExtent ? blockExtent(axis)
                                                         : gridExtent(axis))};
  }
  if (id == llvm::Intrinsic::nvvm_read_ptx_sreg_warpsize)
    return {Expression(32)};
  if (id == llvm::Intrinsic::nvvm_read_ptx_sreg_laneid || id == llvm::Intrinsic::nvvm_read_ptx_sreg_warpid) {
    Symbol traits;
    traits.mayBeNegative = false;
    setAllThreadAxes(traits);
    bool lane = id == llvm::Intrinsic::nvvm_read_ptx_sreg_laneid;
    return {Expression(makeOpaque(lane ? "laneid" : "warpid", lane ? "laneid" : "warpid", traits))};
  }
  const char *name = nullptr;
  Reading operandReading = Reading::Signed;
  switch (id) {
  case llvm::Intrinsic::umin:
    operandReading = Reading::Unsigned;
    [[fallthrough]];
  case llvm::Intrinsic::smin:
    name = "min";
    break;
  case llvm::Intrinsic::umax:
    operandReading = Reading::Unsigned;
    [[fallthrough]];
  case llvm::Intrinsic::smax:
    name = "max";
    break;
  default:
    return opaque(call);
  }
  SymbolicInteger a = integer(call->getArgOperand(0), operandReading);
  SymbolicInteger b = integer(call->getArgOperand(1), operandReading);
  return pureSymbol(call, std::string(name) + "(" + a.value.text() + ", " + b.value.text() + ")", {a, b},
                    true);
}

/// A counter {start, +, step} becomes start + step * iteration. Others, `stride *= 2`, stay opaque.
SymbolicInteger SymbolicValues::computePhi(const llvm::PHINode *phi, Reading reading) {
  if (phi->getNumIncomingValues() == 1)
    return integer(phi->getIncomingValue(0), reading);
  const llvm::Loop *loop = view_.loopInfo.getLoopFor(phi->getParent());
  if (!loop || loop->getHeader() != phi->getParent())
    return opaque(phi);
  llvm::ScalarEvolution &evolution = view_.evolution;
  const auto *recurrence =
      llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(const_cast<llvm::PHINode *>(phi)));
  const llvm::BasicBlock *before = loop->getLoopPredecessor();
  if (!recurrence || !recurrence->isAffine() || recurrence->getLoop() != loop || !before)
    return opaque(phi);
  std::optional<SymbolicInteger> step = fromEvolution(recurrence->getStepRecurrence(evolution));
  if (!step)
    return opaque(phi);
  bool narrow = phi->getType()->getIntegerBitWidth() < 64;
  bool signedExact = recurrence->hasNoSignedWrap(), unsignedExact = recurrence->hasNoUnsignedWrap();
  if (const llvm::BasicBlock *latch = loop->getLoopLatch())
    if (const auto *next =
            llvm::dyn_cast<llvm::OverflowingBinaryOperator>(phi->getIncomingValueForBlock(latch));
        next && llvm::is_contained(next->operands(), phi)) {
      signedExact |= next->hasNoSignedWrap();
      unsignedExact |= next->hasNoUnsignedWrap();
    }
  Reading startReading = reading == Reading::Unsigned && unsignedExact ? Reading::Unsigned : Reading::Signed;
  SymbolicInteger start = integer(phi->getIncomingValueForBlock(before), startReading);
  SymbolicInteger value = combine(start, *step, start.value + step->value * Expression(loopCounter(loop)));
  if (!narrow || (startReading == Reading::Unsigned && unsignedExact))
    return value;
  if (!signedExact)
    value.suppositions |= SymbolicInteger::CounterFits;
  if (reading == Reading::Unsigned && !evolution.isKnownNonNegative(recurrence))
    value.suppositions |= SymbolicInteger::NotNegative;
  return value;
}

SymbolicInteger SymbolicValues::computeLoad(const llvm::LoadInst *load, Reading reading) {
  std::optional<std::pair<unsigned, uint64_t>> member = byValueMember(load->getPointerOperand());
  if (!member)
    return opaque(load);
  Symbol symbol;
  symbol.kind = SymbolKind::Parameter;
  symbol.index = member->first;
  symbol.text = view_.memberName(member->first, member->second);
  return {Expression(table_.intern(std::move(symbol)))};
}

/// Steps and bounds that exist only as ScalarEvolution's expressions.
std::optional<SymbolicInteger> SymbolicValues::fromEvolution(const llvm::SCEV *expression) {
  if (const auto *constant = llvm::dyn_cast<llvm::SCEVConstant>(expression))
    return SymbolicInteger{Expression(constant->getAPInt().trySExtValue().value_or(0))};
  if (const auto *unknown = llvm::dyn_cast<llvm::SCEVUnknown>(expression))
    return unknown->getType()->isIntegerTy() ? std::optional(integer(unknown->getValue(), Reading::Signed))
                                             : std::nullopt;
  if (const auto *cast = llvm::dyn_cast<llvm::SCEVCastExpr>(expression)) {
    if (llvm::isa<llvm::SCEVPtrToIntExpr>(cast))
      return std::nullopt;
    std::optional<SymbolicInteger> value = fromEvolution(cast->getOperand());
    if (value && llvm::isa<llvm::SCEVTruncateExpr>(cast))
      value->suppositions |= SymbolicInteger::FitsNarrow;
    if (value && llvm::isa<llvm::SCEVZeroExtendExpr>(cast) &&
        !view_.evolution.isKnownNonNegative(cast->getOperand()))
      value->suppositions |= SymbolicInteger::NotNegative;
    return value;
  }
  const auto *nary = llvm::dyn_cast<llvm::SCEVCommutativeExpr>(expression);
  bool isSum = llvm::isa<llvm::SCEVAddExpr>(expression);
  if (!nary || (!isSum && !llvm::isa<llvm::SCEVMulExpr>(expression)))
    return std::nullopt;
  SymbolicInteger result{Expression(isSum ? 0 : 1)};
  for (const llvm::SCEV *operand : nary->operands()) {
    std::optional<SymbolicInteger> value = fromEvolution(operand);
    if (!value)
      return std::nullopt;
    result = combine(result, *value, isSum ? result.value + value->value : result.value * value->value);
  }
  if (!nary->hasNoSignedWrap() && expression->getType()->getIntegerBitWidth() < 64)
    result.suppositions |= SymbolicInteger::NoWrap;
  return result;
}

SymbolicInteger SymbolicValues::integerAt(const llvm::Value *value, Reading reading,
                                          const llvm::Instruction &user) {
  return leaveLoops(integer(value, reading), user);
}

SymbolicInteger SymbolicValues::leaveLoops(SymbolicInteger value, const llvm::Instruction &user) {
  llvm::SmallVector<const Symbol *> left;
  value.value.forEachSymbol([&](const Symbol *symbol) {
    if (symbol->kind == SymbolKind::LoopCounter && !view_.loops()[symbol->index]->contains(&user))
      left.push_back(symbol);
  });
  for (const Symbol *counter : left) {
    const llvm::Loop *loop = view_.loops()[counter->index];
    Symbol traits;
    traits.mayBeNegative = false;
    setAllThreadAxes(traits);
    setAllBlockAxes(traits);
    for (const llvm::Loop *outer = loop->getParentLoop(); outer; outer = outer->getParentLoop())
      traits.loops.push_back(view_.idOf(outer));
    const Symbol *last =
        makeOpaque("last " + counter->text, "last " + std::to_string(counter->index), traits);
    value.value = value.value.substitute(counter, Expression(last));
  }
  return value;
}

} // namespace warpwright
