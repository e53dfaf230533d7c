#include "clang_plugin/NamedSequence.h"

#include "rewriters/Rewriter.h"

#include <llvm/ADT/SmallVector.h>

namespace warpwright {
namespace {

llvm::Expected<RewriteStep> parseStep(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, ' ', -1, /*KeepEmpty=*/false);
  if (words.empty())
    return llvm::createStringError("a step of the sequence is empty");
  RewriteStep step;
  step.rewriter = words.front().str();
  if (!findRewriter(step.rewriter))
    return llvm::createStringError("'" + step.rewriter + "' is no rewriter; 'warpwright list' names them");
  for (llvm::StringRef word : llvm::drop_begin(words)) {
    auto [name, value] = word.split('=');
    int64_t number = 0;
    if (name.empty() || value.getAsInteger(10, number))
      return llvm::createStringError("'" + word.str() + "' of '" + step.rewriter +
                                     "' is no parameter; 'name=number' is one");
    step.parameters[name.str()] = number;
  }
  return step;
}

} // namespace

llvm::Expected<std::vector<RewriteStep>> parseSequence(llvm::StringRef text) {
  std::vector<RewriteStep> steps;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, '+');
  for (llvm::StringRef part : parts) {
    llvm::Expected<RewriteStep> step = parseStep(part.trim());
    if (!step)
      return step.takeError();
    steps.push_back(std::move(*step));
  }
  return steps;
}

} // namespace warpwright
