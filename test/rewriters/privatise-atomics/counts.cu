// REQUIRES: nvcc
// Counters that a block keeps for itself and adds up at its end.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright privatise-atomics > %t/policy.json
// RUN: %warpwright optimize --choose-any --policy %t/policy.json %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: grep -v "^//" %t/counts.cu > %t/code.txt
// RUN: FileCheck --strict-whitespace --check-prefix=TEXT --input-file=%t/code.txt %s
// RUN: %warpwright verify %s %t/counts.cu -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=VERIFY %s
// RUN: %nvcc -arch=sm_90 -cubin -Werror all-warnings -I%source_dir/include -o %t/counts.cubin %t/counts.cu
#include <warpwright/annotate.h>

//   bins[data[i] & 255] += 1, an element a thread
// CHECK-LABEL: histogram (
// CHECK: changed   privatise-atomics copies=1, line {{.*}}: 'bins' gets one atomic a counter and block instead of one a thread
// CHECK: privatise-atomics copies=2
// CHECK-SAME: copies=8
// CHECK-NOT: copies=16
// TEXT-LABEL: void histogram(
// TEXT-NEXT: {{^  }}// The block counts in shared memory and adds to 'bins' once, at its end.
// TEXT-NEXT: __shared__ int blockBins[256];
// TEXT-NEXT: for (int slot = threadIdx.x; slot < 256; slot += blockDim.x) blockBins[slot] = 0;
// TEXT-NEXT: __syncthreads();
// TEXT-NEXT: int i
// TEXT-NEXT: if (i < n) atomicAdd(&blockBins[data[i] & 255], 1);
// TEXT-NEXT: __syncthreads();
// TEXT-NEXT: for (int slot = threadIdx.x; slot < 256; slot += blockDim.x) {
// TEXT-NEXT: if (blockBins[slot] != 0) atomicAdd(&bins[slot], blockBins[slot]);
// TEXT-NEXT: }
// TEXT-NEXT: {{^}}}
// VERIFY: histogram: accepted
KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(data[n]), inout(bins[256]), init(data, integers(0, 255)),
                init(bins, zeros), shape(n = 2000), shape(n = 13), tolerance(exact))
__global__ void histogram(const int *data, int *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[data[i] & 255], 1);
}

//   a guard clause becomes a block, so that all threads reach the end; bytes bound the index; four spaces
// CHECK-LABEL: bytes (
// CHECK: changed   privatise-atomics copies=1
// TEXT-LABEL: void bytes(
// TEXT: {{^    }}long first
// TEXT-NEXT: {{^    }}if (first < count) {
// TEXT-NEXT: {{^        }}for (long p = first;
// TEXT-NEXT: {{^            }}atomicAdd(&blockCounts[image[p]], 1u); // one pixel
// TEXT-NEXT: {{^    }}}
// TEXT-NEXT: {{^    }}__syncthreads();
// VERIFY: bytes: accepted
KERNEL_OPTIMIZE(grid(3), block(128), in(image[count]), inout(counts), init(counts, zeros), shape(count = 900),
                shape(count = 1))
__global__ void bytes(const unsigned char *__restrict__ image, unsigned int *__restrict__ counts, long count)
{
    long first = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (first >= count)
        return;
    for (long p = first; p < count; p += (long)gridDim.x * blockDim.x)
        atomicAdd(counts + image[p], 1u); // one pixel
}

struct Size {
  int width, height;
};

//   single counters are kept in registers and folded; rows of threads, a struct, a condition of two parts
// CHECK-LABEL: statistics (
// CHECK: changed   privatise-atomics, line {{.*}}: 'sum' gets one atomic a block instead of one a thread; 'most' gets
// TEXT-LABEL: void statistics(
// TEXT-NEXT: int thread = threadIdx.y * blockDim.x + threadIdx.x;
// TEXT: float threadSum = 0.0f;
// TEXT: int threadMost = -0x7fffffff - 1;
// TEXT: if (column < size.width && row < size.height) {
// TEXT: threadSum += v;
// TEXT-NEXT: threadMost = max(threadMost, (int)(v * 100));
// TEXT: threadSum += __shfl_down_sync(0xffffffff, threadSum, offset);
// TEXT: if (thread == 0 && threadSum != 0.0f) atomicAdd(sum, threadSum);
// TEXT: if (thread == 0 && threadMost != -0x7fffffff - 1) atomicMax(&most[blockIdx.x], threadMost);
// VERIFY: statistics: accepted
KERNEL_OPTIMIZE(grid(1, 1), block(16, 16), in(x[size.width * size.height]), inout(sum[1]), inout(most[1]),
                init(sum, zeros), init(x, uniform(0, 1)), shape(size.width = 10, size.height = 5),
                shape(size.width = 16, size.height = 16), tolerance(rel = 1e-3), allow(reassociate))
__global__ void statistics(const float *x, float *sum, int *most, Size size) {
  int column = blockIdx.x * 16 + threadIdx.x;
  int row = blockIdx.y * 16 + threadIdx.y;
  if (column >= size.width || row >= size.height) return;
  float v = x[row * size.width + column];
  atomicAdd(sum, v);
  atomicMax(&most[blockIdx.x], (int)(v * 100));
}
