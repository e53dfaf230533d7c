// REQUIRES: nvcc
// Loops that threads share and loops of one thread, by 16 bytes at a time.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright vectorise-access > %t/policy.json
// RUN: %warpwright optimize --choose-any --policy %t/policy.json %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: grep -v "^//" %t/shared-loops.cu > %t/code.txt
// RUN: FileCheck --strict-whitespace --check-prefix=TEXT --input-file=%t/code.txt %s
// RUN: %warpwright verify %s %t/shared-loops.cu -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=VERIFY %s
// RUN: %nvcc -arch=sm_90 -cubin -Werror all-warnings -I%source_dir/include -o %t/shared-loops.cubin %t/shared-loops.cu
#include <cuda_fp16.h>
#include <warpwright/annotate.h>

//   a row a block: sum and sum of squares, folded; then each element once
// CHECK-LABEL: row (
// CHECK: changed   vectorise-access width=4, line {{.*}}: neighbouring elements travel by 16 bytes at a time
// CHECK: changed   vectorise-access width=4, line {{.*}}: it goes on where the vectors end
// TEXT-LABEL: void row(
// TEXT: {{^  }}// Four neighbouring elements a step where all are aligned; what is left, one by one.
// TEXT-NEXT: {{^  }}int vectors = reinterpret_cast<size_t>(in) % 16 == 0 ? cols / 4 : 0;
// TEXT-NEXT: {{^  }}for (int v = threadIdx.x; v < vectors; v += blockDim.x) {
// TEXT-NEXT: {{^    }}alignas(16) float inPart[4];
// TEXT-NEXT: {{^    }}*reinterpret_cast<float4 *>(inPart) = reinterpret_cast<const float4 *>(in)[v];
// TEXT-NEXT: {{^}}#pragma unroll
// TEXT-NEXT: {{^    }}for (int k = 0; k < 4; ++k) {
// TEXT-NEXT: {{^      }}sum += inPart[k];
// TEXT-NEXT: {{^      }}square += inPart[k] * inPart[k];
// TEXT-NEXT: {{^    }}}
// TEXT-NEXT: {{^  }}}
// TEXT-NEXT: {{^  }}for (int c = 4 * vectors + threadIdx.x; c < cols; c += blockDim.x) {
// TEXT: {{^  }}int vectors2 = (reinterpret_cast<size_t>(y + blockIdx.x * cols) |
// TEXT-NEXT: {{^      }}reinterpret_cast<size_t>(in)) % 16 == 0
// TEXT-NEXT: {{^      }}? cols / 4 : 0;
// TEXT: reinterpret_cast<float4 *>(y + blockIdx.x * cols)[v] = *reinterpret_cast<float4 *>(yPart);
// VERIFY: row: accepted
KERNEL_OPTIMIZE(grid(rows), block(64), in(x[rows * cols]), out(y[rows * cols]), shape(rows = 2, cols = 300),
                shape(rows = 3, cols = 41), tolerance(rel = 1e-3), allow(reassociate))
__global__ void row(const float *x, float *y, int rows, int cols) {
  __shared__ float sums[64];
  __shared__ float squares[64];
  const float *in = x + blockIdx.x * cols;
  float sum = 0.0f, square = 0.0f;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    sum += in[c];
    square += in[c] * in[c];
  }
  sums[threadIdx.x] = sum;
  squares[threadIdx.x] = square;
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) {
    if (threadIdx.x < d) {
      sums[threadIdx.x] += sums[threadIdx.x + d];
      squares[threadIdx.x] += squares[threadIdx.x + d];
    }
    __syncthreads();
  }
  float mean = sums[0] / cols, scale = rsqrtf(squares[0] / cols + 1.0f);
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    y[blockIdx.x * cols + c] = (in[c] - mean) * scale;
}

//   the grid in turns, names for index and stride, halves, long; aligned, so that nothing is checked
// CHECK-LABEL: halves (
// CHECK: changed   vectorise-access width=8
// TEXT-LABEL: void halves(
// TEXT: {{^    }}long vectors = n / 8;
// TEXT-NEXT: {{^    }}for (long v = first; v < vectors; v += stride) {
// TEXT-NEXT: {{^        }}alignas(16) __half bPart[8];
// TEXT: *reinterpret_cast<uint4 *>(bPart) = reinterpret_cast<const uint4 *>(b)[v];
// TEXT: bPart[k] = __hadd(__hmul(__float2half(0.5f), aPart[k]), bPart[k]);
// TEXT: reinterpret_cast<uint4 *>(b)[v] = *reinterpret_cast<uint4 *>(bPart);
// TEXT: for (long i = 8 * vectors + first; i < n; i += stride)
// VERIFY: halves: accepted
KERNEL_OPTIMIZE(grid(3), block(64), in(a[n]), inout(b[n]), shape(n = 2000), shape(n = 77), tolerance(rel = 1e-2),
                aligned(a, 16), aligned(b, 16))
__global__ void halves(const __half *a, __half *b, long n)
{
    const long first = blockIdx.x * blockDim.x + threadIdx.x;
    const long stride = gridDim.x * blockDim.x;
    for (long i = first; i < n; i += stride)
        b[i] = __hadd(__hmul(__float2half(0.5f), a[i]), b[i]);
}

//   a row a thread keeps its order, so that nothing has to be allowed; bits are the same
// CHECK-LABEL: own (
// CHECK: changed   vectorise-access width=4
// TEXT-LABEL: void own(
// TEXT: for (unsigned v = 0; v < vectors; ++v) {
// TEXT: sum += aPart[k] * xPart[k];
// TEXT: for (unsigned c = 4 * vectors; c < cols; ++c)
// VERIFY: own: accepted
KERNEL_OPTIMIZE(grid(ceil_div(rows, 32)), block(32), in(a[rows * cols]), in(x[cols]), out(y[rows]),
                shape(rows = 40, cols = 64), shape(rows = 9, cols = 5))
__global__ void own(const float *a, const float *x, float *y, unsigned rows, unsigned cols) {
  unsigned r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0.0f;
  for (unsigned c = 0; c < cols; ++c)
    sum += a[r * cols + c] * x[c];
  y[r] = sum;
}

//   a bias that starts again with each row: the rows must be a multiple of the width
// CHECK-LABEL: bias_of_columns (
// CHECK: changed   vectorise-access width=4
// TEXT-LABEL: void bias_of_columns(
// TEXT: {{^  }}int vectors = (reinterpret_cast<size_t>(y) |
// TEXT: % 16 == 0 && cols % 4 == 0
// TEXT: *reinterpret_cast<float4 *>(biasPart) = reinterpret_cast<const float4 *>(bias)[4 * v % cols / 4];
// TEXT: yPart[k] = xPart[k] + biasPart[k];
// VERIFY: bias_of_columns: accepted
KERNEL_OPTIMIZE(grid(2), block(32), in(x[rows * cols]), in(bias[cols]), out(y[rows * cols]),
                shape(rows = 10, cols = 64), shape(rows = 7, cols = 33))
__global__ void bias_of_columns(const float *x, const float *bias, float *y, int rows, int cols) {
  const int n = rows * cols;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = x[i] + bias[i % cols];
}
