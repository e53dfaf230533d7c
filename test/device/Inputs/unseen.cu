// Bottlenecks planted after the rules were written, to be held against them unseen; unseen.json says which, and how each
// is launched. Numbers that come out mean nothing, but everything computed reaches memory.

extern "C" {

// --- memory-bandwidth ---

__global__ void triad(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + 3.0f * in[i + n];
}

// --- uncoalesced-access ---

struct Particle {
  float x, y, z, vx, vy, vz, mass, charge;
};

__global__ void one_member(const Particle *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i].mass * 2.0f;
}

__global__ void turn(const float *in, float *out, int n) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  out[y * n + x] = in[x * n + y];
}

// --- compute ---

__global__ void horner_double(const double *in, double *out, int terms) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double x = in[i], y = in[i] + 1, a = 1, b = 2;
  for (int k = 0; k < terms; ++k) {
    a = a * x + 0.25;
    b = b * y + 0.75;
  }
  out[i] = a + b;
}

__global__ void waves(const float *in, float *out, int terms) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i], sum = 0;
  for (int k = 0; k < terms; ++k)
    sum += __sinf(x * k) + __cosf(x + k);
  out[i] = sum;
}

// --- memory-latency ---

__global__ void lane_chase(const int *next, int *out, int n, int steps) {
  unsigned at = (blockIdx.x * blockDim.x + threadIdx.x) * 97u;
  int sum = 0;
  for (int k = 0; k < steps; ++k) {
    at = (next[at & (n - 1)] + at) & (n - 1);
    at |= threadIdx.x % 32; // lanes of a warp stay close together
    sum += at;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void two_steps(const int *in, int *out, int n) {
  int lane = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  for (int k = lane; k < n; k += gridDim.x * blockDim.x) {
    int row = in[k] & 1023;
    sum += in[row * 1024 + (k & 1023)];
  }
  out[lane] = sum;
}

// --- cache-bandwidth ---

__global__ void windows(const float *in, float *out, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x;
  const float *mine = in + blockIdx.x * 1024;
  float sum = 0;
  for (int round = 0; round < rounds; ++round)
#pragma unroll 16
    for (int k = 0; k < 16; ++k)
      sum += mine[(lane + 32 * k + round) & 1023];
  out[i] = sum;
}

// --- shared-memory ---

__global__ void columns(const double *in, double *out, int rounds) {
  __shared__ double tile[32][32];
  int x = threadIdx.x, y = threadIdx.y, i = blockIdx.x * 1024 + y * 32 + x;
  tile[y][x] = in[i];
  __syncthreads();
  double sum = 0;
#pragma unroll 8
  for (int k = 0; k < rounds; ++k)
    sum += tile[x][(y + k) & 31];
  out[i] = sum;
}

// --- occupancy ---

__global__ void big_tile(const float *in, float *out, int rounds) {
  extern __shared__ float tile[];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  tile[t] = in[i];
  float a = tile[t], b = a + 1;
  for (int k = 0; k < rounds; ++k) {
    a = a * 1.0001f + b;
    b = b * 0.9999f + a;
  }
  out[i] = a + b;
}

// --- divergence ---

__global__ void triangle(const float *in, float *out, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  float x = in[i], y = x + 1;
  int mine = lane == 0 ? rounds : rounds / 32 * (lane % 8) / 8;
  for (int k = 0; k < mine; ++k) {
    x = x * 1.0001f + y;
    y = y * 0.9999f + 0.5f;
  }
  out[i] = x + y;
}

// --- barriers ---

__global__ void serial_prefix(const float *in, float *out, int rounds) {
  __shared__ float values[512];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  values[t] = in[i];
  for (int round = 0; round < rounds; ++round) {
    __syncthreads();
    if (t == 0)
      for (int k = 1; k < 64; ++k)
        values[k] += values[k - 1] * 0.5f;
    __syncthreads();
    values[t] += 1;
  }
  out[i] = values[t];
}

// --- spills ---

__global__ void sort_locally(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float values[48];
  for (int k = 0; k < 48; ++k)
    values[k] = in[(i * 7 + k * 31) & (n - 1)];
#pragma unroll 1
  for (int k = 1; k < 48; ++k) {
    float moved = values[k];
    int at = k;
#pragma unroll 1
    for (; at > 0 && values[at - 1] > moved; --at)
      values[at] = values[at - 1];
    values[at] = moved;
  }
  out[i] = values[i & 31] + values[(i + 17) & 31];
}

// --- atomics ---

__global__ void four_bins(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&out[in[i] & 3], in[i] & 1);
}

// --- tail-effect ---

__global__ void growing_blocks(const float *in, float *out, int most) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = in[i], b = a + 1, c = a + 2, d = a + 3;
  int rounds = blockIdx.x == gridDim.x - 1 ? most : blockIdx.x % 7 * most / 128;
  for (int k = 0; k < rounds; ++k) {
    a = a * 1.0001f + 0.1f;
    b = b * 1.0002f + 0.2f;
    c = c * 1.0003f + 0.3f;
    d = d * 1.0004f + 0.4f;
  }
  out[i] = a + b + c + d;
}

// --- launch-bound ---

__global__ void scale_few(const float *in, float *out, int n) {
  int i = threadIdx.x;
  if (i < n)
    out[i] = in[i] * 2;
}

// --- dependence-chain ---

__global__ void newton(const float *in, float *out, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i], root = 1;
  for (int k = 0; k < rounds; ++k)
    root = 0.5f * (root + x * root) - root * root * 0.01f;
  out[i] = root;
}

} // extern "C"
