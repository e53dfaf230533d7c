// Layer normalisation, one block a row; one thread sums what the block has loaded.
#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(rows), block(256), in(x[rows * cols]), in(gain[cols]), in(bias[cols]), out(y[rows * cols]),
                shape(rows = 4096, cols = 4096), shape(rows = 16384, cols = 768), shape(rows = 3, cols = 1000),
                tolerance(rel = 1e-3), allow(reassociate, launch_change))
__global__ void layernorm(const float* x, const float* gain, const float* bias, float* y, int rows, int cols) {
  __shared__ float sums[256];
  __shared__ float squares[256];
  const float* row = x + blockIdx.x * cols;
  float sum = 0.0f, square = 0.0f;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    sum += row[c];
    square += row[c] * row[c];
  }
  sums[threadIdx.x] = sum;
  squares[threadIdx.x] = square;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int t = 1; t < blockDim.x; ++t) {
      sums[0] += sums[t];
      squares[0] += squares[t];
    }
  }
  __syncthreads();
  float mean = sums[0] / cols;
  float scale = rsqrtf(squares[0] / cols - mean * mean + 1e-5f);
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    y[blockIdx.x * cols + c] = (row[c] - mean) * scale * gain[c] + bias[c];
}

extern "C" void launch_layernorm(const float* x, const float* gain, const float* bias, float* y, int rows, int cols) {
  layernorm<<<rows, 256>>>(x, gain, bias, y, rows, cols);
}
