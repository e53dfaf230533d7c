#include "test/tools/stub-driver/StubKernels.h"

#include <cmath>
#include <csignal>
#include <cstring>

namespace stub {
namespace {

constexpr int launchFailed = 719;
constexpr int invalidValue = 1;

/// Noise of half a percent and a clock that drifts by two: what verdicts have to see through.
double noisy(const Machine &machine, double microseconds) {
  uint64_t bits = (machine.launches + 1) * 0x9e3779b97f4a7c15;
  bits = (bits ^ bits >> 29) * 0xbf58476d1ce4e5b9;
  double noise = static_cast<double>(bits >> 40) / (1 << 24) - 0.5;
  double drift = std::sin(static_cast<double>(machine.launches) / 500);
  return microseconds * (1 + 0.01 * noise + 0.01 * drift);
}

bool isDoubled(const float *in, const float *out, int n) {
  for (int i = 0; i < n; ++i)
    if (out[i] != 2 * in[i])
      return false;
  return true;
}

double timeOf(const Machine &machine, const Kernel &kernel, const float *in, const float *out, int n) {
  if (kernel.does == "lazy" && isDoubled(in, out, n))
    return kernel.microseconds / 2;
  if (kernel.does == "persisting" && machine.filled < (1 << 20))
    return kernel.microseconds / 2;
  return kernel.threshold > 0 && n >= kernel.threshold ? kernel.beyond : kernel.microseconds;
}

/// The lies about memory and results, after out = 2 in.
void lie(Machine &machine, Kernel &kernel, float *in, float *out, int n) {
  const std::string &does = kernel.does;
  if (does == "wrong")
    out[n / 2] += 1;
  else if (does == "close")
    out[n / 2] *= 1.0001f;
  else if (does == "nan")
    out[n - 1] = NAN;
  else if (does == "outside")
    out[n + 3] = 1;
  else if (does == "before")
    out[-2] = 1;
  else if (does == "input")
    in[0] += 1;
  else if (does == "reads-outside" && std::signbit(in[n]))
    out[n - 1] += 1;
  else if (does == "shared" && machine.shared != 0)
    out[0] += 1;
  else if (does == "rare" && machine.launches % 7 == 3)
    out[1] += 1;
  else if (does == "worn" && kernel.launches > 90)
    out[2] += 1;
  else if (does == "trap")
    machine.sticky = launchFailed;
  else if (does == "hang")
    machine.hangs = true;
  else if (does == "late")
    machine.lateSeconds = 300e-6;
}

} // namespace

int launch(Machine &machine, Kernel &kernel, float *in, float *out, int n) {
  if (kernel.does == "refuse")
    return invalidValue;
  if (kernel.does == "crash")
    raise(SIGSEGV);
  machine.now += noisy(machine, timeOf(machine, kernel, in, out, n));
  ++machine.launches;
  ++kernel.launches;
  machine.filled = 0;
  std::vector<float> &kept = kernel.cache[in];
  if (kernel.does == "cached" && !kept.empty()) {
    std::memcpy(out, kept.data(), n * sizeof(float));
    return 0;
  }
  bool wasNumber = !std::isnan(out[0]);
  int written = kernel.does == "partial" ? n - n / 4 : n;
  for (int i = 0; i < written; ++i)
    out[i] = kernel.does == "add" ? out[i] + in[i] : 2 * in[i];
  if (kernel.does == "cached")
    kept.assign(out, out + n);
  lie(machine, kernel, in, out, n);
  if (kernel.does == "reads-output" && wasNumber)
    out[0] += 1;
  return 0;
}

} // namespace stub
