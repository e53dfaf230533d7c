// REQUIRES: nvcc
// The row in registers between the loops that walk it.
//
// RUN: rm -rf %t && %warpwright optimize %s --apply 'distribute-row-loop lanes=256 registers=16' --no-verify --output-dir %t \
// RUN:   --candidates-dir %t/all --format json --output %t/evidence.json -- -arch=sm_90 -I%source_dir/include
// RUN: FileCheck --check-prefix=TEXT --input-file=%t/all/softmax/distribute-row-loop_lanes=256_registers=16_rows=1.cu %s
// RUN: %warpwright verify %s %t/all/softmax/distribute-row-loop_lanes=256_registers=16_rows=1.cu --kernel softmax -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=SAME %s
// RUN: FileCheck --check-prefix=NAMES --input-file=%t/all/taken/distribute-row-loop_lanes=256_registers=16_rows=1.cu %s
// RUN: FileCheck --check-prefix=DECLINED --input-file=%t/evidence.json %s
#include <warpwright/annotate.h>

// The first loop starts at one; the exponential takes the element's place.
// TEXT: {{^}}__global__ void softmax_warpwright(
// TEXT: {{^  }}// A lane keeps 16 elements of the row in registers, which every pass reads.
// TEXT-NEXT: {{^  }}float inRow[16];
// TEXT-NEXT: {{^}}#pragma unroll
// TEXT-NEXT: {{^  }}for (int k = 0; k < 16; ++k) {
// TEXT-NEXT: {{^    }}const int c = threadIdx.x + k * 256;
// TEXT-NEXT: {{^    }}if (c < cols) inRow[k] = in[r * cols + c];
// TEXT-NEXT: {{^  }}}
// TEXT: {{^    }}if (c >= 1 && c < cols) largest = fmaxf(largest, inRow[k]);
// TEXT: {{^}}#pragma unroll 1
// TEXT-NEXT: {{^  }}for (int c = threadIdx.x + 4096; c < cols; c += 256)
// TEXT: {{^      }}inRow[k] = expf(inRow[k] - largest);
// TEXT-NEXT: {{^      }}total += inRow[k];
// TEXT: {{^    }}if (c < cols) out[r * cols + c] = inRow[k] / total;
// SAME: accepted
KERNEL_OPTIMIZE(grid(ceil_div(rows, 64)), block(64), in(in[rows * cols]), out(out[rows * cols]), shape(rows = 5, cols = 300),
                shape(rows = 2, cols = 4500), tolerance(rel = 1e-3), allow(reassociate, launch_change))
__global__ void softmax(const float *in, float *out, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  float largest = in[r * cols];
  for (int c = 1; c < cols; ++c)
    largest = fmaxf(largest, in[r * cols + c]);
  float total = 0.0f;
  for (int c = 0; c < cols; ++c)
    total += expf(in[r * cols + c] - largest);
  for (int c = 0; c < cols; ++c)
    out[r * cols + c] = expf(in[r * cols + c] - largest) / total;
}

// Names that mean something in the kernel already.
// NAMES: for (int k2 = 0; k2 < 16; ++k2) {
// NAMES-NEXT: const int c = threadIdx.x + k2 * 256;
// NAMES: if (c < cols) offset += inRow[k2] * k;
// NAMES: for (int offset2 = 16; offset2 > 0; offset2 /= 2)
// NAMES-NEXT: offset += __shfl_xor_sync(0xffffffff, offset, offset2);
// NAMES: for (int warp2 = 1; warp2 < 8; ++warp2)
// NAMES-NEXT: offset += offsetOfWarp[warp2];
KERNEL_OPTIMIZE(grid(ceil_div(rows, 64)), block(64), in(in[rows * cols]), out(out[rows]), shape(rows = 5, cols = 300),
                tolerance(rel = 1e-3), allow(reassociate, launch_change))
__global__ void taken(const float *in, float *out, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  const float k = 3.0f, warp = 0.5f;
  float offset = 0.0f, largest = -1e30f;
  for (int c = 0; c < cols; ++c) offset += in[r * cols + c] * k;
  for (int c = 0; c < cols; ++c) largest = fmaxf(largest, in[r * cols + c] * warp);
  out[r] = offset + largest;
}

// What the kernel writes is not kept.
// DECLINED: in_place: 'distribute-row-loop lanes=256 registers=16' is not proposed
KERNEL_OPTIMIZE(grid(ceil_div(rows, 64)), block(64), inout(x[rows * cols]), shape(rows = 5, cols = 300), tolerance(rel = 1e-3),
                allow(reassociate, launch_change))
__global__ void in_place(float *x, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  float total = 0.0f;
  for (int c = 0; c < cols; ++c)
    total += x[r * cols + c];
  for (int c = 0; c < cols; ++c)
    x[r * cols + c] = x[r * cols + c] / total;
}

void launch(const float *in, float *out, int rows, int cols) {
  softmax<<<(rows + 63) / 64, 64>>>(in, out, rows, cols);
  in_place<<<(rows + 63) / 64, 64>>>(out, rows, cols);
  taken<<<(rows + 63) / 64, 64>>>(in, out, rows, cols);
}
