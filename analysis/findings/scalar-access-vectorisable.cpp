// A thread that reads or writes neighbouring elements one by one spends an instruction and a request on each.
// One access of 8 or 16 bytes does the same. The compiler joins them only where it can prove the alignment,
// which a pointer parameter never shows, and never across iterations of a loop.

#include "analysis/findings/BlockAddresses.h"
#include "analysis/findings/SourceAccess.h"

#include <llvm/ADT/STLExtras.h>

#include <map>

namespace warpwright {
namespace {

constexpr const char *id = "scalar-access-vectorisable";
constexpr unsigned widest = 16; ///< bytes of one access
constexpr unsigned narrowest = 8;

/// Neighbouring elements of one thread.
struct Run {
  std::vector<const MemoryAccess *> accesses; ///< by address; one, where a loop moves it
  Expression start;                           ///< offset of the first element, in bytes
  bool inLoop = false;
};

bool isPlain(const MemoryAccess &access) {
  return (access.kind == AccessKind::Read || access.kind == AccessKind::Write) &&
         access.space == MemorySpace::Global && !access.isVolatile && access.instruction.empty() &&
         access.object.known() && access.offset.known() && llvm::isPowerOf2_32(access.bytes) &&
         access.bytes < narrowest + 1 && !(access.uniform.known() && access.uniform.value());
}

/// Whether every thread's run starts at a multiple of `bytes` from the object's start. Scalars are taken at
/// their value in the main launch: the finding says so.
bool startsAligned(const Expression &start, unsigned bytes, const Launch &launch, std::string &scalars) {
  for (const auto &[monomial, coefficient] : start.terms()) {
    int64_t factor = coefficient % int64_t(bytes);
    std::string names;
    for (const Symbol *symbol : monomial) {
      if (factor == 0 || symbol->kind != SymbolKind::Parameter)
        continue;
      auto found = launch.arguments.find(symbol->text);
      if (found == launch.arguments.end() || !std::holds_alternative<int64_t>(found->second))
        return false;
      factor = factor * (std::get<int64_t>(found->second) % int64_t(bytes)) % int64_t(bytes);
      names = symbol->text;
    }
    if (factor != 0)
      return false;
    if (!names.empty() && scalars.find(names) == std::string::npos)
      scalars += (scalars.empty() ? "" : ", ") + names;
  }
  return true;
}

/// The counting view joined the access with its neighbours: the compiler does it by itself.
bool isJoined(const KernelAnalysis &analysis, const MemoryAccess &fact,
              llvm::ArrayRef<SourceAccess> counted) {
  Place place = spelled(analysis, fact.place.place);
  return llvm::any_of(counted, [&](const SourceAccess &access) {
    return access.place == place && access.space == simt::AccessSpace::Global &&
           access.bytesPerLane > fact.bytes;
  });
}

std::optional<Run> runOfLoop(const MemoryAccess &access, const BlockAddresses &block) {
  if (!access.contiguousInLoop ||
      access.loopCoefficients.front().bytes.value().asConstant() != int64_t(access.bytes))
    return std::nullopt;
  unsigned loop = access.loopCoefficients.front().loop;
  if (std::optional<int64_t> trips = block.tripCount(loop); trips && *trips * access.bytes < narrowest)
    return std::nullopt;
  Run run;
  run.accesses = {&access};
  run.inLoop = true;
  run.start = access.offset.value();
  access.offset.value().forEachSymbol([&](const Symbol *symbol) {
    if (symbol->kind == SymbolKind::LoopCounter && symbol->index == loop)
      run.start = run.start.without(symbol);
  });
  return run;
}

/// Runs of accesses whose constant offsets follow each other, in straight-line code.
std::vector<Run> straightRuns(const std::vector<const MemoryAccess *> &sorted) {
  std::vector<Run> runs;
  for (const MemoryAccess *access : sorted) {
    int64_t at = access->offset.value().constantPart();
    if (!runs.empty()) {
      int64_t last = runs.back().accesses.back()->offset.value().constantPart();
      if (at == last)
        continue;
      if (at == last + access->bytes && runs.back().accesses.size() * access->bytes < widest) {
        runs.back().accesses.push_back(access);
        continue;
      }
    }
    runs.push_back({{access}, access->offset.value(), false});
  }
  return runs;
}

std::vector<Run> collectRuns(const KernelAnalysis &analysis, const BlockAddresses &block,
                             llvm::ArrayRef<SourceAccess> counted) {
  std::vector<Run> runs;
  std::map<std::string, std::vector<const MemoryAccess *>> groups;
  for (const MemoryAccess &access : analysis.facts.accesses) {
    if (!isPlain(access) || isJoined(analysis, access, counted))
      continue;
    if (std::optional<Run> run = runOfLoop(access, block)) {
      runs.push_back(std::move(*run));
      continue;
    }
    Expression moving = access.offset.value() - Expression(access.offset.value().constantPart());
    groups[std::to_string(int(access.kind)) + "/" + access.object.value().name + "/" +
           std::to_string(access.bytes) + "/" + (access.loop ? std::to_string(*access.loop) : "") + "/" +
           moving.text()]
        .push_back(&access);
  }
  for (auto &[key, group] : groups) {
    llvm::sort(group, [](const MemoryAccess *left, const MemoryAccess *right) {
      return std::pair(left->offset.value().constantPart(), left->id) <
             std::pair(right->offset.value().constantPart(), right->id);
    });
    for (Run &run : straightRuns(group))
      // What is proved to be aligned, the compiler joins by itself.
      if (run.accesses.size() > 1 && run.accesses.front()->alignment < 2 * run.accesses.front()->bytes)
        runs.push_back(std::move(run));
  }
  return runs;
}

Finding describe(const KernelAnalysis &analysis, const Run &run, unsigned width, const std::string &scalars,
                 const LaunchEvaluation &evaluation) {
  const MemoryAccess &first = *run.accesses.front();
  unsigned count = width / first.bytes;
  bool reads = first.kind == AccessKind::Read;
  Finding finding;
  finding.id = id;
  finding.place = spelled(analysis, first.place.place);
  finding.message = std::string("each thread ") + (reads ? "reads" : "writes") +
                    " neighbouring elements of " + objectName(first) +
                    (run.inLoop ? " in turn, one an iteration: " : " one by one: ") + std::to_string(count) +
                    " accesses of " + std::to_string(first.bytes) + " bytes could be one of " +
                    std::to_string(width);
  finding.evidence = {{"bytes per access", double(first.bytes)},
                      {"bytes per vector access", double(width)},
                      {"accesses per vector access", double(count)}};
  uint64_t stated = analysis.annotation ? analysis.annotation->alignmentOf(first.object.value().name) : 0;
  double sure = stated >= width ? 0.8 : run.inLoop ? 0.5 : 0.65;
  finding.confidence = confidenceOf(sure, evaluation, simt::CountGrade::Exact);
  std::string type = width == 16 ? "a 16-byte type such as float4" : "an 8-byte type such as float2";
  finding.advice =
      (reads ? "read " : "write ") + std::string("through ") + type +
      (stated >= width ? "" : ", which the pointer must be aligned for") +
      (scalars.empty() ? "" : "; this needs rows that start aligned, as they do for the given " + scalars);
  for (const MemoryAccess *other : llvm::drop_begin(run.accesses))
    if (other->place.place != first.place.place)
      finding.notes.push_back({spelled(analysis, other->place.place), "a neighbouring element"});
  return finding;
}

} // namespace

std::vector<Finding> findVectorisableAccesses(const KernelAnalysis &analysis) {
  std::vector<Finding> findings;
  if (analysis.launches.empty())
    return findings;
  const LaunchEvaluation &main = analysis.launches.front();
  BlockAddresses block(analysis, main);
  for (const Run &run : collectRuns(analysis, block, sourceAccesses(analysis, main))) {
    const MemoryAccess &first = *run.accesses.front();
    for (unsigned width : {widest, narrowest}) {
      bool fits = run.inLoop || run.accesses.size() * first.bytes >= width;
      std::string scalars;
      if (!fits || width < 2 * first.bytes || !startsAligned(run.start, width, main.launch, scalars))
        continue;
      findings.push_back(describe(analysis, run, width, scalars, main));
      break;
    }
  }
  return findings;
}

} // namespace warpwright
