// RUN: %warpwright analyze --no-ptxas %s -- -arch=sm_90 -I%source_dir/include | FileCheck %s --implicit-check-not='[warpwright-integer-division-in-loop]'

// Quotient and remainder of the same numbers are one division.
__global__ void rows_and_columns(const float *bias, float *y, int n, int width) {
  // CHECK: :[[@LINE+4]]:{{[0-9]+}}: warning: 32-bit division by 'width' takes about 20 instructions in every iteration [warpwright-integer-division-in-loop]
  // CHECK: note: the loop, of {{[0-9]+}} instructions besides
  // CHECK: note: carry quotient and remainder along and wrap
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int row = i / width, column = i % width;
    y[i] = y[i] + bias[column] * row;
  }
}

// 64 bits cost four times as much.
__global__ void long_index(const float *bias, float *y, long n, long width) {
  for (long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: warning: 64-bit remainder by 'width' takes about 100 instructions in every iteration [warpwright-integer-division-in-loop]
    y[i] += bias[i % width];
}

// The divisor changes from round to round.
__global__ void common_divisor(const unsigned *x, unsigned *y) {
  unsigned a = x[threadIdx.x], b = y[threadIdx.x];
  while (b != 0) {
    // CHECK: :[[@LINE+2]]:{{[0-9]+}}: warning: 32-bit remainder by '{{.*}}' takes about 20 instructions in every iteration [warpwright-integer-division-in-loop]
    // CHECK: note: where the divisor is a power of two, shift and mask
    unsigned rest = a % b;
    a = b;
    b = rest;
  }
  y[threadIdx.x] = a;
}

// No loop, but one element a thread: 64-bit divisions are most of what the kernel does.
__global__ void flat(const float *x, float *y, unsigned long width, unsigned long height) {
  unsigned long i = (unsigned long)blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: warning: 64-bit division by 'width' takes about 100 instructions in every thread [warpwright-integer-division-in-loop]
  unsigned long row = i / width, column = i % width;
  y[column * height + row] = x[i];
}
