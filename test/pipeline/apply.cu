// REQUIRES: nvcc
// Sequences that are named by hand.
//
// RUN: rm -rf %t && %warpwright optimize %s --apply 'swap-thread-axes x=32 y=8 + coarsen-threads rows=4' --no-verify \
// RUN:   --output-dir %t --candidates-dir %t/all -- -arch=sm_90 -I%source_dir/include
// RUN: FileCheck --check-prefix=TEXT --input-file='%t/all/blur/swap-thread-axes_x=32_y=8_+_coarsen-threads_rows=4.cu' %s
// RUN: %warpwright verify %s '%t/all/blur/swap-thread-axes_x=32_y=8_+_coarsen-threads_rows=4.cu' -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=SAME %s
// RUN: not %warpwright optimize %s --apply 'swap-axes' --output-dir %t -- -arch=sm_90 -I%source_dir/include 2>&1 | FileCheck --check-prefix=UNKNOWN %s
// RUN: not %warpwright optimize %s --apply 'swap-thread-axes x=two' --output-dir %t -- -arch=sm_90 -I%source_dir/include 2>&1 | FileCheck --check-prefix=NUMBER %s
// UNKNOWN: 'swap-axes' is no rewriter; 'warpwright list' names them
// NUMBER: 'x=two' of 'swap-thread-axes' is no parameter; 'name=number' is one
#include <warpwright/annotate.h>

// TEXT: // 'blur' as it is launched in this file: swap-thread-axes x=32 y=8 + coarsen-threads rows=4.
// TEXT: {{^    }}const int tx = threadIdx.y, ty = threadIdx.x;
// TEXT-NEXT: {{^    }}const int row = (blockIdx.x * blockDim.y + tx) * 4 + k;
// SAME: blur -> blur_warpwright: accepted
__device__ float at(const float *in, int row, int col, int width) { return in[row * width + col]; }
KERNEL_OPTIMIZE(grid(ceil_div(height, 8), ceil_div(width, 32)), block(8, 32), in(in[height * width]), out(out[height * width]),
                shape(height = 50, width = 70), shape(height = 3, width = 3), tolerance(rel = 1e-5), allow(reassociate, launch_change))
__global__ void blur(const float *in, float *out, int height, int width) {
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.x * blockDim.x + tx;
  const int col = blockIdx.y * blockDim.y + ty;
  if (row >= height || col >= width)
    return;
  float sum = at(in, row, col, width);
  if (row > 0)
    sum += at(in, row - 1, col, width);
  if (row + 1 < height)
    sum += at(in, row + 1, col, width);
  out[row * width + col] = sum / 3;
}

void launch(const float *x, float *y, int rows, int cols) {
  blur<<<dim3((rows + 7) / 8, (cols + 31) / 32), dim3(8, 32)>>>(x, y, rows, cols);
}
