// warpwright-program: runs a whole CUDA program without a GPU.
//
//   warpwright-program --header FILE               writes what both halves of a compilation are to include
//   warpwright-program --image CU FILE [ARGUMENTS] compiles the device code of a source, for Clang's
//                                                  -fcuda-include-gpubinary
//   warpwright-program [--check] PROGRAM.so [ARGUMENTS]
//                                                  runs main() of a program that was linked as a shared
//                                                  object; with --check its launches are watched
//
// test/bench/public_programs.py shows how the three make one program.

#include "analysis/frontend/Compatibility.h"
#include "analysis/frontend/FrontEnd.h"
#include "feedback/evaluators/virtual/runtime/ProgramRuntime.h"

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

using namespace warpwright;

namespace {

enum Exit { Clean = 0, Undecided = 86, BadUsage = 3 };

int fail(Exit code, const llvm::Twine &message) {
  llvm::errs() << "warpwright-program: " << message << '\n';
  return code;
}

int write(const char *path, llvm::ArrayRef<llvm::StringRef> parts) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (error)
    return fail(BadUsage, llvm::Twine(path) + ": " + error.message());
  for (llvm::StringRef part : parts)
    stream << part;
  return Clean;
}

int makeImage(int count, char **arguments) {
  if (count < 2)
    return fail(BadUsage, "--image needs a source and a file to write");
  ParseRequest request;
  request.file = arguments[0];
  request.architecture = "sm_90";
  const char *toolkit = std::getenv("CUDA_PATH");
  request.cudaPath = toolkit ? toolkit : "/usr/local/cuda";
  request.clangArguments.assign(arguments + 2, arguments + count);
  llvm::Expected<std::unique_ptr<TranslationUnit>> unit = parseTranslationUnit(request);
  if (!unit)
    return fail(BadUsage, llvm::toString(unit.takeError()));
  llvm::SmallVector<char, 0> bitcode;
  llvm::raw_svector_ostream stream(bitcode);
  llvm::WriteBitcodeToFile((*unit)->module(), stream);
  vdevice::DeviceImage image;
  image.bytes = bitcode.size();
  return write(arguments[1], {llvm::StringRef(reinterpret_cast<const char *>(&image), sizeof(image)),
                              llvm::StringRef(bitcode.data(), bitcode.size())});
}

int runProgram(int count, char **arguments) {
  // All symbols now: one that is missing is known before anything runs, and by its name.
  void *program = dlopen(arguments[0], RTLD_NOW | RTLD_GLOBAL);
  if (!program)
    return fail(Undecided, llvm::Twine("undecided: ") + dlerror());
  using MainFunction = int (*)(int, char **, char **);
  auto entry = reinterpret_cast<MainFunction>(dlsym(program, "main"));
  if (!entry)
    return fail(BadUsage, llvm::Twine(arguments[0]) + " has no main()");
  std::exit(entry(count, arguments, environ));
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2)
    return fail(BadUsage, "a program, --image or --header is needed");
  llvm::StringRef first = argv[1];
  if (first == "--header")
    return argc == 3 ? write(argv[2], {compatibilityText}) : fail(BadUsage, "--header needs a file to write");
  if (first == "--image")
    return makeImage(argc - 2, argv + 2);
  int skipped = first == "--check" ? 2 : 1;
  if (argc <= skipped)
    return fail(BadUsage, "--check needs a program");
  if (skipped == 2)
    vdevice::ProgramRuntime::instance().checkLaunches();
  return runProgram(argc - skipped, argv + skipped);
}
