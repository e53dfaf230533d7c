// RUN: %warpwright analyze --no-ptxas %s -- -arch=sm_86 -I%source_dir/include | FileCheck %s --implicit-check-not='[warpwright-double-in-float-code]'

// CHECK: all_float
__global__ void all_float(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * 0.1f + erff(2.0f * x[i]);
}

// The author sums in double on purpose, and rounds once at the end.
__global__ void summed_in_double(const float *x, float *y, int n) {
  double sum = 0.0;
  for (int j = 0; j < n; ++j)
    sum += x[j];
  y[threadIdx.x] = sum;
}

// The data is double: so is the literal.
__global__ void double_data(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * 0.1;
}

// Casts say what is meant: the difference of products loses too much in float.
__global__ void determinant(const float *a, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = (double)a[4 * i] * a[4 * i + 3] - (double)a[4 * i + 1] * a[4 * i + 2];
}

// A float goes in, a double comes out and stays.
__global__ void widened(const float *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * 0.1;
}
