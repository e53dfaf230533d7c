// REQUIRES: nvcc
// Every way in which the promise could be false, one kernel each.
//
// RUN: rm -rf %t && %warpwright optimize %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: not ls %t/declines.cu
#include <warpwright/annotate.h>

// CHECK-LABEL: without_extents
// CHECK: declined  qualify-restrict: 'in': nothing says that it does not overlap 'out'; the latter is written at line [[#]]; extents of both
// CHECK: declined  qualify-restrict: 'out': nothing says that it does not overlap 'in'; it is written at line [[#]]; extents of both
KERNEL_OPTIMIZE(grid(ceil_div(n, 128)), block(128), in(in), out(out[n]), shape(n = 512))
__global__ void without_extents(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

// CHECK-LABEL: said_to_alias
// CHECK: declined  qualify-restrict: 'in': the annotation says that it may alias 'out'
KERNEL_OPTIMIZE(grid(ceil_div(n, 128)), block(128), in(in[n]), out(out[n]), may_alias(in, out), shape(n = 512))
__global__ void said_to_alias(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

// Threads of a block hand each other values through `data`.
// CHECK-LABEL: exchanged
// CHECK: declined  qualify-restrict: 'data': it is read and written around '{{.*}}' at line [[#]], where threads may hand values to each other
KERNEL_OPTIMIZE(grid(1), block(128), inout(data[128]), out(out[128]), shape(n = 1))
__global__ void exchanged(float *data, float *out, int n) {
  data[threadIdx.x] += n;
  __syncthreads();
  out[threadIdx.x] = data[threadIdx.x ^ 1];
}

// What is written before a fence may be waited for.
// CHECK-LABEL: published
// CHECK: declined  qualify-restrict: 'data': it is written around '{{.*}}' at line [[#]]
KERNEL_OPTIMIZE(grid(1), block(128), out(data[128]), inout(flag[1]), shape(n = 1))
__global__ void published(float *data, int *flag, int n) {
  data[threadIdx.x] = n;
  __threadfence();
  atomicAdd(flag, 1);
}

// CHECK-LABEL: polled
// CHECK: declined  qualify-restrict: 'flag': it is accessed as volatile
KERNEL_OPTIMIZE(grid(1), block(128), in(flag[1]), out(out[128]), shape(n = 1))
__global__ void polled(volatile int *flag, float *__restrict__ out, int n) {
  out[threadIdx.x] = n + *flag;
}

__device__ float table[128];
// The host may pass the address of `table`.
// CHECK-LABEL: device_variable
// CHECK: declined  qualify-restrict: 'out': nothing says that it does not overlap the device variable 'table'
KERNEL_OPTIMIZE(grid(1), block(128), out(out[128]), shape(n = 1))
__global__ void device_variable(float *out, int n) {
  out[threadIdx.x] = n + table[threadIdx.x];
}

struct Row { float *cells; };
// CHECK-LABEL: hidden_in_a_struct
// CHECK: declined  qualify-restrict: 'in': nothing says that it does not overlap memory behind a pointer inside 'row'; the latter is written
KERNEL_OPTIMIZE(grid(1), block(128), in(in[128]), shape(n = 1))
__global__ void hidden_in_a_struct(const float *in, Row row, int n) {
  row.cells[threadIdx.x] = n + in[threadIdx.x];
}

// CHECK-LABEL: rows_of_pointers
// CHECK: declined  qualify-restrict: 'rows': nothing says that it does not overlap memory behind a pointer that is loaded at run time
KERNEL_OPTIMIZE(grid(1), block(128), in(rows[1]), in(in[128]), shape(n = 1))
__global__ void rows_of_pointers(float **rows, const float *in, int n) {
  rows[n][threadIdx.x] = in[threadIdx.x];
}

// CHECK-LABEL: chosen_at_run_time
// CHECK: declined  qualify-restrict: the access at line [[#]] was not tied to a pointer
KERNEL_OPTIMIZE(grid(1), block(128), in(a[128]), in(b[128]), out(out[128]), shape(n = 1))
__global__ void chosen_at_run_time(const float *a, const float *b, float *out, int n) {
  out[threadIdx.x] = (threadIdx.x % 3 == 0 ? a : b)[threadIdx.x] + n;
}

__device__ __noinline__ void outside(float *p) { *p += 1; }
// CHECK-LABEL: called_out
// CHECK: declined  qualify-restrict: the call of '{{.*}}outside{{.*}}' at line [[#]] may access anything
KERNEL_OPTIMIZE(grid(1), block(128), in(in[128]), out(out[128]), shape(n = 1))
__global__ void called_out(const float *in, float *out, int n) {
  out[threadIdx.x] = in[threadIdx.x] + n;
  outside(out + threadIdx.x);
}

// CHECK-LABEL: unknown_assembly
// CHECK: declined  qualify-restrict: the inline assembly at line [[#]] may access anything
KERNEL_OPTIMIZE(grid(1), block(128), in(in[128]), out(out[128]), shape(n = 1))
__global__ void unknown_assembly(const float *in, float *out, int n) {
  out[threadIdx.x] = in[threadIdx.x] + n;
  asm volatile("discard.global.L2 [%0], 128;" ::"l"(out) : "memory");
}

// CHECK-LABEL: declared_as_an_array
// CHECK: declined  qualify-restrict: 'in': it is declared as an array
KERNEL_OPTIMIZE(grid(1), block(128), in(in[128]), out(out[128]), shape(n = 1))
__global__ void declared_as_an_array(const float in[], float out[128], int n) {
  out[threadIdx.x] = in[threadIdx.x] + n;
}

#define POINTERS const float *in, float *out
// CHECK-LABEL: declared_by_a_macro
// CHECK: declined  qualify-restrict: 'in': a declaration of it stands in a macro
KERNEL_OPTIMIZE(grid(1), block(128), in(in[128]), out(out[128]), shape(n = 1))
__global__ void declared_by_a_macro(POINTERS, int n) {
  out[threadIdx.x] = in[threadIdx.x] + n;
}

// CHECK-LABEL: of_a_template_argument
// CHECK: declined  qualify-restrict: 'in': whether it is a pointer depends on a template argument
template <class P>
KERNEL_OPTIMIZE(grid(1), block(128), in(in[128]), out(out[128]), shape(n = 1))
__global__ void of_a_template_argument(P in, float *__restrict__ out, int n) {
  out[threadIdx.x] = in[threadIdx.x] + n;
}
template __global__ void of_a_template_argument<const float *>(const float *, float *, int);

// Nothing is written, all is promised, or there is one buffer: nothing is said.
// CHECK-LABEL: promised_already
// CHECK-NOT: qualify-restrict
// CHECK: kept
KERNEL_OPTIMIZE(grid(1), block(128), in(in[128]), out(out[128]), shape(n = 1))
__global__ void promised_already(const float *__restrict__ in, float *__restrict out, int n) {
  out[threadIdx.x] = in[threadIdx.x] + n;
}
// CHECK-LABEL: one_buffer
// CHECK-NOT: qualify-restrict
// CHECK: kept
KERNEL_OPTIMIZE(grid(1), block(128), inout(data[128]), shape(n = 1))
__global__ void one_buffer(float *data, int n) {
  data[threadIdx.x] += n;
}
