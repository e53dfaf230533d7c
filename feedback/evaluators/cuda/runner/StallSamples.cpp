#include "feedback/evaluators/cuda/runner/StallSamples.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace warpwright::runner {

/// Memory that CUPTI fills.
struct StallSamples::Buffers {
  static constexpr size_t instructions = 4096; ///< at a time; what is more is fetched in further rounds

  explicit Buffers(size_t reasons) : records(instructions), stalls(instructions * reasons) {
    data.size = sizeof(CUpti_PCSamplingData);
    data.collectNumPcs = instructions;
    data.pPcData = records.data();
    for (size_t i = 0; i < records.size(); ++i) {
      records[i].size = sizeof(CUpti_PCSamplingPCData);
      records[i].stallReason = &stalls[i * reasons];
    }
  }

  CUpti_PCSamplingData data = {};
  std::vector<CUpti_PCSamplingPCData> records;
  std::vector<CUpti_PCSamplingStallReason> stalls;
};

namespace {

/// "smsp__pcsamp_warps_issue_stalled_long_scoreboard" is "long_scoreboard"; warps that were sampled in a
/// cycle without any issue have names that end in "_not_issued", and are among the others, too.
std::string reasonOf(std::string_view name) {
  constexpr std::string_view before = "warps_issue_stalled_";
  size_t found = name.find(before);
  std::string_view reason = found == std::string_view::npos ? name : name.substr(found + before.size());
  return std::string(reason);
}

bool isSecondCount(std::string_view name) {
  return name.ends_with("_not_issued");
}

} // namespace

StallSamples::StallSamples(const Cupti &cupti, const Device &device) : cupti_(cupti), device_(device) {}

StallSamples::~StallSamples() {
  if (!enabled_)
    return;
  CUpti_PCSamplingDisableParams disable = {CUpti_PCSamplingDisableParamsSize, nullptr, contextOf(device_)};
  cupti_->samplingDisable(&disable);
}

Problem StallSamples::readReasons() {
  size_t count = 0;
  CUpti_PCSamplingGetNumStallReasonsParams number = {CUpti_PCSamplingGetNumStallReasonsParamsSize, nullptr,
                                                     contextOf(device_), &count};
  if (Problem problem = cupti_.check(cupti_->samplingReasonCount(&number), "asking for stall reasons"))
    return problem;
  std::vector<uint32_t> indices(count);
  std::vector<char> text(count * CUPTI_STALL_REASON_STRING_SIZE);
  std::vector<char *> names(count);
  for (size_t i = 0; i < count; ++i)
    names[i] = &text[i * CUPTI_STALL_REASON_STRING_SIZE];
  CUpti_PCSamplingGetStallReasonsParams reasons = {CUpti_PCSamplingGetStallReasonsParamsSize,
                                                   nullptr,
                                                   contextOf(device_),
                                                   count,
                                                   indices.data(),
                                                   names.data()};
  if (Problem problem = cupti_.check(cupti_->samplingReasons(&reasons), "asking for stall reasons"))
    return problem;
  for (size_t i = 0; i < count; ++i)
    if (!isSecondCount(names[i]))
      reasons_[indices[i]] = reasonOf(names[i]);
  buffers_ = std::make_unique<Buffers>(count);
  return std::nullopt;
}

Problem StallSamples::configure() {
  CUpti_PCSamplingConfigurationInfo attributes[4] = {};
  attributes[0].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD;
  attributes[0].attributeData.samplingPeriodData.samplingPeriod = periodExponent;
  attributes[1].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL;
  attributes[1].attributeData.enableStartStopControlData.enableStartStopControl = 1;
  attributes[2].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_OUTPUT_DATA_FORMAT;
  attributes[2].attributeData.outputDataFormatData.outputDataFormat =
      CUPTI_PC_SAMPLING_OUTPUT_DATA_FORMAT_PARSED;
  attributes[3].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER;
  attributes[3].attributeData.samplingDataBufferData.samplingDataBuffer = &buffers_->data;
  CUpti_PCSamplingConfigurationInfoParams configuration = {CUpti_PCSamplingConfigurationInfoParamsSize,
                                                           nullptr, contextOf(device_), std::size(attributes),
                                                           attributes};
  return cupti_.check(cupti_->samplingConfigure(&configuration), "setting up samples");
}

Fallible<std::unique_ptr<StallSamples>> StallSamples::enable(const Cupti &cupti, const Device &device) {
  std::unique_ptr<StallSamples> samples(new StallSamples(cupti, device));
  CUpti_PCSamplingEnableParams enable = {CUpti_PCSamplingEnableParamsSize, nullptr, contextOf(device)};
  if (Problem problem = cupti.check(cupti->samplingEnable(&enable), "enabling samples"))
    return *problem;
  samples->enabled_ = true;
  if (Problem problem = samples->readReasons())
    return *problem;
  if (Problem problem = samples->configure())
    return *problem;
  return samples;
}

Problem StallSamples::start() {
  CUpti_PCSamplingStartParams start = {CUpti_PCSamplingStartParamsSize, nullptr, contextOf(device_)};
  return cupti_.check(cupti_->samplingStart(&start), "starting samples");
}

void StallSamples::keep() {
  const CUpti_PCSamplingData &data = buffers_->data;
  for (size_t i = 0; i < data.totalNumPcs; ++i) {
    const CUpti_PCSamplingPCData &record = data.pPcData[i];
    Instruction &instruction = instructions_[record.functionName ? record.functionName : ""][record.pcOffset];
    for (size_t k = 0; k < record.stallReasonCount; ++k) {
      auto reason = reasons_.find(record.stallReason[k].pcSamplingStallReasonIndex);
      if (reason != reasons_.end() && record.stallReason[k].samples)
        instruction[reason->second] += record.stallReason[k].samples;
    }
  }
  total_ += data.totalSamples;
  dropped_ += data.droppedSamples;
}

Problem StallSamples::stop() {
  CUpti_PCSamplingStopParams stop = {CUpti_PCSamplingStopParamsSize, nullptr, contextOf(device_)};
  if (Problem problem = cupti_.check(cupti_->samplingStop(&stop), "stopping samples"))
    return problem;
  keep(); // the stop has filled the buffer for the range that ended
  while (buffers_->data.remainingNumPcs > 0) {
    CUpti_PCSamplingGetDataParams get = {CUpti_PCSamplingGetDataParamsSize, nullptr, contextOf(device_),
                                         &buffers_->data};
    if (Problem problem = cupti_.check(cupti_->samplingData(&get), "reading samples"))
      return problem;
    keep();
  }
  return std::nullopt;
}

Json StallSamples::linesOf(const std::string &symbol, const std::string &image) const {
  struct Line {
    uint64_t samples = 0;
    Instruction stalls;
  };
  std::map<std::pair<std::string, uint32_t>, Line> lines;
  auto found = instructions_.find(symbol);
  if (found == instructions_.end())
    return Json::array();
  for (const auto &[offset, instruction] : found->second) {
    CUpti_GetSassToSourceCorrelationParams source = {};
    source.size = CUpti_GetSassToSourceCorrelationParamsSize;
    source.cubin = image.data();
    source.cubinSize = image.size();
    source.functionName = symbol.c_str();
    source.pcOffset = offset;
    if (cupti_->sourceOf(&source) != CUPTI_SUCCESS || !source.fileName)
      continue;
    Line &line = lines[{source.fileName, source.lineNumber}];
    std::free(source.fileName);
    std::free(source.dirName);
    for (const auto &[reason, samples] : instruction) {
      line.stalls[reason] += samples;
      line.samples += samples;
    }
  }
  std::vector<std::pair<std::pair<std::string, uint32_t>, Line>> sorted;
  for (auto &entry : lines)
    if (entry.first.second != 0 && entry.second.samples != 0)
      sorted.push_back(std::move(entry));
  std::sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) {
    return std::pair(b.second.samples, a.first) < std::pair(a.second.samples, b.first);
  });
  Json result = Json::array();
  for (const auto &[place, line] : sorted) {
    Json stalls = Json::object();
    for (const auto &[reason, samples] : line.stalls)
      stalls[reason] = samples;
    result.push_back({{"file", place.first}, {"line", place.second}, {"stalls", std::move(stalls)}});
  }
  return result;
}

} // namespace warpwright::runner
