// REQUIRES: nvcc
// Blocks that do the work of several: a stream repeats its body, a sum is taken before the block meets, the grid walks
// over elements, and a thread takes neighbouring rows.
//
// RUN: rm -rf %t && %warpwright optimize %s --apply 'coarsen-threads factor=4' --apply 'coarsen-threads factor=16' \
// RUN:   --apply 'coarsen-threads elements=4' --apply 'coarsen-threads rows=4' --apply 'coarsen-threads blocks=1056' \
// RUN:   --no-verify --output-dir %t --candidates-dir %t/all -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: FileCheck --check-prefix=FACTOR --input-file=%t/all/scaled/coarsen-threads_factor=4.cu %s
// RUN: FileCheck --check-prefix=SUM --input-file=%t/all/total/coarsen-threads_factor=16.cu %s
// RUN: FileCheck --check-prefix=GUARDED --input-file=%t/all/counted/coarsen-threads_factor=16.cu %s
// RUN: FileCheck --check-prefix=ELEMENTS --input-file=%t/all/scaled/coarsen-threads_elements=4.cu %s
// RUN: FileCheck --check-prefix=ROWS --input-file=%t/all/blurred/coarsen-threads_rows=4.cu %s
// RUN: %warpwright verify %s %t/all/scaled/coarsen-threads_factor=4.cu --kernel scaled -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=SAME %s
// RUN: %warpwright verify %s %t/all/total/coarsen-threads_factor=16.cu --kernel total -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=SAME %s
// RUN: %warpwright verify %s %t/all/total/coarsen-threads_blocks=1056.cu --kernel total -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=SAME %s
// RUN: %warpwright verify %s %t/all/counted/coarsen-threads_factor=16.cu --kernel counted -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=SAME %s
// RUN: %warpwright verify %s %t/all/scaled/coarsen-threads_elements=4.cu --kernel scaled -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=SAME %s
// RUN: %warpwright verify %s %t/all/blurred/coarsen-threads_rows=4.cu --kernel blurred -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=SAME %s
// RUN: %nvcc -arch=sm_90 -I%source_dir/include -c %t/all/blurred/coarsen-threads_rows=4.cu -o %t/object.o
// SAME: accepted
#include <warpwright/annotate.h>

// FACTOR: KERNEL_OPTIMIZE(grid(ceil_div(ceil_div(n, 256), 4))
// FACTOR: {{^}}__global__ void scaled_warpwright(
// FACTOR-NEXT: {{^  }}// A block does the work of 4 neighbours.
// FACTOR-NEXT: {{^  }}const unsigned blocks = (n + 255LL) / 256;
// FACTOR-NEXT: {{^  }}const unsigned endBlock = min((blockIdx.x + 1) * 4, blocks);
// FACTOR-NEXT: {{^}}#pragma unroll 4
// FACTOR-NEXT: {{^  }}for (unsigned virtualBlock = blockIdx.x * 4; virtualBlock < endBlock; ++virtualBlock) {
// FACTOR-NEXT: {{^    }}int i = virtualBlock * blockDim.x + threadIdx.x;
// FACTOR-NEXT: {{^    }}if (i >= n)
// FACTOR-NEXT: {{^      }}continue;
// FACTOR-NEXT: {{^    }}out[i] = 2.0f * in[i];
// FACTOR-NEXT: {{^  }}}

// ELEMENTS: KERNEL_OPTIMIZE(grid(min(ceil_div(ceil_div(n, 256), 4), 131072))
// ELEMENTS: {{^}}__global__ void scaled_warpwright(
// ELEMENTS-NEXT: {{^  }}// The grid walks over the elements, each thread a grid's width at a time.
// ELEMENTS-NEXT: {{^  }}for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
// ELEMENTS-NEXT: {{^    }}out[i] = 2.0f * in[i];
// ELEMENTS-NEXT: {{^  }}}
KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(in[n]), out(out[n]), shape(n = 5000), shape(n = 7),
                allow(launch_change))
__global__ void scaled(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  out[i] = 2.0f * in[i];
}

// SUM: {{^}}__global__ void total_warpwright(
// SUM: {{^  }}// A thread adds up what it brings to 16 blocks before the block meets.
// SUM-NEXT: {{^  }}float total = 0.0f;
// SUM: {{^}}#pragma unroll 16
// SUM-NEXT: {{^  }}for (unsigned virtualBlock = blockIdx.x * 16; virtualBlock < endBlock; ++virtualBlock) {
// SUM-NEXT: {{^    }}int i = virtualBlock * blockDim.x + threadIdx.x;
// SUM-NEXT: {{^    }}total += i < n ? in[i] : 0.0f;
// SUM-NEXT: {{^  }}}
// SUM-NEXT: {{^  }}partial[threadIdx.x] = total;
KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(in[n]), inout(out[1]), init(in, uniform(0, 1)), init(out, zeros),
                shape(n = 5000), shape(n = 7), tolerance(rel = 1e-3), allow(reassociate, launch_change))
__global__ void total(const float *in, float *out, int n) {
  __shared__ float partial[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  partial[threadIdx.x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int stride = 128; stride > 0; stride /= 2) {
    if (threadIdx.x < stride)
      partial[threadIdx.x] += partial[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    atomicAdd(out, partial[0]);
}

// A value that a condition guards, of integers, whose order of summation does not show, folded by shuffles.
// GUARDED: {{^}}__global__ void counted_warpwright(
// GUARDED: {{^  }}int total = 0;
// GUARDED: {{^    }}int hits = 0;
// GUARDED-NEXT: {{^    }}int i = virtualBlock * blockDim.x + threadIdx.x;
// GUARDED-NEXT: {{^    }}if (i < n)
// GUARDED-NEXT: {{^      }}hits = in[i] > 3;
// GUARDED-NEXT: {{^    }}total += hits;
// GUARDED-NEXT: {{^  }}}
// GUARDED-NEXT: {{^  }}int hits = total;
KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(in[n]), inout(out[1]), init(out, zeros), shape(n = 5000),
                shape(n = 7), tolerance(exact), allow(launch_change))
__global__ void counted(const int *in, int *out, int n) {
  int hits = 0;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    hits = in[i] > 3;
  for (int offset = 16; offset > 0; offset /= 2)
    hits += __shfl_down_sync(0xffffffff, hits, offset);
  if (threadIdx.x % 32 == 0)
    atomicAdd(out, hits);
}

// Rows are counted from one, in a number of their own.
// ROWS: KERNEL_OPTIMIZE(grid(ceil_div(n, 32), ceil_div(ceil_div(n, 8), 4))
// ROWS: {{^}}__global__ void blurred_warpwright(
// ROWS-NEXT: {{^  }}// A thread takes 4 neighbouring places along y, whose neighbourhoods share what they load.
// ROWS-NEXT: {{^}}#pragma unroll
// ROWS-NEXT: {{^  }}for (int k = 0; k < 4; ++k) {
// ROWS-NEXT: {{^    }}int ty = threadIdx.y;
// ROWS-NEXT: {{^    }}int row = 1 + blockIdx.y * blockDim.y + ty + (blockIdx.y * blockDim.y + threadIdx.y) * 3 + k;
// ROWS-NEXT: {{^    }}int col = blockIdx.x * blockDim.x + threadIdx.x;
// ROWS-NEXT: {{^    }}if (row > n - 2 || col >= n)
// ROWS-NEXT: {{^      }}continue;
KERNEL_OPTIMIZE(grid(ceil_div(n, 32), ceil_div(n, 8)), block(32, 8), in(in[n * n]), out(out[n * n]), shape(n = 65),
                shape(n = 5), shape(n = 1), allow(launch_change))
__global__ void blurred(const float *in, float *out, int n) {
  int ty = threadIdx.y;
  int row = 1 + blockIdx.y * blockDim.y + ty;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row > n - 2 || col >= n)
    return;
  out[row * n + col] = in[(row - 1) * n + col] + in[row * n + col] + in[(row + 1) * n + col];
}

// A product of the block's values is no sum.
// CHECK-LABEL: multiplied (
// CHECK: declined  coarsen-threads: what a block makes of its threads' values is no plain sum
KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(in[n]), inout(out[1]), shape(n = 5000), tolerance(rel = 1e-3),
                allow(reassociate, launch_change))
__global__ void multiplied(const float *in, float *out, int n) {
  __shared__ float partial[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  partial[threadIdx.x] = i < n ? in[i] : 1.0f;
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(out, partial[0] * partial[1]);
}

// Nothing keeps threads beyond the last row from more rows.
// CHECK-LABEL: unguarded (
// CHECK: declined  coarsen-threads: several places a thread: threads beyond 'n' along y were not proved to do nothing
KERNEL_OPTIMIZE(grid(ceil_div(n, 32), ceil_div(n, 8)), block(32, 8), out(out[n * n]), shape(n = 64),
                allow(launch_change))
__global__ void unguarded(float *out, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  out[row * n + col] = row;
}

void launch(const float *in, const int *numbers, float *out, int *count, int n) {
  scaled<<<(n + 255) / 256, 256>>>(in, out, n);
  total<<<(n + 255) / 256, 256>>>(in, out, n);
  counted<<<(n + 255) / 256, 256>>>(numbers, count, n);
  blurred<<<dim3((n + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(in, out, n);
  multiplied<<<(n + 255) / 256, 256>>>(in, out, n);
  unguarded<<<dim3((n + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(out, n);
}
