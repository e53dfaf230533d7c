// C[m][n] = A[m][k] * B[k][n] in the forms that rewriters give it. STRUCTURE: 0 one output a thread (resize-block,
// unroll-loop), 1 several outputs a thread (block-registers), 2 tiles in shared memory (stage-shared-tile).
template <int N> struct alignas(4 * N) Pack {
  float at[N];
};

#if STRUCTURE < 2
constexpr int copies = UNROLL; // of a loop's body
extern "C" __global__ void kernel(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
                                  int m, int n, int k) {
  int row0 = (blockIdx.y * BY + threadIdx.y) * TM;
  int col0 = blockIdx.x * (BX * TN) + threadIdx.x;
  float sum[TM][TN] = {};
#pragma unroll copies
  for (int i = 0; i < k; ++i)
#pragma unroll
    for (int y = 0; y < TM; ++y)
#pragma unroll
      for (int x = 0; x < TN; ++x)
        if (row0 + y < m && col0 + x * BX < n)
          sum[y][x] += a[(row0 + y) * k + i] * b[i * n + col0 + x * BX];
#pragma unroll
  for (int y = 0; y < TM; ++y)
#pragma unroll
    for (int x = 0; x < TN; ++x)
      if (row0 + y < m && col0 + x * BX < n)
        c[(row0 + y) * n + col0 + x * BX] = sum[y][x];
}
#else
constexpr int threadsX = BN / TN, threadsY = BM / TM, threads = threadsX * threadsY;
constexpr int loadsA = (BM * BK + threads * VEC - 1) / (threads * VEC);
constexpr int loadsB = (BK * BN + threads * VEC - 1) / (threads * VEC);
constexpr int groupX = TN < 4 ? TN : 4, groupY = TM < 4 ? TM : 4;

extern "C" __global__ void __launch_bounds__(threads)
    kernel(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m, int n, int k) {
  __shared__ __align__(16) float tileA[STAGES][BK][BM + PAD];
  __shared__ __align__(16) float tileB[STAGES][BK][BN + PAD];
  const int t = threadIdx.x, tx = t % threadsX, ty = t / threadsX;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  Pack<VEC> heldA[loadsA], heldB[loadsB];
  float sum[TM][TN] = {};

  auto fetch = [&](int at) {
#pragma unroll
    for (int i = 0; i < loadsA; ++i) {
      int e = (t + i * threads) * VEC, r = row0 + e / BK, q = at + e % BK;
      heldA[i] = e < BM * BK && r < m && q < k ? *(const Pack<VEC> *)(a + r * k + q) : Pack<VEC>{};
    }
#pragma unroll
    for (int i = 0; i < loadsB; ++i) {
      int e = (t + i * threads) * VEC, q = at + e / BN, x = col0 + e % BN;
      heldB[i] = e < BK * BN && q < k && x < n ? *(const Pack<VEC> *)(b + q * n + x) : Pack<VEC>{};
    }
  };
  auto store = [&](int stage) {
#pragma unroll
    for (int i = 0; i < loadsA; ++i) {
      int e = (t + i * threads) * VEC;
      if (e < BM * BK)
#pragma unroll
        for (int v = 0; v < VEC; ++v)
          tileA[stage][e % BK + v][e / BK] = heldA[i].at[v];
    }
#pragma unroll
    for (int i = 0; i < loadsB; ++i) {
      int e = (t + i * threads) * VEC;
      if (e < BK * BN)
        *(Pack<VEC> *)&tileB[stage][e / BN][e % BN] = heldB[i];
    }
  };
  auto compute = [&](int stage) {
#pragma unroll
    for (int q = 0; q < BK; ++q) {
      float left[TM], right[TN];
#pragma unroll
      for (int y = 0; y < TM; y += groupY)
        *(Pack<groupY> *)&left[y] = *(Pack<groupY> *)&tileA[stage][q][ty * groupY + y * threadsY];
#pragma unroll
      for (int x = 0; x < TN; x += groupX)
        *(Pack<groupX> *)&right[x] = *(Pack<groupX> *)&tileB[stage][q][tx * groupX + x * threadsX];
#pragma unroll
      for (int y = 0; y < TM; ++y)
#pragma unroll
        for (int x = 0; x < TN; ++x)
          sum[y][x] += left[y] * right[x];
    }
  };

  fetch(0);
  int stage = 0;
  for (int at = 0; at < k; at += BK) {
    if (STAGES == 1)
      __syncthreads();
    store(stage);
    __syncthreads();
    if (at + BK < k)
      fetch(at + BK);
    compute(stage);
    if (STAGES == 2)
      stage ^= 1;
  }
#pragma unroll
  for (int y = 0; y < TM; ++y)
#pragma unroll
    for (int x = 0; x < TN; x += groupX) {
      int r = row0 + ty * groupY + y % groupY + y / groupY * groupY * threadsY, q = col0 + tx * groupX + x * threadsX;
      if (r < m && q < n)
        *(Pack<groupX> *)&c[r * n + q] = *(Pack<groupX> *)&sum[y][x];
    }
}
#endif
