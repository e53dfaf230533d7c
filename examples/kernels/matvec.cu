// y = A x, one thread a row of a row-major matrix.
#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(ceil_div(rows, 128)), block(128), in(a[rows * cols]), in(x[cols]), out(y[rows]),
                shape(rows = 8192, cols = 8192), shape(rows = 300, cols = 20000), shape(rows = 9, cols = 5),
                tolerance(rel = 1e-3), allow(reassociate, launch_change))
__global__ void matvec(const float* a, const float* x, float* y, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0.0f;
  for (int c = 0; c < cols; ++c) sum += a[r * cols + c] * x[c];
  y[r] = sum;
}

extern "C" void launch_matvec(const float* a, const float* x, float* y, int rows, int cols) {
  matvec<<<(rows + 127) / 128, 128>>>(a, x, y, rows, cols);
}
