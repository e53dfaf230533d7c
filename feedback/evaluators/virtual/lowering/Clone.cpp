#include "feedback/evaluators/virtual/lowering/Clone.h"

#include "feedback/evaluators/virtual/lowering/UserPlace.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Support/raw_ostream.h>

namespace warpwright::vdevice {
namespace {

void adoptLocal(LoweringState &state, const llvm::Value &original, llvm::Value &copy) {
  auto found = state.kernelIndex.localOffsets.find(&original);
  if (found != state.kernelIndex.localOffsets.end())
    state.localOffsets[&copy] = found->second;
}

void adoptFunction(LoweringState &state, const llvm::Function &original, llvm::Function &copy) {
  state.functions.insert(&copy);
  if (&original == state.kernelIndex.function)
    state.kernel = &copy;
  auto frame = state.kernelIndex.recursiveFrames.find(&original);
  if (frame != state.kernelIndex.recursiveFrames.end())
    state.recursiveFrames[&copy] = frame->second;
  for (unsigned i = 0; i < original.arg_size(); ++i)
    adoptLocal(state, *original.getArg(i), *copy.getArg(i));
  auto block = copy.begin();
  for (const llvm::BasicBlock &each : original) {
    auto loop = state.index.loopOfHeader.find(&each);
    if (loop != state.index.loopOfHeader.end())
      state.loopOfHeader[&*block] = loop->second;
    ++block;
  }
  auto instruction = llvm::inst_begin(copy);
  for (const llvm::Instruction &each : llvm::instructions(original)) {
    adoptLocal(state, each, *instruction);
    auto site = state.index.firstSite.find(&each);
    if (site != state.index.firstSite.end())
      state.setSite(*instruction, site->second);
    if (llvm::isa<llvm::CallBase>(each) || each.isTerminator() || state.isShadowed())
      state.setPlace(*instruction, userPlaceOf(each));
    ++instruction;
  }
}

void adoptVariable(LoweringState &state, const llvm::GlobalVariable &original, llvm::GlobalVariable &copy) {
  auto shared = state.kernelIndex.sharedOffsets.find(&original);
  if (shared != state.kernelIndex.sharedOffsets.end())
    state.sharedOffsets[&copy] = shared->second;
  auto variable = state.index.variableOf.find(&original);
  if (variable != state.index.variableOf.end())
    state.variables[&copy] = variable->second;
}

void dropUnreached(LoweringState &state) {
  for (llvm::GlobalVariable &variable : llvm::make_early_inc_range(state.module.globals()))
    if (variable.getName().starts_with("llvm."))
      variable.eraseFromParent();
  for (llvm::Function &function : state.module)
    if (!function.isDeclaration() && !state.functions.contains(&function))
      function.deleteBody();
}

} // namespace

llvm::Expected<std::unique_ptr<llvm::Module>> cloneModule(const llvm::Module &source,
                                                          llvm::LLVMContext &context) {
  llvm::SmallVector<char, 0> buffer;
  llvm::raw_svector_ostream stream(buffer);
  llvm::WriteBitcodeToFile(source, stream);
  llvm::MemoryBufferRef reference(llvm::StringRef(buffer.data(), buffer.size()), "device IR");
  return llvm::parseBitcodeFile(reference, context);
}

void adoptClone(LoweringState &state, const llvm::Module &source) {
  auto function = state.module.begin();
  for (const llvm::Function &original : source) {
    assert(function->getName() == original.getName() &&
           "a copy lists functions in the order of the original");
    if (state.kernelIndex.functions.contains(&original))
      adoptFunction(state, original, *function);
    ++function;
  }
  auto variable = state.module.global_begin();
  for (const llvm::GlobalVariable &original : source.globals())
    adoptVariable(state, original, *variable++);
  dropUnreached(state);
  llvm::StripDebugInfo(state.module);
}

} // namespace warpwright::vdevice
