#include "feedback/evaluators/virtual/lowering/ptx/Memory.h"

#include <llvm/ADT/StringSwitch.h>

namespace warpwright::vdevice::ptx {
namespace {

class MemoryBuilder {
public:
  MemoryBuilder(LoweringState &state, llvm::IRBuilder<> &builder, const PtxInstruction &instruction,
                Frame &frame, uint32_t &site)
      : state_(state), builder_(builder), instruction_(instruction), frame_(frame), site_(site),
        types_(typesOf(instruction)) {}

  bool run() {
    llvm::StringRef name = instruction_.opcode.front();
    if (name == "cp")
      return buildAsyncCopy();
    if (types_.empty() || has("param") || has("mmio") || has("cluster"))
      return false;
    if (name == "ld" || name == "ldu")
      return buildLoad();
    if (name == "st")
      return buildStore();
    return buildAtomic(name == "red");
  }

private:
  bool has(llvm::StringRef part) const { return instruction_.has(part); }

  unsigned space() const {
    for (llvm::StringRef part : instruction_.opcode) {
      llvm::StringRef name = part.split(':').first;
      if (name == "global")
        return GlobalSpace;
      if (name == "shared")
        return SharedSpace;
      if (name == "const")
        return ConstantSpace;
      if (name == "local")
        return LocalSpace;
    }
    return GenericSpace;
  }

  unsigned elements() const { return has("v8") ? 8 : has("v4") ? 4 : has("v2") ? 2 : 1; }

  /// The type that memory holds: bits, as many as all elements together.
  llvm::Type *accessType() const {
    llvm::Type *element = llvm::Type::getIntNTy(state_.module.getContext(), types_.back().width());
    return elements() == 1 ? element : llvm::FixedVectorType::get(element, elements());
  }

  void number(llvm::Instruction *instruction) { state_.setSite(*instruction, site_++); }

  llvm::Align alignment() const {
    // What PTX demands; a pointer that breaks it is for the monitor to report, not to crash on.
    return llvm::Align(1);
  }

  bool isVolatile() const { return has("volatile") || has("acquire") || has("relaxed"); }

  bool buildLoad() {
    if (instruction_.operands.size() != 2)
      return false;
    llvm::Value *pointer = frame_.address(instruction_.operands[1], space());
    if (!pointer)
      return false;
    llvm::LoadInst *load = builder_.CreateAlignedLoad(accessType(), pointer, alignment(), isVolatile());
    number(load);
    // Registers may be wider than what is loaded, and hold its sign then.
    constexpr unsigned widest = 64;
    unsigned width = types_.back().width();
    llvm::Value *loaded = load;
    if (types_.back().isSigned() && width < widest) {
      width = widest;
      loaded = builder_.CreateSExt(load, load->getType()->getWithNewBitWidth(widest));
    }
    llvm::Value *bits = builder_.CreateBitCast(loaded, builder_.getIntNTy(width * elements()));
    return frame_.write(instruction_.operands[0].text, bits, nullptr);
  }

  bool buildStore() {
    if (instruction_.operands.size() != 2)
      return false;
    llvm::Value *pointer = frame_.address(instruction_.operands[0], space());
    llvm::Value *bits = frame_.read(instruction_.operands[1], types_.back().width() * elements());
    if (!pointer || !bits)
      return false;
    number(builder_.CreateAlignedStore(builder_.CreateBitCast(bits, accessType()), pointer, alignment(),
                                       isVolatile()));
    return true;
  }

  static llvm::AtomicRMWInst::BinOp operationOf(llvm::StringRef name, Type type) {
    using Op = llvm::AtomicRMWInst;
    bool floating = type.isFloating();
    bool isSigned = type.isSigned();
    return llvm::StringSwitch<Op::BinOp>(name)
        .Case("add", floating ? Op::FAdd : Op::Add)
        .Case("and", Op::And)
        .Case("dec", Op::UDecWrap)
        .Case("exch", Op::Xchg)
        .Case("inc", Op::UIncWrap)
        .Case("max", floating   ? Op::BAD_BINOP
                     : isSigned ? Op::Max
                                : Op::UMax)
        .Case("min", floating   ? Op::BAD_BINOP
                     : isSigned ? Op::Min
                                : Op::UMin)
        .Case("or", Op::Or)
        .Case("xor", Op::Xor)
        .Default(Op::BAD_BINOP);
  }

  llvm::Type *numberType(Type type) const {
    llvm::LLVMContext &context = state_.module.getContext();
    llvm::Type *element = type.kind == Type::Kind::Half     ? llvm::Type::getHalfTy(context)
                          : type.kind == Type::Kind::BFloat ? llvm::Type::getBFloatTy(context)
                          : type.kind == Type::Kind::Float  ? llvm::Type::getFloatTy(context)
                          : type.kind == Type::Kind::Double ? llvm::Type::getDoubleTy(context)
                                                            : llvm::Type::getIntNTy(context, type.bits);
    return type.packed ? llvm::FixedVectorType::get(element, 2) : element;
  }

  bool buildAtomic(bool discards) {
    if (elements() != 1)
      return false;
    unsigned first = discards ? 0 : 1;
    Type type = types_.back();
    if (instruction_.operands.size() < first + 2)
      return false;
    llvm::Value *pointer = frame_.address(instruction_.operands[first], space());
    llvm::Value *bits = frame_.read(instruction_.operands[first + 1], type.width());
    if (!pointer || !bits)
      return false;
    constexpr auto order = llvm::AtomicOrdering::SequentiallyConsistent;
    llvm::Value *old = nullptr;
    if (has("cas")) {
      llvm::Value *desired = instruction_.operands.size() == first + 3
                                 ? frame_.read(instruction_.operands[first + 2], type.width())
                                 : nullptr;
      if (!desired)
        return false;
      llvm::AtomicCmpXchgInst *exchange =
          builder_.CreateAtomicCmpXchg(pointer, bits, desired, llvm::MaybeAlign(), order, order);
      number(exchange);
      old = builder_.CreateExtractValue(exchange, 0);
    } else {
      auto operation = llvm::AtomicRMWInst::BAD_BINOP;
      for (const std::string &part : instruction_.opcode)
        if (operation == llvm::AtomicRMWInst::BAD_BINOP)
          operation = operationOf(part, type);
      if (operation == llvm::AtomicRMWInst::BAD_BINOP || instruction_.operands.size() != first + 2)
        return false;
      if (type.kind == Type::Kind::BFloat)
        return operation == llvm::AtomicRMWInst::FAdd && addBFloats(pointer, bits, type, discards);
      llvm::Value *value = builder_.CreateBitCast(bits, numberType(type));
      llvm::AtomicRMWInst *atomic =
          builder_.CreateAtomicRMW(operation, pointer, value, llvm::MaybeAlign(), order);
      number(atomic);
      old = builder_.CreateBitCast(atomic, bits->getType());
    }
    return discards || frame_.write(instruction_.operands[0].text, old, nullptr);
  }

  /// The runtime's, as the host has no arithmetic of that type.
  bool addBFloats(llvm::Value *pointer, llvm::Value *bits, Type type, bool discards) {
    llvm::Value *old = state_.callRuntime(
        builder_, "warpwright.atomic_add_bf16", builder_.getInt32Ty(),
        {builder_.GetInsertBlock()->getParent()->getArg(0), builder_.getInt32(site_++),
         builder_.CreateAddrSpaceCast(pointer, builder_.getPtrTy()),
         builder_.CreateZExt(bits, builder_.getInt32Ty()), builder_.getInt32(type.packed ? 1 : 0)});
    return discards ||
           frame_.write(instruction_.operands[0].text, builder_.CreateTrunc(old, bits->getType()), nullptr);
  }

  bool callAsync(const char *function, llvm::ArrayRef<llvm::Value *> more) {
    llvm::SmallVector<llvm::Value *, 2> arguments = {builder_.GetInsertBlock()->getParent()->getArg(0)};
    arguments.append(more.begin(), more.end());
    state_.callRuntime(builder_, function, builder_.getVoidTy(), arguments);
    return true;
  }

  /// cp.async.ca.shared.global [to], [from], bytes{, size}, and the waits for it.
  bool buildAsyncCopy() {
    if (has("bulk"))
      return false;
    if (has("commit_group"))
      return callAsync("warpwright.async_commit", {});
    if (has("wait_all"))
      return callAsync("warpwright.async_wait_all", {});
    if (has("wait_group")) {
      llvm::Value *pending =
          instruction_.operands.empty() ? nullptr : frame_.read(instruction_.operands[0], 32);
      return pending && callAsync("warpwright.async_wait", {pending});
    }
    bool plain = has("async") && !has("mbarrier") && !has("reduce");
    if (!plain || instruction_.operands.size() < 3)
      return false;
    llvm::Value *to = frame_.address(instruction_.operands[0], SharedSpace);
    llvm::Value *from = frame_.address(instruction_.operands[1], GlobalSpace);
    llvm::Value *bytes = frame_.read(instruction_.operands[2], 32);
    llvm::Value *size = bytes;
    if (instruction_.operands.size() > 3 && !has("cache_hint"))
      size = frame_.read(instruction_.operands[3], 32);
    if (!to || !from || !bytes || !size)
      return false;
    llvm::Value *context = builder_.GetInsertBlock()->getParent()->getArg(0);
    state_.callRuntime(builder_, "warpwright.async_copy", builder_.getVoidTy(),
                       {context, builder_.getInt32(site_),
                        builder_.CreateAddrSpaceCast(to, builder_.getPtrTy()),
                        builder_.CreateAddrSpaceCast(from, builder_.getPtrTy()), bytes, size});
    site_ += 2;
    return true;
  }

  LoweringState &state_;
  llvm::IRBuilder<> &builder_;
  const PtxInstruction &instruction_;
  Frame &frame_;
  uint32_t &site_;
  llvm::SmallVector<Type, 4> types_;
};

} // namespace

bool buildMemory(LoweringState &state, llvm::IRBuilder<> &builder, const PtxInstruction &instruction,
                 Frame &frame, uint32_t &site) {
  return MemoryBuilder(state, builder, instruction, frame, site).run();
}

} // namespace warpwright::vdevice::ptx
