#include "clang_plugin/Jobs.h"

#include "analysis/frontend/CompileDatabase.h"

#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>
#include <nlohmann/json.hpp>

namespace warpwright {

std::string cacheDirectory(const Options &options) {
  if (options.cacheDirectory == "none")
    return {};
  if (!options.cacheDirectory.empty())
    return options.cacheDirectory;
  llvm::SmallString<128> path;
  if (!llvm::sys::path::cache_directory(path))
    return {};
  llvm::sys::path::append(path, "warpwright");
  return std::string(path);
}

llvm::Expected<FileJob> makeJob(const std::string &file, const Options &options) {
  FileJob job;
  job.file = file;
  job.cacheDirectory = cacheDirectory(options);
  job.maxRegisters = options.maxRegisters;
  job.annotateEverything = options.annotateEverything;
  llvm::Expected<Toolkit> toolkit = findToolkit();
  if (!toolkit)
    return toolkit.takeError();
  job.toolkit = std::move(*toolkit);

  llvm::SmallString<256> directory;
  if (std::error_code code = llvm::sys::fs::current_path(directory))
    return llvm::errorCodeToError(code);
  std::vector<std::string> arguments = options.compiler;
  if (!options.database.empty()) {
    llvm::Expected<CompileDatabase> database = CompileDatabase::load(options.database);
    if (!database)
      return database.takeError();
    llvm::Expected<std::vector<CompileCommand>> commands = database->commandsFor(file);
    if (!commands)
      return commands.takeError();
    directory = commands->front().directory;
    arguments = commands->front().arguments;
    job.file = commands->front().file;
  }
  llvm::Expected<NvccInvocation> invocation = adjustArguments(arguments, directory);
  if (!invocation)
    return invocation.takeError();
  job.invocation = std::move(*invocation);
  return job;
}

llvm::Expected<std::vector<Launch>> readLaunches(const std::string &path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError("cannot read '" + path + "': " + buffer.getError().message());
  llvm::StringRef text = (*buffer)->getBuffer();
  auto document = nlohmann::ordered_json::parse(text.begin(), text.end(), nullptr, false);
  if (document.is_discarded())
    return llvm::createStringError("'" + path + "' is not JSON");
  return parseLaunches(document);
}

llvm::Error writeFile(llvm::StringRef path, llvm::StringRef text) {
  return llvm::writeToOutput(path, [&](llvm::raw_ostream &stream) {
    stream << text;
    return llvm::Error::success();
  });
}

llvm::Error writeOutput(const Options &options, llvm::StringRef text) {
  if (!options.output.empty())
    return writeFile(options.output, text);
  llvm::outs() << text;
  llvm::outs().flush();
  return llvm::Error::success();
}

} // namespace warpwright
