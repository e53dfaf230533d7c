// Global memory moves in sectors of 32 bytes. A warp whose lanes ask for bytes that lie apart moves sectors
// of which it uses a part. The rule compares the sectors counted with those that as many distinct bytes would
// fill.

#include "analysis/findings/SourceAccess.h"

#include <cstdlib>

namespace warpwright {
namespace {

constexpr const char *id = "uncoalesced-access";
/// Up to a quarter more is what a start off a sector costs a warp of 4-byte accesses: misaligned-access
/// speaks of that.
constexpr double tolerated = 1.25;
/// What is too little of the launch's traffic to be worth a change: the store of a border, or of one result a
/// block.
constexpr double negligible = 0.01;

/// Most requests ask for one run of bytes, which only begins off a sector.
bool isShifted(const SourceAccess &access) {
  return 2 * access.tally.shiftedRequests > access.tally.requests;
}

std::string strideText(const SourceAccess &access) {
  if (isShifted(access))
    return ": its bytes lie together, but start off a sector";
  if (!access.fact || !access.fact->laneStride().known() || access.fact->laneStride().value().isZero())
    return "";
  std::optional<int64_t> stride = access.fact->laneStride().value().asConstant();
  if (stride && std::abs(*stride) <= access.bytesPerLane)
    return ": neighbouring threads lie together, but a warp asks for several short rows";
  return ": neighbouring threads are " + access.fact->laneStride().value().text() + " bytes apart";
}

std::string adviceFor(const SourceAccess &access) {
  if (isShifted(access))
    return "begin each row at a multiple of 32 bytes: pad the row pitch, or start the first thread at an "
           "aligned element";
  if (access.kind == simt::AccessKind::Store)
    return "let neighbouring threads write neighbouring elements: swap the roles of the thread axes, or pass "
           "the tile "
           "through shared memory and write it out row by row";
  return "let neighbouring threads read neighbouring elements: swap the roles of the thread axes, store the "
         "data as one "
         "array a member, or load a tile row by row into shared memory and pick from there";
}

Finding describe(const SourceAccess &access, const LaunchEvaluation &evaluation) {
  Finding finding;
  finding.id = id;
  finding.place = access.place;
  finding.message = access.describe() + " moves " + shortNumber(access.perRequest(access.tally.sectors)) +
                    " sectors a request where its bytes fill " +
                    shortNumber(access.perRequest(access.tally.idealSectors)) + strideText(access) + " (" +
                    evaluation.label + ")";
  finding.evidence = {{"requests", double(access.tally.requests)},
                      {"sectors", double(access.tally.sectors)},
                      {"ideal sectors", double(access.tally.idealSectors)},
                      {"sectors per request", access.perRequest(access.tally.sectors)}};
  finding.confidence = access.confidence(0.95, evaluation);
  finding.advice = adviceFor(access);
  return finding;
}

} // namespace

std::vector<Finding> findUncoalescedAccesses(const KernelAnalysis &analysis) {
  std::vector<Finding> findings;
  if (analysis.launches.empty())
    return findings;
  const LaunchEvaluation &main = analysis.launches.front();
  uint64_t allSectors = 0;
  for (const simt::AccessCounters &access : main.counters.accesses)
    allSectors += access.tally.sectors;
  for (const SourceAccess &access : sourceAccesses(analysis, main)) {
    if (access.space != simt::AccessSpace::Global || access.kind == simt::AccessKind::Atomic)
      continue;
    if (!access.addressIsCounted())
      continue;
    double wasted = double(access.tally.sectors) - double(access.tally.idealSectors);
    if (wasted < negligible * double(allSectors))
      continue;
    if (double(access.tally.sectors) > tolerated * double(access.tally.idealSectors))
      findings.push_back(describe(access, main));
  }
  return findings;
}

} // namespace warpwright
