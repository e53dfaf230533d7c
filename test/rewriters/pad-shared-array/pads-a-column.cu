// REQUIRES: nvcc
// A column of 32 floats lies in one bank; one element more a row spreads it over all.
//
// RUN: rm -rf %t && %warpwright optimize %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// The text without comments, which hold what is looked for.
// RUN: grep -v '// ' %t/pads-a-column.cu | FileCheck --check-prefix=TEXT %s
// RUN: %nvcc -c -arch=sm_90 -I%source_dir/include %t/pads-a-column.cu -o %t/out.o
//
// CHECK: changed   pad-shared-array pad=1, line [[#]]: rows of 'tile' 1 element longer
// CHECK: because   shared wavefronts
// TEXT: __shared__ float tile[32][32 + 1];
// TEXT: #line [[#]] "{{.*}}pads-a-column.cu"
#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(n / 32, n / 32), block(32, 8), require(n % 32 == 0), in(in[n * n]), out(out[n * n]),
                shape(n = 1024), shape(n = 96), shape(n = 32), tolerance(exact))
__global__ void transpose(const float *in, float *out, int n) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
