#include "feedback/evaluators/virtual/verify/PlanRun.h"

#include "feedback/evaluators/virtual/DeviceMemory.h"
#include "feedback/evaluators/virtual/LaunchWatch.h"
#include "feedback/evaluators/virtual/execution/ShadowMemory.h"
#include "feedback/evaluators/virtual/verify/AddressMonitor.h"

#include <llvm/ADT/STLExtras.h>

#include <cstring>

namespace warpwright::vdevice {
namespace {

class PlanRun {
public:
  explicit PlanRun(const RunRequest &request) : request_(request) {
    result_.touched.resize(request.buffers.size());
  }

  llvm::Expected<RunResult> run() {
    if (llvm::Error error = prepareMemory())
      return std::move(error);
    for (const ConcreteStep &step : request_.plan->steps) {
      if (const auto *fill = std::get_if<ConcreteFill>(&step)) {
        apply(*fill);
        continue;
      }
      if (llvm::Error error = launch(std::get<ConcreteLaunch>(step)))
        return std::move(error);
      if (result_.state != LaunchOutcome::State::Done)
        return std::move(result_);
    }
    takeContents();
    takeReferences();
    return std::move(result_);
  }

private:
  llvm::Error prepareMemory() {
    for (const RunBuffer &buffer : request_.buffers) {
      if (buffer.alias) {
        addresses_.push_back(addresses_[*buffer.alias]);
        continue;
      }
      llvm::Expected<uint64_t> address =
          memory_.addBuffer({buffer.name, buffer.contents.size(), buffer.contents, buffer.misalignment,
                             buffer.initialised, buffer.elementBytes});
      if (!address)
        return address.takeError();
      addresses_.push_back(*address);
    }
    for (const ConcreteScratch &scratch : request_.plan->scratch) {
      // Poisoned, so that a read before a write cannot happen to find what it needs.
      std::vector<uint8_t> contents(scratch.bytes);
      poison(contents);
      llvm::Expected<uint64_t> address =
          memory_.addBuffer({scratch.name, scratch.bytes, contents, 0, false, 0});
      if (!address)
        return address.takeError();
      scratch_[scratch.name] = *address;
    }
    return memory_.addVariables(request_.subject->program().variables());
  }

  uint64_t addressOf(const std::string &buffer) const {
    if (auto found = scratch_.find(buffer); found != scratch_.end())
      return found->second;
    for (size_t i = 0; i < request_.buffers.size(); ++i)
      if (request_.buffers[i].name == buffer)
        return addresses_[i];
    return 0;
  }

  void apply(const ConcreteFill &fill) {
    uint64_t address = addressOf(fill.buffer);
    llvm::MutableArrayRef<uint8_t> bytes = memory_.contents(address);
    const MemoryRange *range = memory_.find(address);
    if (fill.bytes > bytes.size()) {
      Fault fault;
      fault.kind = FaultKind::OutOfBounds;
      fault.party.deed = "a memset writes " + std::to_string(fill.bytes) + " bytes at " + fill.buffer +
                         ", which has " + std::to_string(bytes.size());
      result_.faults.push_back(std::move(fault));
    }
    uint64_t count = std::min<uint64_t>(fill.bytes, bytes.size());
    std::fill_n(bytes.begin(), count, fill.value);
    if (range && range->written)
      std::fill_n(range->written, count, uint8_t(1));
  }

  llvm::Error launch(const ConcreteLaunch &planned) {
    const DeviceKernel *kernel = request_.subject->findDeviceKernel(planned.launch.kernel);
    if (!kernel)
      return llvm::createStringError("'" + planned.launch.kernel + "' has no device code");
    if (planned.cluster || planned.cooperative) {
      result_.state = LaunchOutcome::State::Undecided;
      result_.reason = planned.cluster ? "a launch in clusters" : "a cooperative launch";
      return llvm::Error::success();
    }
    LaunchRequest launch;
    launch.launch = planned.launch;
    launch.memory = &memory_;
    launch.orderSeed = request_.orderSeed;
    launch.workers = 1;
    launch.stepLimit = request_.stepLimit;
    for (const auto &[parameter, buffer] : planned.buffers)
      launch.pointers[parameter] = addressOf(buffer);
    return launchWatched(*kernel, launch, request_.checked);
  }

  llvm::Error launchWatched(const DeviceKernel &kernel, LaunchRequest &launch, bool checked) {
    DeviceProgram &program = request_.subject->program();
    WatchedLaunch watched;
    watched.sites = program.sites();
    watched.kernel = &kernel;
    watched.memory = &memory_;
    watched.grid = launch.launch.grid;
    watched.block = launch.launch.block;
    watched.dynamicSharedBytes = launch.launch.dynamicSharedBytes;
    std::optional<LaunchWatch> checks;
    if (checked)
      checks.emplace(watched, LaunchWatch::Options{1, true, false});
    AddressMonitor addresses(memory_, watched.sharedBytes(), checked ? checks->monitors().front() : nullptr);
    if (request_.watch)
      addresses.watch(addresses_[request_.watch->buffer] + request_.watch->byte);
    launch.monitors = {&addresses};
    if (!request_.shadowed.empty())
      launch.shadow = &shadow_;
    llvm::Expected<LaunchOutcome> outcome = execute(program, kernel, launch);
    if (!outcome)
      return outcome.takeError();
    take(*outcome);
    if (checked)
      takeFaults(checks->faults());
    else if (addresses.hasStrayed())
      result_.strayed = true;
    takeAddresses(addresses, launch.launch);
    return llvm::Error::success();
  }

  void take(const LaunchOutcome &outcome) {
    result_.state = outcome.state;
    result_.reason = outcome.reason;
    takeFaults(outcome.faults);
  }

  void takeFaults(llvm::ArrayRef<Fault> faults) {
    for (const Fault &fault : faults)
      if (fault.severity == Severity::Error)
        result_.faults.push_back(fault);
  }

  void takeAddresses(const AddressMonitor &addresses, const Launch &launch) {
    result_.accesses += addresses.accesses();
    for (size_t i = 0; i < addresses_.size(); ++i)
      for (size_t r = 0; r < memory_.ranges().size(); ++r)
        if (memory_.ranges()[r].begin == addresses_[i])
          result_.touched[i] = std::max(result_.touched[i], addresses.touched()[r]);
    if (const std::optional<AddressMonitor::Store> &store = addresses.lastStore()) {
      FaultParty party;
      llvm::ArrayRef<Site> sites = request_.subject->program().sites();
      if (store->site < sites.size())
        party.place = sites[store->site].place;
      party.position = {delinearise(store->block, launch.grid), delinearise(store->thread, launch.block)};
      result_.lastStore = std::move(party);
    }
  }

  void takeContents() {
    for (size_t i = 0; i < request_.buffers.size(); ++i) {
      llvm::MutableArrayRef<uint8_t> bytes = memory_.contents(addresses_[i]);
      uint64_t count = std::min<uint64_t>(bytes.size(), request_.buffers[i].contents.size());
      result_.contents.emplace_back(bytes.begin(), bytes.begin() + count);
    }
    llvm::ArrayRef<DeviceVariable> variables = request_.subject->program().variables();
    for (size_t i = 0; i < variables.size(); ++i) {
      if (variables[i].constant)
        continue;
      llvm::MutableArrayRef<uint8_t> bytes = memory_.contents(memory_.variableAddress(i));
      result_.variables.emplace_back(variables[i].name, std::vector<uint8_t>(bytes.begin(), bytes.end()));
    }
  }

  void takeReferences() {
    for (size_t i = 0; i < request_.shadowed.size(); ++i) {
      const ElementShape &element = request_.shadowed[i];
      std::vector<double> &references = result_.references.emplace_back();
      uint64_t elements = element.parts.empty() ? 0 : result_.contents[i].size() / element.type.bytes;
      for (uint64_t number = 0; number < elements; ++number)
        for (const ElementPart &part : element.parts) {
          uint64_t at = number * element.type.bytes + part.offset;
          const uint8_t *bytes = result_.contents[i].data() + at;
          double own = decodeNumber(part, bytes);
          uint64_t bits = 0;
          std::memcpy(&bits, bytes, std::min<size_t>(part.bytes, sizeof(bits)));
          references.push_back(isFloating(part.kind) ? shadow_.load(addresses_[i] + at, part.bytes, bits, own)
                                                     : own);
        }
    }
    result_.unshadowed = shadow_.lost();
  }

  const RunRequest &request_;
  DeviceMemory memory_;
  ShadowMemory shadow_;
  std::vector<uint64_t> addresses_; ///< of the request's buffers
  std::map<std::string, uint64_t> scratch_;
  RunResult result_;
};

} // namespace

llvm::Expected<RunResult> runPlan(const RunRequest &request) {
  llvm::Expected<RunResult> result = PlanRun(request).run();
  if (!result || request.checked || !result->strayed)
    return result;
  // Something lay in no object; only the checks can say what it was.
  RunRequest checked = request;
  checked.checked = true;
  return PlanRun(checked).run();
}

} // namespace warpwright::vdevice
