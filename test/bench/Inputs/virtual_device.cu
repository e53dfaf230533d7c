// What test/bench/virtual_device.py times; virtual_device_host.cpp has the same loops for the host.

__global__ void gemm(const float *a, const float *b, float *c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

__global__ void transpose(const float *in, float *out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

// Two barriers a round.
__global__ void barriers(float *out, int n) {
  __shared__ float values[1024];
  int t = threadIdx.x;
  values[t] = t;
  __syncthreads();
  for (int i = 0; i < n; ++i) {
    float next = values[(t + 1) % 1024];
    __syncthreads();
    values[t] = next;
    __syncthreads();
  }
  out[blockIdx.x * 1024 + t] = values[t];
}
