// REQUIRES: nvcc
// Every form of expression that is double by its spelling alone.
//
// RUN: rm -rf %t && %warpwright optimize %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// The text without comments, which hold what is looked for.
// RUN: grep -v '// ' %t/demotes.cu | FileCheck --check-prefix=TEXT %s
// RUN: %nvcc -c -arch=sm_90 -I%source_dir/include %t/demotes.cu -o %t/out.o
#include <warpwright/annotate.h>

// A literal, a call and a nested expression.
// CHECK-LABEL: bias_gelu
// CHECK: changed   demote-double{{.*}}: without a suffix, 0.5 turns a float expression into a double one
// CHECK: because {{.*}}double-precision instructions [[#]] -> 0
// TEXT-LABEL: __global__ void bias_gelu
// TEXT: y[i] = 0.5f * v * (1.0f + erff(v * 0.70710678118654752f));
KERNEL_OPTIMIZE(grid(ceil_div(n, 128)), block(128), in(x[n]), out(y[n]), shape(n = 4096), tolerance(rel = 1e-3, abs = 1e-6))
__global__ void bias_gelu(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    y[i] = 0.5 * v * (1.0 + erf(v * 0.70710678118654752));
  }
}

__device__ float twice(float x) { return x + x; }

#define THIRD (1.0 / 3.0)
#define PI 3.14159265358979323846

// TEXT-LABEL: __global__ void forms
KERNEL_OPTIMIZE(grid(ceil_div(n, 128)), block(128), in(x[n]), inout(y[n]), shape(n = 4096), allow(reassociate))
__global__ void forms(const float *x, float *y, int n) {
  const double eps = 1e-9;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v = x[i];
  // TEXT: y[i] += 0.3f * v;
  y[i] += 0.3 * v;
  // TEXT: y[i] *= 1.1f;
  y[i] *= 1.1;
  // TEXT: y[i] += v > 1.0{{f?}} ? 0.3f * v : 1.3f / v;
  y[i] += v > 1.0 ? 0.3 * v : 1.3 / v;
  // TEXT: float r = 1.0f / sqrtf(v * v + float(eps));
  float r = 1.0 / sqrt(v * v + eps);
  // TEXT: y[i] += twice(r * (1.0f / 3.0f)) + r * float(THIRD) - float(PI) * v;
  y[i] += twice(r * (1.0 / 3.0)) + r * THIRD - PI * v;
  // TEXT: y[i] += (float)(expf((float)v) * 0.1f) + powf(v, 2.5f);
  y[i] += (float)(exp((double)v) * 0.1) + pow(v, 2.5);
  // TEXT: y[i] += fmaxf(v * 0.7f, 0.0f) + fabsf(static_cast<float>(v) - 0.3f);
  y[i] += max(v * 0.7, 0.0) + fabs(static_cast<double>(v) - 0.3);
  // TEXT: y[i] += sinf(float(v)) * .5e-1f;
  y[i] += ::sin(double(v)) * .5e-1;
  // A lambda that returns a float of itself.
  // TEXT: return a * 0.37f;
  auto weigh = [](float a) -> float { return a * 0.37; };
  y[i] += weigh(v);
  // Integers that stay below 2^24.
  // TEXT: y[i] += 0.01f * k * v;
  for (int k = 0; k < 8; ++k)
    y[i] += 0.01 * k * v;
}

// TEXT-LABEL: __global__ void one_instantiation
// TEXT: y[threadIdx.x] = x[threadIdx.x] * 0.3f * N;
template <int N>
KERNEL_OPTIMIZE(grid(1), block(32), in(x[32]), out(y[32]), shape(n = 1), tolerance(rel = 1e-3))
__global__ void one_instantiation(const float *x, float *y, int n) {
  y[threadIdx.x] = x[threadIdx.x] * 0.3 * N;
}
void launch(const float *x, float *y) { one_instantiation<3><<<1, 32>>>(x, y, 1); }
