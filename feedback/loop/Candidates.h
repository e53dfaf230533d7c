#pragma once

#include "feedback/Bottleneck.h"
#include "rewriters/Verdict.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpwright::loop {

using Parameters = std::map<std::string, int64_t>;

/// What analysis says of a candidate on one shape before a compiler has seen it; sums over the launch. 0 is
/// not known, or none.
struct StaticFacts {
  double sectors = 0;      ///< of global memory
  double wavefronts = 0;   ///< through shared memory
  double instructions = 0; ///< of warps
  double threads = 0;      ///< a block
  double blocks = 0;
  double sharedBytes = 0; ///< a block
  double registers = 0;   ///< a thread, at least: those of its arrays
  double bytes = 0;       ///< of all buffers, each once
  double atomics = 0;     ///< on the address that most of them go to
};

/// Threads that a multiprocessor holds at once, as far as registers and shared memory are known.
double residentThreads(const StaticFacts &facts);
/// Cycles of a launch by what its units have to do and what its threads have to wait for: to rank candidates
/// by, never to report as a time. Model.cpp says what is in it.
double modelCost(const StaticFacts &facts);
/// Its geometric mean over shapes: a choice has to hold on all of them.
double modelCost(llvm::ArrayRef<StaticFacts> shapes);
/// For indices and addresses, beside the registers that facts count: a thread.
inline constexpr double registersBesides = 16;

/// Bytes of the original that a candidate replaces.
struct Span {
  std::string file;
  unsigned begin = 0;
  unsigned end = 0;
};

/// One thing to try: a structure at a point of its parameters. The loop knows nothing else of it.
struct LoopCandidate {
  std::string structure; ///< rewriters by name, "swap-thread-axes + coarsen-threads"; empty: the original
  Parameters parameters; ///< of all of its steps
  std::string source;    ///< checksum of the normalised source that it leads to
  std::string plan;      ///< checksum of its launch plan
  std::string mechanism; ///< checksum of its facts: equal for two names of one change; empty: not known
  std::string reason;    ///< why it should help
  StaticFacts facts;
  double predicted = 0;    ///< its cost by the model, over the original's; 0: the model says nothing
  std::vector<Span> spans; ///< what it edits
  Verdict screened{Verdict::Kind::Undecided, "", ""}; ///< of the stages before nvcc
  std::string rule;                                   ///< which of them declined it

  /// What a candidate is known by: source, parameters and launch plan; without a source, its structure.
  std::string identity() const;
  std::string name() const; ///< for reports
};

/// What came of one measurement.
struct LoopOutcome {
  Verdict verdict;    ///< declined: wrong, or more than is allowed
  double ratio = 0;   ///< time over the original's, mean over the shapes; 0: no times
  double worst = 0;   ///< of the shapes
  double seconds = 0; ///< of the device
  double compileSeconds = 0;
  std::string detail; ///< what recall() needs to know all of it again; the loop does not look into it
};

/// What keeps the kernel from being faster as it is, the worst first; empty: nobody knows.
using Diagnosed = std::vector<Bottleneck>;
/// Of the worst; empty where nobody knows.
std::string labelOf(const Diagnosed &bottlenecks);

/// A kernel on an architecture as the loop sees it: the tool's own, or a recording.
class Subject {
public:
  virtual ~Subject();
  virtual std::string kernel() const = 0;
  virtual std::string architecture() const = 0;
  /// All that may be tried. Positions stay; more may join the end between rounds, an agent's for instance.
  virtual llvm::ArrayRef<LoopCandidate> candidates() const = 0;
  /// The original's facts.
  virtual StaticFacts originalFacts() const = 0;
  /// Compiles and runs one. What is wrong with the candidate is its verdict, an error a fault of the tool.
  virtual llvm::Expected<LoopOutcome> measure(size_t candidate) = 0;
  /// Says that one will be measured soon.
  virtual void prepare(size_t candidate) {}
  /// An earlier search, cut short, has measured it: nothing is to be measured, and this came of it.
  virtual void recall(size_t candidate, const std::string &detail) {}
  /// All of them as one: its position, a new one where it is not known yet. Nothing where that cannot be.
  virtual std::optional<size_t> combine(llvm::ArrayRef<size_t> candidates) { return std::nullopt; }
  /// By profile, or by time and facts; nothing: the original.
  virtual llvm::Expected<Diagnosed> diagnose(std::optional<size_t> candidate) = 0;
};

/// What bounds a version, from its times and facts alone, where nobody has profiled it. One time a shape, the
/// same order; `spills`: whether its code does.
Diagnosed diagnoseByTime(llvm::ArrayRef<StaticFacts> shapes, llvm::ArrayRef<double> microseconds,
                         bool spills);

/// Declines, as the rule "static cost", what the model holds for more than `margin` times the cheapest one's
/// cost.
void declineCostly(llvm::MutableArrayRef<LoopCandidate> candidates, double margin);

/// Kinds of parameters, so that what was learnt of one rewriter's serves another's. One row of
/// ParameterKinds.def maps each name.
std::string kindOf(llvm::StringRef parameter);

/// What differs from one candidate to another in the words of the bandit: "work up", "tile down"; the
/// structure's last rewriter where that differs. Empty where nothing does.
std::vector<std::string> strategiesBetween(const LoopCandidate &from, const LoopCandidate &to);

} // namespace warpwright::loop
