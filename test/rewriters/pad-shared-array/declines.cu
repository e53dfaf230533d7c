// REQUIRES: nvcc
// Every way in which code could tell how far apart two rows lie, one kernel each.
//
// RUN: rm -rf %t && %warpwright optimize %s --no-verify --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: not grep -q "32 [+] [0-9]" %t/declines.cu
#include <warpwright/annotate.h>

// CHECK-LABEL: address_of_an_element
// CHECK: declined  pad-shared-array: 'tile': its address escapes at line
KERNEL_OPTIMIZE(grid(1), block(32), in(in[32]), out(out[32]), shape(n = 1))
__global__ void address_of_an_element(const float *in, float *out, int n) {
  __shared__ float tile[32][32];
  tile[threadIdx.x][0] = in[threadIdx.x];
  __syncthreads();
  float *p = &tile[threadIdx.x][0];
  out[threadIdx.x] = p[32 * n - 32];
}

__device__ float first(float (*rows)[32]) { return rows[0][0]; }

// CHECK-LABEL: passed_to_a_function
// CHECK: declined  pad-shared-array: 'tile': its address escapes at line
KERNEL_OPTIMIZE(grid(1), block(32), in(in[32]), out(out[32]), shape(n = 1))
__global__ void passed_to_a_function(const float *in, float *out, int n) {
  __shared__ float tile[32][32];
  tile[threadIdx.x][0] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = first(tile) + n;
}

// CHECK-LABEL: observed_by_sizeof
// CHECK: declined  pad-shared-array: 'tile': its address escapes at line
KERNEL_OPTIMIZE(grid(1), block(32), in(in[32]), out(out[32]), shape(n = 1))
__global__ void observed_by_sizeof(const float *in, float *out, int n) {
  __shared__ float tile[32][32];
  tile[threadIdx.x][0] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x][0] + sizeof(tile) + n;
}

// The author walks the whole array through its first row.
// CHECK-LABEL: past_the_end_of_a_row
// CHECK: declined  pad-shared-array: 'tile': the subscript 'threadIdx.x * 32' at line {{.*}} was not proved to stay within its extent
KERNEL_OPTIMIZE(grid(1), block(32), in(in[32]), out(out[32]), shape(n = 1))
__global__ void past_the_end_of_a_row(const float *in, float *out, int n) {
  __shared__ float tile[32][32];
  tile[0][threadIdx.x * 32] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[0][threadIdx.x * 32] + n;
}

// CHECK-LABEL: bounded_by_a_scalar
// CHECK: declined  pad-shared-array: 'tile': the subscript 'n' at line {{.*}} was not proved to stay within its extent
KERNEL_OPTIMIZE(grid(1), block(32), in(in[32]), out(out[32]), shape(n = 1))
__global__ void bounded_by_a_scalar(const float *in, float *out, int n) {
  __shared__ float tile[32][32];
  tile[threadIdx.x][n] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x][n];
}

#define ROW 32
#define DECLARE_TILE __shared__ float tile[32][32]
// CHECK-LABEL: declared_by_a_macro
// CHECK: declined  pad-shared-array: 'tile': its extent comes out of a macro
KERNEL_OPTIMIZE(grid(1), block(32), in(in[32]), out(out[32]), shape(n = 1))
__global__ void declared_by_a_macro(const float *in, float *out, int n) {
  DECLARE_TILE;
  tile[threadIdx.x][0] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x][0] + n;
}

// Nothing collides: nothing is said.
// CHECK-LABEL: without_conflicts
// CHECK-NOT: pad-shared-array
// CHECK: {{kept|changed}}
KERNEL_OPTIMIZE(grid(1), block(32), in(in[32]), out(out[32]), shape(n = 1))
__global__ void without_conflicts(const float *in, float *out, int n) {
  __shared__ float tile[32][32];
  tile[0][threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[0][threadIdx.x] + n;
}
