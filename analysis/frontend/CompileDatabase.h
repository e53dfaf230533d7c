#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <string>
#include <vector>

namespace warpwright {

/// How one file is compiled, as a compile database has it.
struct CompileCommand {
  enum Compiler {
    Nvcc, ///< the arguments are nvcc's, for adjustArguments()
    Clang ///< Clang in CUDA mode: the arguments are Clang's already
  };
  Compiler compiler = Nvcc;
  std::string directory;              ///< in which the compiler runs
  std::string file;                   ///< as the database names it
  std::string executable;             ///< the compiler itself, launchers stripped
  std::vector<std::string> arguments; ///< what follows the compiler's name, input and output included
};

/// The CUDA compiles of a compile_commands.json, of both its forms, `command` and `arguments`. Launchers
/// before the compiler (ccache, sccache, distcc, `cmake -E ... --`, env, `warpwright cc ... --`) are
/// stripped.
class CompileDatabase {
public:
  /// `path` is the file or the folder it lies in. An error where it is missing or malformed.
  static llvm::Expected<CompileDatabase> load(llvm::StringRef path);

  /// All commands for a file, in the database's order: a file of two targets has two. The file is found by
  /// its absolute name, or as another name of the same file. Errors: no entry; an entry whose compiler is
  /// neither nvcc nor Clang compiling CUDA.
  llvm::Expected<std::vector<CompileCommand>> commandsFor(llvm::StringRef file) const;

  /// The files that some command compiles as CUDA, by absolute name, each once, in the database's order.
  std::vector<std::string> cudaFiles() const;

private:
  struct Entry {
    std::string directory;
    std::string file;
    std::string absoluteFile;
    std::vector<std::string> words;
  };

  std::string path_;
  std::vector<Entry> entries_;
};

/// The place of the compiler in a command line, launchers skipped; the number of words where none can be
/// recognised.
size_t findCompiler(const std::vector<std::string> &words);

} // namespace warpwright
