// out[c][r] = in[r][c] in the forms that rewriters give it. STRUCTURE: 0 as written (resize-block, reorder-blocks),
// 1 thread axes swapped (swap-thread-axes), 2 a small tile a thread (block-registers, vectorise-access), 3 through a
// tile in shared memory (transpose-through-shared).
template <int N> struct alignas(4 * N) Pack {
  float at[N];
};

#if ORDER == 0
#define BLOCK_C blockIdx.x
#define BLOCK_R blockIdx.y
#else
#define BLOCK_C blockIdx.y
#define BLOCK_R blockIdx.x
#endif

#if STRUCTURE < 2
extern "C" __global__ void kernel(const float *__restrict__ in, float *__restrict__ out, int rows, int cols) {
#if STRUCTURE == 0
  int c = BLOCK_C * BX + threadIdx.x, r = BLOCK_R * BY + threadIdx.y;
#else
  int c = BLOCK_C * BY + threadIdx.y, r = BLOCK_R * BX + threadIdx.x;
#endif
  if (r < rows && c < cols)
    out[c * rows + r] = in[r * cols + c];
}
#elif STRUCTURE == 2
extern "C" __global__ void kernel(const float *__restrict__ in, float *__restrict__ out, int rows, int cols) {
  int c = (BLOCK_C * BX + threadIdx.x) * RX, r = (BLOCK_R * BY + threadIdx.y) * RY;
  if (r >= rows || c >= cols)
    return;
  Pack<RX> held[RY];
#pragma unroll
  for (int y = 0; y < RY; ++y)
    held[y] = *(const Pack<RX> *)(in + (r + y) * cols + c);
#pragma unroll
  for (int x = 0; x < RX; ++x) {
    Pack<RY> column;
#pragma unroll
    for (int y = 0; y < RY; ++y)
      column.at[y] = held[y].at[x];
    *(Pack<RY> *)(out + (c + x) * rows + r) = column;
  }
}
#else
constexpr int perThread = TX * TY / (THREADS * VEC);
#if LAYOUT == 3
#define AT(y, x) tile[y][(x) ^ ((y) / VEC * VEC % TX)]
constexpr int pad = 0;
#else
#define AT(y, x) tile[y][x]
constexpr int pad = LAYOUT == 2 ? 4 : LAYOUT;
#endif
extern "C" __global__ void __launch_bounds__(THREADS)
    kernel(const float *__restrict__ in, float *__restrict__ out, int rows, int cols) {
  __shared__ __align__(16) float tile[TY][TX + pad];
  int c0 = BLOCK_C * TX, r0 = BLOCK_R * TY;
#pragma unroll
  for (int i = 0; i < perThread; ++i) {
    int e = threadIdx.x + i * THREADS, y = e / (TX / VEC), x = e % (TX / VEC) * VEC;
    if (r0 + y < rows && c0 + x < cols) {
      Pack<VEC> held = *(const Pack<VEC> *)(in + (r0 + y) * cols + c0 + x);
#pragma unroll
      for (int v = 0; v < VEC; ++v)
        AT(y, x + v) = held.at[v];
    }
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < perThread; ++i) {
    int e = threadIdx.x + i * THREADS, x = e / (TY / VEC), y = e % (TY / VEC) * VEC;
    if (r0 + y < rows && c0 + x < cols) {
      Pack<VEC> held;
#pragma unroll
      for (int v = 0; v < VEC; ++v)
        held.at[v] = AT(y + v, x);
      *(Pack<VEC> *)(out + (c0 + x) * rows + r0 + y) = held;
    }
  }
}
#endif
