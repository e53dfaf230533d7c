// REQUIRES: nvcc
// A thread computes several outputs, whose reads that meet are made once. What is never written is read in a way that
// stores between the reads do not disturb.
//
// RUN: rm -rf %t && %warpwright optimize %s --choose-any --candidates-dir %t --output-dir %t.out -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: FileCheck --check-prefix=TEXT --input-file="%t/column/block-registers_col_outputs=1_col_threads=32_row_outputs=4_row_threads=8.cu" %s
// RUN: %warpwright verify %s "%t/column/block-registers_col_outputs=1_col_threads=32_row_outputs=4_row_threads=8.cu" --kernel column -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=SAME %s
// SAME: accepted
#include <warpwright/annotate.h>

// CHECK-LABEL: column (
// CHECK: launch    changed: grid ceil_div(n, 128), ceil_div(n, 8), block 128
// TEXT: {{^}}__global__ void __launch_bounds__(256) column_warpwright(
// TEXT: constexpr int rowPerThread = 4;
// TEXT: const int rowInTile = threadIdx.x / 32 * 4;
// TEXT: for (int rowStep = 0; rowStep < rowPerThread; ++rowStep) {
// TEXT: if (row > 0 && row < n - 1 && col < n) {
// TEXT-NEXT: out[row * n + col] = __ldg(&in[(row - 1) * n + col]) + __ldg(&in[(row + 1) * n + col]);
KERNEL_OPTIMIZE(grid(ceil_div(n, 32), ceil_div(n, 8)), block(32, 8), in(in[n * n]), inout(out[n * n]), shape(n = 37),
                tolerance(exact), allow(launch_change),
                forbid(bound-launch, coarsen-threads, qualify-restrict, resize-block, stage-shared-tile))
__global__ void column(const float *in, float *out, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row > 0 && row < n - 1 && col < n)
    out[row * n + col] = in[(row - 1) * n + col] + in[(row + 1) * n + col];
}
void launchColumn(const float *in, float *out, int n) {
  column<<<dim3((n + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(in, out, n);
}

// Its block works together: it is no longer the same who computes what.
// CHECK-LABEL: together (
// CHECK: declined  block-registers: its block shares memory already
KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(in[n]), out(out[n]), shape(n = 1000), allow(launch_change),
                forbid(bound-launch, coarsen-threads, qualify-restrict, resize-block))
__global__ void together(const float *in, float *out, int n) {
  __shared__ float line[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  line[threadIdx.x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  if (i < n)
    out[i] = line[255 - threadIdx.x];
}
void launchTogether(const float *in, float *out, int n) { together<<<(n + 255) / 256, 256>>>(in, out, n); }
