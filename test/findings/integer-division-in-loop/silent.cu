// RUN: %warpwright analyze --no-ptxas %s -- -arch=sm_90 -I%source_dir/include | FileCheck %s --implicit-check-not='[warpwright-integer-division-in-loop]'

// Powers of two are shifts, other constants multiplications.
// CHECK: constants
__global__ void constants(const float *bias, float *y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] += bias[i % 32] * (i / 12);
}

// Quotient and remainder are carried along.
__global__ void carried(const float *bias, float *y, int n, int width) {
  int column = threadIdx.x;
  for (int i = threadIdx.x; i < n; i += 128) {
    y[i] += bias[column];
    column += 128;
    while (column >= width)
      column -= width;
  }
}

// Before the loop, once a thread.
__global__ void before_the_loop(const float *x, float *y, int n, int width) {
  int row = threadIdx.x / width, column = threadIdx.x % width;
  float sum = 0.0f;
  for (int i = 0; i < n; ++i)
    sum += x[(row + i) * width + column];
  y[threadIdx.x] = sum;
}

// One 32-bit division in a thread that does one element.
__global__ void once(const float *bias, float *y, int n, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] += bias[i % width];
}

// Floating point is another matter.
__global__ void floats(float *y, int n, float width) {
  for (int i = threadIdx.x; i < n; i += 128)
    y[i] /= width;
}
