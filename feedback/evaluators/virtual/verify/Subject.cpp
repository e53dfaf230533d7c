#include "feedback/evaluators/virtual/verify/Subject.h"

#include "feedback/evaluators/Signatures.h"
#include "feedback/evaluators/virtual/LaunchFile.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

namespace warpwright::vdevice {

llvm::Expected<std::unique_ptr<Subject>> Subject::create(const FileAnalysis &file,
                                                         const FileRequest &request) {
  std::unique_ptr<Subject> subject(new Subject(file));
  subject->signatures_ = signaturesOf(file.kernels);
  llvm::Expected<std::unique_ptr<DeviceProgram>> program =
      DeviceProgram::create(file.unit->module(), programOptions(file, request));
  if (!program)
    return program.takeError();
  subject->program_ = std::move(*program);
  return subject;
}

const KernelAnalysis *Subject::find(llvm::StringRef kernel) const {
  for (const KernelAnalysis &known : file_.kernels)
    if (known.kernel.name == kernel)
      return &known;
  return nullptr;
}

const DeviceKernel *Subject::findDeviceKernel(llvm::StringRef kernel) const {
  const KernelAnalysis *found = find(kernel);
  return found ? program_->findKernel(found->kernel.symbol) : nullptr;
}

namespace {

/// Variables and functions without what names the architecture: attributes stand at the end of a module.
std::string codeOf(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (const llvm::GlobalVariable &variable : module.globals())
    stream << variable << '\n';
  for (const llvm::Function &function : module)
    stream << function;
  return text;
}

} // namespace

bool Subject::hasCodeOf(const Subject &other) const {
  return this == &other || codeOf(file_.unit->module()) == codeOf(other.file_.unit->module());
}

const AnnotationContext *Subject::findSignature(llvm::StringRef kernel) const {
  auto found =
      llvm::find_if(signatures_, [&](const AnnotationContext &known) { return known.kernel == kernel; });
  return found == signatures_.end() ? nullptr : &*found;
}

} // namespace warpwright::vdevice
