// RUN: %warpwright analyze --no-ptxas %s -- -arch=sm_90 -I%source_dir/include | FileCheck %s --implicit-check-not='[warpwright-divergent-branch]'
#include <warpwright/annotate.h>

// Interleaved tree: in the first rounds every warp runs the sum with a few of its lanes.
KERNEL_OPTIMIZE(grid(n / 256), block(256), require(n % 256 == 0), in(in[n]), out(out[n / 256]), shape(n = 4096))
__global__ void interleaved(const float *in, float *out, int n) {
  __shared__ float partial[256];
  partial[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  for (int stride = 1; stride < 256; stride *= 2) {
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: warning: lanes of a warp disagree on '{{.*}}' in {{[0-9]+}}% of its executions: {{[0-9]+}} instructions run with {{[0-9]+}}% of the lanes (n = 4096) [warpwright-divergent-branch]
    if ((threadIdx.x & (2 * stride - 1)) == 0)
      partial[threadIdx.x] += partial[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = partial[0];
}

// Even and odd lanes do different work of the same weight.
KERNEL_OPTIMIZE(grid(n / 128), block(128), require(n % 128 == 0), inout(a[n]), shape(n = 4096))
__global__ void even_and_odd(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: warning: lanes of a warp disagree on '{{.*}}' in 100% of its executions: its sides of {{[0-9]+}} and {{[0-9]+}} instructions run one after the other (n = 4096) [warpwright-divergent-branch]
  if (threadIdx.x % 2 == 0) {
    a[i] = sqrtf(a[i]) * 3.0f + sinf(a[i]) * sqrtf(a[i] + 1.0f);
  } else {
    for (int j = 0; j < 4; ++j)
      a[i + j * n] = a[i + j * n] * 2.0f + 1.0f;
  }
}

// Which side a lane takes is in the data: nothing is counted, but both sides are heavy.
// CHECK: warning: loaded data decides '{{.*}}': where lanes of a warp disagree, its sides of {{[0-9]+}} and {{[0-9]+}} instructions run one after the other [warpwright-divergent-branch]
KERNEL_OPTIMIZE(grid(n / 128), block(128), require(n % 128 == 0), in(kind[n]), inout(a[n]), shape(n = 4096))
__global__ void by_kind(const int *kind, float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = a[i];
  if (kind[i] == 3) {
    for (int j = 0; j < n; ++j)
      v = v * 1.5f + sqrtf(v) * float(j);
    a[i] = v;
  } else {
    for (int j = 0; j < n; ++j)
      v = v / (1.0f + float(j) * v);
    a[i + n] = v + 1.0f;
  }
}
