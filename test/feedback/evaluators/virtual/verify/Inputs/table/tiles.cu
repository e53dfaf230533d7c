// Products by tiles of 64 by 64 outputs, four by four a thread, as a rewriter makes them: mistakes at the borders of tiles, from the
// second tile or strip on, and where only whole tiles take a path of their own.
#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(ceil_div(n, 16), ceil_div(m, 16)), block(16, 16), in(a[m * k]), in(b[k * n]), out(c[m * n]),
                shape(m = 4096, n = 4096, k = 4096), shape(m = 129, n = 65, k = 200), shape(m = 100, n = 1000, k = 64),
                require(m > 0 && n > 0 && k >= 0), allow(reassociate), allow(launch_change))
__global__ void product(const float *a, const float *b, float *c, int m, int n, int k) {
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= m || col >= n)
    return;
  float sum = 0;
  for (int i = 0; i < k; ++i)
    sum += a[row * k + i] * b[i * n + col];
  c[row * n + col] = sum;
}

// What a tile does otherwise than it should.
struct Honest {
  static constexpr bool barrier = true;  // between a strip's products and the next strip
  static constexpr bool tail = true;     // of k
  static constexpr bool guarded = true;  // reads of the last strip
  static constexpr float fill = 0;       // beyond the matrix
  static constexpr int tiles = 1 << 20;  // in each direction, before it begins anew
  static constexpr int strips = 1 << 20; // that are read, before it takes the first again
  static constexpr int rows = 4;         // of a thread that are written
  static constexpr bool whole = false;   // rows are written where all of a thread's are inside
};

template <typename How> __device__ void tile(const float *a, const float *b, float *c, int m, int n, int k) {
  __shared__ float as[2][16][64], bs[2][16][64];
  int x = threadIdx.x, y = threadIdx.y, t = y * 16 + x;
  int row0 = blockIdx.y % How::tiles * 64, col0 = blockIdx.x % How::tiles * 64;
  int strips = How::tail ? (k + 15) / 16 : k / 16;
  auto stage = [&](int strip) {
    int from = strip % How::strips * 16;
    for (int e = t; e < 16 * 64; e += 256) {
      int i = e / 64, j = e % 64;
      bool inK = !How::guarded || from + i < k;
      as[strip % 2][i][j] = row0 + j < m && inK ? a[(row0 + j) * k + from + i] : How::fill;
      bs[strip % 2][i][j] = col0 + j < n && inK ? b[(from + i) * n + col0 + j] : How::fill;
    }
  };
  float sums[4][4] = {};
  if (strips > 0)
    stage(0);
  __syncthreads();
  for (int strip = 0; strip < strips; ++strip) {
    if (strip + 1 < strips)
      stage(strip + 1);
    for (int i = 0; i < 16; ++i)
      for (int r = 0; r < 4; ++r)
        for (int s = 0; s < 4; ++s)
          sums[r][s] += as[strip % 2][i][y + 16 * r] * bs[strip % 2][i][x + 16 * s];
    if (How::barrier)
      __syncthreads();
  }
  if (How::whole && row0 + y + 48 >= m)
    return;
  for (int r = 0; r < How::rows; ++r)
    for (int s = 0; s < 4; ++s)
      if (row0 + y + 16 * r < m && col0 + x + 16 * s < n)
        c[(row0 + y + 16 * r) * n + col0 + x + 16 * s] = sums[r][s];
}

//! accept: two buffers for strips of k, four by four outputs a thread
//! steps [{"launch": "product_tiled", "grid": ["ceil_div(n, 64)", "ceil_div(m, 64)"]}]
__global__ void product_tiled(const float *a, const float *b, float *c, int m, int n, int k) {
  tile<Honest>(a, b, c, m, n, k);
}
struct NoBarrier : Honest {
  static constexpr bool barrier = false;
};
//! reject shared-race: no barrier between the strips of two buffers
//! steps [{"launch": "product_no_barrier", "grid": ["ceil_div(n, 64)", "ceil_div(m, 64)"]}]
__global__ void product_no_barrier(const float *a, const float *b, float *c, int m, int n, int k) {
  tile<NoBarrier>(a, b, c, m, n, k);
}
struct NoTail : Honest {
  static constexpr bool tail = false;
};
//! reject wrong-output unwritten-output: the strip that is no whole one is left out
//! steps [{"launch": "product_no_tail", "grid": ["ceil_div(n, 64)", "ceil_div(m, 64)"]}]
__global__ void product_no_tail(const float *a, const float *b, float *c, int m, int n, int k) {
  tile<NoTail>(a, b, c, m, n, k);
}
struct Unguarded : Honest {
  static constexpr bool guarded = false;
};
//! reject wrong-output out-of-bounds: the last strip is read past its end
//! steps [{"launch": "product_unguarded", "grid": ["ceil_div(n, 64)", "ceil_div(m, 64)"]}]
__global__ void product_unguarded(const float *a, const float *b, float *c, int m, int n, int k) {
  tile<Unguarded>(a, b, c, m, n, k);
}
struct Filled : Honest {
  static constexpr float fill = 1;
};
//! reject wrong-output: ones beyond the border
//! steps [{"launch": "product_filled", "grid": ["ceil_div(n, 64)", "ceil_div(m, 64)"]}]
__global__ void product_filled(const float *a, const float *b, float *c, int m, int n, int k) {
  tile<Filled>(a, b, c, m, n, k);
}
struct OneTile : Honest {
  static constexpr int tiles = 1;
};
//! reject unwritten-output block-race: every block does the first tile
//! steps [{"launch": "product_one_tile", "grid": ["ceil_div(n, 64)", "ceil_div(m, 64)"]}]
__global__ void product_one_tile(const float *a, const float *b, float *c, int m, int n, int k) {
  tile<OneTile>(a, b, c, m, n, k);
}
struct TwoTiles : Honest {
  static constexpr int tiles = 2;
};
//! reject unwritten-output block-race: right for two tiles in each direction
//! steps [{"launch": "product_two_tiles", "grid": ["ceil_div(n, 64)", "ceil_div(m, 64)"]}]
__global__ void product_two_tiles(const float *a, const float *b, float *c, int m, int n, int k) {
  tile<TwoTiles>(a, b, c, m, n, k);
}
struct EightStrips : Honest {
  static constexpr int strips = 8;
};
//! reject wrong-output: the ninth strip is the first again
//! steps [{"launch": "product_eight_strips", "grid": ["ceil_div(n, 64)", "ceil_div(m, 64)"]}]
__global__ void product_eight_strips(const float *a, const float *b, float *c, int m, int n, int k) {
  tile<EightStrips>(a, b, c, m, n, k);
}
struct ThreeRows : Honest {
  static constexpr int rows = 3;
};
//! reject unwritten-output: three of four rows a thread
//! steps [{"launch": "product_three_rows", "grid": ["ceil_div(n, 64)", "ceil_div(m, 64)"]}]
__global__ void product_three_rows(const float *a, const float *b, float *c, int m, int n, int k) {
  tile<ThreeRows>(a, b, c, m, n, k);
}
struct WholeRows : Honest {
  static constexpr bool whole = true;
};
//! reject unwritten-output: rows at the lower border are left out
//! steps [{"launch": "product_whole_rows", "grid": ["ceil_div(n, 64)", "ceil_div(m, 64)"]}]
__global__ void product_whole_rows(const float *a, const float *b, float *c, int m, int n, int k) {
  tile<WholeRows>(a, b, c, m, n, k);
}

// A path for whole tiles of 128 rows and columns, and strips of 32; the rest is done as before.
template <typename How> __device__ void wholeTiles(const float *a, const float *b, float *c, int m, int n, int k) {
  if (m % 128 == 0 && n % 128 == 0 && k % 32 == 0)
    return tile<How>(a, b, c, m, n, k);
  tile<Honest>(a, b, c, m, n, k);
}
//! accept: whole tiles by a path of their own
//! steps [{"launch": "product_paths", "grid": ["ceil_div(n, 64)", "ceil_div(m, 64)"]}]
__global__ void product_paths(const float *a, const float *b, float *c, int m, int n, int k) {
  wholeTiles<Honest>(a, b, c, m, n, k);
}
//! reject unwritten-output block-race: right for two tiles, on a path for whole tiles alone
//! steps [{"launch": "product_paths_two", "grid": ["ceil_div(n, 64)", "ceil_div(m, 64)"]}]
__global__ void product_paths_two(const float *a, const float *b, float *c, int m, int n, int k) {
  wholeTiles<TwoTiles>(a, b, c, m, n, k);
}
struct FourStrips : Honest {
  static constexpr int strips = 4;
};
//! reject wrong-output: the fifth strip is the first again, on a path for whole tiles alone
//! steps [{"launch": "product_paths_strips", "grid": ["ceil_div(n, 64)", "ceil_div(m, 64)"]}]
__global__ void product_paths_strips(const float *a, const float *b, float *c, int m, int n, int k) {
  wholeTiles<FourStrips>(a, b, c, m, n, k);
}
//! reject shared-race: no barrier between strips, on a path for whole tiles alone
//! steps [{"launch": "product_paths_barrier", "grid": ["ceil_div(n, 64)", "ceil_div(m, 64)"]}]
__global__ void product_paths_barrier(const float *a, const float *b, float *c, int m, int n, int k) {
  wholeTiles<NoBarrier>(a, b, c, m, n, k);
}

// Four columns a thread, by vector loads.
template <bool Base, bool Columns> __device__ void vectors(const float *a, const float *b, float *c, int m, int n, int k) {
  int col = (blockIdx.x * 16 + threadIdx.x) * 4, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= m || col >= n)
    return;
  bool isAligned = (!Columns || n % 4 == 0) && (!Base || reinterpret_cast<size_t>(b) % 16 == 0);
  float sums[4] = {};
  for (int i = 0; i < k; ++i) {
    float value = a[row * k + i];
    if (isAligned) {
      float4 four = *reinterpret_cast<const float4 *>(b + i * n + col);
      sums[0] += value * four.x, sums[1] += value * four.y, sums[2] += value * four.z, sums[3] += value * four.w;
    } else {
      for (int s = 0; s < 4 && col + s < n; ++s)
        sums[s] += value * b[i * n + col + s];
    }
  }
  for (int s = 0; s < 4 && col + s < n; ++s)
    c[row * n + col + s] = sums[s];
}
//! accept: vector loads where base and columns are aligned
//! steps [{"launch": "product_vectors", "grid": ["ceil_div(n, 64)", "ceil_div(m, 16)"]}]
__global__ void product_vectors(const float *a, const float *b, float *c, int m, int n, int k) {
  vectors<true, true>(a, b, c, m, n, k);
}
//! reject misaligned-access: the base of the matrix is not looked at
//! steps [{"launch": "product_vectors_base", "grid": ["ceil_div(n, 64)", "ceil_div(m, 16)"]}]
__global__ void product_vectors_base(const float *a, const float *b, float *c, int m, int n, int k) {
  vectors<false, true>(a, b, c, m, n, k);
}
//! reject misaligned-access out-of-bounds: the number of columns is not looked at
//! steps [{"launch": "product_vectors_columns", "grid": ["ceil_div(n, 64)", "ceil_div(m, 16)"]}]
__global__ void product_vectors_columns(const float *a, const float *b, float *c, int m, int n, int k) {
  vectors<true, false>(a, b, c, m, n, k);
}
