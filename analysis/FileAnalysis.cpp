#include "analysis/FileAnalysis.h"

#include "analysis/AdoptUnit.h"
#include "analysis/EvaluateLaunches.h"
#include "analysis/FileResources.h"
#include "analysis/annotation/AnnotationReader.h"
#include "analysis/annotation/KernelContext.h"
#include "analysis/annotation/PresumedAnnotation.h"
#include "analysis/frontend/FrontEnd.h"
#include "analysis/ir/CollectFacts.h"
#include "analysis/ir/KernelView.h"
#include "analysis/ir/Prepare.h"
#include "analysis/simt/CountLaunch.h"

#include <clang/AST/ASTContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>

namespace warpwright {
namespace {

ParseRequest parseRequest(const FileRequest &request) {
  ParseRequest parse;
  parse.file = request.file;
  parse.directory = request.invocation.directory;
  parse.architecture = "sm_" + request.target.virtualArchitecture;
  parse.clangArguments = request.invocation.clangArguments;
  parse.text = request.text;
  parse.cudaPath = request.toolkit.root;
  parse.cacheDirectory = request.cacheDirectory;
  return parse;
}

void findLaunchSites(FileAnalysis &file) {
  if (file.kernels.empty())
    return;
  LaunchSites sites(file.unit->ast());
  for (KernelAnalysis &kernel : file.kernels)
    kernel.launchSites = sites.of(*kernel.kernel.declaration);
}

void readAnnotations(FileAnalysis &file, const FileRequest &request, clang::DiagnosticConsumer *diagnostics) {
  clang::IgnoringDiagConsumer silence;
  file.unit->reportTo(diagnostics ? *diagnostics : silence);
  AnnotationReader::Options options;
  options.preprocessor = &file.unit->compiler().getPreprocessor();
  AnnotationReader reader(file.unit->ast(), options);
  for (KernelAnalysis &kernel : file.kernels) {
    std::optional<KernelAnnotation> annotation = reader.read(*kernel.kernel.declaration);
    if (annotation) {
      kernel.annotation = std::move(annotation->annotation);
      kernel.context = std::move(annotation->context);
    } else if (request.annotateEverything) {
      kernel.context = describeKernel(*kernel.kernel.declaration);
      kernel.annotation = presumeAnnotation(kernel.context, kernel.launchSites);
    }
  }
  if (request.onlyKernel.empty())
    reader.reportMisplaced();
  file.unit->stopReporting();
}

/// Name of the scalar or pointer at a byte of a parameter passed by value; empty where there is none.
std::string memberAt(const Kernel &kernel, unsigned position, uint64_t byte) {
  if (position >= kernel.parameters.size())
    return {};
  const std::vector<KernelParameterMember> &members = kernel.parameters[position].members;
  auto found =
      llvm::find_if(members, [&](const KernelParameterMember &member) { return member.offset == byte; });
  return found == members.end() ? std::string() : found->name;
}

/// Symbolic facts, from the source view of the IR.
llvm::Error readFacts(FileAnalysis &file, const Toolkit &toolkit) {
  if (llvm::Error error = prepareSourceView(file.unit->module()))
    return error;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&file.unit->targetMachine());
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  for (KernelAnalysis &kernel : file.kernels) {
    std::vector<std::string> names;
    for (const KernelParameter &parameter : kernel.kernel.parameters)
      names.push_back(parameter.name);
    CollectOptions options;
    options.parameterNames = names;
    // An atomicAdd() belongs to who calls it, wherever the toolkit is installed.
    options.isSystemFile = [&](llvm::StringRef path) {
      return path.starts_with(toolkit.root + "/include/") || isToolkitFile(path);
    };
    options.memberName = [&](unsigned position, uint64_t byte) {
      return memberAt(kernel.kernel, position, byte);
    };
    llvm::Expected<KernelFacts> facts = collectKernelFacts(*kernel.kernel.function, functions, options);
    if (!facts)
      return facts.takeError();
    kernel.facts = std::move(*facts);
    // A file of a thousand instantiations would hold the loops and the scalar evolution of all of them at once.
    functions.clear(*kernel.kernel.function, kernel.kernel.symbol);
  }
  return llvm::Error::success();
}

void listAllKernels(FileAnalysis &file, const FileRequest &request) {
  for (Kernel &kernel : listKernels(*file.unit)) {
    ++file.allKernels;
    if (!request.onlyKernel.empty() && kernel.name != request.onlyKernel)
      continue;
    KernelAnalysis analysis;
    analysis.architecture = "sm_" + request.target.architecture;
    analysis.kernel = std::move(kernel);
    file.kernels.push_back(std::move(analysis));
  }
}

} // namespace

std::vector<NvccTarget> analysisTargets(const NvccInvocation &invocation) {
  std::vector<NvccTarget> targets;
  for (const NvccTarget &target : invocation.targets)
    if (target.form == NvccTarget::Cubin && !llvm::is_contained(targets, target))
      targets.push_back(target);
  for (NvccTarget target : invocation.targets) {
    bool covered = llvm::any_of(targets, [&](const NvccTarget &known) {
      return known.virtualArchitecture == target.virtualArchitecture;
    });
    if (covered)
      continue;
    target.form = NvccTarget::Cubin;
    target.architecture = target.virtualArchitecture;
    targets.push_back(target);
  }
  return targets;
}

FileAnalysis startFile(const FileRequest &request) {
  FileAnalysis file;
  startResources(file, request);
  return file;
}

llvm::Error parseFile(FileAnalysis &file, const FileRequest &request) {
  llvm::Expected<std::unique_ptr<TranslationUnit>> unit = parseTranslationUnit(parseRequest(request));
  if (!unit)
    return unit.takeError();
  file.unit = std::move(*unit);
  listAllKernels(file, request);
  return llvm::Error::success();
}

FileAnalysis adoptUnit(std::unique_ptr<TranslationUnit> unit, const FileRequest &request) {
  FileAnalysis file;
  file.resourcesNote = "registers were not asked for";
  file.unit = std::move(unit);
  listAllKernels(file, request);
  return file;
}

llvm::Expected<FileAnalysis> openFile(const FileRequest &request) {
  FileAnalysis file = startFile(request);
  if (llvm::Error error = parseFile(file, request))
    return std::move(error);
  return file;
}

void readDeclarations(FileAnalysis &file, const FileRequest &request,
                      clang::DiagnosticConsumer *diagnostics) {
  findLaunchSites(file);
  readAnnotations(file, request, diagnostics);
}

llvm::Error collectCounts(FileAnalysis &file, const FileRequest &request,
                          clang::DiagnosticConsumer *diagnostics) {
  readDeclarations(file, request, diagnostics);
  if (llvm::Error error = readFacts(file, request.toolkit))
    return error;
  if (llvm::Error error = prepareCodegenView(file.unit->module()))
    return error;
  if (request.countShapes)
    for (KernelAnalysis &kernel : file.kernels)
      evaluateLaunches(kernel, kernel.annotation && !request.annotateEverything
                                   ? simt::SimtOptions().stepBudget
                                   : supposedStepBudget(file.allKernels));
  return llvm::Error::success();
}

llvm::Error collectFacts(FileAnalysis &file, const FileRequest &request,
                         clang::DiagnosticConsumer *diagnostics) {
  if (llvm::Error error = collectCounts(file, request, diagnostics))
    return error;
  collectResources(file, request);
  return llvm::Error::success();
}

llvm::Expected<FileAnalysis> analyseFile(const FileRequest &request, clang::DiagnosticConsumer *diagnostics) {
  llvm::Expected<FileAnalysis> file = openFile(request);
  if (!file)
    return file.takeError();
  if (llvm::Error error = collectFacts(*file, request, diagnostics))
    return std::move(error);
  for (KernelAnalysis &kernel : file->kernels)
    kernel.findings = findAll(kernel);
  return file;
}

} // namespace warpwright
