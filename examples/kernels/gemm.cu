// C[m][n] = A[m][k] * B[k][n], row major, one thread an output element.
#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(ceil_div(n, 16), ceil_div(m, 16)), block(16, 16),
                in(a[m * k]), in(b[k * n]), out(c[m * n]),
                shape(m = 4096, n = 4096, k = 4096), shape(m = 1024, n = 1024, k = 1024),
                shape(m = 129, n = 65, k = 200), shape(m = 16, n = 4096, k = 1000),
                tolerance(rel = 1e-3), allow(reassociate))
__global__ void gemm(const float* a, const float* b, float* c, int m, int n, int k) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < m && col < n) {
    float sum = 0.0f;
    for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = sum;
  }
}

extern "C" void launch_gemm(const float* a, const float* b, float* c, int m, int n, int k) {
  dim3 block(16, 16);
  dim3 grid((n + 15) / 16, (m + 15) / 16);
  gemm<<<grid, block>>>(a, b, c, m, n, k);
}
