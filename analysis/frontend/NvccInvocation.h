#pragma once

#include "analysis/frontend/HostOptions.h"
#include "analysis/frontend/NvccCommandLine.h"
#include "analysis/frontend/NvccTargets.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// What a command of nvcc makes. Where several are asked for, nvcc takes the one that ends earliest, which is
/// the order here.
enum class NvccAction {
  Query,        ///< --version, --help, --list-gpu-..., --dryrun: compiles nothing
  Dependencies, ///< -M, -MM: a dependency file alone
  Preprocess,   ///< -E
  HostCpp,      ///< -cuda: C++ for the host compiler
  Ptx,
  Ltoir,
  Cubin,
  Fatbin,
  Object,       ///< -c and -dw
  DeviceObject, ///< -dc: an object with relocatable device code
  DeviceLink,   ///< -dlink
  Library,      ///< -lib
  Link          ///< compile and link; nvcc's default
};

/// "object", "device-object", ...
const char *toString(NvccAction action);

enum class NvccInputKind { Cuda, Cxx, C, Preprocessed, Ptx, Cubin, Fatbin, Ltoir, Object, Library };

struct NvccInput {
  std::string path; ///< as written; relative to the invocation's directory; "-" is standard input
  NvccInputKind kind = NvccInputKind::Cuda;
  std::optional<size_t>
      position; ///< in the given arguments; none: it stands in an options file or the environment
};

/// The dependency file that a command asks for.
struct NvccDependencies {
  bool wanted = false;       ///< -MD, -MMD, -M or -MM
  bool systemHeaders = true; ///< false: -MMD, -MM
  std::string file;   ///< -MF, or what nvcc derives; empty: standard output (-M, -MM), or nothing wanted
  std::string target; ///< -MT; empty: the output
  bool phonyTargets = false; ///< -MP
};

/// How device code treats floating point; the defaults are nvcc's.
struct NvccFloatingPoint {
  bool fastMath = false;         ///< approximate functions (-use_fast_math)
  bool flushDenormals = false;   ///< -ftz
  bool preciseDivision = true;   ///< -prec-div
  bool preciseSquareRoot = true; ///< -prec-sqrt
  bool contract = true;          ///< -fmad: a * b + c may be one operation
  bool operator==(const NvccFloatingPoint &) const = default;
};

/// A command line of nvcc, understood.
struct NvccInvocation {
  std::string directory; ///< in which nvcc runs; relative names here and in clangArguments are meant from it
  NvccAction action = NvccAction::Link;
  std::vector<NvccInput> inputs; ///< in order; may be empty, see adjustArguments()
  std::string
      output; ///< -o, or what nvcc derives from a single input and -odir; empty: standard output or unknown
  bool outputGiven = false;    ///< -o was written
  std::string outputDirectory; ///< -odir

  std::vector<NvccTarget> targets;      ///< never empty
  std::string assumedArchitecture;      ///< what nvcc takes -arch=native for where no GPU is; else empty
  bool relocatable = false;             ///< relocatable device code: resources are unknown until linked
  std::optional<unsigned> maxRegisters; ///< -maxrregcount; kernels with __launch_bounds__ ignore it
  NvccFloatingPoint floatingPoint;
  bool deviceDebug = false;         ///< -G without -dopt: device code is not optimised
  bool restrictParameters = false;  ///< -restrict: all pointer parameters of kernels are __restrict__
  std::vector<std::string> entries; ///< -e: symbols of the only kernels that get code; empty: all
  NvccDependencies dependencies;
  std::string hostCompiler; ///< -ccbin; empty: nvcc's default

  /// For the Clang driver or a tool's fixed compile command, run in `directory`. Without input, output, `-x`,
  /// architecture, phase (-c, -E), optimisation level and toolkit: those are the front end's to choose.
  std::vector<std::string> clangArguments;
  /// For a device-only nvcc of the same source: see cubinCommand(). The environment's flags are in here.
  std::vector<std::string> deviceArguments;
  std::vector<DroppedOption> dropped;

  /// The CUDA sources among the inputs.
  std::vector<const NvccInput *> cudaInputs() const;
};

/// Understands a command line of nvcc 13.0, without the compiler's name, run in `directory`. It takes and
/// refuses what nvcc does, with these exceptions: no input at all is fine (a tool may name its files
/// elsewhere), objects and intermediate files are not checked against the action, and options whose row in
/// NvccOptions.def says so are refused. Errors name the option and say why.
llvm::Expected<NvccInvocation>
adjustArguments(llvm::ArrayRef<std::string> nvccArguments, llvm::StringRef directory,
                const NvccEnvironment &environment = NvccEnvironment::ofProcess());

/// The same command with another source in the place of `input`, an element of `invocation.inputs`;
/// everything else, the names of outputs included, stays as it was: where nvcc derived the output from the
/// input, `-o` says it now. `nvccArguments` are those that the invocation was made from. An error where the
/// input is not written on the command line itself, or the output cannot be named.
llvm::Expected<std::vector<std::string>> withInputReplaced(llvm::ArrayRef<std::string> nvccArguments,
                                                           const NvccInvocation &invocation,
                                                           const NvccInput &input,
                                                           llvm::StringRef replacement);

/// Arguments for an nvcc that compiles `source` to a cubin for one target of the invocation, with the same
/// device code as the original command. nvcc has to run in `invocation.directory` with NVCC_PREPEND_FLAGS and
/// NVCC_APPEND_FLAGS unset, because what they say is in these arguments.
std::vector<std::string> cubinCommand(const NvccInvocation &invocation, const NvccTarget &target,
                                      llvm::StringRef source, llvm::StringRef cubin);

} // namespace warpwright
