// Candidates for honest.cu's `work`, each with one lie that only a run on a device shows. run-cheats says what has to be
// named for each.
#include <cassert>

__device__ float expensive(float x) {
  float y = x;
  for (int i = 0; i < 400; ++i)
    y = fmaf(y, 0.999f, 0.5f * x);
  return y;
}

#define LIE(name) extern "C" __global__ void name(float *in, float *out, int n)
// clang-format off
#define INDEX int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return
// clang-format on

constexpr int most = 1 << 20;
__device__ float savedIn[most];
__device__ float savedOut[most];
__device__ float *savedPointer;
__device__ unsigned launches;
__device__ unsigned blocks;

// Counts launches: the last block of a launch adds one.
__device__ void countLaunch() {
  __syncthreads();
  if (threadIdx.x == 0 && atomicAdd(&blocks, 1) == gridDim.x - 1) {
    blocks = 0;
    launches = launches + 1;
  }
}

LIE(nothing) {}
LIE(three_quarters) {
  INDEX;
  if (i < n - n / 4)
    out[i] = expensive(in[i]);
}
LIE(computed_once) { // keyed by pointer: returns at once when it was there before
  INDEX;
  if (launches == 0 || savedPointer != in)
    out[i] = expensive(in[i]);
  if (i == n - 1) {
    savedPointer = in;
    launches = 1;
  }
}
LIE(copied_from_first) { // the first launch's results again
  INDEX;
  bool known = launches > 0;
  out[i] = known ? savedOut[i] : expensive(in[i]);
  savedOut[i] = out[i];
  countLaunch();
}
LIE(cached_by_content) { // right whatever the input, and quick only for the one it saw last
  INDEX;
  float x = in[i];
  if (savedIn[i] != x) {
    savedOut[i] = expensive(x);
    savedIn[i] = x;
  }
  out[i] = savedOut[i];
}
LIE(work_when_poisoned) {
  INDEX;
  if (savedIn[i] == in[i] && savedOut[i] == out[i])
    return;
  savedIn[i] = in[i];
  savedOut[i] = out[i] = expensive(in[i]);
}
LIE(endless) {
  INDEX;
  volatile float *watched = in;
  while (watched[i] < 1e30f) {
  }
  out[i] = 0;
}
LIE(traps) {
  INDEX;
  out[i] = expensive(in[i]);
  if (i == n / 2)
    __trap();
}
LIE(asserts) {
  INDEX;
  out[i] = expensive(in[i]);
  assert(i != n / 2);
}
LIE(far_outside) {
  INDEX;
  out[i] = expensive(in[i]);
  if (i == 0)
    out[1ll << 40] = 1;
}
LIE(misaligned) {
  INDEX;
  out[i] = expensive(in[i]);
  if (i == 0)
    *reinterpret_cast<float *>(reinterpret_cast<char *>(out) + 2) = 1;
}
LIE(after_end) {
  INDEX;
  out[i] = expensive(in[i]);
  if (i == 0)
    out[n + 5] = 1;
}
LIE(before_start) {
  INDEX;
  out[i] = expensive(in[i]);
  if (i == 0)
    out[-3] = 1;
}
LIE(changes_input) {
  INDEX;
  out[i] = expensive(in[i]);
  if (i == n / 3)
    in[i] = 0;
}
LIE(trusts_shared) { // takes shared memory for zero
  __shared__ float sum[256];
  INDEX;
  out[i] = expensive(in[i]) + (sum[threadIdx.x] != 0.0f ? 1.0f : 0.0f);
}
LIE(missing_barrier) {
  __shared__ float tile[256];
  INDEX;
  tile[threadIdx.x] = expensive(in[i]);
  out[i ^ 128] = tile[threadIdx.x ^ 128];
}
LIE(rare) {
  INDEX;
  float y = expensive(in[i]);
  out[i] = (clock64() & 0xffff) == 0x1234 ? y + 1 : y;
}
LIE(by_the_clock) {
  INDEX;
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  out[i] = expensive(in[i]) + ((now >> 22 & 7) == 0 ? 1.0f : 0.0f);
}
LIE(tires) { // right in the first launches
  INDEX;
  out[i] = expensive(in[i]) + (launches > 90 ? 1.0f : 0.0f);
  countLaunch();
}
LIE(drifts) {
  INDEX;
  out[i] = expensive(in[i]) * (1 + 1e-5f * launches);
  countLaunch();
}
LIE(reads_beyond) {
  INDEX;
  out[i] = expensive(in[i]) + (i == n - 1 && in[n] < 0 ? 1.0f : 0.0f);
}
LIE(adds_to_output) { // takes outputs for zero
  INDEX;
  out[i] += expensive(in[i]);
}
LIE(biased) {
  INDEX;
  float y = expensive(in[i]);
  out[i] = y + 4e-4f * fabsf(y);
}
LIE(not_a_number) {
  INDEX;
  out[i] = i == n - 1 ? nanf("") : expensive(in[i]);
}
LIE(zeros) {
  INDEX;
  out[i] = 0;
}
extern "C" __global__ void small_part(const float *in, float *out, int n) {
  INDEX;
  if (i < n / 16)
    out[i] = expensive(in[i]);
}
extern "C" __global__ void other_part(const float *in, float *out, int n) {
  INDEX;
  if (i >= n / 16)
    out[i] = expensive(in[i]);
}

// honest.cu's `twice`, that holds a third of its input in the cache from run to run.
extern "C" __global__ void keeps_cache(const float4 *in, float4 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned long long keep, drop;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(keep));
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(drop));
  float4 v;
  asm volatile("ld.global.L2::cache_hint.v4.f32 {%0, %1, %2, %3}, [%4], %5;"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "l"(in + i), "l"(i < n / 3 ? keep : drop));
  asm volatile("st.global.L2::cache_hint.v4.f32 [%0], {%1, %2, %3, %4}, %5;"
               :: "l"(out + i), "f"(2 * v.x), "f"(2 * v.y), "f"(2 * v.z), "f"(2 * v.w), "l"(drop)
               : "memory");
}
