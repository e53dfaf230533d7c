#include "analysis/frontend/CompileDatabase.h"

#include <clang/Tooling/JSONCompilationDatabase.h>

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>

#include <nlohmann/json.hpp>

using namespace warpwright;

namespace {

using Words = std::vector<std::string>;

enum class ProgramKind { Nvcc, Clang, OtherCompiler, Launcher, LauncherUntilDashes, Other };

bool isVersionOf(llvm::StringRef name, llvm::StringRef program) {
  return name.consume_front(program) && (name.empty() || name.front() == '-');
}

ProgramKind kindOfProgram(llvm::StringRef word) {
  llvm::StringRef name = llvm::sys::path::filename(word);
  name.consume_back(".exe");
  if (name == "nvcc" || name.starts_with("nvcc-"))
    return ProgramKind::Nvcc;
  if (isVersionOf(name, "clang") || isVersionOf(name, "clang++"))
    return ProgramKind::Clang;
  if (name.ends_with("gcc") || name.ends_with("g++") || isVersionOf(name, "gcc") ||
      isVersionOf(name, "g++") || name == "cc" || name == "c++")
    return ProgramKind::OtherCompiler;
  if (name == "warpwright" || name == "cmake")
    return ProgramKind::LauncherUntilDashes;
  for (llvm::StringRef launcher : {"ccache", "sccache", "distcc", "icecc", "env", "time", "nice"}) {
    if (name == launcher)
      return ProgramKind::Launcher;
  }
  return ProgramKind::Other;
}

bool isCompiler(llvm::StringRef word) {
  ProgramKind kind = kindOfProgram(word);
  return kind == ProgramKind::Nvcc || kind == ProgramKind::Clang || kind == ProgramKind::OtherCompiler;
}

std::string absolutePath(llvm::StringRef directory, llvm::StringRef file) {
  llvm::SmallString<256> path(file);
  llvm::sys::path::make_absolute(directory, path);
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return path.str().str();
}

/// Clang compiles CUDA where the input is a .cu file or -x says so.
bool compilesCuda(const Words &arguments, llvm::StringRef file) {
  bool cuda = llvm::sys::path::extension(file) == ".cu";
  for (size_t i = 0; i != arguments.size(); ++i) {
    llvm::StringRef word = arguments[i];
    if (!word.consume_front("-x"))
      continue;
    if (word.empty() && i + 1 != arguments.size())
      word = arguments[i + 1];
    cuda = word == "cuda" || word == "cu";
  }
  return cuda;
}

} // namespace

size_t warpwright::findCompiler(const Words &words) {
  size_t next = 0;
  while (next != words.size() && !isCompiler(words[next])) {
    ProgramKind kind = kindOfProgram(words[next]);
    if (kind == ProgramKind::Launcher || kind == ProgramKind::LauncherUntilDashes)
      ++next;
    if (kind == ProgramKind::Other)
      return words.size();
    if (kind == ProgramKind::Launcher) {
      // Options of the launcher itself and variables that env sets.
      while (next != words.size() &&
             (llvm::StringRef(words[next]).starts_with("-") || llvm::StringRef(words[next]).contains('=')))
        ++next;
    } else {
      while (next != words.size() && words[next] != "--")
        ++next;
      if (next != words.size())
        ++next;
    }
  }
  return next;
}

llvm::Expected<CompileDatabase> CompileDatabase::load(llvm::StringRef path) {
  llvm::SmallString<256> file(path);
  if (llvm::sys::fs::is_directory(file))
    llvm::sys::path::append(file, "compile_commands.json");
  if (!llvm::sys::fs::exists(file))
    return llvm::createStringError("there is no compile database '" + file +
                                   "'; CMake writes one with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON");
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      llvm::MemoryBuffer::getFile(file, /*IsText=*/true);
  if (!buffer)
    return llvm::createStringError("cannot read the compile database '" + file +
                                   "': " + buffer.getError().message());
  llvm::StringRef text = (*buffer)->getBuffer();
  // Clang's reader writes what it thinks of malformed text to the standard error; it only gets to see JSON.
  if (!nlohmann::ordered_json::accept(text))
    return llvm::createStringError("the compile database '" + file + "' is not JSON");
  std::string message;
  std::unique_ptr<clang::tooling::JSONCompilationDatabase> json =
      clang::tooling::JSONCompilationDatabase::loadFromBuffer(
          text, message, clang::tooling::JSONCommandLineSyntax::AutoDetect);
  if (!json)
    return llvm::createStringError("cannot read the compile database '" + file + "': " + message);
  CompileDatabase database;
  database.path_ = file.str().str();
  for (clang::tooling::CompileCommand &command : json->getAllCompileCommands()) {
    std::string absolute = absolutePath(command.Directory, command.Filename);
    database.entries_.push_back(
        {command.Directory, command.Filename, absolute, std::move(command.CommandLine)});
  }
  return database;
}

llvm::Expected<std::vector<CompileCommand>> CompileDatabase::commandsFor(llvm::StringRef file) const {
  llvm::SmallString<256> current;
  if (std::error_code error = llvm::sys::fs::current_path(current))
    return llvm::createStringError("the current folder has no name: " + error.message());
  std::string wanted = absolutePath(current, file);
  std::vector<CompileCommand> commands;
  std::string otherCompiler;
  for (const Entry &entry : entries_) {
    if (entry.absoluteFile != wanted && !llvm::sys::fs::equivalent(entry.absoluteFile, wanted))
      continue;
    size_t place = findCompiler(entry.words);
    if (place == entry.words.size()) {
      otherCompiler = entry.words.empty() ? "(none)" : entry.words.front();
      continue;
    }
    CompileCommand command;
    command.directory = entry.directory;
    command.file = entry.file;
    command.executable = entry.words[place];
    command.arguments.assign(entry.words.begin() + place + 1, entry.words.end());
    ProgramKind kind = kindOfProgram(command.executable);
    if (kind == ProgramKind::Clang && compilesCuda(command.arguments, entry.file)) {
      command.compiler = CompileCommand::Clang;
    } else if (kind != ProgramKind::Nvcc) {
      otherCompiler = command.executable;
      continue;
    }
    commands.push_back(std::move(command));
  }
  if (!commands.empty())
    return commands;
  if (!otherCompiler.empty())
    return llvm::createStringError("'" + path_ + "' compiles '" + file + "' with '" + otherCompiler +
                                   "', which is neither nvcc nor Clang compiling CUDA");
  return llvm::createStringError("'" + path_ + "' has no entry for '" + file + "'");
}

std::vector<std::string> CompileDatabase::cudaFiles() const {
  std::vector<std::string> files;
  for (const Entry &entry : entries_) {
    size_t place = findCompiler(entry.words);
    if (place == entry.words.size())
      continue;
    ProgramKind kind = kindOfProgram(entry.words[place]);
    Words arguments(entry.words.begin() + place + 1, entry.words.end());
    bool cuda = (kind == ProgramKind::Nvcc || kind == ProgramKind::Clang) &&
                compilesCuda(arguments, entry.absoluteFile);
    if (cuda && !llvm::is_contained(files, entry.absoluteFile))
      files.push_back(entry.absoluteFile);
  }
  return files;
}
