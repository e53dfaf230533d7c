// virtual-coverage FILE [CLANG-ARGUMENT ...]: a line for each kernel of the file, its symbol and "covered",
// or what of it the virtual device does not cover. Nothing is launched.

#include "analysis/frontend/FrontEnd.h"
#include "analysis/ir/Prepare.h"
#include "feedback/evaluators/virtual/lowering/Compile.h"
#include "feedback/evaluators/virtual/lowering/DeviceLibrary.h"
#include "feedback/evaluators/virtual/lowering/Lower.h"

#include <cstdio>

using namespace warpwright;
using namespace warpwright::vdevice;

int main(int argc, char **argv) {
  if (argc < 2)
    return 3;
  llvm::ExitOnError check("virtual-coverage: error: ");
  ParseRequest parse;
  parse.file = argv[1];
  parse.architecture = "sm_90a";
  parse.cudaPath = "/usr/local/cuda";
  parse.clangArguments.assign(argv + 2, argv + argc);
  std::unique_ptr<TranslationUnit> unit = check(parseTranslationUnit(parse));
  check(prepareCodegenView(unit->module()));
  ProgramOptions options;
  options.cudaPath = parse.cudaPath;
  std::string library = check(findDeviceLibrary(parse.cudaPath));
  std::unique_ptr<llvm::TargetMachine> host = check(createHostMachine());
  ModuleIndex index = indexModule(unit->module(), options);
  for (const auto &[symbol, kernel] : index.kernels) {
    LoweredKernel lowered = check(lowerKernel(unit->module(), index, kernel, Lowering::Watched,
                                              ThreadOrder::Any, options, library, *host));
    std::printf("%s\t%s\n", symbol.c_str(),
                lowered.uncovered.empty() ? "covered" : lowered.uncovered.c_str());
  }
}
