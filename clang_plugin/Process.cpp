#include "clang_plugin/Process.h"

#include <llvm/Support/Program.h>

namespace warpwright {

llvm::Expected<int> runProgram(llvm::ArrayRef<std::string> command) {
  assert(!command.empty() && "a command has a program");
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(command.front());
  if (!program)
    return llvm::createStringError("cannot find the program '" + command.front() + "'");
  llvm::SmallVector<llvm::StringRef, 32> words(command.begin(), command.end());
  std::string message;
  bool failed = false;
  int code = llvm::sys::ExecuteAndWait(*program, words, std::nullopt, {}, 0, 0, &message, &failed);
  if (failed)
    return llvm::createStringError("cannot run '" + command.front() + "': " + message);
  // LLVM reports a signal as -2; the shell's convention is what build tools know.
  return code < 0 ? 128 - code : code;
}

} // namespace warpwright
