// The sum of n floats in the forms that rewriters give it. STRUCTURE: 0 one element a thread (resize-block), 1 several
// in a chunk of the block (coarsen-threads factor), 2 the grid walks (coarsen-threads blocks). FOLD of the block: 0 an
// interleaved tree, 1 a tree of neighbours, 2 shuffles (shuffle-reduction). VEC: vectorise-access.
template <int N> struct alignas(4 * N) Pack {
  float at[N];
};
template <int N> __device__ float total(Pack<N> held) {
  float sum = held.at[0];
#pragma unroll
  for (int v = 1; v < N; ++v)
    sum += held.at[v];
  return sum;
}
// unroll-loop with sums of its own for each copy.
extern "C" __global__ void __launch_bounds__(BLOCK) kernel(const float *__restrict__ in, float *out, int n) {
  float sum = 0.0f;
#if STRUCTURE == 0
  int i = blockIdx.x * BLOCK + threadIdx.x;
  sum = i < n ? in[i] : 0.0f;
#elif STRUCTURE == 1
  long long first = (long long)blockIdx.x * (BLOCK * FACTOR);
#if WALK == 0
#pragma unroll
  for (int j = 0; j < FACTOR / VEC; ++j) {
    long long i = first + (threadIdx.x + j * BLOCK) * VEC;
#else
#pragma unroll
  for (int j = 0; j < FACTOR / VEC; ++j) {
    long long i = first + threadIdx.x * FACTOR + j * VEC;
#endif
    if (i + VEC <= n)
      sum += total(*(const Pack<VEC> *)(in + i));
    else
      for (long long at = i; at < n; ++at)
        sum += in[at];
  }
#else
  float sums[UNROLL] = {};
  long long step = (long long)gridDim.x * BLOCK * VEC;
  long long i = ((long long)blockIdx.x * BLOCK + threadIdx.x) * VEC;
  for (; i + (UNROLL - 1) * step + VEC <= n; i += UNROLL * step)
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
      sums[u] += total(*(const Pack<VEC> *)(in + i + u * step));
  for (; i < n; i += step)
    for (int v = 0; v < VEC && i + v < n; ++v)
      sum += in[i + v];
#pragma unroll
  for (int u = 0; u < UNROLL; ++u)
    sum += sums[u];
#endif
#if FOLD == 2
  __shared__ float partial[32];
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < BLOCK / 32 ? partial[threadIdx.x] : 0.0f;
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2)
      sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (threadIdx.x == 0)
      atomicAdd(out, sum);
  }
#else
  __shared__ float partial[BLOCK];
  partial[threadIdx.x] = sum;
  __syncthreads();
#if FOLD == 0
  for (int stride = 1; stride < BLOCK; stride *= 2) {
    if (threadIdx.x % (2 * stride) == 0)
      partial[threadIdx.x] += partial[threadIdx.x + stride];
    __syncthreads();
  }
#else
  for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride)
      partial[threadIdx.x] += partial[threadIdx.x + stride];
    __syncthreads();
  }
#endif
  if (threadIdx.x == 0)
    atomicAdd(out, partial[0]);
#endif
}
