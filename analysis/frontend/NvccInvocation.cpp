#include "analysis/frontend/NvccInvocation.h"

#include "analysis/frontend/NvccTranslation.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

using namespace warpwright;

namespace {

llvm::Error badCommand(const llvm::Twine &text) {
  return llvm::createStringError("nvcc arguments: " + text);
}

bool links(NvccAction action) {
  return action == NvccAction::DeviceLink || action == NvccAction::Library || action == NvccAction::Link;
}

/// The suffix of the file that the action makes of one input; null where it makes none, or not one an input.
const char *outputSuffix(NvccAction action) {
  switch (action) {
  case NvccAction::HostCpp:
    return ".cu.cpp.ii";
  case NvccAction::Ptx:
    return ".ptx";
  case NvccAction::Ltoir:
    return ".ltoir";
  case NvccAction::Cubin:
    return ".cubin";
  case NvccAction::Fatbin:
    return ".fatbin";
  case NvccAction::Object:
  case NvccAction::DeviceObject:
    return ".o";
  default:
    return nullptr;
  }
}

std::string derivedName(const NvccInput &input, llvm::StringRef outputDirectory, llvm::StringRef suffix) {
  llvm::SmallString<128> name(outputDirectory);
  llvm::sys::path::append(name, llvm::sys::path::stem(input.path));
  name += suffix;
  return name.str().str();
}

void deriveOutput(NvccInvocation &invocation) {
  if (invocation.outputGiven)
    return;
  const char *suffix = outputSuffix(invocation.action);
  if (suffix && invocation.inputs.size() == 1)
    invocation.output = derivedName(invocation.inputs.front(), invocation.outputDirectory, suffix);
}

void deriveDependencyFile(NvccInvocation &invocation) {
  NvccDependencies &dependencies = invocation.dependencies;
  bool alone = invocation.action == NvccAction::Dependencies;
  if (!dependencies.wanted || !dependencies.file.empty() || alone)
    return;
  llvm::SmallString<128> name;
  if (!invocation.output.empty())
    name = invocation.output;
  else if (invocation.inputs.size() == 1)
    name = llvm::sys::path::filename(invocation.inputs.front().path);
  if (name.empty())
    return;
  llvm::sys::path::replace_extension(name, ".d");
  dependencies.file = name.str().str();
}

llvm::Error checkWhole(const NvccInvocation &invocation) {
  if (invocation.outputGiven && invocation.inputs.size() > 1 && !links(invocation.action))
    return badCommand("'-o' names one output, but there are " + llvm::Twine(invocation.inputs.size()) +
                      " inputs");
  return llvm::Error::success();
}

} // namespace

const char *warpwright::toString(NvccAction action) {
  static constexpr const char *names[] = {
      "query",  "dependencies", "preprocess",    "host-cpp",    "ptx",     "ltoir", "cubin",
      "fatbin", "object",       "device-object", "device-link", "library", "link"};
  return names[static_cast<size_t>(action)];
}

std::vector<const NvccInput *> NvccInvocation::cudaInputs() const {
  std::vector<const NvccInput *> found;
  for (const NvccInput &input : inputs) {
    if (input.kind == NvccInputKind::Cuda)
      found.push_back(&input);
  }
  return found;
}

llvm::Expected<NvccInvocation> warpwright::adjustArguments(llvm::ArrayRef<std::string> nvccArguments,
                                                           llvm::StringRef directory,
                                                           const NvccEnvironment &environment) {
  llvm::Expected<std::vector<NvccArgument>> arguments =
      parseNvccCommandLine(nvccArguments, directory, environment);
  if (!arguments)
    return arguments.takeError();
  NvccTranslation translation(directory, environment);
  for (const NvccArgument &argument : *arguments) {
    if (llvm::Error error = translation.add(argument))
      return std::move(error);
  }
  llvm::Expected<NvccInvocation> invocation = translation.finish();
  if (!invocation)
    return invocation.takeError();
  if (llvm::Error error = checkWhole(*invocation))
    return std::move(error);
  deriveOutput(*invocation);
  deriveDependencyFile(*invocation);
  return invocation;
}

llvm::Expected<std::vector<std::string>>
warpwright::withInputReplaced(llvm::ArrayRef<std::string> nvccArguments, const NvccInvocation &invocation,
                              const NvccInput &input, llvm::StringRef replacement) {
  if (!input.position)
    return badCommand("the input '" + input.path + "' is not written on the command line itself");
  assert(*input.position < nvccArguments.size() && nvccArguments[*input.position] == input.path &&
         "the invocation was made from these arguments");
  std::vector<std::string> arguments = nvccArguments.vec();
  arguments[*input.position] = replacement.str();
  if (invocation.outputGiven || !outputSuffix(invocation.action))
    return arguments;
  if (invocation.output.empty())
    return badCommand("several inputs and no '-o': the output of '" + input.path + "' cannot be named");
  arguments.insert(arguments.end(), {"-o", invocation.output});
  return arguments;
}

std::vector<std::string> warpwright::cubinCommand(const NvccInvocation &invocation, const NvccTarget &target,
                                                  llvm::StringRef source, llvm::StringRef cubin) {
  NvccTarget image = target;
  image.form = NvccTarget::Cubin;
  std::vector<std::string> arguments = invocation.deviceArguments;
  arguments.insert(arguments.end(),
                   {"-gencode", image.generateCode(), "-x", "cu", "-cubin", "-o", cubin.str(), source.str()});
  return arguments;
}
