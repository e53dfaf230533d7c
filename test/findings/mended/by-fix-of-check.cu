// REQUIRES: nvcc
// RUN: rm -rf %t && mkdir %t && cp %s %t/kernel.cu
// RUN: echo '{"schema": "warpwright/policy/1", "severity": {"default": "off", "low-ilp": "warning", "missing-launch-bounds": "warning"}}' > %t/warpwright.json
// RUN: cd %t && exits 1 %warpwright check --cache-dir none kernel.cu --also sarif=found.sarif -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: cd %t && %python %test_tools/apply_fixes.py found.sarif | FileCheck --check-prefix=MADE %s
// RUN: cd %t && exits 0 %warpwright check --cache-dir none kernel.cu -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=SILENT %s
// What is found by numbers of ptxas, or in double precision of a large device alone, where a change goes with it: found by the gate,
// whose SARIF has the change. The second check compiles what was changed with nvcc.
#include <warpwright/annotate.h>

// MADE: 2 fixes
// SILENT-NOT: warning:
// SILENT: 2 kernels of 1 file checked without a baseline: 0 new findings

// rule: missing-launch-bounds
// CHECK-DAG: :[[@LINE+2]]:{{.*}}warning: {{.*}}the launch is refused{{.*}}[warpwright-missing-launch-bounds]
KERNEL_OPTIMIZE(grid(n), block(1024), in(x[n * 1024]), out(y[n * 1024]), shape(n = 1024))
__global__ void refused(const float *__restrict__ x, float *__restrict__ y, int n) {
  float sums[64];
  _Pragma("unroll") for (int j = 0; j < 64; ++j) sums[j] = x[j * n + threadIdx.x];
  for (int i = 0; i < n; ++i) {
    float v = x[i];
    _Pragma("unroll") for (int j = 0; j < 64; ++j) sums[j] = sums[j] * v + sums[(j + 1) & 63];
  }
  _Pragma("unroll") for (int j = 0; j < 64; ++j) y[j * n + threadIdx.x] = sums[j];
}

// rule: low-ilp
KERNEL_OPTIMIZE(grid(n), block(32), dynamic_shared(90 * 1024), out(y[n * 32]), shape(n = 132), allow(reassociate))
__global__ void low_ilp(double *__restrict__ y, int n) {
  double s = 0;
  for (int i = threadIdx.x; i < 20480; i += blockDim.x)
    s += i; // CHECK-DAG: :[[@LINE]]:{{.*}}warning: each iteration waits 8 cycles or more {{.*}}[warpwright-low-ilp]
  y[blockIdx.x * 32 + threadIdx.x] = s;
}
