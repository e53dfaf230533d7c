// REQUIRES: nvcc
// Kernels of one name: in two namespaces, overloads, and static ones in two objects. Each has its own record, and only the
// one that is better changed is changed.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %warpwright cc -- %nvcc -arch=sm_90 -I%source_dir/include -c %s -o %t/first.o 2>&1 | FileCheck %s
// RUN: %warpwright cc -- %nvcc -arch=sm_90 -DSECOND -I%source_dir/include -c %s -o %t/second.o 2>&1 | FileCheck --check-prefix=SECOND %s
// RUN: FileCheck --check-prefix=TEXT --input-file=%t/first.o.warpwright/one-name.cu %s
// RUN: nm -C %t/first.o | FileCheck --check-prefix=SYMBOLS %s
// RUN: %warpwright report %t | FileCheck --check-prefix=REPORT %s
//
// Of two -arch, nvcc takes the last, with a warning; so do we.
// RUN: %warpwright cc -- %nvcc -arch=sm_80 -arch=sm_90 -I%source_dir/include -c %s -o %t/two.o 2>&1 | FileCheck --check-prefix=TWO %s
// RUN: FileCheck --check-prefix=ARCHITECTURES --input-file=%t/two.o.warpwright.json %s
//
// CHECK: remark: 'one::column' improved by pad-shared-array
// CHECK: remark: 'two::column' stays as it is
// CHECK: remark: 'two::column' stays as it is
// CHECK: remark: 'hidden' stays as it is
// SECOND: remark: 'hidden' improved by pad-shared-array
// TEXT: tile[32][32 + 1]
// TEXT: tile[33][33]
// SYMBOLS: one::column(float const*, float*, int)
// SYMBOLS: two::column(float const*, float*, int)
// SYMBOLS: two::column(float*, int)
// REPORT: hidden
// REPORT: hidden
// REPORT: 3 of 8 kernels
// TWO: incompatible redefinition
// TWO: remark: 'one::column' improved by pad-shared-array
// ARCHITECTURES: "architectures": [
// ARCHITECTURES-NEXT: "sm_90"
// ARCHITECTURES-NEXT: ]
#include <warpwright/annotate.h>
namespace one {
KERNEL_OPTIMIZE(grid(1), block(32), in(in[32]), out(out[32]), shape(n = 1), tolerance(exact), forbid(bound-launch, qualify-restrict))
__global__ void column(const float *in, float *out, int n) {
  __shared__ float tile[32][32];
  tile[threadIdx.x][0] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[31 - threadIdx.x][0] + n;
}
} // namespace one
namespace two {
KERNEL_OPTIMIZE(grid(1), block(32), in(in[32]), out(out[32]), shape(n = 1), tolerance(exact), forbid(bound-launch, qualify-restrict))
__global__ void column(const float *in, float *out, int n) {
  __shared__ float tile[33][33];
  tile[threadIdx.x][0] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[31 - threadIdx.x][0] + n;
}
KERNEL_OPTIMIZE(grid(1), block(32), out(out[32]), shape(n = 1), tolerance(exact), forbid(bound-launch, qualify-restrict))
__global__ void column(float *out, int n) { out[threadIdx.x] = n; }
} // namespace two
KERNEL_OPTIMIZE(grid(1), block(32), in(in[32]), out(out[32]), shape(n = 1), tolerance(exact), forbid(bound-launch, qualify-restrict))
static __global__ void hidden(const float *in, float *out, int n) {
#ifdef SECOND
  __shared__ float tile[32][32];
#else
  __shared__ float tile[32][33];
#endif
  tile[threadIdx.x][0] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[31 - threadIdx.x][0] + n;
}
void launch(const float *in, float *out) { hidden<<<1, 32>>>(in, out, 1); }
