#include "feedback/agents/ProgramIdentity.h"

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/KernelTokens.h"
#include "feedback/agents/Submission.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/raw_ostream.h>

namespace warpwright::agents {
namespace {

/// Numbers everything in the order in which it is met, so that names play no part. Constants are printed as
/// they are; functions with a body, and variables of the file, are numbered, too.
class CodeWriter {
public:
  std::string write(const llvm::Function &root) {
    note(root);
    for (size_t i = 0; i < functions_.size(); ++i)
      function(*functions_[i]);
    for (size_t i = 0; i < variables_.size(); ++i)
      variable(*variables_[i]);
    return std::move(text_);
  }

private:
  void note(const llvm::Function &function) {
    if (!function.isDeclaration())
      functions_.insert(&function);
  }

  void function(const llvm::Function &function) {
    numbers_.clear();
    for (const llvm::Argument &argument : function.args())
      number(argument);
    for (const llvm::BasicBlock &block : function) {
      number(block);
      for (const llvm::Instruction &instruction : block)
        number(instruction);
    }
    stream_ << "function ";
    function.getFunctionType()->print(stream_);
    attributes(function.getAttributes(), function.arg_size());
    for (const llvm::BasicBlock &block : function) {
      stream_ << "block\n";
      for (const llvm::Instruction &instruction : block)
        if (!instruction.isDebugOrPseudoInst())
          this->instruction(instruction);
    }
  }

  void number(const llvm::Value &value) { numbers_.try_emplace(&value, numbers_.size()); }

  void attributes(const llvm::AttributeList &list, size_t parameters) {
    for (unsigned index = llvm::AttributeList::ReturnIndex;
         index <= llvm::AttributeList::FirstArgIndex + parameters - 1 && parameters + index > 0; ++index)
      stream_ << '(' << list.getAsString(index) << ')';
    stream_ << '(' << list.getAsString(llvm::AttributeList::FunctionIndex) << ")\n";
  }

  void instruction(const llvm::Instruction &instruction) {
    stream_ << instruction.getOpcodeName() << ' ';
    instruction.getType()->print(stream_);
    flags(instruction);
    for (const llvm::Value *operand : instruction.operand_values()) {
      stream_ << ' ';
      value(*operand);
    }
    if (const auto *phi = llvm::dyn_cast<llvm::PHINode>(&instruction))
      for (const llvm::BasicBlock *block : phi->blocks())
        stream_ << " from " << numbers_.lookup(block);
    if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
      attributes(call->getAttributes(), call->arg_size());
    if (const llvm::MDNode *loop = instruction.getMetadata(llvm::LLVMContext::MD_loop))
      hints(*loop);
    stream_ << '\n';
  }

  /// What an opcode does not say: predicates, orderings, alignment, types, fast-math and wrapping.
  void flags(const llvm::Instruction &instruction) {
    stream_ << " #" << instruction.getRawSubclassOptionalData();
    if (const auto *compare = llvm::dyn_cast<llvm::CmpInst>(&instruction))
      stream_ << ' ' << llvm::CmpInst::getPredicateName(compare->getPredicate());
    if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
      stream_ << " a" << load->getAlign().value() << (load->isVolatile() ? " volatile" : "") << ' '
              << static_cast<unsigned>(load->getOrdering());
    if (const auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
      stream_ << " a" << store->getAlign().value() << (store->isVolatile() ? " volatile" : "") << ' '
              << static_cast<unsigned>(store->getOrdering());
    if (const auto *atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
      stream_ << ' ' << llvm::AtomicRMWInst::getOperationName(atomic->getOperation()) << ' '
              << static_cast<unsigned>(atomic->getOrdering()) << ' ' << unsigned(atomic->getSyncScopeID());
    if (const auto *exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
      stream_ << ' ' << static_cast<unsigned>(exchange->getSuccessOrdering()) << ' '
              << unsigned(exchange->getSyncScopeID());
    if (const auto *fence = llvm::dyn_cast<llvm::FenceInst>(&instruction))
      stream_ << ' ' << static_cast<unsigned>(fence->getOrdering()) << ' '
              << unsigned(fence->getSyncScopeID());
    if (const auto *step = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
      stream_ << ' ';
      step->getSourceElementType()->print(stream_);
    }
    if (const auto *slot = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
      stream_ << ' ';
      slot->getAllocatedType()->print(stream_);
    }
    if (const auto *extract = llvm::dyn_cast<llvm::ExtractValueInst>(&instruction))
      for (unsigned index : extract->indices())
        stream_ << " i" << index;
    if (const auto *insert = llvm::dyn_cast<llvm::InsertValueInst>(&instruction))
      for (unsigned index : insert->indices())
        stream_ << " i" << index;
    if (const auto *shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&instruction))
      for (int lane : shuffle->getShuffleMask())
        stream_ << " m" << lane;
  }

  void value(const llvm::Value &value) {
    if (auto found = numbers_.find(&value); found != numbers_.end()) {
      stream_ << '%' << found->second;
    } else if (const auto *function = llvm::dyn_cast<llvm::Function>(&value)) {
      note(*function);
      if (function->isDeclaration())
        stream_ << '@' << function->getName();
      else
        stream_ << "@f" << (llvm::find(functions_, function) - functions_.begin());
    } else if (const auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(&value)) {
      variables_.insert(variable);
      stream_ << "@v" << (llvm::find(variables_, variable) - variables_.begin());
    } else if (const auto *constant = llvm::dyn_cast<llvm::Constant>(&value)) {
      this->constant(*constant);
    } else if (const auto *assembly = llvm::dyn_cast<llvm::InlineAsm>(&value)) {
      stream_ << "asm " << assembly->getAsmString() << ' ' << assembly->getConstraintString();
    } else {
      stream_ << "metadata";
    }
  }

  /// Expressions over variables are written out; everything else holds no name.
  void constant(const llvm::Constant &constant) {
    const bool isPlain = llvm::isa<llvm::ConstantData>(constant);
    if (isPlain)
      return constant.print(stream_);
    if (const auto *expression = llvm::dyn_cast<llvm::ConstantExpr>(&constant))
      stream_ << expression->getOpcodeName();
    if (const auto *step = llvm::dyn_cast<llvm::GEPOperator>(&constant)) {
      stream_ << ' ';
      step->getSourceElementType()->print(stream_);
    }
    stream_ << ' ';
    constant.getType()->print(stream_);
    stream_ << '[';
    for (const llvm::Value *operand : constant.operand_values()) {
      value(*operand);
      stream_ << ' ';
    }
    stream_ << ']';
  }

  void variable(const llvm::GlobalVariable &variable) {
    stream_ << "variable " << variable.getAddressSpace() << ' ' << variable.isConstant() << " a"
            << variable.getAlign().valueOrOne().value() << ' ';
    variable.getValueType()->print(stream_);
    // Variables of the device outlive a launch, and are what their names say.
    if (variable.getAddressSpace() != 3)
      stream_ << ' ' << variable.getName();
    if (variable.hasInitializer()) {
      stream_ << ' ';
      value(*variable.getInitializer());
    }
    stream_ << '\n';
  }

  /// Unroll counts and the like; a loop's first operand is itself.
  void hints(const llvm::MDNode &loop) {
    for (const llvm::MDOperand &operand : llvm::drop_begin(loop.operands()))
      if (const auto *hint = llvm::dyn_cast<llvm::MDNode>(operand))
        for (const llvm::MDOperand &part : hint->operands()) {
          if (const auto *word = llvm::dyn_cast<llvm::MDString>(part))
            stream_ << " !" << word->getString();
          else if (const auto *number = llvm::dyn_cast<llvm::ConstantAsMetadata>(part))
            number->getValue()->print(stream_);
        }
  }

  std::string text_;
  llvm::raw_string_ostream stream_{text_};
  llvm::SetVector<const llvm::Function *> functions_;
  llvm::SetVector<const llvm::GlobalVariable *> variables_;
  llvm::DenseMap<const llvm::Value *, size_t> numbers_; ///< of the function that is written
};

/// The launch's clauses as the annotation spells them, without white space.
std::string launchOf(const KernelAnalysis &kernel) {
  std::string text;
  if (!kernel.annotation)
    return text;
  auto add = [&](const auto &clause) {
    text += '|';
    if (clause)
      text += llvm::StringRef(kernel.annotation->text).substr(clause->range.offset, clause->range.length);
  };
  add(kernel.annotation->grid);
  add(kernel.annotation->block);
  add(kernel.annotation->dynamicShared);
  llvm::erase_if(text, llvm::isSpace);
  return text;
}

} // namespace

std::string namelessCode(const llvm::Function &function) {
  return CodeWriter().write(function);
}

ProgramIdentity identityOf(const KernelAnalysis &kernel) {
  ProgramIdentity identity;
  identity.source = checksumOf(kernelTokens(*kernel.kernel.declaration) + "|" + launchOf(kernel));
  if (kernel.kernel.function)
    identity.code = checksumOf(namelessCode(*kernel.kernel.function) + launchOf(kernel));
  return identity;
}

} // namespace warpwright::agents
