// Five-point stencil on the interior of an n by n grid; thread x walks the slow axis.
#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(ceil_div(n, 16), ceil_div(n, 16)), block(16, 16), in(in[n * n]), inout(out[n * n]), init(out, zeros),
                shape(n = 8192), shape(n = 1000), shape(n = 5), tolerance(rel = 1e-5), allow(reassociate, launch_change))
__global__ void stencil2d(const float* in, float* out, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row > 0 && row < n - 1 && col > 0 && col < n - 1)
    out[row * n + col] = 0.2f * (in[row * n + col] + in[(row - 1) * n + col] + in[(row + 1) * n + col] +
                                 in[row * n + col - 1] + in[row * n + col + 1]);
}

extern "C" void launch_stencil2d(const float* in, float* out, int n) {
  stencil2d<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(in, out, n);
}
