#include "analysis/simt/Bind.h"

#include "analysis/simt/Math.h"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include <bit>
#include <set>

namespace warpwright::simt {
namespace {

/// Notes the name of a parameter that a debug variable of the kernel itself (not of an inlined function)
/// describes.
void noteName(const llvm::DILocalVariable &variable, const llvm::DISubprogram *program,
              std::vector<std::string> &names) {
  unsigned number = variable.getArg();
  if (number && number <= names.size() && variable.getScope()->getSubprogram() == program)
    names[number - 1] = variable.getName().str();
}

void addNamesFromDebugInfo(const llvm::Function &kernel, std::vector<std::string> &names) {
  const llvm::DISubprogram *program = kernel.getSubprogram();
  if (!program)
    return;
  for (const llvm::DINode *node : program->getRetainedNodes())
    if (const auto *variable = llvm::dyn_cast<llvm::DILocalVariable>(node))
      noteName(*variable, program, names);
  for (const llvm::Instruction &instruction : llvm::instructions(kernel))
    for (const llvm::DbgVariableRecord &record : llvm::filterDbgVars(instruction.getDbgRecordRange()))
      noteName(*record.getVariable(), program, names);
}

Slot uniform(uint64_t value) {
  Slot slot;
  slot.lane.fill(value);
  return slot;
}

uint64_t truncate(uint64_t value, unsigned bits) {
  return bits >= 64 ? value : value & ((uint64_t(1) << bits) - 1);
}

uint64_t integerBits(const Scalar &value, unsigned bits) {
  int64_t number = std::holds_alternative<int64_t>(value) ? std::get<int64_t>(value)
                                                          : static_cast<int64_t>(std::get<double>(value));
  return truncate(static_cast<uint64_t>(number), bits);
}

uint64_t floatBits(const Scalar &value, ScalarKind kind) {
  double number = std::holds_alternative<double>(value) ? std::get<double>(value)
                                                        : static_cast<double>(std::get<int64_t>(value));
  return fromDouble(number, kind);
}

/// Binds parameters one by one, and remembers which arguments were taken.
class Binder {
public:
  Binder(const llvm::Function &kernel, const Launch &launch, const SimtOptions &options,
         ByteStore &parameters)
      : kernel_(kernel), launch_(launch), options_(options), parameters_(parameters),
        names_(parameterNames(kernel, options)) {}

  llvm::Expected<std::vector<Slot>> run() {
    std::vector<Slot> slots;
    for (const llvm::Argument &argument : kernel_.args()) {
      llvm::Expected<uint64_t> value = bind(argument);
      if (!value)
        return value.takeError();
      slots.push_back(uniform(*value));
    }
    for (const auto &[name, value] : launch_.arguments)
      if (!taken_.contains(name))
        return fail("argument '" + name + "' belongs to no parameter");
    return slots;
  }

private:
  llvm::Error fail(const llvm::Twine &message) const {
    return llvm::createStringError("launch of '" + kernel_.getName() + "': " + message);
  }

  const Scalar *find(const std::string &name) {
    auto found = launch_.arguments.find(name);
    if (name.empty() || found == launch_.arguments.end())
      return nullptr;
    taken_.insert(name);
    return &found->second;
  }

  uint64_t nextBuffer() { return MemoryMap::bufferStride * ++buffers_; }

  llvm::Expected<uint64_t> bind(const llvm::Argument &argument) {
    const std::string &name = names_[argument.getArgNo()];
    if (argument.hasByValAttr())
      return bindStruct(argument, name);
    llvm::Type *type = argument.getType();
    const Scalar *value = find(name);
    if (type->isPointerTy())
      return value ? integerBits(*value, 64) : nextBuffer();
    std::string title = name.empty() ? "#" + std::to_string(argument.getArgNo()) : "'" + name + "'";
    if (!type->isIntegerTy() && !type->isFloatingPointTy())
      return fail("parameter " + title + " has a type whose value cannot be stated");
    if (!value)
      return fail("parameter " + title + " has no value");
    if (type->isIntegerTy() && type->getIntegerBitWidth() <= 64)
      return integerBits(*value, type->getIntegerBitWidth());
    if (type->isDoubleTy())
      return floatBits(*value, ScalarKind::Double);
    if (type->isFloatTy())
      return floatBits(*value, ScalarKind::Float);
    if (type->isHalfTy())
      return floatBits(*value, ScalarKind::Half);
    if (type->isBFloatTy())
      return floatBits(*value, ScalarKind::BFloat);
    return fail("parameter " + title + " has a type whose value cannot be stated");
  }

  /// A struct passed by value lies in parameter memory. Members without a description read as unknown zeros.
  llvm::Expected<uint64_t> bindStruct(const llvm::Argument &argument, const std::string &name) {
    const llvm::DataLayout &layout = kernel_.getParent()->getDataLayout();
    uint64_t offset = llvm::alignTo(parameters_.size(), argument.getParamAlign().valueOrOne());
    parameters_.resize(offset + layout.getTypeAllocSize(argument.getParamByValType()).getFixedValue());
    if (argument.getArgNo() < options_.parameters.size())
      for (const ParameterMember &member : options_.parameters[argument.getArgNo()].members)
        if (llvm::Error error = bindMember(member, name, offset))
          return std::move(error);
    return MemoryMap::parameterWindow + offset;
  }

  llvm::Error bindMember(const ParameterMember &member, const std::string &parameter, uint64_t base) {
    std::string name = parameter + "." + member.name;
    const Scalar *value = find(name);
    using Kind = ParameterMember::Kind;
    if (!value && member.kind != Kind::Pointer)
      return fail("member '" + name + "' has no value");
    uint64_t bits = 0;
    if (!value)
      bits = nextBuffer();
    else if (member.kind == Kind::Float)
      bits = floatBits(*value, member.bytes == 8   ? ScalarKind::Double
                               : member.bytes == 4 ? ScalarKind::Float
                                                   : ScalarKind::Half);
    else
      bits = integerBits(*value, 8 * member.bytes);
    parameters_.write(base + member.offset, std::min(member.bytes, 8u), bits, true);
    return llvm::Error::success();
  }

  const llvm::Function &kernel_;
  const Launch &launch_;
  const SimtOptions &options_;
  ByteStore &parameters_;
  std::vector<std::string> names_;
  std::set<std::string> taken_;
  uint64_t buffers_ = 0;
};

} // namespace

std::vector<std::string> parameterNames(const llvm::Function &kernel, const SimtOptions &options) {
  std::vector<std::string> names(kernel.arg_size());
  addNamesFromDebugInfo(kernel, names);
  for (const llvm::Argument &argument : kernel.args())
    if (argument.hasName())
      names[argument.getArgNo()] = argument.getName().str();
  for (size_t i = 0; i < names.size() && i < options.parameters.size(); ++i)
    names[i] = options.parameters[i].name;
  return names;
}

llvm::Expected<std::vector<Slot>> bindArguments(const llvm::Function &kernel, const Launch &launch,
                                                const SimtOptions &options, ByteStore &parameters) {
  return Binder(kernel, launch, options, parameters).run();
}

} // namespace warpwright::simt
