// REQUIRES: nvcc
// A warp that walks a column, one that walks a row, and one whose addresses data decides.
//
// RUN: %warpwright analyze --no-ptxas %s -- -arch=sm_90 -I%source_dir/include | FileCheck %s
#include <warpwright/annotate.h>

// CHECK: columns.cu:[[#@LINE+4]]:{{.*}}: warning: load of 'in' moves 32 sectors a request where its bytes fill 4: neighbouring threads are 4 * n bytes apart (n = 1024) [warpwright-uncoalesced-access]
// CHECK: note: let neighbouring threads read neighbouring elements
KERNEL_OPTIMIZE(grid(8), block(32, 8), in(in[n * n]), out(out[n * n]), shape(n = 1024))
__global__ void column(const float *in, float *out, int n) {
  out[threadIdx.y * n + threadIdx.x] = in[threadIdx.x * n + threadIdx.y];
}

// A row of the same matrix.
KERNEL_OPTIMIZE(grid(8), block(32, 8), in(in[n * n]), out(out[n * n]), shape(n = 1024))
__global__ void row(const float *in, float *out, int n) {
  out[threadIdx.y * n + threadIdx.x] = in[threadIdx.y * n + threadIdx.x];
}

// Lanes that agree are one sector, however far the rows lie apart.
KERNEL_OPTIMIZE(grid(8), block(256), in(in[256]), out(out[256]), shape(n = 1024))
__global__ void broadcast(const float *in, float *out, int n) {
  out[threadIdx.x] = in[blockIdx.x * 16];
}

// What the table holds is not known: silence.
KERNEL_OPTIMIZE(grid(8), block(256), in(table[256]), in(in[n]), out(out[256]), shape(n = 1024))
__global__ void gather(const int *table, const float *in, float *out, int n) {
  out[threadIdx.x] = in[table[threadIdx.x] * 32 + threadIdx.x * 32];
}

// Members of a structure of three floats: a third of each sector is used at a time.
// CHECK: columns.cu:[[#@LINE+4]]:{{.*}}: warning: store to 'out' moves 12 sectors a request where its bytes fill 4: neighbouring threads are 12 bytes apart
struct Point { float x, y, z; };
KERNEL_OPTIMIZE(grid(8), block(256), in(in[256]), out(out[256]), shape(n = 1024))
__global__ void member(const float *in, Point *out, int n) {
  out[threadIdx.x].x = in[threadIdx.x];
}

// A contiguous row of 16 lanes which starts off a sector pays half as much again.
// CHECK: columns.cu:[[#@LINE+4]]:{{.*}}: warning: load of 'in' moves 3 sectors a request where its bytes fill 2: its bytes lie together, but start off a sector
// CHECK: note: begin each row at a multiple of 32 bytes
KERNEL_OPTIMIZE(grid(8), block(16), in(in[256]), out(out[256]), shape(n = 1024))
__global__ void narrow(const float *in, float *out, int n) {
  out[threadIdx.x] = in[threadIdx.x + 1];
}

// A warp over four rows of eight lanes, each row off its sector by one element.
// CHECK: columns.cu:[[#@LINE+3]]:{{.*}}: warning: load of 'in' moves 8 sectors a request where its bytes fill 4: neighbouring threads lie together, but a warp asks for several short rows{{.*uncoalesced-access.*}}
KERNEL_OPTIMIZE(grid(8), block(8, 8), in(in[n * n]), out(out[n * n]), shape(n = 1024))
__global__ void patch(const float *in, float *out, int n) {
  out[threadIdx.y * n + threadIdx.x] = in[threadIdx.y * n + threadIdx.x + 1];
}

// One scattered store after a thousand loads that are not: less than a percent of the traffic.
KERNEL_OPTIMIZE(grid(8), block(256), in(in[n * 1024]), out(out[n]), shape(n = 8192))
__global__ void result(const float *in, float *out, int n) {
  float sum = 0;
  for (int i = 0; i < 1024; ++i)
    sum += in[i * n + threadIdx.x];
  out[threadIdx.x * 32] = sum;
}

// CHECK-NOT: warpwright-uncoalesced-access
