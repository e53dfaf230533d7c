// REQUIRES: nvcc, clang-tidy
// RUN: %three_doors --rules index-overflow %s
#include <warpwright/annotate.h>

// Rows times columns.
KERNEL_OPTIMIZE(grid(n / 32, n / 8), block(32, 8), out(y[n * n]), shape(n = 65536))
__global__ void overflow(float *y, int n) {
  int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
  y[row * n + col] = 1; // finding: index-overflow: overflows int: 65536 * 65528 = 4294443008
}

// Of unsigned numbers.
KERNEL_OPTIMIZE(grid(n), block(128), out(y[n * 65536]), shape(n = 100000))
__global__ void unsigned_product(float *y, int n) {
  y[blockIdx.x * 65537u * 3 + threadIdx.x] = 1; // finding: index-overflow: overflows unsigned int
}

// In 64 bits.
KERNEL_OPTIMIZE(grid(n / 32, n / 8), block(32, 8), out(y[n * n]), shape(n = 65536))
__global__ void no_overflow(float *y, int n) {
  int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
  y[(size_t)row * n + col] = 1;
}

// A smaller shape.
KERNEL_OPTIMIZE(grid(n / 32, n / 8), block(32, 8), out(y[n * n]), shape(n = 4096))
__global__ void fits(float *y, int n) {
  int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
  y[row * n + col] = 1;
}

// Hashing overflows on purpose.
KERNEL_OPTIMIZE(grid(n), block(128), out(y[1024]), shape(n = 100000))
__global__ void hash(float *y, int n) {
  y[(blockIdx.x * 2654435761u + threadIdx.x * 40503u) % 1024] = 1;
}
