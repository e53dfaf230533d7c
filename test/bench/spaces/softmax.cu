// Softmax of rows in the forms that rewriters give it. STRUCTURE: 0 a thread walks a row (resize-block), 1 lanes walk it
// in three passes (distribute-row-loop), 2 in two, with a running largest, 3 the row lies in registers of its lanes
// where it fits (distribute-row-loop registers). VEC: vectorise-access, UNROLL: unroll-loop, MINBLOCKS: bound-launch.
template <int N> struct alignas(4 * N) Pack {
  float at[N];
};
constexpr int rowsOfBlock = BLOCK / LANES;
constexpr int copies = UNROLL; // of a loop's body
#define LOWEST (-3.0e38f)

template <typename Join> __device__ float fold(float value, Join join) {
#if LANES > 1
  constexpr int width = LANES < 32 ? LANES : 32;
#pragma unroll
  for (int offset = width / 2; offset > 0; offset /= 2)
    value = join(value, __shfl_xor_sync(0xffffffffu, value, offset));
#if LANES > 32
  __shared__ float partial[rowsOfBlock][LANES / 32];
  __syncthreads();
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.y][threadIdx.x / 32] = value;
  __syncthreads();
  value = partial[threadIdx.y][0];
#pragma unroll
  for (int w = 1; w < LANES / 32; ++w)
    value = join(value, partial[threadIdx.y][w]);
#endif
#endif
  return value;
}

#if MINBLOCKS > 0
extern "C" __global__ void __launch_bounds__(BLOCK, MINBLOCKS)
#else
extern "C" __global__ void __launch_bounds__(BLOCK)
#endif
    kernel(const float *__restrict__ in, float *__restrict__ out, int rows, int cols) {
  auto larger = [](float x, float y) { return fmaxf(x, y); };
  auto add = [](float x, float y) { return x + y; };
  int r = blockIdx.x * rowsOfBlock + threadIdx.y;
  if (LANES == 1)
    r = blockIdx.x * BLOCK + threadIdx.x;
  const int lane = LANES == 1 ? 0 : threadIdx.x;
  const bool inside = r < rows;
  if (LANES <= 32 && LANES == 1 && !inside)
    return;
  const float *row = in + (inside ? r : 0) * cols;
  float *result = out + (inside ? r : 0) * cols;
#if STRUCTURE == 3
  if (cols <= LANES * HELD) {
    Pack<VEC> held[HELD / VEC];
    float largest = LOWEST;
#pragma unroll
    for (int i = 0; i < HELD / VEC; ++i) {
      int c = (lane + i * LANES) * VEC;
      if (c < cols) {
        held[i] = *(const Pack<VEC> *)(row + c);
#pragma unroll
        for (int v = 0; v < VEC; ++v)
          largest = fmaxf(largest, held[i].at[v]);
      }
    }
    largest = fold(largest, larger);
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < HELD / VEC; ++i)
      if ((lane + i * LANES) * VEC < cols)
#pragma unroll
        for (int v = 0; v < VEC; ++v)
          sum += held[i].at[v] = expf(held[i].at[v] - largest);
    sum = fold(sum, add);
#pragma unroll
    for (int i = 0; i < HELD / VEC; ++i) {
      int c = (lane + i * LANES) * VEC;
      if (c < cols && inside) {
#pragma unroll
        for (int v = 0; v < VEC; ++v)
          held[i].at[v] /= sum;
        *(Pack<VEC> *)(result + c) = held[i];
      }
    }
    return;
  }
#endif
  float largest = LOWEST, sum = 0.0f;
#if STRUCTURE == 2
#pragma unroll copies
  for (int c = lane * VEC; c < cols; c += LANES * VEC) {
    Pack<VEC> held = *(const Pack<VEC> *)(row + c);
    float next = largest;
#pragma unroll
    for (int v = 0; v < VEC; ++v)
      next = fmaxf(next, held.at[v]);
    sum *= expf(largest - next);
#pragma unroll
    for (int v = 0; v < VEC; ++v)
      sum += expf(held.at[v] - next);
    largest = next;
  }
  float all = fold(largest, larger);
  sum = fold(sum * expf(largest - all), add);
  largest = all;
#else
#pragma unroll copies
  for (int c = lane * VEC; c < cols; c += LANES * VEC) {
    Pack<VEC> held = *(const Pack<VEC> *)(row + c);
#pragma unroll
    for (int v = 0; v < VEC; ++v)
      largest = fmaxf(largest, held.at[v]);
  }
  largest = fold(largest, larger);
#pragma unroll copies
  for (int c = lane * VEC; c < cols; c += LANES * VEC) {
    Pack<VEC> held = *(const Pack<VEC> *)(row + c);
#pragma unroll
    for (int v = 0; v < VEC; ++v)
      sum += expf(held.at[v] - largest);
  }
  sum = fold(sum, add);
#endif
#pragma unroll copies
  for (int c = lane * VEC; c < cols; c += LANES * VEC) {
    Pack<VEC> held = *(const Pack<VEC> *)(row + c);
#pragma unroll
    for (int v = 0; v < VEC; ++v)
      held.at[v] = expf(held.at[v] - largest) / sum;
    if (inside)
      *(Pack<VEC> *)(result + c) = held;
  }
}
