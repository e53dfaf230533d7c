// Parses one CUDA file with the front end and prints what came out: for tests and sweeps that are about
// parsing alone.
#include "analysis/ast/Kernel.h"
#include "analysis/frontend/FrontEnd.h"
#include "analysis/host/HostFindings.h"

#include <CLI/CLI.hpp>
#include <llvm/IR/Module.h>
#include <llvm/Support/Path.h>

using namespace warpwright;

namespace {

int fail(llvm::Error error) {
  int code = 4;
  llvm::handleAllErrors(
      std::move(error),
      [&](const ParseFailure &failure) {
        failure.log(llvm::errs());
        code = 3;
      },
      [](const llvm::ErrorInfoBase &fault) { llvm::errs() << "fault: " << fault.message(); });
  llvm::errs() << '\n';
  return code;
}

void describeAttempt(const TranslationUnit &unit) {
  llvm::outs() << "attempt: " << unit.attempt() << '\n';
  if (!unit.remapped())
    return;
  for (const Mend &mend : unit.remapped()->mends())
    llvm::outs() << "mend " << llvm::sys::path::filename(unit.file()) << " at byte " << mend.offset << ", "
                 << mend.length << " bytes become " << mend.replacement.size() << ": " << mend.reason << '\n';
}

/// What rules of host code find, a line each.
void printHostFindings(TranslationUnit &unit) {
  HostAnalysis analysis(unit.ast());
  for (const HostFindings &function : findInHostCode(analysis))
    for (const Finding &finding : function.findings)
      llvm::outs() << finding.place.file << ':' << finding.place.line << '\t' << finding.id << '\t'
                   << function.name << '\t' << finding.confidence << '\t' << finding.message << '\n';
}

} // namespace

int main(int argc, char **argv) {
  ParseRequest request;
  request.architecture = "sm_90";
  request.cudaPath = "/usr/local/cuda";
  bool printIr = false;
  bool printHost = false;
  bool printAttempt = false;
  CLI::App app("Parses one CUDA file and prints its kernels");
  app.add_option("file", request.file)->required();
  app.add_option("--arch", request.architecture);
  app.add_option("--cuda", request.cudaPath);
  app.add_option("--cache", request.cacheDirectory);
  app.add_flag("--print-attempt", printAttempt, "how the file had to be read, and what was mended in it");
  app.add_flag("--print-ir", printIr);
  app.add_flag("--host", printHost, "findings of host code instead of kernels");
  app.add_option("clang-arguments", request.clangArguments, "after --");
  CLI11_PARSE(app, argc, argv);

  llvm::Expected<std::unique_ptr<TranslationUnit>> unit = parseTranslationUnit(request);
  if (!unit)
    return fail(unit.takeError());
  if (printAttempt)
    describeAttempt(**unit);
  if (printHost)
    printHostFindings(**unit);
  else
    for (const Kernel &kernel : listKernels(**unit))
      llvm::outs() << "kernel " << kernel.name << '\n';
  if (printIr)
    (*unit)->module().print(llvm::outs(), nullptr);
  return 0;
}
