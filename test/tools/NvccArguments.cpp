//===- Shows what is made of nvcc's command line, for tests
//-----------------------------------------------------------===//
//
// nvcc-arguments options                the options of nvcc's help text, one a line, as `--long -short`
// nvcc-arguments architectures          their names, one a line
// nvcc-arguments page                   docs/nvcc-options.md
// nvcc-arguments clang ARGUMENTS...     the arguments for Clang, one a line
// nvcc-arguments targets ARGUMENTS...   the targets, one a line
// nvcc-arguments cubin SOURCE CUBIN ARGUMENTS...   the device-only command for the first target, one argument
// a line
//
// Ends with 1, and the error, where the arguments are refused.

#include "analysis/frontend/NvccInvocation.h"

#include <llvm/Support/WithColor.h>
#include <llvm/Support/raw_ostream.h>

using namespace warpwright;

namespace {

void print(llvm::ArrayRef<std::string> lines) {
  for (const std::string &line : lines)
    llvm::outs() << line << '\n';
}

int printTable(llvm::StringRef what) {
  if (what == "architectures")
    print(nvccArchitectures());
  else if (what == "page")
    llvm::outs() << nvccOptionsPage();
  if (what != "options")
    return 0;
  for (const NvccOption &option : nvccOptions()) {
    if (option.inHelp)
      llvm::outs() << "--" << option.longName
                   << (option.shortName.empty() ? " --" + option.longName : " -" + option.shortName) << '\n';
  }
  return 0;
}

} // namespace

int main(int count, char **words) {
  std::vector<std::string> arguments(words + 1, words + count);
  if (arguments.empty())
    return 3;
  std::string what = arguments.front();
  arguments.erase(arguments.begin());
  if (what == "options" || what == "architectures" || what == "page")
    return printTable(what);
  std::string source;
  std::string cubin;
  if (what == "cubin" && arguments.size() >= 2) {
    source = arguments[0];
    cubin = arguments[1];
    arguments.erase(arguments.begin(), arguments.begin() + 2);
  }
  llvm::Expected<NvccInvocation> invocation = adjustArguments(arguments, ".");
  if (!invocation) {
    llvm::WithColor::error() << llvm::toString(invocation.takeError()) << '\n';
    return 1;
  }
  if (what == "clang")
    print(invocation->clangArguments);
  else if (what == "cubin")
    print(cubinCommand(*invocation, invocation->targets.front(), source, cubin));
  else
    for (const NvccTarget &target : invocation->targets)
      llvm::outs() << target.generateCode() << '\n';
  return 0;
}
