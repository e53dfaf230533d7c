#include "feedback/evaluators/cuda/runner/RangeCounters.h"

#include <cmath>

namespace warpwright::runner {
namespace {

struct Metric {
  const char *id;
  const char *name;
  bool isStall;
};

constexpr Metric metrics[] = {
#define WARPWRIGHT_COUNTER(id, metric) {id, metric, false},
#define WARPWRIGHT_STALL(reason, metric) {reason, metric, true},
#include "feedback/evaluators/cuda/runner/Counters.def"
};

using Bytes = std::vector<uint8_t>;

/// Parameters that are all zero but for their size, which tells CUPTI the version of the headers.
template <typename Parameters> Parameters sized(size_t size) {
  Parameters parameters = {};
  parameters.structSize = size;
  return parameters;
}

/// A member that the headers of CUDA 13.0 added.
template <typename Parameters> void setRanges(Parameters &parameters, CUpti_RangeProfiler_Object *ranges) {
  if constexpr (requires { parameters.pRangeProfilerObject; })
    parameters.pRangeProfilerObject = ranges;
}

/// One collection, from the list of metrics to their values. Objects of CUPTI live as long as it does.
class Collection {
public:
  Collection(const Cupti &cupti, const Device &device) : cupti_(cupti), device_(device) {}
  Collection(const Collection &) = delete;
  ~Collection();

  Problem choose(); ///< metrics that the chip has, and how they are scheduled
  Problem enable(size_t launches);
  Problem collect(const std::function<Problem()> &run);
  Fallible<CountedLaunches> values() const;

private:
  Problem open();
  Fallible<CUpti_Profiler_Host_Object *> newHost() const;
  void end(CUpti_Profiler_Host_Object *host) const;
  CUptiResult add(CUpti_Profiler_Host_Object *host, const char **names, size_t count) const;
  Problem schedule();

  const Cupti &cupti_;
  const Device &device_;
  std::vector<const Metric *> chosen_;
  std::vector<const char *> names_;
  CUpti_Profiler_Host_Object *host_ = nullptr;
  CUpti_RangeProfiler_Object *ranges_ = nullptr;
  uint64_t passes_ = 0;
  Bytes availability_;
  Bytes config_;
  Bytes data_;
};

Collection::~Collection() {
  if (ranges_) {
    auto disable = sized<CUpti_RangeProfiler_Disable_Params>(CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE);
    disable.pRangeProfilerObject = ranges_;
    cupti_->rangeDisable(&disable);
  }
  if (host_)
    end(host_);
}

Fallible<CUpti_Profiler_Host_Object *> Collection::newHost() const {
  auto chip = sized<CUpti_Device_GetChipName_Params>(CUpti_Device_GetChipName_Params_STRUCT_SIZE);
  chip.deviceIndex = static_cast<size_t>(device_.ordinal());
  if (Problem problem = cupti_.check(cupti_->chipName(&chip), "naming the chip"))
    return *problem;
  auto host = sized<CUpti_Profiler_Host_Initialize_Params>(CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE);
  host.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  host.pChipName = chip.pChipName;
  host.pCounterAvailabilityImage = availability_.data();
  if (Problem problem = cupti_.check(cupti_->hostInitialise(&host), "choosing counters"))
    return *problem;
  return host.pHostObject;
}

void Collection::end(CUpti_Profiler_Host_Object *host) const {
  auto end =
      sized<CUpti_Profiler_Host_Deinitialize_Params>(CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE);
  end.pHostObject = host;
  cupti_->hostDeinitialise(&end);
}

CUptiResult Collection::add(CUpti_Profiler_Host_Object *host, const char **names, size_t count) const {
  auto add = sized<CUpti_Profiler_Host_ConfigAddMetrics_Params>(
      CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE);
  add.pHostObject = host;
  add.ppMetricNames = names;
  add.numMetrics = count;
  return cupti_->hostAddMetrics(&add);
}

Problem Collection::open() {
  auto start = sized<CUpti_Profiler_Initialize_Params>(CUpti_Profiler_Initialize_Params_STRUCT_SIZE);
  if (Problem problem = cupti_.check(cupti_->initialise(&start), "starting the profiler"))
    return problem;
  // Where counters are for administrators only, this is the first call that says so.
  auto available = sized<CUpti_Profiler_GetCounterAvailability_Params>(
      CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE);
  available.ctx = contextOf(device_);
  for (int round = 0; round < 2; ++round) {
    if (Problem problem = cupti_.check(cupti_->counterAvailability(&available), "asking for counters"))
      return problem;
    availability_.resize(available.counterAvailabilityImageSize);
    available.pCounterAvailabilityImage = availability_.data();
  }
  return std::nullopt;
}

/// Metrics that are added one by one are scheduled one by one, five times as many passes: what the chip has
/// is tried on an object of its own, and then added at once.
Problem Collection::choose() {
  if (Problem problem = open())
    return problem;
  Fallible<CUpti_Profiler_Host_Object *> trial = newHost();
  if (!trial)
    return trial.failure();
  for (const Metric &metric : metrics) {
    const char *name = metric.name;
    if (add(*trial, &name, 1) != CUPTI_SUCCESS)
      continue;
    chosen_.push_back(&metric);
    names_.push_back(name);
  }
  end(*trial);
  if (chosen_.empty())
    return Failure{"the chip has none of the counters"};
  Fallible<CUpti_Profiler_Host_Object *> host = newHost();
  if (!host)
    return host.failure();
  host_ = *host;
  if (Problem problem = cupti_.check(add(host_, names_.data(), names_.size()), "choosing counters"))
    return problem;
  return schedule();
}

Problem Collection::schedule() {
  auto size = sized<CUpti_Profiler_Host_GetConfigImageSize_Params>(
      CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE);
  size.pHostObject = host_;
  if (Problem problem = cupti_.check(cupti_->hostConfigSize(&size), "scheduling counters"))
    return problem;
  config_.resize(size.configImageSize);
  auto image =
      sized<CUpti_Profiler_Host_GetConfigImage_Params>(CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE);
  image.pHostObject = host_;
  image.configImageSize = config_.size();
  image.pConfigImage = config_.data();
  if (Problem problem = cupti_.check(cupti_->hostConfig(&image), "scheduling counters"))
    return problem;
  auto passes =
      sized<CUpti_Profiler_Host_GetNumOfPasses_Params>(CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE);
  passes.configImageSize = config_.size();
  passes.pConfigImage = config_.data();
  Problem problem = cupti_.check(cupti_->hostPasses(&passes), "counting passes");
  passes_ = passes.numOfPasses;
  return problem;
}

Problem Collection::enable(size_t launches) {
  auto enable = sized<CUpti_RangeProfiler_Enable_Params>(CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE);
  enable.ctx = contextOf(device_);
  if (Problem problem = cupti_.check(cupti_->rangeEnable(&enable), "enabling counters"))
    return problem;
  ranges_ = enable.pRangeProfilerObject;
  auto size = sized<CUpti_RangeProfiler_GetCounterDataSize_Params>(
      CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE);
  size.pRangeProfilerObject = ranges_;
  size.pMetricNames = names_.data();
  size.numMetrics = names_.size();
  size.maxNumOfRanges = launches;
  size.maxNumRangeTreeNodes = static_cast<uint32_t>(launches);
  if (Problem problem = cupti_.check(cupti_->rangeDataSize(&size), "making room for counters"))
    return problem;
  data_.resize(size.counterDataSize);
  auto initialise = sized<CUpti_RangeProfiler_CounterDataImage_Initialize_Params>(
      CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE);
  initialise.pRangeProfilerObject = ranges_;
  initialise.counterDataSize = data_.size();
  initialise.pCounterData = data_.data();
  if (Problem problem = cupti_.check(cupti_->rangeDataInitialise(&initialise), "making room for counters"))
    return problem;
  auto config = sized<CUpti_RangeProfiler_SetConfig_Params>(CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE);
  config.pRangeProfilerObject = ranges_;
  config.configSize = config_.size();
  config.pConfig = config_.data();
  config.counterDataImageSize = data_.size();
  config.pCounterDataImage = data_.data();
  config.range = CUPTI_AutoRange;
  config.replayMode = CUPTI_KernelReplay;
  config.maxRangesPerPass = launches;
  config.numNestingLevels = 1;
  config.minNestingLevel = 1;
  config.targetNestingLevel = 1;
  return cupti_.check(cupti_->rangeConfig(&config), "setting counters");
}

Problem Collection::collect(const std::function<Problem()> &run) {
  auto start = sized<CUpti_RangeProfiler_Start_Params>(CUpti_RangeProfiler_Start_Params_STRUCT_SIZE);
  start.pRangeProfilerObject = ranges_;
  if (Problem problem = cupti_.check(cupti_->rangeStart(&start), "starting counters"))
    return problem;
  Problem ran = run();
  auto stop = sized<CUpti_RangeProfiler_Stop_Params>(CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE);
  stop.pRangeProfilerObject = ranges_;
  Problem stopped = cupti_.check(cupti_->rangeStop(&stop), "stopping counters");
  if (ran || stopped)
    return ran ? ran : stopped;
  auto decode =
      sized<CUpti_RangeProfiler_DecodeData_Params>(CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE);
  decode.pRangeProfilerObject = ranges_;
  return cupti_.check(cupti_->rangeDecode(&decode), "reading counters");
}

Fallible<CountedLaunches> Collection::values() const {
  auto info = sized<CUpti_RangeProfiler_GetCounterDataInfo_Params>(
      CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE);
  setRanges(info, ranges_);
  info.pCounterDataImage = data_.data();
  info.counterDataImageSize = data_.size();
  if (Problem problem = cupti_.check(cupti_->rangeDataInfo(&info), "reading counters"))
    return *problem;
  CountedLaunches counted;
  counted.passes = passes_;
  std::vector<double> values(names_.size());
  for (size_t range = 0; range < info.numTotalRanges; ++range) {
    auto evaluate = sized<CUpti_Profiler_Host_EvaluateToGpuValues_Params>(
        CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE);
    evaluate.pHostObject = host_;
    evaluate.pCounterDataImage = data_.data();
    evaluate.counterDataImageSize = data_.size();
    evaluate.rangeIndex = range;
    evaluate.ppMetricNames = const_cast<const char **>(names_.data());
    evaluate.numMetrics = names_.size();
    evaluate.pMetricValues = values.data();
    if (Problem problem = cupti_.check(cupti_->hostEvaluate(&evaluate), "evaluating counters"))
      return *problem;
    Json launch = {{"counters", Json::object()}, {"stalls", Json::object()}};
    for (size_t i = 0; i < chosen_.size(); ++i)
      if (std::isfinite(values[i]))
        launch[chosen_[i]->isStall ? "stalls" : "counters"][chosen_[i]->id] = values[i];
    counted.launches.push_back(std::move(launch));
  }
  return counted;
}

} // namespace

Fallible<CountedLaunches> collectCounters(const Cupti &cupti, const Device &device, size_t launches,
                                          const std::function<Problem()> &run) {
  Collection collection(cupti, device);
  if (Problem problem = collection.choose())
    return *problem;
  if (Problem problem = collection.enable(launches))
    return *problem;
  if (Problem problem = collection.collect(run))
    return *problem;
  return collection.values();
}

} // namespace warpwright::runner
