#include "analysis/ir/KernelFacts.h"

#include <llvm/Support/Path.h>

namespace warpwright {
namespace {

using Stream = llvm::raw_ostream;

/// Lines and columns without files: tests must not depend on where the source lies.
std::string text(const SourcePlace &place) {
  if (!place.place.known())
    return "?";
  std::string words = std::to_string(place.place.line) + ":" + std::to_string(place.place.column);
  for (const Place &frame : place.inlinedAt)
    words += " inlined at " + std::to_string(frame.line) + ":" + std::to_string(frame.column);
  return words;
}

std::string text(const Fact<Expression> &fact) {
  if (!fact.known())
    return "unknown (" + fact.reason() + ")";
  return fact.value().text() + (fact.proved() ? "" : " assumed");
}

std::string text(const Fact<bool> &fact) {
  return !fact.known() ? "unknown"
                       : std::string(fact.value() ? "yes" : "no") + (fact.proved() ? "" : " assumed");
}

std::string text(std::optional<unsigned> loop) {
  return loop ? std::to_string(*loop) : "-";
}

std::string axes(const bool (&flags)[3]) {
  std::string words;
  for (unsigned axis = 0; axis < 3; ++axis)
    if (flags[axis])
      words += "xyz"[axis];
  return words.empty() ? "-" : words;
}

void printAccess(const MemoryAccess &access, Stream &stream) {
  stream << "access " << access.id << ": " << toString(access.space) << " " << toString(access.kind);
  if (access.kind == AccessKind::Atomic)
    stream << " " << toString(access.combine) << (access.resultUsed ? " with result" : "");
  stream << " " << access.bytes << " bytes";
  if (!access.cacheHint.empty())
    stream << " ." << access.cacheHint;
  if (access.isVolatile)
    stream << " volatile";
  if (!access.instruction.empty())
    stream << " by " << access.instruction;
  stream << ", " << access.index << (access.offset.known() && !access.offset.proved() ? " assumed" : "")
         << ", lane stride " << text(access.laneStride()) << ", uniform " << text(access.uniform) << ", loop "
         << text(access.loop);
  for (const MemoryAccess::LoopCoefficient &coefficient : access.loopCoefficients)
    stream << ", per iteration of loop " << coefficient.loop << " " << text(coefficient.bytes);
  for (auto [flag, words] :
       {std::pair(access.dataDependent, "data-dependent"), std::pair(access.invariantInLoop, "invariant"),
        std::pair(access.contiguousInLoop, "contiguous"),
        std::pair(access.divergentControl, "divergent control")})
    if (flag)
      stream << ", " << words;
  for (unsigned section : access.singleThreadSections)
    stream << ", in section " << section;
  stream << ", at " << text(access.place) << "\n";
}

void printLoops(const KernelFacts &facts, Stream &stream) {
  for (const LoopFacts &loop : facts.loops)
    stream << "loop " << loop.id << ": depth " << loop.depth << ", parent " << text(loop.parent)
           << ", counter '" << loop.counter << "', trip count " << text(loop.tripCount) << ", uniform exit "
           << text(loop.uniformExit)
           << (loop.uniformExit.known() && !loop.uniformExit.proved() ? " (" + loop.uniformExit.reason() + ")"
                                                                      : "")
           << (loop.containsBarrier ? ", with barrier" : "") << ", at " << text(loop.place) << "\n";
  for (const Reduction &reduction : facts.reductions)
    stream << "reduction in loop " << reduction.loop << ": " << toString(reduction.kind) << " of "
           << reduction.type << (reduction.conditional ? ", conditional" : "")
           << (reduction.throughMemory ? ", through memory" : "") << ", at " << text(reduction.place) << "\n";
  for (const DependenceChain &chain : facts.chains) {
    stream << "chain in loop " << chain.loop << ":";
    for (const std::string &operation : chain.operations)
      stream << " " << operation;
    stream << (chain.throughMemory ? ", through memory" : "") << (chain.reduction ? ", reduction" : "")
           << ", at " << text(chain.place) << "\n";
  }
}

void printControl(const KernelFacts &facts, Stream &stream) {
  for (const Synchronisation &fact : facts.synchronisations)
    stream << toString(fact.kind) << ": " << fact.operation
           << (fact.divergentControl ? ", divergent control" : "") << ", loop " << text(fact.loop) << ", at "
           << text(fact.place) << "\n";
  for (const DivergentBranch &branch : facts.branches)
    stream << "branch " << branch.id << ": " << branch.condition << ", axes " << axes(branch.threadAxes)
           << (branch.dataDependent ? ", data-dependent" : "") << (branch.boundsGuard ? ", bounds guard" : "")
           << (branch.loopExit ? ", loop exit" : "") << ", sides " << branch.instructionsTaken << " and "
           << branch.instructionsNotTaken << ", at " << text(branch.place) << "\n";
  for (const SingleThreadSection &section : facts.sections)
    stream << "section " << section.id << ": " << section.condition << ", fixes " << axes(section.fixedAxes)
           << ", " << section.instructions << " instructions, " << section.loops.size() << " loops, "
           << section.accesses.size() << " accesses" << (section.barrierFollows ? ", barrier follows" : "")
           << ", at " << text(section.place) << "\n";
}

void printArithmetic(const KernelFacts &facts, Stream &stream) {
  for (const ArithmeticCounts &counts : facts.arithmetic) {
    stream << "arithmetic in loop " << text(counts.loop) << ":";
    for (auto [words, count] :
         {std::pair("fp16", counts.fp16), std::pair("bf16", counts.bf16), std::pair("fp32", counts.fp32),
          std::pair("fp64", counts.fp64), std::pair("fp-division", counts.fpDivision),
          std::pair("int32", counts.int32), std::pair("int64", counts.int64),
          std::pair("int-division", counts.integerDivision), std::pair("special", counts.special),
          std::pair("conversion", counts.conversions), std::pair("tensor", counts.tensor)})
      if (count)
        stream << " " << words << " " << count;
    stream << "\n";
  }
  for (const IntegerDivision &division : facts.divisions)
    stream << (division.remainder ? "remainder" : "division") << " "
           << (division.isSigned ? "signed " : "unsigned ") << division.bits << " bits by "
           << toString(division.divisor) << " " << division.divisorText << ", loop " << text(division.loop)
           << ", at " << text(division.place) << "\n";
  for (const SpecialFunction &function : facts.specialFunctions)
    stream << "special function: " << function.name << " of " << function.type
           << (function.approximate ? ", approximate" : "") << ", loop " << text(function.loop) << ", at "
           << text(function.place) << "\n";
  for (const DoubleInFloat &fact : facts.doublesInFloat)
    stream << "double in float: " << fact.operation << (fact.operandsFromFloat ? ", operands from float" : "")
           << (fact.resultToFloat ? ", result to float" : "") << (fact.literal ? ", literal" : "")
           << ", loop " << text(fact.loop) << ", at " << text(fact.place) << "\n";
}

void printVariables(const KernelFacts &facts, Stream &stream) {
  for (const LocalArray &array : facts.localArrays)
    stream << "local array " << array.id << ": " << array.name << ", " << array.bytes << " bytes, "
           << array.type << (array.dynamicIndex ? ", dynamic index" : "")
           << (array.unrollable ? ", unrollable" : "") << (array.escapes ? ", escapes" : "") << "\n";
  for (const SharedVariable &variable : facts.sharedVariables) {
    stream << "shared variable " << variable.id << ": " << variable.name << ", " << variable.bytes
           << " bytes, " << variable.elementType;
    for (uint64_t extent : variable.extents)
      stream << "[" << extent << "]";
    stream << (variable.dynamic ? ", dynamic" : "") << (variable.escapes ? ", escapes" : "") << "\n";
  }
  for (const VariableUse &variable : facts.globalVariables)
    stream << (variable.constantSpace ? "constant" : "global") << " variable: " << variable.name << ", "
           << variable.bytes << " bytes\n";
  for (const CallFacts &call : facts.calls)
    stream << "call: " << (call.callee.empty() ? "indirect" : call.callee) << (call.knownMath ? ", math" : "")
           << (call.hasBody ? ", not inlined" : "") << ", loop " << text(call.loop) << ", at "
           << text(call.place) << "\n";
  for (const InlineAssembly &assembly : facts.assembly)
    stream << "assembly: " << assembly.text << (assembly.known ? "" : ", unknown") << ", loop "
           << text(assembly.loop) << ", at " << text(assembly.place) << "\n";
  for (const BufferRange &range : facts.ranges)
    stream << "range of " << range.object.name << ": " << (range.read ? "read " : "")
           << (range.written ? "written " : "") << "from " << text(range.first) << " to " << text(range.last)
           << "\n";
}

} // namespace

void print(const KernelFacts &facts, llvm::raw_ostream &stream) {
  stream << "kernel " << facts.name;
  if (facts.maxThreads)
    stream << ", at most " << *facts.maxThreads << " threads";
  stream << "\n";
  for (const ParameterFacts &parameter : facts.parameters)
    stream << "parameter " << parameter.position << ": " << parameter.name << ", " << parameter.type << ", "
           << parameter.bytes << " bytes" << (parameter.restricted ? ", restrict" : "")
           << (parameter.read ? ", read" : "") << (parameter.written ? ", written" : "")
           << (parameter.escapes ? ", escapes" : "") << "\n";
  printLoops(facts, stream);
  for (const MemoryAccess &access : facts.accesses)
    printAccess(access, stream);
  printControl(facts, stream);
  printArithmetic(facts, stream);
  printVariables(facts, stream);
}

} // namespace warpwright
