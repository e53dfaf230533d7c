#pragma once

#include "analysis/Place.h"
#include "analysis/simt/CountLaunch.h"
#include "analysis/simt/Counters.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class Instruction;
class Module;
} // namespace llvm

namespace warpwright::vdevice {

struct ConvergenceMarks;

/// How a kernel is compiled for the host.
enum class Lowering {
  Plain,   ///< no hooks
  Watched, ///< a Monitor is called before every access and at every synchronisation
  Shadowed ///< the same, and every floating value has a double beside it
};

/// A memory instruction of the module, or one of several accesses of an inline PTX text.
struct Site {
  const llvm::Instruction *instruction = nullptr; ///< of the module that the program was made from
  Place place;                                    ///< unknown without line tables
  simt::AccessKind kind = simt::AccessKind::Load;
  unsigned addressSpace = 0; ///< of the pointer as the instruction declares it, as in NVPTX; 0: generic
  unsigned bytes = 0;        ///< a lane; 0 where it is not the same each time, as in copies of memory
};

/// A variable in memory that belongs to a block or a thread.
struct StorageVariable {
  std::string name;    ///< as the source spells it, where it is known
  Place place;         ///< of its declaration, where it is known
  uint64_t offset = 0; ///< from the start of the block's shared or the thread's local memory
  uint64_t bytes = 0;
  bool initialised = false; ///< holds a value before the thread writes one: a copy of a parameter
};

/// What lies where in shared or local memory. Between variables there are gaps that belong to none, so that
/// an index too large by a little is seen; they are multiples of 128 bytes, so that banks stay as they are.
struct StorageLayout {
  std::vector<StorageVariable> variables; ///< by offset
  uint64_t bytes = 0;                     ///< gaps included
};

/// A `__device__` or `__constant__` variable.
struct DeviceVariable {
  /// The address of another variable, or of a place in it, inside an initial value.
  struct Reference {
    uint64_t offset = 0; ///< in this variable
    size_t variable = 0; ///< index of the other
    int64_t addend = 0;
  };
  std::string symbol;
  std::string name; ///< as the source spells it
  uint64_t bytes = 0;
  uint64_t alignment = 1;
  bool constant = false;             ///< lies in constant memory
  std::vector<uint8_t> initialValue; ///< `bytes` of them
  std::vector<Reference> references;
};

/// A parameter of a kernel, and where its value lies in the block of parameters that a launch passes.
struct DeviceParameter {
  enum class Kind { Integer, Floating, Pointer, Struct };
  std::string name; ///< empty where nothing names it
  Kind kind = Kind::Integer;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  std::vector<simt::ParameterMember> members; ///< of a struct, as far as they were described
};

/// A kernel made ready to be compiled.
struct DeviceKernel {
  std::string symbol;
  std::vector<DeviceParameter> parameters;
  uint64_t parameterBytes = 0;
  /// Static arrays first; an array of dynamic size is the last and has 0 bytes here: it reaches as far as the
  /// launch says, from `shared.bytes` on.
  StorageLayout shared;
  uint64_t staticSharedBytes = 0; ///< without gaps, as the hardware's limit counts them
  StorageLayout local;            ///< of one thread
  bool synchronises = false;      ///< has a barrier or a warp collective
};

struct ProgramOptions {
  /// The toolkit's root, for nvvm/libdevice.
  std::string cudaPath;
  bool flushDenormals = false; ///< -ftz=true
  bool contract = true;        ///< -fmad=true
  bool preciseRoots = true;    ///< -prec-sqrt=true
  /// Names and members of parameters, by symbol of the kernel; without them names are those of debug info.
  std::vector<std::pair<std::string, std::vector<simt::ParameterDescription>>> parameters;
};

/// The device IR of one file and architecture, made ready for the host: libdevice linked, memory instructions
/// numbered, variables listed. Code is made for a kernel when it is first launched, and kept.
class DeviceProgram {
public:
  /// The module is read and left as it was; sites point into it, so it must live as long as the program.
  /// Errors: no libdevice in the toolkit, or a module that is not for NVPTX. What a kernel needs and is not
  /// covered is no error: its launches are undecided.
  static llvm::Expected<std::unique_ptr<DeviceProgram>> create(const llvm::Module &module,
                                                               ProgramOptions options);
  ~DeviceProgram();

  /// In program order; Access::site is an index.
  llvm::ArrayRef<Site> sites() const;
  /// How lanes meet again, for a monitor that counts.
  const ConvergenceMarks &marks() const;
  llvm::ArrayRef<DeviceVariable> variables() const;
  /// The kernel with that symbol, or null.
  const DeviceKernel *findKernel(llvm::StringRef symbol) const;

private:
  friend class ProgramAccess;
  class Implementation;
  explicit DeviceProgram(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

} // namespace warpwright::vdevice
