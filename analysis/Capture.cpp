#include "analysis/Capture.h"

#include "analysis/TemporaryFolder.h"

#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Program.h>

namespace warpwright {
namespace {

std::string contentOf(const std::string &path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

} // namespace

llvm::Expected<Captured> capture(llvm::ArrayRef<std::string> command) {
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(command.front());
  if (!program)
    return llvm::createStringError("cannot find the program '" + command.front() + "'");
  llvm::Expected<TemporaryFolder> folder = TemporaryFolder::create();
  if (!folder)
    return folder.takeError();
  const std::string output = folder->path() + "/output", errors = folder->path() + "/errors";
  std::vector<llvm::StringRef> words(command.begin(), command.end());
  const std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(), llvm::StringRef(output),
                                                      llvm::StringRef(errors)};
  std::string message;
  bool failed = false;
  Captured captured;
  captured.code = llvm::sys::ExecuteAndWait(*program, words, std::nullopt, redirects, /*SecondsToWait=*/0,
                                            /*MemoryLimit=*/0, &message, &failed);
  if (failed)
    return llvm::createStringError("cannot run '" + command.front() + "': " + message);
  captured.output = contentOf(output);
  captured.errors = contentOf(errors);
  return captured;
}

} // namespace warpwright
