// What keeps a kernel that reads one way and writes another from going through shared memory.
//
// RUN: rm -rf %t && %warpwright optimize %s --no-verify --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
#include <warpwright/annotate.h>

// The block has one row, so that only another launch could serve both sides.
// CHECK-LABEL: unasked (
// CHECK: declined  transpose-through-shared: it would change the launch, which allow(launch_change) does not admit
KERNEL_OPTIMIZE(grid(ceil_div(n, 64), n), block(64), in(in[n * n]), out(out[n * n]), shape(n = 64))
__global__ void unasked(const float *in, float *out, int n) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
  if (c < n) out[c * n + r] = in[r * n + c];
}

// CHECK-LABEL: sometimes (
// CHECK: declined  transpose-through-shared: 'b[x * n + y]' is read in some threads only, or in a loop
KERNEL_OPTIMIZE(grid(ceil_div(n, 16), ceil_div(n, 16)), block(16, 16), in(a[n * n]), in(b[n * n]), out(c[n * n]),
                shape(n = 64))
__global__ void sometimes(const float *a, const float *b, float *c, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n) c[y * n + x] = a[y * n + x] > 0.0f ? b[x * n + y] : 0.0f;
}

// What is read second may be what was stored first.
// CHECK-LABEL: overlapping (
// CHECK: declined  transpose-through-shared: nothing says that 'c' and 'a' do not overlap
KERNEL_OPTIMIZE(grid(ceil_div(n, 16), ceil_div(n, 16)), block(16, 16), shape(n = 64))
__global__ void overlapping(const float *a, const float *b, float *c, float *d, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n) {
    c[x * n + y] = a[y * n + x];
    d[x * n + y] = b[y * n + x];
  }
}

// Both sides run the same way, or the kernel asks how many blocks there are: there is nothing to say.
// CHECK-LABEL: straight (
// CHECK-NOT: transpose-through-shared
// CHECK-LABEL: asks (
// CHECK-NOT: transpose-through-shared
KERNEL_OPTIMIZE(grid(ceil_div(n, 16), ceil_div(n, 16)), block(16, 16), in(a[n * n]), out(c[n * n]), shape(n = 64))
__global__ void straight(const float *a, float *c, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n) c[y * n + x] = a[y * n + x] + a[x];
}
KERNEL_OPTIMIZE(grid(ceil_div(n, 16), ceil_div(n, 16)), block(16, 16), in(a[n * n]), out(c[n * n]), shape(n = 64))
__global__ void asks(const float *a, float *c, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n) c[x * n + y] = a[y * n + x] + gridDim.x;
}
