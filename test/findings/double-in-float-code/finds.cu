// RUN: %warpwright analyze --no-ptxas %s -- -arch=sm_86 -I%source_dir/include | FileCheck %s --implicit-check-not='[warpwright-double-in-float-code]'
// RUN: %warpwright analyze --no-ptxas %s -- -arch=sm_90 -I%source_dir/include | FileCheck %s --check-prefix=HOPPER

__global__ void literal(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // CHECK: :[[@LINE+2]]:{{[0-9]+}}: warning: a double literal makes {{[0-9]+}} operations on float data double, which sm_86 does at 1/64 of float's rate [warpwright-double-in-float-code]
    // HOPPER: which sm_90 does at 1/2 of float's rate
    y[i] = x[i] * 0.1 + 2.0 * x[i];
}

__global__ void call(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // CHECK: :[[@LINE+3]]:{{[0-9]+}}: warning: a call of double 'erf' makes 1 operation on float data double, which sm_86 does at 1/64 of float's rate [warpwright-double-in-float-code]
    // HOPPER: a call of double 'erf'
    // CHECK: note: call 'erff' for 'erf'; results change within float's rounding
    y[i] = erf((double)x[i]);
}

__global__ void both(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: warning: a double literal and a call of double 'exp' make {{[0-9]+}} operations on float data double, which sm_86 does at 1/64 of float's rate [warpwright-double-in-float-code]
    y[i] = 1.0 / (1.0 + exp(-1.7 * x[i]));
}
