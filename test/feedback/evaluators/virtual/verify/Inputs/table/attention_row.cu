#include <warpwright/annotate.h>

// One row of attention a block: out = softmax(q * keys / 4) * values, sixteen numbers a head.
KERNEL_OPTIMIZE(grid(queries), block(16), in(q[queries * 16]), in(keys[length * 16]), in(values[length * 16]),
                out(out[queries * 16]), init(q, uniform(-3, 3)), init(keys, uniform(-3, 3)),
                init(values, uniform(-1, 1)), shape(queries = 64, length = 128), shape(queries = 3, length = 33),
                shape(queries = 1, length = 100), require(length > 0), allow(reassociate), allow(launch_change))
__global__ void attention(const float *q, const float *keys, const float *values, float *out, int queries, int length) {
  const float *query = q + blockIdx.x * 16;
  float most = -INFINITY, sum = 0, result = 0;
  for (int k = 0; k < length; ++k) {
    float score = 0;
    for (int i = 0; i < 16; ++i)
      score += query[i] * keys[k * 16 + i];
    most = fmaxf(most, score * 0.25f);
  }
  for (int k = 0; k < length; ++k) {
    float score = 0;
    for (int i = 0; i < 16; ++i)
      score += query[i] * keys[k * 16 + i];
    float weight = expf(score * 0.25f - most);
    sum += weight;
    result += weight * values[k * 16 + threadIdx.x];
  }
  out[blockIdx.x * 16 + threadIdx.x] = result / sum;
}

template <bool Scale, bool Rescale, bool Last>
__device__ void online(const float *q, const float *keys, const float *values, float *out, int length) {
  const float *query = q + blockIdx.x * 16;
  float most = -INFINITY, sum = 0, result = 0;
  for (int k = 0; Last ? k < length : k + 1 < length; ++k) {
    float score = 0;
    for (int i = 0; i < 16; ++i)
      score += query[i] * keys[k * 16 + i];
    score *= Scale ? 0.25f : 1;
    float larger = fmaxf(most, score), factor = Rescale ? expf(most - larger) : 1, weight = expf(score - larger);
    sum = sum * factor + weight;
    result = result * factor + weight * values[k * 16 + threadIdx.x];
    most = larger;
  }
  out[blockIdx.x * 16 + threadIdx.x] = result / sum;
}
//! accept: one pass over the keys
__global__ void attention_online(const float *q, const float *keys, const float *values, float *out, int queries,
                                 int length) {
  online<true, true, true>(q, keys, values, out, length);
}
//! reject wrong-output: the scores are not scaled
__global__ void attention_unscaled(const float *q, const float *keys, const float *values, float *out, int queries,
                                   int length) {
  online<false, true, true>(q, keys, values, out, length);
}
//! reject wrong-output: what was summed before is not scaled when the maximum moves
__global__ void attention_no_rescale(const float *q, const float *keys, const float *values, float *out, int queries,
                                     int length) {
  online<true, false, true>(q, keys, values, out, length);
}
//! reject wrong-output not-a-number: the last key is left out
__global__ void attention_last_key(const float *q, const float *keys, const float *values, float *out, int queries,
                                   int length) {
  online<true, true, false>(q, keys, values, out, length);
}
//! reject shared-race wrong-output: scores of the next key replace those that are still read
__global__ void attention_stale(const float *q, const float *keys, const float *values, float *out, int queries,
                                int length) {
  __shared__ float products[16];
  float most = -INFINITY, sum = 0, result = 0;
  for (int k = 0; k < length; ++k) {
    products[threadIdx.x] = q[blockIdx.x * 16 + threadIdx.x] * keys[k * 16 + threadIdx.x];
    __syncthreads();
    float score = 0;
    for (int i = 0; i < 16; ++i)
      score += products[i];
    score *= 0.25f;
    float larger = fmaxf(most, score), factor = expf(most - larger), weight = expf(score - larger);
    sum = sum * factor + weight;
    result = result * factor + weight * values[k * 16 + threadIdx.x];
    most = larger;
  }
  out[blockIdx.x * 16 + threadIdx.x] = result / sum;
}
//! accept: lanes share the products of a key
__global__ void attention_shuffle(const float *q, const float *keys, const float *values, float *out, int queries,
                                  int length) {
  float own = q[blockIdx.x * 16 + threadIdx.x], most = -INFINITY, sum = 0, result = 0;
  for (int k = 0; k < length; ++k) {
    float score = own * keys[k * 16 + threadIdx.x];
    for (int step = 8; step > 0; step /= 2)
      score += __shfl_xor_sync(0xffff, score, step);
    score *= 0.25f;
    float larger = fmaxf(most, score), factor = expf(most - larger), weight = expf(score - larger);
    sum = sum * factor + weight;
    result = result * factor + weight * values[k * 16 + threadIdx.x];
    most = larger;
  }
  out[blockIdx.x * 16 + threadIdx.x] = result / sum;
}

// Keys and values by tiles of 32. `Tiles`: how many are read before the first is taken again.
template <int Tiles, bool Barrier, bool Mask>
__device__ void tiled(const float *q, const float *keys, const float *values, float *out, int length) {
  __shared__ float ks[32][16], vs[32][16];
  const float *query = q + blockIdx.x * 16;
  float most = -INFINITY, sum = 0, result = 0;
  for (int tile = 0; tile * 32 < length; ++tile) {
    int from = tile % Tiles * 32, count = min(32, length - tile * 32);
    for (int k = 0; k < 32; ++k) {
      ks[k][threadIdx.x] = k < count ? keys[(from + k) * 16 + threadIdx.x] : 0;
      vs[k][threadIdx.x] = k < count ? values[(from + k) * 16 + threadIdx.x] : 0;
    }
    __syncthreads();
    for (int k = 0; k < (Mask ? count : 32); ++k) {
      float score = 0;
      for (int i = 0; i < 16; ++i)
        score += query[i] * ks[k][i];
      score *= 0.25f;
      float larger = fmaxf(most, score), factor = expf(most - larger), weight = expf(score - larger);
      sum = sum * factor + weight;
      result = result * factor + weight * vs[k][threadIdx.x];
      most = larger;
    }
    if (Barrier)
      __syncthreads();
  }
  out[blockIdx.x * 16 + threadIdx.x] = result / sum;
}
//! accept: keys and values by tiles in shared memory
__global__ void attention_tiled(const float *q, const float *keys, const float *values, float *out, int queries,
                                int length) {
  tiled<1 << 20, true, true>(q, keys, values, out, length);
}
//! reject wrong-output: from the third tile on the first two are read again
__global__ void attention_two_tiles(const float *q, const float *keys, const float *values, float *out, int queries,
                                    int length) {
  tiled<2, true, true>(q, keys, values, out, length);
}
//! reject wrong-output: the fourth tile is the first again
__global__ void attention_three_tiles(const float *q, const float *keys, const float *values, float *out, int queries,
                                      int length) {
  tiled<3, true, true>(q, keys, values, out, length);
}
//! reject shared-race: the next tile replaces one that is still read
__global__ void attention_tile_race(const float *q, const float *keys, const float *values, float *out, int queries,
                                    int length) {
  tiled<1 << 20, false, true>(q, keys, values, out, length);
}
//! reject wrong-output: what the last tile lacks counts as keys of zeros
__global__ void attention_no_mask(const float *q, const float *keys, const float *values, float *out, int queries,
                                  int length) {
  tiled<1 << 20, true, false>(q, keys, values, out, length);
}
