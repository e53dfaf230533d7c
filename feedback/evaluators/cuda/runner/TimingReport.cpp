#include "feedback/evaluators/cuda/runner/TimingReport.h"

#include <cmath>

namespace warpwright::runner {
namespace {

using Json = nlohmann::ordered_json;

/// Nanoseconds are finer than any clock here.
double rounded(double microseconds) {
  return std::round(microseconds * 1000) / 1000;
}

Json samplesDocument(const std::vector<double> &samples) {
  Json all = Json::array();
  for (double sample : samples)
    all.push_back(rounded(sample));
  return all;
}

Json seriesDocument(const std::vector<double> &samples, bool withSamples) {
  Interval interval = medianInterval(samples);
  Json document = {{"median_us", rounded(median(samples))},
                   {"low_us", rounded(interval.low)},
                   {"high_us", rounded(interval.high)},
                   {"count", samples.size()}};
  if (withSamples)
    document["samples_us"] = samplesDocument(samples);
  return document;
}

Json ratioDocument(const Ratio &ratio, Comparison comparison) {
  return {{"value", ratio.value},
          {"low", ratio.interval.low},
          {"high", ratio.interval.high},
          {"comparison", toString(comparison)}};
}

} // namespace

nlohmann::ordered_json timingDocument(const Timings &timings, const TimingVerdict &verdict, unsigned batch,
                                      size_t sessions) {
  Json document;
  bool compared = !timings.warm.candidate.empty();
  if (compared)
    document["comparison"] = toString(verdict.comparison);
  document["noise"] = verdict.noise;
  document["batch"] = batch;
  document["sessions"] = sessions;
  document["stable"] = timings.stable;
  auto add = [&](const char *name, const Series &series, bool withSamples) {
    if (!series.original.empty())
      document["original"][name] = seriesDocument(series.original, withSamples);
    if (!series.candidate.empty())
      document["candidate"][name] = seriesDocument(series.candidate, withSamples);
  };
  add("warm", timings.warm, true);
  add("fresh", timings.fresh, false);
  add("cold", timings.cold, false);
  if (!timings.twin.empty())
    document["twin"]["warm"] = seriesDocument(timings.twin, true);
  if (compared)
    document["ratio"]["warm"] = ratioDocument(verdict.warmRatio, verdict.warm);
  if (!timings.cold.candidate.empty())
    document["ratio"]["cold"] = ratioDocument(verdict.coldRatio, verdict.cold);
  return document;
}

} // namespace warpwright::runner
