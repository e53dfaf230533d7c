// One bottleneck a kernel, planted on purpose; planted.json says which, and how each is launched. Numbers that come out mean
// nothing, but everything computed reaches memory, so that no compiler leaves it out.

extern "C" {

// --- memory-bandwidth ---

__global__ void stream_scale(const float4 *in, float4 *out, int n) {
  int stride = gridDim.x * blockDim.x;
#pragma unroll 4
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    float4 a = in[i];
    out[i] = make_float4(2 * a.x, 2 * a.y, 2 * a.z, 2 * a.w);
  }
}

__global__ void stream_add(const float4 *in, float4 *out, int n) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    float4 a = in[i];
    float4 b = in[i + n];
    out[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
  }
}

// --- memory-latency ---

// Each warp goes from row to row of a power of two; the next row stands in the last one.
__global__ void row_chase(const int *next, int *out, int rows, int steps) {
  int lane = threadIdx.x % 32, sum = 0;
  unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  for (int k = 0; k < steps; ++k) {
    int value = next[row * 32 + lane];
    sum += value;
    row = (__shfl_sync(0xffffffffu, value, 0) + row) & (rows - 1);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// One load at a time for each of few warps.
__global__ void lone_loads(const float *in, float *out, int n, int rows) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int row = 0; row < rows; ++row)
    sum = sum * 0.5f + in[row * n + column];
  out[column] = sum;
}

// --- cache-bandwidth ---

__global__ void l2_rereads(const float4 *in, float *out, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
  float sum = 0;
  for (int round = 0; round < rounds; ++round)
#pragma unroll 8
    for (int k = 0; k < 8; ++k) {
      float4 value = __ldcg(&in[(i + (round * 8 + k) * stride) & (n - 1)]); // n is a power of two
      sum += value.x + value.y + value.z + value.w;
    }
  out[i] = sum;
}

// --- uncoalesced-access ---

__global__ void strided_loads(const float *in, float *out, int n, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  long at = (long)i * stride;
  out[i] = in[at % n] + in[(at + n / 2) % n];
}

__global__ void column_stores(const float *in, float *out, int rows, int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  out[(long)column * rows + row] = in[(long)row * columns + column];
}

// --- compute ---

__global__ void multiply_adds(const float *in, float *out, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x[8], a = in[i];
  for (int k = 0; k < 8; ++k)
    x[k] = a + k;
  for (int round = 0; round < rounds; ++round)
#pragma unroll
    for (int k = 0; k < 8; ++k)
      x[k] = x[k] * a + 0.25f;
  out[i] = x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7];
}

__global__ void exponentials(const float *in, float *out, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i], y = x + 1, z = x + 2, w = x + 3;
  for (int round = 0; round < rounds; ++round) {
    x = __expf(-x);
    y = __expf(-y);
    z = __expf(-z);
    w = __expf(-w);
  }
  out[i] = x + y + z + w;
}

__global__ void integer_mix(const int *in, int *out, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = in[i], y = x + 1, z = x + 2, w = x + 3;
  for (int round = 0; round < rounds; ++round) {
    x = (x ^ (x << 13)) + (y >> 7);
    y = (y ^ (y << 5)) + (z >> 9);
    z = (z ^ (z << 11)) + (w >> 3);
    w = (w ^ (w << 3)) + (x >> 5);
  }
  out[i] = x + y + z + w;
}

// --- shared-memory ---

__global__ void bank_conflicts(const float *in, float *out, int rounds) {
  __shared__ float tile[32][32];
  int x = threadIdx.x, y = threadIdx.y, i = (blockIdx.x * 32 + y) * 32 + x;
  tile[y][x] = in[i];
  __syncthreads();
  float sum = 0;
  for (int round = 0; round < rounds; ++round)
    sum += tile[x][(y + round) % 32];
  out[i] = sum;
}

__global__ void shared_traffic(const float *in, float *out, int rounds) {
  __shared__ float4 row[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  row[threadIdx.x] = make_float4(in[i], 1, 2, 3);
  __syncthreads();
  float sum = 0;
  for (int round = 0; round < rounds; ++round) {
    float4 value = row[(threadIdx.x + round * 32) % 256];
    sum += value.x + value.y + value.z + value.w;
  }
  out[i] = sum;
}

// --- occupancy ---

// Shared memory for one small block, none of it used much; one chain a thread.
__global__ void much_shared(const float *in, float *out, int rounds) {
  extern __shared__ float room[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  room[threadIdx.x] = in[i];
  float x = room[threadIdx.x];
#pragma unroll 8
  for (int round = 0; round < rounds; ++round)
    x = x * 0.999f + 0.25f;
  out[i] = x;
}

// A hundred and sixty values that live all the time, and one chain through them.
__global__ void many_registers(const float *in, float *out, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  float r[160];
#pragma unroll
  for (int k = 0; k < 160; ++k)
    r[k] = in[i + k * all];
  float x = r[0];
  for (int round = 0; round < rounds; ++round)
#pragma unroll
    for (int k = 0; k < 160; ++k)
      x = x * r[k] + 0.25f;
  out[i] = x;
}

// --- dependence-chain ---

__global__ void one_chain(const float *in, float *out, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
#pragma unroll 16
  for (int round = 0; round < rounds; ++round)
    x = x * 0.999f + 0.25f;
  out[i] = x;
}

// --- divergence ---

__global__ void one_lane_works(const float *in, float *out, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
  int mine = i % 32 == 0 ? rounds : rounds / 64;
  for (int round = 0; round < mine; ++round)
    x = x * 0.999f + 0.25f;
  out[i] = x;
}

__global__ void eight_ways(const float *in, float *out, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
  for (int round = 0; round < rounds; ++round)
    switch ((i + round) % 8) {
    case 0: x = __sinf(x); break;
    case 1: x = __expf(-x); break;
    case 2: x = sqrtf(x + 2); break;
    case 3: x = x / 3.7f + 1; break;
    case 4: x = __logf(x + 3); break;
    case 5: x = rsqrtf(x + 2); break;
    case 6: x = fmaf(x, x, 0.1f) - truncf(x); break;
    default: x = __cosf(x) * 0.5f;
    }
  out[i] = x;
}

// --- barriers ---

__global__ void one_warp_works(const float *in, float *out, int rounds) {
  __shared__ float sum;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
  for (int round = 0; round < rounds; ++round) {
    if (threadIdx.x < 32) {
      for (int k = 0; k < 64; ++k)
        x = x * 0.999f + 0.25f;
      if (threadIdx.x == 0)
        sum = x;
    }
    __syncthreads();
    x += sum;
    __syncthreads();
  }
  out[i] = x;
}

__global__ void uneven_warps(const float *in, float *out, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
  for (int round = 0; round < rounds; ++round) {
    int mine = (threadIdx.x / 32 + round) % 16 == 0 ? 128 : 4;
    for (int k = 0; k < mine; ++k)
      x = x * 0.999f + 0.25f;
    __syncthreads();
  }
  out[i] = x;
}

// --- spills ---

__global__ void __launch_bounds__(1024, 2) few_registers(const float *in, float *out, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float r[64];
#pragma unroll
  for (int k = 0; k < 64; ++k)
    r[k] = in[i] + k;
  for (int round = 0; round < rounds; ++round)
#pragma unroll
    for (int k = 0; k < 64; ++k)
      r[k] = r[k] * 0.999f + r[(k + 17) % 64];
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 64; ++k)
    sum += r[k];
  out[i] = sum;
}

__global__ void indexed_array(const float *in, float *out, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float r[64];
  for (int k = 0; k < 64; ++k)
    r[k] = in[i] + k;
  int at = i;
  for (int round = 0; round < rounds; ++round) {
    at = (at * 5 + 1) & 63;
    r[at] = r[(at + 7) & 63] + 0.5f;
  }
  float sum = 0;
  for (int k = 0; k < 64; ++k)
    sum += r[k];
  out[i] = sum;
}

// --- atomics ---

__global__ void one_sum(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&out[(i % 32) / 16], in[i]);
}

__global__ void shared_bins(const int *in, int *out, int rounds) {
  __shared__ int bins[4];
  if (threadIdx.x < 4)
    bins[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x, value = in[i];
  for (int round = 0; round < rounds; ++round)
    value += atomicAdd(&bins[(value + round) & 3], value & 7);
  out[i] = value;
}

// --- tail-effect ---

__global__ void one_block_more(const float *in, float *out, int rounds) {
  extern __shared__ float room[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  room[threadIdx.x] = in[i];
  float x = room[threadIdx.x], y = x + 1;
  for (int round = 0; round < rounds; ++round) {
    x = x * 0.999f + 0.25f;
    y = y * 0.999f + 0.5f;
  }
  out[i] = x + y;
}

__global__ void one_long_block(const float *in, float *out, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i], y = x + 1;
  int mine = blockIdx.x == 0 ? rounds * 16 : rounds;
  for (int round = 0; round < mine; ++round) {
    x = x * 0.999f + 0.25f;
    y = y * 0.999f + 0.5f;
  }
  out[i] = x + y;
}

// --- launch-bound ---

__global__ void little(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + 1;
}

// --- instruction-fetch ---

// Straight code of more than 300 KB: each round of every warp goes through all of it.
#define TIMES_4(x) x x x x
#define TIMES_64(x) TIMES_4(TIMES_4(TIMES_4(x)))
__global__ void long_code(const float *in, float *out, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i], y = x + 1, z = x + 2, w = x + 3;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    TIMES_64(TIMES_64(asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(y));
                      asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(z) : "f"(w));
                      asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(y) : "f"(z));
                      asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(w) : "f"(x));))
  }
  out[i] = x + y + z + w;
}
}
