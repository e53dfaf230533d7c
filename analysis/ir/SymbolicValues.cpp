#include "analysis/ir/SymbolTraits.h"

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

SymbolicInteger combine(const SymbolicInteger &left, const SymbolicInteger &right, Expression value) {
  return {std::move(value), left.suppositions | right.suppositions};
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

SymbolicInteger SymbolicValues::integerAt(const llvm::Value *value, Reading reading,
                                          const llvm::Instruction &user) {
  return leaveLoops(integer(value, reading), user);
}

} // namespace warpwright
