#include "feedback/evaluators/virtual/counters/CountMonitor.h"

#include "feedback/evaluators/virtual/counters/ConvergenceMarks.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <bit>

namespace warpwright::vdevice {
namespace {

constexpr unsigned spaces = 4;
constexpr unsigned constantSpace = 4; ///< of NVPTX
/// A gigabyte a worker.
constexpr uint64_t mostPending = (uint64_t(1) << 30) / sizeof(RequestGrouper::Request);

uint64_t mix(uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

llvm::Align alignmentOf(const Site &site) {
  llvm::Align natural(
      std::max<uint64_t>(1, std::min<uint64_t>(simt::widestAccess, llvm::bit_floor(site.bytes))));
  if (!site.instruction)
    return natural;
  if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(site.instruction))
    return load->getAlign();
  if (const auto *store = llvm::dyn_cast<llvm::StoreInst>(site.instruction))
    return store->getAlign();
  if (const auto *memory = llvm::dyn_cast<llvm::MemIntrinsic>(site.instruction)) {
    llvm::Align alignment = memory->getDestAlign().valueOrOne();
    if (const auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(memory))
      alignment = std::min(alignment, transfer->getSourceAlign().valueOrOne());
    return alignment;
  }
  return natural;
}

simt::AccessSpace declaredSpace(const Site &site) {
  switch (site.addressSpace) {
  case 3:
    return simt::AccessSpace::Shared;
  case constantSpace:
    return simt::AccessSpace::Constant;
  case 5:
    return simt::AccessSpace::Local;
  default:
    return simt::AccessSpace::Global;
  }
}

} // namespace

std::vector<simt::MemoryScalar> piecesOf(const Site &site) {
  if (site.bytes == 0 || site.bytes > simt::longestUnrolledCopy)
    return {};
  return simt::cutIntoPieces(site.bytes, alignmentOf(site));
}

CountMonitor::CountMonitor(const WatchedLaunch &launch) : launch_(launch), states_(launch.sites.size()) {
  totals_.sites.resize(launch.sites.size());
  totals_.unknownSites.resize(launch.sites.size());
  size_t loops = launch.marks ? launch.marks->loopParent.size() : 0;
  for (size_t site = 0; launch.marks && site < states_.size(); ++site) {
    states_[site].loop = launch.marks->siteLoop[site];
    states_[site].guard = launch.marks->siteGuard[site];
  }
  loopKeys_.resize(loops * maxThreads);
  iterations_.resize(loops * maxThreads);
}

void CountMonitor::beginBlock(const BlockPlace &place) {
  place_ = place;
  liveThreads_ = place.threads;
  for (uint32_t warp = 0; warp < maxWarps; ++warp) {
    uint32_t first = std::min(warp * warpSize, place.threads);
    uint32_t lanes = std::min(warpSize, place.threads - first);
    live_[warp] = lanes == warpSize ? ~uint32_t(0) : (uint32_t(1) << lanes) - 1;
  }
}

/// Sites get numbers of their own when they first run, so that a large program costs what a kernel uses.
uint32_t CountMonitor::makeSlot(uint32_t site) {
  std::vector<simt::MemoryScalar> pieces = piecesOf(launch_.sites[site]);
  totals_.sites[site].resize(pieces.size() * spaces);
  totals_.unknownSites[site] = pieces.empty();
  simt::CostCache costs(pieces.size() * spaces);
  pieces_.push_back({std::move(pieces), std::move(costs)});
  states_[site].slot = static_cast<int32_t>(slotSites_.size());
  slotSites_.push_back(site);
  groups_.resize(slotSites_.size() * maxWarps);
  cursors_.resize(slotSites_.size() * maxThreads);
  reached_.resize(slotSites_.size() * maxThreads);
  auto slot = static_cast<uint32_t>(states_[site].slot);
  if (states_[site].guard != static_cast<int32_t>(site))
    return slot;
  for (uint32_t other = site + 1; other < states_.size(); ++other)
    if (states_[other].guard == static_cast<int32_t>(site) && states_[other].slot < 0)
      makeSlot(other);
  return slot;
}

void CountMonitor::iteration(uint32_t thread, uint32_t loop, bool first) {
  size_t index = static_cast<size_t>(loop) * maxThreads + thread;
  int32_t parent = launch_.marks->loopParent[loop];
  uint64_t around = parent < 0 ? 0 : loopKeys_[static_cast<size_t>(parent) * maxThreads + thread];
  iterations_[index] = first ? 0 : iterations_[index] + 1;
  loopKeys_[index] = mix(around + iterations_[index] + 1);
}

void CountMonitor::reached(uint32_t thread, uint32_t site) {
  uint32_t slot = slotOf(site);
  RequestGrouper::Request &request = arrive(slot, states_[site].loop, thread);
  reached_[slot * maxThreads + thread] = groups_[slot * maxWarps + thread / warpSize].numberOf(request);
}

/// All sites under a guard have as many requests as lanes came to the guard together, so that finding the one
/// of a lane at the guard finds those of all sites.
RequestGrouper::Request &CountMonitor::arriveUnderGuard(uint32_t slot, uint32_t guard, uint32_t thread) {
  uint32_t warp = thread / warpSize, lane = thread % warpSize;
  uint32_t first = slotOf(guard);
  RequestGrouper &own = groups_[slot * maxWarps + warp];
  uint32_t &number = reached_[first * maxThreads + thread];
  if (!groups_[first * maxWarps + warp].hasArrived(number, lane) || own.hasLane(number, lane))
    reached(thread, guard);
  return own.at(number, pending_);
}

uint64_t CountMonitor::access(const Access &access) {
  uint32_t slot = slotOf(access.site);
  uint32_t lane = access.thread % warpSize;
  if (pending_ >= mostPending) {
    totals_.overflowed = true;
    endBlock();
  }
  const SiteState &state = states_[access.site];
  RequestGrouper::Request &request =
      state.guard < 0 ? arrive(slot, state.loop, access.thread)
                      : arriveUnderGuard(slot, static_cast<uint32_t>(state.guard), access.thread);
  request.lanes |= simt::LaneMask(1) << lane;
  request.addresses[lane] = access.address;
  return access.address;
}

void CountMonitor::barrier(llvm::ArrayRef<uint32_t> threads) {
  if (threads.size() >= liveThreads_)
    endBlock();
}

void CountMonitor::warpSync(uint32_t warp, uint32_t lanes) {
  if ((lanes & live_[warp]) == live_[warp])
    flushWarp(warp);
}

void CountMonitor::threadEnd(uint32_t thread) {
  uint32_t warp = thread / warpSize;
  uint32_t bit = uint32_t(1) << (thread % warpSize);
  if (!(live_[warp] & bit))
    return;
  live_[warp] &= ~bit;
  --liveThreads_;
  if (live_[warp] == 0)
    flushWarp(warp);
}

void CountMonitor::endBlock() {
  for (uint32_t warp = 0; warp * warpSize < place_.threads; ++warp)
    flushWarp(warp);
}

void CountMonitor::flushWarp(uint32_t warp) {
  for (uint32_t slot = 0; slot < slotSites_.size(); ++slot)
    flush(slot, warp);
  for (uint32_t slot = 0; slot < slotSites_.size(); ++slot) {
    RequestGrouper &group = groups_[slot * maxWarps + warp];
    if (group.requests().empty())
      continue;
    pending_ -= group.requests().size();
    group.clear();
    std::fill_n(cursors_.begin() + slot * maxThreads + warp * warpSize, warpSize, 0);
  }
}

void CountMonitor::flush(uint32_t slot, uint32_t warp) {
  if (pieces_[slot].all.empty())
    return;
  llvm::ArrayRef<RequestGrouper::Request> requests = groups_[slot * maxWarps + warp].requests();
  for (const RequestGrouper::Request &request : requests)
    count(slot, request);
  int32_t guard = states_[slotSites_[slot]].guard;
  if (guard >= 0)
    countSkipped(slot, groups_[slotOf(guard) * maxWarps + warp].requests().size() - requests.size());
}

simt::AccessSpace CountMonitor::spaceOf(const Site &site, uint64_t address) const {
  if (site.addressSpace == constantSpace)
    return simt::AccessSpace::Constant;
  if (address - place_.shared < launch_.sharedBytes())
    return simt::AccessSpace::Shared;
  if (address - place_.local < place_.localBytes * place_.threads)
    return simt::AccessSpace::Local;
  return simt::AccessSpace::Global;
}

/// Requests of which no lane made the access.
void CountMonitor::countSkipped(uint32_t slot, uint64_t requests) {
  const Site &site = launch_.sites[slotSites_[slot]];
  auto space = static_cast<unsigned>(declaredSpace(site));
  for (size_t piece = 0; piece < pieces_[slot].all.size(); ++piece)
    totals_.sites[slotSites_[slot]][piece * spaces + space].instructions += requests;
}

/// A generic pointer may lead some lanes to one memory and others to another; each is served by itself.
void CountMonitor::count(uint32_t slot, const RequestGrouper::Request &request) {
  uint32_t site = slotSites_[slot];
  size_t pieces = pieces_[slot].all.size();
  if (!request.lanes)
    return countSkipped(slot, 1);
  for (simt::LaneMask left = request.lanes; left;) {
    simt::AccessSpace space = spaceOf(launch_.sites[site], request.addresses[std::countr_zero(left)]);
    simt::LaneMask here = 0;
    simt::forEachLane(left, [&](unsigned lane) {
      here |= simt::LaneMask(spaceOf(launch_.sites[site], request.addresses[lane]) == space) << lane;
    });
    for (size_t i = 0; i < pieces; ++i)
      countPiece(slot, i, space, request.addresses, here);
    left &= ~here;
  }
}

void CountMonitor::countPiece(uint32_t slot, size_t piece, simt::AccessSpace space,
                              const simt::LaneAddresses &addresses, simt::LaneMask mask) {
  uint32_t site = slotSites_[slot];
  auto [offset, bytes] = pieces_[slot].all[piece];
  auto index = static_cast<uint32_t>(piece * spaces + static_cast<unsigned>(space));
  auto add = [&](const simt::LaneAddresses &all) {
    pieces_[slot]
        .costs.costOf(index, space, launch_.sites[site].kind, bytes, all, mask)
        .addTo(totals_.sites[site][index], mask, bytes);
  };
  if (offset == 0)
    return add(addresses);
  simt::LaneAddresses moved = addresses;
  for (uint64_t &address : moved)
    address += offset;
  add(moved);
}

} // namespace warpwright::vdevice
