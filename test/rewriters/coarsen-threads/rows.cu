// REQUIRES: nvcc
// Rows of a thread that all lie inside a guard are asked for once, and loaded before they are stored; each reason why not beside it.
//
// RUN: rm -rf %t && mkdir %t && %warpwright optimize %s --apply 'coarsen-threads rows=4' --candidates-dir %t/all --output-dir %t/out -- -arch=sm_90 -I%source_dir/include > %t/log
// RUN: cat %t/all/*/coarsen-threads_rows=4.cu | grep -v "^//" | FileCheck --strict-whitespace --check-prefix=TEXT %s
// RUN: %warpwright verify %s %t/all/cross/coarsen-threads_rows=4.cu --kernel cross -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=SAME %s
// SAME: cross -> cross_warpwright: accepted
#include <warpwright/annotate.h>

// TEXT-LABEL: void cross_warpwright(
// TEXT: {{^  }}bool inside = true;
// TEXT-NEXT: {{^}}#pragma unroll
// TEXT-NEXT: {{^  }}for (int k = 0; k < 4; k += 3) { // the first and the last
// TEXT-NEXT: {{^    }}int row = (blockIdx.y * blockDim.y + threadIdx.y) * 4 + k;
// TEXT-NEXT: {{^    }}int col = blockIdx.x * blockDim.x + threadIdx.x;
// TEXT-NEXT: {{^    }}inside = inside && row > 0 && row < n - 1 && col > 0 && col < n - 1;
// TEXT-NEXT: {{^  }}}
// TEXT-NEXT: {{^  }}if (inside) {
// TEXT-NEXT: {{^    }}float values[4];
// TEXT-NEXT: {{^}}#pragma unroll
// TEXT-NEXT: {{^    }}for (int k = 0; k < 4; ++k) {
// TEXT-NEXT: {{^      }}int row = (blockIdx.y * blockDim.y + threadIdx.y) * 4 + k;
// TEXT-NEXT: {{^      }}int col = blockIdx.x * blockDim.x + threadIdx.x;
// TEXT-NEXT: {{^      }}values[k] = in[row * n + col] + in[(row - 1) * n + col] + in[(row + 1) * n + col];
// TEXT: {{^      }}out[row * n + col] = values[k];
// TEXT: {{^  }}} else {
// TEXT: {{^      }}if (row > 0 && row < n - 1 && col > 0 && col < n - 1)
KERNEL_OPTIMIZE(grid(ceil_div(n, 32), ceil_div(n, 8)), block(32, 8), in(in[n * n]), inout(out[n * n]),
                shape(n = 70), shape(n = 5), shape(n = 33), allow(launch_change))
__global__ void cross(const float *in, float *out, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row > 0 && row < n - 1 && col > 0 && col < n - 1)
    out[row * n + col] = in[row * n + col] + in[(row - 1) * n + col] + in[(row + 1) * n + col];
}
void launchCross(const float *in, float *out, int n) {
  cross<<<dim3((n + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(in, out, n);
}

//   every other row: between two that are inside lies one that is not
// TEXT-LABEL: void odd_warpwright(
// TEXT-NOT: inside
// TEXT: {{^  }}for (int k = 0; k < 4; ++k) {
KERNEL_OPTIMIZE(grid(ceil_div(n, 32), ceil_div(n, 8)), block(32, 8), in(in[n * n]), inout(out[n * n]),
                shape(n = 70), allow(launch_change))
__global__ void odd(const float *in, float *out, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n && row % 2 == 1 && col < n)
    out[row * n + col] = in[row * n + col] + 1;
}
void launchOdd(const float *in, float *out, int n) {
  odd<<<dim3((n + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(in, out, n);
}

//   a row reads what the one before it stored: in the order of the source
// TEXT-LABEL: void update_warpwright(
// TEXT: {{^  }}if (inside) {
// TEXT-NOT: values
// TEXT: {{^      }}out[row * n + col] += out[row * n + n + col];
KERNEL_OPTIMIZE(grid(ceil_div(n, 32), ceil_div(n, 8)), block(32, 8), inout(out[n * n]), shape(n = 70), allow(launch_change))
__global__ void update(float *out, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n - 1 && col < n)
    out[row * n + col] += out[row * n + n + col];
}
void launchUpdate(float *out, int n) {
  update<<<dim3((n + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(out, n);
}
