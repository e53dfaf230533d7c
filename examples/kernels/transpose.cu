// out[c][r] = in[r][c]: the stores of a warp are a column apart.
#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(ceil_div(cols, 32), ceil_div(rows, 8)), block(32, 8),
                in(in[rows * cols]), out(out[rows * cols]),
                shape(rows = 8192, cols = 8192), shape(rows = 1000, cols = 4001), shape(rows = 33, cols = 31),
                tolerance(exact))
__global__ void transpose(const float* in, float* out, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols) out[c * rows + r] = in[r * cols + c];
}

extern "C" void launch_transpose(const float* in, float* out, int rows, int cols) {
  transpose<<<dim3((cols + 31) / 32, (rows + 7) / 8), dim3(32, 8)>>>(in, out, rows, cols);
}
