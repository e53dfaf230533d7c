#pragma once

#include "analysis/Fact.h"
#include "analysis/Place.h"
#include "analysis/ir/Expression.h"

#include <nlohmann/json_fwd.hpp>

#include <llvm/Support/raw_ostream.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// Facts about one kernel, read from its device IR alone: no launch is known, so sizes, extents and counts
/// are symbolic. Ids are positions in the vectors of KernelFacts. "Program order" is the order of blocks and
/// instructions in the IR, which follows the source but for what -O1 moved.

/// Where an instruction comes from: the innermost place the user wrote (toolkit and compiler headers are
/// skipped), and the calls it was inlined through, innermost first. `place.known()` is false when the
/// compiler left no location.
struct SourcePlace {
  Place place;
  std::string function; ///< name of the function that holds `place`; empty when unknown
  std::vector<Place> inlinedAt;

  bool operator==(const SourcePlace &) const = default;
};

enum class MemorySpace { Global, Shared, Local, Constant, Parameter, ClusterShared, Generic };
enum class AccessKind { Read, Write, Atomic };

/// What the operations of a reduction or an atomic do.
enum class CombineKind {
  None,
  Sum,
  Product,
  Min,
  Max,
  And,
  Or,
  Xor,
  Exchange,
  CompareExchange,
  Increment,
  Decrement,
  Other
};

/// The piece of memory an address points into.
struct MemoryObject {
  enum class Kind { Parameter, SharedVariable, GlobalVariable, LocalArray, ParameterMember, LoadedPointer };
  Kind kind = Kind::Parameter;
  std::string
      name; ///< parameter name; mangled variable name; `p.data` for a pointer within a by-value struct
  unsigned position = 0; ///< of the parameter, or the id in sharedVariables / localArrays; 0 otherwise

  bool operator==(const MemoryObject &) const = default;
};

/// Which memory hints the access carries; spelled as in PTX without dots: "nc", "cg", "ca", "cs", "cv", "lu",
/// "wb", "wt".
using CacheHint = std::string;

struct MemoryAccess {
  unsigned id = 0; ///< in program order
  SourcePlace place;
  MemorySpace space = MemorySpace::Generic;
  AccessKind kind = AccessKind::Read;
  CombineKind combine = CombineKind::None; ///< of an atomic
  bool resultUsed = false;                 ///< of an atomic: the old value is used (an `atom`, not a `red`)
  unsigned bytes = 0;                      ///< a lane
  unsigned alignment = 1;                  ///< bytes, what the IR proves or promises
  std::string elementType;                 ///< "float", "i32", "<4 x float>", ...
  bool isVolatile = false;
  CacheHint cacheHint;
  std::string instruction; ///< what it is when not a plain load or store: "cp.async", "ldmatrix",
                           ///< "ld.global.nc", "memcpy", ...

  Fact<MemoryObject> object = Fact<MemoryObject>::unknown("not analysed");
  /// Bytes from the object's first byte. The grade is `assumed` where it rests on index arithmetic that does
  /// not wrap.
  Fact<Expression> offset = Fact<Expression>::unknown("not analysed");
  /// The offset in elements of the access's own width when it divides, `in[(y + 8 * iter(j)) * n + x]`; for
  /// people.
  std::string index;
  /// Factor of threadIdx.{x,y,z}, in bytes: how far the address moves when that index grows by one. Unknown
  /// where the address is not linear in it.
  std::array<Fact<Expression>, 3> threadCoefficient = {Fact<Expression>::unknown("not analysed"),
                                                       Fact<Expression>::unknown("not analysed"),
                                                       Fact<Expression>::unknown("not analysed")};
  std::array<Fact<Expression>, 3> blockCoefficient = threadCoefficient;

  /// What one more iteration of a loop around the access adds to the address, in bytes.
  struct LoopCoefficient {
    unsigned loop = 0;
    Fact<Expression> bytes = Fact<Expression>::unknown("not analysed");
  };
  std::vector<LoopCoefficient> loopCoefficients; ///< innermost loop first, each enclosing loop

  /// Bytes between neighbouring lanes of a row of threads: threadCoefficient[0].
  const Fact<Expression> &laneStride() const { return threadCoefficient[0]; }
  /// Threads that differ only in threadIdx.{x,y,z} use the same address: data one of them could load for all.
  bool sharedAlongThreadAxis(unsigned axis) const {
    return threadCoefficient[axis].known() && threadCoefficient[axis].value().isZero();
  }
  /// All lanes of a warp that run it together use one address, whatever the block's shape.
  Fact<bool> uniform = Fact<bool>::unknown("not analysed");
  bool dataDependent = false;   ///< the address depends on a loaded value
  std::optional<unsigned> loop; ///< innermost
  bool invariantInLoop = false; ///< same address in every iteration of the innermost loop
  bool contiguousInLoop =
      false; ///< each iteration of the innermost loop moves it by exactly its width, up or down
  bool divergentControl = false;              ///< lanes of a warp may disagree on whether it runs
  std::vector<unsigned> singleThreadSections; ///< ids of the sections it is in
};

/// How often a loop runs once entered. An `assumed` count supposes, for instance, that the counter does not
/// wrap.
struct LoopFacts {
  unsigned id = 0; ///< outer before inner, in program order
  SourcePlace place;
  std::optional<unsigned> parent;
  unsigned depth = 1;  ///< 1 for an outermost loop
  std::string counter; ///< name of the loop's own variable when the IR keeps it, "" otherwise
  Fact<Expression> tripCount =
      Fact<Expression>::unknown("not analysed"); ///< iterations of the body, at least 1 once entered
  Fact<bool> uniformExit =
      Fact<bool>::unknown("not analysed"); ///< all lanes of a warp leave it in the same iteration
  bool containsBarrier = false;
  bool innermost = true;
  unsigned instructions = 0;               ///< static, inner loops included
  std::optional<unsigned> requestedUnroll; ///< from `#pragma unroll n`; 0 for a full unroll
};

/// A value a loop carries from one iteration to the next by one associative operation.
struct Reduction {
  unsigned loop = 0;
  SourcePlace place; ///< of the combining operation
  CombineKind kind = CombineKind::Sum;
  std::string type;         ///< "float", "double", "half", "i32", ...
  bool conditional = false; ///< some iterations leave the value as it is
  bool floatingPoint = false;
  bool throughMemory = false; ///< kept at one address: loaded, combined and stored in each iteration
};

/// A value whose next version waits for its last one: the loop runs no faster than the chain's latency.
struct DependenceChain {
  unsigned loop = 0;
  SourcePlace place;                   ///< of its last operation
  std::vector<std::string> operations; ///< in order: "fadd", "fma", "load.global", "call expf", ...
  bool throughMemory = false; ///< a load on the chain has an address that depends on the last iteration's
                              ///< load (pointer chasing)
  bool reduction = false;     ///< reorderable: it is in KernelFacts::reductions
};

struct Synchronisation {
  enum class Kind {
    Barrier,
    WarpSync,
    Shuffle,
    Vote,
    Match,
    WarpReduce,
    Fence,
    AsyncWait,
    ClusterBarrier,
    MBarrier,
    Other
  };
  unsigned id = 0; ///< in program order
  SourcePlace place;
  Kind kind = Kind::Barrier;
  std::string operation;         ///< "barrier.sync 0", "shfl.down", "vote.ballot", "fence.gpu", ...
  bool divergentControl = false; ///< lanes of a warp may disagree on whether it runs: a hazard for a barrier
  std::optional<unsigned> loop;
};

struct DivergentBranch {
  unsigned id = 0; ///< in program order
  SourcePlace place;
  std::string condition;   ///< in source terms: `threadIdx.x % 2 == 0`
  bool threadAxes[3] = {}; ///< the condition depends on threadIdx.{x,y,z}
  bool dataDependent = false;
  bool boundsGuard =
      false; ///< one side does nothing and the condition compares an index with a scalar: `if (i < n)`
  bool loopExit = false;          ///< it decides whether a loop goes on
  unsigned instructionsTaken = 0; ///< static instructions that only its true side runs
  unsigned instructionsNotTaken = 0;
  std::optional<unsigned> loop;
};

/// Code that runs in one thread of each block (or one a row, when only some axes are fixed).
struct SingleThreadSection {
  unsigned id = 0;
  SourcePlace place; ///< of the branch into it
  std::string condition;
  bool fixedAxes[3] = {}; ///< which of threadIdx.{x,y,z} the condition fixes
  unsigned instructions = 0;
  std::vector<unsigned> loops;    ///< loops inside
  std::vector<unsigned> accesses; ///< accesses inside
  bool barrierFollows = false; ///< the block waits for it: a barrier is reached after it, without a way round
};

/// Static operation counts of the instructions whose innermost loop is the same.
struct ArithmeticCounts {
  std::optional<unsigned> loop;
  unsigned depth = 0;
  unsigned fp16 = 0, bf16 = 0, fp32 = 0, fp64 = 0; ///< add, multiply, min, max, negate, compare; a fused
                                                   ///< multiply-add is two; a lane of a vector each
  unsigned fpDivision = 0;
  unsigned int32 = 0, int64 = 0; ///< narrower integers count as int32; address computation is counted too
  unsigned integerDivision = 0;  ///< by anything but a constant power of two
  unsigned special = 0;          ///< sqrt, exp, sin, erf, ...
  unsigned conversions = 0;      ///< between number types, not between integer widths
  unsigned tensor = 0;           ///< mma and wgmma instructions
};

struct IntegerDivision {
  SourcePlace place;
  std::optional<unsigned> loop;
  bool remainder = false;
  bool isSigned = false;
  unsigned bits = 32;
  enum class Divisor {
    Constant,
    LoopInvariant,
    Varying
  } divisor = Divisor::Varying; ///< of the innermost loop
  std::string divisorText;
};

struct SpecialFunction {
  SourcePlace place;
  std::optional<unsigned> loop;
  std::string name;         ///< "expf", "rsqrt", "sin", ... as called
  std::string type;         ///< "float", "double", "half"
  bool approximate = false; ///< the fast hardware form
};

/// A double operation that float data caused: an unsuffixed literal, a double math call on floats.
struct DoubleInFloat {
  SourcePlace place;
  std::optional<unsigned> loop;
  std::string operation;          ///< "fmul", "call sqrt", ...
  bool operandsFromFloat = false; ///< every double operand is a constant or extended from float
  bool resultToFloat = false;     ///< every use rounds it to float
  bool literal = false;           ///< an operand is a literal
};

struct LocalArray {
  unsigned id = 0;
  SourcePlace place; ///< of its first access
  std::string name;
  uint64_t bytes = 0;
  std::string type;
  bool dynamicIndex = false; ///< some index is not a constant, so it cannot live in registers
  bool unrollable =
      false;            ///< every such index changes only with loops of known count: unrolled, it is constant
  bool escapes = false; ///< its address goes to a call or to memory
};

struct SharedVariable {
  unsigned id = 0;
  std::string name;     ///< mangled
  uint64_t bytes = 0;   ///< 0 for `extern __shared__`
  bool dynamic = false; ///< its size comes with the launch
  unsigned alignment = 1;
  std::string elementType;
  unsigned elementBytes = 0;
  std::vector<uint64_t>
      extents;          ///< outermost first: {32, 33} for float[32][33]; empty for a scalar or a struct
  bool escapes = false; ///< its address goes to a call without a body, unknown asm, or memory
};

struct VariableUse {
  std::string name;
  uint64_t bytes = 0;
  bool constantSpace = false;
};

struct CallFacts {
  SourcePlace place;
  std::string callee; ///< "" when indirect
  std::optional<unsigned> loop;
  bool hasBody = false;   ///< it was not inlined: its accesses and arithmetic are in no other fact
  bool knownMath = false; ///< a math function of the device library: computes on its operands alone
};

struct InlineAssembly {
  SourcePlace place;
  std::string text;   ///< as written, spaces joined
  bool known = false; ///< its meaning is in the facts (an access, arithmetic, a synchronisation)
  std::optional<unsigned> loop;
};

/// The bytes of one buffer that a launch may touch, [first, last], over all threads, in scalars and extents
/// of the launch.
struct BufferRange {
  MemoryObject object;
  bool read = false;
  bool written = false;
  Fact<Expression> first = Fact<Expression>::unknown("not analysed");
  Fact<Expression> last = Fact<Expression>::unknown("not analysed"); ///< inclusive
};

struct ParameterFacts {
  unsigned position = 0;
  std::string name;
  std::string type; ///< "ptr", "i32", "float", "struct"
  uint64_t bytes = 0;
  bool pointer = false;
  bool restricted = false;            ///< declared __restrict__
  bool read = false, written = false; ///< through accesses whose object is this parameter
  bool escapes = false; ///< the pointer reaches a call without a body, unknown asm, memory, or an access of
                        ///< unknown object may be it
};

struct KernelFacts {
  std::string name;                   ///< mangled symbol
  std::string sourceName;             ///< unqualified name from the debug information
  Place place;                        ///< of the definition; column 0
  std::optional<unsigned> maxThreads; ///< from __launch_bounds__, x * y * z
  std::optional<unsigned> minBlocks;

  std::vector<ParameterFacts> parameters;
  std::vector<LoopFacts> loops;
  std::vector<MemoryAccess> accesses;
  std::vector<Reduction> reductions;
  std::vector<DependenceChain> chains;
  std::vector<Synchronisation> synchronisations;
  std::vector<DivergentBranch> branches;
  std::vector<SingleThreadSection> sections;
  std::vector<ArithmeticCounts> arithmetic; ///< by innermost loop, straight-line code first
  std::vector<IntegerDivision> divisions;
  std::vector<SpecialFunction> specialFunctions;
  std::vector<DoubleInFloat> doublesInFloat;
  std::vector<LocalArray> localArrays;
  std::vector<SharedVariable> sharedVariables;
  std::vector<VariableUse> globalVariables;
  std::vector<CallFacts>
      calls; ///< to functions without a body, and indirect ones; device-library maths included
  std::vector<InlineAssembly> assembly;
  std::vector<BufferRange> ranges;

  std::shared_ptr<SymbolTable> symbols; ///< keeps the expressions above alive
};

const char *toString(MemorySpace space);
const char *toString(AccessKind kind);
const char *toString(CombineKind kind);
const char *toString(Synchronisation::Kind kind);
const char *toString(MemoryObject::Kind kind);
const char *toString(IntegerDivision::Divisor divisor);

/// The kernel's part of a `warpwright/facts/1` document.
nlohmann::ordered_json toJson(const KernelFacts &facts);
/// One line a fact, for tests and for people.
void print(const KernelFacts &facts, llvm::raw_ostream &stream);

} // namespace warpwright
