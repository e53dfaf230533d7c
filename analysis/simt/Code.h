#pragma once

#include "analysis/simt/Counters.h"
#include "analysis/simt/Lanes.h"
#include "analysis/simt/Pieces.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class Function;
class GlobalVariable;
} // namespace llvm

namespace warpwright::simt {

/// How the bits of one scalar are read.
enum class ScalarKind : uint8_t { Integer, Half, BFloat, Float, Double };

enum class Op : uint8_t {
  Add,
  Sub,
  Mul,
  UDiv,
  SDiv,
  URem,
  SRem,
  Shl,
  LShr,
  AShr,
  And,
  Or,
  Xor,
  FAdd,
  FSub,
  FMul,
  FDiv,
  FRem,
  FNeg,
  ICmp,
  FCmp,
  Trunc,
  ZExt,
  SExt,
  FpToUi,
  FpToSi,
  UiToFp,
  SiToFp,
  FpConvert,
  SpaceCast,
  Copy,
  Repack,
  Select,
  Gep,
  ExtractDynamic,
  InsertDynamic,
  Alloca,
  Load,
  Store,
  AtomicRmw,
  CompareExchange,
  CopyMemory,
  SetMemory,
  Math,
  SpecialRegister,
  LaneExchange,
  Barrier,
  Call,
  Opaque,
  Nothing,
  Branch,
  ConditionalBranch,
  Switch,
  Return,
  Exit
};

/// Where an operand lives: a register of the frame (>= 0) or a constant of the program (~index).
using Operand = int32_t;

/// One instruction in the form that is executed. Vectors and structs are flattened: `count` scalars in
/// consecutive slots.
struct Instruction {
  Op op = Op::Nothing;
  InstructionClass kind = InstructionClass::None;
  uint8_t detail = 0; ///< predicate, atomic operation, math function, register or exchange, by `op`
  ScalarKind scalar = ScalarKind::Integer;
  ScalarKind fromScalar = ScalarKind::Integer;
  uint16_t bits = 0;         ///< of one result scalar; integers of 65 to 128 bits take two slots each
  uint16_t fromBits = 0;     ///< of one operand scalar
  uint16_t count = 0;        ///< result scalars
  Operand dest = 0;          ///< of a conditional branch: its number in Program::branches
  uint32_t firstOperand = 0; ///< into FunctionCode::operands
  uint16_t operandCount = 0;
  int32_t extra = -1; ///< index into the table that belongs to `op`
  const llvm::Instruction *source = nullptr;
};

/// base + offset + sum of index * scale, in 64-bit arithmetic.
struct AddressForm {
  struct Term {
    Operand index;
    unsigned bits; ///< width of the index, which is signed
    int64_t scale;
  };
  int64_t offset = 0;
  std::vector<Term> terms;
};

/// A memory instruction: how it is laid out, and how the machine would cut it into instructions of 1 to 16
/// bytes.
struct MemoryForm {
  AccessKind access = AccessKind::Load;
  unsigned addressSpace = 0;
  LaneMask addressLanes = allLanes; ///< whose addresses are used
  std::vector<MemoryScalar> scalars;
  std::vector<MemoryScalar> pieces;
  uint32_t site = 0; ///< first of this instruction's sites: one for each piece and space, spaces fastest
};

/// Values that a control-flow edge hands to the phi nodes at its end.
struct Edge {
  int32_t target = -1;
  uint32_t firstCopy = 0;
  uint32_t copies = 0;
  bool overlapping = false; ///< a source is also a destination: copy through temporaries
  int32_t loop = -1;        ///< of FunctionCode::loops, whose header it leads to
  bool goesBack = false;    ///< from within that loop
};
struct EdgeCopy {
  Operand dest;
  Operand source;
};

struct Block {
  uint32_t first = 0; ///< into FunctionCode::instructions; the terminator is the last
  uint32_t last = 0;
  int32_t join = -1; ///< the immediate post-dominator, -1 for the function's end
  /// The machine runs it under a predicate instead of jumping over it: warps with no lane in it issue its
  /// instructions, too.
  bool predicated = false;
};

/// Widths of the scalars of one value before and after its bits are cut anew.
struct RepackForm {
  std::vector<uint16_t> from;
  std::vector<uint16_t> to;
};

/// Case values in order; their edges follow that of the default.
struct SwitchForm {
  std::vector<uint64_t> values;
  uint32_t firstEdge = 0;
};

/// A natural loop.
struct LoopForm {
  struct Member {
    int32_t block;
    bool everyIteration; ///< in no loop inside this one
  };
  struct Phi {
    Operand slot;
    uint16_t bits;
  };
  int32_t header = -1;
  unsigned depth = 1;
  std::vector<Member> blocks; ///< those of loops inside included; in reverse post-order
  std::vector<Phi> phis;      ///< of the header, as far as they are needed
  bool fits = false;          ///< LoopSteps may follow it
  bool hasBarrier = false;
};

/// A function decoded once.
struct FunctionCode {
  std::vector<Instruction> instructions;
  std::vector<Operand> operands;
  std::vector<Block> blocks;
  std::vector<Edge> edges;
  std::vector<EdgeCopy> copies;
  std::vector<AddressForm> addresses;
  std::vector<MemoryForm> memory;
  std::vector<const FunctionCode *> callees;
  std::vector<RepackForm> repacks;
  std::vector<SwitchForm> switches;
  std::vector<Operand> parameters; ///< first slot of each formal; its slots are consecutive
  unsigned parameterSlots = 0;     ///< of all formals together, from slot 0
  unsigned slots = 0;              ///< registers of a frame
  std::vector<Operand> valueOf;    ///< by slot: the first slot of the value it is part of
  std::vector<uint16_t> bitsOf;    ///< by slot
  std::vector<LoopForm> loops;
};

/// A memory instruction in one address space; tallies are kept under its index.
struct Site {
  const llvm::Instruction *instruction = nullptr;
  AccessKind kind = AccessKind::Load;
  AccessSpace space = AccessSpace::Global;
  AccessSpace declared = AccessSpace::Global; ///< what the pointer's type says; global for generic ones
  unsigned bytes = 0;
};
inline constexpr unsigned accessSpaces = 4;

/// The slot of scalar `index` of an operand that takes several.
inline Operand slotAt(Operand first, unsigned index) {
  return first >= 0 ? first + static_cast<Operand>(index) : first - static_cast<Operand>(index);
}

/// Where the program's variables lie. Windows of the generic address space are ours to choose; they are far
/// apart, so that an address says which memory it belongs to.
struct MemoryMap {
  static constexpr uint64_t bufferStride = uint64_t(1) << 36;
  static constexpr uint64_t constantWindow = uint64_t(0x7b) << 40;
  static constexpr uint64_t parameterWindow = uint64_t(0x7c) << 40;
  static constexpr uint64_t variableWindow = uint64_t(0x7d) << 40;
  static constexpr uint64_t localWindow = uint64_t(0x7e) << 40;
  static constexpr uint64_t sharedWindow = uint64_t(0x7f) << 40;
  /// Shared memory below this belongs to the system from sm_90 on; that keeps a shared pointer from being
  /// null, too.
  static constexpr uint64_t sharedStart = 1024;
  static constexpr uint64_t localStart = 64;

  std::map<const llvm::GlobalVariable *, uint64_t> variables; ///< address in the variable's own address space
  uint64_t sharedEnd = sharedStart;
  uint64_t variableBytes = 0; ///< of all variables in global memory
  uint64_t constantBytes = 0; ///< of all variables in constant memory
};

/// The same place seen from another address space: shared and local memory are windows of the generic one.
uint64_t castAddress(uint64_t address, unsigned from, unsigned to);

/// Address spaces of NVPTX.
enum AddressSpace : unsigned {
  GenericSpace = 0,
  GlobalSpace = 1,
  SharedSpace = 3,
  ConstantSpace = 4,
  LocalSpace = 5
};

/// A kernel and every function it calls, decoded.
struct Program {
  MemoryMap map;
  std::vector<Slot> constants;
  std::vector<Site> sites;
  std::vector<const llvm::Instruction *> branches; ///< conditional ones; tallies are kept under their index
  std::map<const llvm::Function *, std::unique_ptr<FunctionCode>> functions;
  const FunctionCode *kernel = nullptr;
  /// What may touch memory in ways that are not understood. Op::Opaque refers to it by index.
  std::vector<std::pair<const llvm::Instruction *, std::string>> unknown;
};

} // namespace warpwright::simt
