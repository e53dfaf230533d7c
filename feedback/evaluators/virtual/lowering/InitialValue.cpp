#include "feedback/evaluators/virtual/lowering/InitialValue.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <cstring>

namespace warpwright::vdevice {
namespace {

class Reader {
public:
  Reader(const llvm::DataLayout &layout,
         const llvm::DenseMap<const llvm::GlobalVariable *, uint32_t> &variableOf,
         DeviceVariable &description)
      : layout_(layout), variableOf_(variableOf), description_(description) {}

  llvm::Error read(const llvm::Constant &value, uint64_t offset) {
    if (llvm::isa<llvm::ConstantAggregateZero, llvm::UndefValue, llvm::ConstantPointerNull>(value))
      return llvm::Error::success();
    if (const auto *integer = llvm::dyn_cast<llvm::ConstantInt>(&value))
      return write(integer->getValue(), offset);
    if (const auto *number = llvm::dyn_cast<llvm::ConstantFP>(&value))
      return write(number->getValueAPF().bitcastToAPInt(), offset);
    if (const auto *data = llvm::dyn_cast<llvm::ConstantDataSequential>(&value))
      return readData(*data, offset);
    if (llvm::isa<llvm::ConstantAggregate>(value))
      return readAggregate(value, offset);
    if (value.getType()->isPointerTy())
      return readAddress(value, offset);
    return fail(value);
  }

private:
  llvm::Error fail(const llvm::Constant &value) const {
    std::string text;
    llvm::raw_string_ostream stream(text);
    value.printAsOperand(stream, false);
    return llvm::createStringError("the initial value of " + description_.name + " holds " + text);
  }

  llvm::Error write(const llvm::APInt &bits, uint64_t offset) {
    for (unsigned i = 0, bytes = (bits.getBitWidth() + 7) / 8; i < bytes; ++i)
      description_.initialValue[offset + i] =
          static_cast<uint8_t>(bits.extractBitsAsZExtValue(std::min(8u, bits.getBitWidth() - 8 * i), 8 * i));
    return llvm::Error::success();
  }

  llvm::Error readData(const llvm::ConstantDataSequential &data, uint64_t offset) {
    llvm::StringRef raw = data.getRawDataValues();
    std::memcpy(description_.initialValue.data() + offset, raw.data(), raw.size());
    return llvm::Error::success();
  }

  llvm::Error readAggregate(const llvm::Constant &value, uint64_t offset) {
    for (unsigned i = 0; i < value.getNumOperands(); ++i) {
      uint64_t place = 0;
      if (auto *type = llvm::dyn_cast<llvm::StructType>(value.getType()))
        place = layout_.getStructLayout(type)->getElementOffset(i).getFixedValue();
      else
        place = i * layout_.getTypeAllocSize(value.getOperand(i)->getType()).getFixedValue();
      if (llvm::Error error = read(*llvm::cast<llvm::Constant>(value.getOperand(i)), offset + place))
        return error;
    }
    return llvm::Error::success();
  }

  llvm::Error readAddress(const llvm::Constant &value, uint64_t offset) {
    llvm::APInt addend(layout_.getIndexTypeSizeInBits(value.getType()), 0);
    const llvm::Value *base = &value;
    for (;;) {
      base = base->stripAndAccumulateConstantOffsets(layout_, addend, /*AllowNonInbounds=*/true);
      const auto *cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(base);
      if (!cast)
        break;
      base = cast->getPointerOperand();
    }
    const auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(base);
    auto found = variable ? variableOf_.find(variable) : variableOf_.end();
    if (found == variableOf_.end())
      return fail(value);
    description_.references.push_back({offset, found->second, addend.getSExtValue()});
    return llvm::Error::success();
  }

  const llvm::DataLayout &layout_;
  const llvm::DenseMap<const llvm::GlobalVariable *, uint32_t> &variableOf_;
  DeviceVariable &description_;
};

} // namespace

llvm::Error readInitialValue(const llvm::GlobalVariable &variable,
                             const llvm::DenseMap<const llvm::GlobalVariable *, uint32_t> &variableOf,
                             DeviceVariable &description) {
  description.initialValue.assign(description.bytes, 0);
  if (!variable.hasInitializer())
    return llvm::Error::success();
  return Reader(variable.getParent()->getDataLayout(), variableOf, description)
      .read(*variable.getInitializer(), 0);
}

} // namespace warpwright::vdevice
