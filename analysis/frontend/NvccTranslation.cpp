#include "analysis/frontend/NvccTranslation.h"

#include "analysis/frontend/NvccWords.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Support/Path.h>

using namespace warpwright;

namespace {

llvm::Error badOption(const llvm::Twine &text) {
  return llvm::createStringError("nvcc arguments: " + text);
}

struct ActionOption {
  NvccOptionId option;
  NvccAction action;
};

constexpr ActionOption actionOptions[] = {
    {NvccOptionId::Compile, NvccAction::Object},
    {NvccOptionId::Cubin, NvccAction::Cubin},
    {NvccOptionId::Cuda, NvccAction::HostCpp},
    {NvccOptionId::DeviceC, NvccAction::DeviceObject},
    {NvccOptionId::DeviceLink, NvccAction::DeviceLink},
    {NvccOptionId::DeviceW, NvccAction::Object},
    {NvccOptionId::Dryrun, NvccAction::Query},
    {NvccOptionId::Fatbin, NvccAction::Fatbin},
    {NvccOptionId::GenerateDependencies, NvccAction::Dependencies},
    {NvccOptionId::GenerateNonsystemDependencies, NvccAction::Dependencies},
    {NvccOptionId::Help, NvccAction::Query},
    {NvccOptionId::Lib, NvccAction::Library},
    {NvccOptionId::ListGpuArch, NvccAction::Query},
    {NvccOptionId::ListGpuCode, NvccAction::Query},
    {NvccOptionId::Ltoir, NvccAction::Ltoir},
    {NvccOptionId::Preprocess, NvccAction::Preprocess},
    {NvccOptionId::Ptx, NvccAction::Ptx},
    {NvccOptionId::Version, NvccAction::Query},
};

std::optional<NvccInputKind> kindOfSuffix(llvm::StringRef path) {
  using Kind = std::optional<NvccInputKind>;
  return llvm::StringSwitch<Kind>(llvm::sys::path::extension(path))
      .Case(".cu", NvccInputKind::Cuda)
      .Cases({".cc", ".cpp", ".cxx"}, NvccInputKind::Cxx)
      .Case(".c", NvccInputKind::C)
      .Cases({".i", ".ii"}, NvccInputKind::Preprocessed)
      .Case(".ptx", NvccInputKind::Ptx)
      .Case(".cubin", NvccInputKind::Cubin)
      .Case(".fatbin", NvccInputKind::Fatbin)
      .Case(".ltoir", NvccInputKind::Ltoir)
      .Cases({".o", ".obj", ".res"}, NvccInputKind::Object)
      .Cases({".a", ".lib", ".so"}, NvccInputKind::Library)
      .Default(std::nullopt);
}

} // namespace

NvccTranslation::NvccTranslation(llvm::StringRef directory, const NvccEnvironment &environment) {
  invocation_.directory = directory.str();
  request_.nativeArchitectures = environment.nativeArchitectures;
}

NvccTranslation::Group NvccTranslation::groupOf(NvccOptionId id) {
  switch (id) {
  case NvccOptionId::IncludePath:
    return Folders;
  case NvccOptionId::SystemInclude:
    return SystemFolders;
  case NvccOptionId::DefineMacro:
  case NvccOptionId::UndefineMacro:
    return Macros;
  case NvccOptionId::PreInclude:
    return ForcedIncludes;
  case NvccOptionId::ExptExtendedLambda:
  case NvccOptionId::ExptRelaxedConstexpr:
  case NvccOptionId::ExtendedLambda:
  case NvccOptionId::ExtensibleWholeProgram:
    return ImpliedMacros;
  default:
    return Others;
  }
}

std::string NvccTranslation::value(NvccOptionId id) const {
  auto found = last_.find(id);
  return found == last_.end() || found->second.values.empty() ? "" : found->second.values.front();
}

llvm::Error NvccTranslation::add(const NvccArgument &argument) {
  switch (argument.kind) {
  case NvccArgumentKind::Option:
    return addOption(argument);
  case NvccArgumentKind::Input:
    inputs_.push_back(argument);
    return llvm::Error::success();
  case NvccArgumentKind::ForHostCompiler:
    addHostText(argument.words.front());
    invocation_.deviceArguments.push_back(argument.words.front());
    return llvm::Error::success();
  case NvccArgumentKind::ForHostLinker:
    invocation_.dropped.push_back({argument.spelled(), "goes to the host linker"});
    return llvm::Error::success();
  }
  return llvm::Error::success();
}

llvm::Error NvccTranslation::addOption(const NvccArgument &argument) {
  const NvccOption &option = *argument.option;
  if (option.disposition == NvccOptionDisposition::Refused)
    return badOption("'" + argument.spelled() + "' is refused: " + option.reason);
  if (option.disposition == NvccOptionDisposition::Dropped)
    invocation_.dropped.push_back({argument.spelled(), option.reason.str()});
  if (option.deviceCompile == NvccDeviceCompile::Taken)
    llvm::append_range(invocation_.deviceArguments, argument.words);
  if (auto earlier = last_.find(option.id); earlier != last_.end())
    noteReplaced(earlier->second, argument);
  last_[option.id] = argument;
  addClangWords(argument);
  switch (option.id) {
  case NvccOptionId::CompilerOptions:
    for (const std::string &text : argument.values)
      addHostText(text);
    break;
  case NvccOptionId::Entries:
    llvm::append_range(invocation_.entries, argument.values);
    break;
  case NvccOptionId::GenerateCode:
    llvm::append_range(request_.generateCodes, argument.values);
    break;
  case NvccOptionId::GpuCode:
    llvm::append_range(request_.codes, argument.values);
    break;
  default:
    break;
  }
  return llvm::Error::success();
}

void NvccTranslation::noteReplaced(const NvccArgument &earlier, const NvccArgument &later) {
  bool lastCounts = later.option->takesArgument() && !later.option->isList() &&
                    later.option->id != NvccOptionId::GenerateCode;
  if (lastCounts && earlier.values != later.values)
    invocation_.dropped.push_back({earlier.spelled(), "'" + later.spelled() + "' comes later and counts"});
}

void NvccTranslation::addHostText(llvm::StringRef text) {
  if (text.find_first_of("$`") != llvm::StringRef::npos) {
    invocation_.dropped.push_back({text.str(), "the shell that runs the host compiler would expand it"});
    return;
  }
  llvm::Expected<std::vector<std::string>> words = splitShellWords(text);
  if (!words) {
    invocation_.dropped.push_back({text.str(), llvm::toString(words.takeError())});
    return;
  }
  llvm::append_range(hostWords_, *words);
}

void NvccTranslation::addClangWords(const NvccArgument &argument) {
  llvm::StringRef pattern = argument.option->clangArguments;
  if (pattern.empty())
    return;
  std::vector<std::string> &words = groups_[groupOf(argument.option->id)];
  if (!argument.option->takesArgument()) {
    if (!llvm::is_contained(words, pattern))
      words.push_back(pattern.str());
    return;
  }
  auto [head, blank] = pattern.split(' ');
  for (const std::string &value : argument.values) {
    if (pattern.contains(' '))
      words.insert(words.end(), {head.str(), value});
    else
      words.push_back(pattern.drop_back().str() + value);
  }
}

llvm::Error NvccTranslation::settlePhase() {
  for (const ActionOption &row : actionOptions) {
    if (given(row.option))
      invocation_.action = std::min(invocation_.action, row.action);
  }
  bool denied = !isTrue(NvccOptionId::RelocatableDeviceCode, true);
  if (given(NvccOptionId::DeviceC) && given(NvccOptionId::DeviceW))
    return badOption("'--device-c' and '--device-w' contradict each other");
  if (given(NvccOptionId::DeviceC) && denied)
    return badOption("'--device-c' contradicts '--relocatable-device-code=false'");
  invocation_.relocatable = isTrue(NvccOptionId::RelocatableDeviceCode, false);
  invocation_.relocatable |= given(NvccOptionId::DeviceC) || (given(NvccOptionId::DeviceLink) && !denied);
  // Link-time optimisation overrides even -rdc=false.
  bool linkTimeOptimization = given(NvccOptionId::DlinkTimeOpt) || given(NvccOptionId::Lto);
  invocation_.relocatable |= linkTimeOptimization;
  if (invocation_.relocatable && given(NvccOptionId::ExtensibleWholeProgram))
    return badOption("'--extensible-whole-program' contradicts relocatable device code");
  if (invocation_.action == NvccAction::Ltoir && !linkTimeOptimization)
    return badOption("'--ltoir' needs '--dlink-time-opt'");
  if (invocation_.relocatable && !given(NvccOptionId::RelocatableDeviceCode))
    invocation_.deviceArguments.push_back("-rdc=true");
  return llvm::Error::success();
}

llvm::Error NvccTranslation::settleInputs() {
  std::string language = value(NvccOptionId::X);
  for (const NvccArgument &argument : inputs_) {
    const std::string &path = argument.values.front();
    std::optional<NvccInputKind> kind = kindOfSuffix(path);
    if (!language.empty())
      kind = language == "cu" ? NvccInputKind::Cuda : language == "c" ? NvccInputKind::C : NvccInputKind::Cxx;
    if (!kind)
      return badOption("nvcc knows no such kind of input: '" + path + "'");
    invocation_.inputs.push_back({path, *kind, argument.position});
  }
  return llvm::Error::success();
}

llvm::Error NvccTranslation::settleTargets() {
  if (given(NvccOptionId::GpuArchitecture))
    request_.architecture = value(NvccOptionId::GpuArchitecture);
  request_.linkTimeOptimization = given(NvccOptionId::DlinkTimeOpt) || given(NvccOptionId::Lto);
  request_.relocatable = invocation_.relocatable;
  if (invocation_.action == NvccAction::Ptx)
    request_.images = NvccTargetRequest::OnePtx;
  if (invocation_.action == NvccAction::Cubin)
    request_.images = NvccTargetRequest::OneCubin;
  if (request_.architecture == "native" && request_.nativeArchitectures.empty()) {
    invocation_.assumedArchitecture = "sm_" + std::string(nvccDefaultArchitecture);
    invocation_.dropped.push_back(
        {last_[NvccOptionId::GpuArchitecture].spelled(),
         "no GPU is here; nvcc takes " + invocation_.assumedArchitecture + " then"});
  }
  llvm::Expected<std::vector<NvccTarget>> targets = nvccTargets(request_);
  if (!targets)
    return targets.takeError();
  invocation_.targets = std::move(*targets);
  return llvm::Error::success();
}

void NvccTranslation::settleFields() {
  invocation_.outputGiven = given(NvccOptionId::OutputFile);
  invocation_.output = value(NvccOptionId::OutputFile);
  invocation_.outputDirectory = value(NvccOptionId::OutputDirectory);
  invocation_.hostCompiler = value(NvccOptionId::CompilerBindir);
  invocation_.restrictParameters = given(NvccOptionId::Restrict);
  invocation_.deviceDebug = given(NvccOptionId::DeviceDebug) && !given(NvccOptionId::Dopt);
  int64_t registers = 0;
  // ptxas takes no limit where the number is zero or less, or missing.
  if (!llvm::StringRef(value(NvccOptionId::Maxrregcount)).getAsInteger(0, registers) && registers > 0)
    invocation_.maxRegisters = registers;
  NvccFloatingPoint &floats = invocation_.floatingPoint;
  floats.fastMath = given(NvccOptionId::UseFastMath);
  floats.flushDenormals = isTrue(NvccOptionId::Ftz, floats.fastMath);
  floats.preciseDivision = isTrue(NvccOptionId::PrecDiv, !floats.fastMath);
  floats.preciseSquareRoot = isTrue(NvccOptionId::PrecSqrt, !floats.fastMath);
  floats.contract = isTrue(NvccOptionId::Fmad, true);
}

llvm::Error NvccTranslation::settleDependencies() {
  NvccDependencies &dependencies = invocation_.dependencies;
  bool nonSystem = given(NvccOptionId::GenerateNonsystemDependencies) ||
                   given(NvccOptionId::GenerateNonsystemDependenciesWithCompile);
  bool withCompile = given(NvccOptionId::GenerateDependenciesWithCompile) ||
                     given(NvccOptionId::GenerateNonsystemDependenciesWithCompile);
  dependencies.wanted = nonSystem || withCompile || given(NvccOptionId::GenerateDependencies);
  dependencies.systemHeaders = !nonSystem;
  dependencies.file = value(NvccOptionId::DependencyOutput);
  dependencies.target = value(NvccOptionId::DependencyTargetName);
  dependencies.phonyTargets = given(NvccOptionId::GenerateDependencyTargets);
  if (withCompile && given(NvccOptionId::Preprocess))
    return badOption("'-MD' and '-MMD' need a compile, which '-E' is not");
  if (given(NvccOptionId::DependencyOutput) && !dependencies.wanted)
    return badOption("'-MF' needs one of -M, -MM, -MD and -MMD");
  return llvm::Error::success();
}

void NvccTranslation::appendHostArguments() {
  HostOptions host = adjustHostOptions(hostWords_);
  bool ownStandard = given(NvccOptionId::Std);
  for (std::string &word : host.clangArguments) {
    // Device code is compiled for nvcc's standard whatever the host compiler is told; Clang has one standard
    // for both.
    if (ownStandard && llvm::StringRef(word).starts_with("-std="))
      host.dropped.push_back({word, "nvcc's own -std decides for device code"});
    else
      invocation_.clangArguments.push_back(std::move(word));
  }
  llvm::append_range(invocation_.dropped, host.dropped);
}

void NvccTranslation::settleClangArguments() {
  std::vector<std::string> &words = invocation_.clangArguments;
  const NvccFloatingPoint &floats = invocation_.floatingPoint;
  if (given(NvccOptionId::Std))
    words.push_back("-std=" + value(NvccOptionId::Std));
  if (invocation_.relocatable)
    words.insert(words.end(), {"-fgpu-rdc", "-D__CUDACC_RDC__"});
  if (invocation_.deviceDebug)
    words.push_back("-D__CUDACC_DEBUG__");
  llvm::append_range(words, groups_[ImpliedMacros]);
  appendHostArguments();
  for (Group group : {Folders, SystemFolders, Macros})
    llvm::append_range(words, groups_[group]);
  if (value(NvccOptionId::DefaultStream) == "per-thread")
    words.push_back("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
  llvm::append_range(words, groups_[ForcedIncludes]);
  llvm::append_range(words, groups_[Others]);
  if (floats.fastMath)
    words.push_back("-fgpu-approx-transcendentals");
  if (floats.flushDenormals)
    words.push_back("-fgpu-flush-denormals-to-zero");
  if (!floats.contract)
    words.push_back("-ffp-contract=off");
}

llvm::Expected<NvccInvocation> NvccTranslation::finish() {
  settleFields();
  if (llvm::Error error = settlePhase())
    return std::move(error);
  if (llvm::Error error = settleDependencies())
    return std::move(error);
  if (llvm::Error error = settleInputs())
    return std::move(error);
  if (llvm::Error error = settleTargets())
    return std::move(error);
  settleClangArguments();
  return std::move(invocation_);
}
