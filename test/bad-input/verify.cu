// REQUIRES: nvcc
// What cannot be verified is undecided, and says why: no launch, no memory, code that is elsewhere or that no CPU has.
//
// RUN: exits 2 %warpwright verify %s %s -- -arch=sm_90 -I%source_dir/include 2>%t.diagnostics | FileCheck %s
// RUN: FileCheck --check-prefix=SHAPES %s < %t.diagnostics
//
// A shape that cannot be launched is a mistake of the annotation; others are run in its place.
// SHAPES: warning: the grid's x is 0, not positive in 'ceil_div(n, 128)' with this shape
// SHAPES: note: it gives n = -5
// CHECK: negative: accepted
#include <cooperative_groups.h>
#include <warpwright/annotate.h>
KERNEL_OPTIMIZE(grid(ceil_div(n, 128)), block(128), inout(x[n]), shape(n = -5))
__global__ void negative(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}

// CHECK: empty_grid: accepted
KERNEL_OPTIMIZE(grid(n), block(128), inout(x[n]), shape(n = 0))
__global__ void empty_grid(float *x, int n) {
  if (blockIdx.x < n && threadIdx.x == 0) x[blockIdx.x] *= 2;
}

// CHECK: huge: undecided [not-run]: no small shape like 'n = 8' can be launched
KERNEL_OPTIMIZE(grid(1), block(128), inout(x[n * 1000000000000LL]), shape(n = 8))
__global__ void huge(float *x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] *= 2;
}

// CHECK: calls: undecided [not-covered]: elsewhere(float), which is defined elsewhere
__device__ float elsewhere(float);
KERNEL_OPTIMIZE(grid(ceil_div(n, 128)), block(128), inout(x[n]), shape(n = 1000))
__global__ void calls(float *x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] = elsewhere(x[threadIdx.x]);
}

// CHECK: fetches: undecided [not-covered]: inline PTX tex.1d.v4.f32.s32
KERNEL_OPTIMIZE(grid(ceil_div(n, 128)), block(128), out(x[n]), shape(n = 1000, t = 0))
__global__ void fetches(cudaTextureObject_t t, float *x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x);
}

// CHECK: filters: undecided [not-covered]: inline PTX tex.2d.v4.f32.f32
KERNEL_OPTIMIZE(grid(ceil_div(n, 128)), block(128), out(x[n]), shape(n = 1000, t = 0))
__global__ void filters(cudaTextureObject_t t, float *x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] = tex2D<float>(t, 0.5f, threadIdx.x);
}

// CHECK: surfaces: undecided [not-covered]: inline PTX sust
KERNEL_OPTIMIZE(grid(ceil_div(n, 128)), block(128), out(x[n]), shape(n = 1000, t = 0))
__global__ void surfaces(cudaSurfaceObject_t t, float *x, int n) {
  if (threadIdx.x < n) surf2Dwrite(x[threadIdx.x], t, threadIdx.x * 4, 0);
}

// CHECK: waits: undecided [not-covered]: inline PTX mov.u32 of %envreg
KERNEL_OPTIMIZE(grid(ceil_div(n, 128)), block(128), out(x[n]), shape(n = 1000))
__global__ void waits(float *x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] = 1;
  cooperative_groups::this_grid().sync();
}

// CHECK: bulk: undecided [not-covered]: inline PTX cp.async.bulk
KERNEL_OPTIMIZE(grid(ceil_div(n, 128)), block(128), out(x[n]), shape(n = 1000))
__global__ void bulk(float *x, int n) {
  __shared__ alignas(16) float part[128];
  part[threadIdx.x] = 1;
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(x), "r"((unsigned)__cvta_generic_to_shared(part)), "r"(16) : "memory");
}
