// Row softmax, one thread a row, three passes over global memory.
#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(ceil_div(rows, 128)), block(128), in(in[rows * cols]), out(out[rows * cols]),
                shape(rows = 4096, cols = 4096), shape(rows = 1024, cols = 16384), shape(rows = 65536, cols = 64),
                shape(rows = 5, cols = 3), init(in, normal(0, 3)), tolerance(rel = 1e-3), allow(reassociate, launch_change))
__global__ void softmax_rows(const float* in, float* out, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float largest = in[r * cols];
  for (int c = 1; c < cols; ++c) largest = fmaxf(largest, in[r * cols + c]);
  float total = 0.0f;
  for (int c = 0; c < cols; ++c) total += expf(in[r * cols + c] - largest);
  for (int c = 0; c < cols; ++c) out[r * cols + c] = expf(in[r * cols + c] - largest) / total;
}

extern "C" void launch_softmax_rows(const float* in, float* out, int rows, int cols) {
  softmax_rows<<<(rows + 127) / 128, 128>>>(in, out, rows, cols);
}
